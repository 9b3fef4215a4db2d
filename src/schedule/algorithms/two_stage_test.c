/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transportation paper in numbers: figure 9 with both splitting schemes, the bounds of sections 7 and 8
 * as properties of random matrices, the appendix's expectation for the shuffled variant.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "quadrille.h"
#include "schedule/algorithms/spreading.h"
#include "light.h"

enum { MOST = 40 };

/* A dense matrix, diagonal included as in the paper, and what spreading makes of it. */
typedef struct spread {
    int p;
    int64_t row[MOST], column[MOST], total;
    int64_t first[MOST][MOST];  /* stage 1: source to intermediary */
    int64_t second[MOST][MOST]; /* stage 2: intermediary to destination */
    int64_t held[MOST];         /* items at each intermediary */
} spread;

static void do_spread(int p, int64_t a[MOST][MOST], qdri_spreading scheme, int tight, spread *s) {
    static int origin[MOST * MOST], destination[MOST * MOST];
    static int64_t items[MOST * MOST];
    static int32_t start[MOST * MOST];
    int64_t count = 0;
    *s = (spread){.p = p};
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++) {
            if (a[i][j] == 0) continue;
            origin[count] = i;
            destination[count] = j;
            items[count++] = a[i][j];
            s->row[i] += a[i][j];
            s->column[j] += a[i][j];
            s->total += a[i][j];
        }
    assert_true(qdri_spread(p, count, origin, destination, items, scheme, tight, start));
    for (int64_t m = 0; m < count; m++) {
        int64_t offset = 0;
        for (int k = 0; k < p; k++) {
            int64_t length = qdri_part_length(p, items[m], start[m], k);
            assert_int_equal(qdri_part_offset(p, items[m], start[m], k), offset);
            offset += length;
            s->first[origin[m]][k] += length;
            s->second[k][destination[m]] += length;
            s->held[k] += length;
        }
        assert_int_equal(offset, items[m]); /* the parts tile the message */
    }
}

static int64_t largest(const int64_t *value, int count) {
    int64_t most = 0;
    for (int i = 0; i < count; i++)
        if (value[i] > most) most = value[i];
    return most;
}

static int64_t largest_of(int64_t table[MOST][MOST], int p) {
    int64_t most = 0;
    for (int i = 0; i < p; i++)
        if (largest(table[i], p) > most) most = largest(table[i], p);
    return most;
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static void figure_9(void **state) {
    (void)state;
    int64_t a[MOST][MOST] = {{11, 1, 4, 1}, {2, 0, 3, 12}, {3, 10, 3, 1}, {1, 6, 7, 3}};
    spread s;
    do_spread(4, a, QDRI_SPREAD_BY_SOURCE, 1, &s);
    assert_int_equal(largest_of(s.first, 4), 5);
    for (int k = 0; k < 4; k++) assert_int_equal(s.held[k], 17);
    do_spread(4, a, QDRI_SPREAD_BY_SOURCE, 0, &s);
    assert_int_equal(largest_of(s.first, 4), 5);
    assert_int_equal(largest(s.held, 4), 20);
    do_spread(4, a, QDRI_SPREAD_BY_DESTINATION, 1, &s);
    assert_int_equal(largest_of(s.second, 4), 5);
    for (int k = 0; k < 4; k++) assert_int_equal(s.held[k], 17);
    do_spread(4, a, QDRI_SPREAD_BY_DESTINATION, 0, &s);
    assert_int_equal(largest_of(s.second, 4), 5);
    assert_true(largest(s.held, 4) <= 20);
}

/* The whole matrix of the figure, as a schedule: 17 items at every intermediary, and the checker follows what ranks have for themselves. */
static void figure_9_with_its_diagonal(void **state) {
    (void)state;
    static const char *const schemes[] = {"source", "destination"};
    for (int i = 0; i < 2; i++) {
        char algorithm[80];
        int64_t held[4] = {0}, count = 0, most = 0;
        qdr_pattern *pattern = NULL;
        qdr_schedule *schedule = NULL;
        qdr_pattern_statistics facts;
        qdr_step *steps = NULL;
        snprintf(algorithm, sizeof algorithm, "two-stage:diagonal,tight=yes,scheme=%s", schemes[i]);
        if (qdr_pattern_from_spec("paper:figure9,bytes=1", &pattern) ||
            qdr_schedule_create(pattern, algorithm, NULL, &schedule) || qdr_schedule_check(schedule) ||
            qdr_schedule_steps(schedule, &count, &steps))
            fail_msg("%s", qdr_error_message());
        qdr_pattern_measure(qdr_schedule_pattern(schedule), &facts);
        assert_int_equal(facts.items, 68);
        assert_int_equal(facts.out_traffic, 17);
        for (int64_t s = 0; s < count; s++) {
            held[steps[s].to] += steps[s].stage == 0 ? steps[s].items : 0;
            held[steps[s].from] -= steps[s].stage == 0 ? steps[s].items : 0;
            if (steps[s].stage == i && steps[s].items > most) most = steps[s].items;
        }
        for (int k = 0; k < 4; k++) assert_int_equal(held[k], 0); /* as much comes as goes: 17 */
        assert_true(most <= 5);
        free(steps);
        qdr_schedule_destroy(&schedule);
        qdr_pattern_destroy(&pattern);
    }
}

static void check_bounds(const spread *s, qdri_spreading scheme, int tight) {
    int p = s->p, by_source = scheme == QDRI_SPREAD_BY_SOURCE;
    int64_t most = by_source ? largest(s->row, p) : largest(s->column, p);
    for (int k = 0; k < p; k++) {
        for (int other = 0; other < p; other++) {
            int64_t first = s->first[other][k], second = s->second[k][other];
            int64_t row = s->row[other], column = s->column[other];
            if (by_source) {
                assert_true(first <= divide_up(row, p) && first >= row / p);
                assert_true(second <= column / p + p);
            } else {
                assert_true(second <= divide_up(column, p) && second >= column / p);
                assert_true(first <= row / p + p);
            }
        }
        assert_true(s->held[k] <= p * divide_up(most, p));
        if (tight) assert_true(s->held[k] <= divide_up(s->total, p) && s->held[k] >= s->total / p);
    }
}

static void bounds_of_sections_7_and_8(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(9);
    for (int round = 0; round < light_or(200, 3000); round++) {
        static int64_t a[MOST][MOST];
        int p = 1 + (int)qdri_random_below(&random, MOST);
        int64_t size = qdri_random_between(&random, 1, round % 3 ? 50 : 5000);
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++)
                a[i][j] = qdri_random_below(&random, 4) ? qdri_random_between(&random, 0, size) : 0;
        for (int variant = 0; variant < 4; variant++) {
            spread s;
            do_spread(p, a, variant & 1, variant >> 1, &s);
            check_bounds(&s, variant & 1, variant >> 1);
        }
    }
}

/* ---- the appendix -------------------------------------------------------------------------------------- */

/* Over the iterations of stage 2, the longest message's excess over its destination's mean, c / p: mean and
 * largest. */
static double mean_excess(const char *spec, const char *algorithm, double *largest_excess) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    qdr_step *steps = NULL;
    int64_t count, phases = 0;
    double sum = 0;
    if (qdr_pattern_from_spec(spec, &pattern) || qdr_schedule_create(pattern, algorithm, NULL, &schedule) ||
        qdr_schedule_steps(schedule, &count, &steps))
        fail_msg("%s", qdr_error_message());
    qdr_pattern_view view = qdr_pattern_look(pattern);
    double *column = calloc((size_t)view.ranks, sizeof *column);
    for (int64_t m = 0; m < view.messages; m++)
        column[view.destination[m]] += (double)view.items[m] / view.ranks;
    for (int64_t i = 0, next; i < count; i = next) {
        double most = -1e9;
        for (next = i;
             next < count && steps[next].phase == steps[i].phase && steps[next].stage == steps[i].stage;
             next++)
            most = fmax(most, (double)steps[next].items - column[steps[next].to]);
        if (steps[i].stage != 1) continue;
        sum += most;
        if (largest_excess) *largest_excess = fmax(*largest_excess, most);
        phases++;
    }
    free(column);
    free(steps);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&pattern);
    return sum / (double)phases;
}

/* The mean of the largest of n standard normal numbers, by integrating x over the derivative of its
 * distribution. */
static double mean_of_largest(int n) {
    double mean = 0, step = 1e-3, before = 0;
    for (double x = -8; x < 8; x += step) {
        double below = pow(0.5 * erfc(-(x + step) / sqrt(2)), n);
        mean += (x + step / 2) * (below - before);
        before = below;
    }
    return mean;
}

/* The appendix: a message of stage 2 has variance p / 6, and the longest of the p of an iteration exceeds the
 * mean by that many deviations as the largest of p normal numbers. The appendix then takes the limit for
 * large p, which is an upper estimate; the mean itself must be met within 8 percent. */
static void expectation_of_the_appendix(void **state) {
    (void)state;
    for (int p = 32; p <= 128; p *= 2) {
        double measured = 0;
        for (int seed = 1; seed <= 4; seed++) {
            char algorithm[64], pattern[64];
            snprintf(algorithm, sizeof algorithm, "two-stage:scheme=source,shuffle,seed=%d", seed);
            snprintf(pattern, sizeof pattern, "complete:n=%d,bytes=1..%d,seed=%d", p, 20 * p, seed);
            measured += mean_excess(pattern, algorithm, NULL) / 4;
        }
        double deviation = sqrt(p / 6.0), root = sqrt(2 * log(p));
        double expected = deviation * mean_of_largest(p), limit = deviation * (root + 0.5772 / root);
        print_message(
            "p = %3d: longest message of an iteration t/p + %.2f; expected t/p + %.2f, in the limit %.2f\n",
            p, measured, expected, limit);
        assert_true(fabs(measured / expected - 1) < 0.08 && measured < limit);
    }
}

/* Every size leaves remainder 1: the extra items of a destination all go to the same intermediary, up to the
 * bound of p, unless they are shuffled. */
static void shuffling_spreads_what_piles_up(void **state) {
    (void)state;
    double plain = 0, shuffled = 0;
    mean_excess("complete:n=64,bytes=6401", "two-stage:scheme=source,tight=no", &plain);
    mean_excess("complete:n=64,bytes=6401", "two-stage:scheme=source,tight=no,shuffle", &shuffled);
    print_message("p = 64, remainders of 1: excess %.2f as it comes, %.2f shuffled\n", plain, shuffled);
    assert_true(plain > 24 && plain < 64 && shuffled < 10);
}

static void scheme_follows_the_traffic(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule, *other;
    assert_int_equal(qdr_pattern_from_spec("onetoall:n=16,bytes=1..999", &pattern), QDR_OK); /* r > c */
    assert_int_equal(qdr_schedule_create(pattern, "two-stage", NULL, &schedule), QDR_OK);
    assert_int_equal(qdr_schedule_create(pattern, "two-stage:scheme=destination", NULL, &other), QDR_OK);
    qdr_step *steps, *others;
    int64_t count, other_count;
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    assert_int_equal(qdr_schedule_steps(other, &other_count, &others), QDR_OK);
    assert_int_equal(count, other_count);
    for (int64_t i = 0; i < count; i++) assert_int_equal(steps[i].items, others[i].items);
    free(steps);
    free(others);
    assert_int_equal(qdr_schedule_create(pattern, "two-stage:scheme=destination,shuffle", NULL, &other),
                     QDR_ERR_SYNTAX);
    qdr_schedule_destroy(&schedule);
    qdr_schedule_destroy(&other);
    qdr_pattern_destroy(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_9),
        cmocka_unit_test(figure_9_with_its_diagonal),
        cmocka_unit_test(bounds_of_sections_7_and_8),
        cmocka_unit_test(expectation_of_the_appendix),
        cmocka_unit_test(shuffling_spreads_what_piles_up),
        cmocka_unit_test(scheme_follows_the_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
