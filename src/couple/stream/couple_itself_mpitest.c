/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistribution inside one program, with messages that are long between any two ranks: the runs that a rank owns before
 * and after follow from a shuffle, so that every rank has thousands of elements for every other. By every way to build.
 */
#include "mpi_expect.h"

#include <stdlib.h>

#include "quadrille/couple.h"

enum { EACH = 6000 }; /* elements for each pair of ranks */

static int rank, ranks;

/* Element e is owned by one rank before, by another after: all pairs have equally many. */
static int owner(int64_t e, int after) {
    return (int)(after ? e / ranks % ranks : e % ranks);
}

static qdr_layout *make_layout(int64_t elements, int after, int64_t *owned, int64_t **element) {
    qdr_layout *layout = NULL;
    *owned = 0;
    *element = malloc((size_t)elements * sizeof **element);
    /* Backwards after: places are not in the order of elements. */
    for (int64_t i = 0; i < elements; i++) {
        int64_t e = after ? elements - 1 - i : i;
        if (owner(e, after) == rank) (*element)[(*owned)++] = e;
    }
    FINE(qdr_layout_runs(1, &elements, *owned, *element, NULL, &layout));
    return layout;
}

static void redistribute(qdr_coupling *coupling, const char *computes, const char *back) {
    int64_t elements = (int64_t)EACH * ranks * ranks, owned[2], *element[2];
    qdr_layout *layout[2];
    for (int after = 0; after < 2; after++)
        layout[after] = make_layout(elements, after, &owned[after], &element[after]);
    qdr_coupled from = {.name = "x", .layout = layout[0], .type = QDR_INT64}, to = from;
    to.layout = layout[1];
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    options.computes = computes;
    options.back = back;
    qdr_stream *stream = NULL;
    FINE(qdr_stream_create(coupling, "s", 1, &from, 1, &to, &options, &stream));
    int64_t *got = calloc((size_t)owned[1] + 1, sizeof *got), wrong = 0;
    const void *out[] = {element[0]};
    void *in[] = {got};
    if (stream) {
        FINE(qdr_export(stream, 0, out));
        FINE(qdr_import(stream, 0, QDR_EXACT, 0, in, NULL));
        FINE(qdr_stream_destroy(&stream));
    }
    for (int64_t i = 0; i < owned[1]; i++) wrong += got[i] != element[1][i];
    CHECK_SAYING(wrong == 0, "%s, back %s: %lld of %lld elements are wrong", computes, back, (long long)wrong,
                 (long long)owned[1]);
    free(got);
    for (int after = 0; after < 2; after++) {
        free(element[after]);
        qdr_layout_destroy(&layout[after]);
    }
}

int main(int argc, char **argv) {
    static const char *const computes[] = {"both", "exporter", "importer", "deref"}, *const back[] = {"all",
                                                                                                      "one"};
    qdr_program *program = NULL;
    qdr_coupling *coupling = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    FINE(qdr_program_create(MPI_COMM_WORLD, "alone", 20, &program));
    FINE(qdr_coupling_create(program, "alone", NULL, &coupling));
    for (int i = 0; coupling && i < 4; i++)
        for (int k = 0; k < 2; k++) redistribute(coupling, computes[i], back[k]);
    FINE(qdr_coupling_destroy(&coupling));
    FINE(qdr_program_destroy(&program));
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
