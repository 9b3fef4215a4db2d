/* SPDX-License-Identifier: BSD-3-Clause */
/* The chooser: plays exchanges whose times are known, and looks at who runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "choose/chooser.h"
#include "choose/rule.h"

enum { LONGEST = 40000 };

/* A world: how long each candidate takes, by class and exchange. */
typedef double seconds_function(int candidate, int size_class, int64_t number);

/* What happened. */
typedef struct story {
    int runs[LONGEST];
    int trials, tried[QDRI_CHOOSER_MOST];
} story;

static story told;
static double (*bytes_of)(int64_t number); /* where sizes change; NULL: they do not */
static const qdri_care no_care = {.risky = 0};

/* Contests are learned of as late as may be: when the exchange `in_flight` later is about to begin. */
static void play(qdri_chooser *chooser, int64_t exchanges, int (*class_of)(int64_t), seconds_function *take,
                 double bytes) {
    qdri_contest_result result[2] = {{.is_void = 0}};
    int runs[2][2], contest = 0, waits[2] = {0, 0};
    int64_t due[2] = {0, 0};
    told = (story){.trials = 0};
    for (int64_t number = 0; number < exchanges; number++) {
        int size_class = class_of ? class_of(number) : 3;
        for (int i = 0; i < 2; i++)
            if (waits[i] && number == due[i]) {
                qdri_chooser_learn(chooser, waits[i] - 1, runs[i], &result[i]);
                waits[i] = 0;
            }
        int candidate = qdri_chooser_candidate(chooser, number, size_class);
        assert_int_equal(qdri_chooser_candidate(chooser, number, size_class), candidate);
        told.runs[number] = candidate;
        int place = qdri_chooser_place(chooser, number, &contest);
        if (place < 0) continue;
        told.trials++;
        told.tried[candidate]++;
        qdri_contest_result *of = &result[contest % 2];
        runs[contest % 2][place] = candidate;
        of->seconds[place] = take(candidate, size_class, number);
        of->size_class[place] = size_class;
        of->bytes[place] = bytes_of ? bytes_of(number) : bytes;
        of->is_unlike = bytes_of != NULL;
        of->is_void = 0;
        if (place == 1) {
            waits[contest % 2] = contest + 1;
            due[contest % 2] = number + chooser->in_flight;
        }
    }
}

static double last_is_best(int candidate, int size_class, int64_t number) {
    (void)size_class;
    return (number == 0 ? 5.0 : 1.0) + 0.5 * (2 - candidate);
}
static double first_is_best(int candidate, int size_class, int64_t number) {
    (void)size_class;
    return (number == 0 ? 2.0 : 1.0) + candidate;
}

static void one_candidate_needs_no_contest(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 1, 2, no_care);
    play(&chooser, 100, NULL, first_is_best, 0);
    assert_int_equal(told.trials, 0);
    assert_int_equal(told.runs[99], 0);
}

/* With any number under way at once; with two, five exchanges are enough. */
static void the_best_is_found(void **state) {
    (void)state;
    for (int in_flight = 1; in_flight <= 16; in_flight++)
        for (int candidates = 2; candidates <= 3; candidates++) {
            qdri_chooser chooser;
            qdri_chooser_open(&chooser, candidates, in_flight, no_care);
            play(&chooser, 200, NULL, last_is_best, 0);
            int64_t after = in_flight < 2 ? 5 : 2 * in_flight + 1;
            assert_int_equal(told.runs[after], candidates - 1);
            assert_int_equal(told.runs[after + 1], candidates - 1);
            qdri_chooser_open(&chooser, candidates, in_flight, no_care);
            play(&chooser, 200, NULL, first_is_best, 0);
            assert_int_equal(told.runs[after], 0);
        }
}

/* Plain sends are tried where a port holds all, or is fast; else never. */
static void a_risk_is_taken_only_where_it_may_pay(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 1u << 2});
    play(&chooser, 10000, NULL, last_is_best, 1e6);
    assert_int_equal(told.tried[2], 0);
    assert_int_equal(told.runs[9999], 1);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 1u << 2});
    play(&chooser, 100, NULL, last_is_best, 100);
    assert_int_equal(told.runs[5], 2);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 1u << 2});
    play(&chooser, 100, NULL, last_is_best, 1e9);
    assert_int_equal(told.runs[5], 2);
}

/* After a thousand exchanges the network is another one. */
static double turns(int candidate, int size_class, int64_t number) {
    (void)size_class;
    return number < 1000 ? 1 + 0.2 * candidate : 4 - candidate;
}

static void a_change_is_noticed(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, no_care);
    play(&chooser, 4000, NULL, turns, 0);
    assert_int_equal(told.runs[900], 0);
    assert_int_equal(told.runs[1100], 2);
}

static void trials_become_rare(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, no_care);
    play(&chooser, LONGEST, NULL, first_is_best, 0);
    assert_in_range(told.trials, 8, 60);
    assert_in_range(told.tried[2], 1, 3); /* hopeless, so not again */
}

/* Small items and large ones, by turns that contests cannot miss: each class has its own best. */
static int two_classes(int64_t number) {
    return number < 200 ? 3 : 16;
}
static double by_class(int candidate, int size_class, int64_t number) {
    (void)number;
    return size_class > 10 ? 3 - candidate : 1 + candidate;
}

static void classes_are_kept_apart(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 2, 2, no_care);
    play(&chooser, 3000, two_classes, by_class, 0);
    assert_int_equal(told.runs[100], 0);
    assert_int_equal(told.runs[2999], 1);
    assert_int_equal(qdri_chooser_best(&chooser, 3), 0);
    assert_int_equal(qdri_chooser_best(&chooser, 4), 0);
    assert_int_equal(qdri_chooser_best(&chooser, 15), 1);
}

/* Ranks that could not tell, or two classes in one contest: nothing is learned, and nothing breaks. */
static int mixed(int64_t number) {
    return (int)(number % 2) * 10;
}

static void nonsense_teaches_nothing(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, no_care);
    play(&chooser, 1000, mixed, last_is_best, 0);
    assert_in_range(told.trials, 4, 12);
    for (int64_t i = 300; i < 1000; i++) assert_int_equal(told.runs[i], 0);
    assert_int_equal(qdri_chooser_best(&chooser, 3), 0);
}

static void classes_are_powers_of_two(void **state) {
    (void)state;
    assert_int_equal(qdri_chooser_class_of(-5), 0);
    assert_int_equal(qdri_chooser_class_of(0), 0);
    assert_int_equal(qdri_chooser_class_of(1), 0);
    assert_int_equal(qdri_chooser_class_of(8), 3);
    assert_int_equal(qdri_chooser_class_of(15), 3);
    assert_true(qdri_chooser_class_of(INT64_MAX) < QDRI_CHOOSER_CLASSES);
}

static void the_rule_lists_what_can_run(void **state) {
    char why[200];
    qdri_traits facts = {
        .ranks = 8, .one_host = 1, .fan_in = 7, .least_fan_in = 7, .largest = 200, .smallest = 100};
    (void)state;
    qdri_rule_result rule = qdri_rule(&facts, why, sizeof why);
    assert_int_equal(rule.count, 1);
    assert_string_equal(rule.algorithm[0], "async");
    facts.one_host = 0;
    rule = qdri_rule(&facts, why, sizeof why);
    assert_int_equal(rule.count, 3);
    assert_string_equal(rule.algorithm[0], "paced");
    assert_string_equal(rule.algorithm[2], "async");
    assert_int_equal(rule.care.risky, 4);
    facts.smallest = 180; /* about the same */
    rule = qdri_rule(&facts, why, sizeof why);
    assert_string_equal(rule.algorithm[0], "pairwise");
    facts.least_fan_in = 6;
    rule = qdri_rule(&facts, why, sizeof why);
    assert_string_equal(rule.algorithm[0], "paced");
    facts.smallest = 0;
    rule = qdri_rule(&facts, why, sizeof why);
    assert_int_equal(rule.count, 2);
    facts.fan_in = 1; /* ports of ranks do not overflow; links between switches may */
    rule = qdri_rule(&facts, why, sizeof why);
    assert_int_equal(rule.count, 2);
    assert_string_equal(rule.algorithm[0], "async");
    assert_string_equal(rule.algorithm[1], "paced");
    assert_int_equal(rule.care.large, 2);
}

static void more_is_tried_where_sizes_stay(void **state) {
    qdri_traits facts = {
        .ranks = 8, .fan_in = 7, .least_fan_in = 7, .largest = 200, .smallest = 190, .reuse = 1000};
    (void)state;
    qdri_rule_result rule = qdri_rule(&facts, NULL, 0);
    assert_int_equal(rule.count, 4);
    assert_string_equal(rule.algorithm[3], "bruck:4");
    assert_int_equal(rule.care.small, 8);
    assert_int_equal(rule.care.quick,
                     rule.care.risky); /* three messages instead of seven are not much less */
    facts.sharing = 2;
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[3], "joined");
    facts.cards =
        2; /* of each node, and not one for both of its ranks; but all of them have the same to do */
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[0], "pairwise");
    assert_string_equal(rule.algorithm[1], "paced");
    assert_string_equal(rule.algorithm[2], "async");
    facts.smallest = 1;
    rule = qdri_rule(&facts, NULL, 0);
    assert_int_equal(rule.count, 4);
    assert_string_equal(rule.algorithm[1], "rails");
    assert_int_equal(rule.passed_on, 3);
    facts.is_idle = 1; /* somebody may stay away, and carry nothing */
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[1], "pairwise");
    facts.is_idle = 0;
    facts.least_fan_in = 0;
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[1], "pairwise");
    facts.least_fan_in = 7;
    facts.reuse = 1; /* it has to be built */
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[1], "pairwise");
    facts.reuse = 1000;
    facts.smallest = 190;
    facts.cards = 1;
    facts.ranks = 32;
    facts.least_fan_in = facts.fan_in = 31;
    rule = qdri_rule(&facts, NULL, 0);
    assert_int_equal(rule.care.quick, rule.care.small);
    facts.ranks = 8;
    facts.least_fan_in = facts.fan_in = 7;
    facts.is_idle = 1; /* and could pass on nothing */
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[rule.count - 1], "coloring");
    facts.least_fan_in = 3; /* of 7 */
    facts.is_idle = 0;
    rule = qdri_rule(&facts, NULL, 0);
    assert_string_equal(rule.algorithm[3], "coloring");
    facts.reuse = 10; /* it would not have paid by then */
    rule = qdri_rule(&facts, NULL, 0);
    assert_int_equal(rule.count, 3);
    qdri_rule_reorder(&rule, 2, (int64_t[]){2, 0});
    assert_int_equal(rule.count, 2);
    assert_string_equal(rule.algorithm[0], "async");
    assert_string_equal(rule.algorithm[1], "paced");
    assert_int_equal(rule.care.risky, 1);
}

/* Two milliseconds by the first candidate, but one in the very first exchange, which is luck; one and a half by the second. */
static double short_and_noisy(int candidate, int size_class, int64_t number) {
    (void)size_class;
    return candidate ? 0.0015 : number == 0 ? 0.001 : 0.002;
}

/* Where messages may be passed on, medians decide among short exchanges, whatever a lucky one has taken; and long ones are left alone. */
static void luck_does_not_decide_among_short_ones(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.small = 2});
    play(&chooser, 200, NULL, short_and_noisy, 60000);
    assert_int_equal(told.runs[60], 1);
    assert_int_equal(told.runs[199], 1);
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.small = 2});
    play(&chooser, 200, NULL, short_and_noisy, 200000);
    assert_int_equal(told.tried[1], 0);
}

/* What passes on the messages of others is tried where there are few bytes. */
static void the_small_are_tried_with_few_bytes(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.small = 2});
    play(&chooser, 100, NULL, last_is_best, 1e6);
    assert_int_equal(told.tried[1], 0);
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.small = 2});
    play(&chooser, 100, NULL, last_is_best, 1000);
    assert_int_equal(told.runs[99], 1);
}

static double second_is_little_better(int candidate, int size_class, int64_t number) {
    (void)size_class;
    (void)number;
    return candidate == 0 ? 1 : 0.9;
}

/* What holds back bytes is tried where there are many, and has to be worth it. */
static void the_large_are_tried_with_many_bytes(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.large = 2});
    play(&chooser, 100, NULL, last_is_best, 1000);
    assert_int_equal(told.tried[1], 0);
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.large = 2});
    play(&chooser, 100, NULL, last_is_best, 1e6);
    assert_int_equal(told.runs[5], 1);
    qdri_chooser_open(&chooser, 2, 2, (qdri_care){.large = 2});
    play(&chooser, 100, NULL, second_is_little_better, 1e6);
    assert_int_equal(told.runs[99], 0);
}

static double all_alike(int candidate, int size_class, int64_t number) {
    (void)candidate, (void)size_class, (void)number;
    return 0.1;
}

static double plain_is_worse(int candidate, int size_class, int64_t number) {
    (void)size_class, (void)number;
    return candidate == 2 ? 0.11 : candidate == 0 ? 0.1 : 0.12;
}

static double plain_is_far_worse(int candidate, int size_class, int64_t number) {
    (void)size_class, (void)number;
    return candidate == 2 ? 0.22 : 0.1;
}

/* The first plain exchange opens what later ones find. */
static double plain_begins_slowly(int candidate, int size_class, int64_t number) {
    static int64_t first;
    (void)size_class;
    if (number == 0) first = 0;
    if (candidate == 2 && first == 0) first = number;
    return candidate != 2 ? 1.2e-3 : number == first ? 5e-3 : 1.1e-3;
}

/* Few bytes go plainly, unless another is better by much; and never in the first exchange, which all begin alike. */
static void few_bytes_go_plainly(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 4, .quick = 4});
    play(&chooser, 200, NULL, all_alike, 120);
    assert_int_equal(told.runs[0], 0);
    assert_int_equal(told.runs[5], 2);
    assert_int_equal(told.runs[199], 2);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 4, .quick = 4});
    play(&chooser, 200, NULL, plain_is_worse, 120);
    assert_int_equal(told.runs[199], 2);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 4, .quick = 4});
    play(&chooser, 200, NULL, plain_is_far_worse, 120);
    assert_int_not_equal(told.runs[199], 2);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 4, .quick = 4});
    play(&chooser, 200, NULL, plain_begins_slowly, 120);
    assert_int_equal(told.runs[199], 2);
    qdri_chooser_open(&chooser, 3, 2, (qdri_care){.risky = 4, .quick = 4});
    play(&chooser, 200, NULL, all_alike, 1e5); /* a slow wire, and more than a port holds */
    assert_int_equal(told.tried[2], 0);
}

/* Exchanges of some milliseconds, of which single ones take up to three times as long. */
static double passing_on_halves(int candidate, int size_class, int64_t number) {
    static const double usual[] = {8e-3, 10e-3, 7e-3, 3e-3};
    uint64_t noise = qdri_mix((uint64_t)number * 8 + (uint64_t)candidate);
    (void)size_class;
    return usual[candidate] * (1 + 2e-9 * (double)(noise % 1000000000));
}

/* What passes messages on is taken at once where it is thought to be quick, and stays although single exchanges say little. */
static void passing_on_is_taken_at_once(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 4, 2, (qdri_care){.risky = 4, .small = 8, .quick = 8});
    play(&chooser, 200, NULL, passing_on_halves, 120);
    int often = 0;
    for (int i = 5; i < 200; i++) often += told.runs[i] == 3;
    assert_in_range(often, 175, 195);
}

/* Sizes change by a factor of eight, and the wire sets the pace; the second candidate needs a fifth less. */
static double changing_bytes(int64_t number) {
    return 1e5 * (1 + (double)(qdri_mix((uint64_t)number) % 8));
}

static double by_bytes(int candidate, int size_class, int64_t number) {
    (void)size_class;
    return changing_bytes(number) * (candidate == 1 ? 0.8e-6 : 1e-6);
}

static void other_sizes_are_compared_by_their_bytes(void **state) {
    qdri_chooser chooser;
    (void)state;
    qdri_chooser_open(&chooser, 3, 2, no_care);
    bytes_of = changing_bytes;
    play(&chooser, 2000, NULL, by_bytes, 0);
    bytes_of = NULL;
    int often = 0;
    for (int i = 5; i < 2000; i++) often += told.runs[i] == 1;
    assert_in_range(often, 1960, 1995);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_candidate_needs_no_contest),
        cmocka_unit_test(the_best_is_found),
        cmocka_unit_test(a_risk_is_taken_only_where_it_may_pay),
        cmocka_unit_test(a_change_is_noticed),
        cmocka_unit_test(trials_become_rare),
        cmocka_unit_test(classes_are_kept_apart),
        cmocka_unit_test(nonsense_teaches_nothing),
        cmocka_unit_test(classes_are_powers_of_two),
        cmocka_unit_test(the_rule_lists_what_can_run),
        cmocka_unit_test(more_is_tried_where_sizes_stay),
        cmocka_unit_test(luck_does_not_decide_among_short_ones),
        cmocka_unit_test(the_small_are_tried_with_few_bytes),
        cmocka_unit_test(the_large_are_tried_with_many_bytes),
        cmocka_unit_test(few_bytes_go_plainly),
        cmocka_unit_test(passing_on_is_taken_at_once),
        cmocka_unit_test(other_sizes_are_compared_by_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
