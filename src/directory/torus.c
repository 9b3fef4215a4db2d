/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tori (torus.h). Each dimension takes the least length whose power, over the dimensions that are left, holds
 * the ranks that are left: the product is less than twice the ranks. Where lengths that divide what is left
 * take hardly more steps, they are taken: then no rank has two nodes. The longest dimension is the last, in
 * which nothing is collected.
 */
#include "directory/torus.h"

/* The least length >= 2 with length^dimensions >= count; if it must divide count, the next that does. */
static int root(int64_t count, int dimensions, int divides) {
    for (int length = 2;; length++) {
        int64_t power = 1;
        for (int i = 0; i < dimensions && power < count; i++) power *= length;
        if (power >= count && (!divides || count % length == 0)) return length;
    }
}

static qdri_torus make(int ranks, int dimensions, int divides) {
    qdri_torus torus = {.ranks = ranks, .stride = {1}};
    int64_t left = ranks;
    while (left > 1 || torus.dimensions == 0) {
        int rest = dimensions - torus.dimensions;
        int length = left > 1 ? root(left, rest > 1 ? rest : 1, divides) : 1;
        torus.length[torus.dimensions++] = length;
        left = (left + length - 1) / length;
    }
    for (int d = 0, e = torus.dimensions - 1; d < e; d++, e--) {
        int length = torus.length[d];
        torus.length[d] = torus.length[e];
        torus.length[e] = length;
    }
    for (int d = 0; d < torus.dimensions; d++) torus.stride[d + 1] = torus.stride[d] * torus.length[d];
    return torus;
}

qdri_torus qdri_torus_make(int ranks, int dimensions) {
    qdri_torus rounded = make(ranks, dimensions, 0), exact = make(ranks, dimensions, 1);
    int much = 11 * qdri_torus_steps(&rounded) < 10 * qdri_torus_steps(&exact);
    return much ? rounded : exact;
}

int64_t qdri_torus_step(const qdri_torus *torus, int64_t node, int dimension, int steps) {
    int64_t stride = torus->stride[dimension], length = torus->length[dimension];
    int64_t at = node / stride % length, to = ((at + steps) % length + length) % length;
    return node + (to - at) * stride;
}

int qdri_torus_steps(const qdri_torus *torus) {
    int steps = 0;
    for (int i = 0; i < torus->dimensions; i++) steps += torus->length[i] - 1;
    return steps;
}
