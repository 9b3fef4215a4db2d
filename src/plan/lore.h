/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lore: wisdom (choose/wisdom.h) of plans, in a file of the user's. Rank 0 reads it, when the first plan of a communicator
 * has candidates, and tells the others what it says of a plan; so ranks that have another file, or none, or another
 * environment, start alike. It is written only where QDR_WISDOM_SAVE asks for it, when a plan is destroyed, by rank 0,
 * aside and renamed: two jobs that write at once leave the file of one of them, whole. What cannot be read or written is
 * said (QDR_EXPLAIN), and changes nothing else.
 */
#ifndef QDRI_LORE_H
#define QDRI_LORE_H

#include "choose/chooser.h"
#include "plan/port.h"
#include "quadrille/base.h"

typedef struct qdr_plan qdr_plan;

/* What rank 0 tells of a plan. */
typedef struct qdri_hint {
    qdri_port_word port;               /* as it was in the end; a window of 0: not known */
    int64_t unasked;                   /* bytes that may come unasked in the first exchanges; 0: not known */
    int8_t best[QDRI_CHOOSER_CLASSES]; /* the candidate of a class; -1: not known */
} qdri_hint;

/* Local. From the file, on rank 0. */
void qdri_lore_hint(qdr_plan *plan, qdri_hint *hint);
/* Local. Makes use of it; words that make no sense are passed over. */
void qdri_lore_follow(qdr_plan *plan, const qdri_hint *hint);
/* Local, on rank 0: what the plan has learned. */
void qdri_lore_keep(qdr_plan *plan);

/* Local. The name of this host, in 40 bits. */
int64_t qdri_lore_host(void);

#endif
