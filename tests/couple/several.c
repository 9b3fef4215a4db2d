/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three programs, each coupled with both others and with itself, all at once: several [TRANSPORT DIRECTORY]. Every
 * coupling has a stream in either direction, and in each step everybody exports to all and imports from all. Ranks are
 * those of the programs in turn; three at least.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_expect.h"
#include "quadrille/couple.h"

enum { PROGRAMS = 3, ELEMENTS = 60, STEPS = 20 };

static const char *const names[PROGRAMS] = {"air", "ice", "sea"};
static int own, rank, ranks;
static qdr_program *program;
static qdr_coupling *coupling[PROGRAMS];
static qdr_stream *out[PROGRAMS], *in[PROGRAMS]; /* out[own] is in[own] too */
static qdr_layout *given, *wanted;

static double value(int from, int to, int64_t element, int step) {
    return (double)(element + 100 * from + 1000 * to + 10000 * step);
}

/* Dealt out in turn, `own + 1` at a time; wanted in blocks. */
static void open_layouts(void) {
    qdr_axis axis = {.extent = ELEMENTS, .spread = QDR_CYCLIC, .parts = ranks, .block = own + 1};
    FINE(qdr_layout_regular(1, &axis, NULL, &given));
    axis.spread = QDR_BLOCK;
    FINE(qdr_layout_regular(1, &axis, NULL, &wanted));
}

static void open_stream(int from, int to) {
    int other = from == own ? to : from;
    qdr_coupled exported = {.name = "field", .layout = given, .type = QDR_DOUBLE};
    qdr_coupled imported = {.name = "field", .layout = wanted, .type = QDR_DOUBLE};
    char name[20];
    snprintf(name, sizeof name, "%s-%s", names[from], names[to]);
    FINE(qdr_stream_create(coupling[other], name, from == own, &exported, to == own, &imported, NULL,
                           from == own ? &out[to] : &in[from]));
}

/* Everybody goes through the pairs in the same order; those that he is not in he leaves to others. */
static void open_couplings(const char *transport, const char *directory) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    options.directory = directory;
    options.deadline = 20;
    for (int a = 0; a < PROGRAMS; a++)
        for (int b = a; b < PROGRAMS; b++) {
            if (a != own && b != own) continue;
            int other = a == own ? b : a;
            options.transport = a == b ? NULL : transport;
            FINE(qdr_coupling_create(program, names[other], &options, &coupling[other]));
            if (!coupling[other]) return;
            open_stream(a, b);
            if (a != b) open_stream(b, a);
        }
}

static void step(int number) {
    double array[ELEMENTS];
    int64_t index, share, room;
    for (int to = 0; to < PROGRAMS; to++) {
        for (int64_t i = 0; i < ELEMENTS; i++)
            array[i] = qdr_layout_index(given, rank, i, &index) ? -1 : value(own, to, index, number);
        FINE(qdr_export(out[to], number, (const void *[]){array}));
    }
    for (int from = PROGRAMS - 1; from >= 0; from--) {
        FINE(qdr_import(from == own ? out[own] : in[from], number, QDR_EXACT, 0, (void *[]){array}, NULL));
        FINE(qdr_layout_share(wanted, rank, &share, &room));
        for (int64_t i = 0; i < share; i++) {
            FINE(qdr_layout_index(wanted, rank, i, &index));
            CHECK_SAYING(array[i] == value(from, own, index, number), "element %lld from %s at %d is %g",
                         (long long)index, names[from], number, array[i]);
        }
    }
}

int main(int argc, char **argv) {
    int world;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    own = world % PROGRAMS;
    FINE(qdr_program_create(MPI_COMM_WORLD, names[own], 20, &program));
    MPI_Comm_rank(qdr_program_comm(program), &rank);
    MPI_Comm_size(qdr_program_comm(program), &ranks);
    open_layouts();
    open_couplings(argc > 2 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
    for (int number = 1; number <= STEPS && !mpi_check_failures; number++) step(number);
    for (int other = 0; other < PROGRAMS; other++) {
        FINE(qdr_stream_destroy(&in[other]));
        FINE(qdr_stream_destroy(&out[other]));
        FINE(qdr_coupling_destroy(&coupling[other]));
    }
    qdr_layout_destroy(&given);
    qdr_layout_destroy(&wanted);
    FINE(qdr_program_destroy(&program));
    int failed = mpi_check_verdict();
    MPI_Finalize();
    return failed;
}
