/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slots of a plan: the memory of the exchanges that can be under way at once, made with the plan. The exchange with
 * number k has the slot k mod in_flight of the candidate that runs it, so of all candidates' slots with one place at most
 * one is in use. What is
 * left in them when a plan goes, because an exchange failed or stalled, is taken back from MPI; where MPI may
 * already have begun with it, the memory is given up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pile.h"
#include "discover/partners.h"
#include "plan/mark.h"
#include "plan/near/near.h"
#include "plan/packing.h"
#include "plan/plan.h"

static void lay_out_half(qdri_half *half, const qdri_side *side, const qdri_executor *executor,
                         qdri_pile *pile) {
    half->flow = QDRI_PILE_ARRAY(pile, qdri_flow, side->hops);
    half->lane = QDRI_PILE_ARRAY(pile, qdri_lane_flow, side->lanes);
    half->terms = QDRI_PILE_ARRAY(pile, qdri_terms, side->lanes);
    half->flow_own = qdri_pile_take(pile, side->hops, executor->flow_bytes);
    half->lane_own = qdri_pile_take(pile, side->lanes, executor->lane_bytes);
    half->first = qdri_pile_take(pile, side->lanes, QDRI_MARK_ROOM);
    half->alone = QDRI_PILE_ARRAY(pile, qdri_chunk, side->lanes);
}

static void lay_out_slot(qdri_exchange *slot, const qdr_plan *plan, const qdri_candidate *candidate,
                         qdri_pile *pile) {
    const qdr_partners_view *view = qdri_partners_view(plan->partners);
    lay_out_half(&slot->out, &candidate->program.out, candidate->executor, pile);
    lay_out_half(&slot->in, &candidate->program.in, candidate->executor, pile);
    slot->outgoing = QDRI_PILE_ARRAY(pile, const char *, view->sends);
    slot->incoming = QDRI_PILE_ARRAY(pile, char *, view->receives);
    slot->span = QDRI_PILE_ARRAY(pile, qdri_memory_range, (int64_t)view->sends + view->receives);
    slot->state = qdri_pile_take(pile, 1, candidate->executor->state_bytes);
    slot->sentence = QDRI_PILE_ARRAY(pile, char, QDRI_NEWS_TEXT);
    slot->near_out = QDRI_PILE_ARRAY(pile, qdri_near_flow, plan->near->sends);
    slot->near_in = QDRI_PILE_ARRAY(pile, qdri_near_flow, plan->near->receives);
}

static void lay_out(qdri_candidate *candidate, const qdr_plan *plan, qdri_pile *pile) {
    qdri_exchange counted;
    candidate->slot = QDRI_PILE_ARRAY(pile, qdri_exchange, plan->in_flight);
    candidate->past_out = QDRI_PILE_ARRAY(pile, qdri_streams, candidate->program.out.lanes);
    candidate->past_in = QDRI_PILE_ARRAY(pile, qdri_streams, candidate->program.in.lanes);
    for (int i = 0; i < plan->in_flight; i++)
        lay_out_slot(candidate->slot ? &candidate->slot[i] : &counted, plan, candidate, pile);
}

static void set_near(qdri_exchange *slot) {
    const qdri_near *near = slot->plan->near;
    int out = 0, in = 0;
    for (int i = 0; i < near->neighbors; i++) {
        qdri_near_flow flow = {.exchange = slot, .neighbor = &near->neighbor[i]};
        if (flow.neighbor->destination >= 0) slot->near_out[out++] = flow;
        if (flow.neighbor->source >= 0) slot->near_in[in++] = flow;
    }
}

static qdr_status open_slot(qdri_exchange *slot, qdr_plan *plan, qdri_candidate *candidate) {
    qdri_terms terms = {.unasked = candidate->unasked / candidate->sources, .chunk = candidate->chunk};
    slot->plan = plan;
    slot->candidate = candidate;
    slot->program = &candidate->program;
    slot->executor = candidate->executor;
    slot->wire = plan->wire;
    for (int i = 0; i < candidate->program.out.lanes; i++) slot->out.terms[i] = terms;
    for (int i = 0; i < candidate->program.in.lanes; i++) slot->in.terms[i] = terms;
    set_near(slot);
    return candidate->executor->open ? candidate->executor->open(slot) : QDR_OK;
}

/* One block for all of it. */
static qdr_status open_candidate(qdr_plan *plan, qdri_candidate *candidate) {
    qdri_pile pile = {NULL, 0};
    lay_out(candidate, plan, &pile);
    pile.memory = qdri_alloc_zero(pile.used, 1);
    pile.used = 0;
    if (!pile.memory) return qdri_fail_memory();
    lay_out(candidate, plan, &pile);
    for (int i = 0; i < plan->in_flight; i++) QDRI_TRY(open_slot(&candidate->slot[i], plan, candidate));
    return QDR_OK;
}

static void expect(qdri_half *half, int lanes, int64_t unasked) {
    for (int i = 0; i < lanes; i++) half->terms[i].unasked = unasked;
}

void qdri_slots_expect(qdr_plan *plan, int64_t unasked) {
    for (int i = 0; i < plan->candidates; i++) {
        qdri_candidate *candidate = &plan->candidate[i];
        if (!candidate->port) continue;
        candidate->unasked = unasked;
        for (int n = 0; n < plan->in_flight; n++) {
            qdri_exchange *slot = &candidate->slot[n];
            expect(&slot->out, slot->program->out.lanes, unasked / candidate->sources);
            expect(&slot->in, slot->program->in.lanes, unasked / candidate->sources);
        }
    }
}

/* As a receiver would say it. */
static void trust(qdri_half *half, int lanes, const qdri_candidate *candidate, double latency) {
    int64_t chunk = qdri_window_chunk((int64_t)qdri_window_ahead(0, latency), candidate->chunk);
    for (int i = 0; i < lanes; i++) {
        if (candidate->chunk_is_told) half->terms[i].chunk = chunk;
        half->terms[i].open = qdri_window_open(0, latency);
        half->terms[i].times = QDRI_MOST_TRUSTED;
    }
}

void qdri_slots_trust(qdr_plan *plan, double latency) {
    if (!qdri_window_is_quick(latency)) return;
    for (int i = 0; i < plan->candidates; i++) {
        qdri_candidate *candidate = &plan->candidate[i];
        if (!candidate->port) continue;
        qdri_trust_first(&candidate->trust);
        for (int n = 0; n < plan->in_flight; n++) {
            qdri_exchange *slot = &candidate->slot[n];
            trust(&slot->out, slot->program->out.lanes, candidate, latency);
            trust(&slot->in, slot->program->in.lanes, candidate, latency);
        }
    }
}

qdr_status qdri_slots_open(qdr_plan *plan) {
    for (int i = 0; i < plan->candidates; i++) QDRI_TRY(open_candidate(plan, &plan->candidate[i]));
    return QDR_OK;
}

qdr_status qdri_slots_connect(qdr_plan *plan, double deadline) {
    int64_t *word = qdri_board_words(plan->wire);
    int members = qdri_node_members(plan->wire), refused = 0;
    for (int i = 0; plan->near->active && members > 1 && i < plan->candidates * plan->in_flight; i++) {
        const qdri_candidate *candidate = &plan->candidate[i / plan->in_flight];
        qdri_exchange *slot = &candidate->slot[i % plan->in_flight];
        if (!candidate->executor->offer) continue;
        memset(word, 0, (size_t)members * sizeof *word);
        candidate->executor->offer(slot, word);
        QDRI_TRY(qdri_near_show(plan->wire, deadline, word, &refused));
        candidate->executor->connect(slot, word);
    }
    return QDR_OK;
}

qdri_exchange *qdri_slots_busy(const qdr_plan *plan, int *next) {
    for (; *next < plan->candidates * plan->in_flight; ++*next) {
        const qdri_candidate *candidate = &plan->candidate[*next / plan->in_flight];
        if (!candidate->slot) continue;
        qdri_exchange *slot = &candidate->slot[*next % plan->in_flight];
        if (!slot->under_way) continue;
        ++*next;
        return slot;
    }
    return NULL;
}

/* What a slot has beside the block. */
static void free_slot(qdri_exchange *slot) {
    if (slot->executor && slot->executor->close) slot->executor->close(slot);
    free(slot->out.pool.chunk);
    free(slot->in.pool.chunk);
    free(slot->notes.chunk);
    free(slot->staging);
    free(slot->bounce);
    free(slot->early);
}

/* ---- destroying ---------------------------------------------------------------------------------------- */

static int cancel_pool(qdri_wire *wire, qdri_pool *pool) {
    int stays = 0;
    for (int64_t i = 0; i < pool->capacity; i++) stays |= qdri_cancel(wire, &pool->chunk[i].operation);
    return stays;
}

static int cancel_marks(qdri_wire *wire, qdri_half *half, int lanes) {
    int stays = 0;
    for (int i = 0; half->alone && i < lanes; i++) stays |= qdri_cancel(wire, &half->alone[i].operation);
    return stays;
}

static int cancel_near(qdri_exchange *slot) {
    const qdri_near *near = slot->plan->near;
    int stays = 0;
    qdri_poller_remove(slot->wire, &slot->near_poller);
    for (int i = 0; slot->near_out && i < near->sends; i++)
        stays |= qdri_cancel(slot->wire, &slot->near_out[i].operation);
    for (int i = 0; slot->near_in && i < near->receives; i++)
        stays |= qdri_cancel(slot->wire, &slot->near_in[i].operation);
    return stays;
}

/* Takes back what a failed or stalled exchange left under way. True when its memory must stay: MPI may go on
 * with some of it, or the caller may have a handle, which has to be told from a good one. */
static int cancel_slot(qdri_exchange *slot) {
    if (!slot->wire) return 0;
    int stays = slot->under_way;
    stays |= cancel_pool(slot->wire, &slot->out.pool);
    stays |= cancel_pool(slot->wire, &slot->in.pool);
    stays |= cancel_pool(slot->wire, &slot->notes);
    stays |= cancel_marks(slot->wire, &slot->out, slot->program->out.lanes);
    stays |= cancel_marks(slot->wire, &slot->in, slot->program->in.lanes);
    stays |= qdri_cancel(slot->wire, &slot->listening.operation);
    stays |= qdri_cancel(slot->wire, &slot->all_out);
    stays |= qdri_cancel(slot->wire, &slot->all_in);
    stays |= cancel_near(slot);
    if (slot->state && slot->executor->leave) slot->executor->leave(slot);
    slot->under_way = 0;
    return stays;
}

/* What stays is lost, together with its tags, under which messages may still come. */
void qdri_slots_close(qdr_plan *plan) {
    int stays = 0;
    for (int i = 0; i < plan->candidates; i++)
        for (int k = 0; plan->candidate[i].slot && k < plan->in_flight; k++) {
            qdri_exchange *slot = &plan->candidate[i].slot[k];
            stays |= cancel_slot(slot);
            qdri_wire_reserve(plan->wire, -slot->operations);
        }
    if (stays) return;
    qdri_packing_free(plan);
    for (int i = 0; i < plan->candidates; i++) {
        qdri_candidate *candidate = &plan->candidate[i];
        for (int k = 0; candidate->slot && k < plan->in_flight; k++) free_slot(&candidate->slot[k]);
        free(candidate->slot); /* which the block begins with */
    }
    if (plan->first_tag) qdri_wire_return_tags(plan->wire, plan->first_tag);
}
