/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crates: where ranks of a node leave small messages whose sizes only their senders know, such as what is passed on in stages.
 *
 * A crate is for one message of each exchange of a slot. It lies in the receiver's arena; the sender fills it and says which
 * exchange that was for, the receiver empties it and says the same. What does not fit goes by MPI, and the crate says that.
 * A rank that expects several from another has a *row* of crates for it. Where there is no memory for a row, both ends know
 * it, and all of it goes by MPI.
 */
#ifndef QDRI_CRATE_H
#define QDRI_CRATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/node.h"

enum { QDRI_CRATE_BYTES = 16 << 10, QDRI_CRATE_IS_SENT = -1 };

typedef struct qdri_crate {
    _Alignas(128) _Atomic int64_t filled; /* the number of the exchange, and one */
    int64_t bytes;                        /* QDRI_CRATE_IS_SENT: it comes by MPI */
    char data[QDRI_CRATE_BYTES];
    _Alignas(128) _Atomic int64_t emptied; /* the number of the exchange, and one */
} qdri_crate;

/* Local. A row of this rank's, for one sender: where it lies; 0: there is no memory. */
int64_t qdri_crate_row(qdri_wire *wire, int crates);
/* A crate of a member's row. */
qdri_crate *qdri_crate_of(const qdri_wire *wire, int member, int64_t row, int number);
/* The sender fills no crate of a member's row any more; the receiver empties none of its own, for which `is_used` says that a sender
 * knows of it. The memory is used again when both have said so. */
void qdri_crate_row_left(const qdri_wire *wire, int member, int64_t row);
void qdri_crate_row_closed(qdri_wire *wire, int64_t row, int is_used);

/* Whether the crate is empty, of which this sender said last that it was filled for `filled`. */
static inline int qdri_crate_is_empty(const qdri_crate *crate, int64_t filled) {
    return atomic_load_explicit(&crate->emptied, memory_order_acquire) == filled;
}

/* Its data are written. */
static inline void qdri_crate_fill(qdri_crate *crate, int64_t filled, int64_t bytes) {
    crate->bytes = bytes;
    atomic_store_explicit(&crate->filled, filled, memory_order_release);
}

/* Whether something is in it that was not there when it was last emptied. */
static inline int qdri_crate_is_full(const qdri_crate *crate) {
    return atomic_load_explicit(&crate->filled, memory_order_acquire) !=
           atomic_load_explicit(&crate->emptied, memory_order_relaxed);
}

/* Its data were read. */
static inline void qdri_crate_empty(qdri_crate *crate) {
    atomic_store_explicit(&crate->emptied, atomic_load_explicit(&crate->filled, memory_order_relaxed),
                          memory_order_release);
}

#endif
