/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random scheduling: d + log2 d phases on regular patterns, no shared link on hypercube and mesh, less
 * variance inside the phases of random-split, the same schedule from the same seed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille.h"

static qdr_schedule *make(const char *pattern_spec, const char *algorithm, const char *machine_spec) {
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    qdr_schedule *schedule = NULL;
    if (qdr_pattern_from_spec(pattern_spec, &pattern) ||
        (machine_spec && qdr_machine_create(machine_spec, qdr_pattern_look(pattern).ranks, &machine)) ||
        qdr_schedule_create(pattern, algorithm, machine, &schedule) || qdr_schedule_check(schedule))
        fail_msg("%s -a %s: %s", pattern_spec, algorithm, qdr_error_message());
    qdr_pattern_destroy(&pattern);
    qdr_machine_destroy(&machine);
    return schedule;
}

static int64_t phases_of(const qdr_schedule *schedule) {
    qdr_schedule_info info = {0};
    assert_int_equal(qdr_schedule_look(schedule, &info), QDR_OK);
    return info.phases;
}

static void phases_are_d_plus_log_d(void **state) {
    (void)state;
    enum { SAMPLES = 60 };
    for (int d = 4; d <= 32; d *= 2) {
        double sum = 0, expected = d + log2(d);
        for (int seed = 1; seed <= SAMPLES; seed++) {
            char pattern[64], algorithm[32];
            snprintf(pattern, sizeof pattern, "random:n=64,degree=%d,seed=%d", d, seed);
            snprintf(algorithm, sizeof algorithm, "RS_N:seed=%d", seed);
            qdr_schedule *schedule = make(pattern, algorithm, NULL);
            sum += (double)phases_of(schedule);
            qdr_schedule_destroy(&schedule);
        }
        print_message("d = %2d: %.2f phases, d + log2 d = %.2f\n", d, sum / SAMPLES, expected);
        assert_true(fabs(sum / SAMPLES / expected - 1) < 0.05);
    }
}

/* Counts by itself, beside the checker: no directed link twice in a phase. */
static void no_link_is_shared(void **state) {
    (void)state;
    const char *machines[] = {"hypercube", "mesh", "ipsc860", "delta"};
    for (int i = 0; i < 4; i++)
        for (int seed = 1; seed <= 5; seed++) {
            char pattern[64], algorithm[32];
            qdr_machine *machine;
            qdr_step *steps;
            int64_t count, route[256];
            snprintf(pattern, sizeof pattern, "random:n=%d,density=0.%d,bytes=1..1K,seed=%d", 30 + seed,
                     1 + 2 * i, seed);
            snprintf(algorithm, sizeof algorithm, seed % 2 ? "RS_NL:seed=%d" : "RS_NLH:seed=%d", seed);
            qdr_schedule *schedule = make(pattern, algorithm, machines[i]);
            assert_int_equal(qdr_machine_create(machines[i], 30 + seed, &machine), QDR_OK);
            assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
            int64_t *last = malloc((size_t)qdr_machine_links(machine) * sizeof *last);
            memset(last, 0xff, (size_t)qdr_machine_links(machine) * sizeof *last);
            for (int64_t s = 0; s < count; s++) {
                int length = qdr_machine_route(machine, steps[s].from, steps[s].to, route);
                for (int k = 0; k < length; k++) {
                    assert_int_not_equal(last[route[k]], steps[s].phase);
                    last[route[k]] = steps[s].phase;
                }
            }
            free(last);
            free(steps);
            qdr_machine_destroy(&machine);
            qdr_schedule_destroy(&schedule);
        }
}

/* Mean over phases of the variance of the sizes inside. */
static double mean_variance(const qdr_schedule *schedule) {
    qdr_step *steps = NULL;
    int64_t count, phases = 0;
    double sum = 0;
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    for (int64_t i = 0, next; i < count; i = next, phases++) {
        double mean = 0, square = 0;
        for (next = i; next < count && steps[next].phase == steps[i].phase; next++) {
            mean += (double)steps[next].items;
            square += (double)steps[next].items * (double)steps[next].items;
        }
        mean /= (double)(next - i);
        sum += square / (double)(next - i) - mean * mean;
    }
    free(steps);
    return sum / (double)phases;
}

static void splitting_cuts_the_variance(void **state) {
    (void)state;
    const char *pattern = "random:n=64,degree=16,bytes=1..64K,seed=3",
               *limits[] = {"1", "0.75", "0.5", "0.25", "0.1"};
    double before = INFINITY;
    int64_t fewer = 0;
    for (int i = 0; i < 5; i++) {
        char algorithm[48];
        snprintf(algorithm, sizeof algorithm, "RS_NH:limit=%s", limits[i]);
        qdr_schedule *schedule = make(pattern, algorithm, NULL);
        double variance = mean_variance(schedule);
        print_message("limit %-4s: %3lld phases, deviation inside a phase %.0f\n", limits[i],
                      (long long)phases_of(schedule), sqrt(variance));
        assert_true(variance < before && phases_of(schedule) > fewer);
        before = variance;
        fewer = phases_of(schedule);
        qdr_schedule_destroy(&schedule);
    }
}

static void a_seed_is_a_schedule(void **state) {
    (void)state;
    char *text[3];
    const char *algorithm[] = {"RS_N:seed=5", "RS_N:seed=5", "RS_N:seed=6"};
    for (int i = 0; i < 3; i++) {
        size_t size;
        qdr_schedule *schedule = make("random:n=20,density=0.5,seed=2", algorithm[i], NULL);
        qdr_step *steps;
        int64_t count;
        assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
        FILE *stream = open_memstream(&text[i], &size);
        assert_int_equal(qdr_steps_write_text(count, steps, stream), QDR_OK);
        fclose(stream);
        free(steps);
        qdr_schedule_destroy(&schedule);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
    for (int i = 0; i < 3; i++) free(text[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_d_plus_log_d),
        cmocka_unit_test(no_link_is_shared),
        cmocka_unit_test(splitting_cuts_the_variance),
        cmocka_unit_test(a_seed_is_a_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
