/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides of a bridge in one process, without any MPI: who is let in and who is told that he is not, that
 * strangers cannot keep an honest newcomer out, and what becomes of a bridge when what comes makes no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "wire/tcp/inside.h"

static const unsigned char session[QDRI_SECRET] = "what both programs know of each";

/* The first program has 2 ranks, of which this is 1; the second has 3, of which this is 2. */
typedef struct pair {
    qdri_bridge *side[2];
} pair;

static void make_side(pair *self, int side) {
    qdri_bridge *bridge;
    assert_int_equal(qdri_bridge_make(&bridge), QDR_OK);
    self->side[side] = bridge;
    bridge->side = side;
    bridge->own_rank = 1 + side;
    bridge->ranks[0] = 2;
    bridge->ranks[1] = 3;
    strcpy(bridge->name[0], "atmos");
    strcpy(bridge->name[1], "ocean");
    bridge->far = QDRI_ZERO_ARRAY(qdri_endpoint, 3);
    bridge->link = QDRI_ZERO_ARRAY(qdri_link *, 3);
    memcpy(bridge->session, session, sizeof session);
    bridge->knows_session = 1;
    assert_int_equal(qdri_door_open(bridge, "127.0.0.1", 1), QDR_OK);
}

static int set_up(void **state) {
    pair *self = calloc(1, sizeof *self);
    make_side(self, 0);
    make_side(self, 1);
    self->side[1]->far[1] = self->side[0]->own;
    self->side[0]->far[2] = self->side[1]->own;
    *state = self;
    return 0;
}

static int tear_down(void **state) {
    pair *self = *state;
    for (int s = 0; s < 2; s++) qdri_bridge_free(self->side[s]);
    free(self);
    return 0;
}

/* Until it holds, or twenty seconds have passed. */
#define AWAIT(self, condition)                                                                               \
    do {                                                                                                     \
        double until = qdri_seconds() + 20;                                                                  \
        while (!(condition) && qdri_seconds() < until)                                                       \
            for (int s = 0; s < 2; s++) qdri_bridge_poll((self)->side[s], 1);                                \
        assert_true(condition);                                                                              \
    } while (0)

/* Rank 2 of the second program calls rank 1 of the first. */
static void connect_both(pair *self) {
    qdri_link *link = qdri_link_with(self->side[1], 1, 0);
    AWAIT(self, link->stage == QDRI_LINK_OPEN && self->side[0]->link[2]);
    AWAIT(self, self->side[0]->link[2]->stage == QDRI_LINK_OPEN);
}

static void call(pair *self, qdri_bridge_call *call, int from, int to) {
    *call = (qdri_bridge_call){.secret = session, .purpose = QDRI_LINK, .from = from, .to = to};
    qdri_call_begin(self->side[1], call, &self->side[0]->own.address);
    AWAIT(self, call->stage == QDRI_CALL_THROUGH || call->stage == QDRI_CALL_FAILED);
}

/* Whoever is not expected hears so, instead of being accepted and then lost. */
static void only_who_is_expected_is_accepted(void **state) {
    static const int wrong[][2] = {{3, 1}, {1000, 1}, {2, 0}, {2, 2}};
    pair *self = *state;
    qdri_bridge_call one;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        call(self, &one, wrong[i][0], wrong[i][1]);
        assert_true(one.stage == QDRI_CALL_FAILED && one.refusal == QDRI_UNEXPECTED);
        assert_int_equal(self->side[0]->door.refused, i + 1);
    }
    connect_both(self);
    call(self, &one, 2, 1); /* there is one already */
    assert_true(one.stage == QDRI_CALL_FAILED && one.refusal == QDRI_UNEXPECTED);
    assert_int_equal(self->side[0]->linked, 1);
    assert_true(!self->side[0]->failed && !self->side[1]->failed);
    /* Of two calls that cross, the second program's counts: its rank refuses the other's meanwhile. */
    qdri_link *link = qdri_link_with(self->side[1], 0, 0);
    assert_true(link && link->stage == QDRI_LINK_CALLING);
    one = (qdri_bridge_call){.secret = session, .purpose = QDRI_LINK, .from = 0, .to = 2};
    qdri_call_begin(self->side[0], &one, &self->side[1]->own.address);
    AWAIT(self, one.stage == QDRI_CALL_FAILED);
    assert_int_equal(one.refusal, QDRI_UNEXPECTED);
}

/* Without the session nobody gets in, nor may he wait for it. */
static void nobody_waits_for_the_session(void **state) {
    pair *self = *state;
    qdri_bridge_call one;
    self->side[0]->knows_session = 0;
    call(self, &one, 2, 1);
    assert_true(one.stage == QDRI_CALL_FAILED && one.refusal == QDRI_UNEXPECTED);
    assert_int_equal(self->side[0]->door.newcomers, 0);
}

static void a_crowd_does_not_keep_the_honest_out(void **state) {
    enum { CROWD = 2 * QDRI_NEWCOMERS };
    static qdri_bridge_call crowd[CROWD];
    pair *self = *state;
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = (qdri_bridge_call){.secret = session, .purpose = QDRI_LINK, .only_knocks = 1};
        qdri_call_begin(self->side[1], &crowd[i], &self->side[0]->own.address);
    }
    AWAIT(self, self->side[0]->door.refused >= CROWD - QDRI_NEWCOMERS);
    assert_int_equal(self->side[0]->door.newcomers, QDRI_NEWCOMERS);
    connect_both(self);
    for (int i = 0; i < CROWD; i++) qdri_call_close(&crowd[i]);
}

/* ---- few descriptors ----------------------------------------------------------------------------------- */

/* Another process knocks so many times, and says nothing. */
static pid_t crowd_of(int count, const qdri_address *address) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) alarm(20); /* whatever becomes of its parent */
    for (int i = 0; child == 0 && i < count; i++) {
        int file = socket(address->socket.ss_family, SOCK_STREAM, 0);
        if (connect(file, (const struct sockaddr *)&address->socket, address->length) != 0) _exit(1);
    }
    if (child == 0)
        for (;;) pause();
    return child;
}

enum { LIMIT = 64 };

static int descriptors_left(void) {
    int held[LIMIT], count = 0;
    while (count < LIMIT && (held[count] = dup(2)) >= 0) count++;
    for (int i = 0; i < count; i++) close(held[i]);
    return count;
}

/* However few there are, newcomers hold no more than half of what is left, and make way for what this process
 * itself wants. */
static void newcomers_leave_descriptors(void **state) {
    enum { CROWD = 100 };
    pair *self = *state;
    qdri_bridge *host = self->side[0];
    struct rlimit before, few;
    int held[LIMIT];
    pid_t crowd = crowd_of(CROWD, &host->own.address); /* which has as many as before */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int left = descriptors_left();
    for (int seen = 0; seen < CROWD - LIMIT; seen = (int)host->door.refused + host->door.newcomers) {
        qdri_bridge_poll(host, 1);
        assert_true(2 * host->door.newcomers <= left);
    }
    assert_true(host->door.newcomers >= left / 2 - 1);
    /* The program takes all that is left, again and again: they have half of it, and in the end one. */
    int count = 0;
    for (int newcomers = host->door.newcomers; newcomers > 1; newcomers = host->door.newcomers) {
        while (count < LIMIT && (held[count] = dup(2)) >= 0) count++;
        host->next_look = 0;
        qdri_bridge_poll(host, 0);
        assert_in_range(host->door.newcomers, 1, newcomers / 2);
    }
    while (count < LIMIT && (held[count] = dup(2)) >= 0) count++;
    /* There is not one left, and yet it calls. */
    qdri_bridge_call one = {.secret = session, .purpose = QDRI_LINK, .only_knocks = 1};
    qdri_call_begin(host, &one, &self->side[1]->own.address);
    assert_true(one.stage == QDRI_CALL_CONNECTING && one.file >= 0);
    assert_int_equal(host->door.newcomers, 0);
    qdri_call_close(&one);
    while (count > 0) close(held[--count]);
    kill(crowd, SIGKILL);
    waitpid(crowd, NULL, 0);
    connect_both(self);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* ---- what makes no sense ------------------------------------------------------------------------------- */

/* What rank 2 of the second program writes, byte for byte. */
static void write_frame(pair *self, qdri_link_frame frame) {
    unsigned char head[QDRI_HEAD];
    qdri_frame_write(&frame, head);
    assert_int_equal(send(self->side[1]->link[1]->file, head, QDRI_HEAD, 0), QDRI_HEAD);
}

static void expect_nonsense(pair *self, const char *why) {
    AWAIT(self, self->side[0]->failed == QDR_ERR_PEER);
    assert_non_null(strstr(self->side[0]->sentence, why));
    /* The other hears the same. */
    AWAIT(self, self->side[1]->failed == QDR_ERR_PEER);
    assert_string_equal(self->side[0]->sentence, self->side[1]->sentence);
    AWAIT(self, self->side[0]->link[2]->file < 0 && self->side[1]->link[1]->file < 0);
}

static void credit_has_a_limit(void **state) {
    pair *self = *state;
    connect_both(self);
    qdri_link *link = self->side[0]->link[2];
    link->credit -= 100;
    write_frame(self, (qdri_link_frame){QDRI_FRAME_CREDIT, 0, 100, 0});
    AWAIT(self, link->credit == QDRI_WINDOW);
    write_frame(self, (qdri_link_frame){QDRI_FRAME_CREDIT, 0, 1, 0});
    expect_nonsense(self, "more credit than there is");
}

static void announcements_have_a_limit(void **state) {
    pair *self = *state;
    qdri_operation operation = {.done = NULL};
    connect_both(self);
    qdri_link *to = self->side[1]->link[1], *from = self->side[0]->link[2];
    to->announced_out = from->announced = QDRI_ANNOUNCEMENTS - 1;
    assert_int_equal(qdri_link_send(to, &operation, 7, NULL, QDRI_WINDOW), QDR_OK);
    assert_int_equal(qdri_link_send(to, &operation, 7, NULL, QDRI_WINDOW), QDR_ERR_RANGE);
    AWAIT(self, from->announced == QDRI_ANNOUNCEMENTS);
    assert_false(self->side[0]->failed);
    write_frame(self, (qdri_link_frame){QDRI_FRAME_ANNOUNCE, 7, QDRI_WINDOW, 99});
    expect_nonsense(self, "more came than may come early");
}

/* Although there is much that was not read. */
static void trouble_is_heard(void **state) {
    static char data[1 << 22];
    pair *self = *state;
    qdri_operation operation = {.done = NULL};
    connect_both(self);
    qdri_link *to = self->side[1]->link[1];
    assert_int_equal(qdri_link_send(to, &operation, 7, data, sizeof data), QDR_OK);
    qdri_bridge_fail(self->side[0], qdri_fail(QDR_ERR_MISMATCH, "a trouble of its own"));
    qdri_bridge_poll(self->side[0], 0);
    AWAIT(self, self->side[1]->failed == QDR_ERR_MISMATCH);
    assert_string_equal(self->side[1]->sentence, "a trouble of its own");
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(only_who_is_expected_is_accepted),     TEST(nobody_waits_for_the_session),
        TEST(a_crowd_does_not_keep_the_honest_out), TEST(credit_has_a_limit),
        TEST(announcements_have_a_limit),           TEST(trouble_is_heard),
        TEST(newcomers_leave_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
