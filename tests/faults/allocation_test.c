/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that runs out. Every operation of the library is run with its first allocation failing, then with
 * its second, and so on until it needs no more of them; once with that allocation alone failing, once with
 * all that follow. Each time it must return an error with a message, must leave its outputs alone, and must
 * give back all it took.
 *
 * The program is linked with --wrap for malloc, calloc, realloc and free, so that the library's calls come
 * here; those of the JSON parser are led here by its own hooks. Blocks are remembered by address: what the C
 * library allocates for its streams is not counted, whoever frees it.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "quadrille-io.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

/* ---- the failing allocator ----------------------------------------------------------------------------- */

enum { PLACES = 1 << 16 };

static void *live[PLACES]; /* open addressing */
static int64_t outstanding;

static int armed, lasting;            /* whether an allocation may fail; whether all later ones fail too */
static int64_t counted, fatal, fired; /* allocations so far, the one that fails, how often that happened */
static int64_t injected;              /* failures of the whole program */
static int parser_failed;             /* the JSON parser was the one to suffer */

static size_t place_of(const void *block) {
    return ((uintptr_t)block >> 4) * 2654435761u % PLACES;
}

static void put(void *block) {
    size_t place = place_of(block);
    while (live[place]) place = (place + 1) % PLACES;
    live[place] = block;
}

static void *remember(void *block) {
    if (!block) return NULL;
    if (outstanding > PLACES / 2) abort(); /* more than these tests ever hold */
    put(block);
    outstanding++;
    return block;
}

/* Those behind it move up, so that free places stay free: some allocators never give out an address again. */
static void forget(const void *block) {
    size_t place = place_of(block);
    while (live[place] && live[place] != block) place = (place + 1) % PLACES;
    if (!live[place]) return;
    live[place] = NULL;
    outstanding--;
    for (place = (place + 1) % PLACES; live[place]; place = (place + 1) % PLACES) {
        void *next = live[place];
        live[place] = NULL;
        put(next);
    }
}

static int fails(void) {
    if (!armed) return 0;
    counted++;
    if (counted != fatal && !(lasting && counted > fatal)) return 0;
    fired++;
    injected++;
    return 1;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : remember(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : remember(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    if (fails()) return NULL;
    uintptr_t old = (uintptr_t)block;
    void *moved = __real_realloc(block, size);
    if (!moved) return NULL;
    forget((void *)old);
    return remember(moved);
}

void __wrap_free(void *block) {
    if (block) forget(block);
    __real_free(block);
}

/* The parser takes some failures for a fault of the text; that is a refusal too. Others it survives: a long
 * string loses a letter. */
static void *parser_malloc(size_t size) {
    void *block = __wrap_malloc(size);
    if (!block) parser_failed = 1;
    return block;
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

/* Sets its stage, runs the call under test inside TESTED, takes the stage down, returns the call's status. */
typedef qdr_status operation(const char *argument);

#define TESTED(status, call)                                                                                 \
    do {                                                                                                     \
        armed = 1;                                                                                           \
        (status) = (call);                                                                                   \
        armed = 0;                                                                                           \
    } while (0)

/* Whether the fatal allocation was reached. */
static int run_once(operation *run, const char *what, const char *argument) {
    int64_t before = outstanding;
    counted = fired = parser_failed = 0;
    qdr_status status = run(argument);
    if (outstanding != before)
        fail_msg("%s %s: %lld blocks left behind when allocation %lld fails", what, argument,
                 (long long)(outstanding - before), (long long)fatal);
    int plain = status == QDR_ERR_MEMORY && !strcmp(qdr_error_message(), "out of memory");
    int misread = parser_failed && status == QDR_ERR_SYNTAX && !strncmp(qdr_error_message(), "memory:", 7);
    int survived = parser_failed && status == QDR_OK;
    if (fired && !plain && !misread && !survived)
        fail_msg("%s %s: status %d (%s) when allocation %lld fails", what, argument, status,
                 status ? qdr_error_message() : "success", (long long)fatal);
    if (!fired && status != QDR_OK) fail_msg("%s %s: %s", what, argument, qdr_error_message());
    return fired > 0;
}

static void exhaust(operation *run, const char *what, const char *argument) {
    for (lasting = 0; lasting < 2; lasting++) {
        fatal = 1;
        while (run_once(run, what, argument)) fatal++;
    }
}

/* ---- patterns and machines ----------------------------------------------------------------------------- */

static qdr_status make_pattern(const char *spec) {
    qdr_status status;
    qdr_pattern *pattern = NULL;
    TESTED(status, qdr_pattern_from_spec(spec, &pattern));
    if (status) assert_null(pattern);
    qdr_pattern_destroy(&pattern);
    return status;
}

static qdr_status read_pattern(const char *file) {
    qdr_status status;
    qdr_pattern *pattern = NULL;
    FILE *stream = fmemopen((void *)file, strlen(file), "r");
    TESTED(status, qdr_pattern_read(stream, "memory", 8, &pattern));
    if (status) assert_null(pattern);
    fclose(stream);
    qdr_pattern_destroy(&pattern);
    return status;
}

static qdr_status copy_pattern(const char *unused) {
    static const qdr_message messages[] = {{3, 1, 5}, {0, 2, 7}, {2, 2, 9}, {0, 1, 0}, {1, 3, 1}};
    qdr_status status;
    qdr_pattern *pattern = NULL;
    (void)unused;
    TESTED(status, qdr_pattern_create(4, 5, messages, &pattern));
    if (status) assert_null(pattern);
    qdr_pattern_destroy(&pattern);
    return status;
}

static qdr_status make_machine(const char *spec) {
    qdr_status status;
    qdr_machine *machine = NULL;
    TESTED(status, qdr_machine_create(spec, 16, &machine));
    if (status) assert_null(machine);
    qdr_machine_destroy(&machine);
    return status;
}

static void patterns(void **state) {
    (void)state;
    const qdr_pattern_family_info *family;
    char example[256];
    for (int i = 0; (family = qdr_pattern_family(i)); i++) {
        snprintf(example, sizeof example, "%s", family->example);
        exhaust(make_pattern, "pattern", example);
    }
    for (int p = 0; p < COUNT(case_patterns); p++) exhaust(make_pattern, "pattern", case_pattern(p, 16));
    exhaust(copy_pattern, "pattern from messages", "");
}

static void matrix_market(void **state) {
    (void)state;
    static const char *const files[] = {
        "%%MatrixMarket matrix coordinate integer general\n4 4 5\n1 2 10\n2 1 20\n3 3 5\n4 1 7\n1 4 1024\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1.0e1\n2 3 2.50E+2\n3 1 7\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 1\n",
        "%%MatrixMarket matrix coordinate integer general\n1 1 0\n",
    };
    for (int i = 0; i < COUNT(files); i++) exhaust(read_pattern, "file", files[i]);
}

static void machines(void **state) {
    (void)state;
    const qdr_machine_info *info;
    for (int i = 0; (info = qdr_machine_known(i)); i++) {
        exhaust(make_machine, "machine", info->name);
        if (!info->is_preset) exhaust(make_machine, "machine", info->spec);
    }
}

/* ---- schedules ----------------------------------------------------------------------------------------- */

static qdr_pattern *pattern;
static qdr_machine *machine;

static int set_stage(void **state) {
    (void)state;
    return qdr_pattern_from_spec("random:n=14,density=0.4,bytes=1..900,seed=4", &pattern) ||
           qdr_machine_create("mesh:columns=4", 16, &machine);
}

static int clear_stage(void **state) {
    (void)state;
    qdr_pattern_destroy(&pattern);
    qdr_machine_destroy(&machine);
    return 0;
}

static qdr_schedule *schedule_of(const char *algorithm) {
    qdr_schedule *schedule = NULL;
    if (qdr_schedule_create(pattern, algorithm, machine, &schedule))
        fail_msg("%s: %s", algorithm, qdr_error_message());
    return schedule;
}

static qdr_status build(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = NULL;
    TESTED(status, qdr_schedule_create(pattern, algorithm, machine, &schedule));
    if (status) assert_null(schedule);
    qdr_schedule_destroy(&schedule);
    return status;
}

static qdr_status check(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = schedule_of(algorithm);
    TESTED(status, qdr_schedule_check(schedule));
    qdr_schedule_destroy(&schedule);
    return status;
}

static qdr_status read_rows(const qdr_schedule *schedule) {
    qdr_row_reader *reader = NULL;
    qdr_schedule_info info;
    qdr_status status = qdr_schedule_look(schedule, &info);
    if (status == QDR_OK) status = qdr_row_reader_create(schedule, &reader);
    for (int stage = 0; status == QDR_OK && stage < info.stages; stage++)
        for (int rank = 0; status == QDR_OK && rank < info.ranks; rank++) {
            qdr_row row;
            status = qdr_row_read(reader, rank, stage, &row);
        }
    qdr_row_reader_destroy(&reader);
    return status;
}

static qdr_status rows(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = schedule_of(algorithm);
    TESTED(status, read_rows(schedule));
    qdr_schedule_destroy(&schedule);
    return status;
}

static qdr_status steps_and_prediction(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = schedule_of(algorithm);
    qdr_step *steps = NULL;
    int64_t count = 0;
    qdr_prediction prediction;
    TESTED(status, qdr_schedule_steps(schedule, &count, &steps));
    if (status)
        assert_null(steps);
    else
        TESTED(status, qdr_schedule_predict(schedule, machine, 8, steps, &prediction));
    free(steps);
    if (status == QDR_OK) TESTED(status, qdr_schedule_predict(schedule, machine, 8, NULL, &prediction));
    qdr_schedule_destroy(&schedule);
    return status;
}

static qdr_status pictures(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = schedule_of(algorithm);
    qdr_step *steps = NULL;
    int64_t count = 0;
    qdr_prediction prediction;
    FILE *stream = fopen("/dev/null", "w");
    assert_int_equal(qdr_schedule_steps(schedule, &count, &steps), QDR_OK);
    assert_int_equal(qdr_schedule_predict(schedule, machine, 8, steps, &prediction), QDR_OK);
    TESTED(status, qdr_schedule_write_svg(schedule, count, steps, 0, "title", stream));
    if (status == QDR_OK) TESTED(status, qdr_steps_write_text(count, steps, stream));
    free(steps);
    fclose(stream);
    qdr_schedule_destroy(&schedule);
    return status;
}

static qdr_status write_json(const char *algorithm) {
    qdr_status status;
    qdr_schedule *schedule = schedule_of(algorithm);
    FILE *stream = fopen("/dev/null", "w");
    TESTED(status, qdr_schedule_write_json(schedule, stream));
    fclose(stream);
    qdr_schedule_destroy(&schedule);
    return status;
}

static char *json_of(const char *algorithm, size_t *size) {
    char *text = NULL;
    qdr_schedule *schedule = schedule_of(algorithm);
    FILE *stream = open_memstream(&text, size);
    assert_int_equal(qdr_schedule_write_json(schedule, stream), QDR_OK);
    fclose(stream);
    qdr_schedule_destroy(&schedule);
    return text;
}

static char *json_text; /* written once per algorithm: reading it fails thousands of times */
static size_t json_size;

static qdr_status read_json(const char *unused) {
    qdr_status status;
    qdr_schedule *schedule = NULL;
    FILE *stream = fmemopen(json_text, json_size, "r");
    (void)unused;
    TESTED(status, qdr_schedule_read_json(stream, "memory", pattern, machine, &schedule));
    if (status)
        assert_null(schedule);
    else
        assert_int_equal(qdr_schedule_check(schedule), QDR_OK);
    fclose(stream);
    qdr_schedule_destroy(&schedule);
    return status;
}

static void schedules(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(case_algorithms); i++) {
        const char *algorithm = case_algorithms[i];
        exhaust(build, "build", algorithm);
        exhaust(check, "check", algorithm);
        exhaust(rows, "rows", algorithm);
        exhaust(steps_and_prediction, "predict", algorithm);
        exhaust(pictures, "pictures", algorithm);
        exhaust(write_json, "write", algorithm);
    }
}

static void loading(void **state) {
    static const char *const algorithms[] = {"greedy", "random-link-split", "split"};
    (void)state;
    qdr_pattern *kept = pattern;
    assert_int_equal(qdr_pattern_from_spec("random:n=6,density=0.3,bytes=1..90,seed=4", &pattern), QDR_OK);
    for (int i = 0; i < COUNT(algorithms); i++) {
        json_text = json_of(algorithms[i], &json_size);
        exhaust(read_json, "read", algorithms[i]);
        free(json_text);
    }
    qdr_pattern_destroy(&pattern);
    pattern = kept;
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static qdr_status bounds(const char *spec) {
    qdr_status status;
    qdr_machine *other = NULL;
    qdr_bounds result;
    assert_int_equal(qdr_machine_create(spec, 16, &other), QDR_OK);
    TESTED(status, qdr_bounds_compute(pattern, other, 8, &result));
    qdr_machine_destroy(&other);
    return status;
}

static qdr_status broadcast(const char *algorithm) {
    static const int group[] = {5, 3, 1, 0, 7, 9};
    qdr_status status;
    qdr_step *steps = NULL;
    int64_t count = 0;
    qdr_prediction prediction;
    TESTED(status, qdr_broadcast_steps(algorithm, COUNT(group), group, 64, &count, &steps));
    if (status)
        assert_null(steps);
    else
        TESTED(status, qdr_steps_predict(count, steps, machine, 8, &prediction));
    free(steps);
    return status;
}

static qdr_status write_pattern(const char *unused) {
    qdr_status status;
    FILE *stream = fopen("/dev/null", "w");
    (void)unused;
    TESTED(status, qdr_pattern_write(pattern, stream));
    fclose(stream);
    return status;
}

static void bounds_and_broadcast(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(case_machines); i++) exhaust(bounds, "bounds", case_machines[i]);
    exhaust(broadcast, "broadcast", "linear");
    exhaust(broadcast, "broadcast", "recursive");
    exhaust(write_pattern, "write", "pattern");
}

static void the_allocator_was_tested_too(void **state) {
    (void)state;
    print_message("%lld allocations failed\n", (long long)injected);
    assert_true(injected > 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(matrix_market),
        cmocka_unit_test(machines),
        cmocka_unit_test(schedules),
        cmocka_unit_test(loading),
        cmocka_unit_test(bounds_and_broadcast),
        cmocka_unit_test(the_allocator_was_tested_too),
    };
    json_set_alloc_funcs(parser_malloc, __wrap_free);
    return cmocka_run_group_tests(tests, set_stage, clear_stage);
}
