/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern object: order, column index, what is refused, owners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "pattern/pattern.h"

static qdr_pattern *make(int ranks, int64_t count, const qdr_message *messages) {
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_create(ranks, count, messages, &pattern), QDR_OK);
    assert_non_null(pattern);
    return pattern;
}

static void assert_refused(int ranks, int64_t count, const qdr_message *messages, qdr_status expected,
                           const char *text) {
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_create(ranks, count, messages, &pattern), expected);
    assert_null(pattern);
    if (!strstr(qdr_error_message(), text)) fail_msg("'%s' lacks '%s'", qdr_error_message(), text);
}

static void messages_are_sorted_and_the_diagonal_is_apart(void **state) {
    (void)state;
    const qdr_message messages[] = {{2, 0, 7}, {0, 2, 5}, {1, 1, 9}, {0, 1, 4}, {2, 1, 6}, {1, 0, 0}};
    qdr_pattern *pattern = make(3, 6, messages);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    const int origin[] = {0, 0, 2, 2}, destination[] = {1, 2, 0, 1};
    const int64_t items[] = {4, 5, 7, 6}, row[] = {0, 2, 2, 4}, column[] = {0, 1, 3, 4},
                  by_column[] = {2, 0, 3, 1};
    const int64_t local[] = {0, 9, 0};
    assert_int_equal(view.ranks, 3);
    assert_int_equal(view.messages, 4);
    assert_memory_equal(view.origin, origin, sizeof origin);
    assert_memory_equal(view.destination, destination, sizeof destination);
    assert_memory_equal(view.items, items, sizeof items);
    assert_memory_equal(view.row_start, row, sizeof row);
    assert_memory_equal(view.column_start, column, sizeof column);
    assert_memory_equal(view.column_message, by_column, sizeof by_column);
    assert_memory_equal(view.local, local, sizeof local);
    qdr_pattern_destroy(&pattern);
    assert_null(pattern);
}

/* Any order of the same messages is the same pattern, and each of them is found where the view says. */
static void random_matrices_keep_every_entry(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(5);
    for (int trial = 0; trial < 300; trial++) {
        int ranks = (int)qdri_random_between(&random, 1, 20);
        int64_t matrix[20][20] = {{0}}, count = 0;
        qdr_message messages[400];
        for (int i = 0; i < ranks; i++)
            for (int j = 0; j < ranks; j++) {
                if (qdri_random_below(&random, 3)) continue;
                matrix[i][j] = qdri_random_between(&random, 0, 3);
                messages[count++] = (qdr_message){i, j, matrix[i][j]};
            }
        for (int64_t k = count - 1; k > 0; k--) {
            int64_t other = qdri_random_between(&random, 0, k);
            qdr_message kept = messages[k];
            messages[k] = messages[other];
            messages[other] = kept;
        }
        qdr_pattern *pattern = make(ranks, count, messages);
        qdr_pattern_view view = qdr_pattern_look(pattern);
        for (int i = 0; i < ranks; i++) {
            assert_int_equal(view.local[i], matrix[i][i]);
            matrix[i][i] = 0;
            for (int64_t m = view.row_start[i]; m < view.row_start[i + 1]; m++) {
                assert_int_equal(view.origin[m], i);
                assert_true(m == view.row_start[i] || view.destination[m - 1] < view.destination[m]);
                assert_true(view.items[m] > 0);
            }
        }
        for (int j = 0; j < ranks; j++)
            for (int64_t k = view.column_start[j]; k < view.column_start[j + 1]; k++) {
                int64_t m = view.column_message[k];
                assert_int_equal(view.destination[m], j);
                assert_true(k == view.column_start[j] || view.column_message[k - 1] < m);
                assert_int_equal(view.items[m], matrix[view.origin[m]][j]);
                matrix[view.origin[m]][j] = 0;
            }
        for (int i = 0; i < ranks; i++)
            for (int j = 0; j < ranks; j++) assert_int_equal(matrix[i][j], 0);
        assert_int_equal(view.row_start[ranks], view.messages);
        assert_int_equal(view.column_start[ranks], view.messages);
        qdr_pattern_destroy(&pattern);
    }
}

static void nothing_is_legal(void **state) {
    (void)state;
    const qdr_message zeros[] = {{0, 0, 0}, {0, 0, 0}};
    qdr_pattern *empty = make(1, 0, NULL), *zero = make(1, 2, zeros);
    assert_int_equal(qdr_pattern_look(empty).messages, 0);
    assert_int_equal(qdr_pattern_look(zero).local[0], 0);
    qdr_pattern_destroy(&empty);
    qdr_pattern_destroy(&zero);
    qdr_pattern_destroy(&zero);
    qdr_pattern_destroy(NULL);
}

static void mistakes_are_named(void **state) {
    (void)state;
    const int64_t half = INT64_C(1) << 61;
    const qdr_message outside[] = {{0, 1, 1}, {0, 4, 1}}, below[] = {{-1, 0, 1}}, negative[] = {{2, 1, -5}};
    const qdr_message twice[] = {{3, 1, 8}, {0, 1, 1}, {3, 1, 9}}, local_twice[] = {{2, 2, 8}, {2, 2, 9}};
    const qdr_message much[] = {{0, 1, half}, {1, 0, half}, {2, 2, 1}};
    assert_refused(0, 0, NULL, QDR_ERR_RANGE, "a pattern of 0 ranks; expected 1 to 16777216");
    assert_refused(-3, 0, NULL, QDR_ERR_RANGE, "a pattern of -3 ranks");
    assert_refused(QDRI_RANKS_LIMIT + 1, 0, NULL, QDR_ERR_RANGE, "16777217 ranks");
    assert_refused(4, -1, NULL, QDR_ERR_RANGE, "-1 messages");
    assert_refused(4, 1, NULL, QDR_ERR_INVALID, "is NULL");
    assert_refused(4, 2, outside, QDR_ERR_RANGE,
                   "message 1 goes from rank 0 to rank 4; expected ranks 0 to 3");
    assert_refused(4, 1, below, QDR_ERR_RANGE, "from rank -1 to rank 0");
    assert_refused(4, 1, negative, QDR_ERR_RANGE, "from rank 2 to rank 1 has -5 items; expected 0 or more");
    assert_refused(4, 3, twice, QDR_ERR_INVALID, "from rank 3 to rank 1 is given twice (8 and 9 items)");
    assert_refused(4, 2, local_twice, QDR_ERR_INVALID,
                   "from rank 2 to rank 2 is given twice (8 and 9 items)");
    assert_refused(4, 3, much, QDR_ERR_RANGE, "2^62 items with the message from rank 2 to rank 2 (1 items)");
    assert_int_equal(qdr_pattern_create(1, 0, NULL, NULL), QDR_ERR_INVALID);
    qdr_pattern *most = make(4, 2, much);
    qdr_pattern_destroy(&most);
}

static void the_last_owner_frees(void **state) {
    (void)state;
    const qdr_message message = {0, 1, 3};
    qdr_pattern *pattern = make(2, 1, &message), *second = qdri_pattern_retain(pattern);
    assert_ptr_equal(pattern, second);
    qdr_pattern_destroy(&pattern);
    assert_null(pattern);
    assert_int_equal(qdr_pattern_look(second).items[0], 3);
    qdr_pattern_destroy(&second);
}

static void the_builder_grows_and_passes_failures_on(void **state) {
    (void)state;
    qdri_pattern_builder builder;
    qdr_pattern *pattern = NULL;
    qdri_pattern_begin(&builder, 100, 0);
    for (int i = 99; i >= 0; i--)
        for (int j = 0; j < 100; j++) qdri_pattern_add(&builder, i, j, i + j);
    assert_int_equal(qdri_pattern_finish(&builder, &pattern), QDR_OK);
    assert_int_equal(qdr_pattern_look(pattern).messages, 9900);
    assert_null(builder.messages);
    qdr_pattern_destroy(&pattern);

    qdri_pattern_begin(&builder, 3, 0); /* zero items are a message here, but not on the diagonal */
    for (int j = 0; j < 3; j++) qdri_pattern_add(&builder, 1, j, 0);
    assert_int_equal(qdri_pattern_finish(&builder, &pattern), QDR_OK);
    assert_int_equal(qdr_pattern_look(pattern).messages, 2);
    assert_int_equal(qdr_pattern_look(pattern).items[1], 0);
    qdr_pattern_destroy(&pattern);

    qdri_pattern_begin(&builder, 2, INT64_MAX / 4);
    qdri_pattern_add(&builder, 0, 1, 1);
    assert_int_equal(qdri_pattern_finish(&builder, &pattern), QDR_ERR_MEMORY);
    assert_null(pattern);
    qdri_pattern_begin(&builder, 2, 1);
    qdri_pattern_add(&builder, 0, 2, 1);
    assert_int_equal(qdri_pattern_finish(&builder, &pattern), QDR_ERR_RANGE);
    qdri_pattern_begin(&builder, 2, 1);
    qdri_pattern_abandon(&builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_sorted_and_the_diagonal_is_apart),
        cmocka_unit_test(random_matrices_keep_every_entry),
        cmocka_unit_test(nothing_is_legal),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(the_last_owner_frees),
        cmocka_unit_test(the_builder_grows_and_passes_failures_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
