/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsals: how a rank comes to know its row of a schedule that stores and forwards, when it knows its own messages only. The ranks
 * play the exchange once without any bytes: stage by stage, each hands on the pieces that it holds, to those and in the phases that
 * the rule of the algorithm names (handing.h), and holds what comes. What it hands on and what comes to it are written down
 * as it goes: that is its *script*, and its row of the schedule of the whole pattern.
 *
 * So a rank learns of the pieces that pass through it and of no others. It holds O(own messages + such pieces). A piece
 * takes some 4 to 8 bytes, on its way and in the script: the difference from the one before it.
 *
 * This is the pure half, one rank's part. Whoever plays it brings `count` lots of each stage to their ranks:
 *
 *     for each stage    qdri_rehearsal_give    what goes to whom
 *                       qdri_rehearsal_take    for each lot that has come
 *     qdri_rehearsal_end                       the schedule
 */
#ifndef QDRI_REHEARSAL_H
#define QDRI_REHEARSAL_H

#include <stdint.h>

#include "schedule/algorithm.h"

typedef struct qdri_rehearsal qdri_rehearsal;

/* What goes from one rank to another in a stage. */
typedef struct qdri_lot {
    int partner;
    const void *data;
    int64_t bytes;
} qdri_lot;

/* Of a rank with these messages; `cutting` is NULL where messages stay whole. */
qdr_status qdri_rehearsal_open(const qdri_handing *handing, const qdri_cutting *cutting,
                               const qdri_own_messages *own, qdri_rehearsal **rehearsal);

/* What this rank hands on in the next stage, to each rank one lot. Valid until something is taken. */
qdr_status qdri_rehearsal_give(qdri_rehearsal *rehearsal, int *count, const qdri_lot **lots);

/* What came in that stage from a rank, once all that goes is on its way. Nothing in it is believed. */
qdr_status qdri_rehearsal_take(qdri_rehearsal *rehearsal, const qdri_lot *lot);

/* A schedule of the pattern `own`, of which only this rank's row is filled. */
qdr_status qdri_rehearsal_end(qdri_rehearsal *rehearsal, const qdr_pattern *own,
                              const qdri_algorithm *algorithm, const char *spec, qdr_schedule **schedule);

void qdri_rehearsal_close(qdri_rehearsal **rehearsal);

#endif
