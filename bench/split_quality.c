/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How near does `split` come to the bound? Its makespan over the sound bound of direct schedules, for the
 * corpus of bench/corpus.h on three full-duplex machines, and over the best other direct algorithm.
 *
 *     split_quality [--ranks MOST] [FILE.mtx ...]
 *
 * MOST leaves out larger patterns; files join the corpus. Exits with 1 when a bar is missed: at most 1.05
 * times the bound on 95% of the cases and 1.25 on all, and nowhere more than 2% above the best other direct
 * algorithm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corpus.h"
#include "quadrille.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef struct tally {
    double *ratio; /* to the bound */
    int cases, capacity, patterns, beaten;
    double worst_beaten; /* over the best other */
    double seconds;      /* building split */
} tally;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "split_quality: %s: %s\n", what, qdr_error_message());
    exit(2);
}

static double makespan(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine) {
    qdr_schedule *schedule = NULL;
    qdr_prediction prediction = {0};
    if (qdr_schedule_create(pattern, algorithm, machine, &schedule) ||
        qdr_schedule_predict(schedule, machine, 1, NULL, &prediction))
        give_up(algorithm);
    qdr_schedule_destroy(&schedule);
    return prediction.seconds;
}

/* Every other algorithm of the table that is direct, built beforehand, and lets a rank send one message at a time. */
static double best_other(const qdr_pattern *pattern, const qdr_machine *machine, const char **name) {
    const qdr_algorithm_info *info;
    double best = 0;
    for (int i = 0; (info = qdr_algorithm(i)); i++) {
        if (!info->direct || !(info->promises & QDR_PROMISES_PERMUTATION) || !strcmp(info->name, "split"))
            continue;
        double time = makespan(pattern, info->name, machine);
        if (*name && time >= best) continue;
        best = time;
        *name = info->name;
    }
    return best;
}

static void judge(const qdr_pattern *pattern, const char *name, const char *machine_spec, tally *t) {
    qdr_machine *machine = NULL;
    qdr_bounds bounds = {0};
    const char *other = NULL;
    if (qdr_machine_create(machine_spec, qdr_pattern_look(pattern).ranks, &machine) ||
        qdr_bounds_compute(pattern, machine, 1, &bounds))
        give_up(name);
    double begin = now(), time = makespan(pattern, "split", machine);
    t->seconds += now() - begin;
    double best = best_other(pattern, machine, &other), ratio = bounds.direct > 0 ? time / bounds.direct : 1;
    double over = best > 0 ? time / best : 1;
    if (t->cases == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->ratio = realloc(t->ratio, (size_t)t->capacity * sizeof *t->ratio);
        if (!t->ratio) exit(2);
    }
    t->ratio[t->cases++] = ratio;
    if (over > t->worst_beaten) t->worst_beaten = over;
    t->beaten += over > 1.02;
    if (ratio > 1.05 || over > 1.02)
        printf("%8.4f of the bound, %.4f of %s: %s on %s\n", ratio, over, other, name, machine_spec);
    qdr_machine_destroy(&machine);
}

static void judge_pattern(qdr_pattern *pattern, const char *name, int most, tally *t) {
    if (qdr_pattern_look(pattern).ranks <= most) {
        t->patterns++;
        for (int m = 0; m < COUNT(corpus_machines); m++) judge(pattern, name, corpus_machines[m], t);
    }
    qdr_pattern_destroy(&pattern);
}

static void judge_spec(const char *spec, int most, tally *t) {
    qdr_pattern *pattern = NULL;
    if (qdr_pattern_from_spec(spec, &pattern)) give_up(spec);
    judge_pattern(pattern, spec, most, t);
}

static void judge_file(const char *path, int most, tally *t) {
    qdr_pattern *pattern = NULL;
    FILE *stream = fopen(path, "r");
    if (!stream) {
        perror(path);
        exit(2);
    }
    if (qdr_pattern_read(stream, path, 0, &pattern)) give_up(path);
    fclose(stream);
    judge_pattern(pattern, path, most, t);
}

static int compare_ratios(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int report(tally *t) {
    qsort(t->ratio, (size_t)t->cases, sizeof *t->ratio, compare_ratios);
    double at_95 = t->ratio[(t->cases - 1) * 95 / 100], worst = t->ratio[t->cases - 1];
    printf("split, %d patterns x %d machines, time / bound: median %.4f, 90%% %.4f, 95%% %.4f, 99%% %.4f, "
           "all %.4f\n",
           t->patterns, COUNT(corpus_machines), t->ratio[t->cases / 2], t->ratio[(t->cases - 1) * 9 / 10],
           at_95, t->ratio[(t->cases - 1) * 99 / 100], worst);
    printf("over the best other direct algorithm: at most %.4f; more than 2%% above it in %d cases; built in "
           "%.1f s\n",
           t->worst_beaten, t->beaten, t->seconds);
    return at_95 > 1.05 || worst > 1.25 || t->beaten > 0;
}

int main(int count, char **argument) {
    tally t = {.ratio = NULL};
    int most = 512, first = 1;
    if (count > 2 && !strcmp(argument[1], "--ranks")) {
        most = atoi(argument[2]);
        first = 3;
    }
    for (int p = 0; p < COUNT(corpus_patterns); p++)
        for (int r = 0; r < COUNT(corpus_ranks); r++) {
            char spec[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(spec, sizeof spec, corpus_patterns[p], corpus_ranks[r]);
#pragma GCC diagnostic pop
            if (corpus_ranks[r] <= most) judge_spec(spec, most, &t);
        }
    for (int p = 0; p < COUNT(corpus_fixed); p++) judge_spec(corpus_fixed[p], most, &t);
    for (int i = first; i < count; i++) judge_file(argument[i], most, &t);
    int missed = report(&t);
    free(t.ratio);
    return missed;
}
