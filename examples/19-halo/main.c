/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The halo of a regular grid: mpirun -n 4 19-halo.
 *
 * A grid of rows and columns is cut into blocks, one per rank, each with one layer of ghosts around it. In every step a cell becomes a
 * mean of its four neighbours and itself, so the edges of the neighbouring blocks have to come first. Two things are said once:
 *
 *     qdr_map_from_boxes()   which box of the array goes where; no lists of cells, nothing is packed
 *     reuse                  how often: then ways that take time to prepare are tried as well, and the fastest one stays
 *
 * A column is a box like any other, though its cells lie apart in memory. What the plan has settled on goes to the standard
 * error, as it depends on the machine. In the end the grid is held against that of one rank alone; integers, so that
 * both must be the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille-mpi.h"

enum { ROWS = 120, COLUMNS = 180, STEPS = 200 };

/* Rows 1..rows and columns 1..columns of one rank or of all, between ghosts. */
typedef struct block {
    int64_t first_row, first_column, rows, columns, *now, *next;
} block;

static int rank, ranks;

static int64_t *cell(const block *at, int64_t *grid, int64_t row, int64_t column) {
    return &grid[row * (at->columns + 2) + column];
}

static block make_block(int64_t first_row, int64_t end_row, int64_t first_column, int64_t end_column) {
    block made = {first_row, first_column, end_row - first_row, end_column - first_column, NULL, NULL};
    const size_t cells = (size_t)((made.rows + 2) * (made.columns + 2));
    made.now = calloc(cells, sizeof *made.now), made.next = calloc(cells, sizeof *made.next);
    if (!made.now || !made.next) abort();
    for (int64_t r = 1; r <= made.rows; r++)
        for (int64_t c = 1; c <= made.columns; c++)
            *cell(&made, made.now, r, c) = ((first_row + r) * 7919 + (first_column + c) * 104729) % 1000003;
    return made;
}

static void smooth(block *at) {
    for (int64_t r = 1; r <= at->rows; r++)
        for (int64_t c = 1; c <= at->columns; c++)
            *cell(at, at->next, r, c) =
                (*cell(at, at->now, r - 1, c) + *cell(at, at->now, r + 1, c) + *cell(at, at->now, r, c - 1) +
                 *cell(at, at->now, r, c + 1) + 4 * *cell(at, at->now, r, c)) /
                8;
    int64_t *other = at->now;
    at->now = at->next, at->next = other;
}

/* The last row touches the first, and the last column too. Where two sides have the same neighbour, what goes north from here
 * arrives there in the south: so the ghosts are named in the order south, north, east, west. */
static qdr_status make_map(const block *at, const int *neighbour,
                           qdr_map **map) { /* [4]: north, south, west, east */
    const int64_t extent[] = {at->rows + 2, at->columns + 2};
    const int64_t edge[][2] = {{1, 1}, {at->rows, 1}, {1, 1}, {1, at->columns}};
    const int64_t ghost[][2] = {{at->rows + 1, 1}, {0, 1}, {1, at->columns + 1}, {1, 0}};
    const int64_t count[][2] = {{1, at->columns}, {1, at->columns}, {at->rows, 1}, {at->rows, 1}};
    const int opposite[] = {neighbour[1], neighbour[0], neighbour[3], neighbour[2]};
    const qdr_boxes out = {.dimensions = 2,
                           .extent = extent,
                           .boxes = 4,
                           .rank = neighbour,
                           .lower = edge[0],
                           .count = count[0]};
    const qdr_boxes in = {.dimensions = 2,
                          .extent = extent,
                          .boxes = 4,
                          .rank = opposite,
                          .lower = ghost[0],
                          .count = count[0]};
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    plan.reuse = STEPS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.plan = &plan;
    return qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, &options, map);
}

/* The same by this rank alone: how many of its own cells are different. */
static int64_t count_differences(block *own) {
    block all = make_block(0, ROWS, 0, COLUMNS);
    for (int step = 0; step < STEPS; step++) {
        for (int64_t c = 1; c <= COLUMNS; c++) {
            *cell(&all, all.now, 0, c) = *cell(&all, all.now, ROWS, c);
            *cell(&all, all.now, ROWS + 1, c) = *cell(&all, all.now, 1, c);
        }
        for (int64_t r = 1; r <= ROWS; r++) {
            *cell(&all, all.now, r, 0) = *cell(&all, all.now, r, COLUMNS);
            *cell(&all, all.now, r, COLUMNS + 1) = *cell(&all, all.now, r, 1);
        }
        smooth(&all);
    }
    int64_t different = 0;
    for (int64_t r = 1; r <= own->rows; r++)
        for (int64_t c = 1; c <= own->columns; c++)
            different +=
                *cell(own, own->now, r, c) != *cell(&all, all.now, own->first_row + r, own->first_column + c);
    free(all.now), free(all.next);
    return different;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int side[2] = {0, 0};
    MPI_Dims_create(ranks, 2, side);
    const int p = side[0], q = side[1], i = rank / q, j = rank % q;
    const int neighbour[] = {(i + p - 1) % p * q + j, (i + 1) % p * q + j, i * q + (j + q - 1) % q,
                             i * q + (j + 1) % q};
    block own = make_block(ROWS * i / p, ROWS * (i + 1) / p, COLUMNS * j / q, COLUMNS * (j + 1) / q);

    qdr_map *map = NULL;
    qdr_status status = make_map(&own, neighbour, &map);
    for (int step = 0; !status && step < STEPS; step++) {
        const qdr_field field = {.source = own.now, .target = own.now, .type = QDR_INT64, .width = 1};
        status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
        smooth(&own);
    }
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());

    qdr_candidate candidate;
    const qdr_plan *plan = map ? qdr_map_plan(map, QDR_FORWARD) : NULL;
    for (int k = 0; plan && rank == 0 && qdr_plan_candidate(plan, k, &candidate) == QDR_OK; k++)
        if (candidate.in_use)
            fprintf(stderr, "settled on %s, with pacing by '%s'\n", candidate.algorithm, candidate.pacing);

    int64_t different = status ? 1 : count_differences(&own);
    MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !status)
        printf("%d x %d blocks of %d x %d cells, %d steps: %" PRId64 " differ from the grid of one rank\n", p,
               q, ROWS, COLUMNS, STEPS, different);
    qdr_map_destroy(&map);
    free(own.now), free(own.next);
    MPI_Finalize();
    return different ? EXIT_FAILURE : EXIT_SUCCESS;
}
