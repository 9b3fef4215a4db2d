/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes, followed link by link. For each topology an oracle decodes a link's number into its two ends,
 * written from the numbering that the topology's file states; a route must lead from one rank to the other
 * through ends that meet. The rest are properties that hold for every machine there is.
 */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 4096 };
static const int64_t untouched = -77;

static qdr_machine *make(const char *spec, int ranks) {
    qdr_machine *machine = NULL;
    qdr_status status = qdr_machine_create(spec, ranks, &machine);
    if (status != QDR_OK) fail_msg("%s, %d ranks: %s", spec, ranks, qdr_error_message());
    return machine;
}

static int route(const qdr_machine *machine, int from, int to, int64_t *list) {
    int limit = qdr_machine_route_limit(machine);
    assert_true(limit < ROOM);
    list[limit] = untouched;
    int length = qdr_machine_route(machine, from, to, list);
    if (length < 0 || length > limit || list[limit] != untouched)
        fail_msg("%s: route %d to %d has %d links, limit %d", qdr_machine_spec(machine), from, to, length,
                 limit);
    return length;
}

typedef void (*follower)(const qdr_machine *machine, int from, int to, const int64_t *list, int length);

/* Follows every route of the machine; its longest must be as long as the limit says when `tight`. */
static void follow_all(const char *spec, int ranks, int tight, follower follow) {
    int64_t list[ROOM + 1];
    qdr_machine *machine = make(spec, ranks);
    int longest = 0;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            int length = route(machine, from, to, list);
            for (int i = 0; i < length; i++) {
                assert_in_range(list[i], 0, qdr_machine_links(machine) - 1);
                for (int j = 0; j < i; j++) assert_true(list[i] != list[j]);
            }
            assert_int_equal(length, qdr_machine_route(machine, from, to, NULL));
            if (from == to) assert_int_equal(length, 0);
            if (follow && from != to) follow(machine, from, to, list, length);
            if (length > longest) longest = length;
        }
    if (tight && longest != qdr_machine_route_limit(machine))
        fail_msg("%s, %d ranks: longest route %d, limit %d", spec, ranks, longest,
                 qdr_machine_route_limit(machine));
    qdr_machine_destroy(&machine);
}

/* ---- hypercube ----------------------------------------------------------------------------------------- */

static int cube_dimensions;

static void follow_cube(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    int at = from, before = -1, bits = 0;
    (void)machine;
    for (int d = 0; d < 24; d++) bits += (from ^ to) >> d & 1;
    assert_int_equal(length, bits);
    for (int i = 0; i < length; i++) {
        int along = (int)(list[i] % cube_dimensions);
        assert_int_equal(list[i] / cube_dimensions, at);
        assert_true(along > before);
        at ^= 1 << along;
        before = along;
    }
    assert_int_equal(at, to);
}

static void hypercube_routes_are_e_cube(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= 70; ranks++) {
        for (cube_dimensions = 0; 1 << cube_dimensions < ranks; cube_dimensions++) continue;
        follow_all("hypercube", ranks, 1, follow_cube);
    }
    cube_dimensions = 7;
    follow_all("hypercube:n=100", 9, 1, follow_cube);
}

/* ---- mesh and torus ------------------------------------------------------------------------------------ */

static int extent[3], dimensions, wraps;

static int distance(int a, int b, int along) {
    int apart = abs(a - b);
    return wraps && extent[along] - apart < apart ? extent[along] - apart : apart;
}

static void split(int node, int *place) {
    for (int d = 0; d < dimensions; d++) {
        place[d] = node % extent[d];
        node /= extent[d];
    }
}

static void follow_mesh(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    int at[3], goal[3], node[3], before = 0, sum = 0;
    (void)machine;
    split(from, at);
    split(to, goal);
    for (int d = 0; d < dimensions; d++) sum += distance(at[d], goal[d], d);
    assert_int_equal(length, sum);
    for (int i = 0; i < length; i++) {
        int along = (int)(list[i] / 2 % dimensions), step = list[i] % 2 ? -1 : 1;
        split((int)(list[i] / 2 / dimensions), node);
        assert_memory_equal(node, at, sizeof(int) * (size_t)dimensions);
        assert_true(along >= before);
        at[along] += step;
        if (wraps) at[along] = (at[along] + extent[along]) % extent[along];
        assert_in_range(at[along], 0, extent[along] - 1);
        before = along;
    }
    assert_memory_equal(at, goal, sizeof(int) * (size_t)dimensions);
}

static void check_mesh(int columns, int rows, int planes) {
    char spec[80];
    extent[0] = columns;
    extent[1] = rows;
    extent[2] = planes;
    dimensions = 3;
    for (wraps = 0; wraps < 2; wraps++)
        for (int ranks = 1; ranks <= columns * rows * planes; ranks += 1 + ranks / 4) {
            snprintf(spec, sizeof spec, "%s:columns=%d,rows=%d,planes=%d", wraps ? "torus" : "mesh", columns,
                     rows, planes);
            follow_all(spec, ranks, !wraps, follow_mesh);
        }
}

static void mesh_routes_go_axis_by_axis(void **state) {
    (void)state;
    check_mesh(1, 1, 1);
    check_mesh(9, 1, 1);
    check_mesh(1, 6, 1);
    check_mesh(4, 5, 1);
    check_mesh(2, 2, 2);
    check_mesh(3, 4, 5);
    check_mesh(7, 1, 4);
}

static void torus_limit_is_attained_when_full(void **state) {
    (void)state;
    follow_all("torus:columns=5,rows=4", 20, 1, NULL);
    follow_all("torus:dimensions=3", 64, 1, NULL);
    follow_all("torus:dimensions=6", 64, 1, NULL);
}

/* Without extents: 32 is 8 x 4, seen in the longest route and the number of links. */
static void check_extents(const char *spec, int ranks, int links, int limit) {
    qdr_machine *machine = make(spec, ranks);
    assert_int_equal(qdr_machine_links(machine), links);
    assert_int_equal(qdr_machine_route_limit(machine), limit);
    qdr_machine_destroy(&machine);
}

static void extents_are_nearly_equal(void **state) {
    (void)state;
    check_extents("mesh", 1, 4, 0);
    check_extents("mesh", 32, 4 * 32, 7 + 3);
    check_extents("mesh", 512, 4 * 512, 31 + 15);
    check_extents("mesh", 7, 4 * 9, 2 + 2);
    check_extents("mesh:dimensions=3", 128, 6 * 128, 7 + 3 + 3);
    check_extents("mesh:dimensions=1", 10, 2 * 10, 9);
    check_extents("mesh:columns=8", 20, 4 * 24, 7 + 2);
    check_extents("mesh:planes=2", 32, 6 * 32, 3 + 3 + 1);
    check_extents("mesh:rows=2,n=100", 3, 4 * 100, 2);
    check_extents("torus:n=512", 512, 4 * 512, 16 + 8);
}

/* ---- fat tree ------------------------------------------------------------------------------------------ */

static int arity, leaves;

static int64_t decode_tree(int64_t link, int *down, int64_t *width) {
    for (*width = arity;; *width *= arity) {
        int64_t subtrees = (leaves + *width - 1) / *width;
        if (link < 2 * subtrees) break;
        link -= 2 * subtrees;
    }
    *down = (int)(link % 2);
    return link / 2;
}

static void follow_tree(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    (void)machine;
    assert_int_equal(length % 2, 0);
    int64_t expected = arity;
    for (int i = 0; i < length; i++) {
        int down;
        int64_t width, subtree = decode_tree(list[i], &down, &width);
        assert_int_equal(down, i >= length / 2);
        if (i == length / 2) expected /= arity;
        assert_int_equal(width, expected);
        assert_int_equal(subtree, (down ? to : from) / width);
        assert_true(from / width != to / width); /* no higher than needed */
        expected = i < length / 2 ? width * arity : width / arity;
    }
    int64_t top = arity;
    for (int i = 0; i < length / 2; i++) top *= arity;
    assert_int_equal(from / top, to / top);
}

static void tree_routes_climb_and_descend(void **state) {
    static const int arities[] = {2, 3, 4, 16};
    char spec[40];
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int ranks = 1; ranks < 90; ranks += 1 + ranks / 7) {
            arity = arities[i];
            leaves = ranks;
            snprintf(spec, sizeof spec, "fattree:arity=%d", arity);
            follow_all(spec, ranks, 1, follow_tree);
        }
    arity = 4;
    leaves = 200;
    follow_all("fattree:n=200", 17, 1, follow_tree);
}

static double tree_bandwidth(const qdr_machine *machine, int from, int to, int place) {
    int64_t list[ROOM + 1];
    assert_true(place < route(machine, from, to, list));
    return qdr_machine_link_bandwidth(machine, list[place]);
}

/* Transportation 4.1: 20, 10 and 5 MB/s per rank; CM-5 paper 2: never below 5. */
static void cm5_capacities(void **state) {
    (void)state;
    qdr_machine *machine = make("cm5", 32);
    assert_int_equal(qdr_machine_route(machine, 0, 3, NULL), 0);
    assert_int_equal(qdr_machine_route(machine, 0, 15, NULL), 2);
    assert_int_equal(qdr_machine_route_limit(machine), 4);
    assert_int_equal(qdr_machine_links(machine), 2 * 8 + 2 * 2);
    for (int place = 0; place < 4; place++) {
        double expected = place == 1 || place == 2 ? 80e6 : 40e6;
        assert_true(tree_bandwidth(machine, 0, 31, place) == expected);
    }
    int64_t list[ROOM + 1];
    route(machine, 0, 31, list);
    assert_int_equal(qdr_machine_link_streams(machine, list[0]), 5);
    assert_int_equal(qdr_machine_link_streams(machine, list[1]), 10);
    qdr_machine_destroy(&machine);
    machine = make("cm5", 1024);
    assert_true(tree_bandwidth(machine, 0, 1023, 2) == 64 * 5e6);
    assert_true(tree_bandwidth(machine, 0, 1023, 3) == 256 * 5e6);
    qdr_machine_destroy(&machine);
    machine = make("fattree:rate=1GB/s", 64);
    assert_true(tree_bandwidth(machine, 0, 63, 1) == 16e9);
    qdr_machine_destroy(&machine);
    machine = make("fattree:growth=2,rate=1GB/s", 300);
    assert_true(tree_bandwidth(machine, 0, 299, 3) == 16e9);
    qdr_machine_destroy(&machine);
}

/* ---- dragonfly ----------------------------------------------------------------------------------------- */

static int groups, routers, hosts;

static int other(int from, int place) {
    return place < from ? place : place + 1;
}

static void follow_dragonfly(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    int at = from / hosts, goal = to / hosts, globals = 0;
    int64_t local_links = (int64_t)groups * routers * (routers - 1);
    for (int i = 0; i < length; i++) {
        if (list[i] < local_links) {
            assert_int_equal(list[i] / (routers - 1), at);
            at = at / routers * routers + other(at % routers, (int)(list[i] % (routers - 1)));
            continue;
        }
        int group = (int)((list[i] - local_links) / (groups - 1));
        int place = (int)((list[i] - local_links) % (groups - 1)), away = other(group, place);
        assert_int_equal(group, at / routers);
        assert_int_equal(place % routers, at % routers); /* the router that owns the cable */
        assert_true(qdr_machine_link_bandwidth(machine, list[i]) == 3e9);
        at = away * routers + (group < away ? group : group - 1) % routers;
        globals++;
    }
    assert_int_equal(at, goal);
    assert_int_equal(globals, from / hosts / routers != to / hosts / routers);
}

static void dragonfly_routes_are_minimal(void **state) {
    static const int shapes[][3] = {{1, 4, 2}, {5, 3, 2}, {4, 1, 3}, {7, 2, 1}, {3, 6, 4}, {1, 1, 9}};
    char spec[80];
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        groups = shapes[i][0];
        routers = shapes[i][1];
        hosts = shapes[i][2];
        int places = groups * routers * hosts;
        snprintf(spec, sizeof spec, "dragonfly:groups=%d,routers=%d,hosts=%d,global=3GB/s", groups, routers,
                 hosts);
        for (int ranks = 1; ranks <= places; ranks += 1 + ranks / 5)
            follow_all(spec, ranks, 0, follow_dragonfly);
        follow_all(spec, places, 1, follow_dragonfly);
    }
}

/* ---- node and grid ------------------------------------------------------------------------------------- */

static void follow_node(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    int source = from / 3, target = to / 3;
    assert_int_equal(length, source == target ? 1 : 2);
    assert_int_equal(list[0], source == target ? 3 * source + 2 : 3 * source);
    if (length == 2) assert_int_equal(list[1], 3 * target + 1);
    assert_true(qdr_machine_link_bandwidth(machine, list[0]) == (source == target ? 30e9 : 20e9));
    assert_int_equal(qdr_machine_link_streams(machine, list[0]), source == target ? 3 : 2);
}

static void nodes_share_their_card(void **state) {
    (void)state;
    for (int ranks = 1; ranks < 14; ranks++)
        follow_all("node:k=3,rate=10GB/s,nic=20GB/s", ranks, 1, follow_node);
}

/* Seven ranks to a node, three cards: two or three ranks have one together. The cards of a node are one cut. */
static void follow_cards(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    static const int card[] = {0, 0, 0, 1, 1, 2, 2};
    enum { K = 7, CARDS = 3, LINKS = 2 * CARDS + 1 };
    int source = from / K, target = to / K;
    double cut = 0;
    if (source == target) {
        assert_int_equal(length, 1);
        assert_int_equal(list[0], LINKS * source + 2 * CARDS);
        assert_int_equal(qdri_machine_cut(machine, list[0], &cut), -1);
        return;
    }
    assert_int_equal(length, 2);
    assert_int_equal(list[0], LINKS * source + card[from % K]);
    assert_int_equal(list[1], LINKS * target + CARDS + card[to % K]);
    assert_true(qdr_machine_link_bandwidth(machine, list[0]) == 5e9);
    assert_int_equal(qdri_machine_cut(machine, list[0], &cut), LINKS * source);
    assert_int_equal(qdri_machine_cut(machine, list[1], &cut), LINKS * target + CARDS);
    assert_true(cut == 15e9);
}

static void nodes_have_several_cards(void **state) {
    qdr_machine *machine = NULL;
    (void)state;
    for (int ranks = 1; ranks < 30; ranks += 4)
        follow_all("node:k=7,cards=3,rate=10GB/s,nic=5GB/s", ranks, 1, follow_cards);
    assert_int_equal(qdr_machine_create("node:k=2,cards=3", 4, &machine), QDR_ERR_RANGE);
    assert_non_null(strstr(qdr_error_message(), "2 ranks has no use for 3 cards"));
    machine = make("dragonfly:hosts=2,routers=2,global=3GB/s,link=2GB/s,k=4,cards=2", 64);
    assert_int_equal(qdr_machine_look(machine)->node_cards, 2);
    assert_true(qdr_machine_link_bandwidth(machine, 0) == 4e9);
    int64_t list[ROOM];
    int length = qdr_machine_route(machine, 0, 63, list);
    double fastest = 0;
    for (int i = 1; i < length - 1; i++)
        if (qdr_machine_link_bandwidth(machine, list[i]) > fastest)
            fastest = qdr_machine_link_bandwidth(machine, list[i]);
    assert_true(fastest == 6e9);
    qdr_machine_destroy(&machine);
}

/* Any topology joins nodes as it joins ranks: its route between two nodes, behind one card and before the other. */
static void any_topology_joins_nodes(void **state) {
    static const char *const plain[] = {"hypercube:link=1GB/s", "torus:columns=3",
                                        "fattree:arity=2,growth=1.5", "dragonfly:hosts=2,routers=2",
                                        "grid:clusters=2"};
    enum { K = 3, RANKS = 14, NODES = 5, LONGEST = 20 };
    int64_t inner[LONGEST], list[LONGEST];
    char text[100];
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        qdr_machine *nodes, *machine;
        snprintf(text, sizeof text, "%s,k=%d,nic=7GB/s,memory=9GB/s", plain[i], K);
        assert_int_equal(qdr_machine_create(plain[i], NODES, &nodes), QDR_OK);
        assert_int_equal(qdr_machine_create(text, RANKS, &machine), QDR_OK);
        int64_t own = qdr_machine_links(nodes);
        assert_int_equal(qdr_machine_look(machine)->node_ranks, K);
        assert_int_equal(qdr_machine_links(machine), own + 3 * NODES);
        for (int from = 0; from < RANKS; from++)
            for (int to = 0; to < RANKS; to++) {
                int home = from / K, away = to / K, length = qdr_machine_route(machine, from, to, list);
                int between = qdr_machine_route(nodes, home, away, inner);
                assert_in_range(length, 0, qdr_machine_route_limit(machine));
                assert_int_equal(length, from == to ? 0 : home == away ? 1 : between + 2);
                if (from == to) continue;
                assert_int_equal(list[0], own + 3 * home + (home == away ? 2 : 0));
                assert_true(qdr_machine_link_bandwidth(machine, list[0]) == (home == away ? 9e9 : 7e9));
                double cut = 0;
                assert_int_equal(qdri_machine_cut(machine, list[0], &cut), home == away ? -1 : list[0]);
                assert_true(cut == (home == away ? 0 : 7e9));
                if (home == away) continue;
                assert_memory_equal(list + 1, inner, sizeof *inner * (size_t)between);
                assert_int_equal(list[length - 1], own + 3 * away + 1);
            }
        qdr_machine_destroy(&nodes);
        qdr_machine_destroy(&machine);
    }
}

static void follow_grid(const qdr_machine *machine, int from, int to, const int64_t *list, int length) {
    int home = from * 3 / 10, away = to * 3 / 10; /* blocks of 4, 3 and 3 */
    double latency = qdr_machine_latency(machine, from, to);
    assert_int_equal(length, home != away);
    if (length == 0) {
        assert_true(latency == 0);
        return;
    }
    assert_int_equal(list[0] / 2, home);
    assert_int_equal(other(home, (int)(list[0] % 2)), away);
    assert_true(latency > 0.00599 && latency < 0.00601);
    assert_int_equal(qdr_machine_link_streams(machine, list[0]), 5);
}

static void grid_crosses_one_wide_link(void **state) {
    (void)state;
    follow_all("grid:clusters=3,latency=5ms,hop=1ms,n=10,wan=1Gbit/s", 10, 1, follow_grid);
    follow_all("grid:clusters=3,latency=5ms,hop=1ms,n=10,wan=1Gbit/s", 5, 1, follow_grid);
    follow_all("grid:clusters=3,n=10", 4, 1, NULL);
    follow_all("grid:clusters=9", 4, 1, NULL);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static void every_machine_keeps_the_promises(void **state) {
    static const int sizes[] = {1, 2, 3, 5, 16, 31, 64, 100};
    const qdr_machine_info *info;
    (void)state;
    for (int i = 0; (info = qdr_machine_known(i)); i++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            follow_all(info->name, sizes[s], 0, NULL);
            qdr_machine *machine = make(info->name, sizes[s]);
            double mu = qdr_machine_look(machine)->mu;
            for (int64_t link = 0; link < qdr_machine_links(machine); link++) {
                double streams = qdr_machine_link_bandwidth(machine, link) * mu + 1e-9;
                assert_true(streams > 0);
                assert_int_equal(qdr_machine_link_streams(machine, link), streams < 1 ? 1 : (int64_t)streams);
            }
            qdr_machine_destroy(&machine);
        }
}

static void strangers_get_nothing(void **state) {
    int64_t list[ROOM + 1] = {untouched};
    (void)state;
    qdr_machine *machine = make("mesh:hop=1us", 9);
    assert_int_equal(qdr_machine_route(machine, -1, 3, list), 0);
    assert_int_equal(qdr_machine_route(machine, 0, 9, list), 0);
    assert_true(list[0] == untouched);
    assert_true(qdr_machine_latency(machine, 0, 9) == 0);
    assert_true(qdr_machine_latency(machine, 4, 4) == 0);
    assert_true(qdr_machine_link_bandwidth(machine, -1) == 0);
    assert_true(qdr_machine_link_bandwidth(machine, qdr_machine_links(machine)) == 0);
    qdr_machine_destroy(&machine);
}

static void streams_stay_finite(void **state) {
    (void)state;
    qdr_machine *machine = make("fattree:arity=2,growth=1e6,link=1e15", 1 << 20);
    int64_t top = qdr_machine_links(machine) - 1;
    assert_true(qdr_machine_link_streams(machine, top) == INT64_C(1) << 62);
    qdr_machine_destroy(&machine);
    machine = make("hypercube:link=1MB/s,rate=1GB/s", 4); /* slower than a port: still one transfer */
    assert_int_equal(qdr_machine_link_streams(machine, 0), 1);
    qdr_machine_destroy(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypercube_routes_are_e_cube),
        cmocka_unit_test(mesh_routes_go_axis_by_axis),
        cmocka_unit_test(torus_limit_is_attained_when_full),
        cmocka_unit_test(extents_are_nearly_equal),
        cmocka_unit_test(tree_routes_climb_and_descend),
        cmocka_unit_test(cm5_capacities),
        cmocka_unit_test(dragonfly_routes_are_minimal),
        cmocka_unit_test(nodes_share_their_card),
        cmocka_unit_test(nodes_have_several_cards),
        cmocka_unit_test(any_topology_joins_nodes),
        cmocka_unit_test(grid_crosses_one_wide_link),
        cmocka_unit_test(every_machine_keeps_the_promises),
        cmocka_unit_test(strangers_get_nothing),
        cmocka_unit_test(streams_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
