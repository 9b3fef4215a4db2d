/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims: the first is always what a look at all of them finds, whatever is set, served and given up in whatever order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "plan/executors/claims.h"

enum { LANES = 40 };

static int look_at_all(const double *claim, const int64_t *served) {
    int first = -1;
    for (int i = 0; i < LANES; i++)
        if (claim[i] > 0 &&
            (first < 0 || claim[i] > claim[first] || (claim[i] == claim[first] && served[i] < served[first])))
            first = i;
    return first;
}

static void finds_the_first(void **state) {
    qdri_random random = qdri_random_seed(3);
    qdri_claims claims;
    (void)state;
    assert_true(qdri_claims_open(&claims, LANES));
    for (int round = 0; round < 50; round++) {
        double claim[LANES] = {0};
        int64_t served[LANES], turns = LANES;
        for (int i = 0; i < LANES; i++) served[i] = i;
        qdri_claims_reset(&claims, LANES);
        for (int step = 0; step < 1000; step++) {
            int lane = (int)qdri_random_below(&random, LANES), first = look_at_all(claim, served);
            assert_int_equal(qdri_claims_first(&claims), first);
            if (first >= 0 && qdri_random_below(&random, 3) == 0) {
                served[first] = turns++;
                qdri_claims_served(&claims, first);
                lane = first;
            }
            claim[lane] = (double)qdri_random_below(&random, 6); /* often equal, often nothing */
            qdri_claims_set(&claims, lane, claim[lane]);
        }
        int waiting = 0;
        for (int i = 0; i < LANES; i++) waiting += claim[i] > 0;
        assert_int_equal(claims.count, waiting);
    }
    qdri_claims_close(&claims);
}

static void none_at_all(void **state) {
    qdri_claims claims;
    (void)state;
    assert_true(qdri_claims_open(&claims, 0));
    qdri_claims_reset(&claims, 0);
    assert_int_equal(qdri_claims_first(&claims), -1);
    qdri_claims_close(&claims);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_first), cmocka_unit_test(none_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
