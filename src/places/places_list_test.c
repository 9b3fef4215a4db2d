/* SPDX-License-Identifier: BSD-3-Clause */
/* A list gives back what it was made of, whatever its shape; walks agree with it; and it is refused when it
 * cannot be one. */
#include "places/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places_testing.h"
#include "places/walk.h"

enum { MOST = 700 };

static int64_t scratch[MOST + 1];

static int repeats(const int64_t *index, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i + 1; j < count; j++)
            if (index[i] == index[j]) return 1;
    return 0;
}

static void check_range_of(const qdri_places *list, const int64_t *index, int64_t count) {
    int64_t lowest = count ? INT64_MAX : 0, highest = -1;
    for (int64_t k = 0; k < count; k++) {
        if (index[k] < lowest) lowest = index[k];
        if (index[k] > highest) highest = index[k];
    }
    assert_int_equal(list->count, count);
    assert_true(list->lowest == lowest && list->highest == highest);
}

static void check_walk(const qdri_places *list, const int64_t *index) {
    qdri_walk walk;
    int64_t seen = 0;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) {
        assert_true(walk.position == seen && walk.rows > 0 && walk.run > 0);
        assert_true(walk.base >= 0); /* pointers to a stretch stay inside the array */
        QDRI_EACH_ELEMENT(walk, element) assert_true(element == index[seen++]);
    }
    assert_int_equal(seen, list->count);
}

static qdri_shape check_list(const int64_t *index, int64_t count) {
    qdri_places list;
    assert_int_equal(qdri_places_open(index, -77, count, &list), QDR_OK);
    check_range_of(&list, index, count);
    for (int64_t k = 0; k < count; k++) assert_true(qdri_places_at(&list, k) == index[k]);
    check_walk(&list, index);
    if (list.distinct) assert_false(repeats(index, count));
    qdri_shape shape = list.shape;
    qdri_places_close(&list);
    assert_int_equal(list.count, 0);
    qdri_places_close(&list);
    return shape;
}

static void every_shape_and_size(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(11);
    int64_t shapes[3] = {0};
    for (int64_t count = 0; count <= MOST; count += count < 300 ? 1 : 37)
        for (int kind = 0; kind < LIST_CASES; kind++) {
            fill_case((list_case)kind, &random, count, scratch);
            qdri_shape shape = check_list(scratch, count);
            shapes[shape]++;
            if (kind <= CASE_CONSTANT || count <= 2) assert_int_equal(shape, QDRI_EVEN);
            if (kind == CASE_LONG_RUNS && count > 100) assert_int_equal(shape, QDRI_PIECES);
            if (kind == CASE_SCATTERED && count > 100) assert_int_equal(shape, QDRI_SCATTERED);
        }
    for (int shape = 0; shape < 3; shape++) assert_true(shapes[shape] > 50);
}

/* All but one entry even, contiguous or rising: the one must be noticed wherever it stands. */
static void one_out_of_line(void **state) {
    (void)state;
    for (int64_t stride = -2; stride <= 2; stride++)
        for (int64_t wrong = 0; wrong < 60; wrong++) {
            for (int64_t k = 0; k < 60; k++) scratch[k] = 500 + stride * k;
            scratch[wrong] += 7;
            assert_int_not_equal(check_list(scratch, 60), QDRI_EVEN);
        }
}

static void distinct_lists_are_known(void **state) {
    (void)state;
    static const int64_t rising[] = {1, 2, 5, 9, 10}, falling[] = {9, 8, 3, 1, 0}, same[] = {4, 4, 4};
    static const int64_t mixed[] = {1, 2, 5, 4}, flat[] = {1, 2, 2, 7};
    static const struct {
        const int64_t *index;
        int64_t count;
        int distinct;
    } cases[] = {{rising, 5, 1}, {falling, 5, 1}, {same, 3, 0}, {same, 1, 1}, {mixed, 4, 0}, {flat, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qdri_places list;
        assert_int_equal(qdri_places_open(cases[i].index, 0, cases[i].count, &list), QDR_OK);
        assert_int_equal(list.distinct, cases[i].distinct);
        qdri_places_close(&list);
    }
}

/* Elements beyond 32 bits: near each other, far apart, evenly and not. */
static void large_elements(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(3);
    static const int64_t spans[] = {UINT32_MAX, INT64_C(1) << 32, INT64_C(1) << 40, INT64_MAX - 100};
    for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++)
        for (int64_t count = 3; count < 300; count += 11) {
            for (int64_t k = 0; k < count; k++) scratch[k] = 100 + qdri_random_between(&random, 0, spans[s]);
            scratch[count / 2] = 100;
            scratch[count - 1] = 100 + spans[s];
            assert_int_equal(check_list(scratch, count),
                             spans[s] > UINT32_MAX ? QDRI_PIECES : QDRI_SCATTERED);
        }
    for (int64_t k = 0; k < 300; k++) scratch[k] = (INT64_C(1) << 50) + 3 * (k * k % 101);
    assert_int_equal(check_list(scratch, 300), QDRI_SCATTERED);
    static const int64_t strides[] = {1 << 24,          (1 << 24) + 1,    1 << 28,
                                      INT64_C(1) << 31, INT64_C(1) << 32, INT64_MAX / 300};
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++)
        for (int falling = 0; falling < 2; falling++) {
            for (int64_t k = 0; k < 300; k++) scratch[k] = strides[s] * (falling ? 299 - k : k);
            assert_int_equal(check_list(scratch, 300), QDRI_EVEN);
        }
    scratch[0] = INT64_MAX;
    scratch[1] = 0;
    assert_int_equal(check_list(scratch, 2), QDRI_EVEN);
}

static void without_index(void **state) {
    (void)state;
    static const struct {
        int64_t first, count;
    } cases[] = {{0, 1}, {5, 300}, {INT64_C(1) << 40, INT64_C(1) << 60}, {INT64_MAX - 3, 3}, {0, INT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t first = cases[i].first, count = cases[i].count;
        qdri_places list;
        assert_int_equal(qdri_places_open(NULL, first, count, &list), QDR_OK);
        assert_true(list.lowest == first && list.highest == first + (count - 1) && list.distinct);
        assert_true(qdri_places_at(&list, 0) == first && qdri_places_at(&list, count - 1) == list.highest);
        qdri_walk walk;
        qdri_walk_begin(&walk, &list);
        assert_true(qdri_walk_next(&walk) && walk.run == count && walk.rows == 1 && !walk.index &&
                    !qdri_walk_next(&walk));
        qdri_places_close(&list);
    }
    qdri_places none;
    assert_int_equal(qdri_places_open(NULL, -4, 0, &none), QDR_OK); /* no entry, so no element is wrong */
    assert_true(none.count == 0 && none.lowest == 0 && none.highest == -1);
    qdri_places_close(&none);
}

/* A part walks through the entries that it has, wherever it is cut, and so does a part of a part. */
static void check_part(const qdri_places *part, const int64_t *index, int64_t count) {
    qdri_walk walk;
    int64_t walked = 0;
    assert_int_equal(part->count, count);
    for (int64_t k = 0; k < count; k++) assert_int_equal(qdri_places_at(part, k), index[k]);
    for (qdri_walk_begin(&walk, part); qdri_walk_next(&walk);) {
        assert_true(walk.position == walked && walk.rows > 0 && walk.run > 0);
        QDRI_EACH_ELEMENT(walk, element) assert_int_equal(element, index[walked++]);
    }
    assert_int_equal(walked, count);
}

static void parts(void **state) {
    (void)state;
    enum { COUNT = 700 };
    static int64_t index[COUNT];
    qdri_random random = qdri_random_seed(11);
    for (int kind = 0; kind < LIST_CASES; kind++) {
        qdri_places list;
        fill_case((list_case)kind, &random, COUNT, index);
        assert_int_equal(qdri_places_open(index, 0, COUNT, &list), QDR_OK);
        for (int turn = 0; turn < 300; turn++) {
            int64_t from = qdri_random_between(&random, 0, COUNT),
                    to = qdri_random_between(&random, from, COUNT);
            int64_t length = to - from, first = qdri_random_between(&random, 0, length);
            qdri_places part = qdri_places_part(&list, from, to),
                        inner = qdri_places_part(&part, first, length);
            check_part(&part, index + from, length);
            check_part(&inner, index + from + first, length - first);
        }
        qdri_places_close(&list);
    }
}

static void expect_refusal(const int64_t *index, int64_t first, int64_t count, const char *words) {
    qdri_places list, before;
    memset(&list, 0x5a, sizeof list);
    memcpy(&before, &list, sizeof list);
    assert_int_equal(qdri_places_open(index, first, count, &list), QDR_ERR_RANGE);
    assert_memory_equal(&list, &before, sizeof list);
    if (!strstr(qdr_error_message(), words)) fail_msg("'%s' lacks '%s'", qdr_error_message(), words);
}

static void refusals(void **state) {
    (void)state;
    static const int64_t late[] = {3, 1, 4, 1, -5, 9}, even[] = {4, 2, 0, -2},
                         lowest[] = {INT64_MIN, INT64_MAX};
    expect_refusal(late, 0, 6, "entry 4 of a list is element -5");
    expect_refusal(even, 0, 4, "entry 3 of a list is element -2");
    expect_refusal(lowest, 0, 2, "entry 0");
    expect_refusal(late, 0, -1, "-1 entries");
    expect_refusal(NULL, 0, -1, "-1 entries");
    expect_refusal(NULL, -8, 2, "element -8");
    expect_refusal(NULL, 1, INT64_MAX, "beyond");
    expect_refusal(NULL, INT64_MAX, 1, "beyond");
    qdri_places zero = {0};
    qdri_places_close(&zero);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_and_size),
        cmocka_unit_test(one_out_of_line),
        cmocka_unit_test(distinct_lists_are_known),
        cmocka_unit_test(large_elements),
        cmocka_unit_test(without_index),
        cmocka_unit_test(parts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
