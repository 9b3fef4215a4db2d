/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow of air around an airfoil: a solver of the Euler equations on an unstructured mesh.
 *
 *     mpirun -n 4 12-euler [POINTS] [--steps N] [--mach M] [--alpha DEGREES] [--free-stream] [--first-order]
 *                          [--pattern FILE.mtx] [--picture FILE.svg] [--time]
 *
 * A whole program, and how little of it is communication: one call makes the map of the ghosts (share.c), one call per
 * stage brings their states (flow.c). What that exchange is for a network can be seen from the map: --pattern writes it
 * as a matrix, for `quadrille compare FILE.mtx -m cm5` and the other subcommands. "Scheduling Regular and Irregular
 * Communication Patterns on the CM-5" has such matrices of an Euler solver on 545, 2K, 3K and 9K points (table 12).
 *
 * A solver should be able to say that it is right. This one checks three things (checks.c), and fails if one is
 * not so:
 *
 *     free stream    without the airfoil, an even flow stays even
 *     conservation   what is inside changes by what crosses the boundary, and by nothing else
 *     alone          all ranks together find what one rank alone finds, bit for bit
 *
 * What depends on the number of ranks goes to the standard error, and so does what differs from run to run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "flow.h"
#include "picture.h"

enum { DEFAULT_POINTS = 545, DEFAULT_STEPS = 300 };

typedef struct task {
    int64_t points, steps;
    double mach, alpha; /* in degrees */
    int is_free_stream, order, is_timed;
    const char *pattern, *picture;
} task;

/* ---- results ------------------------------------------------------------------------------------------- */

static void print_flow(const mesh *all, const task *task, const rules *rules, state *u, const history *seen) {
    double force[2] = {0, 0}, fastest = 0, turn = task->alpha * acos(-1) / 180, far[VARIABLES], w[VARIABLES];
    double push = task->mach * task->mach / 2; /* of the flow, on a chord of 1 */
    to_primitive(rules->far, far);
    for (int64_t p = 0; p < all->points; p++) {
        to_primitive(u[p], w);
        for (int k = 0; k < 2 && p < all->wall; k++) force[k] += (w[3] - far[3]) * all->outward[p][k];
        fastest = fmax(fastest, mach_number(u[p]));
    }
    printf("residual: falls by %.1f powers of ten\n", log10(seen->first / seen->last));
    printf("lift coefficient %.3f, drag coefficient %.3f, largest Mach number %.2f\n",
           (force[1] * cos(turn) - force[0] * sin(turn)) / push,
           (force[0] * cos(turn) + force[1] * sin(turn)) / push, fastest);
}

static int write_pattern(const char *path, const qdr_pattern *pattern) {
    FILE *file = fopen(path, "w");
    int is_written = file && !qdr_pattern_write(pattern, file);
    if (file) is_written = !fclose(file) && is_written;
    return is_written;
}

/* The columns of table 12, and the pattern itself if it is asked for. */
static qdr_status print_pattern(const task *task, const share *own, int *is_written) {
    qdr_pattern *pattern = NULL;
    qdr_pattern_statistics statistics;
    qdr_status status = find_pattern(own, &pattern);
    if (!status && own->rank == 0) {
        qdr_pattern_measure(pattern, &statistics);
        fprintf(stderr, "points  ranks  partners  density  bytes per message\n");
        fprintf(stderr, "%6" PRId64 "  %5d  %8" PRId64 "  %6.0f%%  %17.0f\n", task->points, own->ranks,
                statistics.degree, 100 * statistics.density, statistics.mean);
        if (task->pattern) *is_written = write_pattern(task->pattern, pattern);
        if (!*is_written) fprintf(stderr, "%s cannot be written\n", task->pattern);
    }
    qdr_pattern_destroy(&pattern);
    return status;
}

static void print_times(const share *own, const rules *rules, const history *seen) {
    double stages = 2 * (double)rules->steps;
    double all = in_all(seen->seconds, MPI_MAX, own), exchange = in_all(seen->exchanging, MPI_SUM, own);
    double sum = in_all(seen->summing, MPI_SUM, own), ranks = own->ranks;
    if (own->rank == 0)
        printf("%.1f us per stage; of these, in the mean of all ranks, exchange %.1f and sum %.1f\n",
               1e6 * all / stages, 1e6 * exchange / stages / ranks, 1e6 * sum / stages / ranks);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static rules make_rules(const task *task) {
    double turn = task->alpha * acos(-1) / 180;
    double far[] = {1, task->mach * cos(turn), task->mach * sin(turn), 1 / 1.4}; /* sound has speed 1 */
    rules rules = {.has_wall = !task->is_free_stream, .order = task->order, .steps = task->steps};
    to_state(far, rules.far);
    return rules;
}

/* What rank 0 does with the flow that all have found. */
static qdr_status judge(const task *task, const mesh *all, const rules *rules, state *u, const history *seen,
                        int *is_good) {
    qdr_status status = check_alone(all, rules, u, is_good);
    print_flow(all, task, rules, u, seen);
    if (task->picture && !draw_flow(task->picture, all, u, task->mach, task->alpha)) {
        fprintf(stderr, "%s cannot be written\n", task->picture);
        *is_good = 0;
    }
    return status;
}

static int run(const task *task) {
    mesh all = make_mesh(task->points);
    rules rules = make_rules(task);
    share own;
    history seen = {0};
    int is_written = 1, is_even = 0, is_conserved = 0, is_right = 1;
    qdr_status status = take_share(MPI_COMM_WORLD, &all, task->order, &own);
    state *u = room(own.places, sizeof *u), *everything = NULL;
    if (own.rank == 0) everything = room(all.points, sizeof *everything);
    if (own.rank == 0) printf("%" PRId64 " points, %" PRId64 " edges\n", all.points, all.edges);
    if (!status) status = print_pattern(task, &own, &is_written);
    if (!status) status = check_free_stream(&own, &all, rules, u, &is_even);
    if (!status) status = check_conservation(&own, &all, rules, u, &is_conserved);
    if (!status) status = run_flow(&own, &all, &rules, u, &seen);
    if (!status) status = collect(&own, &all, u, everything);
    if (!status && task->is_timed) print_times(&own, &rules, &seen);
    if (!status && own.rank == 0) status = judge(task, &all, &rules, everything, &seen, &is_right);
    if (status) fprintf(stderr, "%s: %s\n", qdr_status_text(status), qdr_error_message());
    release(&own);
    free_mesh(&all);
    free(u);
    free(everything);
    return !status && is_written && is_even && is_conserved && is_right;
}

/* 0: a word that is not known, or a number that is not one. */
static int read_words(int count, char **words, task *task) {
    *task = (struct task){DEFAULT_POINTS, DEFAULT_STEPS, 0.8, 1.25, 0, 2, 0, NULL, NULL};
    for (int i = 1; i < count; i++) {
        const char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL;
        char *end = "";
        if (!strcmp(word, "--free-stream"))
            task->is_free_stream = 1;
        else if (!strcmp(word, "--first-order"))
            task->order = 1;
        else if (!strcmp(word, "--time"))
            task->is_timed = 1;
        else if (word[0] != '-')
            task->points = strtoll(word, &end, 10);
        else if (!next)
            return 0;
        else if (!strcmp(word, "--steps"))
            task->steps = strtoll(words[++i], &end, 10);
        else if (!strcmp(word, "--mach"))
            task->mach = strtod(words[++i], &end);
        else if (!strcmp(word, "--alpha"))
            task->alpha = strtod(words[++i], &end);
        else if (!strcmp(word, "--pattern"))
            task->pattern = words[++i];
        else if (!strcmp(word, "--picture"))
            task->picture = words[++i];
        else
            return 0;
        if (*end) return 0;
    }
    return task->points >= FEWEST_POINTS && task->points <= MOST_POINTS && task->steps >= 1 &&
           task->mach > 0 && task->mach < 5 && fabs(task->alpha) <= 20;
}

int main(int count, char **words) {
    int rank;
    task task;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int good = read_words(count, words, &task);
    if (!good && rank == 0)
        fprintf(stderr,
                "expected [POINTS (at least %d)] [--steps N] [--mach M] [--alpha DEGREES] [--free-stream] "
                "[--first-order] [--pattern FILE] [--picture FILE] [--time]\n",
                FEWEST_POINTS);
    if (good) good = run(&task);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
