/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns and schedules are their seeds, so the streams may never change: the values here come from an
 * independent implementation of splitmix64 and xoshiro256++.
 */
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void seeding_is_splitmix(void **state) {
    (void)state;
    static const uint64_t words[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                     UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
    qdri_random random = qdri_random_seed(0);
    assert_memory_equal(random.word, words, sizeof words);
    assert_true(qdri_mix(0) == words[0]);
}

static void streams_are_fixed(void **state) {
    (void)state;
    static const struct {
        uint64_t seed, word[4];
    } streams[] = {
        {0,
         {UINT64_C(0x53175d61490b23df), UINT64_C(0x61da6f3dc380d507), UINT64_C(0x5c0fdf91ec9a7bfc),
          UINT64_C(0x02eebf8c3bbe5e1a)}},
        {1,
         {UINT64_C(0xcfc5d07f6f03c29b), UINT64_C(0xbf424132963fe08d), UINT64_C(0x19a37d5757aaf520),
          UINT64_C(0xbf08119f05cd56d6)}},
        {UINT64_MAX,
         {UINT64_C(0x56ccf8ce948e27b2), UINT64_C(0xe68588432e5a5b90), UINT64_C(0xe3e9b5a48119ca8b),
          UINT64_C(0x460f19495532ae73)}},
    };
    for (size_t s = 0; s < sizeof streams / sizeof streams[0]; s++) {
        qdri_random random = qdri_random_seed(streams[s].seed);
        for (int i = 0; i < 4; i++) assert_true(qdri_random_next(&random) == streams[s].word[i]);
    }
    qdri_random random = qdri_random_seed(1);
    for (int i = 0; i < 999; i++) qdri_random_next(&random);
    assert_true(qdri_random_next(&random) == UINT64_C(0x92d52100f9e1da0d));
}

static void derived_values_are_fixed(void **state) {
    (void)state;
    static const uint32_t below[] = {5, 17, 71, 42, 96, 46, 72, 32};
    static const int64_t between[] = {-40, 43, 3, 44, 23, 29, 0, -38};
    static const int shuffled[] = {7, 9, 3, 6, 0, 4, 5, 2, 8, 1};
    qdri_random random = qdri_random_seed(7);
    for (int i = 0; i < 8; i++) assert_int_equal(qdri_random_below(&random, 100), below[i]);
    random = qdri_random_seed(7);
    for (int i = 0; i < 8; i++) assert_int_equal(qdri_random_between(&random, -50, 50), between[i]);
    random = qdri_random_seed(7);
    assert_true(qdri_random_real(&random) == 0x1.c583400555d20p-5);
    assert_true(qdri_random_real(&random) == 0x1.607e46efd274cp-3);
    int value[10];
    for (int i = 0; i < 10; i++) value[i] = i;
    random = qdri_random_seed(7);
    qdri_random_shuffle(&random, value, 10);
    assert_memory_equal(value, shuffled, sizeof shuffled);
}

/* 64 cells of 1000 expected: the deviation of a cell is 32, so 200 is beyond six of them. */
static void cells_fill_evenly(void **state) {
    (void)state;
    enum { CELLS = 64, DRAWS = 64000 };
    int cell[3][CELLS] = {{0}};
    qdri_random random = qdri_random_seed(99);
    for (int i = 0; i < DRAWS; i++) {
        cell[0][qdri_random_below(&random, CELLS)]++;
        cell[1][qdri_random_between(&random, -10, CELLS - 11) + 10]++;
        double real = qdri_random_real(&random);
        assert_true(real >= 0 && real < 1);
        cell[2][(int)(real * CELLS)]++;
    }
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < CELLS; i++) assert_in_range(cell[kind][i], 800, 1200);
}

static void ends_of_the_range_are_drawn(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(3);
    int low = 0, high = 0, negative = 0, seen = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t value = qdri_random_between(&random, -1, 1);
        assert_true(value >= -1 && value <= 1);
        low |= value == -1;
        high |= value == 1;
        assert_int_equal(qdri_random_below(&random, 1), 0);
        assert_true(qdri_random_between(&random, 5, 5) == 5);
        assert_true(qdri_random_between(&random, INT64_MAX, INT64_MAX) == INT64_MAX);
        assert_true(qdri_random_between(&random, INT64_MIN, INT64_MIN) == INT64_MIN);
        assert_true(qdri_random_between(&random, INT64_MAX - 1, INT64_MAX) >= INT64_MAX - 1);
        negative += qdri_random_between(&random, INT64_MIN, INT64_MAX) < 0; /* the span is 2^64 */
        seen |= qdri_random_below(&random, UINT64_C(1) << 32) >= UINT32_C(0x80000000) ? 2 : 1;
    }
    assert_true(low && high && seen == 3);
    assert_in_range(negative, 400, 600);
}

static void a_shuffle_is_a_permutation(void **state) {
    (void)state;
    enum { MOST = 257 };
    qdri_random random = qdri_random_seed(11);
    int moved = 0;
    for (int count = 0; count <= MOST; count++) {
        int value[MOST + 1], seen[MOST + 1] = {0};
        for (int i = 0; i < count; i++) value[i] = i;
        value[count] = -7;
        qdri_random_shuffle(&random, value, count);
        for (int i = 0; i < count; i++) {
            assert_in_range(value[i], 0, count - 1);
            assert_int_equal(seen[value[i]]++, 0);
            moved += value[i] != i;
        }
        assert_int_equal(value[count], -7);
    }
    assert_true(moved > MOST * MOST / 2 - 4 * MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeding_is_splitmix),         cmocka_unit_test(streams_are_fixed),
        cmocka_unit_test(derived_values_are_fixed),    cmocka_unit_test(cells_fill_evenly),
        cmocka_unit_test(ends_of_the_range_are_drawn), cmocka_unit_test(a_shuffle_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
