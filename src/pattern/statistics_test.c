/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics: the numbers that the papers print beside their matrices, classes, and a plain recount. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "quadrille/pattern.h"

static qdr_pattern_statistics measure_spec(const char *spec) {
    qdr_pattern *pattern = NULL;
    qdr_pattern_statistics statistics;
    if (qdr_pattern_from_spec(spec, &pattern) != QDR_OK) fail_msg("%s", qdr_error_message());
    qdr_pattern_measure(pattern, &statistics);
    qdr_pattern_destroy(&pattern);
    return statistics;
}

static qdr_pattern_statistics measure_messages(int ranks, int64_t count, const qdr_message *messages) {
    qdr_pattern *pattern = NULL;
    qdr_pattern_statistics statistics;
    assert_int_equal(qdr_pattern_create(ranks, count, messages, &pattern), QDR_OK);
    qdr_pattern_measure(pattern, &statistics);
    qdr_pattern_destroy(&pattern);
    return statistics;
}

static void figure_1_has_equal_traffic(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure_spec("paper:figure1,bytes=1");
    assert_int_equal(s.kind, QDR_CLASS_ALL_TO_MANY);
    assert_true(s.equal_traffic);
    assert_int_equal(s.items, 80);
    assert_int_equal(s.traffic, 10);
    assert_int_equal(s.both_traffic, 20);
    assert_int_equal(s.largest, 7);
    assert_int_equal(s.smallest, 1);
    assert_int_equal(s.fan_out, 6);
    assert_false(s.uniform);
}

static void figure_2_has_bounded_traffic(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure_spec("paper:figure2,bytes=1");
    assert_int_equal(s.kind, QDR_CLASS_MANY_TO_MANY);
    assert_int_equal(s.out_traffic, 7);
    assert_int_equal(s.in_traffic, 10);
    assert_int_equal(s.traffic, 10);
    assert_int_equal(s.items, 6 + 7 + 7 + 5 + 6 + 7 + 0 + 7);
    assert_false(s.equal_traffic);
}

static void table_6_in_numbers(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure_spec("paper:P,bytes=256");
    assert_int_equal(s.messages, 34);
    assert_int_equal(s.items, 34 * 256);
    assert_true(s.uniform);
    assert_int_equal(s.fan_out, 6);
    assert_int_equal(s.fan_in, 5);
    assert_int_equal(s.degree, 6);
    assert_float_equal(s.density, 34.0 / 56, 1e-12);
    assert_float_equal(s.deviation, 0, 1e-12);
}

static void the_diagonal_is_outside(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure_spec("paper:figure9,bytes=1");
    assert_int_equal(s.local_items, 11 + 0 + 3 + 3);
    assert_int_equal(s.messages, 12);
    assert_int_equal(s.kind, QDR_CLASS_ALL_TO_ALL);
    assert_int_equal(s.out_traffic, 17);
    assert_int_equal(s.both_traffic, 17 + 17); /* rank 1 */
}

static void classes(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        qdr_pattern_class kind;
        const char *text;
    } cases[] = {
        {"complete:n=1", QDR_CLASS_EMPTY, "empty"},
        {"shift:n=5,by=0", QDR_CLASS_EMPTY, "empty"},
        {"alltoone:n=2", QDR_CLASS_ONE_TO_ONE, "one-to-one"},
        {"onetoall:n=5,root=3", QDR_CLASS_ONE_TO_ALL, "one-to-all"},
        {"alltoone:n=5", QDR_CLASS_ALL_TO_ONE, "all-to-one"},
        {"permutation:n=9", QDR_CLASS_PERMUTATION, "permutation"},
        {"complete:n=2", QDR_CLASS_PERMUTATION, "permutation"},
        {"complete:n=3", QDR_CLASS_ALL_TO_ALL, "all-to-all"},
        {"random:n=9,degree=3", QDR_CLASS_ALL_TO_MANY, "all-to-many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qdr_pattern_statistics s = measure_spec(cases[i].spec);
        assert_string_equal(qdr_pattern_class_text(s.kind), cases[i].text);
        assert_int_equal(s.kind, cases[i].kind);
    }
    const qdr_message scatter[] = {{1, 0, 1}, {1, 2, 1}}, gather[] = {{0, 3, 1}, {1, 3, 1}};
    const qdr_message full[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 0, 1}, {1, 2, 1}, {1, 3, 1}};
    assert_int_equal(measure_messages(4, 2, scatter).kind, QDR_CLASS_ONE_TO_MANY);
    assert_int_equal(measure_messages(4, 2, gather).kind, QDR_CLASS_MANY_TO_ONE);
    assert_int_equal(measure_messages(4, 6, full).kind, QDR_CLASS_MANY_TO_ALL);
    assert_int_equal(measure_messages(4, 5, full).kind, QDR_CLASS_MANY_TO_MANY);
    assert_string_equal(qdr_pattern_class_text(QDR_CLASS_ONE_TO_MANY), "one-to-many");
    assert_string_equal(qdr_pattern_class_text(QDR_CLASS_MANY_TO_ONE), "many-to-one");
    assert_string_equal(qdr_pattern_class_text(QDR_CLASS_MANY_TO_ALL), "many-to-all");
    assert_string_equal(qdr_pattern_class_text(QDR_CLASS_MANY_TO_MANY), "many-to-many");
    assert_non_null(qdr_pattern_class_text((qdr_pattern_class)99));
}

static void symmetric_structure_ignores_sizes(void **state) {
    (void)state;
    const qdr_message both[] = {{0, 1, 5}, {1, 0, 7}, {2, 1, 1}, {1, 2, 9}},
                      ring[] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}};
    assert_true(measure_messages(3, 4, both).symmetric_structure);
    assert_false(measure_messages(3, 3, both).symmetric_structure);
    assert_false(measure_messages(3, 3, ring).symmetric_structure);
    assert_true(measure_spec("halo2d:n=12,corners").symmetric_structure);
    assert_true(measure_spec("complete:n=1").symmetric_structure);
}

static void nothing_measures_zero(void **state) {
    (void)state;
    qdr_pattern_statistics s = measure_messages(1, 0, NULL);
    assert_int_equal(s.ranks, 1);
    assert_true(s.density == 0 && s.mean == 0 && s.deviation == 0);
    assert_int_equal(s.smallest, 0);
    assert_int_equal(s.traffic, 0);
    assert_true(s.uniform && s.equal_traffic);
}

/* Every number again, from the dense matrix. */
static void a_recount_agrees(void **state) {
    (void)state;
    enum { RANKS = 23 };
    qdr_pattern *pattern = NULL;
    qdr_pattern_statistics s;
    assert_int_equal(qdr_pattern_from_spec("random:n=23,density=0.4,bytes=1..1000,seed=4", &pattern), QDR_OK);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_pattern_measure(pattern, &s);
    int64_t out[RANKS] = {0}, in[RANKS] = {0}, total = 0, most_out = 0, most_in = 0, most_both = 0;
    double squares = 0;
    for (int64_t m = 0; m < view.messages; m++) {
        out[view.origin[m]] += view.items[m];
        in[view.destination[m]] += view.items[m];
        total += view.items[m];
    }
    double mean = (double)total / (double)view.messages;
    for (int64_t m = 0; m < view.messages; m++) squares += pow((double)view.items[m] - mean, 2);
    for (int i = 0; i < RANKS; i++) {
        if (out[i] > most_out) most_out = out[i];
        if (in[i] > most_in) most_in = in[i];
        if (out[i] + in[i] > most_both) most_both = out[i] + in[i];
    }
    assert_int_equal(s.items, total);
    assert_int_equal(s.out_traffic, most_out);
    assert_int_equal(s.in_traffic, most_in);
    assert_int_equal(s.both_traffic, most_both);
    assert_true(fabs(s.mean - mean) < 1e-9);
    assert_true(fabs(s.deviation - sqrt(squares / (double)view.messages)) < 1e-6);
    qdr_pattern_destroy(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_has_equal_traffic),
        cmocka_unit_test(figure_2_has_bounded_traffic),
        cmocka_unit_test(table_6_in_numbers),
        cmocka_unit_test(the_diagonal_is_outside),
        cmocka_unit_test(classes),
        cmocka_unit_test(symmetric_structure_ignores_sizes),
        cmocka_unit_test(nothing_measures_zero),
        cmocka_unit_test(a_recount_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
