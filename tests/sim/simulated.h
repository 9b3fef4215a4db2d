/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange takes in simulated time, for programs that hold predictions against it. All ranks begin at one and the same
 * moment, and the last to end counts.
 */
#ifndef SIMULATED_H
#define SIMULATED_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "quadrille-mpi.h"
#include "quadrille.h"

static int rank, ranks;

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if (call) {                                                                                          \
            fprintf(stderr, "rank %d: %s: %s\n", rank, #call, qdr_error_message());                          \
            MPI_Abort(MPI_COMM_WORLD, 2);                                                                    \
        }                                                                                                    \
    } while (0)

/* One moment for all, a little ahead. */
static double begin_together(void) {
    double mine = MPI_Wtime(), last;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double start = last + 1, wait = start - MPI_Wtime();
    struct timespec time = {(time_t)wait, (long)(1e9 * (wait - floor(wait)))};
    nanosleep(&time, NULL);
    return start;
}

static double run(qdr_plan *plan, const qdr_buffers *buffers) {
    double start = begin_together(), end, last;
    TRY(qdr_plan_exchange(plan, buffers));
    end = MPI_Wtime();
    MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - start;
}

static int64_t sum(const int64_t *item, int count) {
    int64_t total = 0;
    for (int i = 0; i < count; i++) total += item[i];
    return total;
}

static int by_size(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The median of `then` exchanges after `first` others, of a plan by these options; of a schedule, unless it is NULL. */
__attribute__((unused)) static double simulate(const qdr_pattern *pattern, const qdr_plan_options *options,
                                               const qdr_schedule *schedule, int first, int then) {
    qdr_partners *partners;
    qdr_plan *plan;
    TRY(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners));
    qdr_partners_view view = qdr_partners_look(partners);
    if (schedule)
        TRY(qdr_plan_create_scheduled(partners, schedule, options, &plan));
    else
        TRY(qdr_plan_create(partners, options, &plan));
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    char *from = SMPI_SHARED_MALLOC((size_t)sum(view.send_items, view.sends) + 1);
    char *to = SMPI_SHARED_MALLOC((size_t)sum(view.receive_items, view.receives) + 1);
    buffers.outgoing_base = from;
    buffers.incoming_base = to;
    double *seconds = calloc((size_t)then, sizeof *seconds);
    for (int i = 0; i < first; i++) run(plan, &buffers);
    for (int i = 0; i < then; i++) seconds[i] = run(plan, &buffers);
    qsort(seconds, (size_t)then, sizeof *seconds, by_size);
    double median = seconds[then / 2];
    TRY(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    SMPI_SHARED_FREE(from);
    SMPI_SHARED_FREE(to);
    free(seconds);
    return median;
}

#endif
