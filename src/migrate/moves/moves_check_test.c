/* SPDX-License-Identifier: BSD-3-Clause */
/* The checker can fail: moves broken in each way there is are found, with a sentence that says where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/moves/moves.h"
#include "migrate/moves/state.h"
#include "moves_testing.h"
#include "light.h"

/* Figure 3 of the paper: two ranks exchange 100 units with room for one; a third has room for 100. */
static const qdr_message figure[] = {{0, 1, 100}, {1, 0, 100}};
static const int64_t room[] = {1, 1, 100};

static qdr_pattern *pattern;
static qdr_moves *moves;

static int set_stage(void **state) {
    (void)state;
    return qdr_pattern_create(3, 2, figure, &pattern) || qdr_moves_create(pattern, room, "relaxed", &moves) ||
           qdr_moves_check(pattern, room, moves);
}

static int clear_stage(void **state) {
    (void)state;
    qdr_moves_destroy(&moves);
    qdr_pattern_destroy(&pattern);
    return 0;
}

static void expect(const char *sentence) {
    assert_int_equal(qdr_moves_check(pattern, room, moves), QDR_ERR_BROKEN);
    if (!strstr(qdr_error_message(), sentence))
        fail_msg("'%s' does not say '%s'", qdr_error_message(), sentence);
}

/* relaxed: 1: 0->2:33(1)  1->2:33(0);  2: 1->0:34  0->1:34;  3: 1->0:33  0->1:33;  4: 2->0:33  2->1:33 */
static qdr_move *move_of(int phase, int number) {
    return &moves->phases.move[moves->phases.start[phase] + number];
}

static void takes_what_it_does_not_hold(void **state) {
    (void)state;
    move_of(1, 0)->from = 2; /* 1->0:34, which rank 2 does not have */
    expect("phase 1: rank 2 sends unit 33 of message 1->0, which rank 1 holds");
}

static void takes_twice(void **state) {
    (void)state;
    move_of(2, 0)->offset = move_of(1, 0)->offset; /* gone in the phase before */
    expect("phase 2: rank 1 sends unit 33 of message 1->0, which rank 0 holds");
}

/* Whether the second move is looked at before the first or after it. */
static void sends_on_in_the_same_phase(void **state) {
    (void)state;
    static const qdr_message up[] = {{0, 2, 1}}, down[] = {{2, 0, 1}};
    static const int64_t one[] = {1, 1, 1};
    static const qdr_move along[2][2] = {{{0, 0, 1, 0, 1}, {0, 0, 1, 1, 2}},
                                         {{0, 0, 1, 1, 0}, {0, 0, 1, 2, 1}}};
    for (int way = 0; way < 2; way++) {
        qdr_pattern *path = NULL;
        qdri_state memory;
        assert_int_equal(qdr_pattern_create(3, 1, way ? down : up, &path), QDR_OK);
        qdr_pattern_view view = qdr_pattern_look(path);
        assert_int_equal(qdri_state_open(&memory, &view, one, NULL), QDR_OK);
        assert_int_equal(qdri_state_apply(&memory, along[way], 2), QDR_ERR_BROKEN);
        assert_non_null(strstr(qdr_error_message(), way ? "which rank 2 holds" : "only comes in this phase"));
        qdri_state_close(&memory);
        qdr_pattern_destroy(&path);
    }
}

static void is_out_of_order(void **state) {
    (void)state;
    qdr_move kept = *move_of(1, 0);
    *move_of(1, 0) = *move_of(1, 1);
    *move_of(1, 1) = kept;
    expect("phase 1: the move of message 1 to rank 0 is out of order");
}

static void exceeds_room(void **state) {
    (void)state;
    move_of(1, 0)->units++;
    expect("phase 1: rank 0 takes in 35 units, but has room for 34");
}

static void leaves_something(void **state) {
    (void)state;
    move_of(3, 1)->units--;
    expect("at the end rank 2 holds unit");
}

static void goes_past_the_end(void **state) {
    (void)state;
    move_of(3, 0)->offset = 99;
    expect("phase 3: rank 2 sends 33 units from 99 on of message 1->0, which has 100");
}

static void cannot_be(void **state) {
    static const qdr_move bad[] = {{0, 0, 1, 0, 3}, {0, 0, 1, 0, -1}, {0, 0, 1, 3, 1},
                                   {0, 0, 1, 1, 1}, {2, 0, 1, 0, 1},  {-1, 0, 1, 0, 1}};
    (void)state;
    qdr_move *move = move_of(0, 0);
    moves->phases.start[1] = 1; /* alone in its phase */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *move = bad[i];
        expect("which cannot be");
    }
    *move = (qdr_move){0, 0, 0, 0, 2};
    expect("sends 0 units");
    *move = (qdr_move){0, -1, 5, 0, 2};
    expect("from -1 on");
    *move = (qdr_move){0, 0, INT64_MAX, 0, 2};
    expect("which has 100");
    *move = (qdr_move){0, INT64_MAX, 1, 0, 2};
    expect("which has 100");
}

static void leaves_its_destination(void **state) {
    (void)state;
    *move_of(2, 1) = (qdr_move){1, move_of(1, 0)->offset, 1, 0, 2};
    expect("which are where they belong");
}

static void says_wrong_sums(void **state) {
    (void)state;
    moves->parked++;
    expect("parked");
    moves->parked--;
    moves->total--;
    expect("to be moved");
}

static void has_empty_phases(void **state) {
    (void)state;
    moves->phases.start[1] = 0;
    expect("phase 0 has no moves");
}

static void is_for_others(void **state) {
    (void)state;
    qdr_pattern *other = NULL;
    assert_int_equal(qdr_pattern_create(4, 2, figure, &other), QDR_OK);
    assert_int_equal(qdr_moves_check(other, room, moves), QDR_ERR_BROKEN);
    qdr_pattern_destroy(&other);
    static const int64_t less[] = {1, 1, 65};
    assert_int_equal(qdr_moves_check(pattern, less, moves), QDR_ERR_BROKEN);
    assert_non_null(strstr(qdr_error_message(), "phase 0: rank 2 takes in 66 units, but has room for 65"));
    assert_int_equal(qdr_moves_check(NULL, room, moves), QDR_ERR_INVALID);
}

/* Any change of any number of any move, at random, is found. */
static void random_damage(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(3);
    for (int number = 0; number < light_or(300, 3000); number++) {
        instance it = case_open(&random, number % SHAPES, number / SHAPES % ROOMS,
                                (int)qdri_random_between(&random, 3, 9), 9);
        qdr_moves *made = NULL;
        if (it.total &&
            qdr_moves_create(it.pattern, it.room, number % 2 ? "greedy" : "auto", &made) == QDR_OK) {
            qdr_move *hurt = &made->phases.move[qdri_random_between(&random, 0, made->phases.moves - 1)];
            int64_t by = qdri_random_below(&random, 2) ? 1 : -1;
            switch (qdri_random_below(&random, 5)) {
            case 0:
                hurt->message += by;
                break;
            case 1:
                hurt->offset += by;
                break;
            case 2:
                hurt->units += by;
                break;
            case 3:
                hurt->from += (int)by;
                break;
            default:
                hurt->to += (int)by;
            }
            assert_int_equal(qdr_moves_check(it.pattern, it.room, made), QDR_ERR_BROKEN);
        }
        qdr_moves_destroy(&made);
        case_close(&it);
    }
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_stage, clear_stage)

int main(void) {
    const struct CMUnitTest tests[] = {
        STAGED(takes_what_it_does_not_hold),
        STAGED(takes_twice),
        STAGED(sends_on_in_the_same_phase),
        STAGED(is_out_of_order),
        STAGED(exceeds_room),
        STAGED(leaves_something),
        STAGED(goes_past_the_end),
        STAGED(cannot_be),
        STAGED(leaves_its_destination),
        STAGED(says_wrong_sums),
        STAGED(has_empty_phases),
        STAGED(is_for_others),
        cmocka_unit_test(random_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
