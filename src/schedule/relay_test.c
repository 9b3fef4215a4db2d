/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relays of all ranks, walked together: a message is a number that says whose it is and for whom. Both ends of a haul must list
 * the same messages in the same order, and each must come to its end, there and once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedule/relay.h"

enum { MOST = 40, NOTHING = -1 };

static qdri_relay relay[MOST];
static int *held[MOST];              /* what lies in each place */
static int ended[MOST][MOST];        /* [origin][destination]: how often */
static int64_t hauls[MOST], longest; /* of a rank; messages of one */

static int message(int ranks, int origin, int destination) {
    return origin * ranks + destination;
}

static void begin(int ranks) {
    longest = 0;
    for (int r = 0; r < ranks; r++) {
        held[r] = malloc((size_t)(relay[r].places + 1) * sizeof **held);
        for (int i = 0; i < relay[r].places; i++) held[r][i] = NOTHING;
        for (int d = 0; d < ranks; d++) {
            ended[r][d] = 0;
            if (d == r)
                assert_int_equal(relay[r].own[d], -1);
            else
                held[r][relay[r].own[d]] = message(ranks, r, d);
        }
        hauls[r] = relay[r].outs;
    }
}

/* The haul of the same stage at the other end. */
static const qdri_haul *other_end(int rank, const qdri_haul *in) {
    const qdri_relay *of = &relay[in->partner];
    const qdri_haul *found = NULL;
    for (int i = 0; i < of->outs; i++)
        if (of->out[i].stage == in->stage && of->out[i].partner == rank) {
            assert_null(found);
            found = &of->out[i];
        }
    assert_non_null(found);
    return found;
}

static void take_in(int ranks, int rank, const qdri_haul *in, int *came) {
    const qdri_haul *out = other_end(rank, in);
    const qdri_relay *from = &relay[in->partner], *to = &relay[rank];
    assert_int_equal(out->messages, in->messages);
    if (in->messages > longest) longest = in->messages;
    for (int64_t i = 0; i < in->messages; i++) {
        int what = held[in->partner][from->place[out->first + i]], origin = to->origin[in->first + i];
        assert_int_not_equal(what, NOTHING);
        came[to->place[in->first + i]] = what;
        if (origin < 0) continue;
        assert_int_equal(what, message(ranks, origin, rank));
        ended[origin][rank]++;
    }
}

/* All of a stage leaves before anything of it comes. */
static void walk_stage(int ranks, int stage) {
    int *came[MOST];
    for (int r = 0; r < ranks; r++) {
        came[r] = malloc((size_t)(relay[r].places + 1) * sizeof **came);
        for (int i = 0; i < relay[r].places; i++) came[r][i] = NOTHING;
        for (int i = 0; i < relay[r].ins; i++)
            if (relay[r].in[i].stage == stage) take_in(ranks, r, &relay[r].in[i], came[r]);
    }
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < relay[r].places; i++)
            if (came[r][i] != NOTHING) held[r][i] = came[r][i];
        free(came[r]);
    }
}

static void walk(int ranks) {
    int64_t outs = 0, ins = 0;
    begin(ranks);
    for (int stage = 0; stage < relay[0].stages; stage++) walk_stage(ranks, stage);
    for (int r = 0; r < ranks; r++) {
        outs += relay[r].outs;
        ins += relay[r].ins;
        for (int d = 0; d < ranks; d++) assert_int_equal(ended[r][d], r != d);
    }
    assert_int_equal(outs, ins);
    for (int r = 0; r < ranks; r++) {
        free(held[r]);
        qdri_relay_free(&relay[r]);
    }
}

static void around_the_circle(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++)
        for (int64_t radix = 2; radix <= ranks + 1; radix += 1 + radix / 3) {
            for (int r = 0; r < ranks; r++)
                assert_int_equal(qdri_relay_bruck(r, ranks, radix, &relay[r]), QDR_OK);
            walk(ranks);
            if (ranks == 32 && radix == 2) assert_int_equal(hauls[0], 5);
        }
}

static void join_all(int ranks, const int *node) {
    for (int r = 0; r < ranks; r++) assert_int_equal(qdri_relay_joined(r, ranks, node, &relay[r]), QDR_OK);
    walk(ranks);
}

/* Hosts of equal size, of different sizes, of one rank, and with ranks that are not neighbors. */
static void on_many_hosts(void (*function)(int ranks, const int *node)) {
    int node[MOST];
    for (int ranks = 1; ranks <= MOST; ranks += 1 + ranks / 4)
        for (int size = 1; size <= ranks; size++) {
            for (int r = 0; r < ranks; r++) node[r] = r / size * size;
            function(ranks, node);
            for (int r = 0; r < ranks; r++) node[r] = r % size;
            function(ranks, node);
            for (int r = 0; r < ranks; r++) node[r] = r < size ? 0 : r;
            function(ranks, node);
        }
}

static void from_host_to_host(void **state) {
    (void)state;
    on_many_hosts(join_all);
}

static void climb_all(int ranks, const int *node, int64_t inside, int64_t between) {
    for (int r = 0; r < ranks; r++)
        assert_int_equal(qdri_relay_levels(r, ranks, node, inside, between, &relay[r]), QDR_OK);
    walk(ranks);
}

static void climb_all_radices(int ranks, const int *node) {
    for (int64_t inside = 2; inside <= 8; inside += 3)
        for (int64_t between = 2; between <= 8; between += 3) climb_all(ranks, node, inside, between);
    climb_all(ranks, node, ranks + 1, 2);
    climb_all(ranks, node, 2, ranks + 1);
}

static void by_levels(void **state) {
    (void)state;
    on_many_hosts(climb_all_radices);
}

/* With 8 hosts of 4: two stages inside, three between. With 4 of 8 and the largest radices: all others once. */
static void few_on_each_level(void **state) {
    int node[32];
    (void)state;
    for (int r = 0; r < 32; r++) node[r] = r / 4 * 4;
    climb_all(32, node, 2, 2);
    for (int r = 0; r < 32; r++) assert_int_equal(hauls[r], 2 + 3);
    assert_int_equal(longest, 16);
    for (int r = 0; r < 32; r++) node[r] = r / 8 * 8;
    climb_all(32, node, 8, 4);
    for (int r = 0; r < 32; r++) assert_int_equal(hauls[r], 7 + 3);
    assert_int_equal(longest, 8);
}

/* With 8 hosts of 4 ranks each has 28 ranks on other hosts, and hands over two hauls there at most. */
static void few_leave_a_host(void **state) {
    int node[32];
    (void)state;
    for (int r = 0; r < 32; r++) node[r] = r / 4 * 4;
    join_all(32, node);
    for (int r = 0; r < 32; r++) assert_in_range(hauls[r], 3 + 1 + 3, 3 + 2 + 3);
    assert_int_equal(longest, 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(around_the_circle), cmocka_unit_test(from_host_to_host),
        cmocka_unit_test(few_leave_a_host),  cmocka_unit_test(by_levels),
        cmocka_unit_test(few_on_each_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
