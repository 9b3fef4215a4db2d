/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients on a sparse matrix:
 *
 *     mpirun -n 4 07-conjugate-gradient [laplacian.mtx | --mesh POINTS] [--pattern FILE.mtx]
 *
 * The rows of a symmetric positive definite matrix, read from a Matrix Market file or made from an unstructured mesh
 * (mesh_matrix.c), are cut into one piece per rank, and so are the vectors. For y = A x a rank needs those elements of x that stand under its entries; of most it is the
 * owner, the others are ghosts. It knows which they are, so it makes a map from what it needs alone. Then each
 * product is
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

#include "matrix.h"
#include "mesh.h"
#include "pattern_file.h"

/* ---- a rank's piece ------------------------------------------------------------------------------------ */

typedef struct piece {
    MPI_Comm comm;
    int rank, ranks;
    int64_t first, rows, ghosts;
    entry *entry;   /* row: from `first`; column: in own x, or among the ghosts of one owner */
    int64_t *begin; /* [ranks + 1]: where the entries in an owner's columns begin */
    qdr_map *map;
} piece;

static int64_t first_row(const matrix *all, int rank, int ranks) {
    return all->rows * rank / ranks;
}

static int by_column(const void *one, const void *other) {
    const entry *a = one, *b = other;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static piece take_rows(const matrix *all, MPI_Comm comm) {
    piece own = {.comm = comm, .entry = room(all->entries, sizeof *own.entry)};
    int64_t entries = 0;
    MPI_Comm_rank(comm, &own.rank);
    MPI_Comm_size(comm, &own.ranks);
    own.begin = room(own.ranks + 1, sizeof *own.begin);
    own.first = first_row(all, own.rank, own.ranks);
    own.rows = first_row(all, own.rank + 1, own.ranks) - own.first;
    for (int64_t e = 0; e < all->entries; e++) {
        entry one = all->entry[e];
        one.row -= own.first;
        if (one.row >= 0 && one.row < own.rows) own.entry[entries++] = one;
    }
    qsort(own.entry, (size_t)entries, sizeof *own.entry, by_column);
    for (int r = 0; r < own.ranks; r++) {
        int64_t end = own.begin[r], limit = first_row(all, r + 1, own.ranks);
        while (end < entries && own.entry[end].column < limit) end++;
        own.begin[r + 1] = end;
    }
    return own;
}

static void release(piece *own) {
    qdr_map_destroy(&own->map);
    free(own->entry);
    free(own->begin);
}

/* Gives columns of others their new names, and lists them: remote[] is where they are at their owner. */
static int64_t list_ghosts(piece *own, int owner, int64_t first, int64_t *remote) {
    int64_t count = 0;
    for (int64_t e = own->begin[owner]; e < own->begin[owner + 1]; e++) {
        int64_t place = own->entry[e].column - first;
        if (count == 0 || remote[count - 1] != place) remote[count++] = place;
        own->entry[e].column = count - 1;
    }
    return count;
}

static qdr_status make_map(const matrix *all, piece *own) {
    int *rank = room(own->ranks, sizeof *rank), partners = 0;
    int64_t *count = room(own->ranks, sizeof *count);
    int64_t *remote = room(own->begin[own->ranks], sizeof *remote);
    for (int64_t e = own->begin[own->rank]; e < own->begin[own->rank + 1]; e++)
        own->entry[e].column -= own->first;
    for (int r = 0; r < own->ranks; r++) {
        if (r == own->rank || own->begin[r] == own->begin[r + 1]) continue;
        rank[partners] = r;
        count[partners] = list_ghosts(own, r, first_row(all, r, own->ranks), remote + own->ghosts);
        own->ghosts += count[partners++];
    }
    qdr_indices needs = {.partners = partners, .rank = rank, .count = count, .partner_place = remote};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.keeps_incoming = 1; /* so `local` is not needed: there is no array for them to stand in */
    qdr_status status = qdr_map_create(own->comm, NULL, &needs, &options, &own->map);
    free(rank);
    free(count);
    free(remote);
    return status;
}

/* ---- the solver ---------------------------------------------------------------------------------------- */

/* Adds to y what the columns of one owner contribute. */
static void add_product(const piece *own, int owner, const double *x, double *y) {
    for (int64_t e = own->begin[owner]; e < own->begin[owner + 1]; e++)
        y[own->entry[e].row] += own->entry[e].value * x[own->entry[e].column];
}

static qdr_status multiply(const piece *own, const double *x, double *y) {
    qdr_field field = {.source = x, .type = QDR_DOUBLE, .width = 1};
    qdr_pending *exchange = NULL;
    qdr_status status = qdr_map_start(own->map, QDR_FORWARD, 1, &field, &exchange);
    if (status) return status;
    memset(y, 0, (size_t)own->rows * sizeof *y);
    add_product(own, own->rank, x, y);
    status = qdr_wait(&exchange);
    if (status) return status;
    qdr_partners_view view = qdr_map_look(own->map);
    for (int s = 0; s < view.receives; s++)
        add_product(own, view.source[s], qdr_map_incoming(own->map, QDR_FORWARD, s, 0), y);
    return QDR_OK;
}

static double dot(const piece *own, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < own->rows; i++) sum += a[i] * b[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, own->comm);
    return sum;
}

static double right_hand_side(int64_t row) {
    return 1 + (double)(row % 7);
}

/* Solves A x = b, down to 1e-10 of the first residual. */
static qdr_status solve(const piece *own, int64_t most, double *x, int64_t *iterations) {
    double *residual = room(own->rows, sizeof *x), *direction = room(own->rows, sizeof *x);
    double *product = room(own->rows, sizeof *x);
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < own->rows; i++) residual[i] = direction[i] = right_hand_side(own->first + i);
    double square = dot(own, residual, residual), goal = 1e-20 * square;
    for (*iterations = 0; square > goal && *iterations < most; ++*iterations) {
        status = multiply(own, direction, product);
        if (status) break;
        double step = square / dot(own, direction, product), before = square;
        for (int64_t i = 0; i < own->rows; i++) {
            x[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        square = dot(own, residual, residual);
        for (int64_t i = 0; i < own->rows; i++) direction[i] = residual[i] + square / before * direction[i];
    }
    free(residual);
    free(direction);
    free(product);
    return status;
}

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

/* |b - A x| / |b|, without any of the above. */
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
