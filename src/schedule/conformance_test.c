/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every algorithm x every pattern family x every number of ranks goes through the checker; what is predicted
 * keeps the sound bounds; JSON brings back the same schedule. The usual run takes a cover in which every two
 * factors meet: the algorithm is (pattern + rank count + sweep) modulo their number, so that with as many
 * patterns as algorithms each algorithm meets each rank count, and with more rank counts than algorithms each
 * meets each pattern. The full product is built with QDR_FULL_TESTS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "quadrille-io.h"
#include "light.h"

/* The checker reads n^3 pieces of some schedules; under the sanitizers more than 64 ranks are too many. */
#define RANK_COUNTS (COUNT(case_ranks) - light_or(3, 0))

static int cases, refused;

/* A family that refuses a number of ranks does so with a sentence, and always for the same reason. */
static int must_refuse(const char *spec, int ranks) {
    int root = 1;
    while (root * root < ranks) root++;
    if (!strncmp(spec, "transpose", 9)) return root * root != ranks;
    if (strstr(spec, "fanout=4")) return ranks < 4;
    if (strstr(spec, "degree=6")) return ranks < 7;
    if (strstr(spec, "degree=1")) return ranks < 2;
    return 0;
}

static void fail_with(const char *what, const char *algorithm, const char *pattern, const char *machine) {
    fail_msg("%s: -a %s, pattern %s, machine %s: %s", what, algorithm, pattern, machine, qdr_error_message());
}

static void check_prediction(const qdr_schedule *schedule, const qdr_pattern *pattern,
                             const qdr_machine *machine, const char *algorithm, const char *spec,
                             const char *machine_spec) {
    qdr_bounds bounds = {0};
    qdr_prediction prediction = {0};
    qdr_schedule_info info = {0};
    if (qdr_schedule_look(schedule, &info) || qdr_bounds_compute(pattern, machine, 1, &bounds) ||
        qdr_schedule_predict(schedule, machine, 1, NULL, &prediction))
        fail_with("predict", algorithm, spec, machine_spec);
    /* Where transfers of a phase compete, starting some of them later can end all of them sooner (Graham's
     * anomalies); only where they do not is a barrier never a gain. */
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    int compete = p->ports != QDR_PORTS_FULL || p->switching != QDR_SWITCHING_PACKET ||
                  !(info.promises & QDR_PROMISES_PERMUTATION);
    double bound = info.direct ? bounds.direct : bounds.any;
    if (prediction.seconds < bound * (1 - 1e-9) || prediction.barrier_seconds < bound * (1 - 1e-9) ||
        (!compete && prediction.barrier_seconds < prediction.seconds * (1 - 1e-9)))
        fail_msg("-a %s, pattern %s, machine %s: %g s predicted, %g s with barriers, bound %g s", algorithm,
                 spec, machine_spec, prediction.seconds, prediction.barrier_seconds, bound);
}

static void check_json(const qdr_schedule *schedule, const qdr_pattern *pattern, const qdr_machine *machine,
                       const char *algorithm, const char *spec) {
    qdr_schedule *back;
    qdr_schedule_info before, after;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (qdr_schedule_write_json(schedule, stream)) fail_with("write", algorithm, spec, "");
    fclose(stream);
    stream = fmemopen(text, size, "r");
    if (qdr_schedule_read_json(stream, "memory", pattern, machine, &back) || qdr_schedule_check(back))
        fail_with("read back", algorithm, spec, "");
    fclose(stream);
    qdr_schedule_look(schedule, &before);
    qdr_schedule_look(back, &after);
    assert_int_equal(before.phases, after.phases);
    assert_int_equal(before.transfers, after.transfers);
    assert_int_equal(before.stages, after.stages);
    assert_int_equal(before.promises, after.promises);
    free(text);
    qdr_schedule_destroy(&back);
}

static void check_case(int algorithm, int pattern_index, int ranks, int variant) {
    const char *spec = case_pattern(pattern_index, ranks), *name = case_algorithms[algorithm];
    const char *machine_spec = case_machines[variant % COUNT(case_machines)];
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    qdr_schedule *schedule = NULL;
    cases++;
    qdr_status status = qdr_pattern_from_spec(spec, &pattern);
    if (must_refuse(spec, ranks)) {
        assert_int_not_equal(status, QDR_OK);
        assert_string_not_equal(qdr_error_message(), "");
        refused++;
        return;
    }
    if (status != QDR_OK) fail_with("pattern", name, spec, machine_spec);
    if (qdr_machine_create(machine_spec, ranks, &machine)) fail_with("machine", name, spec, machine_spec);
    if (qdr_schedule_create(pattern, name, machine, &schedule)) fail_with("build", name, spec, machine_spec);
    if (qdr_schedule_check(schedule)) fail_with("check", name, spec, machine_spec);
    check_prediction(schedule, pattern, machine, name, spec, machine_spec);
    if (ranks <= 17) check_json(schedule, pattern, machine, name, spec);
    qdr_schedule_destroy(&schedule);
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
}

static void cover(void **state) {
    (void)state;
    int patterns = COUNT(case_patterns), algorithms = COUNT(case_algorithms);
    int sweeps = patterns > algorithms ? patterns : algorithms; /* some patterns twice, if they are fewer */
    for (int sweep = 0; sweep < (QDR_FULL_TESTS ? patterns : sweeps); sweep++)
        for (int r = 0; r < (int)RANK_COUNTS; r++) {
            int first = QDR_FULL_TESTS ? 0 : (sweep + r) % algorithms;
            int last = QDR_FULL_TESTS ? algorithms : first + 1;
            for (int a = first; a < last; a++)
                check_case(a, sweep % patterns, case_ranks[r], sweep + 3 * r + a);
        }
    print_message("%d cases, %d of them refused as they must be\n", cases, refused);
    assert_true(refused * 10 < cases);
}

/* Every line of the table that can be built stands in the cases. */
static void all_algorithms_are_covered(void **state) {
    (void)state;
    const qdr_algorithm_info *info;
    for (int i = 0; (info = qdr_algorithm(i)); i++) {
        int found = 0;
        for (int a = 0; a < COUNT(case_algorithms); a++) {
            size_t length = strlen(info->name);
            found |= !strncmp(case_algorithms[a], info->name, length) &&
                     (case_algorithms[a][length] == ':' || !case_algorithms[a][length]);
        }
        if (!found && !info->at_run_time)
            fail_msg("%s is not in case_algorithms of tests/cases.h", info->name);
        if (found && info->at_run_time)
            fail_msg("%s is scheduled at run time, but stands in case_algorithms of tests/cases.h",
                     info->name);
        if (!strstr(info->options, "chunk") || !strstr(info->options, "window"))
            fail_msg("%s has options of its own; QDRI_PACE_OPTIONS must stand behind them", info->name);
    }
}

static void all_families_are_covered(void **state) {
    (void)state;
    const qdr_pattern_family_info *info;
    for (int i = 0; (info = qdr_pattern_family(i)); i++) {
        int found = !strcmp(info->name, "paper"); /* has one size only: paper_test.c */
        for (int p = 0; p < COUNT(case_patterns); p++)
            found |= !strncmp(case_patterns[p], info->name, strlen(info->name)) &&
                     case_patterns[p][strlen(info->name)] == ':';
        if (!found) fail_msg("family %s is not in case_patterns of tests/cases.h", info->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_algorithms_are_covered),
        cmocka_unit_test(all_families_are_covered),
        cmocka_unit_test(cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
