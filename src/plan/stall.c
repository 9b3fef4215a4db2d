/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports about exchanges that do not get on. MPI never says that a partner has died; all there is, is
 * silence. So the report says what is known: for whom this rank waits, in which phase, for how many bytes,
 * since when it heard nothing. Ranks of one node leave a line about themselves in shared memory, so there the
 * chain can be followed, rank by rank, to one that waits for nobody, has gone, or closes a cycle.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan/near/near.h"
#include "wire/node.h"

static _Thread_local char report[4096];

const char *qdr_stall_report(void) {
    return report;
}

/* ---- what is waited for -------------------------------------------------------------------------------- */

typedef struct wish {
    int partner; /* -1: nobody */
    int64_t phase, bytes;
    double since;
    const char *what;
} wish;

/* Since when: as long as nothing was heard, since somebody waits. */
static double heard(const qdri_exchange *exchange, double last) {
    return last > exchange->waited ? last : exchange->waited;
}

/* Data that was let go, or is expected anyway. */
static wish wish_of_hop(const qdri_exchange *exchange, int64_t number) {
    const qdri_hop *hop = &exchange->program->in.hop[number];
    const qdri_flow *flow = &exchange->in.flow[number];
    return (wish){hop->partner, hop->phase, flow->bytes - flow->ended,
                  heard(exchange, exchange->in.lane[hop->lane].last), "bytes to come"};
}

/* The first neighbor whose message has not ended. */
static const qdri_near_flow *first_waiting(const qdri_near_flow *flow, int flows) {
    for (int i = 0; i < flows; i++)
        if (flow[i].state != QDRI_NEAR_ENDED) return &flow[i];
    return NULL;
}

static int64_t left_of(const qdri_near_flow *flow) {
    return flow->bytes - flow->part.offset;
}

static wish near_wish(const qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    const qdri_near_flow *in = first_waiting(exchange->near_in, near->receives);
    if (in) return (wish){in->neighbor->rank, 0, left_of(in), exchange->moved, "bytes to come"};
    const qdri_near_flow *out = first_waiting(exchange->near_out, near->sends);
    if (out) return (wish){out->neighbor->rank, 0, left_of(out), exchange->moved, "bytes to be taken"};
    return (wish){-1, 0, 0, exchange->last, "nothing"};
}

static wish far_wish(const qdri_exchange *exchange) {
    const qdri_side *in = &exchange->program->in, *out = &exchange->program->out;
    for (int64_t i = 0; i < in->hops; i++)
        if (exchange->in.flow[i].begun > exchange->in.flow[i].ended) return wish_of_hop(exchange, i);
    int64_t phase = 0;
    const char *what = NULL;
    int awaited = exchange->executor->awaits ? exchange->executor->awaits(exchange, &phase, &what) : -1;
    if (awaited >= 0) return (wish){awaited, phase, 0, heard(exchange, exchange->last), what};
    for (int64_t i = 0; i < in->hops; i++)
        if (exchange->in.flow[i].bytes > exchange->in.flow[i].ended) return wish_of_hop(exchange, i);
    for (int64_t i = 0; i < out->hops; i++) {
        const qdri_flow *flow = &exchange->out.flow[i];
        const qdri_hop *hop = &out->hop[i];
        if (flow->begun < flow->bytes)
            return (wish){hop->partner, hop->phase, flow->bytes - flow->begun,
                          heard(exchange, exchange->out.lane[hop->lane].last), "bytes to be granted"};
    }
    for (int64_t i = 0; i < out->hops; i++) {
        const qdri_flow *flow = &exchange->out.flow[i];
        const qdri_hop *hop = &out->hop[i];
        if (flow->ended < flow->bytes)
            return (wish){hop->partner, hop->phase, flow->bytes - flow->ended,
                          heard(exchange, exchange->out.lane[hop->lane].last), "bytes to be taken"};
    }
    return (wish){-1, 0, 0, exchange->last, "nothing"};
}

static wish first_wish(const qdri_exchange *exchange) {
    int word_of = qdri_referee_awaits(exchange);
    if (word_of >= 0)
        return (wish){word_of, 0, 0, exchange->moved, "bytes, but its word that it has ended the exchange,"};
    wish far = exchange->candidate->is_far ? far_wish(exchange) : (wish){.partner = -1};
    return far.partner >= 0 ? far : near_wish(exchange);
}

/* ---- notes --------------------------------------------------------------------------------------------- */

void qdri_stall_note(qdri_exchange *exchange) {
    qdri_status_line *line = qdri_status_own(exchange->wire);
    wish waits = first_wish(exchange);
    line->plan = exchange->plan->number;
    line->exchange = exchange->number;
    line->phase = waits.phase;
    line->bytes = waits.bytes;
    line->since = exchange->moved;
    line->seen = qdri_seconds();
    line->waits_for = waits.partner;
}

void qdri_stall_rest(qdri_exchange *exchange) {
    qdri_status_line *line = qdri_status_own(exchange->wire);
    if (line->waits_for < 0 && line->exchange < 0) return;
    line->waits_for = -1;
    line->exchange = line->plan = -1;
    line->since = line->seen = qdri_seconds();
}

/* ---- the chain ----------------------------------------------------------------------------------------- */

static size_t add(char *text, size_t size, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t add(char *text, size_t size, size_t used, const char *format, ...) {
    va_list arguments;
    if (used >= size) return used;
    va_start(arguments, format);
    int length = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    return used + (length > 0 ? (size_t)length : 0);
}

/* A rank that is in no exchange. When it last was in the library is said where it is known. */
static size_t add_idle(const qdri_status_line *line, int rank, double now, char *text, size_t size,
                       size_t used) {
    used = add(text, size, used, "; rank %d (process %lld) waits in no exchange", rank, (long long)line->pid);
    if (line->seen <= 0) return used;
    return add(text, size, used, ", and last looked after its messages %.1f s ago", now - line->seen);
}

static size_t follow(qdri_exchange *exchange, int rank, char *text, size_t size, size_t used) {
    enum { FURTHEST = 16 };
    int seen[FURTHEST];
    double now = qdri_seconds();
    for (int steps = 0; steps < FURTHEST; steps++) {
        const qdri_status_line *line = qdri_status_of(exchange->wire, rank);
        if (!line) return add(text, size, used, "; rank %d is on another node", rank);
        char life[80];
        qdri_status_life(line, life, sizeof life);
        if (*life) return add(text, size, used, "; rank %d%s", rank, life);
        if (line->failed)
            return add(text, size, used, "; rank %d gave up an exchange: %s", rank,
                       qdr_status_text((qdr_status)line->failed));
        if (line->waits_for >= 0 && now - line->since < 0.5 * qdri_patience(exchange->plan->deadline))
            return add(text, size, used, "; rank %d made progress %.1f s ago", rank, now - line->since);
        if (rank == exchange->program->rank) return add(text, size, used, ": a cycle");
        for (int i = 0; i < steps; i++)
            if (seen[i] == rank) return add(text, size, used, ": a cycle");
        seen[steps] = rank;
        if (line->waits_for < 0) return add_idle(line, rank, now, text, size, used);
        used = add(
            text, size, used,
            "; rank %d waits for rank %lld (plan %lld, exchange %lld, phase %lld, %lld bytes, for %.1f s)",
            rank, (long long)line->waits_for, (long long)line->plan, (long long)line->exchange,
            (long long)line->phase + 1, (long long)line->bytes, now - line->since);
        if (now - line->seen > 1)
            used =
                add(text, size, used, " but has not looked after its messages for %.1f s", now - line->seen);
        rank = (int)line->waits_for;
    }
    return used;
}

/* Everyone this rank waits for, one line each. */
static size_t list_neighbors(const qdri_near_flow *flow, int flows, const char *direction, size_t used) {
    for (int i = 0; i < flows; i++)
        if (flow[i].state != QDRI_NEAR_ENDED)
            used = add(report, sizeof report, used, "  %s rank %d, on this node: %lld bytes\n", direction,
                       flow[i].neighbor->rank, (long long)left_of(&flow[i]));
    return used;
}

static size_t list_partners(const qdri_exchange *exchange, double now, size_t used) {
    const qdri_near *near = exchange->plan->near;
    used = list_neighbors(exchange->near_in, near->receives, "from", used);
    used = list_neighbors(exchange->near_out, near->sends, "to", used);
    if (!exchange->candidate->is_far) return used;
    const qdri_side *in = &exchange->program->in, *out = &exchange->program->out;
    for (int i = 0; i < in->lanes; i++) {
        const qdri_lane_flow *lane = &exchange->in.lane[i];
        if (lane->ended < lane->bytes)
            used = add(report, sizeof report, used,
                       "  from rank %d: %lld of %lld bytes came, %lld are asked for, nothing for %.1f s\n",
                       in->lane[i].partner, (long long)lane->ended, (long long)lane->bytes,
                       (long long)(lane->begun - lane->ended), now - heard(exchange, lane->last));
    }
    for (int i = 0; i < out->lanes; i++) {
        const qdri_lane_flow *lane = &exchange->out.lane[i];
        if (lane->ended < lane->bytes)
            used = add(report, sizeof report, used,
                       "  to rank %d: %lld of %lld bytes went, %lld were granted, last heard of %.1f s ago\n",
                       out->lane[i].partner, (long long)lane->ended, (long long)lane->bytes,
                       (long long)lane->granted, now - heard(exchange, lane->last));
    }
    return used;
}

qdr_status qdri_stall(qdri_exchange *exchange) {
    char text[900];
    double now = qdri_seconds();
    wish waits = first_wish(exchange);
    exchange->stalled = 1;
    qdri_wire_leave_messages(exchange->wire);
    qdri_stall_note(exchange);
    size_t used = add(text, sizeof text, 0,
                      "rank %d waits for rank %d: %lld %s in phase %lld of exchange %lld (plan %lld), "
                      "nothing heard for %.1f s",
                      exchange->program->rank, waits.partner, (long long)waits.bytes, waits.what,
                      (long long)waits.phase + 1, (long long)exchange->number,
                      (long long)exchange->plan->number, now - waits.since);
    if (waits.partner >= 0)
        follow(exchange, waits.partner, text, sizeof text, used);
    else
        add(text, sizeof text, 0,
            "rank %d waits for nobody: %lld messages of exchange %lld (plan %lld) are still leaving",
            exchange->program->rank, (long long)exchange->active, (long long)exchange->number,
            (long long)exchange->plan->number);
    used = add(report, sizeof report, 0, "%s\n", text);
    list_partners(exchange, now, used);
    return qdri_fail(QDR_ERR_STALLED, "%s", text);
}
