/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lower bounds. Where sends are synchronous, a message holds both its ends from its startup to its last byte: a rank's way out is
 * busy for the sum of its messages' times, its way in likewise, and half-duplex ports add both. Where sends are buffered, a
 * startup is the sender's alone and may pass while earlier bytes are on their way: a rank's startups come one after the other,
 * and then the last message has to travel; all bytes of a way pass it, after one startup. A link is busy for all the bytes that its routes put on it. None of that can be split away: a message cut in two has
 * two startups and at least as many packets.
 *
 * With relays, a startup may carry many messages, and a link may be gone round, unless it is the only way, as in a tree and at a node (the cards of a node are one way together). Two
 * things remain for the busiest ranks. Their bytes: all of them pass the port, after at least one startup. And spreading: a rank
 * begins one transfer per startup, so that what it knows is known to twice as many after each: data needs ceil(log2(g + 1))
 * startups in a row to leave one rank for g others. Where sends are synchronous, data from g origins needs as many to meet at
 * one rank. The two may overlap in time, so the larger counts.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "machine/machine.h"
#include "schedule/schedule.h"

typedef struct load {
    double held[2];   /* seconds of direct messages out, in, one after the other */
    double moving[2]; /* of their bytes alone */
    double least[2];  /* of one of them, without its startup */
    double bytes[2];  /* on the wire, without rounding up to packets */
    int64_t count[2];
} load;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static int rounds_to_meet(int64_t others) {
    int rounds = 0;
    while (others >> rounds) rounds++; /* ceil(log2(others + 1)) */
    return rounds;
}

/* How many times a byte of data stands on the wire, packets full to the brim. */
static double stretch_of(const qdr_machine *machine) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    return p->payload ? (double)p->packet / (double)p->payload : 1;
}

/* With relays only links count that nothing can go round, and the rests of several messages may share a packet. */
static qdr_status load_links(const qdr_pattern_view *view, const qdr_machine *machine, int64_t item_bytes,
                             int relays, double *busiest) {
    int64_t links = qdr_machine_links(machine);
    *busiest = 0;
    if (links == 0) return QDR_OK;
    double *seconds = QDRI_ZERO_ARRAY(double, links);
    int64_t *route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine));
    int good = seconds && route;
    for (int64_t m = 0; good && m < view->messages; m++) {
        int length = qdr_machine_route(machine, view->origin[m], view->destination[m], route);
        int64_t data = view->items[m] * item_bytes;
        double bytes =
            relays ? stretch_of(machine) * (double)data : (double)qdr_machine_wire_bytes(machine, data);
        for (int i = 0; i < length; i++) {
            double bandwidth = qdr_machine_link_bandwidth(machine, route[i]);
            int64_t link = relays ? qdri_machine_cut(machine, route[i], &bandwidth) : route[i];
            if (link < 0) continue;
            seconds[link] += bytes / bandwidth;
            *busiest = larger(*busiest, seconds[link]);
        }
    }
    free(seconds);
    free(route);
    return good ? QDR_OK : qdri_fail_memory();
}

static void load_ports(const qdr_pattern_view *view, const qdr_machine *machine, int64_t item_bytes,
                       load *loads) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    double stretch = stretch_of(machine);
    for (int64_t m = 0; m < view->messages; m++) {
        int64_t bytes = view->items[m] * item_bytes;
        int end[2] = {view->origin[m], view->destination[m]};
        double moving = p->mu * (double)qdr_machine_wire_bytes(machine, bytes),
               travel = qdr_machine_latency(machine, end[0], end[1]) + moving;
        for (int way = 0; way < 2; way++) {
            load *load = &loads[end[way]];
            load->held[way] += p->tau + travel;
            load->moving[way] += moving;
            if (!load->count[way] || travel < load->least[way]) load->least[way] = travel;
            load->bytes[way] += stretch * (double)bytes;
            load->count[way]++;
        }
    }
}

static void take_held(const load *l, qdr_bounds *bounds) {
    bounds->full_duplex = larger(bounds->full_duplex, larger(l->held[0], l->held[1]));
    bounds->half_duplex = larger(bounds->half_duplex, l->held[0] + l->held[1]);
}

/* Buffered sends: the ports of one rank. */
static double overlapping(const load *l, const qdr_machine_parameters *p) {
    double longest = l->count[0] ? p->tau * (double)l->count[0] + l->least[0] : 0;
    for (int way = 0; way < 2; way++)
        if (l->count[way]) longest = larger(longest, p->tau + l->moving[way]);
    if (p->ports == QDR_PORTS_HALF && l->count[0] + l->count[1])
        longest = larger(longest, p->tau + l->moving[0] + l->moving[1]);
    return longest;
}

static void take_relays(const load *l, const qdr_machine_parameters *p, qdr_bounds *bounds) {
    int holds = p->sends == QDR_SENDS_SYNCHRONOUS;
    for (int way = 0; way < 2; way++) {
        if (!l->count[way]) continue;
        if (way == 0 || holds) bounds->relay = larger(bounds->relay, p->tau * rounds_to_meet(l->count[way]));
        bounds->relay = larger(bounds->relay, p->tau + p->mu * l->bytes[way]);
    }
    if (p->ports == QDR_PORTS_HALF && l->count[0] && l->count[1])
        bounds->relay = larger(bounds->relay, (1 + holds) * p->tau + p->mu * (l->bytes[0] + l->bytes[1]));
}

static void take_largest(const load *l, const qdr_machine_parameters *p, qdr_bounds *bounds) {
    take_held(l, bounds);
    bounds->direct = larger(bounds->direct, overlapping(l, p));
    take_relays(l, p, bounds);
}

qdr_status qdr_bounds_compute_sized(const qdr_pattern *pattern, const qdr_machine *machine,
                                    int64_t item_bytes, qdr_bounds *bounds, size_t bounds_bytes) {
    if (!pattern || !machine || !bounds || item_bytes < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_bounds_compute: an argument is NULL or negative");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    if (p->ranks < view.ranks)
        return qdri_fail(QDR_ERR_RANGE, "the machine has %d ranks, the pattern %d", p->ranks, view.ranks);
    for (int64_t m = 0; m < view.messages; m++) QDRI_TRY(qdri_check_bytes(view.items[m], item_bytes));
    qdr_bounds result = {0};
    load *loads = QDRI_ZERO_ARRAY(load, view.ranks);
    if (!loads) return qdri_fail_memory();
    load_ports(&view, machine, item_bytes, loads);
    for (int rank = 0; rank < view.ranks; rank++) take_largest(&loads[rank], p, &result);
    free(loads);
    double cut = 0;
    QDRI_TRY(load_links(&view, machine, item_bytes, 0, &result.link));
    QDRI_TRY(load_links(&view, machine, item_bytes, 1, &cut));
    if (p->sends == QDR_SENDS_SYNCHRONOUS)
        result.direct = p->ports == QDR_PORTS_HALF ? result.half_duplex : result.full_duplex;
    result.ports = result.direct;
    result.direct = larger(result.ports, result.link);
    result.any = larger(result.relay, cut);
    qdri_sized_fill(bounds, bounds_bytes, &result, sizeof result);
    return QDR_OK;
}
