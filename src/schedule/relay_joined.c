/* SPDX-License-Identifier: BSD-3-Clause */
/* The relay from host to host, where each rank leads for some of the other hosts: see relay.h. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/relay_maker.h"

/* Who leads on a host for another. */
static int leader(const qdri_host_list *list, int host, int other) {
    int members = list->start[host + 1] - list->start[host],
        distance = (other - host + list->hosts) % list->hosts;
    return list->member[list->start[host] + (distance - 1) % members];
}

typedef struct joining {
    qdri_relay_maker maker;
    qdri_host_list list;
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
    const qdri_host_list *list = &at->list;
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
    const qdri_host_list *list = &at->list;
    int ranks = list->start[list->hosts], lead = comes ? at->rank : other;
    qdri_haul *haul = qdri_haul_begin(&at->maker, comes, 0, other);
    if (!haul) return;
    qdri_haul_add(&at->maker, haul, comes ? at->maker.relay->places++ : at->maker.relay->own[other],
                  comes ? other : -1);
    for (int i = next_led(at, lead, -1); i < ranks && !at->maker.failed; i = next_led(at, lead, i)) {
        int destination = list->member[i], place = at->maker.relay->own[destination];
        if (comes) {
            int member = list->start[at->here];
            while (list->member[member] != other) member++;
            place = *cell(at, at->collected, member, destination) = at->maker.relay->places++;
        }
        qdri_haul_add(&at->maker, haul, place, -1);
    }
}

/* Stage 1: all that this host has for another. */
static void hand_over(joining *at, int host, int comes) {
    const qdri_host_list *list = &at->list;
    int from = comes ? host : at->here, to = comes ? at->here : host;
    qdri_haul *haul = qdri_haul_begin(&at->maker, comes, 1, leader(list, host, at->here));
    for (int s = list->start[from]; haul && s < list->start[from + 1]; s++)
        for (int d = list->start[to]; d < list->start[to + 1] && !at->maker.failed; d++) {
            int origin = list->member[s], destination = list->member[d];
            int place = comes                ? at->maker.relay->places++
                        : origin == at->rank ? at->maker.relay->own[destination]
                                             : *cell(at, at->collected, s, destination);
            if (comes) *cell(at, at->handed, d, origin) = place;
            qdri_haul_add(&at->maker, haul, place, comes && destination == at->rank ? origin : -1);
        }
}

/* Stage 2: each gives every other member of its host what came for it. */
static void hand_out(joining *at, int member, int comes) {
    const qdri_host_list *list = &at->list;
    int ranks = list->start[list->hosts], other = list->member[member], lead = comes ? other : at->rank;
    qdri_haul *haul = qdri_haul_begin(&at->maker, comes, 2, other);
    for (int i = haul ? next_led(at, lead, -1) : ranks; i < ranks && !at->maker.failed;
         i = next_led(at, lead, i)) {
        int origin = list->member[i];
        qdri_haul_add(&at->maker, haul,
                      comes ? at->maker.relay->places++ : *cell(at, at->handed, member, origin),
                      comes ? origin : -1);
    }
    if (haul) qdri_haul_end(&at->maker, comes, haul);
}

static void join(joining *at) {
    const qdri_host_list *list = &at->list;
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
    joining at = {.maker = qdri_relay_open(relay, ranks), .rank = rank};
    at.maker.failed |= !qdri_hosts_list(ranks, node, &at.list);
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
    qdri_hosts_free(&at.list);
    return qdri_relay_close(&at.maker);
}
