/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by grants, without a schedule, as plan/executors/grants.c has it, which says why: see pace.h. Here ranks know at once
 * what there comes to them as a rumour.
 */
#include "base/order.h"
#include "base/window.h"
#include "predict/pace_rules.h"

static int64_t least_chunk(const qdri_pacer *pacer) {
    return qdri_window_granted(pacer->window, pacer->rate, pacer->latency);
}

/* ---- how much, and whom -------------------------------------------------------------------------------- */

static double share_of(int64_t bytes, int64_t whole) {
    return (double)bytes / (double)whole;
}

/* How much may be under way to a rank: less, if it is ahead of the most loaded one. */
static int64_t own_window(const qdri_pacer *pacer, const qdri_pace_actor *actor) {
    const qdri_pace_actor *most = &pacer->actor[pacer->most_loaded];
    double ahead = share_of(qdri_larger(most->in_left, most->out_left), pacer->load) -
                   share_of(actor->in_left, actor->in_bytes),
           kept = qdri_window_kept(ahead, pacer->rate / (double)pacer->load, pacer->latency);
    if (kept >= 1) return (int64_t)pacer->window;
    return qdri_larger(2 * least_chunk(pacer),
                       (int64_t)(kept * share_of(actor->in_bytes, pacer->load) * pacer->window));
}

/* The sender with the largest (bytes left) / (bytes under way + one chunk); -1: none. And how many there are. */
static int32_t first_claim(const qdri_pacer *pacer, const qdri_pace_actor *actor, int64_t *claims) {
    int32_t first = -1;
    double largest = 0;
    *claims = 0;
    for (int32_t i = 0; i < actor->ins; i++) {
        const qdri_pace_hop *hop = &pacer->hop[actor->in[i]];
        double claim =
            (double)(hop->bytes - hop->asked) / (double)(hop->asked - hop->ended + least_chunk(pacer));
        *claims += claim > 0;
        if (claim > largest) {
            largest = claim;
            first = actor->in[i];
        }
    }
    return first;
}

static int64_t chunk_for(const qdri_pacer *pacer, const qdri_pace_actor *actor, int64_t window,
                         int64_t claims) {
    int64_t most = qdri_window_most_granted(pacer->rate, pacer->latency), room = window - actor->under_way,
            chunk = qdri_larger(least_chunk(pacer), qdri_smaller(window / (2 * claims), most));
    return room >= qdri_larger(chunk / 2, QDRI_PACKET) ? qdri_smaller(chunk, room) : chunk;
}

static void grant(qdri_pacer *pacer, int rank) {
    qdri_pace_actor *actor = &pacer->actor[rank];
    if (actor->in_left == 0) return;
    int64_t window = own_window(pacer, actor), claims;
    while (!pacer->failed && actor->under_way < window) {
        int32_t number = first_claim(pacer, actor, &claims);
        if (number < 0) return;
        const qdri_pace_hop *hop = &pacer->hop[number];
        int64_t bytes = qdri_smaller(hop->bytes - hop->asked, chunk_for(pacer, actor, window, claims));
        if (actor->under_way > 0 && actor->under_way + bytes > window) return;
        actor->under_way += bytes;
        qdri_pace_allow(pacer, number, hop->asked + bytes);
    }
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

static void reverse(int32_t *list, int32_t count) {
    for (int32_t i = 0; i < count / 2; i++) {
        int32_t other = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = other;
    }
}

/* A rank looks at its senders in the order of their distance, as senders do at their receivers: the lists of those come so, this
 * one by rank. */
static void order_senders(const qdri_pacer *pacer, int rank) {
    const qdri_pace_actor *actor = &pacer->actor[rank];
    int32_t before = 0;
    while (before < actor->ins && pacer->hop[actor->in[before]].from < rank) before++;
    reverse(actor->in, before);
    reverse(actor->in + before, actor->ins - before);
}

static void open_rule(qdri_pacer *pacer) {
    int64_t unasked = (int64_t)qdri_window_unasked(pacer->window, pacer->latency, pacer->sharing) /
                      qdri_larger(pacer->sources, 1);
    for (int32_t i = 0; i < pacer->hops; i++) {
        qdri_pace_hop *hop = &pacer->hop[i];
        hop->allowed = hop->asked = qdri_window_unasked_of(unasked, hop->bytes);
        pacer->actor[hop->to].under_way += hop->asked;
    }
    for (int rank = 0; rank < pacer->p->ranks; rank++) order_senders(pacer, rank);
}

/* A grant is answered with one message. */
static void answer(qdri_pacer *pacer, int32_t number) {
    const qdri_pace_hop *hop = &pacer->hop[number];
    if (hop->allowed > hop->begun) qdri_pace_send(pacer, number, hop->allowed - hop->begun);
}

static void stage(qdri_pacer *pacer, int rank) {
    const qdri_pace_actor *actor = &pacer->actor[rank];
    for (int32_t i = 0; i < actor->outs; i++) answer(pacer, actor->out[i]);
    grant(pacer, rank);
}

static void arrived(qdri_pacer *pacer, int32_t hop, int64_t bytes) {
    pacer->actor[pacer->hop[hop].to].under_way -= bytes;
    grant(pacer, pacer->hop[hop].to);
}

const qdri_pace_rule qdri_pace_grants = {open_rule, stage, answer, arrived, .has_stages = 0};
