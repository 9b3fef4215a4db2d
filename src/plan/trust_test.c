/* SPDX-License-Identifier: BSD-3-Clause */
/* Trust: it grows while going uninvited costs nothing, is gone when that costs much, and comes back later each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/trust.h"

enum { BYTES = 1000 };

/* Runs exchanges as a receiver lets them go, each taking one of two times; returns how many went uninvited. */
static int run(qdri_trust *trust, int exchanges, double invited, double open) {
    int left = 0, count = 0;
    for (int i = 0; i < exchanges; i++) {
        int is_open = left > 0;
        if (is_open)
            left--;
        else
            left = qdri_trust_times(trust);
        qdri_trust_learn(trust, !is_open, is_open ? open : invited, BYTES);
        count += is_open;
    }
    return count;
}

static void nothing_goes_before_something_is_known(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    assert_int_equal(qdri_trust_times(&trust), 0);
    qdri_trust_learn(&trust, 1, 1, 0); /* nothing was exchanged, so nothing was learned */
    assert_int_equal(qdri_trust_times(&trust), 0);
    qdri_trust_learn(&trust, 1, 1, BYTES);
    assert_int_equal(qdri_trust_times(&trust), 1);
}

/* On a quick network the first exchanges go uninvited: with nothing to compare them with, nothing is learned from them. */
static void it_is_whole_at_first_on_quick_networks(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    qdri_trust_first(&trust);
    for (int i = 0; i < QDRI_MOST_TRUSTED; i++) qdri_trust_learn(&trust, 0, 5, BYTES);
    assert_int_equal(qdri_trust_times(&trust), 0);
    qdri_trust_learn(&trust, 1, 1, BYTES);
    assert_int_equal(qdri_trust_times(&trust), QDRI_MOST_TRUSTED);
}

static void it_grows_where_it_costs_nothing(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    /* Two with invitations and one without, then one and two, then one and eight. */
    assert_int_equal(run(&trust, 3, 1, 0.98), 1);
    assert_int_equal(run(&trust, 3, 1, 0.98), 2);
    assert_int_equal(run(&trust, 9, 1, 0.98), 8);
    assert_true(run(&trust, 900, 1, 0.98) >= 790);
    assert_int_equal(qdri_trust_times(&trust), 8);
}

static void it_is_gone_where_it_costs_much(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    /* After 2, 4, 8, 16, 32, 64 and so on. */
    assert_int_equal(run(&trust, 200, 1, 5), 6);
    assert_true(run(&trust, 10000, 1, 5) < 20);
}

static void it_ends_when_things_change(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    run(&trust, 100, 1, 1);
    assert_true(run(&trust, 64, 1.2, 5) <= 8 + 8 + 2); /* the rest of one row, and perhaps a new one */
    assert_int_equal(trust.wait > 0, 1);
}

/* What takes longer for everybody says nothing about invitations. */
static void a_slower_network_alone_changes_nothing(void **state) {
    qdri_trust trust;
    (void)state;
    qdri_trust_init(&trust);
    run(&trust, 100, 1, 1);
    for (int i = 0; i < 10; i++) run(&trust, 9, 1 + 0.04 * i, 1 + 0.04 * i);
    assert_int_equal(qdri_trust_times(&trust), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_goes_before_something_is_known),
        cmocka_unit_test(it_is_whole_at_first_on_quick_networks),
        cmocka_unit_test(it_grows_where_it_costs_nothing),
        cmocka_unit_test(it_is_gone_where_it_costs_much),
        cmocka_unit_test(it_ends_when_things_change),
        cmocka_unit_test(a_slower_network_alone_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
