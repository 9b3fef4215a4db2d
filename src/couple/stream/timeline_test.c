/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline against brute force. The oracle keeps the whole history, and a request is decided for it
 * when all possible futures give the same answer: no further export, or one or two at times of a fine
 * grid. Random sequences of exports, requests and promises must give the same verdicts in the same order,
 * as early; what was forgotten is never missed; and no more is kept than the queue allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "couple/stream/timeline.h"
#include "light.h"

enum { MOST = 64, GRID = 120 };

/* Times are multiples of a half, so that the grid meets every case. */
typedef struct history {
    double time[MOST + 2];
    int slot[MOST + 2];
    int holds[MOST]; /* each slot: the export that was put there last */
    int count;
    double promised;
} history;

static qdri_timeline_verdict room_for(qdri_timeline *timeline, double time) {
    assert_int_equal(qdri_timeline_reserve(timeline), QDR_OK);
    return qdri_timeline_room(timeline, time);
}

static int export_at(qdri_timeline *timeline, double time) {
    assert_int_equal(qdri_timeline_reserve(timeline), QDR_OK);
    return qdri_timeline_export(timeline, time);
}

/* The best of `count` exports for a request; -1: none. */
static int best_of(const double *time, int count, const qdri_wanted *request) {
    int best = -1;
    for (int i = 0; i < count; i++) {
        double distance = time[i] - request->time;
        if (request->match == QDR_EXACT && distance != 0) continue;
        if (request->match == QDR_BEFORE && distance > 0) continue;
        if (request->match == QDR_AFTER && distance < 0) continue;
        if (fabs(distance) > request->tolerance) continue;
        if (best < 0 || fabs(distance) < fabs(time[best] - request->time)) best = i;
    }
    return best;
}

static int may_come(const history *past, double time) {
    return (past->count == 0 || time > past->time[past->count - 1]) && time >= past->promised;
}

/* The verdict, by trying futures. A number beyond the past is a future export, so the past does not
 * decide. */
static qdri_verdict oracle(const history *past, const qdri_wanted *request, int *number) {
    double time[MOST + 2];
    memcpy(time, past->time, sizeof time);
    *number = best_of(time, past->count, request);
    for (int i = -GRID; i < GRID; i++) {
        time[past->count] = 0.25 * i;
        if (!may_come(past, time[past->count])) continue;
        if (best_of(time, past->count + 1, request) != *number) return QDRI_UNDECIDED;
    }
    return *number < 0 ? QDRI_UNMATCHED : QDRI_MATCHED;
}

typedef struct play {
    qdri_timeline timeline;
    history past;
    qdri_wanted request[MOST];
    int requests, decided, served, expects[MOST];
    double spared;
    qdri_random random;
} play;

/* What both have decided must be the same, in order. */
static void compare(play *play) {
    const qdri_asked *asked;
    int number;
    while (play->decided < play->requests) {
        const qdri_wanted *request = &play->request[play->decided];
        qdri_verdict verdict = oracle(&play->past, request, &number);
        asked = qdri_timeline_announce(&play->timeline);
        assert_int_equal(asked == NULL, verdict == QDRI_UNDECIDED);
        if (!asked) break;
        assert_int_equal(asked->verdict, verdict);
        assert_int_equal(asked->request.number, play->decided);
        play->expects[play->decided++] = number;
        if (number < 0) continue;
        assert_true(asked->time == play->past.time[number]);
        assert_int_equal(asked->slot, play->past.slot[number]);
    }
    assert_null(qdri_timeline_announce(&play->timeline));
    asked = qdri_timeline_undecided(&play->timeline);
    assert_int_equal(asked == NULL, play->decided == play->requests);
    if (asked) assert_int_equal(asked->request.number, play->decided);
}

static void serve(play *play, int most) {
    const qdri_asked *asked;
    for (; most > 0 && (asked = qdri_timeline_next(&play->timeline)); most--) {
        assert_int_equal(asked->request.number, play->served);
        int number = play->expects[play->served++];
        if (number >= 0) assert_int_equal(play->past.holds[asked->slot], number);
        qdri_timeline_serve(&play->timeline);
    }
}

/* A slot that holds what is still needed must not be given away. */
static void check_slots(const play *play) {
    for (int i = 0; i < play->timeline.kept; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(play->timeline.stamp[i].slot, play->timeline.stamp[j].slot);
    assert_int_equal(play->timeline.kept + play->timeline.free_slots, play->timeline.slots);
}

static double step(play *play) {
    return 0.5 * (double)qdri_random_below(&play->random, 6);
}

static void export_next(play *play) {
    history *past = &play->past;
    double last = past->count ? past->time[past->count - 1] : -5;
    double time = fmax(last + 0.5 + step(play), past->promised);
    if (past->count == MOST || time > 20) return;
    qdri_timeline_verdict room = room_for(&play->timeline, time);
    int kept = play->timeline.kept;
    assert_int_equal(room, room_for(&play->timeline, time));
    assert_int_equal(kept, play->timeline.kept);
    if (room == QDRI_FULL) { /* it waits: nothing will come before it */
        assert_true(play->timeline.kept >= play->timeline.queue);
        qdri_timeline_promise(&play->timeline, time);
        past->promised = fmax(past->promised, time);
        compare(play);
        serve(play, MOST);
        if (room_for(&play->timeline, time) == QDRI_FULL) {
            assert_null(qdri_timeline_undecided(&play->timeline));
            return;
        }
        room = room_for(&play->timeline, time);
    }
    past->time[past->count] = time;
    int slot = export_at(&play->timeline, time);
    assert_int_equal(slot < 0, room == QDRI_NO_NEED);
    if (slot >= 0) past->holds[slot] = past->count;
    past->slot[past->count++] = slot;
    assert_true(play->timeline.kept <= play->timeline.queue + 1);
}

static void ask_next(play *play) {
    if (play->requests == MOST) return;
    qdri_wanted *request = &play->request[play->requests];
    double before = play->requests ? request[-1].time : -6;
    *request = (qdri_wanted){.number = play->requests,
                             .time = before + (qdri_random_below(&play->random, 3) ? step(play) : 0),
                             .match = (int64_t)qdri_random_below(&play->random, 4),
                             .tolerance = step(play)};
    if (qdri_random_below(&play->random, 8) == 0) request->tolerance = INFINITY;
    if (request->match == QDR_EXACT) request->tolerance = 0;
    if (request->time > 20 || qdri_wanted_lowest(request) < play->spared) return;
    play->requests++;
    assert_int_equal(qdri_timeline_ask(&play->timeline, request), QDR_OK);
}

static void promise_something(play *play) {
    double time = step(play) + (play->past.count ? play->past.time[play->past.count - 1] : -5);
    qdri_timeline_promise(&play->timeline, time);
    play->past.promised = fmax(play->past.promised, time);
}

static void spare_something(play *play) {
    double time = step(play) - 2 + (play->requests ? play->request[play->requests - 1].time : -6);
    qdri_timeline_spare(&play->timeline, time);
    play->spared = fmax(play->spared, time);
}

static void play_once(uint64_t seed, int queue) {
    play play = {.past = {.promised = -INFINITY}, .spared = -INFINITY, .random = qdri_random_seed(seed)};
    qdri_timeline_open(queue, &play.timeline);
    int asks = 2 + (int)qdri_random_below(&play.random, 6);
    for (int i = 0; i < 60; i++) {
        int what = (int)qdri_random_below(&play.random, 16);
        if (what == 0)
            promise_something(&play);
        else if (what == 1)
            spare_something(&play);
        else if (what < 2 + asks)
            ask_next(&play);
        else
            export_next(&play);
        compare(&play);
        serve(&play, (int)qdri_random_below(&play.random, 3));
        check_slots(&play);
    }
    qdri_timeline_promise(&play.timeline, INFINITY);
    play.past.promised = INFINITY;
    compare(&play);
    assert_int_equal(play.decided, play.requests);
    serve(&play, MOST);
    qdri_timeline_spare(&play.timeline, INFINITY);
    assert_int_equal(play.timeline.kept, 0);
    qdri_timeline_close(&play.timeline);
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)light_or(4000, 20000); seed++)
        play_once(seed, 1 + (int)(seed % 5));
}

/* ---- by hand ------------------------------------------------------------------------------------------- */

static qdri_verdict ask(qdri_timeline *timeline, double time, qdr_match match, double tolerance) {
    qdri_wanted request = {.time = time, .match = match, .tolerance = tolerance};
    assert_int_equal(qdri_timeline_ask(timeline, &request), QDR_OK);
    const qdri_asked *asked = qdri_timeline_announce(timeline);
    return asked ? asked->verdict : QDRI_UNDECIDED;
}

/* Of two at the same distance the earlier wins, and a promise of the later is enough to know. */
static void test_ties(void **state) {
    (void)state;
    qdri_timeline timeline;
    qdri_timeline_open(4, &timeline);
    assert_int_equal(export_at(&timeline, 1), 0);
    qdri_timeline_promise(&timeline, 2.75);
    assert_int_equal(ask(&timeline, 2, QDR_NEAREST, 5), QDRI_UNDECIDED);
    qdri_timeline_promise(&timeline, 3);
    const qdri_asked *asked = qdri_timeline_announce(&timeline);
    assert_non_null(asked);
    assert_true(asked->verdict == QDRI_MATCHED && asked->time == 1);
    qdri_timeline_close(&timeline);
}

/* An importer that is ahead keeps nothing but the last export in the queue; one that wants no more,
 * nothing. */
static void test_ahead(void **state) {
    (void)state;
    qdri_timeline timeline;
    qdri_timeline_open(1, &timeline);
    assert_int_equal(ask(&timeline, 1000, QDR_BEFORE, INFINITY), QDRI_UNDECIDED);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(room_for(&timeline, i), QDRI_ROOM);
        assert_true(export_at(&timeline, i) >= 0);
        assert_int_equal(timeline.kept, 1);
    }
    qdri_timeline_promise(&timeline, 1000.5);
    assert_true(qdri_timeline_announce(&timeline)->time == 999);
    qdri_timeline_serve(&timeline);
    qdri_timeline_spare(&timeline, 2000);
    assert_int_equal(timeline.kept, 0);
    assert_int_equal(room_for(&timeline, 1999), QDRI_NO_NEED);
    assert_int_equal(export_at(&timeline, 1999), -1);
    assert_int_equal(room_for(&timeline, 2000), QDRI_ROOM);
    qdri_timeline_close(&timeline);
}

/* What lies before the export that was just asked for is of no use. */
static void test_forgets(void **state) {
    (void)state;
    qdri_timeline timeline;
    qdri_timeline_open(4, &timeline);
    for (int time = 1; time <= 4; time++) assert_true(export_at(&timeline, time) >= 0);
    assert_int_equal(ask(&timeline, 2.5, QDR_AFTER, 1), QDRI_MATCHED);
    assert_int_equal(timeline.kept, 3); /* 2 may be asked for at 2.5 still */
    assert_int_equal(ask(&timeline, 3, QDR_AFTER, 1), QDRI_MATCHED);
    assert_int_equal(timeline.kept, 2);
    assert_int_equal(ask(&timeline, 4, QDR_EXACT, 0), QDRI_MATCHED);
    assert_int_equal(timeline.kept, 2); /* 3 is asked for twice */
    qdri_timeline_serve(&timeline);
    assert_int_equal(timeline.kept, 2);
    qdri_timeline_serve(&timeline);
    assert_int_equal(timeline.kept, 1);
    qdri_timeline_close(&timeline);
}

/* A full queue takes what somebody waits for, and nothing else. */
static void test_full(void **state) {
    (void)state;
    qdri_timeline timeline;
    qdri_timeline_open(1, &timeline);
    assert_int_equal(export_at(&timeline, 1), 0);
    assert_int_equal(room_for(&timeline, 2), QDRI_FULL);
    assert_int_equal(ask(&timeline, 1.5, QDR_AFTER, 5), QDRI_UNDECIDED);
    assert_int_equal(room_for(&timeline, 2), QDRI_ROOM);
    assert_int_equal(export_at(&timeline, 2), 1);
    assert_int_equal(room_for(&timeline, 3), QDRI_FULL);
    assert_true(qdri_timeline_announce(&timeline)->slot == 1);
    qdri_timeline_serve(&timeline);
    assert_int_equal(room_for(&timeline, 3), QDRI_FULL); /* 1 may be asked for at 1.5 to 2 */
    assert_int_equal(ask(&timeline, 3, QDR_EXACT, 0), QDRI_UNDECIDED);
    assert_int_equal(room_for(&timeline, 3), QDRI_ROOM);
    qdri_timeline_close(&timeline);
}

/* A queue without end costs what is in it. */
static void test_endless(void **state) {
    (void)state;
    enum { EXPORTS = 300 };
    qdri_timeline timeline;
    qdri_timeline_open(INT_MAX, &timeline);
    for (int time = 0; time < EXPORTS; time++) {
        assert_int_equal(room_for(&timeline, time), QDRI_ROOM);
        assert_int_equal(export_at(&timeline, time), time);
    }
    assert_true(timeline.stamp_capacity < 4 * EXPORTS && timeline.slot_capacity < 4 * EXPORTS);
    assert_int_equal(ask(&timeline, EXPORTS, QDR_EXACT, 0), QDRI_UNDECIDED);
    assert_int_equal(timeline.kept, 1);
    for (int time = EXPORTS; time < 2 * EXPORTS; time++) assert_true(export_at(&timeline, time) < EXPORTS);
    qdri_timeline_close(&timeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_ties), cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_forgets), cmocka_unit_test(test_full), cmocka_unit_test(test_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
