/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relay of two levels: see relay.h.
 *
 * Each level is a circle: of the members of this host, then of all hosts. What goes around it are *bundles*: all messages
 * that one place of the circle has for another. Inside a host that is, from one member to another, the message for the other
 * itself, and those for the ranks of other hosts that have its *lane*: their place on their host, modulo the number of lanes, which is that of
 * the members of the smallest host. Between hosts it is, on a lane, whatever the members of one host have for the members of another that
 * have this lane. As on the circle of all ranks, a bundle is known by its distance, and what is handed on makes room for
 * what comes.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/bruck.h"
#include "schedule/relay_maker.h"

typedef struct levels {
    qdri_relay_maker maker;
    qdri_host_list list;
    int here, at, members; /* this host, this rank's place on it, and how many there are */
    int lanes;
    int *start;            /* [lanes * (hosts + 1)]: see place_of_host() */
    int *inside, *between; /* where the places of bundles begin, by distance; [members], [hosts] */
} levels;

/* ---- who is where -------------------------------------------------------------------------------------- */

static int members_of(const levels *of, int host) {
    return of->list.start[host + 1] - of->list.start[host];
}

static int member(const levels *of, int host, int place) {
    return of->list.member[of->list.start[host] + place];
}

/* The ranks of a host that have a lane. */
static int on_lane(const levels *of, int host, int lane) {
    return lane < of->lanes ? (members_of(of, host) - lane + of->lanes - 1) / of->lanes : 0;
}

/* In the bundle for a member with this lane: where those for a host begin. The first is for the member itself. */
static int place_of_host(const levels *of, int lane, int host) {
    return of->start[lane * (of->list.hosts + 1) + host];
}

static int count_places(levels *of) {
    int hosts = of->list.hosts;
    of->start = QDRI_ARRAY(int, (int64_t)of->lanes *(hosts + 1));
    for (int lane = 0; of->start && lane < of->lanes; lane++) {
        int *start = &of->start[lane * (hosts + 1)];
        start[0] = 1;
        for (int h = 0; h < hosts; h++) start[h + 1] = start[h] + (h == of->here ? 0 : on_lane(of, h, lane));
    }
    return of->start != NULL;
}

static int messages_inside(const levels *of, int target) {
    return target < of->lanes ? place_of_host(of, target, of->list.hosts) : 1;
}

static int messages_between(const levels *of, int origin, int target) {
    return members_of(of, origin) * on_lane(of, target, of->at);
}

/* ---- a circle ------------------------------------------------------------------------------------------ */

typedef struct circle {
    int at, count, stage; /* this rank's place, how many there are, and the first stage */
    int64_t radix;
    int (*messages)(const levels *of, int origin, int target);
    int (*partner)(const levels *of, int place);
    /* All messages of a bundle. `is_first`: nobody has handed it on yet. */
    void (*add)(levels *of, qdri_haul *haul, int distance, int origin, int is_first, int ends);
} circle;

/* Where bundles of each distance begin, if each has room for the largest that comes in its place; `count` of them. */
static int *make_room(levels *of, const circle *around) {
    qdri_relay *relay = of->maker.relay;
    int *room = QDRI_ARRAY(int, around->count + 1), most;
    of->maker.failed |= !room;
    for (int64_t distance = 0; room && distance < around->count; distance++) {
        most = around->messages(of, around->at, qdri_around(around->count, around->at + distance));
        for (int64_t weight = 1; weight <= distance; weight *= around->radix) {
            int64_t done = distance % (weight * around->radix); /* once it has come in this stage */
            int origin = qdri_around(around->count, around->at - done),
                size = around->messages(of, origin, qdri_around(around->count, origin + distance));
            if (size > most) most = size;
        }
        room[distance] = relay->places;
        relay->places += most;
    }
    return room;
}

static void go_round(levels *of, const circle *around) {
    qdri_bruck_step step;
    for (int goes_on = qdri_bruck_begin(around->count, &step); goes_on && !of->maker.failed;
         goes_on = qdri_bruck_next(around->count, around->radix, &step))
        for (int comes = 1; comes >= 0; comes--) {
            int64_t from = comes ? around->at - step.ahead : around->at;
            qdri_haul *haul = qdri_haul_begin(
                &of->maker, comes, around->stage + step.stage,
                around->partner(of, qdri_around(around->count, comes ? from : from + step.ahead)));
            for (int64_t d = step.ahead; haul && d < around->count && !of->maker.failed;
                 d = qdri_bruck_distance_after(around->radix, &step, d)) {
                int64_t done = d % step.weight;
                around->add(of, haul, (int)d, qdri_around(around->count, from - done), !comes && done == 0,
                            comes && qdri_bruck_ends(around->radix, &step, d));
            }
            if (haul) qdri_haul_end(&of->maker, comes, haul);
        }
}

/* ---- inside a host ------------------------------------------------------------------------------------- */

static int messages_from_member(const levels *of, int origin, int target) {
    (void)origin;
    return messages_inside(of, target);
}

static int member_here(const levels *of, int place) {
    return member(of, of->here, place);
}

static void add_inside(levels *of, qdri_haul *haul, int distance, int origin, int is_first, int ends) {
    int messages = messages_inside(of, qdri_around(of->members, origin + distance));
    (void)is_first;
    for (int i = 0; i < messages; i++)
        qdri_haul_add(&of->maker, haul, of->inside[distance] + i,
                      ends && i == 0 ? member_here(of, origin) : -1);
}

/* ---- between hosts ------------------------------------------------------------------------------------- */

static int same_lane(const levels *of, int host) {
    return member(of, host, of->at);
}

/* Where a message of this host is, once it is on its lane: what came from the member at that distance. */
static int place_on_lane(const levels *of, int origin, int host) {
    return of->inside[qdri_around(of->members, of->at - origin)] + place_of_host(of, of->at, host);
}

static void add_between(levels *of, qdri_haul *haul, int distance, int origin, int is_first, int ends) {
    int target = qdri_around(of->list.hosts, origin + distance), ways = on_lane(of, target, of->at);
    for (int m = 0; m < members_of(of, origin); m++) {
        int place = is_first ? place_on_lane(of, m, target) : of->between[distance] + m * ways;
        for (int i = 0; i < ways; i++)
            qdri_haul_add(&of->maker, haul, place + i, ends && i == 0 ? member(of, origin, m) : -1);
    }
}

/* ---- behind the lanes ---------------------------------------------------------------------------------- */

/* What came from other hosts for a member that is on no lane's way: from the one on its lane, or to it. */
static void hand_out(levels *of, int stage, int other, int comes) {
    int to = comes ? of->at : other, lane = to % of->lanes, hosts = of->list.hosts;
    qdri_haul *haul = qdri_haul_begin(&of->maker, comes, stage, member_here(of, other));
    for (int distance = 1; haul && distance < hosts; distance++) {
        int origin = qdri_around(hosts, of->here - distance), ways = on_lane(of, of->here, lane);
        for (int m = 0; m < members_of(of, origin) && !of->maker.failed; m++)
            qdri_haul_add(&of->maker, haul,
                          comes ? of->maker.relay->places++
                                : of->between[distance] + m * ways + to / of->lanes,
                          comes ? member(of, origin, m) : -1);
    }
    if (haul) qdri_haul_end(&of->maker, comes, haul);
}

static void hand_all_out(levels *of, int stage) {
    if (of->at >= of->lanes) hand_out(of, stage, of->at % of->lanes, 1);
    for (int to = of->at + of->lanes; of->at < of->lanes && to < of->members; to += of->lanes)
        hand_out(of, stage, to, 0);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void place_own(levels *of) {
    int *own = of->maker.relay->own;
    for (int h = 0; h < of->list.hosts; h++)
        for (int place = 0; place < members_of(of, h); place++) {
            int target = h == of->here ? place : place % of->lanes,
                within = h == of->here ? 0 : place_of_host(of, target, h) + place / of->lanes;
            own[member(of, h, place)] = of->inside[qdri_around(of->members, target - of->at)] + within;
        }
    own[member_here(of, of->at)] = -1;
}

static void climb(levels *of, int64_t inside, int64_t between) {
    int hosts = of->list.hosts, most = of->members;
    of->lanes = of->members;
    for (int h = 0; h < hosts; h++) {
        if (members_of(of, h) > most) most = members_of(of, h);
        if (members_of(of, h) < of->lanes) of->lanes = members_of(of, h);
    }
    of->maker.failed |= !count_places(of);
    if (of->maker.failed) return;
    circle members = {.at = of->at,
                      .count = of->members,
                      .radix = inside,
                      .messages = messages_from_member,
                      .partner = member_here,
                      .add = add_inside};
    circle all = {.at = of->here,
                  .count = hosts,
                  .stage = most > 1 ? qdri_bruck_stages(most, inside) : 0,
                  .radix = between,
                  .messages = messages_between,
                  .partner = same_lane,
                  .add = add_between};
    int last = all.stage + (hosts > 1 ? qdri_bruck_stages(hosts, between) : 0);
    of->maker.relay->stages = last + (most > of->lanes);
    of->inside = make_room(of, &members);
    of->between = make_room(of, &all);
    if (of->maker.failed) return;
    place_own(of);
    go_round(of, &members);
    if (of->at < of->lanes) go_round(of, &all);
    if (most > of->lanes) hand_all_out(of, last);
}

qdr_status qdri_relay_levels(int rank, int ranks, const int *node, int64_t inside, int64_t between,
                             qdri_relay *relay) {
    levels of = {.maker = qdri_relay_open(relay, ranks)};
    of.maker.failed |= !qdri_hosts_list(ranks, node, &of.list);
    if (!of.maker.failed) {
        of.here = of.list.host[rank];
        of.members = members_of(&of, of.here);
        while (member(&of, of.here, of.at) != rank) of.at++;
        climb(&of, inside, between);
    }
    free(of.start);
    free(of.inside);
    free(of.between);
    qdri_hosts_free(&of.list);
    return qdri_relay_close(&of.maker);
}
