/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Things that several own: patterns, machines, schedules, layouts. Nobody changes one after it was made; whoever keeps
 * it is counted, and the last owner to leave frees it. Any thread may come and go.
 */
#ifndef QDRI_OWNED_H
#define QDRI_OWNED_H

#include <stdatomic.h>

/* The number of owners; a member of the thing. */
typedef struct qdri_owned {
    atomic_int owners;
} qdri_owned;

/* It was made: its maker owns it. */
static inline void qdri_owned_open(qdri_owned *owned) {
    atomic_init(&owned->owners, 1);
}

/* One owner more. The count is no part of what is constant. */
static inline void qdri_owned_keep(const qdri_owned *owned) {
    atomic_fetch_add_explicit(&((qdri_owned *)owned)->owners, 1, memory_order_relaxed);
}

/* One owner less; true: it was the last. */
static inline int qdri_owned_leave(qdri_owned *owned) {
    return atomic_fetch_sub_explicit(&owned->owners, 1, memory_order_acq_rel) == 1;
}

static inline int qdri_owned_has_others(const qdri_owned *owned) {
    return atomic_load(&owned->owners) > 1;
}

#endif
