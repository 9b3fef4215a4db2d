/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many phases does random scheduling take? NICE, section 3.3, expects d + log d on patterns where every
 * rank sends and receives d messages. Mean over many patterns and seeds, n = 64, beside the exact minimum,
 * which is d.
 *
 *     random_scheduling [SAMPLES]
 *
 * Exits with 1 when a mean is more than 5% off.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille.h"

static int64_t phases_of(const char *pattern_spec, const char *algorithm) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_schedule_info info = {0};
    if (qdr_pattern_from_spec(pattern_spec, &pattern) ||
        qdr_schedule_create(pattern, algorithm, NULL, &schedule) || qdr_schedule_look(schedule, &info)) {
        fprintf(stderr, "random_scheduling: %s\n", qdr_error_message());
        exit(2);
    }
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return info.phases;
}

int main(int count, char **argument) {
    int samples = count > 1 ? atoi(argument[1]) : 400, missed = 0;
    printf("phases on regular random patterns, n = 64, mean of %d\n", samples);
    printf("%6s %8s %12s %8s %10s\n", "degree", "random", "d + log2 d", "ratio", "coloring");
    for (int d = 4; d <= 32; d *= 2) {
        double random = 0, exact = 0, expected = d + log2(d);
        for (int seed = 1; seed <= samples; seed++) {
            char pattern[64], algorithm[32];
            snprintf(pattern, sizeof pattern, "random:n=64,degree=%d,seed=%d", d, seed);
            snprintf(algorithm, sizeof algorithm, "random:seed=%d", seed);
            random += (double)phases_of(pattern, algorithm) / samples;
            exact += (double)phases_of(pattern, "coloring") / samples;
        }
        printf("%6d %8.2f %12.2f %8.3f %10.2f\n", d, random, expected, random / expected, exact);
        missed |= fabs(random / expected - 1) > 0.05 || fabs(exact - d) > 1e-6;
    }
    return missed;
}
