/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates of flows: see network.h.
 *
 * A *way* is what flows share: a port or a link. Each knows its flows by a list through their *places*, of which a flow has one
 * per way. A way is *tight* if its flows at full rate would be more than it carries. When the flows of a tight way change, the
 * rates of all flows that are joined to it by tight ways are computed afresh: the tightest way first, whose flows get equal
 * shares of it; then the next, with what these have left (progressive filling). Ends are kept in a heap, each with the number
 * of the rate it was computed from; one of an older rate is passed over.
 *
 * With thousands of flows a settlement after each change would take too long. So changes gather until they are a certain part of
 * the flows, the larger the more flows there will be in all; meanwhile a flow that begins gets an equal share of its tightest
 * way. With few flows every change is settled at once.
 */
#include "predict/network.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"

typedef struct way {
    double capacity;
    int64_t flows;
    int64_t first; /* place; -1: none */
    int64_t seen;  /* the settlement that it was last part of */
    double left;   /* in it: capacity */
    int64_t loose; /* and flows that have no rate yet */
    int is_listed; /* among those that have changed */
} way;

typedef struct place {
    int64_t way, before, after;
} place;

typedef struct flow {
    int64_t id;
    double bytes, rate, since; /* bytes left at that time */
    int64_t number;            /* of its rate: counts up */
    int places;                /* 0: unused */
    int64_t seen;
    int is_fixed;
} flow;

struct qdri_network {
    const qdr_machine *machine;
    int64_t ranks, ways;
    double patience;
    int is_half;
    double full; /* the rate of a port */
    way *way;
    int stride; /* places per flow */
    int64_t *route;
    flow *flow;
    place *place;
    int64_t *unused;
    int64_t slots, unused_count;
    int64_t *changed, *part; /* ways; and those of one settlement */
    int64_t changed_count, part_count;
    int64_t *member;                      /* flows of one settlement */
    int64_t members, settlement, changes; /* `changes` since the last one */
    qdri_heap shares, ends;
    int64_t flow_room, place_room, unused_room, member_room, ends_room;
};

enum { FLOW_BITS = 24 };

/* ---- memory -------------------------------------------------------------------------------------------- */

static void set_ways(qdri_network *n) {
    for (int64_t i = 0; i < n->ways; i++) {
        int is_port = i < 2 * n->ranks;
        n->way[i] =
            (way){.capacity = is_port ? n->full : qdr_machine_link_bandwidth(n->machine, i - 2 * n->ranks),
                  .first = -1,
                  .seen = -1};
    }
}

qdri_network *qdri_network_open(const qdr_machine *machine, int64_t flows) {
    qdri_network *n = QDRI_ZERO_ARRAY(qdri_network, 1);
    if (!n) return NULL;
    n->machine = machine;
    n->patience = 4e6 / (double)flows;
    n->patience = n->patience > 256 ? 256 : n->patience < 2 ? 2 : n->patience;
    n->ranks = qdr_machine_look(machine)->ranks;
    n->ways = 2 * n->ranks + qdr_machine_links(machine);
    n->is_half = qdr_machine_look(machine)->ports == QDR_PORTS_HALF;
    n->full = 1 / qdr_machine_look(machine)->mu;
    n->stride = qdr_machine_route_limit(machine) + 2;
    n->way = QDRI_ARRAY(way, n->ways);
    n->route = QDRI_ARRAY(int64_t, n->stride);
    n->changed = QDRI_ARRAY(int64_t, n->ways);
    n->part = QDRI_ARRAY(int64_t, n->ways);
    n->shares.entry = QDRI_ARRAY(qdri_heap_entry, n->ways);
    if (!n->way || !n->route || !n->changed || !n->part || !n->shares.entry) {
        qdri_network_close(n);
        return NULL;
    }
    set_ways(n);
    return n;
}

void qdri_network_close(qdri_network *n) {
    if (!n) return;
    free(n->way);
    free(n->route);
    free(n->flow);
    free(n->place);
    free(n->unused);
    free(n->changed);
    free(n->part);
    free(n->member);
    free(n->shares.entry);
    free(n->ends.entry);
    free(n);
}

static qdr_status more_slots(qdri_network *n) {
    int64_t slots = n->slots ? 2 * n->slots : 64, room = 4 * slots;
    if (slots > INT64_C(1) << FLOW_BITS)
        return qdri_fail(QDR_ERR_RANGE, "a prediction with more than %d transfers under way at once",
                         1 << FLOW_BITS);
    if (!qdri_grow(&n->flow, &n->flow_room, slots, sizeof *n->flow) ||
        !qdri_grow(&n->place, &n->place_room, slots * n->stride, sizeof *n->place) ||
        !qdri_grow(&n->unused, &n->unused_room, slots, sizeof *n->unused) ||
        !qdri_grow(&n->member, &n->member_room, slots, sizeof *n->member) ||
        !qdri_grow(&n->ends.entry, &n->ends_room, room, sizeof *n->ends.entry))
        return qdri_fail_memory();
    for (int64_t i = slots - 1; i >= n->slots; i--) {
        n->flow[i] = (flow){.seen = -1};
        n->unused[n->unused_count++] = i;
    }
    n->slots = slots;
    return QDR_OK;
}

/* ---- flows on their ways ------------------------------------------------------------------------------- */

static int is_tight(const qdri_network *n, const way *way, int64_t flows) {
    return (double)flows * n->full > way->capacity * (1 + 1e-9);
}

/* A way gets a flow, or loses one. */
static void change(qdri_network *n, int64_t number, int by) {
    way *way = &n->way[number];
    int64_t most = by > 0 ? way->flows + 1 : way->flows;
    way->flows += by;
    if (!is_tight(n, way, most) || way->is_listed) return;
    way->is_listed = 1;
    n->changed[n->changed_count++] = number;
}

static void join(qdri_network *n, int64_t slot, int64_t number) {
    int64_t at = slot * n->stride + n->flow[slot].places++;
    way *way = &n->way[number];
    n->place[at] = (place){number, -1, way->first};
    if (way->first >= 0) n->place[way->first].before = at;
    way->first = at;
    change(n, number, 1);
}

static void part(qdri_network *n, int64_t at) {
    const place *place = &n->place[at];
    if (place->after >= 0) n->place[place->after].before = place->before;
    if (place->before >= 0)
        n->place[place->before].after = place->after;
    else
        n->way[place->way].first = place->after;
    change(n, place->way, -1);
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

static int is_current(const qdri_network *n, const qdri_heap_entry *entry) {
    const flow *flow = &n->flow[entry->id & ((INT64_C(1) << FLOW_BITS) - 1)];
    return flow->places > 0 && flow->number == entry->id >> FLOW_BITS;
}

/* Leaves out what has been passed over. */
static void sweep_ends(qdri_network *n) {
    int64_t count = n->ends.count;
    n->ends.count = 0;
    for (int64_t i = 0; i < count; i++) {
        qdri_heap_entry entry = n->ends.entry[i];
        if (is_current(n, &entry)) qdri_heap_push(&n->ends, entry.key, entry.id);
    }
}

static void set_rate(qdri_network *n, int64_t slot, double rate, double now) {
    flow *flow = &n->flow[slot];
    if (flow->rate > 0 && fabs(rate - flow->rate) <= 1e-12 * rate) return;
    flow->bytes -= flow->rate * (now - flow->since);
    if (flow->bytes < 0) flow->bytes = 0;
    flow->since = now;
    flow->rate = rate;
    flow->number++;
    if (n->ends.count == n->ends_room) sweep_ends(n);
    qdri_heap_push(&n->ends, now + flow->bytes / rate, flow->number << FLOW_BITS | slot);
}

/* ---- rates --------------------------------------------------------------------------------------------- */

static void add_way(qdri_network *n, int64_t number) {
    way *way = &n->way[number];
    if (way->seen == n->settlement || !is_tight(n, way, way->flows)) return;
    way->seen = n->settlement;
    way->left = way->capacity;
    way->loose = way->flows;
    n->part[n->part_count++] = number;
}

static void add_flow(qdri_network *n, int64_t slot) {
    flow *flow = &n->flow[slot];
    if (flow->seen == n->settlement) return;
    flow->seen = n->settlement;
    flow->is_fixed = 0;
    n->member[n->members++] = slot;
    for (int i = 0; i < flow->places; i++) add_way(n, n->place[slot * n->stride + i].way);
}

static void gather(qdri_network *n) {
    n->settlement++;
    n->part_count = n->members = 0;
    for (int64_t i = 0; i < n->changed_count; i++) {
        way *way = &n->way[n->changed[i]];
        way->is_listed = 0;
        add_way(n, n->changed[i]);
        for (int64_t at = way->first; at >= 0; at = n->place[at].after) add_flow(n, at / n->stride);
    }
    for (int64_t i = 0; i < n->part_count; i++)
        for (int64_t at = n->way[n->part[i]].first; at >= 0; at = n->place[at].after)
            add_flow(n, at / n->stride);
    n->changed_count = 0;
}

static void fix(qdri_network *n, int64_t slot, double rate, double now) {
    flow *flow = &n->flow[slot];
    flow->is_fixed = 1;
    for (int i = 0; i < flow->places; i++) {
        way *way = &n->way[n->place[slot * n->stride + i].way];
        way->left -= rate;
        way->loose--;
    }
    set_rate(n, slot, rate, now);
}

static double share_of(const way *way) {
    return way->left / (double)way->loose;
}

static void settle(qdri_network *n, double now) {
    if (!n->changed_count || (double)n->changes * n->patience < (double)(n->slots - n->unused_count)) return;
    n->changes = 0;
    gather(n);
    for (int64_t i = 0; i < n->part_count; i++)
        qdri_heap_push(&n->shares, share_of(&n->way[n->part[i]]), n->part[i]);
    while (n->shares.count > 0) {
        qdri_heap_entry entry = qdri_heap_pop(&n->shares);
        const way *way = &n->way[entry.id];
        if (way->loose == 0) continue;
        double share = share_of(way);
        if (share >= n->full) continue; /* the rest of it goes at full rate */
        if (share > entry.key * (1 + 1e-12)) {
            qdri_heap_push(&n->shares, share, entry.id);
            continue;
        }
        for (int64_t at = way->first; at >= 0; at = n->place[at].after)
            if (!n->flow[at / n->stride].is_fixed) fix(n, at / n->stride, share, now);
    }
    for (int64_t i = 0; i < n->members; i++)
        if (!n->flow[n->member[i]].is_fixed) set_rate(n, n->member[i], n->full, now);
}

/* The rate of a flow until the next settlement. */
static double fair_share(const qdri_network *n, int64_t slot) {
    double rate = n->full;
    for (int i = 0; i < n->flow[slot].places; i++) {
        const way *way = &n->way[n->place[slot * n->stride + i].way];
        rate = fmin(rate, way->capacity / (double)way->flows);
    }
    return rate;
}

/* ---- what others call ---------------------------------------------------------------------------------- */

qdr_status qdri_network_begin(qdri_network *n, int64_t id, int from, int to, double bytes, double now) {
    if (!n->unused_count) QDRI_TRY(more_slots(n));
    int64_t slot = n->unused[--n->unused_count];
    flow *flow = &n->flow[slot];
    int length = qdr_machine_route(n->machine, from, to, n->route);
    flow->id = id;
    flow->bytes = bytes;
    flow->rate = 0;
    flow->since = now;
    flow->places = 0;
    join(n, slot, from);
    for (int i = 0; i < length; i++) join(n, slot, 2 * n->ranks + n->route[i]);
    join(n, slot, n->is_half ? to : n->ranks + to);
    n->changes++;
    set_rate(n, slot, fair_share(n, slot), now);
    return QDR_OK;
}

static double first_end(qdri_network *n) {
    while (n->ends.count > 0 && !is_current(n, &n->ends.entry[0])) qdri_heap_pop(&n->ends);
    return n->ends.count > 0 ? n->ends.entry[0].key : HUGE_VAL;
}

double qdri_network_next(qdri_network *n, double now) {
    settle(n, now);
    return first_end(n);
}

int qdri_network_ended(qdri_network *n, double until, int64_t *id) {
    if (first_end(n) > until) return 0;
    int64_t slot = qdri_heap_pop(&n->ends).id & ((INT64_C(1) << FLOW_BITS) - 1);
    flow *flow = &n->flow[slot];
    for (int i = 0; i < flow->places; i++) part(n, slot * n->stride + i);
    flow->places = 0;
    n->unused[n->unused_count++] = slot;
    n->changes++;
    *id = flow->id;
    return 1;
}
