/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breadth-first search: mpirun -n 4 16-breadth-first.
 *
 * The vertices of a graph are dealt out to the ranks. From one of them the search spreads, level by level: whoever was reached last
 * tells its neighbours, and those that hear of it for the first time are the next level. What a rank has to tell the others differs
 * in every level, from almost nothing to most of the edges and back to nothing:
 *
 *     qdr_deliver()     each item is the number of a vertex, for its owner
 *     MPI_Allreduce()   the search ends when no rank has reached anybody
 *
 * That is the kernel of Graph500. In the end the levels are held against those that one rank finds alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { VERTICES = 50000, EDGES = 4 }; /* of each vertex */

static int rank, ranks;

/* Where an edge leads: nearby mostly, and now and then far away. */
static int64_t neighbour(int64_t vertex, int edge) {
    uint64_t word = (uint64_t)(vertex * EDGES + edge + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 29) >> 33;
    return word % 1000 ? (vertex + 1 + (int64_t)(word % 50)) % VERTICES : (int64_t)(word % VERTICES);
}

static int64_t *room(int64_t count) {
    int64_t *made = malloc((size_t)(count + 1) * sizeof *made);
    if (!made) abort();
    return made;
}

/* Own vertices are rank, rank + ranks, rank + 2 ranks ...; level[] is -1 for those that were not reached. */
static int64_t take(const int64_t *vertex, int64_t count, int64_t now, int64_t *level, int64_t *reached) {
    int64_t first = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t *mine = &level[vertex[i] / ranks];
        if (*mine >= 0) continue;
        *mine = now;
        reached[first++] = vertex[i];
    }
    return first;
}

static int64_t count_all(int64_t number) {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return number;
}

static qdr_status search(int64_t own, int64_t *level) {
    int64_t *reached = room(own), *told = room(own * EDGES);
    int *owner = malloc((size_t)(own * EDGES + 1) * sizeof *owner);
    const int64_t root = 0;
    qdr_arrivals came = {0};
    qdr_status status = QDR_OK;
    if (!owner) abort();
    int64_t front = take(&root, rank == 0, 0, level, reached), all;
    for (int64_t now = 0; !status && (all = count_all(front)) > 0; now++) {
        if (rank == 0) printf("level %" PRId64 ": %" PRId64 " vertices\n", now, all);
        for (int64_t i = 0; i < front * EDGES; i++) {
            told[i] = neighbour(reached[i / EDGES], (int)(i % EDGES));
            owner[i] = (int)(told[i] % ranks);
        }
        const qdr_items leaving = {
            .item_bytes = sizeof *told, .data = told, .count = front * EDGES, .destination = owner};
        status = qdr_deliver(MPI_COMM_WORLD, &leaving, &came);
        if (!status) front = take(came.data, came.count, now + 1, level, reached);
    }
    qdr_arrivals_free(&came);
    free(reached), free(told), free(owner);
    return status;
}

/* The same by this rank alone: how many of its own vertices have another level. */
static int64_t count_differences(const int64_t *level) {
    int64_t *alone = room(VERTICES), *queue = room(VERTICES), last = 1, different = 0;
    for (int64_t v = 0; v < VERTICES; v++) alone[v] = v ? -1 : 0;
    queue[0] = 0;
    for (int64_t next = 0; next < last; next++)
        for (int e = 0; e < EDGES; e++) {
            const int64_t v = neighbour(queue[next], e);
            if (alone[v] >= 0) continue;
            alone[v] = alone[queue[next]] + 1;
            queue[last++] = v;
        }
    for (int64_t v = rank; v < VERTICES; v += ranks) different += alone[v] != level[v / ranks];
    free(alone), free(queue);
    return different;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t own = (VERTICES - rank + ranks - 1) / ranks;
    int64_t *level = room(own);
    for (int64_t i = 0; i < own; i++) level[i] = -1;
    qdr_status status = search(own, level);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    const int64_t different = status ? 1 : count_all(count_differences(level));
    if (rank == 0 && !status)
        printf("%" PRId64 " of %d vertices differ from the search of one rank\n", different, VERTICES);
    free(level);
    MPI_Finalize();
    return different ? EXIT_FAILURE : EXIT_SUCCESS;
}
