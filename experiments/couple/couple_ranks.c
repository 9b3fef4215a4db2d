/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * couple_ranks MACHINE CASE EXPORTERS IMPORTERS PART SIDE TIMES: builds the schedules of one case of Lee
 * and Sussman, "Efficient Communication Between Parallel Programs with InterComm", section 3, in every way
 * there is; for scripts/sim. Prints a line for each way, for couple_findings (lines.h).
 *
 * The first half of the ranks is one cluster, the second the other: the exporting program has the first
 * ranks of the one, the importing program those of the other, and the rest looks on. So all numbers of
 * ranks run on one machine of the same description, `grid` or `crossbar`.
 *
 * Arrays have SIDE x SIDE elements, in blocks (compact) or with random owners and places (explicit). 1 /
 * PART of them goes over: of a compact array a square at a random place; of an explicit one every PART-th
 * element (all have random owners), or a list of random ones in random order. All is random in the same way
 * in all runs.
 *
 * Each way is built TIMES times, in turn with the others, all ranks beginning at one moment; the line is of the one in the
 * middle.
 * Every way has to give the same schedule: the line has its digest.
 */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lines.h"
#include "quadrille-mpi.h"
#include "quadrille.h"

enum { MOST_TIMES = 99 };

typedef struct way {
    const char *computes, *back, *descriptors;
    const char *cases; /* the first letters of those that it is for */
} way;

static const way ways[WAYS] = {
    [DEREF] = {"deref", NULL, NULL, "cme"},
    [BOTH] = {"both", "all", "disjoint", "cme"},
    [BOTH_REPRESENTATIVE] = {"both", "all", "representative", "c"},
    [BOTH_ONE] = {"both", "one", "disjoint", "e"},
    [EXPORTER] = {"exporter", "all", "disjoint", "c"},
    [EXPORTER_REPRESENTATIVE] = {"exporter", "all", "representative", "c"},
    [IMPORTER] = {"importer", "all", "disjoint", "cm"},
    [IMPORTER_ONE] = {"importer", "one", "disjoint", "m"},
    [AUTO] = {NULL, NULL, NULL, "cme"},
};

typedef struct experiment {
    const char *machine, *kind;
    int ranks[2], part, is_listed, is_range;
    int64_t side, times;
} experiment;

typedef struct array {
    qdr_layout *layout;
    qdr_region *region;
} array;

static int world_rank;

static void give_up(const char *what, const char *why) {
    fprintf(stderr, "couple_ranks: rank %d: %s: %s\n", world_rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void need(qdr_status status, const char *what) {
    if (status) give_up(what, qdr_error_message());
}

static void *room(int64_t count, size_t bytes) {
    void *made = calloc((size_t)count + 1, bytes);
    if (!made) give_up("arrays", "out of memory");
    return made;
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* A permutation of 0 .. count - 1, a power of two: each step can be undone. */
static int64_t scatter(int64_t i, int64_t count, uint64_t seed) {
    uint64_t mask = (uint64_t)count - 1, x = (uint64_t)i;
    int half = 1;
    while ((1 << 2 * half) < count) half++;
    for (int turn = 0; turn < 4; turn++) {
        x = (x * (seed * 2654435761u * 8 + 5) + seed) & mask;
        x ^= x >> half;
    }
    return (int64_t)x;
}

/* A square of `side`, or half of one. */
static void process_grid(int ranks, int role, int parts[2]) {
    int rows = 1;
    while (rows * rows * 4 <= ranks) rows *= 2;
    while (ranks % rows) rows--;
    parts[role] = rows;
    parts[!role] = ranks / rows;
}

static int64_t square_side(const experiment *e) {
    return (int64_t)floor((double)e->side / sqrt(e->part) + 1e-9);
}

static array compact_array(const experiment *e, int role) {
    array made = {NULL, NULL};
    int parts[2];
    int64_t square = square_side(e), lower[2], upper[2];
    process_grid(e->ranks[role], role, parts);
    qdr_axis axis[2];
    for (int d = 0; d < 2; d++) {
        axis[d] = (qdr_axis){.extent = e->side, .spread = QDR_BLOCK, .parts = parts[d]};
        lower[d] = scatter(role * 2 + d, 256, 11) * (e->side - square + 1) / 256;
        upper[d] = lower[d] + square;
    }
    need(qdr_layout_regular(2, axis, NULL, &made.layout), "a compact layout");
    need(qdr_region_create(2, QDR_ROW_MAJOR, &made.region), "a region");
    need(qdr_region_add_box(made.region, lower, upper, NULL), "a box");
    return made;
}

static array explicit_array(const experiment *e, int role, int own) {
    array made = {NULL, NULL};
    int64_t extent = e->side * e->side, square = square_side(e), count = square * square, owned = 0;
    int64_t *element = room(extent, sizeof *element);
    for (int64_t i = own; i < extent; i += e->ranks[role])
        element[owned++] = scatter(i, extent, 3 + 4 * (uint64_t)role);
    need(qdr_layout_runs(1, &extent, owned, element, NULL, &made.layout), "an explicit layout");
    need(qdr_region_create(1, QDR_ROW_MAJOR, &made.region), "a region");
    if (e->is_listed) {
        for (int64_t i = 0; i < count; i++) element[i] = scatter(i, extent, 101 + 6 * (uint64_t)role);
        need(qdr_region_add_list(made.region, count, element), "a list");
    } else {
        int64_t stride = e->is_range ? 1 : e->part, lower = role * (extent - (count - 1) * stride - 1),
                upper = extent;
        if (!role) upper = (count - 1) * stride + 1;
        need(qdr_region_add_box(made.region, &lower, &upper, &stride), "a box");
    }
    free(element);
    return made;
}

static array make_array(const experiment *e, int role, int own) {
    int is_compact = e->kind[0] == 'c' || (e->kind[0] == 'm' && role == 0);
    return is_compact ? compact_array(e, role) : explicit_array(e, role, own);
}

/* ---- a schedule's digest ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, uint64_t word) {
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

/* What this rank sends or receives; `self` tells ranks and roles apart. */
static uint64_t digest_of(const qdr_stream *stream, int role, int self) {
    int partners, *rank;
    int64_t *start, *place;
    uint64_t digest = mix(1, (uint64_t)self);
    need(qdr_stream_schedule(stream, role == 0, 0, &partners, &rank, &start, &place), "a schedule");
    for (int p = 0; p < partners; p++) {
        digest = mix(digest, (uint64_t)rank[p]);
        for (int64_t i = start[p]; i < start[p + 1]; i++) digest = mix(digest, (uint64_t)place[i]);
    }
    free(rank), free(start), free(place);
    return digest;
}

static uint64_t digest_of_all(const qdr_stream *stream, int role, MPI_Comm comm) {
    int self;
    MPI_Comm_rank(comm, &self);
    uint64_t mine = digest_of(stream, role, self), all;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    return all;
}

/* ---- a way --------------------------------------------------------------------------------------------- */

/* One moment for all, a little ahead. */
static double begin_together(MPI_Comm comm) {
    double mine = MPI_Wtime(), last;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    double start = last + 1, wait = start - MPI_Wtime();
    struct timespec time = {(time_t)wait, (long)(1e9 * (wait - floor(wait)))};
    nanosleep(&time, NULL);
    return start;
}

typedef struct sample {
    double open; /* seconds from when all begin until the last rank has the stream */
    qdr_stream_view view;
} sample;

static int by_building(const void *a, const void *b) {
    double left = ((const sample *)a)->view.build_seconds, right = ((const sample *)b)->view.build_seconds;
    return (left > right) - (left < right);
}

static void print_line(const experiment *e, const char *name, const sample *s, uint64_t digest,
                       double latency) {
    const qdr_stream_view *v = &s->view;
    printf("%s,%s,%d,%d,%d,%s,%s/%s/%s,%" PRId64 ",%016" PRIx64, e->machine, e->kind, e->ranks[0],
           e->ranks[1], e->part, name, v->computed, v->back, v->descriptors, v->elements, digest);
    printf(",%.9f,%.9f,%.9f,%.9f,%.9f,%.9f", s->open, v->build_seconds, v->seconds_most[0],
           v->seconds_mean[0], v->seconds_most[1], v->seconds_mean[1]);
    printf(",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
           v->computed_most[0], v->computed_all[0], v->computed_most[1], v->computed_all[1],
           v->inside_messages, v->inside_bytes, v->across_messages, v->across_bytes);
    printf(",%.9f\n", latency);
    fflush(stdout);
}

/* All samples of one way, and the digest of its schedule. */
typedef struct measured {
    sample samples[MOST_TIMES];
    uint64_t digest;
} measured;

static void measure(int number, int64_t time, qdr_coupling *coupling, const array *array, int role,
                    MPI_Comm comm, measured *to) {
    const way *way = &ways[number];
    const char *name = way_names[number];
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    qdr_coupled field = {
        .name = "data", .layout = array->layout, .region = array->region, .type = QDR_DOUBLE};
    qdr_stream *stream = NULL;
    options.computes = way->computes;
    options.back = way->back;
    options.descriptors = way->descriptors;
    double start = begin_together(comm);
    need(qdr_stream_create(coupling, name, !role, role ? NULL : &field, role, role ? &field : NULL, &options,
                           &stream),
         name);
    double took = MPI_Wtime() - start;
    MPI_Allreduce(&took, &to->samples[time].open, 1, MPI_DOUBLE, MPI_MAX, comm);
    to->samples[time].view = qdr_stream_look(stream);
    if (time == 0) to->digest = digest_of_all(stream, role, comm);
    need(qdr_stream_destroy(&stream), "closing a stream");
}

/* In turn, forth and back: what takes longer the later it comes is the same for all. */
static void measure_all(const experiment *e, qdr_coupling *coupling, const array *array, int role,
                        MPI_Comm comm) {
    measured *all = room(WAYS, sizeof *all);
    int self;
    MPI_Comm_rank(comm, &self);
    for (int64_t t = 0; t < e->times; t++)
        for (int k = 0; k < WAYS; k++) {
            int i = t % 2 ? WAYS - 1 - k : k;
            if (strchr(ways[i].cases, e->kind[0])) measure(i, t, coupling, array, role, comm, &all[i]);
        }
    for (int i = 0; i < WAYS && self == 0; i++) {
        if (!strchr(ways[i].cases, e->kind[0])) continue;
        qsort(all[i].samples, (size_t)e->times, sizeof(sample), by_building);
        print_line(e, way_names[i], &all[i].samples[e->times / 2], all[i].digest,
                   qdr_coupling_look(coupling).latency);
    }
    free(all);
}

static void couple(const experiment *e, int role, MPI_Comm comm) {
    static const char *const names[] = {"exporter", "importer"};
    qdr_program *program = NULL;
    qdr_coupling *coupling = NULL;
    int own;
    need(qdr_program_create(comm, names[role], 0, &program), "a program");
    need(qdr_coupling_create(program, names[!role], NULL, &coupling), "a coupling");
    MPI_Comm_rank(qdr_program_comm(program), &own);
    array array = make_array(e, role, own);
    measure_all(e, coupling, &array, role, comm);
    qdr_layout_destroy(&array.layout);
    qdr_region_destroy(&array.region);
    need(qdr_coupling_destroy(&coupling), "closing a coupling");
    need(qdr_program_destroy(&program), "closing a program");
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static experiment read_arguments(char **word, int ranks) {
    experiment e = {.machine = word[1],
                    .kind = word[2],
                    .ranks = {atoi(word[3]), atoi(word[4])},
                    .part = atoi(word[5]),
                    .is_listed = strstr(word[2], "-list") != NULL,
                    .is_range = strstr(word[2], "-range") != NULL,
                    .side = atoll(word[6]),
                    .times = atoll(word[7])};
    int kind = 0;
    while (kind < KINDS && strcmp(e.kind, kind_names[kind])) kind++;
    if (kind == KINDS) give_up(e.kind, "not a case");
    for (int role = 0; role < 2; role++)
        if (e.ranks[role] < 1 || e.ranks[role] > ranks / 2)
            give_up(word[3 + role], "a program has from one to half of the ranks");
    if (e.part < 1 || e.times < 1 || e.times > MOST_TIMES) give_up("arguments", "PART or TIMES out of range");
    if (e.side < 16 || e.side > 1 << 14 || (e.side & (e.side - 1)))
        give_up(word[6], "SIDE is a power of two from 16 to 16384");
    return e;
}

int main(int count, char **words) {
    int ranks;
    MPI_Comm comm;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count != 8) give_up("arguments", "expected MACHINE CASE EXPORTERS IMPORTERS PART SIDE TIMES");
    experiment e = read_arguments(words, ranks);
    int half = ranks / 2, role = world_rank >= half, place = world_rank - role * half;
    int takes_part = place < e.ranks[role];
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, world_rank, &comm);
    if (takes_part) {
        couple(&e, role, comm);
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(
        MPI_COMM_WORLD); /* a simulated rank that has ended can be sent nothing, not even a last word */
    MPI_Finalize();
    return 0;
}
