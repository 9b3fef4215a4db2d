/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange of a map costs beside its messages: nothing. As src/plan/account_mpitest.c, for maps of
 * either transport, in both directions, with fused fields, elements of varying size, incoming memory that is
 * kept and contributions in order: once every place for an exchange was used, no exchange of the same shape
 * allocates, and none ever calls a collective.
 */
#include <stdio.h>

#include "map/map_testing.h"
#include "mpi_account.h"
#include "mpi_check.h"
#include "mpi_pieces.h"

enum { MOST_IN_FLIGHT = 3, FIELDS = 3, TURNS = 6, FIRST_TURNS = 3 };

static int rank, ranks, cases;

typedef struct shape {
    const char *algorithm, *transport;
    int varies, keeps, unordered, in_flight;
    int64_t width;
} shape;

typedef struct memory {
    double *real, *real_target;
    int32_t *whole, *whole_target;
    char *bytes, *bytes_target;
} memory;

static int64_t *starts;

static int fields_of(const shape *kind, memory *at, qdr_field *field) {
    field[0] = (qdr_field){
        .source = at->whole, .target = at->whole_target, .type = QDR_INT32, .width = 1, .operation = QDR_SUM};
    field[1] = (qdr_field){.source = at->real,
                           .target = at->real_target,
                           .type = QDR_DOUBLE,
                           .width = kind->width,
                           .operation = QDR_MAXIMUM};
    field[2] = (qdr_field){.source = at->bytes,
                           .target = at->bytes_target,
                           .type = QDR_BYTE,
                           .source_start = starts,
                           .target_start = starts};
    return kind->varies ? 3 : 2;
}

static void count_exchanges(qdr_map *map, const shape *kind, memory *at, const char *what) {
    qdr_pending *exchange[2][MOST_IN_FLIGHT];
    qdr_field field[FIELDS];
    int64_t collectives_before = collectives, allocations_before = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn == FIRST_TURNS) allocations_before = allocations;
        for (int i = 0; i < kind->in_flight; i++)
            for (int way = 0; way < 2; way++) {
                int fields = fields_of(kind, &at[2 * i + way], field);
                CHECK_SAYING(qdr_map_start(map, (qdr_direction)way, fields, field, &exchange[way][i]) ==
                                 QDR_OK,
                             "%s: %s", what, qdr_error_message());
                if (turn % 2)
                    CHECK_SAYING(qdr_wait(&exchange[way][i]) == QDR_OK, "%s: %s", what, qdr_error_message());
            }
        for (int i = kind->in_flight - 1; turn % 2 == 0 && i >= 0; i--)
            for (int way = 0; way < 2; way++)
                CHECK_SAYING(qdr_wait(&exchange[way][i]) == QDR_OK, "%s: %s", what, qdr_error_message());
    }
    CHECK_SAYING(allocations == allocations_before, "%s: %lld allocations in repeated exchanges", what,
                 (long long)(allocations - allocations_before));
    CHECK_SAYING(collectives == collectives_before, "%s: %lld collectives in exchanges", what,
                 (long long)(collectives - collectives_before));
}

static qdr_map *make_map(const links *all, const shape *kind) {
    side out = make_whole_side(all, rank, 0, NULL), in = make_whole_side(all, rank, 1, NULL);
    qdr_plan_options plan = QDR_PLAN_OPTIONS;
    qdr_map_options options = QDR_MAP_OPTIONS;
    qdr_map *map = NULL;
    plan.algorithm = kind->algorithm;
    plan.transport = kind->transport;
    plan.in_flight = kind->in_flight;
    plan.chunk = 3000;
    plan.window = 20000;
    options.plan = &plan;
    options.reverse = QDR_REVERSE_COMBINE;
    options.keeps_incoming = kind->keeps;
    options.unordered = kind->unordered;
    CHECK_SAYING(qdr_map_create(MPI_COMM_WORLD, &out.indices, &in.indices, &options, &map) == QDR_OK, "%s",
                 qdr_error_message());
    free_side(&out);
    free_side(&in);
    return map;
}

static void run_case(const shape *kind) {
    char what[200];
    link_seeds seeds = {1, 2, 3};
    memory at[2 * MOST_IN_FLIGHT];
    snprintf(what, sizeof what, "%s, %s, varies %d, keeps %d, unordered %d, width %lld", kind->algorithm,
             kind->transport, kind->varies, kind->keeps, kind->unordered, (long long)kind->width);
    links *all = open_links(ranks, seeds, 9, LIST_RUNS, LIST_RANDOM, NULL);
    int64_t elements = all->out_elements[rank] + all->in_elements[rank];
    starts = malloc((size_t)(elements + 1) * sizeof *starts);
    for (int64_t e = 0; e <= elements; e++) starts[e] = 7 * e; /* the same size at both ends */
    for (int i = 0; i < 2 * kind->in_flight; i++)
        at[i] = (memory){calloc((size_t)(elements * kind->width), sizeof(double)),
                         calloc((size_t)(elements * kind->width), sizeof(double)),
                         calloc((size_t)elements, sizeof(int32_t)),
                         calloc((size_t)elements, sizeof(int32_t)),
                         calloc((size_t)elements, 7),
                         calloc((size_t)elements, 7)};
    qdr_map *map = make_map(all, kind);
    if (map) count_exchanges(map, kind, at, what);
    CHECK(qdr_map_destroy(&map) == QDR_OK);
    for (int i = 0; i < 2 * kind->in_flight; i++) {
        free(at[i].real);
        free(at[i].real_target);
        free(at[i].whole);
        free(at[i].whole_target);
        free(at[i].bytes);
        free(at[i].bytes_target);
    }
    free(starts);
    close_links(all);
    cases++;
}

int main(int count, char **words) {
    static const char *const algorithms[] = {"async",  "paced",    "distributed",
                                             "linear", "coloring", "two-stage"};
    static const char *const transports[] = {"node", "net"};
    static const int64_t widths[] = {1, 300, 20000}; /* in the first slots, in larger ones, by MPI or not */
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pieces_are_small(ranks == 4 ? 16384 : 0);
    for (int a = 0; a < 6; a++)
        for (int t = 0; t < 2; t++)
            for (int w = 0; w < 3; w++)
                for (int bits = 0; bits < 8; bits++) {
                    shape kind = {algorithms[a], transports[t], bits & 1, bits >> 1 & 1, bits >> 2 & 1, 0,
                                  widths[w]};
                    kind.in_flight = kind.keeps ? 2 : MOST_IN_FLIGHT;
                    if (kind.varies && a > 2) continue;
                    if (w == 2 && (a > 0 || t > 0 || bits > 3 || ranks > 4))
                        continue; /* these are slow, and need not be many */
                    run_case(&kind);
                }
    /* The counters do count: making maps takes both. */
    CHECK(cases > 0 && allocations > cases && collectives > cases);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
