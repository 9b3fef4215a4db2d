/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The starts (spreading.h). One walker per source or per destination remembers where its extra items stopped.
 * The tight variants give each walker its own beginning: the exclusive sum, over the walkers before it, of
 * their extra items. (The papers' figure 12 prints an inclusive sum and never advances k; only the exclusive
 * sum keeps the bound ceil(c / p).)
 */
#include "schedule/algorithms/spreading.h"

#include <stdlib.h>

#include "base/memory.h"

static void begin_tight(int ranks, int64_t count, const int *owner, const int64_t *items, int32_t *walker) {
    int32_t sum = 0;
    for (int64_t m = 0; m < count; m++)
        walker[owner[m]] = (int32_t)((walker[owner[m]] + items[m] % ranks) % ranks);
    for (int rank = 0; rank < ranks; rank++) {
        int32_t extra = walker[rank];
        walker[rank] = sum;
        sum = (sum + extra) % ranks;
    }
}

int qdri_spread(int ranks, int64_t count, const int *origin, const int *destination, const int64_t *items,
                qdri_spreading scheme, int tight, int32_t *start) {
    const int *owner = scheme == QDRI_SPREAD_BY_SOURCE ? origin : destination;
    int32_t *walker = QDRI_ZERO_ARRAY(int32_t, ranks);
    if (!walker) return 0;
    if (tight) begin_tight(ranks, count, owner, items, walker);
    for (int64_t m = 0; m < count; m++) {
        start[m] = items[m] ? walker[owner[m]] : (int32_t)(((int64_t)origin[m] + destination[m]) % ranks);
        walker[owner[m]] = (int32_t)((walker[owner[m]] + items[m] % ranks) % ranks);
    }
    free(walker);
    return 1;
}

int32_t qdri_spread_extra(int ranks, int64_t count, const int64_t *items) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum = (sum + items[i] % ranks) % ranks;
    return (int32_t)sum;
}

void qdri_spread_along(int ranks, int32_t begin, int64_t count, const int64_t *items, int32_t *start) {
    for (int64_t i = 0; i < count; i++) {
        start[i] = begin;
        begin = (int32_t)((begin + items[i] % ranks) % ranks);
    }
}

int qdri_part_exists(int ranks, int64_t items, int32_t start, int intermediary) {
    return items > 0 ? qdri_part_length(ranks, items, start, intermediary) > 0 : intermediary == start;
}

int64_t qdri_part_length(int ranks, int64_t items, int32_t start, int intermediary) {
    int place = intermediary - start;
    if (place < 0) place += ranks;
    return items / ranks + (place < items % ranks);
}

int64_t qdri_part_offset(int ranks, int64_t items, int32_t start, int intermediary) {
    int64_t extra = items % ranks, end = start + extra; /* extra items lie in start..end-1, modulo ranks */
    int64_t below = intermediary > start ? (intermediary < end ? intermediary : end) - start : 0;
    int64_t wrapped = end - ranks; /* 0..wrapped-1 after the wrap */
    if (wrapped > 0) below += intermediary < wrapped ? intermediary : wrapped;
    return items / ranks * intermediary + below;
}
