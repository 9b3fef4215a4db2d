/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a sender is asked for at once, by how late it answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/answers.h"

/* A window of 40 kB takes 8 ms. */
static const qdri_port port = {.window = 40e3, .rate = 5e6, .best = 5e6};
static const double in_time = 0.01, rather_late = 0.02, very_late = 0.1, share = 0.1;
static double now = 100;

static void answer(qdri_answers *answers, double taken) {
    qdri_port copy = port;
    now += taken;
    qdri_answers_judge(answers, &copy, 1, share, now - taken, now);
}

static int64_t most(const qdri_answers *answers) {
    return qdri_answers_most(answers, 0, 1 << 20);
}

static void who_is_in_time_has_no_limit(void **state) {
    qdri_answers answers = {.longest = 0};
    (void)state;
    for (int i = 0; i < 10; i++) answer(&answers, in_time);
    assert_int_equal(most(&answers), 1 << 20);
    assert_false(qdri_answers_first(&answers, &port, 1 << 20, now, now + in_time));
}

static void who_is_rather_late_has_its_share(void **state) {
    qdri_answers answers = {.longest = 0};
    (void)state;
    for (int i = 0; i < 10; i++) answer(&answers, rather_late);
    assert_int_equal(most(&answers), (int64_t)(share * port.window));
    assert_true(qdri_answers_first(&answers, &port, 3500, now, now));
    assert_false(qdri_answers_first(&answers, &port, 2000, now, now));
}

static void who_is_very_late_has_a_packet(void **state) {
    qdri_answers answers = {.longest = 0};
    (void)state;
    answer(&answers, rather_late);
    for (int i = 0; i < 10; i++) answer(&answers, very_late);
    assert_int_equal(most(&answers), QDRI_PACKET);
    assert_true(qdri_answers_first(&answers, &port, 1, now, now));
    assert_false(qdri_answers_first(&answers, &port, 0, now, now + 1));
    for (int i = 0; i < 2; i++) answer(&answers, rather_late);
    assert_int_equal(most(&answers), (int64_t)(share * port.window));
}

static void limits_end(void **state) {
    qdri_answers answers = {.longest = 0};
    (void)state;
    answer(&answers, very_late);
    int64_t before = most(&answers);
    for (int i = 0; i < 40; i++) {
        answer(&answers, in_time);
        assert_true(most(&answers) > before || most(&answers) == 1 << 20);
        before = most(&answers);
    }
    assert_int_equal(before, 1 << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_in_time_has_no_limit), cmocka_unit_test(who_is_rather_late_has_its_share),
        cmocka_unit_test(who_is_very_late_has_a_packet), cmocka_unit_test(limits_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
