/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of paced exchanges, held against bounds and against what can be computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/pace.h"
#include "quadrille.h"
#include "schedule/schedule.h"

static qdr_pattern *pattern;
static qdr_machine *machine;

static void take(const char *pattern_spec, const char *machine_spec) {
    qdr_pattern_destroy(&pattern);
    qdr_machine_destroy(&machine);
    assert_int_equal(qdr_pattern_from_spec(pattern_spec, &pattern), QDR_OK);
    assert_int_equal(qdr_machine_create(machine_spec, qdr_pattern_look(pattern).ranks, &machine), QDR_OK);
}

static double seconds_of(qdr_way way) {
    double seconds = -1;
    assert_int_equal(qdr_way_predict(pattern, &way, machine, 1, &seconds), QDR_OK);
    return seconds;
}

static double bound(void) {
    qdr_bounds bounds;
    assert_int_equal(qdr_bounds_compute(pattern, machine, 1, &bounds), QDR_OK);
    return bounds.direct;
}

/* ---- by hand ------------------------------------------------------------------------------------------- */

/* With a window of w bytes, and a round trip of two latencies and two startups, w bytes come in a round trip. */
static void test_window_costs_on_a_long_wire(void **state) {
    (void)state;
    take("alltoone:n=2,bytes=4000000", "crossbar:tau=10us,rate=1GB/s");
    double near = seconds_of((qdr_way){.algorithm = "paced"});
    assert_true(near < 1.05 * bound());
    take("alltoone:n=2,bytes=4000000", "grid:clusters=2,latency=5ms,tau=10us,rate=1GB/s,wan=1GB/s");
    for (int64_t window = 50000; window <= 400000; window *= 2) {
        double far = seconds_of((qdr_way){.algorithm = "paced", .window = window});
        double trips = 4000000.0 / (double)window;
        assert_true(far > 0.9 * trips * 0.01 && far < 1.1 * trips * 0.01 + 0.02);
    }
    /* The one that a port would find keeps the wire busy. */
    assert_true(seconds_of((qdr_way){.algorithm = "paced"}) < 0.01 + 1.5 * 4e6 / 1e9 + 0.02);
}

/* Where all have the same for all, and a window keeps the wire busy, pacing costs little. */
static void test_complete_exchange_is_near_the_bound(void **state) {
    (void)state;
    take("complete:n=16,bytes=64Ki", "crossbar:tau=100us,rate=50Mbit/s");
    assert_true(seconds_of((qdr_way){.algorithm = "pairwise"}) < 1.05 * bound());
    assert_true(seconds_of((qdr_way){.algorithm = "coloring"}) < 1.05 * bound());
    assert_true(seconds_of((qdr_way){.algorithm = "paced"}) < 1.25 * bound());
}

/* Fifteen to one: three have room in the queue, the others wait for time-outs, three fewer after each. */
static void test_incast_loses_where_queues_are_short(void **state) {
    (void)state;
    take("alltoone:n=16,bytes=64Ki", "crossbar:tau=100us,rate=50Mbit/s");
    double calm = seconds_of((qdr_way){.algorithm = "async"});
    assert_true(calm < 1.01 * bound());
    take("alltoone:n=16,bytes=64Ki", "crossbar:tau=100us,rate=50Mbit/s,queue=48Ki");
    double flooded = seconds_of((qdr_way){.algorithm = "async"}),
           paced = seconds_of((qdr_way){.algorithm = "paced"});
    assert_true(flooded > calm + 0.2 && flooded < calm + 4 * 0.2);
    assert_true(paced < 1.1 * bound());
    take("alltoone:n=16,bytes=64Ki", "crossbar:tau=100us,rate=50Mbit/s,queue=48Ki,timeout=5ms");
    assert_true(seconds_of((qdr_way){.algorithm = "async"}) < calm + 4 * 0.005);
    take("alltoone:n=16,bytes=64Ki", "crossbar:tau=100us,rate=50Mbit/s,queue=10M");
    assert_true(fabs(seconds_of((qdr_way){.algorithm = "async"}) - calm) < 1e-9);
}

/* ---- laws ---------------------------------------------------------------------------------------------- */

static const char *const patterns[] = {
    "complete:n=7,bytes=100..9000",
    "complete:n=12,bytes=0",
    "random:n=16,density=0.3,bytes=1..200K,sizes=log",
    "zipf:n=16,density=0.5,bytes=64K",
    "hotspot:n=9,hot=2,bytes=30000",
    "halo2d:n=16,bytes=100",
    "shift:n=5,by=2,bytes=1M",
    "onetoall:n=4,bytes=5",
};
static const char *const machines[] = {
    "crossbar:tau=100us,rate=50Mbit/s",     "crossbar:tau=20us,rate=10Gbit/s,queue=200K",
    "torus:tau=5us,mu=1ns,hop=0.1us",       "node:k=4,tau=5us,rate=1GB/s",
    "grid:clusters=2,latency=5ms,tau=10us",
};
static const qdr_way ways[] = {
    {.algorithm = "pairwise"},
    {.algorithm = "coloring"},
    {.algorithm = "split"},
    {.algorithm = "two-stage"},
    {.algorithm = "recursive"},
    {.algorithm = "paced"},
    {.algorithm = "async"},
    {.algorithm = "greedy", .pacing = "free"},
    {.algorithm = "random", .barrier = 1},
    {.algorithm = "linear", .window = 1},
};

#define EACH(item, list) (size_t item = 0; item < sizeof(list) / sizeof *(list); item++)

static void test_no_way_beats_a_bound(void **state) {
    (void)state;
    for
        EACH(p, patterns)
        for
            EACH(m, machines) {
                take(patterns[p], machines[m]);
                qdr_bounds bounds;
                assert_int_equal(qdr_bounds_compute(pattern, machine, 1, &bounds), QDR_OK);
            for
                EACH(w, ways) {
                    double seconds = seconds_of(ways[w]);
                    if (!(seconds >= bounds.any * (1 - 1e-9)))
                        fail_msg("%s on %s by %s: %g s, the bound is %g", patterns[p], machines[m],
                                 ways[w].algorithm, seconds, bounds.any);
                    assert_true(seconds == seconds_of(ways[w])); /* the same each time */
                }
            }
}

/* Every step begins, and ends after that; the last is the time of the whole. */
static void test_every_step_ends(void **state) {
    (void)state;
    take("random:n=16,density=0.4,bytes=1..100K", "crossbar:tau=50us,rate=1Gbit/s");
    static const char *const algorithms[] = {"coloring", "two-stage", "recursive", "async"};
    for
        EACH(a, algorithms)
    for (int grants = 0; grants < 2; grants++) {
        qdr_schedule *schedule;
        qdr_step *steps;
        int64_t count;
        double seconds, last = 0;
        qdri_pace how = {
            .machine = machine, .item_bytes = 1, .pacing = grants ? QDRI_BY_GRANTS : QDRI_BY_ARRIVALS};
        assert_int_equal(qdr_schedule_create(pattern, algorithms[a], machine, &schedule), QDR_OK);
        assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
        assert_int_equal(qdri_pace_steps(&how, count, steps, &seconds), QDR_OK);
        for (int64_t i = 0; i < count; i++) {
            assert_true(steps[i].end > steps[i].start);
            last = fmax(last, steps[i].end);
        }
        assert_true(last == seconds);
        free(steps);
        qdr_schedule_destroy(&schedule);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refused(qdr_way way, qdr_status status, const char *words) {
    double seconds;
    assert_int_equal(qdr_way_predict(pattern, &way, machine, 1, &seconds), status);
    assert_non_null(strstr(qdr_error_message(), words));
}

static void test_what_is_not_predicted_is_refused(void **state) {
    (void)state;
    double seconds;
    take("random:n=8,density=0.4,bytes=1..100K", "crossbar");
    refused((qdr_way){.algorithm = "distributed"}, QDR_ERR_INVALID, "is not predicted");
    refused((qdr_way){.algorithm = "coloring", .pacing = "grants"}, QDR_ERR_INVALID, "is not predicted");
    refused((qdr_way){.algorithm = "coloring", .pacing = "foo"}, QDR_ERR_INVALID, "is not predicted");
    refused((qdr_way){.algorithm = "nothing"}, QDR_ERR_UNKNOWN, "nothing");
    refused((qdr_way){0}, QDR_ERR_INVALID, "algorithm is NULL");
    refused((qdr_way){.algorithm = "paced", .window = -1}, QDR_ERR_INVALID, "negative");
    assert_int_equal(qdr_way_predict(NULL, &ways[0], machine, 1, &seconds), QDR_ERR_INVALID);
    take("alltoone:n=2,bytes=1000", "crossbar");
    qdr_way paced = {.algorithm = "paced"};
    assert_int_equal(qdr_way_predict(pattern, &paced, machine, INT64_C(1) << 51, &seconds), QDR_ERR_RANGE);
    assert_non_null(strstr(qdr_error_message(), "more than can be predicted"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window_costs_on_a_long_wire),
        cmocka_unit_test(test_complete_exchange_is_near_the_bound),
        cmocka_unit_test(test_incast_loses_where_queues_are_short),
        cmocka_unit_test(test_no_way_beats_a_bound),
        cmocka_unit_test(test_every_step_ends),
        cmocka_unit_test(test_what_is_not_predicted_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    qdr_pattern_destroy(&pattern);
    qdr_machine_destroy(&machine);
    return failed;
}
