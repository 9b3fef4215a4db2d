/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repartitioning while the load moves: mpirun -n 4 17-repartition.
 *
 * A ring of cells, some of which cost twenty times as much as the others: those under a front that moves. Now and then the cells are dealt
 * out anew, so that every rank has the same work:
 *
 *     qdr_migrate_array()   cells go to their new ranks, in place
 *     qdr_resolve_map()     "I own these cells, I need those": nobody has a list of who owns what, and the map comes from numbers alone
 *     qdr_map_exchange()    then it is one halo per step, as if nothing had happened
 *
 * In the end the cells are held against those of one rank alone; integers, so that both must be the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { CELLS = 20000, PHASES = 4, STEPS = 5, LINKS = 3, FRONT = CELLS / 8, COST = 20 };

typedef struct cell {
    int64_t id, value;
} cell;

static int rank, ranks;

static void *room(int64_t count, size_t bytes) {
    void *made = calloc((size_t)count + 1, bytes);
    if (!made) abort();
    return made;
}

static void must(qdr_status status) {
    if (!status) return;
    fprintf(stderr, "rank %d: %s\n", rank, qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The cells that a cell depends on: its neighbours, and one farther away. */
static int64_t link(int64_t id, int which) {
    static const int away[LINKS] = {CELLS - 1, 1, 137};
    return (id + away[which]) % CELLS;
}

static int64_t work(int64_t id, int phase) {
    return (id + CELLS - (int64_t)phase * CELLS / PHASES) % CELLS < FRONT ? COST : 1;
}

static int64_t mean(const int64_t *value, int64_t left, int64_t right, int64_t far, int64_t here) {
    return (value[left] + value[right] + value[far] + value[here]) / 4;
}

/* ---- dealing out ---------------------------------------------------------------------------------------- */

static int64_t work_of(const cell *own, int64_t count, int phase) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += work(own[i].id, phase);
    return sum;
}

/* In percent of the mean: what the busiest rank has to do. */
static int64_t busiest(const cell *own, int64_t count, int phase) {
    int64_t mine = work_of(own, count, phase), most, all;
    MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return 100 * most * ranks / all;
}

static int by_id(const void *one, const void *other) {
    const cell *a = one, *b = other;
    return (a->id > b->id) - (a->id < b->id);
}

/* Cells lie by rising number over the ranks; each goes where the work before it says. Returns how many moved on all ranks. */
static int64_t deal_out(cell *own, int64_t *count, int64_t capacity, int phase) {
    int *destination = room(capacity, sizeof *destination);
    int64_t mine = work_of(own, *count, phase), before = 0, all, moved = 0;
    MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) before = 0;
    for (int64_t i = 0; i < *count; i++) {
        destination[i] = (int)(before * ranks / all);
        moved += destination[i] != rank;
        before += work(own[i].id, phase);
    }
    must(qdr_migrate_array(MPI_COMM_WORLD, count, capacity, own, sizeof *own, destination, NULL, NULL));
    qsort(own, (size_t)*count, sizeof *own, by_id);
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(destination);
    return moved;
}

/* ---- computing ------------------------------------------------------------------------------------------ */

/* Values of own cells come first, then those that the links of each need, three by three: some of them are own, and come from here. */
static void compute(cell *own, int64_t count) {
    int64_t *mine = room(count, sizeof *mine), *need = room(LINKS * count, sizeof *need);
    int64_t *value = room((1 + LINKS) * count, sizeof *value);
    qdr_map *bring = NULL;
    for (int64_t i = 0; i < count; i++) {
        mine[i] = own[i].id;
        value[i] = own[i].value;
        for (int k = 0; k < LINKS; k++) need[LINKS * i + k] = link(own[i].id, k);
    }
    must(qdr_resolve_map(MPI_COMM_WORLD, count, mine, LINKS * count, need, NULL, NULL, &bring));
    const qdr_field field = {.source = value, .target = value + count, .type = QDR_INT64, .width = 1};
    for (int step = 0; step < STEPS; step++) {
        must(qdr_map_exchange(bring, QDR_FORWARD, 1, &field));
        for (int64_t i = 0; i < count; i++) {
            const int64_t first = count + LINKS * i;
            value[i] = mean(value, first, first + 1, first + 2, i);
        }
    }
    for (int64_t i = 0; i < count; i++) own[i].value = value[i];
    must(qdr_map_destroy(&bring));
    free(mine), free(need), free(value);
}

static int64_t initial(int64_t id) {
    return id * 7919 % 1000003;
}

static int64_t count_differences(const cell *own, int64_t count) {
    int64_t *now = room(CELLS, sizeof *now), *next = room(CELLS, sizeof *next), different = 0;
    for (int64_t id = 0; id < CELLS; id++) now[id] = initial(id);
    for (int step = 0; step < PHASES * STEPS; step++) {
        for (int64_t id = 0; id < CELLS; id++)
            next[id] = mean(now, link(id, 0), link(id, 1), link(id, 2), id);
        int64_t *old = now;
        now = next;
        next = old;
    }
    for (int64_t i = 0; i < count; i++) different += own[i].value != now[own[i].id];
    MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(now), free(next);
    return different;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t first = (int64_t)CELLS * rank / ranks, end = (int64_t)CELLS * (rank + 1) / ranks;
    const int64_t capacity = CELLS; /* one rank may have nearly all of the cheap cells */
    int64_t count = end - first;
    cell *own = room(capacity, sizeof *own);
    for (int64_t i = 0; i < count; i++) own[i] = (cell){first + i, initial(first + i)};
    for (int phase = 0; phase < PHASES; phase++) {
        const int64_t before = busiest(own, count, phase), moved = deal_out(own, &count, capacity, phase);
        const int64_t after = busiest(own, count, phase);
        if (rank == 0)
            printf("phase %d: the busiest rank has %" PRId64 "%% of the mean; %" PRId64
                   " cells move, and it has %" PRId64 "%%\n",
                   phase, before, moved, after);
        compute(own, count);
    }
    const int64_t different = count_differences(own, count);
    if (rank == 0) printf("%" PRId64 " of %d cells differ from those of one rank\n", different, CELLS);
    free(own);
    MPI_Finalize();
    return different ? EXIT_FAILURE : EXIT_SUCCESS;
}
