/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split: at the bound where that is easy, cuts where only cuts help, refuses what its arithmetic cannot hold,
 * and stays quick on hubs. Its quality on a corpus of patterns is bench/split_quality.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille.h"
#include "light.h"

static qdr_schedule *make(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine) {
    qdr_schedule *schedule = NULL;
    if (qdr_schedule_create(pattern, algorithm, machine, &schedule) || qdr_schedule_check(schedule))
        fail_msg("%s: %s", algorithm, qdr_error_message());
    return schedule;
}

static double ratio_to_bound(const qdr_pattern *pattern, const char *algorithm, const char *machine_spec) {
    qdr_machine *machine = NULL;
    qdr_bounds bounds = {0};
    qdr_prediction prediction = {0};
    if (qdr_machine_create(machine_spec, qdr_pattern_look(pattern).ranks, &machine))
        fail_msg("%s", qdr_error_message());
    qdr_schedule *schedule = make(pattern, algorithm, machine);
    assert_int_equal(qdr_bounds_compute(pattern, machine, 1, &bounds), QDR_OK);
    assert_int_equal(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction), QDR_OK);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    return prediction.seconds / bounds.direct;
}

static double ratio_of_spec(const char *pattern_spec, const char *machine_spec) {
    qdr_pattern *pattern = NULL;
    if (qdr_pattern_from_spec(pattern_spec, &pattern)) fail_msg("%s", qdr_error_message());
    double ratio = ratio_to_bound(pattern, "split", machine_spec);
    qdr_pattern_destroy(&pattern);
    return ratio;
}

static void easy_ones_are_exact(void **state) {
    (void)state;
    const char *patterns[] = {"complete:n=16,bytes=1000",  "complete:n=17,bytes=1000",
                              "random:n=50,degree=9",      "halo3d:n=100,corners",
                              "alltoone:n=40,bytes=1..1M", "permutation:n=30,bytes=1..1M"};
    for (int i = 0; i < 6; i++) {
        double ratio = ratio_of_spec(patterns[i], "crossbar:sends=synchronous,tau=10us,mu=1ns");
        if (ratio > 1.0011) fail_msg("%s: %g times the bound", patterns[i], ratio);
    }
}

/* Half and paired ports have bounds of their own; latencies and packets are part of the time. */
static void other_machines(void **state) {
    (void)state;
    const char *machines[] = {"crossbar:ports=half,sends=synchronous,tau=10us,mu=1ns",
                              "crossbar:ports=paired,sends=synchronous,tau=10us,mu=1ns", "cm5", "grid"};
    for (int i = 0; i < 4; i++) {
        double ratio = ratio_of_spec("random:n=64,density=0.3,bytes=1K..100K,seed=4", machines[i]);
        print_message("%s: %.3f times the bound\n", machines[i], ratio);
        if (ratio > 1.6) fail_msg("%s: %g times the bound", machines[i], ratio);
    }
}

/* Few ranks, sizes that vary: the whole messages do not fit together, pieces do. */
static void cuts_help(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    int helped = 0;
    for (int seed = 1; seed <= light_or(4, 10); seed++) {
        char spec[64];
        snprintf(spec, sizeof spec, "complete:n=%d,bytes=1..50K,seed=%d", 4 + seed, seed);
        assert_int_equal(qdr_pattern_from_spec(spec, &pattern), QDR_OK);
        double whole = ratio_to_bound(pattern, "split:cut=no", "crossbar:sends=synchronous,tau=1us,mu=1ns");
        double cut = ratio_to_bound(pattern, "split", "crossbar:sends=synchronous,tau=1us,mu=1ns");
        print_message("%s: whole %.4f, cut %.4f times the bound\n", spec, whole, cut);
        assert_true(cut <= whole + 1e-9);
        helped += cut < 0.995 * whole;
        qdr_pattern_destroy(&pattern);
    }
    assert_true(helped > 0);
}

static void too_much_is_refused(void **state) {
    (void)state;
    const qdr_message huge = {0, 1, (INT64_C(1) << 62) - 5};
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    assert_int_equal(qdr_pattern_create(3, 1, &huge, &pattern), QDR_OK);
    assert_int_equal(qdr_schedule_create(pattern, "split", NULL, &schedule), QDR_ERR_RANGE);
    assert_non_null(strstr(qdr_error_message(), "2^52"));
    qdr_pattern_destroy(&pattern);
    assert_int_equal(qdr_pattern_from_spec("alltoone:n=10001", &pattern), QDR_OK);
    assert_int_equal(qdr_schedule_create(pattern, "split:tau=1000000000000000", NULL, &schedule),
                     QDR_ERR_RANGE);
    qdr_pattern_destroy(&pattern);
}

/* Work is bounded by what the pattern is: with quadratic lists these would take minutes. */
static void hubs_are_quick(void **state) {
    (void)state;
    const char *families[] = {"alltoone", "onetoall"};
    const int ranks = light_or(50000, 200000);
    const char *algorithms[] = {"split", "greedy", "random", "random-split", "coloring"};
    for (int p = 0; p < 2; p++) {
        qdr_pattern *pattern = NULL;
        char spec[64];
        snprintf(spec, sizeof spec, "%s:n=%d,bytes=1..9", families[p], ranks);
        assert_int_equal(qdr_pattern_from_spec(spec, &pattern), QDR_OK);
        for (int a = 0; a < 5; a++) {
            qdr_schedule *schedule = make(pattern, algorithms[a], NULL);
            qdr_schedule_info info = {0};
            qdr_schedule_look(schedule, &info);
            assert_true(info.phases >= ranks - 1);
            qdr_schedule_destroy(&schedule);
        }
        qdr_pattern_destroy(&pattern);
    }
}

/* Jobs without startup and without items are jobs, on full ports and on pairs, with matchings and with cuts. */
static void jobs_without_time_are_done(void **state) {
    (void)state;
    static const char *const patterns[] = {"complete:n=7,bytes=0", "random:n=20,density=0.4,bytes=0..2",
                                           "alltoone:n=9,bytes=0..1"};
    static const char *const machines[] = {"crossbar:tau=0", "crossbar:tau=0,ports=half"};
    for (int p = 0; p < 3; p++) {
        qdr_pattern *pattern = NULL;
        assert_int_equal(qdr_pattern_from_spec(patterns[p], &pattern), QDR_OK);
        for (int m = 0; m < 3; m++) {
            qdr_machine *machine = NULL;
            if (m < 2) assert_int_equal(qdr_machine_create(machines[m], 20, &machine), QDR_OK);
            qdr_schedule *schedule = make(pattern, "split:tau=0", machine);
            assert_int_equal(qdr_schedule_check(schedule), QDR_OK);
            qdr_schedule_destroy(&schedule);
            qdr_machine_destroy(&machine);
        }
        qdr_pattern_destroy(&pattern);
    }
}

/* A reader outlives the handles of what it reads. */
static void readers_keep_their_schedule(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    qdr_row_reader *reader = NULL;
    qdr_row row;
    assert_int_equal(qdr_pattern_from_spec("complete:n=5", &pattern), QDR_OK);
    qdr_schedule *schedule = make(pattern, "split", NULL);
    assert_int_equal(qdr_row_reader_create(schedule, &reader), QDR_OK);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    assert_int_equal(qdr_row_read(reader, 2, 0, &row), QDR_OK);
    assert_int_equal(row.sends, 4);
    qdr_row_reader_destroy(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(easy_ones_are_exact),
        cmocka_unit_test(other_machines),
        cmocka_unit_test(cuts_help),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(hubs_are_quick),
        cmocka_unit_test(readers_keep_their_schedule),
        cmocka_unit_test(jobs_without_time_are_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
