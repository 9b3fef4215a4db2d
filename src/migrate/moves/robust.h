/* SPDX-License-Identifier: BSD-3-Clause */
/* What a receiver decides in a round of figure 4, from what its senders told it and nothing else. */
#ifndef QDRI_ROBUST_H
#define QDRI_ROBUST_H

#include <stdint.h>

#include "base/heap.h"
#include "migrate/moves/moves.h"

/* Which sender comes first. The words of the option `first`, in this order. */
typedef enum qdri_first {
    QDRI_FIRST_STARVED,  /* the one that tells the highest priority */
    QDRI_FIRST_LARGEST,  /* the one with most units left for this rank */
    QDRI_FIRST_SMALLEST, /* the one with fewest */
    QDRI_FIRST_RANK,     /* the first in the list */
} qdri_first;

#define QDRI_FIRST_OPTION                                                                                    \
    {                                                                                                        \
        "first", QDRI_WORD, "starved", 0, 0, "starved largest smallest rank",                                \
            "which sender a rank takes first", 0                                                             \
    }

/* The priority a rank tells: the units it lacks room for. */
static inline int64_t qdri_robust_priority(int64_t room, int64_t to_receive) {
    return to_receive > room ? to_receive - room : 0;
}

/* Fills take[count] with the units to ask each of `count` senders for: with `remaining[i]` left there for this
 * rank, at most `buffer[i]` at a time (NULL: no limit), `room` in all. `priority` is read by STARVED alone and
 * may be NULL otherwise; `scratch` has count entries. Among equals the lower index comes first. Returns the sum.
 * Cost: O(count), and O(log count) for each sender taken when there is not room for all. */
int64_t qdri_robust_choose(qdri_first first, int64_t room, int64_t count, const int64_t *remaining,
                           const int64_t *buffer, const int64_t *priority, qdri_heap_entry *scratch,
                           int64_t *take);

/* The whole method in rounds; buffer 0 is no limit. Where a round moves nothing, *stuck is a rank that has no
 * room for what it waits for, else -1. */
qdr_status qdri_robust_run(const qdri_moves_request *request, qdri_first first, int64_t buffer,
                           qdri_phases *phases, int *stuck);

#endif
