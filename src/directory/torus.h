/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tori for any number of ranks: k dimensions, as equal as can be, with at least as many nodes as there are
 * ranks and fewer than twice as many. Node v is on rank v, or, past the last rank, on rank v - ranks, which
 * then has two; such a second one only passes things on.
 */
#ifndef QDRI_TORUS_H
#define QDRI_TORUS_H

#include <stdint.h>

enum { QDRI_TORUS_DIMENSIONS = 31 };

typedef struct qdri_torus {
    int ranks, dimensions;
    int length[QDRI_TORUS_DIMENSIONS]; /* each at least 2, unless there is but one rank */
    int64_t stride[QDRI_TORUS_DIMENSIONS + 1];
} qdri_torus;

/* With more dimensions than lg ranks it is a hypercube. */
qdri_torus qdri_torus_make(int ranks, int dimensions);

static inline int64_t qdri_torus_nodes(const qdri_torus *torus) {
    return torus->stride[torus->dimensions];
}

static inline int qdri_torus_host(const qdri_torus *torus, int64_t node) {
    return (int)(node < torus->ranks ? node : node - torus->ranks);
}

/* The node so many steps on in a dimension; `steps` may be negative. */
int64_t qdri_torus_step(const qdri_torus *torus, int64_t node, int dimension, int steps);

/* Steps of rings in all dimensions, one after the other. */
int qdri_torus_steps(const qdri_torus *torus);

#endif
