/* SPDX-License-Identifier: BSD-3-Clause */
/* Budgets: to the byte, never beyond the limit, and back to nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"

static void counts_and_forgets(void **state) {
    (void)state;
    qdri_budget budget = {.limit = 1000};
    int64_t *numbers = QDRI_BUDGET_ARRAY(&budget, int64_t, 50);
    assert_non_null(numbers);
    int64_t one = budget.used;
    assert_true(one >= 400 && one <= 432);
    assert_null(qdri_budget_alloc(&budget, 1000, 1)); /* refused, and nothing has changed */
    assert_null(qdri_budget_alloc(&budget, -1, 1));
    assert_null(qdri_budget_alloc(&budget, INT64_MAX, 8));
    assert_int_equal(budget.used, one);
    char *zero = qdri_budget_zero(&budget, 100, 1);
    for (int i = 0; i < 100; i++) assert_int_equal(zero[i], 0);
    assert_true(budget.used >= one + 100);
    assert_int_equal(budget.peak, budget.used);
    qdri_budget_free(&budget, numbers);
    qdri_budget_free(&budget, zero);
    qdri_budget_free(&budget, NULL);
    assert_int_equal(budget.used, 0);
    assert_true(budget.peak >= 500);
}

static void grows_within_the_limit(void **state) {
    (void)state;
    qdri_budget budget = {.limit = 4000};
    int64_t *list = NULL, capacity = 0, count = 0;
    while (qdri_budget_grow(&budget, &list, &capacity, count + 1, sizeof *list)) {
        list[count] = count * count;
        count++;
        assert_true(budget.used <= 4000);
    }
    assert_true(budget.peak <= 4000);
    assert_true(count > 100); /* old and new together are within it */
    for (int64_t i = 0; i < count; i++) assert_int_equal(list[i], i * i);
    qdri_budget_free(&budget, list);
    assert_int_equal(budget.used, 0);
}

static void takes_for_others(void **state) {
    (void)state;
    qdri_budget budget = {.limit = 100};
    assert_true(qdri_budget_take(&budget, 100));
    assert_false(qdri_budget_take(&budget, 1));
    assert_null(qdri_budget_alloc(&budget, 0, 1)); /* the head of an empty block counts too */
    qdri_budget_give(&budget, 100);
    assert_int_equal(budget.used, 0);
    assert_false(qdri_budget_take(&budget, INT64_MAX));
    assert_int_equal(budget.peak, 100);
}

static void without_a_limit(void **state) {
    (void)state;
    qdri_budget counting = {.limit = 0};
    for (int i = 0; i < 2; i++) {
        qdri_budget *budget = i ? &counting : NULL;
        char *block = qdri_budget_alloc(budget, 1 << 20, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        memset(block, 1, 1 << 20);
        qdri_budget_free(budget, block);
        assert_true(qdri_budget_take(budget, INT64_C(1) << 40));
        qdri_budget_give(budget, INT64_C(1) << 40);
    }
    assert_int_equal(counting.used, 0);
    assert_int_equal(counting.peak, INT64_C(1) << 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_forgets),
        cmocka_unit_test(grows_within_the_limit),
        cmocka_unit_test(takes_for_others),
        cmocka_unit_test(without_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
