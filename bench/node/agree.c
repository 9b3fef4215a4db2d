/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it takes until all ranks know that they agree.
 *
 *     mpirun -n 8 agree [--samples N]
 *     mpirun -n 8 agree --bridge [--samples N]
 *
 * The first: the time of qdr_partners_from_sends() where nobody sends anything. On ranks that share a node it is one
 * agreement; elsewhere a round of discovery goes with it (scripts/cluster run 16 build/bench/node/agree). The second: half of
 * the ranks are one program, half another, coupled over TCP; the time of opening and closing a stream of one element, which
 * is agreements over the bridge and little else. Beside them a barrier of MPI, which agrees on nothing.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille/couple.h"
#include "quadrille/discover.h"

static void must(qdr_status status) {
    if (status) give_up("%s: %s", qdr_status_text(status), qdr_error_message());
}

static void agree(void) {
    qdr_partners *partners = NULL;
    must(qdr_partners_from_sends(MPI_COMM_WORLD, 0, NULL, NULL, NULL, &partners));
    qdr_partners_destroy(&partners);
}

static qdr_program *program;
static qdr_coupling *coupling;
static qdr_coupled field = {.name = "f", .type = QDR_DOUBLE};
static int exports;

static void couple(int rank, int ranks) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    options.transport = "tcp";
    exports = rank < ranks / 2;
    must(qdr_program_create(MPI_COMM_WORLD, exports ? "left" : "right", 60, &program));
    must(qdr_coupling_create(program, exports ? "right" : "left", &options, &coupling));
    qdr_axis axis = {.extent = 1, .spread = QDR_BLOCK, .parts = exports ? ranks / 2 : ranks - ranks / 2};
    qdr_layout *layout;
    must(qdr_layout_regular(1, &axis, NULL, &layout));
    field.layout = layout;
}

static void open_stream(void) {
    qdr_stream *stream = NULL;
    must(qdr_stream_create(coupling, "s", exports, exports ? &field : NULL, !exports, exports ? NULL : &field,
                           NULL, &stream));
    must(qdr_stream_destroy(&stream));
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds of one of many in a row. */
static double time_of(void (*call)(void), int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = seconds_now();
    for (int i = 0; i < calls; i++) call();
    return 1e6 * (seconds_now() - begin) / calls;
}

int main(int argc, char **argv) {
    int rank, ranks, samples = 21, bridged = argc > 1 && !strcmp(argv[1], "--bridge");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == bridged + 3 && !strcmp(argv[bridged + 1], "--samples"))
        samples = atoi(argv[bridged + 2]);
    else if (argc > bridged + 1)
        give_up("expected: agree [--bridge] [--samples N]");
    if (samples < 1) give_up("--samples: expected at least 1");
    if (bridged && ranks < 2) give_up("--bridge: expected at least 2 ranks, half of them for each program");
    if (bridged) couple(rank, ranks);
    double *own = room((size_t)samples, sizeof *own), *other = room((size_t)samples, sizeof *other);
    void (*call)(void) = bridged ? open_stream : agree;
    int calls = time_of(call, 20) > 100 ? 100 : 2000;
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < samples; i++) {
        own[i] = time_of(call, calls);
        other[i] = time_of(barrier, calls);
    }
    qsort(own, (size_t)samples, sizeof *own, compare);
    qsort(other, (size_t)samples, sizeof *other, compare);
    if (rank == 0)
        printf("%d ranks: %s in %.2f us (%.2f to %.2f); a barrier %.2f us\n", ranks,
               bridged ? "opened and closed a stream" : "agreed", own[samples / 2], own[0], own[samples - 1],
               other[samples / 2]);
    if (bridged) {
        qdr_layout_destroy((qdr_layout **)&field.layout);
        must(qdr_coupling_destroy(&coupling));
        must(qdr_program_destroy(&program));
    }
    MPI_Finalize();
    return 0;
}
