/* SPDX-License-Identifier: BSD-3-Clause */
/* Relays: see relay.h. */
#include "schedule/relay.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/bruck.h"

void qdri_relay_free(qdri_relay *relay) {
    free(relay->own);
    free(relay->out);
    free(relay->in);
    free(relay->place);
    free(relay->origin);
    *relay = (qdri_relay){.stages = 0};
}

/* ---- making one ---------------------------------------------------------------------------------------- */

/* What fails for want of memory shows in the end. */
typedef struct relay_maker {
    qdri_relay *relay;
    int64_t out_capacity, in_capacity, origin_capacity;
    int failed;
} relay_maker;

static relay_maker open_relay(qdri_relay *relay, int ranks) {
    *relay = (qdri_relay){.own = QDRI_ARRAY(int, ranks)};
    return (relay_maker){.relay = relay, .failed = !relay->own};
}

static qdr_status close_relay(const relay_maker *maker) {
    if (!maker->failed) return QDR_OK;
    qdri_relay_free(maker->relay);
    return qdri_fail_memory();
}

/* Begins a haul; NULL without memory. */
static qdri_haul *begin(relay_maker *maker, int comes, int stage, int partner) {
    qdri_relay *relay = maker->relay;
    int *count = comes ? &relay->ins : &relay->outs;
    qdri_haul **haul = comes ? &relay->in : &relay->out;
    int64_t *capacity = comes ? &maker->in_capacity : &maker->out_capacity;
    maker->failed |= !qdri_grow(haul, capacity, *count + 1, sizeof **haul);
    if (maker->failed) return NULL;
    (*haul)[*count] = (qdri_haul){stage, partner, relay->listed, 0};
    return &(*haul)[(*count)++];
}

static void add(relay_maker *maker, qdri_haul *haul, int place, int origin) {
    qdri_relay *relay = maker->relay;
    maker->failed |=
        !qdri_grow(&relay->place, &relay->capacity, relay->listed + 1, sizeof *relay->place) ||
        !qdri_grow(&relay->origin, &maker->origin_capacity, relay->listed + 1, sizeof *relay->origin);
    if (maker->failed) return;
    relay->place[relay->listed] = place;
    relay->origin[relay->listed++] = origin;
    haul->messages++;
}

/* A haul without messages is none. */
static void end(relay_maker *maker, int comes, const qdri_haul *haul) {
    if (!maker->failed && haul->messages == 0) *(comes ? &maker->relay->ins : &maker->relay->outs) -= 1;
}

/* ---- around the circle --------------------------------------------------------------------------------- */

static int around(int ranks, int64_t rank) {
    return (int)((rank % ranks + ranks) % ranks);
}

/* Places are distances. What is handed on makes room for what comes. */
qdr_status qdri_relay_bruck(int rank, int ranks, int64_t radix, qdri_relay *relay) {
    relay_maker maker = open_relay(relay, ranks);
    qdri_bruck_step step;
    relay->places = ranks;
    relay->stages = qdri_bruck_stages(ranks, radix);
    for (int i = 0; i < ranks && !maker.failed; i++) relay->own[i] = i == rank ? -1 : around(ranks, i - rank);
    for (int goes_on = qdri_bruck_begin(ranks, &step); goes_on && !maker.failed;
         goes_on = qdri_bruck_next(ranks, radix, &step)) {
        qdri_haul *in = begin(&maker, 1, step.stage, around(ranks, rank - step.ahead));
        for (int64_t i = step.ahead; i < ranks && !maker.failed;
             i = qdri_bruck_distance_after(radix, &step, i))
            add(&maker, in, (int)i, qdri_bruck_ends(radix, &step, i) ? around(ranks, rank - i) : -1);
        qdri_haul *out = begin(&maker, 0, step.stage, around(ranks, rank + step.ahead));
        if (!out) break;
        out->first = in->first; /* the same distances */
        out->messages = in->messages;
    }
    return close_relay(&maker);
}

/* ---- from host to host --------------------------------------------------------------------------------- */

/* All hosts, by their lowest ranks. */
typedef struct host_list {
    int hosts;
    int *host;   /* [ranks]: of each */
    int *start;  /* [hosts + 1]: its members begin here */
    int *member; /* [ranks] */
} host_list;

static void free_hosts(host_list *list) {
    free(list->host);
    free(list->start);
    free(list->member);
}

static int list_hosts(int ranks, const int *node, host_list *list) {
    *list = (host_list){.host = QDRI_ARRAY(int, ranks),
                        .start = QDRI_ZERO_ARRAY(int, ranks + 2),
                        .member = QDRI_ARRAY(int, ranks)};
    if (!list->host || !list->start || !list->member) return 0;
    for (int r = 0; r < ranks; r++) {
        list->host[r] = node[r] == r ? list->hosts++ : list->host[node[r]];
        list->start[list->host[r] + 2]++;
    }
    for (int h = 0; h < list->hosts; h++) list->start[h + 2] += list->start[h + 1];
    for (int r = 0; r < ranks; r++) list->member[list->start[list->host[r] + 1]++] = r;
    return 1;
}

/* Who leads on a host for another. */
static int leader(const host_list *list, int host, int other) {
    int members = list->start[host + 1] - list->start[host],
        distance = (other - host + list->hosts) % list->hosts;
    return list->member[list->start[host] + (distance - 1) % members];
}

typedef struct joining {
    relay_maker maker;
    host_list list;
    int rank, here; /* this rank, and its host */
    int *collected; /* [members of this host * ranks]: the place of what one of them has for a rank */
    int *handed;    /* [members of this host * ranks]: of what came for one of them from a rank */
} joining;

static int *cell(const joining *at, int *table, int member, int rank) {
    int ranks = at->list.start[at->list.hosts];
    return &table[(int64_t)(member - at->list.start[at->here]) * ranks + rank];
}

/* The members of all hosts but this one for which a member of this one leads, one after the other: the next after `place`, a place in
 * the list of members; -1: the first. Beyond the last it is the number of ranks. */
static int next_led(const joining *at, int lead, int place) {
    const host_list *list = &at->list;
    int ranks = list->start[list->hosts];
    while (++place < ranks) {
        int host = list->host[list->member[place]];
        if (host != at->here && leader(list, at->here, host) == lead) return place;
        place = list->start[host + 1] - 1;
    }
    return ranks;
}

/* Stage 0: each gives every other member of its host its message, and what it has for the hosts for which that one leads. */
static void collect(joining *at, int other, int comes) {
    const host_list *list = &at->list;
    int ranks = list->start[list->hosts], lead = comes ? at->rank : other;
    qdri_haul *haul = begin(&at->maker, comes, 0, other);
    if (!haul) return;
    add(&at->maker, haul, comes ? at->maker.relay->places++ : at->maker.relay->own[other],
        comes ? other : -1);
    for (int i = next_led(at, lead, -1); i < ranks && !at->maker.failed; i = next_led(at, lead, i)) {
        int destination = list->member[i], place = at->maker.relay->own[destination];
        if (comes) {
            int member = list->start[at->here];
            while (list->member[member] != other) member++;
            place = *cell(at, at->collected, member, destination) = at->maker.relay->places++;
        }
        add(&at->maker, haul, place, -1);
    }
}

/* Stage 1: all that this host has for another. */
static void hand_over(joining *at, int host, int comes) {
    const host_list *list = &at->list;
    int from = comes ? host : at->here, to = comes ? at->here : host;
    qdri_haul *haul = begin(&at->maker, comes, 1, leader(list, host, at->here));
    for (int s = list->start[from]; haul && s < list->start[from + 1]; s++)
        for (int d = list->start[to]; d < list->start[to + 1] && !at->maker.failed; d++) {
            int origin = list->member[s], destination = list->member[d];
            int place = comes                ? at->maker.relay->places++
                        : origin == at->rank ? at->maker.relay->own[destination]
                                             : *cell(at, at->collected, s, destination);
            if (comes) *cell(at, at->handed, d, origin) = place;
            add(&at->maker, haul, place, comes && destination == at->rank ? origin : -1);
        }
}

/* Stage 2: each gives every other member of its host what came for it. */
static void hand_out(joining *at, int member, int comes) {
    const host_list *list = &at->list;
    int ranks = list->start[list->hosts], other = list->member[member], lead = comes ? other : at->rank;
    qdri_haul *haul = begin(&at->maker, comes, 2, other);
    for (int i = haul ? next_led(at, lead, -1) : ranks; i < ranks && !at->maker.failed;
         i = next_led(at, lead, i)) {
        int origin = list->member[i];
        add(&at->maker, haul, comes ? at->maker.relay->places++ : *cell(at, at->handed, member, origin),
            comes ? origin : -1);
    }
    if (haul) end(&at->maker, comes, haul);
}

static void join(joining *at) {
    const host_list *list = &at->list;
    int first = list->start[at->here], last = list->start[at->here + 1];
    for (int comes = 1; comes >= 0; comes--)
        for (int m = first; m < last; m++)
            if (list->member[m] != at->rank) collect(at, list->member[m], comes);
    for (int comes = 1; comes >= 0; comes--)
        for (int h = 0; h < list->hosts; h++)
            if (h != at->here && leader(list, at->here, h) == at->rank) hand_over(at, h, comes);
    for (int comes = 1; comes >= 0; comes--)
        for (int m = first; m < last; m++)
            if (list->member[m] != at->rank) hand_out(at, m, comes);
}

qdr_status qdri_relay_joined(int rank, int ranks, const int *node, qdri_relay *relay) {
    joining at = {.maker = open_relay(relay, ranks), .rank = rank};
    at.maker.failed |= !list_hosts(ranks, node, &at.list);
    if (!at.maker.failed) {
        at.here = at.list.host[rank];
        int64_t members = at.list.start[at.here + 1] - at.list.start[at.here];
        at.collected = QDRI_ARRAY(int, members *ranks);
        at.handed = QDRI_ARRAY(int, members *ranks);
        at.maker.failed = !at.collected || !at.handed;
    }
    relay->stages = 3;
    relay->places = ranks;
    for (int i = 0; i < ranks && !at.maker.failed; i++) relay->own[i] = i == rank ? -1 : i;
    if (!at.maker.failed) join(&at);
    free(at.collected);
    free(at.handed);
    free_hosts(&at.list);
    return close_relay(&at.maker);
}
