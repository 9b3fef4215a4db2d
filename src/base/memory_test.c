/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that overflow are refused before anything is multiplied; growing keeps what there was. */
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void sizes_that_overflow(void **state) {
    (void)state;
    static const int64_t counts[] = {INT64_MAX, INT64_MAX / 8 + 1, INT64_C(1) << 61, -1, INT64_MIN, -16};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_null(qdri_alloc(counts[i], 8));
        assert_null(qdri_alloc_zero(counts[i], 8));
        assert_null(QDRI_ARRAY(int64_t, counts[i]));
        assert_null(QDRI_ZERO_ARRAY(int64_t, counts[i]));
    }
    assert_null(qdri_alloc(-1, 1));
    assert_null(qdri_alloc_zero(-1, 1));
}

static void nothing_is_legal(void **state) {
    (void)state;
    void *a = qdri_alloc(0, 8), *b = qdri_alloc_zero(0, 8), *c = qdri_alloc(5, 0), *d = qdri_alloc_zero(5, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_non_null(d);
    free(a);
    free(b);
    free(c);
    free(d);
}

static void zero_is_zero(void **state) {
    (void)state;
    for (int64_t count = 1; count < 5000; count = 3 * count + 1) {
        int *values = QDRI_ARRAY(int, count); /* so that used memory comes back */
        assert_non_null(values);
        for (int64_t i = 0; i < count; i++) values[i] = -1;
        free(values);
        values = QDRI_ZERO_ARRAY(int, count);
        assert_non_null(values);
        for (int64_t i = 0; i < count; i++) assert_int_equal(values[i], 0);
        free(values);
    }
}

static void growing_keeps_and_doubles(void **state) {
    (void)state;
    int64_t *values = NULL, capacity = 0, moves = 0;
    for (int64_t i = 0; i < 100000; i++) {
        int64_t before = capacity;
        assert_int_equal(qdri_grow(&values, &capacity, i + 1, sizeof *values), 1);
        assert_true(capacity > i);
        if (capacity != before) {
            assert_true(capacity >= 2 * before);
            moves++;
        }
        values[i] = 3 * i;
    }
    for (int64_t i = 0; i < 100000; i++) assert_true(values[i] == 3 * i);
    assert_in_range(moves, 2, 17);
    free(values);
}

static void growing_to_what_is_there(void **state) {
    (void)state;
    char *bytes = NULL;
    int64_t capacity = 0;
    assert_int_equal(qdri_grow(&bytes, &capacity, 0, 1), 1); /* nothing wanted, nothing done */
    assert_null(bytes);
    assert_int_equal(qdri_grow(&bytes, &capacity, -4, 1), 1);
    assert_int_equal(capacity, 0);
    assert_int_equal(qdri_grow(&bytes, &capacity, 1000, 1), 1);
    assert_int_equal(capacity, 1000);
    char *kept = bytes;
    assert_int_equal(qdri_grow(&bytes, &capacity, 1000, 1), 1);
    assert_ptr_equal(bytes, kept);
    assert_int_equal(capacity, 1000);
    free(bytes);
}

static void growing_too_far_changes_nothing(void **state) {
    (void)state;
    int64_t *values = NULL, capacity = 0;
    assert_int_equal(qdri_grow(&values, &capacity, 3, sizeof *values), 1);
    values[2] = 17;
    int64_t *kept = values, size = capacity;
    assert_int_equal(qdri_grow(&values, &capacity, INT64_MAX, sizeof *values), 0);
    assert_int_equal(qdri_grow(&values, &capacity, INT64_MAX / 8 + 1, sizeof *values), 0);
    assert_ptr_equal(values, kept);
    assert_true(capacity == size && values[2] == 17);
    free(values);
    void *none = NULL;
    capacity = INT64_MAX - 1; /* doubling would overflow */
    assert_int_equal(qdri_grow(&none, &capacity, INT64_MAX, 8), 0);
    assert_true(capacity == INT64_MAX - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow),
        cmocka_unit_test(nothing_is_legal),
        cmocka_unit_test(zero_is_zero),
        cmocka_unit_test(growing_keeps_and_doubles),
        cmocka_unit_test(growing_to_what_is_there),
        cmocka_unit_test(growing_too_far_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
