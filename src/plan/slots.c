/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slots of a plan: the memory of the exchanges that can be under way at once, made with the plan. The exchange with
 * number k has the slot k mod in_flight of the candidate that runs it, so of all candidates' slots with one place at most
 * one is in use. What is
 * left in them when a plan goes, because an exchange failed or stalled, is taken back from MPI; where MPI may
 * already have begun with it, the memory is given up.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "plan/mark.h"
#include "plan/near/near.h"
#include "plan/packing.h"
#include "plan/plan.h"

static qdr_status open_half(qdri_half *half, const qdri_side *side, const qdri_executor *executor,
                            qdri_terms terms) {
    half->flow = QDRI_ZERO_ARRAY(qdri_flow, side->hops);
    half->lane = QDRI_ZERO_ARRAY(qdri_lane_flow, side->lanes);
    half->terms = QDRI_ARRAY(qdri_terms, side->lanes);
    half->flow_own = qdri_alloc_zero(side->hops, executor->flow_bytes);
    half->lane_own = qdri_alloc_zero(side->lanes, executor->lane_bytes);
    if (!half->flow || !half->lane || !half->terms || !half->flow_own || !half->lane_own)
        return qdri_fail_memory();
    for (int i = 0; i < side->lanes; i++) half->terms[i] = terms;
    return qdri_marks_open(half, side);
}

static qdr_status open_near(qdri_exchange *slot) {
    const qdri_near *near = slot->plan->near;
    int out = 0, in = 0;
    slot->near_out = QDRI_ZERO_ARRAY(qdri_near_flow, near->sends);
    slot->near_in = QDRI_ZERO_ARRAY(qdri_near_flow, near->receives);
    if (!slot->near_out || !slot->near_in) return qdri_fail_memory();
    for (int i = 0; i < near->neighbors; i++) {
        qdri_near_flow flow = {.exchange = slot, .neighbor = &near->neighbor[i]};
        if (flow.neighbor->destination >= 0) slot->near_out[out++] = flow;
        if (flow.neighbor->source >= 0) slot->near_in[in++] = flow;
    }
    return QDR_OK;
}

static qdr_status open_slot(qdri_exchange *slot, qdr_plan *plan, qdri_candidate *candidate) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    qdri_terms terms = {.unasked = candidate->unasked / candidate->sources, .chunk = candidate->chunk};
    const qdri_executor *executor = candidate->executor;
    slot->plan = plan;
    slot->candidate = candidate;
    slot->program = &candidate->program;
    slot->executor = executor;
    slot->wire = plan->wire;
    QDRI_TRY(open_half(&slot->out, &candidate->program.out, executor, terms));
    QDRI_TRY(open_half(&slot->in, &candidate->program.in, executor, terms));
    slot->outgoing = QDRI_ZERO_ARRAY(const char *, view.sends);
    slot->incoming = QDRI_ZERO_ARRAY(char *, view.receives);
    slot->sentence = QDRI_ZERO_ARRAY(char, QDRI_NEWS_TEXT);
    slot->state = qdri_alloc_zero(1, executor->state_bytes);
    slot->span = QDRI_ARRAY(qdri_memory_range, (int64_t)view.sends + view.receives);
    if (!slot->outgoing || !slot->incoming || !slot->sentence || !slot->state || !slot->span)
        return qdri_fail_memory();
    if (executor->open) QDRI_TRY(executor->open(slot));
    return open_near(slot);
}

static qdr_status open_candidate(qdr_plan *plan, qdri_candidate *candidate) {
    candidate->slot = QDRI_ZERO_ARRAY(qdri_exchange, plan->in_flight);
    candidate->past_out = QDRI_ZERO_ARRAY(qdri_streams, candidate->program.out.lanes);
    candidate->past_in = QDRI_ZERO_ARRAY(qdri_streams, candidate->program.in.lanes);
    if (!candidate->slot || !candidate->past_out || !candidate->past_in) return qdri_fail_memory();
    for (int i = 0; i < plan->in_flight; i++) QDRI_TRY(open_slot(&candidate->slot[i], plan, candidate));
    return QDR_OK;
}

qdr_status qdri_slots_open(qdr_plan *plan) {
    for (int i = 0; i < plan->candidates; i++) QDRI_TRY(open_candidate(plan, &plan->candidate[i]));
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

static void free_half(qdri_half *half) {
    free(half->flow);
    free(half->lane);
    free(half->terms);
    free(half->flow_own);
    free(half->lane_own);
    free(half->pool.chunk);
    qdri_marks_close(half);
}

static void free_slot(qdri_exchange *slot) {
    free_half(&slot->out);
    free_half(&slot->in);
    if (slot->state && slot->executor->close) slot->executor->close(slot);
    free((void *)slot->outgoing);
    free(slot->incoming);
    free(slot->sentence);
    free(slot->span);
    free(slot->state);
    free(slot->staging);
    free(slot->bounce);
    free(slot->notes.chunk);
    free(slot->early);
    free(slot->near_out);
    free(slot->near_in);
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
        free(candidate->slot);
        free(candidate->past_out);
        free(candidate->past_in);
    }
    if (plan->first_tag) qdri_wire_return_tags(plan->wire, plan->first_tag);
}
