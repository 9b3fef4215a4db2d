/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * predicted MACHINE: holds what a schedule is predicted to take on a machine against what the real executor takes on it in
 * simulated time, for each case of a table, and prints both. scripts/sim starts it on the same machine.
 *
 * The model of a prediction: transfers are whole, and one starts when both its ends are ready. Two ways of running come
 * near that. With a *barrier* after each phase, which is predicted too, all of it is held to the bars. *Loose* is pacing
 * by arrivals, with whole messages and a window of two. What that adds is not predicted: invitations, and that a rank
 * sends nothing before it has received what comes earlier. On complete exchanges and permutations it does not matter; on
 * sparse patterns it does, so these are told and not held to anything. So is `async` where links are shared: there, the
 * prediction counts transfers as if they met on their links and queued at their receivers too.
 *
 * All ranks begin at one and the same moment, and the last to end counts. The simulated barrier is one of messages, and
 * comes after the last phase too.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quadrille.h"
#include "quadrille-mpi.h"

static int rank, ranks;

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if (call) {                                                                                          \
            fprintf(stderr, "rank %d: %s: %s\n", rank, #call, qdr_error_message());                          \
            MPI_Abort(MPI_COMM_WORLD, 2);                                                                    \
        }                                                                                                    \
    } while (0)

typedef enum way { LOOSE, BARRIER } way;
static const char *const way_words[] = {"loose", "barrier"};

typedef enum bar { HELD, HELD_WITHOUT_LINKS, TOLD } bar;
static const double bar_alone = 0.15, bar_sharing = 0.35; /* where no link is shared, and where one is */

typedef struct sample {
    const char *pattern; /* %d: ranks */
    const char *algorithm;
    way way;
    bar bar;
} sample;

static const sample samples[] = {
    {"permutation:n=%d,bytes=1M", "coloring", LOOSE, HELD},
    {"shift:n=%d,by=3,bytes=1M", "pairwise", LOOSE, HELD},
    {"halo2d:n=%d,bytes=64", "coloring", BARRIER, HELD},
    {"zipf:n=%d,bytes=64K", "coloring", BARRIER, HELD},
    {"random:n=%d,density=0.3,bytes=4K..64K", "split", BARRIER, HELD},
    {"random:n=%d,density=0.3,bytes=4K", "random", BARRIER, HELD},
    {"alltoone:n=%d,bytes=1M", "async", LOOSE, HELD_WITHOUT_LINKS},
    {"hotspot:n=%d,hot=2,bytes=64K", "coloring", BARRIER, HELD},
    {"complete:n=%d,bytes=256K", "pairwise", LOOSE, HELD},
    {"complete:n=%d,bytes=4K", "pairwise", BARRIER, HELD},
    {"random:n=%d,density=0.3,bytes=4K..64K", "random-split", BARRIER, HELD},
    {"random:n=%d,density=0.3,bytes=1M", "greedy", BARRIER, HELD},
    {"random:n=%d,density=0.3,bytes=1M", "async", LOOSE, HELD_WITHOUT_LINKS},
    {"random:n=%d,density=0.3,bytes=1M", "coloring", LOOSE, TOLD},
    {"random:n=%d,density=0.3,bytes=1M", "greedy", LOOSE, TOLD},
};
enum { SAMPLES = sizeof samples / sizeof *samples, SAMPLES_OF_MANY = 7, MANY = 32 };

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

static int64_t sum(const int64_t *item, int count, int64_t *largest) {
    int64_t total = 0;
    for (int i = 0; i < count; i++) {
        total += item[i];
        if (item[i] > *largest) *largest = item[i];
    }
    return total;
}

static double simulate(const qdr_pattern *pattern, const qdr_schedule *schedule, way way) {
    qdr_partners *partners;
    qdr_plan *plan;
    TRY(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners));
    qdr_partners_view view = qdr_partners_look(partners);
    int64_t largest = 1, most;
    int64_t out = sum(view.send_items, view.sends, &largest);
    int64_t in = sum(view.receive_items, view.receives, &largest);
    MPI_Allreduce(&largest, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.pacing = way == BARRIER ? "free" : "arrivals";
    options.barrier = way == BARRIER;
    options.chunk = most;
    options.window = 2 * most;
    TRY(qdr_plan_create_scheduled(partners, schedule, &options, &plan));
    qdr_buffers buffers = {0};
    buffers.item_bytes = 1;
    char *from = calloc((size_t)out + 1, 1), *to = calloc((size_t)in + 1, 1);
    buffers.outgoing_base = from;
    buffers.incoming_base = to;
    run(plan, &buffers);
    double seconds = run(plan, &buffers);
    TRY(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    free(from);
    free(to);
    return seconds;
}

/* Whether the case keeps to its bar. */
static int judge(const sample *sample, const qdr_prediction *prediction, double ratio) {
    double shared = prediction->max_link_load > 1;
    int held = sample->bar == HELD || (sample->bar == HELD_WITHOUT_LINKS && !shared);
    int good = fabs(ratio - 1) <= (shared ? bar_sharing : bar_alone);
    if (rank == 0) printf("  %s\n", !held ? "not held" : good ? "good" : "NOT GOOD");
    return good || !held;
}

static int compare(const sample *sample, const qdr_machine *machine) {
    char spec[200];
    qdr_pattern *pattern;
    qdr_schedule *schedule;
    qdr_prediction prediction;
    snprintf(spec, sizeof spec, sample->pattern, ranks);
    TRY(qdr_pattern_from_spec(spec, &pattern));
    TRY(qdr_schedule_create(pattern, sample->algorithm, machine, &schedule));
    TRY(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction));
    double predicted = sample->way == LOOSE ? prediction.seconds
                                            : prediction.barrier_seconds + qdr_machine_look(machine)->barrier;
    double simulated = simulate(pattern, schedule, sample->way);
    if (rank == 0)
        printf("%-42s %-13s %-7s %5.2f %11.1f %11.1f %6.3f", spec, sample->algorithm, way_words[sample->way],
               prediction.max_link_load, 1e6 * predicted, 1e6 * simulated, simulated / predicted);
    int good = judge(sample, &prediction, simulated / predicted);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return good;
}

int main(int count, char **words) {
    qdr_machine *machine;
    int bad = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    TRY(count < 2 || qdr_machine_create(words[1], ranks, &machine));
    if (rank == 0)
        printf("%-42s %-13s %-7s %5s %11s %11s %6s\n", words[1], "algorithm", "way", "load", "predicted",
               "simulated", "ratio");
    for (int i = 0; i < (ranks > MANY ? SAMPLES_OF_MANY : SAMPLES); i++)
        bad += !compare(&samples[i], machine);
    qdr_machine_destroy(&machine);
    MPI_Finalize();
    return bad > 0;
}
