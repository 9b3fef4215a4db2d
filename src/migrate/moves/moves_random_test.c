/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every method with every policy on thousands of random instances: the checker agrees, the promises hold, and
 * nobody refuses but those that may. What was reached is printed as a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moves_testing.h"
#include "light.h"

#define INSTANCES light_or(600, 12000)

static const char *const methods[] = {
    "auto",
    "direct",
    "relaxed",
    "robust",
    "robust:first=largest",
    "robust:first=smallest",
    "robust:first=rank",
    "robust:buffer=1",
    "robust:first=largest,buffer=7",
    "greedy",
    "greedy:first=starved,park=largest",
    "greedy:first=starved,park=rank",
    "greedy:first=largest",
    "greedy:first=largest,park=largest",
    "greedy:first=largest,park=rank",
    "greedy:first=smallest",
    "greedy:first=smallest,park=largest",
    "greedy:first=smallest,park=rank",
    "greedy:first=rank",
    "greedy:first=rank,park=largest",
    "greedy:first=rank,park=rank",
    "greedy:most=all",
};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct record {
    int64_t count, refused, beyond_half;
    double *ratio, *parked; /* [INSTANCES] */
} record;

static record records[METHODS];
static int64_t phases_of[METHODS]; /* of the instance at hand; INT64_MAX: refused */

/* ---- what is promised ---------------------------------------------------------------------------------- */

static int is(const char *method, const char *name) {
    return !strncmp(method, name, strlen(name));
}

static int may_refuse(const instance *it, const char *method) {
    if (is(method, "direct"))
        for (int r = 0; r < it->ranks; r++)
            if (it->in[r] > it->room[r]) return 1;
    if (is(method, "relaxed")) return it->free < it->ranks;
    return is(method, "robust");
}

static int64_t ceiling(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t most_phases(const instance *it, const char *method) {
    int64_t greedy = case_greedy_bound(it);
    if (is(method, "direct")) return it->total > 0;
    if (is(method, "greedy")) return greedy;
    if (is(method, "relaxed"))
        return it->free > it->ranks ? ceiling(it->total, it->free - it->ranks) + 2 : INT64_MAX;
    if (is(method, "robust")) return INT64_MAX;
    return 2 * it->bound < greedy ? 2 * it->bound : greedy;
}

/* auto takes no more phases than any other method with its own options. */
static void hold_auto_to_its_promise(const instance *it) {
    for (int i = 0; i < METHODS; i++)
        if (!strchr(methods[i], ':') && phases_of[0] > phases_of[i])
            fail_msg("auto: %lld phases on %d ranks, T = %lld, M = %lld; %s has %lld",
                     (long long)phases_of[0], it->ranks, (long long)it->total, (long long)it->free,
                     methods[i], (long long)phases_of[i]);
}

static void hold_to_promise(const instance *it, const char *method, const qdr_moves *moves, record *record) {
    qdr_moves_view view = qdr_moves_look(moves);
    if (qdr_moves_check(it->pattern, it->room, moves)) fail_msg("%s: %s", method, qdr_error_message());
    assert_int_equal(view.total, it->total);
    assert_int_equal(view.room, it->free);
    assert_int_equal(view.bound, it->bound);
    if (view.phases < it->bound || view.phases > most_phases(it, method))
        fail_msg("%s: %lld phases on %d ranks, T = %lld, M = %lld, at least %lld, at most %lld", method,
                 (long long)view.phases, it->ranks, (long long)it->total, (long long)it->free,
                 (long long)it->bound, (long long)most_phases(it, method));
    if (is(method, "direct") || is(method, "robust")) assert_int_equal(view.parked, 0);
    if (is(method, "greedy") && !is(method, "greedy:most") && 2 * view.parked > it->total) {
        record->beyond_half++; /* only where the number of phases cannot be had otherwise */
        assert_int_equal(view.phases, case_greedy_bound(it));
    }
    record->ratio[record->count] = it->bound ? (double)view.phases / (double)it->bound : 1;
    record->parked[record->count++] = it->total ? (double)view.parked / (double)it->total : 0;
}

static void run_method(const instance *it, int index) {
    qdr_moves *moves = NULL;
    qdr_status status = qdr_moves_create(it->pattern, it->room, methods[index], &moves);
    phases_of[index] = status ? INT64_MAX : qdr_moves_look(moves).phases;
    if (status == QDR_OK) {
        hold_to_promise(it, methods[index], moves, &records[index]);
        qdr_moves_destroy(&moves);
        return;
    }
    assert_null(moves);
    if (status != QDR_ERR_RANGE || !may_refuse(it, methods[index]))
        fail_msg("%s on %d ranks, T = %lld, M = %lld: %s", methods[index], it->ranks, (long long)it->total,
                 (long long)it->free, qdr_error_message());
    records[index].refused++;
}

/* ---- the instances, and the table ---------------------------------------------------------------------- */

/* Mostly few ranks: that is where all combinations occur. */
static int choose_ranks(qdri_random *random, int number) {
    if (number % 400 == 399) return (int)qdri_random_between(random, 65, CASE_RANKS);
    if (number % 20 == 19) return (int)qdri_random_between(random, 9, 64);
    return (int)qdri_random_between(random, 2, 8);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_spread(double *value, int64_t count, double scale) {
    qsort(value, (size_t)count, sizeof *value, by_value);
    if (count)
        printf(" %7.2f %7.2f %7.2f", scale * value[count / 2], scale * value[count * 95 / 100],
               scale * value[count - 1]);
}

static void print_table(void) {
    printf("%-36s %6s %7s   phases/bound: median 95%% max   parked %%: median 95%% max   beyond half\n",
           "method", "built", "refused");
    for (int i = 0; i < METHODS; i++) {
        printf("%-36s %6lld %7lld ", methods[i], (long long)records[i].count, (long long)records[i].refused);
        print_spread(records[i].ratio, records[i].count, 1);
        printf("   ");
        print_spread(records[i].parked, records[i].count, 100);
        printf(" %6lld\n", (long long)records[i].beyond_half);
    }
}

static void every_method(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(11);
    for (int i = 0; i < METHODS; i++) {
        records[i].ratio = malloc((size_t)INSTANCES * sizeof(double));
        records[i].parked = malloc((size_t)INSTANCES * sizeof(double));
    }
    for (int number = 0; number < INSTANCES; number++) {
        int64_t most = number % 3 ? qdri_random_between(&random, 1, 5) : qdri_random_between(&random, 1, 300);
        int ranks = choose_ranks(&random, number), shape = number % SHAPES, rooms = number / SHAPES % ROOMS;
        instance it = case_open(&random, shape, rooms, ranks, most);
        for (int i = 0; i < METHODS; i++) run_method(&it, i);
        hold_auto_to_its_promise(&it);
        case_close(&it);
    }
    print_table();
    for (int i = 0; i < METHODS; i++) {
        free(records[i].ratio);
        free(records[i].parked);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
