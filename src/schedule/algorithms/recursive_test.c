/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Few messages among many ranks. Of recursive both ways of having rows deliver, and move what the definition
 * says; and no algorithm costs more than in proportion to the messages and the ranks. The limit of processor
 * time is many times what it takes, and a fraction of what looking at all pairs of ranks takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "quadrille.h"
#include "light.h"

/* No two messages have both ends in common. */
static qdr_pattern *draw(int ranks, int64_t count, uint64_t seed) {
    qdr_message *message = calloc((size_t)count, sizeof *message);
    qdr_pattern *pattern = NULL;
    for (int64_t i = 0; i < count; i++) {
        int from = (int)(i * 7919 % ranks);
        uint64_t ahead = qdri_mix(seed + (uint64_t)from) % 100000 + 13 * (uint64_t)(i / ranks);
        message[i] =
            (qdr_message){from, (int)(((uint64_t)from + 1 + ahead % (uint64_t)(ranks - 1)) % (uint64_t)ranks),
                          1 + i % 1000};
    }
    assert_int_equal(qdr_pattern_create(ranks, count, message, &pattern), QDR_OK);
    free(message);
    return pattern;
}

static void build(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                  qdr_schedule **schedule) {
    if (qdr_schedule_create(pattern, algorithm, machine, schedule) || qdr_schedule_check(*schedule))
        fail_msg("%s: %s", algorithm, qdr_error_message());
}

/* By the definition: a message crosses, in each stage, to the other half of its range if it has to. */
static int64_t hops(int ranks, int at, int to) {
    int64_t crossed = 0;
    for (int low = 0, size = ranks; size > 1;) {
        int lower = size - size / 2, upper = size - lower;
        int is_low = at - low < lower, ends_low = to - low < lower;
        if (is_low != ends_low) {
            crossed++;
            at = !is_low ? at - lower : at - low < upper ? at + lower : low + size - 1;
        }
        if (!ends_low) low += lower;
        size = ends_low ? lower : upper;
    }
    return crossed;
}

static void both_ways_deliver(void **state) {
    (void)state;
    static const int ranks[] = {900, 1024, 1500, 2047, 2049, 4099};
    for (int i = 0; i < light_or(3, 6); i++)
        for (int64_t count = 1; count < 4 * ranks[i]; count *= 9) {
            qdr_pattern *pattern = draw(ranks[i], count, (uint64_t)(i + count));
            qdr_pattern_view view = qdr_pattern_look(pattern);
            qdr_schedule *schedule = NULL;
            qdr_step *steps = NULL;
            int64_t step_count = 0, moved = 0, expected = 0;
            build(pattern, "recursive", NULL, &schedule);
            assert_int_equal(qdr_schedule_steps(schedule, &step_count, &steps), QDR_OK);
            for (int64_t s = 0; s < step_count; s++) moved += steps[s].items;
            for (int64_t m = 0; m < view.messages; m++)
                expected += view.items[m] * hops(ranks[i], view.origin[m], view.destination[m]);
            assert_int_equal(moved, expected);
            free(steps);
            qdr_schedule_destroy(&schedule);
            qdr_pattern_destroy(&pattern);
        }
}

static void few_messages_cost_little(void **state) {
    (void)state;
    enum { LIMIT = 10 };
    const int ranks = light_or(10000, 100000);
    const qdr_message few[] = {{0, 1, 100}, {1, ranks / 2, 5}, {ranks / 10 * 7, 2, 9}};
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    const qdr_algorithm_info *info;
    assert_int_equal(qdr_pattern_create(ranks, 3, few, &pattern), QDR_OK);
    assert_int_equal(qdr_machine_create("cm5", ranks, &machine), QDR_OK);
    for (int i = 0; (info = qdr_algorithm(i)); i++) {
        qdr_schedule *schedule = NULL;
        qdr_prediction prediction;
        clock_t begin = clock();
        if (info->at_run_time) continue;
        build(pattern, info->name, machine, &schedule);
        assert_int_equal(qdr_schedule_predict(schedule, machine, 8, NULL, &prediction), QDR_OK);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > LIMIT) fail_msg("%s took %.1f seconds for three messages", info->name, seconds);
        qdr_schedule_destroy(&schedule);
    }
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_deliver),
        cmocka_unit_test(few_messages_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
