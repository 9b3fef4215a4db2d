/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heat equation on a graph that is cut into one piece per rank. Each step takes the values of all neighbours, so those
 * that other ranks own are brought first; the exchange is the same in every step.
 */
#include <stdlib.h>
#include <string.h>

#include "problems.h"

enum { DEGREE = 6, STEPS = 10 };

/* A ring of cells, each with neighbours beside it and others not far away. */
static int64_t neighbour_of(int64_t cell, int k, int64_t cells) {
    static const int64_t beside[] = {-1, 1, -7, 7};
    int64_t near = cells / 50 + 2;
    int64_t step =
        k < 4 ? beside[k] : (int64_t)(draw((uint64_t)cell, (uint64_t)k) % (uint64_t)(2 * near)) - near;
    return ((cell + step) % cells + cells) % cells;
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void *make_heat(int64_t cells) {
    heat *h = room(1, sizeof *h);
    int64_t each = cells / ranks, all = each * ranks, first = each * rank;
    int64_t *away = room(each * DEGREE, sizeof *away), found = 0;
    h->owned = each;
    h->neighbour = room(each * DEGREE, sizeof(int));
    for (int64_t i = 0; i < each; i++)
        for (int k = 0; k < DEGREE; k++) {
            int64_t id = neighbour_of(first + i, k, all);
            if (id / each != rank) away[found++] = id;
        }
    qsort(away, (size_t)found, sizeof *away, compare_ids);
    for (int64_t i = 0; i < found; i++)
        if (i == 0 || away[i] != away[i - 1]) away[h->ghosts++] = away[i];
    h->ghost_owner = room(h->ghosts, sizeof(int));
    h->ghost_at = room(h->ghosts, sizeof(int64_t));
    h->ghost_here = room(h->ghosts, sizeof(int64_t));
    for (int64_t g = 0; g < h->ghosts; g++) {
        h->ghost_owner[g] = (int)(away[g] / each);
        h->ghost_at[g] = away[g] % each;
        h->ghost_here[g] = each + g;
    }
    for (int64_t i = 0; i < each * DEGREE; i++) {
        int64_t id = neighbour_of(first + i / DEGREE, (int)(i % DEGREE), all);
        int64_t *ghost =
            id / each == rank ? NULL : bsearch(&id, away, (size_t)h->ghosts, sizeof id, compare_ids);
        h->neighbour[i] = (int)(ghost ? each + (ghost - away) : id % each);
    }
    h->value = room(each + h->ghosts, sizeof(double));
    h->next = room(each, sizeof(double));
    free(away);
    return h;
}

static void *run_heat(const exchanger *by, void *problem) {
    heat *h = problem;
    void *self = by->open(h);
    for (int64_t i = 0; i < h->owned; i++)
        h->value[i] = (double)(draw((uint64_t)(h->owned * rank + i), 7) % 1000);
    for (int step = 0; step < STEPS; step++) {
        by->run(self, h);
        for (int64_t i = 0; i < h->owned; i++) {
            double sum = 0;
            for (int k = 0; k < DEGREE; k++) sum += h->value[h->neighbour[i * DEGREE + k]];
            h->next[i] = 0.5 * h->value[i] + 0.5 / DEGREE * sum;
        }
        memcpy(h->value, h->next, (size_t)h->owned * sizeof(double));
    }
    by->close(self);
    double *result = room(h->owned + 1, sizeof *result);
    memcpy(result, h->value, (size_t)h->owned * sizeof *result);
    return result;
}

static int64_t heat_bytes(const void *problem) {
    return ((const heat *)problem)->owned * (int64_t)sizeof(double);
}

static void free_heat(void *problem) {
    heat *h = problem;
    free(h->ghost_owner);
    free(h->ghost_at);
    free(h->ghost_here);
    free(h->neighbour);
    free(h->value);
    free(h->next);
    free(h);
}

const program heat_program = {
    .name = "heat",
    .make = make_heat,
    .run = run_heat,
    .bytes = heat_bytes,
    .end = free_heat,
    .by = {&heat_mpi, &heat_quadrille},
};
