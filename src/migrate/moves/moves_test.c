/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves: the paper's example, edges, refusals and their sentences, the least room, the decision of figure 4,
 * and what is written. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/moves/robust.h"
#include "moves_testing.h"
#include "quadrille-io.h"

static qdr_pattern *make(int ranks, int64_t count, const qdr_message *messages) {
    qdr_pattern *pattern = NULL;
    if (qdr_pattern_create(ranks, count, messages, &pattern)) fail_msg("%s", qdr_error_message());
    return pattern;
}

static qdr_moves *build(const qdr_pattern *pattern, const int64_t *room, const char *method) {
    qdr_moves *moves = NULL;
    if (qdr_moves_create(pattern, room, method, &moves) || qdr_moves_check(pattern, room, moves))
        fail_msg("%s: %s", method, qdr_error_message());
    return moves;
}

static void refused(const qdr_pattern *pattern, const int64_t *room, const char *method, qdr_status status,
                    const char *sentence) {
    qdr_moves *moves = NULL;
    assert_int_equal(qdr_moves_create(pattern, room, method, &moves), status);
    assert_null(moves);
    if (!strstr(qdr_error_message(), sentence))
        fail_msg("'%s' does not say '%s'", qdr_error_message(), sentence);
}

static const qdr_message figure[] = {{0, 1, 100}, {1, 0, 100}};

static void figure_3(void **state) {
    static const struct {
        const char *method, *taken;
        int64_t phases;
    } cases[] = {
        {"greedy", "greedy", 3}, {"robust", "robust", 100}, {"auto", "greedy", 3}, {NULL, "greedy", 3}};
    static const int64_t room[] = {1, 1, 100}, none[] = {0, 0, 100};
    (void)state;
    qdr_pattern *pattern = make(3, 2, figure);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qdr_moves *moves = build(pattern, room, cases[i].method);
        qdr_moves_view view = qdr_moves_look(moves);
        assert_string_equal(view.method, cases[i].taken);
        assert_int_equal(view.phases, cases[i].phases);
        assert_int_equal(view.total, 200);
        assert_int_equal(view.room, 102);
        assert_int_equal(view.bound, 2);
        assert_true(2 * view.parked <= 200);
        qdr_moves_destroy(&moves);
        assert_null(moves);
    }
    /* Without any free memory there is no way but parking, and three phases suffice still. */
    refused(pattern, none, "robust", QDR_ERR_RANGE, "rank 0 waits for data and has no room");
    qdr_moves *moves = build(pattern, none, "auto");
    assert_int_equal(qdr_moves_look(moves).phases, 3);
    qdr_moves_destroy(&moves);
    qdr_pattern_destroy(&pattern);
}

static void zero_is_legal(void **state) {
    static const qdr_message local[] = {{0, 0, 7}};
    static const int64_t none[] = {0, 0, 0};
    const qdr_moves_method_info *info;
    (void)state;
    for (int ranks = 1; ranks <= 3; ranks++) {
        qdr_pattern *pattern = make(ranks, 1, local);
        int64_t with = -1, without = -1;
        for (int i = 0; (info = qdr_moves_method(i)); i++) {
            qdr_moves *moves = build(pattern, none, info->name);
            qdr_moves_view view = qdr_moves_look(moves);
            assert_int_equal(view.phases, 0);
            assert_int_equal(view.phase_start[0], 0);
            assert_int_equal(view.bound, 0);
            assert_int_equal(view.parked, 0);
            assert_int_equal(view.ranks, ranks);
            assert_string_equal(view.method, info->name);
            qdr_moves_destroy(&moves);
        }
        assert_int_equal(qdr_moves_least_room(pattern, &with, &without), QDR_OK);
        assert_int_equal(with, 0);
        assert_int_equal(without, 0);
        qdr_pattern_destroy(&pattern);
    }
    qdr_moves *nothing = NULL;
    qdr_moves_destroy(&nothing);
    qdr_moves_destroy(NULL);
}

/* The pattern may go before the moves. */
static void keeps_the_pattern(void **state) {
    static const int64_t room[] = {100, 100, 0};
    (void)state;
    qdr_pattern *pattern = make(3, 2, figure);
    qdr_moves *moves = build(pattern, room, "direct");
    qdr_pattern_destroy(&pattern);
    assert_int_equal(qdr_moves_look(moves).ranks, 3);
    qdr_moves_destroy(&moves);
}

static void sentences(void **state) {
    static const qdr_message flood[] = {{0, 2, 50}, {1, 2, 60}, {2, 0, 10}};
    static const int64_t small[] = {5, 5, 99}, none[] = {0, 0, 0}, wrong[] = {1, -4, 1};
    static const int64_t full[] = {0, 0, 1}, little[] = {50, 50, 50};
    (void)state;
    qdr_pattern *pattern = make(3, 3, flood), *swap = make(3, 2, figure);
    refused(pattern, small, "auto", QDR_ERR_RANGE,
            "rank 2 receives 110 units and sends 10, so that it needs room for 100; it has room for 99");
    static const qdr_message spread[] = {{0, 1, 50}, {0, 2, 60}};
    static const int64_t both_short[] = {100, 10, 20};
    qdr_pattern *two = make(3, 2, spread);
    refused(
        two, both_short, "auto", QDR_ERR_RANGE,
        "rank 1 receives 50 units and sends 0, so that it needs room for 50; it has room for 10. Also short: "
        "rank 2 needs 60 and has 20");
    qdr_pattern_destroy(&two);
    refused(swap, none, "greedy", QDR_ERR_RANGE, "no rank has any room");
    refused(swap, wrong, "greedy", QDR_ERR_RANGE, "the room of rank 1 is -4");
    refused(
        swap, little, "direct", QDR_ERR_RANGE,
        "direct needs room for 100 units on rank 0, which has room for 50; the least room, the same for all "
        "ranks, is 1 with parking, 1 without");
    refused(swap, full, "relaxed", QDR_ERR_RANGE, "room for 1");
    refused(swap, little, "gready", QDR_ERR_UNKNOWN, "auto, direct, robust, greedy, relaxed");
    refused(swap, little, "greedy:park=all", QDR_ERR_SYNTAX, "starved largest rank");
    refused(swap, little, "direct:first=rank", QDR_ERR_SYNTAX, "no keys");
    refused(swap, little, "", QDR_ERR_SYNTAX, "NAME");
    refused(NULL, little, "auto", QDR_ERR_INVALID, "NULL");
    refused(swap, NULL, "auto", QDR_ERR_INVALID, "NULL");
    qdr_pattern_destroy(&pattern);
    qdr_pattern_destroy(&swap);
}

/* Numbers that would overflow, and schedules that nobody could wait for, are refused at once. */
static void hostile_sizes(void **state) {
    static const qdr_message huge[] = {{0, 1, INT64_C(1) << 61}}, large[] = {{0, 1, INT64_C(1) << 59}};
    static const int64_t endless[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    int64_t tight[] = {0, INT64_C(1) << 59, 0};
    (void)state;
    qdr_pattern *pattern = make(3, 1, huge);
    refused(pattern, endless, "auto", QDR_ERR_RANGE, "too many to be moved");
    qdr_pattern_destroy(&pattern);
    pattern = make(3, 1, large);
    for (int i = 0; i < 2; i++) {
        qdr_moves *moves = build(pattern, i ? tight : endless, "auto");
        assert_int_equal(qdr_moves_look(moves).phases, 1);
        qdr_moves_destroy(&moves);
    }
    qdr_pattern_destroy(&pattern);
    static const qdr_message swap[] = {{0, 1, INT64_C(1) << 40}, {1, 0, INT64_C(1) << 40}};
    static const int64_t crumbs[] = {1, 1, 1};
    pattern = make(3, 2, swap);
    refused(pattern, crumbs, "auto", QDR_ERR_RANGE, "take at least");
    refused(pattern, crumbs, "robust", QDR_ERR_RANGE, "take at least");
    static const int64_t far[] = {1, 1, INT64_C(1) << 40}; /* few phases with parking, endless without */
    refused(pattern, far, "robust", QDR_ERR_RANGE, "more than 1048576 phases");
    qdr_moves *moves = build(pattern, far, "auto");
    assert_true(qdr_moves_look(moves).phases <= 4);
    qdr_moves_destroy(&moves);
    qdr_pattern_destroy(&pattern);
}

static void methods_describe_themselves(void **state) {
    const qdr_moves_method_info *info;
    int count = 0;
    (void)state;
    for (; (info = qdr_moves_method(count)); count++) {
        assert_true(info->name[0] && info->summary[0] && info->promise[0]);
        assert_int_equal(info->parks, strcmp(info->name, "direct") && strcmp(info->name, "robust"));
        assert_true(!strcmp(info->name, "greedy") == (strstr(info->options, "park=starved") != NULL));
    }
    assert_int_equal(count, 5);
    assert_null(qdr_moves_method(-1));
}

/* What is named works, with parking and one less does not. */
static void least_room(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(9);
    for (int number = 0; number < 300; number++) {
        instance it =
            case_open(&random, number % SHAPES, PLENTY, (int)qdri_random_between(&random, 2, 9), 40);
        int64_t with, without, room[CASE_RANKS];
        qdr_moves *moves = NULL;
        assert_int_equal(qdr_moves_least_room(it.pattern, &with, &without), QDR_OK);
        assert_true(with <= without);
        for (int r = 0; r < it.ranks; r++) room[r] = with;
        moves = build(it.pattern, room, "auto");
        qdr_moves_destroy(&moves);
        for (int r = 0; r < it.ranks; r++) room[r] = without;
        moves = build(it.pattern, room, "robust");
        qdr_moves_destroy(&moves);
        if (with > 0) {
            for (int r = 0; r < it.ranks; r++) room[r] = with - 1;
            assert_int_equal(qdr_moves_create(it.pattern, room, "auto", &moves), QDR_ERR_RANGE);
        }
        case_close(&it);
    }
}

/* Figure 4: by priority, no more than the sender's buffer, no more than there is room for. */
static void a_receiver_decides(void **state) {
    static const int64_t remaining[] = {10, 40, 20, 5}, buffer[] = {10, 15, 20, 0}, priority[] = {1, 7, 1, 9};
    static const struct {
        qdri_first first;
        int64_t room, take[4];
    } cases[] = {
        {QDRI_FIRST_STARVED, 30, {10, 15, 5, 0}},  {QDRI_FIRST_LARGEST, 30, {0, 15, 15, 0}},
        {QDRI_FIRST_SMALLEST, 25, {10, 0, 15, 0}}, {QDRI_FIRST_RANK, 12, {10, 2, 0, 0}},
        {QDRI_FIRST_RANK, 100, {10, 15, 20, 0}},   {QDRI_FIRST_STARVED, 0, {0, 0, 0, 0}},
    };
    qdri_heap_entry scratch[4];
    int64_t take[4];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t sum = 0;
        int64_t taken =
            qdri_robust_choose(cases[i].first, cases[i].room, 4, remaining, buffer, priority, scratch, take);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(take[k], cases[i].take[k]);
            sum += take[k];
        }
        assert_int_equal(taken, sum);
    }
    assert_int_equal(qdri_robust_choose(QDRI_FIRST_LARGEST, 42, 4, remaining, NULL, NULL, scratch, take), 42);
    assert_int_equal(take[1], 40);
    assert_int_equal(take[2], 2);
    assert_int_equal(qdri_robust_choose(QDRI_FIRST_RANK, 42, 0, NULL, NULL, NULL, NULL, NULL), 0);
}

/* ---- written ------------------------------------------------------------------------------------------- */

static char *written(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves, int way) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    qdr_status status = way == 0   ? qdr_moves_write_text(moves, stream)
                        : way == 1 ? qdr_moves_write_json(moves, stream)
                                   : qdr_moves_write_svg(pattern, room, moves, stream);
    if (status) fail_msg("%s", qdr_error_message());
    fclose(stream);
    return text;
}

static void writes_itself(void **state) {
    static const int64_t room[] = {1, 1, 100};
    (void)state;
    qdr_pattern *pattern = make(3, 2, figure);
    qdr_moves *moves = build(pattern, room, "relaxed");
    qdr_moves_view view = qdr_moves_look(moves);
    char *text = written(pattern, room, moves, 0), *json = written(pattern, room, moves, 1),
         *svg = written(pattern, room, moves, 2);
    assert_non_null(strstr(text, "0->2:33(1)"));
    assert_non_null(strstr(text, "2->1:33(0)"));
    json_t *root = json_loads(json, 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_array_size(json_object_get(root, "moves")), view.phase_start[view.phases]);
    assert_int_equal(json_integer_value(json_object_get(root, "parked")), view.parked);
    json_decref(root);
    assert_non_null(strstr(svg, "relaxed: 200 units"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(svg, "<title>rank 2, phase 1: 66 comes to be parked</title>"));
    free(text);
    free(json);
    free(svg);
    assert_int_equal(qdr_moves_write_text(NULL, stdout), QDR_ERR_INVALID);
    assert_int_equal(qdr_moves_write_json(moves, NULL), QDR_ERR_INVALID);
    assert_int_equal(qdr_moves_write_svg(pattern, NULL, moves, stdout), QDR_ERR_INVALID);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(qdr_moves_write_json(moves, full), QDR_ERR_FILE);
        fclose(full);
    }
    qdr_moves_destroy(&moves);
    qdr_pattern_destroy(&pattern);
}

/* The same on every machine and at every time: the schedule is a function of pattern, room and method. */
static void deterministic(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(21);
    instance it = case_open(&random, SPARSE, SOME_UNITS, 24, 60);
    const qdr_moves_method_info *info;
    for (int i = 0; (info = qdr_moves_method(i)); i++) {
        qdr_moves *one = NULL, *other = NULL;
        if (qdr_moves_create(it.pattern, it.room, info->name, &one)) continue;
        other = build(it.pattern, it.room, info->name);
        char *first = written(it.pattern, it.room, one, 1), *second = written(it.pattern, it.room, other, 1);
        assert_string_equal(first, second);
        free(first);
        free(second);
        qdr_moves_destroy(&one);
        qdr_moves_destroy(&other);
    }
    case_close(&it);
}

/* What has no units is where it belongs. */
static void messages_without_units(void **state) {
    (void)state;
    static const char *const specs[] = {"complete:n=4,bytes=0", "random:n=4,density=0.7,bytes=0..2"};
    const int64_t room[] = {9, 9, 9, 9};
    const qdr_moves_method_info *info;
    for (int i = 0; i < 2; i++) {
        qdr_pattern *pattern = NULL;
        assert_int_equal(qdr_pattern_from_spec(specs[i], &pattern), QDR_OK);
        for (int k = 0; (info = qdr_moves_method(k)); k++) {
            qdr_moves *moves = build(pattern, room, info->name);
            qdr_moves_view view = qdr_moves_look(moves);
            if (i == 0) assert_int_equal(view.phases, 0);
            for (int64_t m = 0; m < view.phase_start[view.phases]; m++) assert_true(view.move[m].units > 0);
            qdr_moves_destroy(&moves);
        }
        qdr_pattern_destroy(&pattern);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_3),
        cmocka_unit_test(zero_is_legal),
        cmocka_unit_test(keeps_the_pattern),
        cmocka_unit_test(sentences),
        cmocka_unit_test(hostile_sizes),
        cmocka_unit_test(methods_describe_themselves),
        cmocka_unit_test(least_room),
        cmocka_unit_test(a_receiver_decides),
        cmocka_unit_test(writes_itself),
        cmocka_unit_test(deterministic),
        cmocka_unit_test(messages_without_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
