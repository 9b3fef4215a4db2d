/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coupling: what building schedules costs, and what a transfer does.
 *
 *     mpirun -n 8 couple [--samples N]
 *
 * Half of the ranks export, half import. Two compact arrays, blocks against blocks, at two sizes: computing per process
 * must stay below a millisecond, and not grow with the extents. Two explicit arrays with random owners: elements per
 * second, from the call of qdr_stream_create to its return on the last rank, and the most memory that building took, of all
 * ranks together. The same over TCP, without a bar. Exits with 1 when a bar is missed.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille/couple.h"

typedef struct scene {
    qdr_program *program;
    qdr_coupling *coupling;
    MPI_Comm own;
    int exports, rank, ranks; /* in the program */
    int samples, missed;
} scene;

static void must(qdr_status status) {
    if (status) give_up("%s: %s", qdr_status_text(status), qdr_error_message());
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Opens the stream so often; the view of the last, and the median of the slowest rank's seconds. */
static qdr_stream *open_often(const scene *s, const qdr_layout *layout, const char *computes,
                              double *seconds) {
    qdr_coupled field = {.name = "f", .layout = layout, .type = QDR_DOUBLE};
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    qdr_stream *stream = NULL;
    double *taken = room((size_t)s->samples, sizeof *taken);
    options.computes = computes;
    for (int i = 0; i < s->samples; i++) {
        must(qdr_stream_destroy(&stream));
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = seconds_now();
        must(qdr_stream_create(s->coupling, "s", s->exports, s->exports ? &field : NULL, !s->exports,
                               s->exports ? NULL : &field, &options, &stream));
        double mine = seconds_now() - begin;
        MPI_Allreduce(&mine, &taken[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(taken, (size_t)s->samples, sizeof *taken, compare);
    *seconds = taken[s->samples / 2];
    free(taken);
    return stream;
}

static void judge(scene *s, int holds, const char *bar) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("    %s: %s\n", holds ? "reached" : "MISSED", bar);
    s->missed += !holds;
}

static int is_first(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* ---- compact ------------------------------------------------------------------------------------------- */

static double compact(const scene *s, int64_t extent) {
    int rows = 1;
    while ((rows + 1) * (rows + 1) <= s->ranks) rows++;
    while (s->ranks % rows) rows--;
    /* Exporters cut rows more often, importers columns: nobody's block is another's. */
    int a = s->exports ? s->ranks / rows : rows, b = s->exports ? rows : s->ranks / rows;
    if (!s->exports && a == b) a = s->ranks, b = 1;
    qdr_axis axis[2] = {{.extent = extent, .spread = QDR_BLOCK, .parts = a},
                        {.extent = extent, .spread = QDR_BLOCK, .parts = b}};
    qdr_layout *layout;
    double seconds, most;
    must(qdr_layout_regular(2, axis, NULL, &layout));
    qdr_stream *stream = open_often(s, layout, NULL, &seconds);
    qdr_stream_view view = qdr_stream_look(stream);
    most = view.seconds_most[0] > view.seconds_most[1] ? view.seconds_most[0] : view.seconds_most[1];
    if (is_first())
        printf("%lld x %lld, blocks against blocks (%s): %.1f us of computing per process at most, %.2f ms "
               "in all\n",
               (long long)extent, (long long)extent, view.computed, 1e6 * most, 1e3 * seconds);
    must(qdr_stream_destroy(&stream));
    qdr_layout_destroy(&layout);
    return most;
}

/* ---- explicit ------------------------------------------------------------------------------------------ */

/* Each program deals its elements at random; the same random numbers on all its ranks. */
static qdr_layout *deal(const scene *s, int64_t elements, int64_t *owned) {
    uint64_t state = s->exports ? 11 : 22;
    int64_t *mine = room((size_t)elements, sizeof *mine), count = 0, extent[1] = {elements};
    qdr_layout *layout;
    for (int64_t i = 0; i < elements; i++)
        if (random_below(&state, s->ranks) == s->rank) mine[count++] = i;
    must(qdr_layout_runs(1, extent, count, mine, NULL, &layout));
    free(mine);
    *owned = count;
    return layout;
}

/* Exports and imports, and closes the stream: an exporter serves while it is inside the library. Seconds of an import,
 * those of the slowest rank. */
static double transfer(const scene *s, qdr_stream **stream, int64_t owned) {
    enum { TIMES = 40, BEFORE = 10 };
    double *data = room((size_t)owned, sizeof *data), most, mine = 0, begin = 0;
    const void *out[1] = {data};
    void *in[1] = {data};
    for (int i = 0; i < TIMES + BEFORE; i++) {
        if (i == BEFORE) begin = seconds_now();
        must(s->exports ? qdr_export(*stream, i, out) : qdr_import(*stream, i, QDR_EXACT, 0, in, NULL));
    }
    if (!s->exports) mine = (seconds_now() - begin) / TIMES;
    must(qdr_stream_destroy(stream));
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    free(data);
    return most;
}

static void explicit_pair(scene *s, int64_t elements, int has_bars) {
    static const char *const way[] = {"both", "exporter", "deref"};
    int64_t owned;
    qdr_layout *layout = deal(s, elements, &owned);
    for (int i = 0; i < COUNT(way); i++) {
        double seconds;
        qdr_stream *stream = open_often(s, layout, way[i], &seconds);
        int64_t peak = qdr_stream_look(stream).peak_bytes, all;
        MPI_Allreduce(&peak, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        double rate = (double)elements / seconds, bytes = (double)all / (double)elements;
        if (is_first())
            printf("%lld explicit elements (%s): %.1f ms, %.1f million elements per second, %.1f bytes per "
                   "element\n",
                   (long long)elements, way[i], 1e3 * seconds, 1e-6 * rate, bytes);
        if (i == 0 && has_bars) {
            judge(s, rate >= 20e6, "20 million elements per second");
            judge(s, bytes <= 48, "at most 48 bytes per element");
        }
        if (i == 0) {
            double each = transfer(s, &stream, owned);
            if (is_first())
                printf("    a transfer of them: %.2f ms, %.0f MB/s\n", 1e3 * each,
                       8e-6 * (double)elements / each);
        }
        must(qdr_stream_destroy(&stream));
    }
    qdr_layout_destroy(&layout);
}

static void open_coupling(scene *s, const char *transport) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    options.transport = transport;
    options.directory = "/tmp";
    must(qdr_coupling_create(s->program, s->exports ? "importer" : "exporter", &options, &s->coupling));
    if (is_first()) printf("%s\n", qdr_coupling_look(s->coupling).how);
}

int main(int argc, char **argv) {
    scene s = {.samples = 9};
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3 && strcmp(argv[1], "--samples") == 0) s.samples = atoi(argv[2]);
    if (ranks < 2 || s.samples < 1)
        give_up("couple needs at least two ranks: mpirun -n 8 couple [--samples N]");
    s.exports = rank < ranks / 2;
    must(qdr_program_create(MPI_COMM_WORLD, s.exports ? "exporter" : "importer", 0, &s.program));
    open_coupling(&s, "mpi");
    s.own = qdr_program_comm(s.program);
    MPI_Comm_rank(s.own, &s.rank);
    MPI_Comm_size(s.own, &s.ranks);
    double small = compact(&s, 1024), large = compact(&s, 100000);
    judge(&s, small < 1e-3 && large < 1e-3, "less than a millisecond of computing per process");
    judge(&s, large < 3 * small + 20e-6, "whatever the extents");
    explicit_pair(&s, 1 << 20, 1);
    must(qdr_coupling_destroy(&s.coupling));
    open_coupling(&s, "tcp");
    explicit_pair(&s, 1 << 20, 0);
    must(qdr_coupling_destroy(&s.coupling));
    must(qdr_program_destroy(&s.program));
    MPI_Finalize();
    return s.missed > 0;
}
