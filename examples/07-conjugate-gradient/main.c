/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients on a sparse matrix:
 *
 *     mpirun -n 4 07-conjugate-gradient [laplacian.mtx | --mesh POINTS] [--pattern FILE.mtx]
 *
 * The rows of a symmetric positive definite matrix, read from a Matrix Market file or made from an unstructured mesh
 * (mesh_matrix.c), are cut into one piece per rank, and so are the vectors. For y = A x a rank needs those elements of x
 * that stand under its entries; of most it is the owner, the others are ghosts. It knows which they are, so it makes a
 * map from what it needs alone (piece.c). Then each product (solver.c) is
 *
 *     start       what others need of x leaves
 *     multiply    by the entries in own columns
 *     wait        the ghosts are here
 *     multiply    by the entries in columns of others
 *
 * The ghosts are read once and never changed, so nothing is gained by an array of them: the map keeps what came
 * (keeps_incoming), and qdr_map_incoming() says where it lies, partner by partner. For that the entries stand by
 * column, those of one owner together, and name a ghost by its place in its owner's message.
 *
 * In the end the solution is held against that of rank 0 alone, and put into the equations.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "pattern_file.h"
#include "solver.h"

/* ---- checks -------------------------------------------------------------------------------------------- */

/* Brings all pieces to rank 0. Without `remote`, they stand there by rising rank: what is wanted. */
static qdr_status collect(const piece *own, const double *x, double *everything) {
    int root = 0;
    qdr_map *map = NULL;
    qdr_indices out = {.partners = 1, .rank = &root, .count = &own->rows};
    qdr_field field = {.source = x, .target = everything, .type = QDR_DOUBLE, .width = 1};
    qdr_status status = qdr_map_create(own->comm, &out, NULL, NULL, &map);
    if (!status) status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
    qdr_map_destroy(&map);
    return status;
}

/* |b - A x| / |b|, without any piece or map. */
static double relative_residual(const matrix *all, const double *x) {
    double *rest = room(all->rows, sizeof *rest), square = 0, all_square = 0;
    for (int64_t i = 0; i < all->rows; i++) rest[i] = right_hand_side(i);
    for (int64_t e = 0; e < all->entries; e++)
        rest[all->entry[e].row] -= all->entry[e].value * x[all->entry[e].column];
    for (int64_t i = 0; i < all->rows; i++) {
        square += rest[i] * rest[i];
        all_square += right_hand_side(i) * right_hand_side(i);
    }
    free(rest);
    return sqrt(square / all_square);
}

/* On rank 0. The same solver serves, on a communicator of one rank: a map without partners is legal. */
static int judge(const matrix *all, const double *x, int64_t iterations) {
    piece alone = take_rows(all, MPI_COMM_SELF);
    double *own = room(all->rows, sizeof *own), differences = 0, sizes = 0;
    int64_t own_iterations = 0;
    int solved = !make_map(all, &alone) && !solve(&alone, 10 * all->rows, own, &own_iterations);
    for (int64_t i = 0; i < all->rows; i++) {
        differences += fabs(x[i] - own[i]);
        sizes += fabs(own[i]);
    }
    double residual = relative_residual(all, x), error = sizes > 0 ? differences / sizes : differences;
    int good = solved && residual <= 1e-8 && error <= 1e-8;
    printf("%" PRId64 " iterations, %" PRId64 " by one rank alone\n", iterations, own_iterations);
    printf("residual %.1e; the solution %s that of one rank alone\n", residual,
           error <= 1e-8 ? "is" : "IS NOT");
    /* What is rounding alone differs from system to system, and goes where no test reads it. */
    fprintf(stderr, "error %.1e\n", error);
    release(&alone);
    free(own);
    return good;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void print_table(const matrix *all, const piece *own) {
    enum { COLUMNS = 4 };
    int64_t line[COLUMNS] = {own->rows, own->begin[own->ranks], own->ghosts, qdr_map_look(own->map).receives};
    int64_t(*table)[COLUMNS] = room(own->ranks, sizeof *table);
    MPI_Gather(line, COLUMNS, MPI_INT64_T, table, COLUMNS, MPI_INT64_T, 0, own->comm);
    if (own->rank == 0) {
        printf("%" PRId64 " rows, %" PRId64 " entries\n", all->rows, all->entries);
        printf("rank    rows  entries  ghosts  from ranks\n");
        for (int r = 0; r < own->ranks; r++)
            printf("%4d  %6" PRId64 "  %7" PRId64 "  %6" PRId64 "  %10" PRId64 "\n", r, table[r][0],
                   table[r][1], table[r][2], table[r][3]);
    }
    free(table);
}

static int run(const matrix *all, const char *pattern) {
    piece own = take_rows(all, MPI_COMM_WORLD);
    double *x = room(own.rows, sizeof *x), *everything = room(own.rank == 0 ? all->rows : 0, sizeof *x);
    int64_t iterations = 0;
    int good = 1;
    qdr_status status = make_map(all, &own);
    if (!status) print_table(all, &own);
    if (!status) status = show_pattern(own.comm, own.map, sizeof *x, pattern);
    if (!status) status = solve(&own, 10 * all->rows, x, &iterations);
    if (!status) status = collect(&own, x, everything);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    if (!status && own.rank == 0) good = judge(all, everything, iterations);
    release(&own);
    free(x);
    free(everything);
    return !status && good;
}

int main(int count, char **words) {
    const char *file = "laplacian.mtx", *pattern = NULL, *points = NULL;
    matrix all = {0};
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int w = 1; w < count; w++) {
        int has_value = w + 1 < count;
        if (has_value && strcmp(words[w], "--mesh") == 0)
            points = words[++w];
        else if (has_value && strcmp(words[w], "--pattern") == 0)
            pattern = words[++w];
        else
            file = words[w];
    }
    int good = points ? mesh_matrix(strtoll(points, NULL, 10), &all) : share_matrix(file, rank, &all);
    if (!good && points && rank == 0)
        fprintf(stderr, "expected --mesh %d to %d\n", FEWEST_POINTS, MOST_POINTS);
    good = good && run(&all, pattern);
    free(all.entry);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
