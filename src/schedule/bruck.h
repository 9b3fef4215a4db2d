/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of Bruck's exchange, for whoever draws them (algorithms/bruck.c) and whoever runs them
 * (plan/executors/stages.c).
 *
 * A message is known by its distance: how many ranks its destination is ahead of its origin, around the circle. Distances
 * are written with digits of a radix r. In stage k every rank hands on what has the digit d at place k to the rank that is
 * d * r^k ahead, for each d but 0; so after the last stage everything has gone its distance. When stage k begins, a rank
 * holds one message of each distance j, and its origin is the rank j mod r^k behind. The ranks that one hands on to in all
 * stages are different ones: (r - 1) lg n / lg r at most.
 */
#ifndef QDRI_BRUCK_H
#define QDRI_BRUCK_H

#include <stdint.h>

/* All that a rank hands on to one other. */
typedef struct qdri_bruck_step {
    int stage;
    int64_t weight; /* r^stage */
    int64_t ahead;  /* of the other rank: the digit times the weight */
} qdri_bruck_step;

static inline int qdri_bruck_stages(int ranks, int64_t radix) {
    int stages = 1;
    for (int64_t weight = radix; weight < ranks; weight *= radix) stages++;
    return stages;
}

/* The first step, of which there is none for one rank; and the one behind another. False: there is none. */
static inline int qdri_bruck_begin(int ranks, qdri_bruck_step *step) {
    *step = (qdri_bruck_step){.stage = 0, .weight = 1, .ahead = 1};
    return ranks > 1;
}

static inline int qdri_bruck_next(int ranks, int64_t radix, qdri_bruck_step *step) {
    step->ahead += step->weight;
    if (step->ahead == step->weight * radix) {
        step->stage++;
        step->weight *= radix;
    }
    return step->ahead < ranks;
}

/* The distances of a step, rising, are those from `ahead` on below the number of ranks. */
static inline int64_t qdri_bruck_distance_after(int64_t radix, const qdri_bruck_step *step,
                                                int64_t distance) {
    distance++;
    return distance % step->weight ? distance : distance + (radix - 1) * step->weight;
}

/* Whether what has this distance is at its end after the step. */
static inline int qdri_bruck_ends(int64_t radix, const qdri_bruck_step *step, int64_t distance) {
    return distance < step->weight * radix;
}

#endif
