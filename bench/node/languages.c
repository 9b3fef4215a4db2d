/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What other languages add: the exchange of a map with one double per vertex, called from C, from C++ and from Fortran, in turn, on
 * the same map and arrays.
 *
 *     mpirun -n 2 languages [--samples N] [--bar]
 *
 * Each rank has 2,000 vertices, and needs 500 that lie scattered over those of the next. With --bar the exit code is 1 where a
 * language takes more than 1.02 times the time of C. C++ is to take as long as C: 2% are noise.
 */
#include "languages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "quadrille/map.h"

enum { OWN = 2000, GHOSTS = 500 };

static void must(qdr_status status) {
    if (status) give_up("%s: %s", qdr_status_text(status), qdr_error_message());
}

static void exchange_in_c(void *state) {
    const language_halo *halo = state;
    qdr_field field = {.source = halo->x, .target = halo->x, .type = QDR_DOUBLE, .width = 1};
    must(qdr_map_exchange(halo->map, QDR_FORWARD, 1, &field));
}

static void make(language_halo *halo) {
    int rank, ranks, owner[GHOSTS];
    int64_t here[GHOSTS], there[GHOSTS];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < GHOSTS; i++) {
        owner[i] = (rank + 1) % ranks;
        here[i] = OWN + i;
        there[i] = (i * 4 + i % 3) % OWN;
    }
    qdr_indices needs = {.links = GHOSTS, .link_rank = owner, .place = here, .partner_place = there};
    halo->x = room(OWN + GHOSTS, sizeof *halo->x);
    must(qdr_map_create(MPI_COMM_WORLD, NULL, &needs, NULL, &halo->map));
}

int main(int argc, char **argv) {
    language_halo halo;
    measuring how = {.comm = MPI_COMM_WORLD, .samples = 201};
    int has_bar = 0, missed = 0, rank;
    const double bar = 1.02;
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--bar"))
            has_bar = 1;
        else if (!strcmp(argv[i], "--samples") && i + 1 < argc)
            how.samples = atoi(argv[++i]);
        else
            give_up("languages [--samples N] [--bar]");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make(&halo);
    subject subjects[] = {
        {.name = "C", .kind = OPPONENT, .run = exchange_in_c, .state = &halo},
        {.name = "C++", .kind = OURS, .run = exchange_in_cpp, .state = &halo},
#ifdef WITH_FORTRAN
        {.name = "Fortran", .kind = OURS, .run = exchange_in_fortran, .state = &halo},
#endif
    };
    measure(&how, subjects, COUNT(subjects));
    if (rank == 0) printf("%10s %12s %8s\n", "language", "[us]", "ratio");
    for (int i = 0; i < COUNT(subjects); i++) {
        double ratio = subjects[i].median / subjects[0].median;
        missed += ratio > bar;
        if (rank == 0)
            printf("%10s %12.3f %8.3f%s\n", subjects[i].name, 1e6 * subjects[i].median, ratio,
                   ratio > bar ? "  missed" : "");
    }
    must(qdr_map_destroy(&halo.map));
    free(halo.x);
    MPI_Finalize();
    return has_bar && missed;
}
