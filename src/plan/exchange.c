/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a plan: start, test, wait. The exchange with number k of a plan uses slot k mod in_flight of the candidate that
 * runs it, on every rank, so nothing has to be agreed. Waiting advances everything in the process; in between it tells the
 * others of this node what it waits for, and gives up for the moment when the deadline has passed.
 */
#include <sched.h>
#include <string.h>

#include "discover/partners.h"
#include "base/sized.h"
#include "plan/packing.h"
#include "plan/buffers.h"
#include "plan/held.h"
#include "plan/near/near.h"
#include "wire/node.h"

static qdr_status check_plan(const qdr_plan *plan) {
    if (!plan) return qdri_fail(QDR_ERR_INVALID, "the plan is NULL");
    QDRI_TRY(qdri_wire_state(plan->wire) == QDR_ERR_GONE ? QDR_ERR_GONE : QDR_OK);
    if (plan->failed && plan->started >= plan->failed_in)
        return qdri_fail(plan->failed, "an exchange of this plan failed; destroy it and make another: %s",
                         plan->failure);
    return QDR_OK;
}

/* The slot of the next exchange, if it is free: that of every candidate. */
static qdr_status next_slot(qdr_plan *plan, int64_t item_bytes, qdri_exchange **slot) {
    int place = (int)(plan->started % plan->in_flight), is_busy = 0;
    for (int i = 0; i < plan->candidates; i++) is_busy |= plan->candidate[i].slot[place].under_way;
    if (!is_busy && plan->candidates > 1) qdri_referee_choose(plan, item_bytes);
    *slot = &plan->candidate[plan->chosen].slot[place];
    if (is_busy)
        return qdri_fail(
            QDR_ERR_BUSY,
            "the exchange that was started %d before this one is still under way; wait for it, or "
            "ask for more in qdr_plan_options.in_flight",
            plan->in_flight);
    (*slot)->pending.kind = &qdri_pending_exchange;
    (*slot)->number = plan->started;
    /* A clock would cost: who has to wait looks at it. */
    (*slot)->last = (*slot)->moved = (*slot)->waited = qdri_status_own(plan->wire)->seen = 0;
    return QDR_OK;
}

/* The exchange is bound: lets it run. */
static void run(qdri_exchange *slot) {
    qdr_plan *plan = slot->plan;
    const qdri_candidate *candidate = slot->candidate;
    slot->mark_tag = candidate->first_slot_tag + QDRI_TAGS_OF_SLOT * (int)(slot - candidate->slot);
    slot->control_tag = slot->mark_tag + 1 + slot->turn;
    slot->turn = !slot->turn;
    slot->near_tag = slot->mark_tag + 3;
    slot->bulk_tag = candidate->first_bulk_tag + (int)(slot->number % candidate->bulk_tags);
    slot->under_way = 1;
    slot->finished = 0;
    slot->failed = QDR_OK;
    slot->stalled = 0;
    slot->trial = -1;
    if (plan->candidates > 1) qdri_referee_began(slot);
    plan->started++;
    qdri_trace(slot, QDR_EVENT_START, -1, 0, 0, 0);
    int is_near = plan->near->sends + plan->near->receives > 0;
    slot->parts = 1 + candidate->is_far + is_near;
    if (is_near) qdri_near_start(slot);
    if (candidate->is_far) qdri_exchange_begin(slot);
    qdri_exchange_part_ended(slot);
}

static qdr_status start(qdr_plan *plan, const qdr_buffers *buffers, int waits, qdri_exchange **exchange) {
    qdri_exchange *slot;
    QDRI_TRY(next_slot(plan, buffers ? buffers->item_bytes : 0, &slot));
    slot->cargo = NULL;
    slot->is_waited_for = waits;
    QDRI_TRY(qdri_buffers_bind(slot, buffers));
    QDRI_TRY(qdri_buffers_make_room(slot));
    if (slot->self_bytes > 0) qdri_bytes_to_itself(slot, slot->self_bytes);
    run(slot);
    *exchange = slot;
    return QDR_OK;
}

qdr_status qdri_cargo_start(qdr_plan *plan, const qdri_cargo *cargo, qdr_pending **pending) {
    qdri_exchange *slot;
    QDRI_TRY(check_plan(plan));
    qdri_lock(plan->wire);
    qdr_status status = next_slot(plan, cargo->item_bytes, &slot);
    if (!status) {
        slot->cargo = cargo;
        slot->item_bytes = cargo->item_bytes;
        slot->outgoing_items = cargo->outgoing_items;
        slot->incoming_items = cargo->incoming_items;
    }
    if (!status && slot->candidate->is_far) {
        status = qdri_buffers_bind_cargo(slot);
        if (!status) status = qdri_buffers_make_room(slot);
    }
    if (!status) status = qdri_packing_start(slot); /* last: it may already unpack */
    if (!status) {
        run(slot);
        *pending = &slot->pending;
    }
    qdri_unlock(plan->wire);
    return status;
}

qdr_status qdri_exchange_start_held(qdr_plan *plan, const qdr_buffers *buffers, qdri_exchange **exchange) {
    QDRI_TRY(check_plan(plan));
    return start(plan, buffers, 0, exchange);
}

/* `waits`: the caller does so at once. */
static qdr_status start_sized(qdr_plan *plan, const qdr_buffers *buffers, size_t buffers_bytes, int waits,
                              qdr_pending **pending) {
    qdr_buffers known;
    qdri_exchange *exchange;
    QDRI_TRY(check_plan(plan));
    if (buffers && buffers_bytes != sizeof *buffers) {
        QDRI_TRY(qdri_element_read("qdr_buffers", &known, sizeof known, buffers, buffers_bytes, 0));
        buffers = &known;
    }
    qdri_lock(plan->wire);
    qdr_status status = start(plan, buffers, waits, &exchange);
    qdri_unlock(plan->wire);
    if (!status) *pending = &exchange->pending;
    return status;
}

qdr_status qdr_plan_start_sized(qdr_plan *plan, const qdr_buffers *buffers, size_t buffers_bytes,
                                qdr_pending **pending) {
    if (!pending) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_start: there is nowhere to put the handle");
    return start_sized(plan, buffers, buffers_bytes, 0, pending);
}

/* ---- its end ------------------------------------------------------------------------------------------- */

static qdr_status check_handle(qdr_pending *const *pending, const char *call, qdri_exchange **exchange) {
    *exchange = (qdri_exchange *)*pending;
    if ((*exchange)->under_way) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID, "%s: this exchange has ended already", call);
}

/* A failed exchange keeps its slot: messages of it are still under way. */
static qdr_status finish(qdri_exchange **handle) {
    qdri_exchange *exchange = *handle;
    *handle = NULL;
    qdri_poller_remove(exchange->wire, &exchange->near_poller);
    if (exchange->failed) return qdri_fail(exchange->failed, "%s", exchange->sentence);
    qdri_trace(exchange, QDR_EVENT_END, -1, 0, 0, 0);
    exchange->under_way = 0;
    exchange->plan->done++;
    exchange->plan->ended = exchange->number;
    qdri_stall_rest(exchange);
    return QDR_OK;
}

int qdri_exchange_over(const qdri_exchange *exchange) {
    return exchange->finished;
}

qdr_status qdri_exchange_end_held(qdri_exchange **exchange) {
    return finish(exchange);
}

void qdri_exchange_abandon(qdri_exchange **exchange) {
    if (*exchange) {
        (*exchange)->stalled = 1;
        qdri_near_leave(*exchange);
    }
    *exchange = NULL;
}

static qdr_status test(qdr_pending **pending, int *done) {
    enum { TESTS_BETWEEN_CLOCKS = 64 };
    qdri_exchange *tested;
    QDRI_TRY(check_handle(pending, "qdr_test", &tested));
    qdri_wire *wire = tested->wire;
    qdri_lock(wire);
    qdri_progress(wire);
    qdr_status status = QDR_OK;
    *done = tested->finished;
    if (!*done && ++tested->tests % TESTS_BETWEEN_CLOCKS == 0) qdri_look_around(wire, qdri_seconds());
    if (*done)
        status = finish(&tested);
    else
        status = qdri_wire_state(wire) == QDR_ERR_GONE ? QDR_ERR_GONE : QDR_OK;
    if (*done || status) *pending = NULL;
    qdri_unlock(wire);
    return status;
}

/* How often to look in vain before yielding. Whoever yields beside other work may lose a whole turn, of milliseconds; so
 * where every rank has a processor the pieces of large messages are waited for without, for about as long. */
static int looks_before_yielding(const qdri_exchange *waited) {
    enum { CROWDED = 4, USUAL = 400, IN_PIECES = 200000 };
    const qdri_near *near = waited->plan->near;
    if (qdri_node_crowded(waited->wire)) return CROWDED;
    return waited->near_cuts ? USUAL + IN_PIECES / (near->sends + near->receives) : USUAL;
}

/* Neighbors mostly answer at once: a little patience before the general way of waiting, which looks at the
 * clock and at everything else. Other exchanges need this rank too. On a busy machine one yield may take a whole turn
 * of others, so here too time is limited, as long as nothing moves. */
static void wait_for_neighbors(qdri_exchange *waited) {
    enum { YIELDS = 1600, LOOKS_BETWEEN_PROGRESS = 16, PATIENT_LOOKS_BETWEEN_PROGRESS = 400 };
    const double most = 0.02; /* seconds */
    int before_yielding = looks_before_yielding(waited);
    int64_t seen = waited->near_moves;
    double until = 0;
    for (int looks = 1, idle = 0; !waited->finished && idle < before_yielding + YIELDS; looks++) {
        int64_t moves = waited->near_moves;
        qdri_near_poll(waited);
        if (waited->finished) return;
        idle = waited->near_moves == moves ? idle + 1 : 0;
        int is_patient = idle > 0 && idle < before_yielding;
        if (idle >= before_yielding) sched_yield();
        if (is_patient ? idle % PATIENT_LOOKS_BETWEEN_PROGRESS : looks % LOOKS_BETWEEN_PROGRESS) continue;
        qdri_progress(waited->wire);
        double now = qdri_seconds();
        if (until == 0 || seen != waited->near_moves) until = now + most;
        seen = waited->near_moves;
        if (now > until) return;
    }
}

static qdr_status wait_with_patience(qdri_exchange *waited) {
    const double between_notes = 0.02; /* seconds */
    qdri_wire *wire = waited->wire;
    int64_t near_moves = waited->near_moves;
    qdr_status status = qdri_wait_until(wire, &waited->finished, -between_notes);
    /* Whoever comes here has time. */
    double patience = 0, begin = 0;
    if (status == QDR_ERR_STALLED) {
        patience = qdri_patience(waited->plan->deadline);
        begin = qdri_seconds() - between_notes;
        if (waited->waited == 0) waited->waited = begin;
        if (!waited->candidate->is_far || waited->moved == 0) waited->last = waited->moved = begin;
    }
    while (status == QDR_ERR_STALLED) {
        double now = qdri_seconds();
        if (waited->near_moves != near_moves) waited->moved = now;
        near_moves = waited->near_moves;
        qdri_near_suspect(waited);
        double last = waited->moved > begin ? waited->moved : begin;
        qdri_stall_note(waited);
        if (patience > 0 && now > last + patience) break;
        status = qdri_wait_until(wire, &waited->finished, now + between_notes);
    }
    return status;
}

static qdr_status wait(qdr_pending **pending) {
    qdri_exchange *waited;
    QDRI_TRY(check_handle(pending, "qdr_wait", &waited));
    qdri_wire *wire = waited->wire;
    qdri_lock(wire);
    if (!waited->candidate->is_far) wait_for_neighbors(waited);
    qdr_status status = waited->finished ? QDR_OK : wait_with_patience(waited);
    if (status == QDR_ERR_STALLED) {
        status = qdri_stall(waited);
    } else {
        *pending = NULL;
        if (status == QDR_OK) status = finish(&waited);
    }
    qdri_unlock(wire);
    return status;
}

const qdri_pending_kind qdri_pending_exchange = {test, wait};

qdr_status qdri_exchange_start_waiting(qdr_plan *plan, const qdr_buffers *buffers, qdr_pending **pending) {
    return start_sized(plan, buffers, sizeof *buffers, 1, pending);
}

qdr_status qdr_plan_exchange_sized(qdr_plan *plan, const qdr_buffers *buffers, size_t buffers_bytes) {
    qdr_pending *pending;
    QDRI_TRY(start_sized(plan, buffers, buffers_bytes, 1, &pending));
    return wait(&pending);
}

void qdr_progress(void) {
    qdri_progress(NULL);
}
