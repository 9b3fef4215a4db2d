/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computing while an exchange is under way: mpirun -n 4 05-overlap.
 *
 * A field of many rows is cut into one slab per rank, the last touching the first. In each step every row
 * becomes a mean of itself and its two neighbours. The rows at the edges of a slab need one from the rank above
 * and one from the rank below; all others can be computed meanwhile:
 *
 *     start both exchanges    one plan sends down, the other up; their buffers are borrowed from here on
 *     compute the inside      with qdr_progress() now and then: messages move while somebody looks after them
 *     wait, or test           and compute the two edges as their halos come
 *
 * Even ranks wait for the halo from above first, odd ranks for the one from below. Each would wait for the
 * other, if a wait advanced only its own exchange; it advances everything. In the end the field is held against
 * a run of one rank alone; integers, so that both must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille-mpi.h"

enum { ROWS = 12, COLUMNS = 20000, STEPS = 6 };

typedef int64_t row[COLUMNS];

/* One rank's rows 1..ROWS, between the halo from above, 0, and the one from below, ROWS + 1. */
typedef struct slab {
    row now[ROWS + 2], next[ROWS + 2];
    qdr_plan *down, *up;
} slab;

static int64_t initial(int64_t line, int column) {
    return (line * 7919 + column * 104729) % 1000003;
}

static void smooth(const row above, const row here, const row below, row result) {
    for (int c = 0; c < COLUMNS; c++) result[c] = (above[c] + 2 * here[c] + below[c]) / 4;
}

static void smooth_row(slab *own, int r) {
    smooth(own->now[r - 1], own->now[r], own->now[r + 1], own->next[r]);
}

/* ---- the exchanges ------------------------------------------------------------------------------------- */

/* A plan for one row to `to` and one from `from`. Both sides are known, so nothing has to be discovered; the
 * library holds them against each other. */
static qdr_status make_plan(int to, int from, qdr_plan **plan) {
    const int64_t items = COLUMNS;
    qdr_partners *partners = NULL;
    qdr_status status =
        qdr_partners_from_both(MPI_COMM_WORLD, 1, &to, &items, 1, &from, &items, 0, &partners);
    if (!status) status = qdr_plan_create(partners, NULL, plan);
    qdr_partners_destroy(&partners); /* the plan keeps what it needs */
    return status;
}

static qdr_status start(qdr_plan *plan, const row outgoing, row incoming, qdr_pending **exchange) {
    qdr_buffers buffers = {0};
    buffers.item_bytes = sizeof(int64_t);
    buffers.outgoing_base = outgoing;
    buffers.incoming_base = incoming;
    return qdr_plan_start(plan, &buffers, exchange);
}

/* An edge: the exchange that brings its halo, and the row that can be computed then. */
typedef struct edge {
    qdr_pending *exchange;
    int row;
} edge;

static qdr_status wait_in_order(slab *own, edge *first, edge *second) {
    qdr_status status = qdr_wait(&first->exchange);
    if (!status) smooth_row(own, first->row);
    if (!status) status = qdr_wait(&second->exchange);
    if (!status) smooth_row(own, second->row);
    return status;
}

/* Whichever comes first; a handle is NULL when its exchange has ended. */
static qdr_status take_as_they_come(slab *own, edge *edges) {
    qdr_status status = QDR_OK;
    while (!status && (edges[0].exchange || edges[1].exchange))
        for (int e = 0; !status && e < 2; e++) {
            int done = 0;
            if (edges[e].exchange) status = qdr_test(&edges[e].exchange, &done);
            if (done) smooth_row(own, edges[e].row);
        }
    return status;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static qdr_status advance(slab *own, int rank, int step) {
    edge edges[2] = {{NULL, 1}, {NULL, ROWS}};
    qdr_status status = start(own->down, own->now[ROWS], own->now[0], &edges[0].exchange);
    if (!status) status = start(own->up, own->now[1], own->now[ROWS + 1], &edges[1].exchange);
    if (status) return status;
    for (int r = 2; r < ROWS; r++) {
        smooth_row(own, r);
        qdr_progress();
    }
    status = step % 2 ? take_as_they_come(own, edges)
                      : wait_in_order(own, &edges[rank % 2], &edges[(rank + 1) % 2]);
    memcpy(own->now, own->next, sizeof own->now);
    return status;
}

/* ---- the same by one rank alone ------------------------------------------------------------------------ */

static int64_t count_differences(const slab *own, int rank, int ranks) {
    int64_t lines = (int64_t)ROWS * ranks, different = 0;
    row *now = calloc((size_t)lines, sizeof *now), *next = calloc((size_t)lines, sizeof *next);
    if (!now || !next) abort();
    for (int64_t l = 0; l < lines; l++)
        for (int c = 0; c < COLUMNS; c++) now[l][c] = initial(l, c);
    for (int step = 0; step < STEPS; step++) {
        for (int64_t l = 0; l < lines; l++)
            smooth(now[(l + lines - 1) % lines], now[l], now[(l + 1) % lines], next[l]);
        memcpy(now, next, (size_t)lines * sizeof *now);
    }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) different += own->now[1 + r][c] != now[(int64_t)rank * ROWS + r][c];
    free(now);
    free(next);
    return different;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status run(int rank, int ranks) {
    int64_t different = 0, all = 0;
    int below = (rank + 1) % ranks, above = (rank + ranks - 1) % ranks;
    slab *own = calloc(1, sizeof *own);
    if (!own) abort();
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) own->now[1 + r][c] = initial((int64_t)rank * ROWS + r, c);

    qdr_status status = make_plan(below, above, &own->down);
    if (!status) status = make_plan(above, below, &own->up);
    for (int step = 0; !status && step < STEPS; step++) status = advance(own, rank, step);
    if (!status) {
        different = count_differences(own, rank, ranks);
        MPI_Reduce(&different, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d ranks, %d rows of %d each, %d steps: %lld numbers differ from the run of one rank\n",
                   ranks, ROWS, COLUMNS, STEPS, (long long)all);
    }

    qdr_plan_destroy(&own->down);
    qdr_plan_destroy(&own->up);
    free(own);
    return status ? status : different ? QDR_ERR_BROKEN : QDR_OK;
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    qdr_status status = run(rank, ranks);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    MPI_Finalize();
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
