/* SPDX-License-Identifier: BSD-3-Clause */
/* Random instances for the tests: patterns of every shape, with room from the least that can end to plenty. */
#ifndef QDRI_MOVES_CASES_H
#define QDRI_MOVES_CASES_H

#include <stdlib.h>

#include "base/random.h"
#include "quadrille/moves.h"

enum { CASE_RANKS = 256 };

typedef struct instance {
    qdr_pattern *pattern;
    qdr_pattern_view view;
    int ranks;
    int64_t room[CASE_RANKS], in[CASE_RANKS], out[CASE_RANKS];
    int64_t total, free, bound;
} instance;

enum { SPARSE, DENSE, FEW, PERMUTATION, RING, TO_ONE, FROM_ONE, SWAPS, SHAPES };
enum { LEAST, ONE_UNIT, ONE_KEEPER, SOME_UNITS, HALF, PLENTY, ROOMS };

static inline int64_t case_size(qdri_random *random, int64_t most) {
    return qdri_random_between(random, 1, most);
}

/* Whether i sends to j. */
static inline int case_sends(qdri_random *random, int shape, int ranks, int i, int j) {
    switch (shape) {
    case SPARSE:
        return qdri_random_below(random, 4) == 0;
    case DENSE:
        return 1;
    case FEW:
        return qdri_random_below(random, (uint64_t)ranks) < 2;
    case PERMUTATION:
        return j == (i * 5 + 3) % ranks;
    case RING:
        return j == (i + 1) % ranks;
    case TO_ONE:
        return j == ranks / 2;
    case FROM_ONE:
        return i == ranks / 2;
    default:
        return j == (i ^ 1);
    }
}

static inline qdr_pattern *case_pattern_of(qdri_random *random, int shape, int ranks, int64_t most) {
    qdr_message *message = malloc(sizeof *message * (size_t)ranks * (size_t)ranks);
    qdr_pattern *pattern = NULL;
    int64_t count = 0, same = qdri_random_below(random, 2) ? case_size(random, most) : 0;
    for (int i = 0; message && i < ranks; i++)
        for (int j = 0; j < ranks; j++)
            if (i != j && case_sends(random, shape, ranks, i, j))
                message[count++] = (qdr_message){i, j, same ? same : case_size(random, most)};
    if (!message || qdr_pattern_create(ranks, count, message, &pattern)) abort();
    free(message);
    return pattern;
}

static inline void case_sums(instance *it) {
    for (int64_t m = 0; m < it->view.messages; m++) {
        it->in[it->view.destination[m]] += it->view.items[m];
        it->out[it->view.origin[m]] += it->view.items[m];
        it->total += it->view.items[m];
    }
}

/* What each rank needs to hold its own in the end, and something more. */
static inline void case_rooms(qdri_random *random, int kind, instance *it) {
    int chosen = (int)qdri_random_below(random, (uint64_t)it->ranks);
    for (int r = 0; r < it->ranks; r++) {
        int64_t more = kind == SOME_UNITS ? qdri_random_below(random, 3)
                       : kind == HALF     ? qdri_random_between(random, 0, it->in[r] / 2)
                       : kind == PLENTY   ? qdri_random_between(random, 0, 2 * it->total)
                                          : 0;
        it->room[r] = more + (it->in[r] > it->out[r] ? it->in[r] - it->out[r] : 0);
    }
    if (kind == ONE_UNIT) it->room[chosen]++;
    if (kind == ONE_KEEPER) it->room[chosen] += qdri_random_between(random, 0, it->total + 1);
    for (int r = 0; r < it->ranks; r++) it->free += it->room[r];
    if (it->free == 0) it->free = it->room[chosen] = 1;
}

static inline instance case_open(qdri_random *random, int shape, int rooms, int ranks, int64_t most) {
    instance it = {.ranks = ranks, .pattern = case_pattern_of(random, shape, ranks, most)};
    it.view = qdr_pattern_look(it.pattern);
    case_sums(&it);
    case_rooms(random, rooms, &it);
    it.bound = it.total ? (it.total - 1) / it.free + 1 : 0;
    return it;
}

static inline void case_close(instance *it) {
    qdr_pattern_destroy(&it->pattern);
}

/* ceil(3 T / 2 M) + 1 */
static inline int64_t case_greedy_bound(const instance *it) {
    return it->total ? (3 * it->total - 1) / (2 * it->free) + 2 : 0;
}

#endif
