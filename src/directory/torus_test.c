/* SPDX-License-Identifier: BSD-3-Clause */
/* Tori for every number of ranks and dimensions: sizes, steps, and who is on which rank. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "directory/torus.h"

static void every_rank_has_one_node_or_two(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= 2000; ranks++)
        for (int k = 1; k <= 12; k++) {
            qdri_torus torus = qdri_torus_make(ranks, k);
            int64_t nodes = qdri_torus_nodes(&torus), product = 1;
            for (int d = 0; d < torus.dimensions; d++) product *= torus.length[d];
            assert_int_equal(nodes, product);
            assert_true(nodes >= ranks);
            assert_true(nodes < 2 * (int64_t)ranks || ranks == 1);
            assert_true(torus.dimensions <= k || ranks == 1);
            for (int64_t v = 0; v < nodes; v++) assert_in_range(qdri_torus_host(&torus, v), 0, ranks - 1);
        }
}

/* About k n^(1/k): with lengths of whole numbers, no more than one step more for each dimension. */
static void few_steps(void **state) {
    (void)state;
    for (int ranks = 2; ranks <= 4096; ranks = ranks * 5 / 4 + 1)
        for (int k = 1; k <= 4; k++) {
            qdri_torus torus = qdri_torus_make(ranks, k);
            double ideal = k * pow(ranks, 1.0 / k);
            assert_true(qdri_torus_steps(&torus) <= 1.1 * ideal + 1);
        }
    qdri_torus ring = qdri_torus_make(1000, 1), cube = qdri_torus_make(1000, 99);
    assert_int_equal(qdri_torus_steps(&ring), 999);
    assert_int_equal(cube.dimensions, 10);
    assert_int_equal(qdri_torus_steps(&cube), 10);
}

static void exact_where_it_costs_nothing(void **state) {
    (void)state;
    static const struct {
        int ranks, k;
    } exact[] = {{8, 2}, {16, 2}, {64, 3}, {256, 4}, {1024, 2}, {1024, 3}, {12, 2}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        qdri_torus torus = qdri_torus_make(exact[i].ranks, exact[i].k);
        assert_int_equal(qdri_torus_nodes(&torus), exact[i].ranks);
    }
}

/* A ring of a dimension comes back to where it began, and visits as many nodes as it is long. */
static void rings_close(void **state) {
    (void)state;
    qdri_torus torus = qdri_torus_make(77, 3);
    for (int64_t v = 0; v < qdri_torus_nodes(&torus); v++)
        for (int d = 0; d < torus.dimensions; d++) {
            int64_t at = v;
            for (int s = 1; s < torus.length[d]; s++) {
                at = qdri_torus_step(&torus, at, d, 1);
                assert_int_not_equal(at, v);
                assert_int_equal(at, qdri_torus_step(&torus, v, d, s));
                assert_int_equal(qdri_torus_step(&torus, at, d, -s), v);
            }
            assert_int_equal(qdri_torus_step(&torus, at, d, 1), v);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_has_one_node_or_two),
        cmocka_unit_test(few_steps),
        cmocka_unit_test(exact_where_it_costs_nothing),
        cmocka_unit_test(rings_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
