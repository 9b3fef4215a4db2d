/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges behind computations: what lies there when a process has computed, and looks again, is not late.
 *
 *     scripts/cluster with 8 -- build/bench/cluster/behind BYTES MILLISECONDS LOOKS ALGORITHM [PACING]
 *
 * Each rank has so many bytes for each other one. Some exchanges are waited for at once; then some run while the ranks
 * compute, and look at them so many times in between; then some are waited for at once again. Prints the medians and the least
 * window of a rank after each kind, and exits with 1 when the last are slower than the first by more than the bar, or when their windows are
 * smaller.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "quadrille-mpi.h"

enum { KINDS = 3, TIMES = 5 };
static const char *const kind_name[KINDS] = {"waited for", "behind computations", "waited for again"};
static const double slower = 1.08,
                    smaller = 0.7; /* windows differ by some percent from exchange to exchange */

static double window; /* of this rank, as last heard */

static void see(void *context, const qdr_event *event) {
    (void)context;
    if (event->kind == QDR_EVENT_WINDOW) window = (double)event->bytes;
}

static void must(qdr_status status) {
    if (!status) return;
    fprintf(stderr, "behind: %s: %s\n", qdr_status_text(status), qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double largest(double own) {
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void compute(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static qdr_plan *make_plan(int ranks, int rank, int64_t bytes, const char *algorithm, const char *pacing) {
    int *other = malloc((size_t)ranks * sizeof *other);
    int64_t *items = malloc((size_t)ranks * sizeof *items);
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_partners *partners;
    qdr_plan *plan;
    for (int i = 1; i < ranks; i++) {
        other[i - 1] = (rank + i) % ranks;
        items[i - 1] = bytes;
    }
    options.algorithm = algorithm;
    options.pacing = pacing;
    options.trace = see;
    must(qdr_partners_from_both(MPI_COMM_WORLD, ranks - 1, other, items, ranks - 1, other, items, 1,
                                &partners));
    must(qdr_plan_create(partners, &options, &plan));
    qdr_partners_destroy(&partners);
    free(other);
    free(items);
    return plan;
}

/* Seconds of the slowest rank. */
static double run(qdr_plan *plan, const qdr_buffers *buffers, double seconds, int looks) {
    qdr_pending *exchange;
    int done = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    must(qdr_plan_start(plan, buffers, &exchange));
    for (int i = 0; i < looks && !done; i++) {
        compute(seconds);
        must(qdr_test(&exchange, &done));
    }
    if (!done) must(qdr_wait(&exchange));
    return largest(MPI_Wtime() - begin);
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 5 || ranks < 2) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: behind BYTES MILLISECONDS LOOKS ALGORITHM [PACING], on two ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int64_t bytes = atoll(words[1]);
    double seconds = 1e-3 * atof(words[2]), median[KINDS], least[KINDS];
    qdr_plan *plan = make_plan(ranks, rank, bytes, words[4], count > 5 ? words[5] : NULL);
    char *out = calloc((size_t)ranks, (size_t)bytes), *in = calloc((size_t)ranks, (size_t)bytes);
    qdr_buffers buffers = {.item_bytes = 1, .outgoing_base = out, .incoming_base = in};
    for (int kind = 0; kind < KINDS; kind++) {
        double taken[TIMES];
        for (int i = 0; i < TIMES; i++)
            taken[i] = run(plan, &buffers, seconds, kind == 1 ? atoi(words[3]) : 0);
        qsort(taken, TIMES, sizeof *taken, compare);
        median[kind] = taken[TIMES / 2];
        least[kind] = -largest(-window);
        if (rank == 0)
            printf("%-20s %8.1f ms, windows of %.0f bytes and more\n", kind_name[kind], 1e3 * median[kind],
                   least[kind]);
    }
    int is_missed = median[2] > slower * median[0] || least[2] < smaller * least[0];
    if (rank == 0) printf("%.2f times as long as before; the bar is %.2f\n", median[2] / median[0], slower);
    must(qdr_plan_destroy(&plan));
    free(out);
    free(in);
    MPI_Finalize();
    return is_missed;
}
