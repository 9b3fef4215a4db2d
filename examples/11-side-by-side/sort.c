/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sample sort without its samples: each rank has a range of the keys, and the ranges are even. A key goes once, to the
 * rank of its range. How many come no rank knows before.
 */
#include <stdlib.h>
#include <string.h>

#include "problems.h"

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Keys of every rank are even over all ranges; those of a rank are sorted already. */
static void *make_sort(int64_t keys) {
    sorting *s = room(1, sizeof *s);
    int64_t each = keys / ranks;
    s->key = room(each, sizeof *s->key);
    s->bucket = room(ranks, sizeof *s->bucket);
    for (int64_t i = 0; i < each; i++) s->key[i] = draw((uint64_t)(each * rank + i), 3);
    qsort(s->key, (size_t)each, sizeof *s->key, compare_keys);
    for (int64_t i = 0; i < each; i++) s->bucket[(int)((double)s->key[i] * 0x1p-64 * ranks) % ranks]++;
    return s;
}

static void *run_sort(const exchanger *by, void *problem) {
    sorting *s = problem;
    void *self = by->open(s);
    by->run(self, s);
    qsort(s->own, (size_t)s->came, sizeof *s->own, compare_keys);
    uint64_t *result = room(s->came + 1, sizeof *result);
    memcpy(result, s->own, (size_t)s->came * sizeof *result);
    by->close(self);
    return result;
}

static int64_t sort_bytes(const void *problem) {
    return ((const sorting *)problem)->came * (int64_t)sizeof(uint64_t);
}

static void free_sort(void *problem) {
    sorting *s = problem;
    free(s->key);
    free(s->bucket);
    free(s);
}

const program sort_program = {
    .name = "sort",
    .make = make_sort,
    .run = run_sort,
    .bytes = sort_bytes,
    .end = free_sort,
    .by = {&sort_mpi, &sort_quadrille},
};
