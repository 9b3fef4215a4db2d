/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients on rows that lie anywhere: mpirun -n 4 08-resolve laplacian.mtx [method].
 *
 * Example 07 cuts the same matrix into stripes, so that everybody can tell who owns a row. Here rows lie
 * where a partitioner has put them (rows.c): a rank knows its own, and nobody knows those of all.
 *
 *     I own these        the numbers of my rows
 *     I need those       the columns of my entries that are not among them: the ghosts
 *     qdr_resolve_map()  finds who owns them, and makes the map that brings their values
 *
 * That is one call, and the rest is a solver as one writes it for a single rank. Every number it prints is
 * the same, bit for bit, on any number of ranks and by any method: a row is summed up in the order of the
 * file, by whoever owns it, and sums over all rows are sums of integers. (For that the product waits for its
 * ghosts; example 07 shows how to compute meanwhile.)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille-mpi.h"
#include "rows.h"

/* What a rank works on. A vector has its own rows first, then the ghosts. */
typedef struct piece {
    rows own;
    int64_t ghosts;
    int64_t *ghost; /* [ghosts]: their numbers, rising */
    qdr_map *map;
} piece;

static int rank, ranks;

/* ---- what is needed ------------------------------------------------------------------------------------ */

static int by_number(const void *one, const void *other) {
    const int64_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

/* -1: it is not there. */
static int64_t find(const int64_t *list, int64_t count, int64_t number) {
    const int64_t *at = count > 0 ? bsearch(&number, list, (size_t)count, sizeof number, by_number) : NULL;
    return at ? at - list : -1;
}

static void list_ghosts(piece *all) {
    const rows *own = &all->own;
    int64_t listed = 0;
    all->ghost = room(NULL, own->entries, sizeof *all->ghost);
    for (int64_t e = 0; e < own->entries; e++)
        if (find(own->id, own->count, own->entry[e].column) < 0) all->ghost[listed++] = own->entry[e].column;
    qsort(all->ghost, (size_t)listed, sizeof *all->ghost, by_number);
    for (int64_t i = 0; i < listed; i++)
        if (i == 0 || all->ghost[i] != all->ghost[i - 1]) all->ghost[all->ghosts++] = all->ghost[i];
}

/* Row and column of entries: from numbers in the file to places in vectors. */
static void name_places(piece *all) {
    const rows *own = &all->own;
    for (int64_t e = 0; e < own->entries; e++) {
        entry *one = &own->entry[e];
        int64_t place = find(own->id, own->count, one->column);
        one->row = find(own->id, own->count, one->row);
        one->column = place >= 0 ? place : own->count + find(all->ghost, all->ghosts, one->column);
    }
}

/* ---- who has it ---------------------------------------------------------------------------------------- */

/* The matrix is symmetric: whoever has my ghosts needs rows of mine, and only those that have ghosts. To say
 * which these are spares telling others of the rest. */
static qdr_status make_map(piece *all, const char *method) {
    const rows *own = &all->own;
    int64_t *boundary = room(NULL, own->count, sizeof *boundary);
    char *is_listed = memset(room(NULL, own->count, 1), 0, (size_t)own->count);
    qdr_resolve_options options = QDR_RESOLVE_OPTIONS;
    for (int64_t e = 0; e < own->entries; e++)
        if (own->entry[e].column >= own->count && !is_listed[own->entry[e].row]) {
            is_listed[own->entry[e].row] = 1;
            boundary[options.boundaries++] = own->entry[e].row;
        }
    options.method = method;
    options.symmetric = 1;
    options.boundary = boundary;
    qdr_status status = qdr_resolve_map(MPI_COMM_WORLD, own->count, own->id, all->ghosts, all->ghost, NULL,
                                        &options, &all->map);
    free(boundary);
    free(is_listed);
    return status;
}

/* ---- the solver ---------------------------------------------------------------------------------------- */

static qdr_status multiply(const piece *all, double *x, double *y) {
    const rows *own = &all->own;
    qdr_field field = {.source = x, .target = x + own->count, .type = QDR_DOUBLE, .width = 1};
    qdr_status status = qdr_map_exchange(all->map, QDR_FORWARD, 1, &field);
    if (status) return status;
    memset(y, 0, (size_t)own->count * sizeof *y);
    for (int64_t e = 0; e < own->entries; e++)
        y[own->entry[e].row] += own->entry[e].value * x[own->entry[e].column];
    return QDR_OK;
}

/* Products are rounded to a grid so fine that their sum takes 62 bits; sums of integers know no order. */
static double dot(const piece *all, const double *a, const double *b) {
    int bits_of_rows, bits_of_products;
    double most = 0;
    int64_t sum = 0;
    for (int64_t i = 0; i < all->own.count; i++) most = fmax(most, fabs(a[i] * b[i]));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    frexp(most, &bits_of_products);
    frexp((double)all->own.all, &bits_of_rows);
    int shift = 62 - bits_of_products - bits_of_rows;
    for (int64_t i = 0; i < all->own.count; i++) sum += llrint(ldexp(a[i] * b[i], shift));
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return ldexp((double)sum, -shift);
}

static double right_hand_side(int64_t id) {
    return 1 + (double)((id - 1) % 7);
}

/* Solves A x = b, down to 1e-10 of |b|. Vectors begin as zeros. */
static qdr_status solve(const piece *all, double *x, double *residual, double *direction, double *product) {
    int64_t count = all->own.count, iteration = 0;
    for (int64_t i = 0; i < count; i++) residual[i] = direction[i] = right_hand_side(all->own.id[i]);
    double first = dot(all, residual, residual), square = first;
    for (; square > 1e-20 * first && iteration < 10 * all->own.all; iteration++) {
        if (rank == 0 && iteration % 10 == 0)
            printf("%9" PRId64 "  %.16e\n", iteration, sqrt(square / first));
        qdr_status status = multiply(all, direction, product);
        if (status) return status;
        double step = square / dot(all, direction, product), before = square;
        for (int64_t i = 0; i < count; i++) {
            x[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        square = dot(all, residual, residual);
        for (int64_t i = 0; i < count; i++) direction[i] = residual[i] + square / before * direction[i];
    }
    qdr_status status = multiply(all, x, product);
    if (status) return status;
    for (int64_t i = 0; i < count; i++) residual[i] = right_hand_side(all->own.id[i]) - product[i];
    square = dot(all, residual, residual);
    if (rank == 0) printf("%9" PRId64 "  %.16e, computed afresh\n", iteration, sqrt(square / first));
    return QDR_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status run(piece *all, const char *method) {
    enum { VECTORS = 4 };
    list_ghosts(all);
    name_places(all);
    qdr_status status = make_map(all, method);
    if (status) return status;
    /* What differs from one number of ranks to the other goes where no test reads it. */
    fprintf(stderr, "rank %d of %d: %" PRId64 " rows, %" PRId64 " ghosts from %d ranks\n", rank, ranks,
            all->own.count, all->ghosts, qdr_map_look(all->map).receives);
    if (rank == 0) printf("%" PRId64 " rows\niteration  |b - A x| / |b|\n", all->own.all);
    int64_t length = all->own.count + all->ghosts;
    double *vector = calloc((size_t)length * VECTORS + 1, sizeof *vector);
    if (!vector) abort();
    status = solve(all, vector, vector + length, vector + 2 * length, vector + 3 * length);
    free(vector);
    return status;
}

int main(int count, char **words) {
    piece all = {0};
    qdr_status status = QDR_OK;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int good = read_rows(count > 1 ? words[1] : "laplacian.mtx", rank, ranks, &all.own);
    if (good) status = run(&all, count > 2 ? words[2] : NULL);
    if (status && rank == 0) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    qdr_map_destroy(&all.map);
    free(all.ghost);
    free(all.own.id);
    free(all.own.entry);
    MPI_Finalize();
    return good && !status ? EXIT_SUCCESS : EXIT_FAILURE;
}
