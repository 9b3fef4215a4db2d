/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen MACHINE [FAMILY [SIZE]]: what a plan begins with that nobody gave an algorithm, but the description of the machine, held
 * against all its candidates in simulated time. Patterns are complete, random and zipf, with messages of 8 bytes to 256 KiB;
 * FAMILY and SIZE choose among them. It prints a line for each: what was chosen, what was best, and what each candidate took. Of
 * exchanges of more than 16 MB, candidates that are predicted to take more than five times as long as the best are left out, which
 * would take hours to simulate. It fails when fewer than nine in ten of the chosen ones are within 1.15 of the best, or one is not
 * within 1.5.
 *
 *     scripts/sim 64 cm5 build-sim/tests/sim/chosen cm5
 */
#include <string.h>

#include "simulated.h"

enum { REUSE = 1000, MOST = 4 };

static const char *const families[] = {"complete", "random:density=0.1", "zipf:density=0.3"};
static const char *const sizes[] = {"8", "64", "512", "4Ki", "32Ki", "256Ki"};

/* What a plan begins with. */
static int chosen_for(const qdr_pattern *pattern, const qdr_machine *machine) {
    qdr_partners *partners;
    qdr_plan *plan;
    qdr_plan_info info;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    const char *name;
    int chosen = 0;
    options.machine = machine;
    options.reuse = REUSE;
    TRY(qdr_partners_from_pattern(MPI_COMM_WORLD, pattern, &partners));
    TRY(qdr_plan_create(partners, &options, &plan));
    TRY(qdr_plan_look(plan, &info));
    while ((name = qdr_auto_candidate(pattern, REUSE, chosen)) && strcmp(name, info.algorithm)) chosen++;
    TRY(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    return chosen;
}

static int has_many_bytes(const qdr_pattern *pattern) {
    const double many = 16e6;
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    return (double)statistics.items > many;
}

/* What paces itself finds its window in the first few exchanges; large ones find it in two, and of many ranks no more can be had. */
static double candidate_seconds(const qdr_pattern *pattern, const char *name) {
    enum { MANY = 100 };
    int learns = strcmp(name, "async") != 0, is_long = has_many_bytes(pattern) || ranks > MANY;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = name;
    return simulate(pattern, &options, NULL, !learns ? 1 : is_long ? 2 : 4, !learns || is_long ? 1 : 3);
}

/* By one rank for all, since they take turns at one processor. */
static void predict_all(const qdr_pattern *pattern, const qdr_machine *machine, double *seconds) {
    const char *name;
    for (int i = 0; rank == 0 && i < MOST && (name = qdr_auto_candidate(pattern, REUSE, i)); i++) {
        qdr_way way = {.algorithm = name};
        TRY(qdr_way_predict(pattern, &way, machine, 1, &seconds[i]));
    }
    MPI_Bcast(seconds, MOST, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static int is_simulated(const qdr_pattern *pattern, const double *predicted, int candidate) {
    const double far_off = 5;
    double least = predicted[0];
    for (int i = 1; i < MOST; i++)
        if (predicted[i] > 0 && predicted[i] < least) least = predicted[i];
    return !has_many_bytes(pattern) || predicted[candidate] <= far_off * least;
}

/* What the chosen one takes, in times of the best. */
static double try_all(const char *spec, const qdr_machine *machine) {
    qdr_pattern *pattern;
    const char *name;
    char line[300] = "";
    double predicted[MOST] = {0}, seconds[MOST] = {0}, least = INFINITY;
    int best = 0;
    TRY(qdr_pattern_from_spec(spec, &pattern));
    int chosen = chosen_for(pattern, machine);
    predict_all(pattern, machine, predicted);
    for (int i = 0; i < MOST && (name = qdr_auto_candidate(pattern, REUSE, i)); i++) {
        size_t used = strlen(line);
        if (is_simulated(pattern, predicted, i)) {
            seconds[i] = candidate_seconds(pattern, name);
            if (seconds[i] < least) least = seconds[best = i];
            snprintf(line + used, sizeof line - used, " %s %.1f", name, 1e6 * seconds[i]);
        } else {
            snprintf(line + used, sizeof line - used, " %s -", name);
        }
    }
    if (rank == 0) {
        printf("%-40s %-10s %-10s %6.3f ", spec, qdr_auto_candidate(pattern, REUSE, chosen),
               qdr_auto_candidate(pattern, REUSE, best), seconds[chosen] / least);
        printf("%s\n", line);
        fflush(stdout);
    }
    qdr_pattern_destroy(&pattern);
    return seconds[chosen] / least;
}

int main(int count, char **words) {
    qdr_machine *machine;
    char spec[200];
    int cases = 0, near = 0, wide = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    TRY(count < 2 || qdr_machine_create(words[1], ranks, &machine));
    if (rank == 0)
        printf("%-40s %-10s %-10s %6s  %s\n", words[1], "chosen", "best", "ratio", "microseconds of each");
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (count > 2 && strncmp(families[f], words[2], strlen(words[2])) != 0) continue;
            if (count > 3 && strcmp(sizes[s], words[3]) != 0) continue;
            snprintf(spec, sizeof spec, "%s%cn=%d,bytes=%s", families[f],
                     strchr(families[f], ':') ? ',' : ':', ranks, sizes[s]);
            double ratio = try_all(spec, machine);
            cases++;
            near += ratio <= 1.15;
            wide += ratio <= 1.5;
        }
    qdr_machine_destroy(&machine);
    MPI_Finalize();
    return cases == 0 || 10 * near < 9 * cases || wide < cases;
}
