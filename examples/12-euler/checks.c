/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three checks, each of which would find what the others miss. An even flow that stays even shows that the walls of every
 * cell are closed; about ghosts it says little, for there all points have the same state. Conservation shows that both
 * sides of a wall use the same flux. And what one rank alone finds, without any ghosts, shows that the map brings what is
 * needed.
 */
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_STEPS = 10 };

static void tell(const share *own, int is_good, const char *good, const char *bad) {
    if (own->rank == 0) printf("%s\n", is_good ? good : bad);
}

/* The differences as one sum: what is no number shows in it. */
qdr_status check_free_stream(const share *own, const mesh *all, rules rules, state *u, int *is_good) {
    double error = 0;
    history seen;
    if (rules.has_wall)
        rules.steps = CHECKED_STEPS; /* otherwise it is what was asked for, and all steps count */
    rules.has_wall = 0;
    qdr_status status = run_flow(own, all, &rules, u, &seen);
    for (int64_t p = 0; p < own->points; p++)
        for (int v = 0; v < VARIABLES; v++) error += fabs(u[p][v] - rules.far[v]);
    error = in_all(error, MPI_SUM, own) / (double)all->points;
    *is_good = error < 1e-12;
    tell(own, *is_good, "free stream: stays even", "free stream: DOES NOT STAY EVEN");
    if (own->rank == 0) fprintf(stderr, "free stream: error %.1e\n", error);
    return status;
}

/* Begins with ripples, so that something happens everywhere, at the far circle too. */
qdr_status check_conservation(const share *own, const mesh *all, rules rules, state *u, int *is_good) {
    history seen;
    state *before = room(own->places, sizeof *before);
    rules.has_one_clock = 1;
    rules.ripples = 0.1;
    rules.steps = CHECKED_STEPS;
    start_flow(own, &rules, before);
    qdr_status status = run_flow(own, all, &rules, u, &seen);
    *is_good = 1;
    for (int v = 0; v < VARIABLES; v++) {
        double change = 0, inside = 0;
        for (int64_t p = 0; p < own->points; p++) {
            double volume = all->volume[own->number[p]];
            change += volume * (u[p][v] - before[p][v]);
            inside += volume * fabs(u[p][v]);
        }
        double left = in_all(seen.through[v], MPI_SUM, own);
        change = in_all(change, MPI_SUM, own);
        inside = in_all(inside, MPI_SUM, own);
        if (own->rank == 0)
            fprintf(stderr, "conservation: %+.3e, left %+.3e, error %.1e of %.1e\n", change, left,
                    change + left, inside);
        *is_good = *is_good && fabs(change + left) < 1e-13 * inside;
    }
    tell(own, *is_good, "conservation: what is inside changes by what crosses the boundary",
         "conservation: SOMETHING APPEARS OR VANISHES");
    free(before);
    return status;
}

qdr_status check_alone(const mesh *all, const rules *rules, state *everything, int *is_good) {
    share alone;
    history seen;
    qdr_status status = take_share(MPI_COMM_SELF, all, rules->order, &alone);
    state *u = room(alone.places, sizeof *u);
    if (!status) status = run_flow(&alone, all, rules, u, &seen);
    *is_good = !status && memcmp(u, everything, (size_t)all->points * sizeof *u) == 0;
    tell(&alone, *is_good, "one rank alone: the same, bit for bit", "one rank alone: NOT THE SAME");
    release(&alone);
    free(u);
    return status;
}
