/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handing on by rule: what a schedule that stores and forwards does with a piece, where that follows from ranks alone. A rank
 * that knows only its own messages then knows what it hands over, and so does everyone that something comes to; no one has to
 * know who sends how much to whom. An algorithm whose schedules are so has one of these, and a plan rehearses it (rehearsal.h)
 * instead of gathering the whole pattern.
 *
 * Pieces of a transfer stand by rising (origin, destination, offset), in rows and in rehearsals.
 */
#ifndef QDRI_HANDING_H
#define QDRI_HANDING_H

#include <stdint.h>

#include "base/spec.h"
#include "quadrille/machine.h"
#include "quadrille/schedule.h"
#include "schedule/algorithms/spreading.h"

/* How messages are cut into parts: the same on all ranks. */
typedef struct qdri_cutting {
    qdri_spreading scheme;
    int tight, shuffled;
    int diagonal; /* of what a rank has for itself, too */
    uint64_t seed;
} qdri_cutting;

/* What one rank sends, by rising destinations. */
typedef struct qdri_own_messages {
    int rank, ranks;
    int64_t messages;
    const int *destination;
    const int64_t *items;
    const int32_t *start; /* of their parts (algorithms/spreading.h); NULL where messages stay whole */
} qdri_own_messages;

/* Where a rehearsal is told of parts: message m of those above has such a part, which goes to rank `to`. Returns 0 without memory. */
typedef int qdri_put_part(void *context, int64_t m, int64_t offset, int64_t length, int to);

typedef struct qdri_handing {
    int (*stages)(int ranks);
    /* To whom `at` hands on what it holds for `destination`; to itself: it stays. */
    int (*next)(int ranks, int stage, int at, int destination);
    int64_t (*phase)(int ranks, int stage, int from, int to);
    /* NULL: messages stay whole. Else they are cut before the first stage, of which `next` says nothing. How, follows from the options and
     * from the most items that any rank sends, and that any receives. */
    qdr_status (*settle)(const qdri_spec *options, const qdr_machine *machine, int ranks, int64_t out,
                         int64_t in, qdri_cutting *cutting);
    qdr_status (*cut)(const qdri_cutting *cutting, const qdri_own_messages *own, qdri_put_part *put,
                      void *context);
} qdri_handing;

#endif
