/* SPDX-License-Identifier: BSD-3-Clause */
/* Pacing by one's own arrivals, as plan/executors/stepped.c has it, which says why: see pace.h. */
#include "base/order.h"
#include "base/window.h"
#include "predict/pace_rules.h"

/* ---- positions ----------------------------------------------------------------------------------------- */

static int64_t phase_at(const qdri_pacer *pacer, const int32_t *list, int32_t at, int32_t end) {
    return at < end ? pacer->hop[list[at]].phase : INT64_MAX;
}

/* A phase is as long as the longest transfer that a rank has in it. */
static void set_positions(qdri_pacer *pacer, int rank) {
    const qdri_pace_actor *actor = &pacer->actor[rank];
    int32_t out = actor->sending, in = actor->receiving;
    for (int64_t position = 0;;) {
        int64_t sends = phase_at(pacer, actor->out, out, actor->out_end),
                receives = phase_at(pacer, actor->in, in, actor->in_end), longest = 0,
                phase = qdri_smaller(sends, receives);
        if (phase == INT64_MAX) return;
        for (; phase_at(pacer, actor->out, out, actor->out_end) == phase; out++) {
            qdri_pace_hop *hop = &pacer->hop[actor->out[out]];
            hop->position_out = position;
            longest = qdri_larger(longest, hop->bytes);
        }
        for (; phase_at(pacer, actor->in, in, actor->in_end) == phase; in++) {
            qdri_pace_hop *hop = &pacer->hop[actor->in[in]];
            hop->position_in = position;
            longest = qdri_larger(longest, hop->bytes);
        }
        position += longest;
    }
}

/* ---- getting on ---------------------------------------------------------------------------------------- */

static int64_t ahead_of(int64_t front, int64_t bytes) {
    return front < INT64_MAX - bytes ? front + bytes : INT64_MAX;
}

/* The first position that has not arrived. */
static int64_t find_front(const qdri_pacer *pacer, qdri_pace_actor *actor) {
    int64_t front = INT64_MAX;
    while (actor->receiving < actor->in_end &&
           pacer->hop[actor->in[actor->receiving]].ended == pacer->hop[actor->in[actor->receiving]].bytes)
        actor->receiving++;
    for (int32_t i = actor->receiving; i < actor->in_end; i++) {
        const qdri_pace_hop *hop = &pacer->hop[actor->in[i]];
        if (hop->position_in >= front) break;
        if (hop->ended < hop->bytes) front = qdri_smaller(front, hop->position_in + hop->ended);
    }
    return front;
}

/* Whole chunks up to a position; not for less than `fewest` bytes, unless it is the rest. */
static void invite(qdri_pacer *pacer, const qdri_pace_actor *actor, int64_t limit, int64_t fewest) {
    for (int32_t i = actor->receiving; i < actor->in_end; i++) {
        const qdri_pace_hop *hop = &pacer->hop[actor->in[i]];
        if (hop->position_in >= limit) return;
        if (hop->asked == hop->bytes) continue;
        int64_t chunks = (limit - hop->position_in - 1) / hop->chunk + 1,
                bytes = chunks > hop->bytes / hop->chunk ? hop->bytes : chunks * hop->chunk;
        if (bytes == hop->bytes || bytes - hop->asked >= fewest) qdri_pace_allow(pacer, actor->in[i], bytes);
    }
}

/* Up to which position a transfer may be sent. */
static int64_t send_limit(const qdri_pacer *pacer, const qdri_pace_hop *hop, int64_t front, int64_t window) {
    enum { TINY = 12 }; /* of the window, one part */
    double under_way = pacer->rate * pacer->latency, bytes = (double)hop->bytes;
    if (!hop->is_small && !hop->is_open) return ahead_of(front, window);
    if (hop->is_small && (TINY * bytes <= pacer->window || bytes <= under_way)) return INT64_MAX;
    return ahead_of(front, qdri_window_step(pacer->window, pacer->rate, pacer->latency, hop->bytes));
}

static void send(qdri_pacer *pacer, qdri_pace_actor *actor, int64_t front, int64_t window) {
    int is_whole = 1; /* nothing is left behind */
    for (int32_t i = actor->sending; i < actor->out_end; i++) {
        const qdri_pace_hop *hop = &pacer->hop[actor->out[i]];
        int64_t limit = send_limit(pacer, hop, front, window);
        if (hop->position_out >= limit && hop->bytes > 0) return;
        while (hop->begun < hop->allowed && hop->position_out + hop->begun < limit)
            qdri_pace_send(pacer, actor->out[i], qdri_smaller(hop->bytes - hop->begun, hop->chunk));
        is_whole &= hop->begun == hop->bytes;
        if (is_whole) actor->sending = i + 1;
    }
}

static void pump(qdri_pacer *pacer, int rank) {
    qdri_pace_actor *actor = &pacer->actor[rank];
    int64_t front = find_front(pacer, actor),
            window = (int64_t)qdri_window_ahead(pacer->window, pacer->latency);
    invite(pacer, actor, ahead_of(front, 2 * window + window / 2), window);
    send(pacer, actor, front, window);
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

static void open_rule(qdri_pacer *pacer) {
    int64_t window = (int64_t)qdri_window_ahead(pacer->window, pacer->latency),
            chunk = qdri_larger(qdri_window_chunk(window, QDRI_FIRST_CHUNK), QDRI_LEAST_CHUNK),
            sources = qdri_larger(pacer->p->ranks - 1, 1),
            unasked = (int64_t)qdri_window_unasked(pacer->window, pacer->latency, pacer->sharing) / sources;
    for (int32_t i = 0; i < pacer->hops; i++) {
        qdri_pace_hop *hop = &pacer->hop[i];
        hop->is_small = qdri_window_unasked_of(unasked, hop->bytes) == hop->bytes;
        hop->is_open = !hop->is_small && pacer->is_trusting &&
                       hop->bytes <= qdri_window_open(pacer->window, pacer->latency);
        int is_free = hop->is_small || hop->is_open;
        hop->chunk = is_free ? qdri_larger(hop->bytes, 1) : chunk;
        hop->allowed = hop->asked = is_free          ? hop->bytes
                                    : hop->phase > 0 ? 0
                                                     : qdri_smaller(hop->bytes, QDRI_FIRST_CHUNKS * chunk);
    }
}

static void stage(qdri_pacer *pacer, int rank) {
    set_positions(pacer, rank);
    pump(pacer, rank);
}

static void heard(qdri_pacer *pacer, int32_t hop) {
    pump(pacer, pacer->hop[hop].from);
}

static void arrived(qdri_pacer *pacer, int32_t hop, int64_t bytes) {
    (void)bytes;
    pump(pacer, pacer->hop[hop].to);
}

const qdri_pace_rule qdri_pace_arrivals = {open_rule, stage, heard, arrived, .has_stages = 1};
