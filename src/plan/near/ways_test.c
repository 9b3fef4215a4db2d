/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from exchanges that were measured: both ways are tried in turn, and the faster one is taken. */
#include "plan/near/ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Exchanges as they are wanted; how many of them read. */
static int exchange(qdri_race *race, int count, const double seconds[QDRI_WAYS]) {
    static int64_t number;
    int reads = 0;
    for (int i = 0; i < count; i++, number++) {
        int races = qdri_race_goes_on(race);
        qdri_way way = !races ? qdri_race_best(race) : number % 2 ? QDRI_WAY_READ : QDRI_WAY_ARENA;
        reads += way == QDRI_WAY_READ;
        if (races) qdri_race_measured(race, way, seconds[way]);
    }
    return reads;
}

static qdri_way taken(double arena, double read) {
    qdri_race race = {.begun = 0};
    assert_int_equal(exchange(&race, 4, (const double[]){arena, read}), 2);
    int reads = exchange(&race, 1000, (const double[]){arena, read});
    assert_true(reads < 20 || reads > 980); /* a few to try it again */
    return qdri_race_best(&race);
}

static void the_faster_one(void **state) {
    (void)state;
    assert_int_equal(taken(2e-5, 1e-5), QDRI_WAY_READ);
    assert_int_equal(taken(1e-5, 2e-5), QDRI_WAY_ARENA);
    assert_int_equal(taken(1e-5, 1e-5), QDRI_WAY_ARENA); /* the same: what needs no permission */
}

/* Four exchanges where there is no doubt, six where they are long, else fourteen. */
static void doubts_are_tried_longer(void **state) {
    (void)state;
    qdri_race clear = {.begun = 0}, is_long = {.begun = 0}, is_short = {.begun = 0};
    assert_int_equal(exchange(&clear, 4, (const double[]){2e-5, 1e-5}), 2);
    assert_int_equal(exchange(&clear, 10, (const double[]){2e-5, 1e-5}), 10);
    assert_int_equal(exchange(&is_long, 6, (const double[]){1.1e-2, 1e-2}), 3);
    assert_int_equal(exchange(&is_long, 10, (const double[]){1.1e-2, 1e-2}), 10);
    assert_int_equal(exchange(&is_short, 14, (const double[]){1.1e-5, 1e-5}), 7);
    assert_int_equal(exchange(&is_short, 10, (const double[]){1.1e-5, 1e-5}), 10);
}

static void one_slow_exchange_decides_nothing(void **state) {
    (void)state;
    qdri_race race = {.begun = 0};
    exchange(&race, 3, (const double[]){2e-5, 1e-5});
    exchange(&race, 2, (const double[]){2e-5, 1e-3});
    exchange(&race, 7, (const double[]){2e-5, 1e-5});
    assert_int_equal(qdri_race_best(&race), QDRI_WAY_READ);
}

/* Whatever disturbed the race, or changed since. */
static void mistakes_do_not_last(void **state) {
    (void)state;
    qdri_race race = {.begun = 0};
    exchange(&race, 20, (const double[]){2e-5, 4e-5});
    assert_int_equal(qdri_race_best(&race), QDRI_WAY_ARENA);
    exchange(&race, 4000, (const double[]){2e-5, 1e-5});
    assert_int_equal(qdri_race_best(&race), QDRI_WAY_READ);
}

static void sizes_learn_from_each_other(void **state) {
    (void)state;
    static qdri_ways ways;
    exchange(qdri_race_of(&ways, 20), 20, (const double[]){2e-5, 1e-5});
    assert_int_equal(exchange(qdri_race_of(&ways, 23), 10, (const double[]){16e-5, 8e-5}),
                     10); /* no race at first */
    assert_int_equal(exchange(qdri_race_of(&ways, 18), 10, (const double[]){5e-6, 2e-6}), 10);
    assert_int_equal(qdri_race_best(qdri_race_of(&ways, 40)), QDRI_WAY_ARENA); /* too far */
    assert_int_equal(exchange(qdri_race_of(&ways, 30), 4, (const double[]){2e-5, 1e-5}), 2);
    /* What was taken over does not hold for this size. */
    exchange(qdri_race_of(&ways, 23), 4000, (const double[]){8e-5, 16e-5});
    assert_int_equal(qdri_race_best(qdri_race_of(&ways, 23)), QDRI_WAY_ARENA);
}

/* The system does not let it read, or partners are never in step. */
static void what_cannot_be_tried(void **state) {
    (void)state;
    qdri_race race = {.begun = 0};
    int tried = 0;
    for (int i = 0; i < 1000; i++) {
        int races = qdri_race_goes_on(&race);
        tried += races;
        if (races) qdri_race_measured(&race, QDRI_WAY_ARENA, 1e-5);
    }
    assert_true(tried < 300);
    assert_int_equal(qdri_race_best(&race), QDRI_WAY_ARENA);
}

/* Plans of one exchange each: the way of each first exchange follows from the one before. */
static qdri_way taken_once_each(double arena, double read) {
    const double seconds[QDRI_WAYS] = {arena, read};
    qdri_race race = {.begun = 0};
    qdri_way way = QDRI_WAY_ARENA;
    int reads = 0;
    for (int i = 0; i < 100; i++) {
        int races = qdri_race_goes_on(&race);
        qdri_way next = races ? qdri_race_next(&race, way) : qdri_race_best(&race);
        if (races) qdri_race_measured(&race, way, seconds[way]);
        reads += way == QDRI_WAY_READ;
        way = next;
    }
    assert_true(reads < 20 || reads > 80);
    return way;
}

static void plans_of_one_exchange_race_too(void **state) {
    (void)state;
    assert_int_equal(taken_once_each(2e-5, 1e-5), QDRI_WAY_READ);
    assert_int_equal(taken_once_each(1e-5, 2e-5), QDRI_WAY_ARENA);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_faster_one),
                                       cmocka_unit_test(doubts_are_tried_longer),
                                       cmocka_unit_test(one_slow_exchange_decides_nothing),
                                       cmocka_unit_test(mistakes_do_not_last),
                                       cmocka_unit_test(sizes_learn_from_each_other),
                                       cmocka_unit_test(what_cannot_be_tried),
                                       cmocka_unit_test(plans_of_one_exchange_race_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
