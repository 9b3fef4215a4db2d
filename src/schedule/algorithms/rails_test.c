/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rails promises beyond a schedule that delivers: between two nodes, ranks of the same place have the same to carry but for
 * one item, and nobody else has anything; a rank has one message for each other node; no item moves inside a node
 * that need not; waves overlap, where they are worth it; and where ranks of a node have cards of their own, no direct schedule is as short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille.h"

static qdr_schedule *make(const char *algorithm, const char *pattern_spec, const char *machine_spec,
                          qdr_machine **machine, qdr_pattern **pattern) {
    qdr_schedule *schedule = NULL;
    assert_int_equal(qdr_pattern_from_spec(pattern_spec, pattern), QDR_OK);
    assert_int_equal(qdr_machine_create(machine_spec, qdr_pattern_look(*pattern).ranks, machine), QDR_OK);
    if (qdr_schedule_create(*pattern, algorithm, *machine, &schedule) || qdr_schedule_check(schedule))
        fail_msg("%s on %s: %s", pattern_spec, machine_spec, qdr_error_message());
    return schedule;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static void parts_are_equal(void **state) {
    static const struct {
        const char *pattern;
        int ranks, size;
    } cases[] = {{"complete:n=16,bytes=1..5K,seed=3", 16, 4},
                 {"zipf:n=24,bytes=1..90K", 24, 8},
                 {"moe:n=30,experts=300,tokens=50,skew=0.8,bytes=16", 30, 7},
                 {"random:n=33,density=0.4,bytes=0..9", 33, 4},
                 {"hotspot:n=12,hot=1,bytes=1K..4K", 12, 3},
                 {"random:n=20,density=0.05,bytes=1..100K,sizes=log", 20, 19}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char machine_spec[60];
        int ranks = cases[c].ranks, size = cases[c].size, nodes = (ranks + size - 1) / size;
        qdr_machine *machine;
        qdr_pattern *pattern;
        qdr_step *step;
        int64_t steps;
        snprintf(machine_spec, sizeof machine_spec, "node:k=%d,cards=%d", size, size);
        qdr_schedule *schedule = make("rails:least=1", cases[c].pattern, machine_spec, &machine, &pattern);
        assert_int_equal(qdr_schedule_steps(schedule, &steps, &step), QDR_OK);
        qdr_pattern_view view = qdr_pattern_look(pattern);
        int64_t *between = calloc((size_t)(nodes * nodes), sizeof *between);
        for (int64_t m = 0; m < view.messages; m++)
            between[view.origin[m] / size * nodes + view.destination[m] / size] += view.items[m];
        char *is_met = calloc((size_t)ranks * (size_t)nodes, 1);
        for (int64_t i = 0; i < steps; i++) {
            int home = step[i].from / size, away = step[i].to / size;
            if (home == away) continue;
            int lanes = smaller(smaller(ranks - home * size, ranks - away * size), size);
            int64_t sum = between[home * nodes + away];
            assert_int_equal(step[i].from % size, step[i].to % size);
            assert_true(step[i].stage > 0);
            assert_in_range(step[i].items, sum / lanes, (sum + lanes - 1) / lanes);
            assert_false(is_met[step[i].from * nodes + away]++);
        }
        free(is_met);
        free(between);
        free(step);
        qdr_schedule_destroy(&schedule);
        qdr_machine_destroy(&machine);
        qdr_pattern_destroy(&pattern);
    }
}

static int64_t moved_inside(const char *pattern_spec, int size) {
    char machine_spec[60];
    snprintf(machine_spec, sizeof machine_spec, "node:k=%d,cards=%d", size, size);
    qdr_machine *machine;
    qdr_pattern *pattern;
    qdr_step *step;
    int64_t steps, moved = 0;
    qdr_schedule *schedule = make("rails:least=1", pattern_spec, machine_spec, &machine, &pattern);
    assert_int_equal(qdr_schedule_steps(schedule, &steps, &step), QDR_OK);
    for (int64_t i = 0; i < steps; i++) moved += step[i].from / size == step[i].to / size ? step[i].items : 0;
    free(step);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    return moved;
}

/* Everyone has the same for everyone: of four ranks' messages for a rank of another node one comes over its own rail, and three are handed
 * out once. With all for one, three quarters are handed out; what goes there from the first rank of a node alone is evened out, too. */
static void little_moves_inside(void **state) {
    enum { RANKS = 16, SIZE = 4, BYTES = 1000 };
    int64_t inside = RANKS * (SIZE - 1) * BYTES, between = RANKS * (RANKS - SIZE) * BYTES;
    (void)state;
    assert_int_equal(moved_inside("complete:n=16,bytes=1000", SIZE), inside + between * 3 / 4);
    assert_int_equal(moved_inside("alltoone:n=16,root=0,bytes=1000", SIZE),
                     (SIZE - 1) * BYTES + (RANKS - SIZE) * BYTES * 3 / 4);
    assert_int_equal(moved_inside("shift:n=16,by=4,bytes=1000", SIZE), 0);
}

/* The busiest card has four times as much as the average of its node. */
static void no_direct_schedule_is_as_short(void **state) {
    qdr_machine *machine;
    qdr_pattern *pattern;
    qdr_bounds bounds;
    qdr_prediction prediction;
    (void)state;
    qdr_schedule *schedule = make("rails", "moe:n=64,experts=256,tokens=8192,skew=0.8,bytes=8K",
                                  "node:k=8,cards=8,rate=400GB/s,nic=50GB/s,tau=2us", &machine, &pattern);
    assert_int_equal(qdr_bounds_compute(pattern, machine, 1, &bounds), QDR_OK);
    assert_int_equal(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction), QDR_OK);
    assert_true(prediction.seconds < 0.5 * bounds.direct);
    assert_true(prediction.seconds >= bounds.any);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

/* A wave more is a stage more, and each stage but the first and the last has something between nodes; no wave is empty, and none goes that
 * is not worth its startups. */
static void waves_overlap(void **state) {
    enum { SIZE = 8, MOST_STAGES = 100 };
    static const struct {
        const char *algorithm, *pattern;
        int stages;
    } cases[] = {{"rails", "moe:n=64,experts=256,tokens=8192,skew=0.8,bytes=8K", 9},
                 {"rails:waves=1", "moe:n=64,experts=256,tokens=8192,skew=0.8,bytes=8K", 3},
                 {"rails:waves=6", "complete:n=64,bytes=1M", 8},
                 {"rails:waves=100", "complete:n=64,bytes=1M", 9},
                 {"rails", "complete:n=64,bytes=1K", 3}};
    double seconds[2];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        qdr_machine *machine;
        qdr_pattern *pattern;
        qdr_schedule_info info;
        qdr_prediction prediction;
        qdr_step *step;
        int64_t steps;
        int has_between[MOST_STAGES] = {0};
        qdr_schedule *schedule = make(cases[c].algorithm, cases[c].pattern,
                                      "node:k=8,cards=8,rate=400GB/s,nic=50GB/s,tau=2us", &machine, &pattern);
        assert_int_equal(qdr_schedule_look(schedule, &info), QDR_OK);
        assert_int_equal(info.stages, cases[c].stages);
        assert_int_equal(info.promises, info.stages == 3 ? QDR_PROMISES_PERMUTATION : 0);
        assert_int_equal(qdr_schedule_steps(schedule, &steps, &step), QDR_OK);
        for (int64_t i = 0; i < steps; i++)
            has_between[step[i].stage] |= step[i].from / SIZE != step[i].to / SIZE;
        for (int stage = 0; stage < info.stages; stage++)
            assert_int_equal(has_between[stage], stage > 0 && stage < info.stages - 1);
        assert_int_equal(qdr_schedule_predict(schedule, machine, 1, NULL, &prediction), QDR_OK);
        if (c < 2) seconds[c] = prediction.seconds;
        free(step);
        qdr_schedule_destroy(&schedule);
        qdr_machine_destroy(&machine);
        qdr_pattern_destroy(&pattern);
    }
    assert_true(seconds[0] < 0.85 * seconds[1]);
}

/* Nodes that have nothing but messages without items for each other take a phase like others; and totals that nobody can count in
 * a double are no hindrance. */
static void empty_and_huge_messages(void **state) {
    static const char *const patterns[] = {"complete:n=10,bytes=0", "random:n=20,density=0.2,bytes=0..1",
                                           "random:n=30,density=0.1,bytes=0..1",
                                           "complete:n=100,bytes=1099511627776"};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int size = 1; size <= 9; size++) {
            char machine_spec[60];
            qdr_machine *machine;
            qdr_pattern *pattern;
            snprintf(machine_spec, sizeof machine_spec, "node:k=%d", size);
            qdr_schedule *schedule = make("rails", patterns[i], machine_spec, &machine, &pattern);
            qdr_schedule_destroy(&schedule);
            qdr_machine_destroy(&machine);
            qdr_pattern_destroy(&pattern);
        }
}

/* 64 KB between two nodes: in parts of 20000 items they are three, over ranks that differ from pair to pair; and where a startup is worth
 * all of it, one. */
static void little_goes_in_few_parts(void **state) {
    static const struct {
        const char *algorithm, *machine;
        int parts;
    } cases[] = {{"rails:least=20000", "node:k=4,cards=4", 3},
                 {"rails", "node:k=4,cards=4,nic=1GB/s,tau=100us", 1},
                 {"rails", "node:k=4,cards=4,nic=1GB/s,tau=30us", 2},
                 {"rails", "node:k=4,cards=4,nic=1GB/s,tau=1us", 4}};
    enum { RANKS = 16, SIZE = 4 };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        qdr_machine *machine;
        qdr_pattern *pattern;
        qdr_step *step;
        int64_t steps, sent[RANKS] = {0}, busiest = 0, all = 0;
        qdr_schedule *schedule =
            make(cases[c].algorithm, "complete:n=16,bytes=4000", cases[c].machine, &machine, &pattern);
        assert_int_equal(qdr_schedule_steps(schedule, &steps, &step), QDR_OK);
        for (int64_t i = 0; i < steps; i++) sent[step[i].from] += step[i].from / SIZE != step[i].to / SIZE;
        for (int rank = 0; rank < RANKS; rank++) {
            all += sent[rank];
            if (sent[rank] > busiest) busiest = sent[rank];
        }
        assert_int_equal(all, RANKS / SIZE * (RANKS / SIZE - 1) * cases[c].parts);
        assert_in_range(busiest, 1, cases[c].parts < SIZE ? cases[c].parts : SIZE - 1);
        free(step);
        qdr_schedule_destroy(&schedule);
        qdr_machine_destroy(&machine);
        qdr_pattern_destroy(&pattern);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_equal),         cmocka_unit_test(waves_overlap),
        cmocka_unit_test(little_moves_inside),     cmocka_unit_test(little_goes_in_few_parts),
        cmocka_unit_test(empty_and_huge_messages), cmocka_unit_test(no_direct_schedule_is_as_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
