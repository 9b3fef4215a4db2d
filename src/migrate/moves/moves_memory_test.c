/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules within a budget: too little is refused cleanly at every size, nothing is kept, the limit is never
 * exceeded. And thousands of ranks: time and memory grow with the messages, not with the square of the ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "migrate/moves/moves.h"
#include "moves_testing.h"
#include "light.h"

static const char *const methods[] = {"auto", "direct", "robust", "greedy", "relaxed"};
enum { METHODS = 5 };

/* ---- budgets ------------------------------------------------------------------------------------------- */

/* What the method takes at most, with no limit. */
static int64_t peak_of(const instance *it, const char *method) {
    qdri_budget budget = {.limit = 0};
    qdr_moves *moves = NULL;
    if (qdri_moves_create(it->pattern, it->room, method, &budget, &moves)) {
        assert_int_equal(budget.used, 0);
        return 0;
    }
    qdr_moves_view view = qdr_moves_look(moves);
    assert_true(budget.used >= view.phase_start[view.phases] * (int64_t)sizeof(qdr_move));
    qdr_moves_destroy(&moves);
    assert_int_equal(budget.used, 0);
    return budget.peak;
}

static int succeeds_within(const instance *it, const char *method, int64_t limit) {
    qdri_budget budget = {.limit = limit};
    qdr_moves *moves = NULL;
    qdr_status status = qdri_moves_create(it->pattern, it->room, method, &budget, &moves);
    assert_true(budget.peak <= limit);
    if (status == QDR_OK) {
        assert_int_equal(qdr_moves_check(it->pattern, it->room, moves), QDR_OK);
    } else {
        assert_int_equal(status, QDR_ERR_MEMORY);
        assert_string_equal(qdr_error_message(), "out of memory");
        assert_null(moves);
    }
    qdr_moves_destroy(&moves);
    assert_int_equal(budget.used, 0);
    return status == QDR_OK;
}

static void every_limit(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(17);
    for (int number = 0; number < 12; number++) {
        instance it = case_open(&random, number % SHAPES, number % ROOMS, 6 + number, 30);
        for (int i = 0; i < METHODS; i++) {
            int64_t peak = peak_of(&it, methods[i]), least = 0;
            for (int64_t limit = 1; limit < peak; limit += 1 + limit / 64)
                if (succeeds_within(&it, methods[i], limit) && !least) least = limit;
            if (peak) assert_true(succeeds_within(&it, methods[i], peak));
            if (least)
                assert_true(2 * least > peak / 4); /* lists that grow take what they need at the least */
        }
        case_close(&it);
    }
}

/* ---- thousands of ranks -------------------------------------------------------------------------------- */

typedef struct large {
    qdr_pattern *pattern;
    int64_t *room, total, free;
} large;

static large open_large(int ranks, int degree, int64_t share) {
    large it = {.room = calloc((size_t)ranks, sizeof *it.room)};
    int64_t *excess = calloc((size_t)ranks, sizeof *excess), *out = calloc((size_t)ranks, sizeof *out);
    char spec[96];
    snprintf(spec, sizeof spec, "random:n=%d,degree=%d,bytes=1..20000,seed=3", ranks, degree);
    if (qdr_pattern_from_spec(spec, &it.pattern)) fail_msg("%s", qdr_error_message());
    qdr_pattern_view view = qdr_pattern_look(it.pattern);
    for (int64_t m = 0; m < view.messages; m++) {
        excess[view.destination[m]] += view.items[m];
        excess[view.origin[m]] -= view.items[m];
        out[view.origin[m]] += view.items[m];
        it.total += view.items[m];
    }
    for (int r = 0; r < ranks; r++) {
        it.room[r] = (excess[r] > 0 ? excess[r] : 0) + out[r] / share;
        it.free += it.room[r];
    }
    free(excess);
    free(out);
    return it;
}

static void run_large(const large *it, const char *method) {
    qdri_budget budget = {.limit = 0};
    qdr_moves *moves = NULL;
    clock_t start = clock();
    qdr_status status = qdri_moves_create(it->pattern, it->room, method, &budget, &moves);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status != QDR_OK) {
        assert_true(status == QDR_ERR_RANGE && (!strcmp(method, "direct") || !strcmp(method, "robust")));
        printf("%-8s refused in %.2f s\n", method, seconds);
        return;
    }
    qdr_moves_view view = qdr_moves_look(moves);
    if (qdr_moves_check(it->pattern, it->room, moves)) fail_msg("%s: %s", method, qdr_error_message());
    int64_t count = view.phase_start[view.phases];
    printf(
        "%-8s %4lld phases (at least %lld), %lld moves, %.1f%% parked, %.2f s, %.1f MB, %.0f bytes a move\n",
        method, (long long)view.phases, (long long)view.bound, (long long)count,
        100.0 * (double)view.parked / (double)view.total, seconds, (double)budget.peak / 1e6,
        (double)budget.peak / (double)count);
    qdr_moves_destroy(&moves);
    assert_int_equal(budget.used, 0);
    assert_true(seconds < light_or(120, 20));
}

static void thousands_of_ranks(void **state) {
    static const int64_t shares[] = {2, 50};
    (void)state;
    for (int s = 0; s < 2; s++) {
        large it = open_large(light_or(512, 4096), 8, shares[s]);
        printf("%d ranks, T = %lld, M = %lld\n", qdr_pattern_look(it.pattern).ranks, (long long)it.total,
               (long long)it.free);
        for (int i = 0; i < METHODS; i++) run_large(&it, methods[i]);
        qdr_pattern_destroy(&it.pattern);
        free(it.room);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit),
        cmocka_unit_test(thousands_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
