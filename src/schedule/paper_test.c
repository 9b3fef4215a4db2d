/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the CM-5 paper prints: the complete exchanges of sections 3.1 to 3.4 on 8 processors (tables 1 to 4),
 * pattern P (table 6) with its step counts, greedy scheduling step by step (table 10), the root crossings of
 * section 3.4, and that first-fit colouring is the paper's own greedy loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille.h"

static qdr_schedule *make(const char *pattern_spec, const char *algorithm) {
    qdr_pattern *pattern = NULL;
    qdr_schedule *schedule = NULL;
    if (qdr_pattern_from_spec(pattern_spec, &pattern) ||
        qdr_schedule_create(pattern, algorithm, NULL, &schedule) || qdr_schedule_check(schedule))
        fail_msg("%s -a %s: %s", pattern_spec, algorithm, qdr_error_message());
    qdr_pattern_destroy(&pattern);
    return schedule;
}

static char *print(const char *pattern, const char *algorithm) {
    qdr_schedule *schedule = make(pattern, algorithm);
    qdr_step *steps = NULL;
    int64_t count;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    assert_int_equal(qdr_steps_write_text(count, steps, stream), QDR_OK);
    fclose(stream);
    free(steps);
    qdr_schedule_destroy(&schedule);
    return text;
}

static void expect(const char *pattern, const char *algorithm, const char *table) {
    char *text = print(pattern, algorithm);
    assert_string_equal(text, table);
    free(text);
}

static void table_1_linear_exchange(void **state) {
    (void)state;
    expect("complete:n=8", "LEX",
           "   1  1->0  2->0  3->0  4->0  5->0  6->0  7->0\n"
           "   2  0->1  2->1  3->1  4->1  5->1  6->1  7->1\n"
           "   3  0->2  1->2  3->2  4->2  5->2  6->2  7->2\n"
           "   4  0->3  1->3  2->3  4->3  5->3  6->3  7->3\n"
           "   5  0->4  1->4  2->4  3->4  5->4  6->4  7->4\n"
           "   6  0->5  1->5  2->5  3->5  4->5  6->5  7->5\n"
           "   7  0->6  1->6  2->6  3->6  4->6  5->6  7->6\n"
           "   8  0->7  1->7  2->7  3->7  4->7  5->7  6->7\n");
}

static void table_2_pairwise_exchange(void **state) {
    (void)state;
    expect("complete:n=8", "PEX",
           "   1  0<->1  2<->3  4<->5  6<->7\n"
           "   2  0<->2  1<->3  4<->6  5<->7\n"
           "   3  0<->3  1<->2  4<->7  5<->6\n"
           "   4  0<->4  1<->5  2<->6  3<->7\n"
           "   5  0<->5  1<->4  2<->7  3<->6\n"
           "   6  0<->6  1<->7  2<->4  3<->5\n"
           "   7  0<->7  1<->6  2<->5  3<->4\n");
}

static void table_3_recursive_exchange(void **state) {
    (void)state;
    expect("complete:n=8", "REX",
           "   1  0<->4  1<->5  2<->6  3<->7\n"
           "   2  0<->2  1<->3  4<->6  5<->7\n"
           "   3  0<->1  2<->3  4<->5  6<->7\n");
}

/* virtual = physical + 1 mod 8, pairwise, and back: worked out by hand from figure 4. */
static void table_4_balanced_exchange(void **state) {
    (void)state;
    expect("complete:n=8", "BEX",
           "   1  0<->7  1<->2  3<->4  5<->6\n"
           "   2  0<->2  1<->7  3<->5  4<->6\n"
           "   3  0<->1  2<->7  3<->6  4<->5\n"
           "   4  0<->4  1<->5  2<->6  3<->7\n"
           "   5  0<->3  1<->6  2<->5  4<->7\n"
           "   6  0<->6  1<->3  2<->4  5<->7\n"
           "   7  0<->5  1<->4  2<->3  6<->7\n");
}

static void steps_of_pattern_p(void **state) {
    (void)state;
    const struct {
        const char *name;
        int steps;
    } wanted[] = {{"LS", 8}, {"PS", 6}, {"BS", 7}, {"GS", 6}};
    for (int i = 0; i < 4; i++) {
        qdr_schedule *schedule = make("paper:P", wanted[i].name);
        qdr_schedule_info info;
        qdr_schedule_look(schedule, &info);
        if (info.phases != wanted[i].steps)
            fail_msg("%s: %lld steps, %d in the paper", wanted[i].name, (long long)info.phases,
                     wanted[i].steps);
        qdr_schedule_destroy(&schedule);
    }
}

static void table_10_greedy_step_by_step(void **state) {
    (void)state;
    expect("paper:P", "GS",
           "   1  0<->1  2<->3  4<->5  6<->7\n"
           "   2  0<->3  1<->2  4<->7  5<->6\n"
           "   3  0->5  1<->4  3<->6\n"
           "   4  0<->6  1<->5  3<->4\n"
           "   5  1->6  3->5  4->2  7->0\n"
           "   6  1<->7  6->2\n");
}

static void greedy_is_pairwise_on_complete_exchange(void **state) {
    (void)state;
    for (int n = 8; n <= 32; n *= 2) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "complete:n=%d", n);
        char *greedy = print(pattern, "GS");
        expect(pattern, "PEX", greedy);
        free(greedy);
    }
}

/* Section 3.4 on 32 processors, four subtrees of 8 below the root: pairs across the root, step by step. */
static void root_crossings(const char *algorithm, int *all_global, int *fewest, int *most) {
    qdr_schedule *schedule = make("complete:n=32", algorithm);
    qdr_step *steps = NULL;
    int64_t count;
    int crossing[32] = {0};
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    for (int64_t i = 0; i < count; i++)
        crossing[steps[i].phase] += steps[i].from < steps[i].to && steps[i].from / 8 != steps[i].to / 8;
    *all_global = *most = 0;
    *fewest = 99;
    for (int step = 1; step < 32; step++) {
        *all_global += crossing[step] == 16;
        if (crossing[step] < *fewest) *fewest = crossing[step];
        if (crossing[step] > *most) *most = crossing[step];
    }
    free(steps);
    qdr_schedule_destroy(&schedule);
}

static void balanced_exchange_spares_the_root(void **state) {
    (void)state;
    int all_global, fewest, most;
    root_crossings("PEX", &all_global, &fewest, &most);
    assert_int_equal(all_global, 24);
    assert_int_equal(fewest, 0);
    root_crossings("BEX", &all_global, &fewest, &most);
    assert_int_equal(all_global, 10);
    assert_int_equal(fewest, 4);
    assert_int_equal(most, 16);
}

/* ---- figure 12, literally: the oracle of greedy.c ------------------------------------------------------ */

static void paper_greedy(int n, const unsigned char *sends, int *phase_of) {
    unsigned char *left = malloc((size_t)n * (size_t)n), *busy = malloc((size_t)n);
    int unsent = 0;
    memcpy(left, sends, (size_t)n * (size_t)n);
    for (int i = 0; i < n * n; i++) unsent += left[i];
    for (int step = 0; unsent > 0; step++) {
        memset(busy, 0, (size_t)n);
        for (int i = 0; i < n; i++) {
            int j = 0;
            while (!busy[i] && j < n && (busy[j] || !left[i * n + j])) j++;
            if (busy[i] || j == n) continue;
            busy[i] = busy[j] = 1;
            phase_of[i * n + j] = step;
            left[i * n + j] = 0;
            unsent--;
            if (left[j * n + i]) {
                phase_of[j * n + i] = step;
                left[j * n + i] = 0;
                unsent--;
            }
        }
    }
    free(left);
    free(busy);
}

static void compare_with_figure_12(const char *spec) {
    qdr_schedule *schedule = make(spec, "greedy");
    qdr_pattern_view view = qdr_pattern_look(qdr_schedule_pattern(schedule));
    int n = view.ranks, *phase_of = malloc((size_t)n * (size_t)n * sizeof *phase_of);
    unsigned char *sends = calloc((size_t)n * (size_t)n, 1);
    qdr_step *steps = NULL;
    int64_t count;
    for (int64_t m = 0; m < view.messages; m++) sends[view.origin[m] * n + view.destination[m]] = 1;
    paper_greedy(n, sends, phase_of);
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    for (int64_t i = 0; i < count; i++)
        if (steps[i].phase != phase_of[steps[i].from * n + steps[i].to])
            fail_msg("%s: %d->%d is in phase %lld, in the paper's loop in %d", spec, steps[i].from,
                     steps[i].to, (long long)steps[i].phase, phase_of[steps[i].from * n + steps[i].to]);
    free(steps);
    free(sends);
    free(phase_of);
    qdr_schedule_destroy(&schedule);
}

static void greedy_is_the_loop_of_figure_12(void **state) {
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        char spec[96];
        snprintf(spec, sizeof spec, "random:n=%d,density=0.%d,seed=%d", 2 + seed % 67, 5 + seed % 90, seed);
        compare_with_figure_12(spec);
    }
    compare_with_figure_12("complete:n=45");
    compare_with_figure_12("random:n=300,degree=140");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_1_linear_exchange),
        cmocka_unit_test(table_2_pairwise_exchange),
        cmocka_unit_test(table_3_recursive_exchange),
        cmocka_unit_test(table_4_balanced_exchange),
        cmocka_unit_test(steps_of_pattern_p),
        cmocka_unit_test(table_10_greedy_step_by_step),
        cmocka_unit_test(greedy_is_pairwise_on_complete_exchange),
        cmocka_unit_test(balanced_exchange_spares_the_root),
        cmocka_unit_test(greedy_is_the_loop_of_figure_12),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
