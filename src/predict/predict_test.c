/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predictions and bounds against numbers worked out by hand, on machines with a startup of 1 s and 1 s per
 * byte, so that a message of b bytes takes b + 1 seconds. Broadcasts, whose cost is theirs to add up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille.h"

#define UNIT "tau=1,mu=1,barrier=0"

static qdr_machine *machine_of(const char *spec, int ranks) {
    qdr_machine *machine = NULL;
    if (qdr_machine_create(spec, ranks, &machine)) fail_msg("%s", qdr_error_message());
    return machine;
}

/* Steps given as "from to items phase" quadruples. */
static qdr_prediction predict(const char *machine_spec, int ranks, qdr_step *steps, int64_t count) {
    qdr_prediction prediction = {0};
    qdr_machine *machine = machine_of(machine_spec, ranks);
    if (qdr_steps_predict(count, steps, machine, 1, &prediction)) fail_msg("%s", qdr_error_message());
    qdr_machine_destroy(&machine);
    return prediction;
}

#define PREDICT(machine, ranks, steps)                                                                       \
    predict(machine, ranks, steps, (int64_t)(sizeof(steps) / sizeof((steps)[0])))

static void expect_seconds(double found, double wanted) {
    if (found < wanted - 1e-9 || found > wanted + 1e-9)
        fail_msg("%.12g seconds; by hand %.12g", found, wanted);
}

static void ports(void **state) {
    (void)state;
    qdr_step exchange[] = {{.from = 0, .to = 1, .items = 10}, {.from = 1, .to = 0, .items = 4}};
    expect_seconds(PREDICT("crossbar:" UNIT, 2, exchange).seconds, 11);
    expect_seconds(PREDICT("crossbar:ports=paired," UNIT, 2, exchange).seconds, 11);
    expect_seconds(PREDICT("crossbar:ports=half," UNIT, 2, exchange).seconds, 16);
    qdr_step ring[] = {
        {.from = 0, .to = 1, .items = 9}, {.from = 1, .to = 2, .items = 9}, {.from = 2, .to = 0, .items = 9}};
    expect_seconds(PREDICT("crossbar:" UNIT, 3, ring).seconds, 10);
    expect_seconds(PREDICT("crossbar:ports=paired," UNIT, 3, ring).seconds,
                   30); /* nobody exchanges: as half */
    expect_seconds(PREDICT("crossbar:ports=half," UNIT, 3, ring).seconds, 30);
    qdr_step chain[] = {
        {.from = 0, .to = 1, .items = 9}, {.from = 1, .to = 2, .items = 9}, {.from = 2, .to = 3, .items = 9}};
    expect_seconds(PREDICT("crossbar:ports=half," UNIT, 4, chain).seconds, 20); /* the two ends go together */
}

static void phases_overlap(void **state) {
    (void)state;
    /* Rank 2 has a long first phase; ranks 0 and 1 go on without it; only 2->0 waits. */
    qdr_step steps[] = {{.from = 0, .to = 1, .items = 1},
                        {.from = 2, .to = 3, .items = 20},
                        {.from = 1, .to = 0, .items = 2, .phase = 1},
                        {.from = 2, .to = 0, .items = 3, .phase = 2}};
    qdr_prediction prediction = PREDICT("crossbar:" UNIT, 4, steps);
    expect_seconds(steps[2].start, 0); /* 1's way out is free from the beginning */
    expect_seconds(steps[3].start, 21);
    expect_seconds(prediction.seconds, 24); /* its startup has passed while the 20 bytes were on their way */
    expect_seconds(prediction.barrier_seconds, 21 + 3 + 4);
    expect_seconds(PREDICT("crossbar:tau=1,mu=1,barrier=0.5", 4, steps).barrier_seconds, 29);
    expect_seconds(PREDICT("crossbar:sends=synchronous," UNIT, 4, steps).seconds, 25);
}

static void incast(void **state) {
    (void)state;
    qdr_step steps[] = {{.from = 0, .to = 3, .items = 9},
                        {.from = 0, .to = 1, .items = 9},
                        {.from = 1, .to = 3, .items = 9},
                        {.from = 2, .to = 3, .items = 9}};
    qdr_prediction buffered = PREDICT("crossbar:buffer=20," UNIT, 4, steps);
    expect_seconds(buffered.seconds, 28);      /* one startup, and 27 bytes into rank 3 */
    expect_seconds(steps[1].start, 1);         /* rank 0 does not wait for rank 3 */
    expect_seconds(steps[1].end, 2 + 9 * 1.5); /* rank 3 takes a third of its way out */
    assert_int_equal(buffered.unconfirmed, 27);
    assert_true(buffered.unsafe);
    assert_false(PREDICT("crossbar:buffer=27," UNIT, 4, steps).unsafe);
    qdr_prediction synchronous = PREDICT("crossbar:sends=synchronous,buffer=20," UNIT, 4, steps);
    assert_false(synchronous.unsafe);
    expect_seconds(synchronous.seconds, 30); /* one at a time */
}

/* Four ranks in a row: 0->3 and 1->2 share the link from 1 to 2. */
static void links(void **state) {
    (void)state;
    qdr_step steps[] = {{.from = 0, .to = 3, .items = 10}, {.from = 1, .to = 2, .items = 4}};
    qdr_prediction packet = PREDICT("mesh:columns=4,rows=1," UNIT, 4, steps);
    expect_seconds(steps[1].end, 1 + 8);  /* both get half until 4 bytes of each are through */
    expect_seconds(steps[0].end, 1 + 14); /* all 14 bytes of the link */
    expect_seconds(packet.max_link_load, 2);
    qdr_prediction circuit = PREDICT("mesh:columns=4,rows=1,switching=circuit," UNIT, 4, steps);
    expect_seconds(steps[0].end, 11);
    expect_seconds(steps[1].start, 11); /* waits for the path */
    expect_seconds(circuit.seconds, 16);
    expect_seconds(PREDICT("mesh:columns=4,rows=1,link=2," UNIT, 4, steps).seconds, 11);
    expect_seconds(PREDICT("mesh:columns=4,rows=1,hop=100," UNIT, 4, steps).seconds,
                   1 + 300 + 10); /* they never meet */
}

static void packets(void **state) {
    (void)state;
    qdr_step steps[] = {{.from = 0, .to = 1, .items = 17}};
    expect_seconds(PREDICT("crossbar:packet=20,payload=16," UNIT, 2, steps).seconds, 1 + 40);
}

static void staged_schedules_pack(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_machine *machine = machine_of("crossbar:copy=0.5," UNIT, 4);
    qdr_prediction prediction = {0};
    assert_int_equal(qdr_pattern_from_spec("complete:n=4,bytes=3", &pattern), QDR_OK);
    assert_int_equal(qdr_schedule_create(pattern, "recursive", NULL, &schedule), QDR_OK);
    assert_int_equal(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction), QDR_OK);
    expect_seconds(prediction.seconds, 2 * (1 + 6 + 2 * 0.5 * 6)); /* lg 4 steps of n/2 messages */
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

static qdr_bounds bounds_of(const char *machine_spec, const qdr_message *messages, int64_t count, int ranks) {
    qdr_pattern *pattern = NULL;
    qdr_bounds bounds = {0};
    qdr_machine *machine = machine_of(machine_spec, ranks);
    if (qdr_pattern_create(ranks, count, messages, &pattern) ||
        qdr_bounds_compute(pattern, machine, 1, &bounds))
        fail_msg("%s", qdr_error_message());
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    return bounds;
}

static void bounds_by_name(void **state) {
    (void)state;
    const qdr_message messages[] = {{0, 1, 10}, {0, 2, 5}, {0, 3, 1}, {1, 2, 7}, {3, 0, 4}, {2, 2, 999}};
    qdr_bounds b = bounds_of("crossbar:" UNIT, messages, 6, 4);
    expect_seconds(b.full_duplex, 3 + 16); /* out of rank 0; the diagonal does not count */
    expect_seconds(b.half_duplex, 3 + 16 + 1 + 4);
    expect_seconds(b.link, 0);
    expect_seconds(b.relay, 1 + 16);
    expect_seconds(b.direct, 17); /* startups pass while bytes are on their way */
    expect_seconds(b.any, 17);
    b = bounds_of("crossbar:sends=synchronous," UNIT, messages, 6, 4);
    expect_seconds(b.direct, 19);
    b = bounds_of("crossbar:ports=half," UNIT, messages, 6, 4);
    expect_seconds(b.direct, 1 + 20);
    expect_seconds(b.any, 1 + 20);
    b = bounds_of("crossbar:ports=half,sends=synchronous," UNIT, messages, 6, 4);
    expect_seconds(b.direct, 24);
    expect_seconds(b.any, 2 + 20);
    b = bounds_of("mesh:columns=4,rows=1,link=0.25," UNIT, messages, 6, 4);
    expect_seconds(b.link, (10 + 5 + 1) / 0.25); /* the link from 0 to 1 */
    expect_seconds(b.direct, 64);
    /* One byte from each of 7 ranks: relays need lg 8 startups at least, if receivers wait for them. */
    qdr_message incast[7], spread[7];
    for (int i = 0; i < 7; i++) incast[i] = (qdr_message){i + 1, 0, 1};
    for (int i = 0; i < 7; i++) spread[i] = (qdr_message){0, i + 1, 1};
    expect_seconds(bounds_of("crossbar:sends=synchronous,tau=10,mu=1", incast, 7, 8).relay, 30);
    expect_seconds(bounds_of("crossbar:tau=10,mu=1", incast, 7, 8).relay, 17);
    expect_seconds(bounds_of("crossbar:tau=10,mu=1", spread, 7, 8).relay, 30);
}

static void broadcasts(void **state) {
    (void)state;
    int group[13] = {5, 0, 9, 3, 12, 7, 1, 2, 4, 6, 8, 10, 11};
    for (int count = 1; count <= 13; count++) {
        const char *names[] = {"LIB", "recursive"};
        int rounds = 0;
        while ((1 << rounds) < count) rounds++;
        for (int which = 0; which < 2; which++) {
            qdr_step *steps;
            int64_t made;
            int has[13] = {0};
            assert_int_equal(qdr_broadcast_steps(names[which], count, group, 9, &made, &steps), QDR_OK);
            assert_int_equal(made, count - 1);
            has[5] = 1;
            for (int64_t i = 0; i < made;
                 i++) { /* nobody sends what it has not received in an earlier stage */
                assert_int_equal(has[steps[i].from], 1);
                assert_int_equal(has[steps[i].to], 0);
                has[steps[i].to] = 2;
                if (i + 1 == made || steps[i + 1].stage != steps[i].stage)
                    for (int rank = 0; rank < 13; rank++) has[rank] = has[rank] != 0;
            }
            for (int k = 0; k < count; k++) assert_int_equal(has[group[k]], 1);
            expect_seconds(predict("crossbar:sends=synchronous," UNIT, 13, steps, made).seconds,
                           10.0 * (which ? rounds : count - 1));
            free(steps);
        }
    }
    qdr_step *steps = NULL;
    int64_t made;
    int twice[] = {1, 2, 1};
    assert_int_equal(qdr_broadcast_steps("linear", 3, twice, 1, &made, &steps), QDR_ERR_INVALID);
    assert_int_equal(qdr_broadcast_steps("sideways", 2, twice, 1, &made, &steps), QDR_ERR_UNKNOWN);
    assert_non_null(strstr(qdr_error_message(), "recursive (REB)"));
}

/* Synchronous sends through half ports go in turns: of two that exchange the lower receives first, and a rank does one thing at a time. */
static void turns(void **state) {
    (void)state;
    qdr_step exchange[] = {{.from = 0, .to = 1, .items = 10}, {.from = 1, .to = 0, .items = 4}};
    expect_seconds(PREDICT("crossbar:ports=half,sends=synchronous," UNIT, 2, exchange).seconds, 16);
    qdr_step pair[] = {{.from = 2, .to = 6, .items = 10}, {.from = 6, .to = 2, .items = 4}};
    PREDICT("crossbar:ports=half,sends=synchronous," UNIT, 8, pair);
    expect_seconds(pair[1].start, 0); /* 6 has the lowest bit in which they differ */
    qdr_step ring[8];
    for (int i = 0; i < 8; i++) ring[i] = (qdr_step){.from = i, .to = (i + 1) % 8, .items = 9};
    expect_seconds(PREDICT("crossbar:ports=half,sends=synchronous," UNIT, 8, ring).seconds,
                   20); /* odd ranks send first */
    for (int i = 0; i < 8; i++) ring[i] = (qdr_step){.from = i, .to = (i + 2) % 8, .items = 9};
    expect_seconds(PREDICT("crossbar:ports=half,sends=synchronous," UNIT, 8, ring).seconds, 20);
}

/* Three flows into one rank, one of which shares its way out: max-min fair. And flows that come and go. */
static void shares(void **state) {
    (void)state;
    qdr_step steps[] = {{.from = 0, .to = 3, .items = 6},
                        {.from = 0, .to = 4, .items = 60},
                        {.from = 1, .to = 3, .items = 12},
                        {.from = 2, .to = 3, .items = 12}};
    PREDICT("crossbar:tau=0,mu=1,barrier=0", 5, steps);
    expect_seconds(steps[0].end, 18); /* a third each into rank 3 */
    expect_seconds(steps[2].end, 30); /* 6 left at 18, then half each */
    expect_seconds(steps[3].end, 30);
    expect_seconds(steps[1].end, 66); /* two thirds until 18: 12 bytes; then alone */
}

/* A file may hold anything. */
static void steps_that_cannot_be(void **state) {
    (void)state;
    qdr_prediction prediction;
    qdr_machine *machine = machine_of("cm5", 4);
    qdr_step itself[] = {{.from = 2, .to = 2, .items = 1}}, beyond[] = {{.from = 0, .to = 4, .items = 1}};
    assert_int_equal(qdr_steps_predict(1, itself, machine, 1, &prediction), QDR_ERR_RANGE);
    assert_int_equal(qdr_steps_predict(1, beyond, machine, 1, &prediction), QDR_ERR_RANGE);
    qdr_machine_destroy(&machine);
}

/* A message of zero bytes takes its startup and its way: complete exchanges of them, as in figure 6 of the CM-5 paper. */
static void zero_bytes_take_a_startup(void **state) {
    (void)state;
    static const struct {
        const char *algorithm, *machine;
        double seconds, bound;
    } cases[] = {
        {"pairwise", "crossbar:sends=synchronous," UNIT, 7, 7},
        {"pairwise", "crossbar:ports=half,sends=synchronous," UNIT, 14, 14},
        {"pairwise", "cm5", 14 * 88e-6, 14 * 88e-6},
        {"recursive", "cm5", 6 * 88e-6, 14 * 88e-6},
        {"linear", "cm5", 56 * 88e-6, 14 * 88e-6},
        {"pairwise", "hypercube:hop=10,sends=synchronous," UNIT, 7 + 10 * 12, 7 + 10 * 12},
        {"split", "crossbar:tau=0", 0, 0},
    };
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_from_spec("complete:n=8,bytes=0", &pattern), QDR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qdr_machine *machine = machine_of(cases[i].machine, 8);
        qdr_schedule *schedule = NULL;
        qdr_prediction prediction = {0};
        qdr_bounds bounds = {0};
        assert_int_equal(qdr_schedule_create(pattern, cases[i].algorithm, machine, &schedule), QDR_OK);
        assert_int_equal(qdr_schedule_check(schedule), QDR_OK);
        assert_int_equal(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction), QDR_OK);
        assert_int_equal(qdr_bounds_compute(pattern, machine, 1, &bounds), QDR_OK);
        expect_seconds(prediction.seconds, cases[i].seconds);
        expect_seconds(bounds.direct, cases[i].bound);
        qdr_schedule_destroy(&schedule);
        qdr_machine_destroy(&machine);
    }
    qdr_pattern_destroy(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports),
        cmocka_unit_test(phases_overlap),
        cmocka_unit_test(incast),
        cmocka_unit_test(links),
        cmocka_unit_test(packets),
        cmocka_unit_test(staged_schedules_pack),
        cmocka_unit_test(bounds_by_name),
        cmocka_unit_test(broadcasts),
        cmocka_unit_test(turns),
        cmocka_unit_test(shares),
        cmocka_unit_test(steps_that_cannot_be),
        cmocka_unit_test(zero_bytes_take_a_startup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
