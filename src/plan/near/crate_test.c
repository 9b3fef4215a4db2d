/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crates, with both ends in one process: each is filled and emptied in turn, whatever was said; rows do not share memory; and a
 * row is used again when both ends have left it.
 */
#include "plan/near/channel_testing.h"
#include "plan/near/crate.h"

static void test_in_turn(void **state) {
    (void)state;
    int64_t row = qdri_crate_row(NULL, 3);
    assert_true(row > 0);
    for (int64_t number = 1; number < 20; number++)
        for (int i = 0; i < 3; i++) {
            qdri_crate *crate = qdri_crate_of(NULL, 0, row, i);
            int is_sent = (number + i) % 5 == 0; /* what does not fit */
            assert_true(qdri_crate_is_empty(crate, number - 1));
            assert_false(qdri_crate_is_full(crate));
            memset(crate->data, (int)number + i, sizeof crate->data);
            qdri_crate_fill(crate, number, is_sent ? QDRI_CRATE_IS_SENT : QDRI_CRATE_BYTES);
            assert_false(qdri_crate_is_empty(crate, number));
            assert_true(qdri_crate_is_full(crate));
            assert_int_equal(crate->bytes, is_sent ? QDRI_CRATE_IS_SENT : QDRI_CRATE_BYTES);
            assert_int_equal(crate->data[QDRI_CRATE_BYTES - 1], number + i);
            qdri_crate_empty(crate);
        }
    qdri_crate_row_left(NULL, 0, row);
    qdri_crate_row_closed(NULL, row, 1);
    assert_int_equal(uses, 0);
}

/* Nobody was told of the first row; the second begins empty where the first was full. */
static void test_memory_is_used_again(void **state) {
    (void)state;
    int64_t row = qdri_crate_row(NULL, 2), other = qdri_crate_row(NULL, 2);
    qdri_crate_fill(qdri_crate_of(NULL, 0, row, 1), 7, 8);
    assert_false(qdri_crate_is_full(qdri_crate_of(NULL, 0, other, 0)));
    assert_false(qdri_crate_is_full(qdri_crate_of(NULL, 0, row, 0)));
    qdri_crate_row_closed(NULL, row, 0);
    assert_int_equal(qdri_crate_row(NULL, 2), row);
    assert_true(qdri_crate_is_empty(qdri_crate_of(NULL, 0, row, 1), 0));
    assert_false(qdri_crate_is_full(qdri_crate_of(NULL, 0, row, 1)));
    qdri_crate_row_closed(NULL, row, 0);
    qdri_crate_row_closed(NULL, other, 0);
    refuse_in = 1;
    assert_int_equal(qdri_crate_row(NULL, 2), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_in_turn, set_up),
                                       cmocka_unit_test_setup(test_memory_is_used_again, set_up)};
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
