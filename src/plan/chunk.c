/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks: the messages of an exchange, and its control messages. A chunk is taken from a pool, so running
 * allocates nothing; when a pool is empty the executor goes on once one has come back. Executors decide what
 * goes when; here things are counted, and the exchange is looked over after each event: has the stage ended,
 * has all?
 *
 * The stream of a pair goes with one tag, in the order of the lane at both ends (mark.h). Control messages come from
 * anyone, and are only listened for while at least one is certain to come; their tag alternates from one
 * exchange of a slot to the next, because a fast partner may already be in that one. A partner that has
 * nothing to do with this rank there may even be further ahead; so messages carry the number of their
 * exchange, and those that come early are kept for it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "plan/at_once.h"
#include "plan/packing.h"
#include "plan/mark.h"
#include "plan/plan.h"

void qdri_trace(qdri_exchange *exchange, int kind, int partner, int64_t phase, int64_t offset,
                int64_t bytes) {
    const qdr_plan *plan = exchange->plan;
    if (!plan->trace) return;
    qdr_event event = {.seconds = qdri_seconds(),
                       .exchange = exchange->number,
                       .partner = partner,
                       .phase = phase,
                       .offset = offset,
                       .bytes = bytes};
    event.kind = kind;
    plan->trace(plan->trace_context, &event);
}

qdr_status qdri_fail_bytes(int partner, int64_t came, int64_t expected) {
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d sent %lld bytes where %lld were expected: the two ranks have different ideas of "
        "the exchange",
        partner, (long long)came, (long long)expected);
}

/* ---- the pool ------------------------------------------------------------------------------------------ */

int qdri_chunk_possible(const qdri_half *half) {
    return half->pool.unused != NULL;
}

static qdri_chunk *take(qdri_pool *pool, qdri_exchange *exchange) {
    qdri_chunk *chunk = pool->unused;
    if (!chunk) {
        qdri_exchange_fail(exchange,
                           qdri_fail(QDR_ERR_MEMORY, "more messages under way than there is room for"));
        return NULL;
    }
    pool->unused = chunk->next;
    chunk->exchange = exchange;
    return chunk;
}

static void give_back(qdri_pool *pool, qdri_chunk *chunk) {
    chunk->next = pool->unused;
    pool->unused = chunk;
}

/* An operation was started, or could not be. */
static int started(qdri_exchange *exchange, qdr_status status) {
    if (status)
        qdri_exchange_fail(exchange, status);
    else
        exchange->active++;
    return status == QDR_OK;
}

int qdri_exchange_goes_on(qdri_exchange *exchange, qdr_status status) {
    exchange->active--;
    exchange->last = qdri_seconds_about();
    if (status) qdri_exchange_fail(exchange, status);
    return !exchange->failed;
}

int64_t qdri_lane_next(const qdri_exchange *exchange, const qdri_half *half, const qdri_side *side,
                       int number) {
    qdri_lane_flow *lane = &half->lane[number];
    for (; lane->cursor < side->lane[number].hops; lane->cursor++) {
        int64_t hop = side->lane_hop[side->lane[number].first + lane->cursor];
        if (side->hop[hop].stage > exchange->stage) return -1;
        if (half->flow[hop].begun < half->flow[hop].bytes) return hop;
    }
    return -1;
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static void count_end(qdri_half *half, const qdri_side *side, int64_t hop, int64_t bytes, double now) {
    qdri_flow *flow = &half->flow[hop];
    qdri_lane_flow *lane = &half->lane[side->hop[hop].lane];
    flow->ended += bytes;
    lane->ended += bytes;
    lane->last = now;
    half->ended += bytes;
}

static void sent(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    give_back(&exchange->out.pool, chunk);
    if (!qdri_exchange_goes_on(exchange, status)) return;
    exchange->moved = exchange->last;
    count_end(&exchange->out, &exchange->program->out, chunk->hop, chunk->bytes, exchange->last);
    if (exchange->executor->sent) exchange->executor->sent(exchange, chunk->hop);
    qdri_exchange_check(exchange);
}

static void mark_sent(qdri_operation *operation, qdr_status status) {
    qdri_exchange *exchange = ((qdri_chunk *)operation)->exchange;
    if (qdri_exchange_goes_on(exchange, status)) qdri_exchange_check(exchange);
}

/* The stream of a lane begins: with a mark and the chunk in one message, or with a mark alone, or without. Returns what to
 * send of the chunk, and how much. */
static const char *put_mark(qdri_exchange *exchange, const qdri_hop *hop, const char *data, int64_t *bytes) {
    qdri_half *half = &exchange->out;
    qdri_lane_flow *lane = &half->lane[hop->lane];
    char *place = qdri_mark_place(half, hop->lane);
    int carries = *bytes <= QDRI_CARRIED;
    lane->tag = carries ? exchange->mark_tag : exchange->bulk_tag;
    if (carries || lane->is_marked) qdri_mark_write(exchange, hop->lane);
    if (carries) {
        memcpy(place + QDRI_MARK, data, (size_t)*bytes);
        *bytes += QDRI_MARK;
        return place;
    }
    qdri_chunk *alone = &half->alone[hop->lane];
    alone->exchange = exchange;
    alone->operation.done = mark_sent;
    if (lane->is_marked)
        started(exchange, qdri_send(exchange->wire, &alone->operation, hop->partner, exchange->mark_tag,
                                    place, QDRI_MARK));
    return data;
}

void qdri_chunk_send(qdri_exchange *exchange, int64_t number, int64_t bytes) {
    const qdri_hop *hop = &exchange->program->out.hop[number];
    qdri_flow *flow = &exchange->out.flow[number];
    qdri_lane_flow *lane = &exchange->out.lane[hop->lane];
    qdri_chunk *chunk = take(&exchange->out.pool, exchange);
    if (!chunk) return;
    int is_first = lane->begun == 0;
    chunk->operation.done = sent;
    chunk->hop = number;
    chunk->offset = flow->begun;
    chunk->bytes = bytes;
    flow->begun += bytes;
    if (flow->begun == flow->bytes) exchange->out.stage_left--;
    lane->begun += bytes;
    qdri_trace(exchange, QDR_EVENT_SEND, hop->partner, hop->phase, chunk->offset, bytes);
    const char *data = qdri_bytes_out(exchange, hop, chunk->offset, bytes);
    if (is_first) data = put_mark(exchange, hop, data, &bytes);
    if (exchange->failed || !started(exchange, qdri_send(exchange->wire, &chunk->operation, hop->partner,
                                                         lane->tag, data, bytes)))
        give_back(&exchange->out.pool, chunk);
}

/* Whether a chunk is what was expected; what came behind a mark is then brought to its place. */
static qdr_status look_at(qdri_exchange *exchange, const qdri_chunk *chunk, const qdri_hop *hop) {
    int64_t came = chunk->operation.bytes;
    if (chunk->carried) {
        QDRI_TRY(qdri_mark_check(exchange, hop->lane, came));
        came -= QDRI_MARK;
    }
    if (came != chunk->bytes) return qdri_fail_bytes(hop->partner, came, chunk->bytes);
    if (chunk->carried)
        memcpy(qdri_bytes_in(exchange, hop, chunk->offset, came),
               qdri_mark_place(&exchange->in, hop->lane) + QDRI_MARK, (size_t)came);
    return QDR_OK;
}

static void arrived(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    const qdri_hop *hop = &exchange->program->in.hop[chunk->hop];
    give_back(&exchange->in.pool, chunk);
    if (!qdri_exchange_goes_on(exchange, status)) return;
    status = look_at(exchange, chunk, hop);
    if (status) {
        qdri_exchange_fail(exchange, status);
        return;
    }
    qdri_trace(exchange, QDR_EVENT_ARRIVAL, hop->partner, hop->phase, chunk->offset, chunk->bytes);
    qdri_bytes_arrived(exchange, hop, chunk->offset, chunk->bytes);
    exchange->moved = exchange->last;
    count_end(&exchange->in, &exchange->program->in, chunk->hop, chunk->bytes, exchange->last);
    if (exchange->in.flow[chunk->hop].ended == exchange->in.flow[chunk->hop].bytes) exchange->in.stage_left--;
    if (exchange->cargo && exchange->program->stages == 1 &&
        exchange->in.lane[hop->lane].ended == exchange->in.lane[hop->lane].bytes) {
        int source = exchange->program->segment[hop->first].index;
        qdri_packing_arrived(exchange, source, exchange->incoming[source]);
    }
    if (exchange->executor->arrived) exchange->executor->arrived(exchange, chunk);
    qdri_exchange_check(exchange);
}

static void mark_came(qdri_operation *operation, qdr_status status) {
    qdri_chunk *alone = (qdri_chunk *)operation;
    qdri_exchange *exchange = alone->exchange;
    if (!qdri_exchange_goes_on(exchange, status)) return;
    status = qdri_mark_check(exchange, (int)(alone - exchange->in.alone), operation->bytes);
    if (status)
        qdri_exchange_fail(exchange, status);
    else
        qdri_exchange_check(exchange);
}

/* The same at the other end. */
static void expect_mark(qdri_exchange *exchange, const qdri_hop *hop, int carried) {
    qdri_half *half = &exchange->in;
    qdri_lane_flow *lane = &half->lane[hop->lane];
    qdri_chunk *alone = &half->alone[hop->lane];
    lane->tag = carried ? exchange->mark_tag : exchange->bulk_tag;
    if (carried || !lane->is_marked) return;
    alone->exchange = exchange;
    alone->operation.done = mark_came;
    started(exchange, qdri_receive(exchange->wire, &alone->operation, hop->partner, exchange->mark_tag,
                                   qdri_mark_place(half, hop->lane), QDRI_MARK_ROOM));
}

void qdri_chunk_receive_granted(qdri_exchange *exchange, int64_t number, int64_t bytes, double granted) {
    const qdri_hop *hop = &exchange->program->in.hop[number];
    qdri_half *half = &exchange->in;
    qdri_flow *flow = &half->flow[number];
    qdri_lane_flow *lane = &half->lane[hop->lane];
    qdri_chunk *chunk = take(&half->pool, exchange);
    if (!chunk) return;
    int is_first = lane->begun == 0;
    chunk->operation.done = arrived;
    chunk->hop = number;
    chunk->offset = flow->begun;
    chunk->bytes = bytes;
    chunk->carried = is_first && bytes <= QDRI_CARRIED;
    chunk->granted = granted;
    flow->begun += bytes;
    lane->begun += bytes;
    if (is_first) expect_mark(exchange, hop, chunk->carried);
    char *place = chunk->carried ? qdri_mark_place(half, hop->lane)
                                 : qdri_bytes_in(exchange, hop, chunk->offset, bytes);
    if (exchange->failed ||
        !started(exchange, qdri_receive(exchange->wire, &chunk->operation, hop->partner, lane->tag, place,
                                        chunk->carried ? QDRI_MARK_ROOM : bytes)))
        give_back(&half->pool, chunk);
}

void qdri_chunk_receive(qdri_exchange *exchange, int64_t number, int64_t bytes) {
    qdri_chunk_receive_granted(exchange, number, bytes, 0);
}

/* ---- messages of an executor's own ---------------------------------------------------------------------- */

static void own_sent(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    give_back(&exchange->out.pool, chunk);
    if (!qdri_exchange_goes_on(exchange, status)) return;
    exchange->moved = exchange->last;
    qdri_exchange_check(exchange);
}

static void own_came(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    qdri_chunk part = *chunk;
    give_back(&exchange->in.pool, chunk);
    if (!qdri_exchange_goes_on(exchange, status)) return;
    exchange->moved = exchange->last;
    part.bytes = operation->bytes;
    qdri_trace(exchange, QDR_EVENT_ARRIVAL, operation->partner, part.hop, part.offset, part.bytes);
    exchange->executor->arrived(exchange, &part);
    qdri_exchange_check(exchange);
}

void qdri_own_send(qdri_exchange *exchange, const qdri_own_message *message, const char *data,
                   int64_t bytes) {
    qdri_chunk *chunk = exchange->failed ? NULL : take(&exchange->out.pool, exchange);
    if (!chunk) return;
    chunk->operation.done = own_sent;
    qdri_trace(exchange, QDR_EVENT_SEND, message->partner, message->number, message->offset, bytes);
    if (!started(exchange,
                 qdri_send(exchange->wire, &chunk->operation, message->partner, message->tag, data, bytes)))
        give_back(&exchange->out.pool, chunk);
}

void qdri_own_receive(qdri_exchange *exchange, const qdri_own_message *message, char *data, int64_t bytes) {
    qdri_chunk *chunk = exchange->failed ? NULL : take(&exchange->in.pool, exchange);
    if (!chunk) return;
    chunk->operation.done = own_came;
    chunk->hop = message->number;
    chunk->offset = message->offset;
    if (!started(exchange, qdri_receive(exchange->wire, &chunk->operation, message->partner, message->tag,
                                        data, bytes)))
        give_back(&exchange->in.pool, chunk);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

int64_t qdri_next_chunk(const qdri_exchange *exchange, const qdri_flow *flow) {
    int64_t left = flow->bytes - flow->begun;
    return left < exchange->chunk ? left : exchange->chunk;
}

void qdri_lane_send(qdri_exchange *exchange, int number, int as_one) {
    qdri_half *half = &exchange->out;
    qdri_lane_flow *lane = &half->lane[number];
    while (!exchange->failed && lane->begun < lane->granted) {
        int64_t hop = qdri_lane_next(exchange, half, &exchange->program->out, number);
        if (hop < 0) return;
        if (!qdri_chunk_possible(half)) {
            exchange->starved = 1;
            return;
        }
        qdri_chunk_send(exchange, hop,
                        as_one ? lane->granted - lane->begun : qdri_next_chunk(exchange, &half->flow[hop]));
    }
}

void qdri_lanes_send(qdri_exchange *exchange, int64_t hop, int as_one) {
    int starved = exchange->starved;
    exchange->starved = 0;
    qdri_lane_send(exchange, exchange->program->out.hop[hop].lane, as_one);
    for (int i = 0; starved && i < exchange->program->out.lanes; i++) qdri_lane_send(exchange, i, as_one);
}

/* ---- control ------------------------------------------------------------------------------------------- */

static void note_sent(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    give_back(&exchange->notes, chunk);
    if (qdri_exchange_goes_on(exchange, status)) qdri_exchange_check(exchange);
}

void qdri_control_send(qdri_exchange *exchange, int to, const qdri_note *note) {
    qdri_chunk *chunk = take(&exchange->notes, exchange);
    if (!chunk) return;
    chunk->operation.done = note_sent;
    qdri_note whole = *note;
    whole.plan = exchange->plan->number;
    whole.exchange = exchange->number;
    chunk->note = qdri_note_pack(&whole);
    if (!started(exchange, qdri_send(exchange->wire, &chunk->operation, to, exchange->control_tag,
                                     &chunk->note, sizeof chunk->note)))
        give_back(&exchange->notes, chunk);
}

static void keep_early(qdri_exchange *exchange, int from, const qdri_note *note) {
    if (note->plan != exchange->plan->number || note->exchange < exchange->number)
        qdri_exchange_fail(
            exchange,
            qdri_fail(QDR_ERR_MISMATCH,
                      "rank %d spoke of exchange %lld of plan %lld; rank %d hears it in exchange %lld of "
                      "plan %lld: the two have different ideas of the exchange",
                      from, (long long)note->exchange, (long long)note->plan, exchange->program->rank,
                      (long long)exchange->number, (long long)exchange->plan->number));
    else if (!qdri_grow(&exchange->early, &exchange->early_capacity, exchange->early_count + 1,
                        sizeof *exchange->early))
        qdri_exchange_fail(exchange, qdri_fail_memory());
    else
        exchange->early[exchange->early_count++] = (qdri_early){from, *note};
}

/* The place of the first message that was kept for this exchange; -1: there is none. */
static int64_t find_early(const qdri_exchange *exchange) {
    for (int64_t i = 0; i < exchange->early_count; i++)
        if (exchange->early[i].note.exchange == exchange->number) return i;
    return -1;
}

static void hear_early(qdri_exchange *exchange) {
    for (int64_t i; !exchange->failed && (i = find_early(exchange)) >= 0;) {
        qdri_early kept = exchange->early[i];
        exchange->early_count--;
        memmove(&exchange->early[i], &exchange->early[i + 1],
                (size_t)(exchange->early_count - i) * sizeof *exchange->early);
        exchange->executor->control(exchange, kept.from, &kept.note);
    }
}

static void note_came(qdri_operation *operation, qdr_status status) {
    qdri_chunk *chunk = (qdri_chunk *)operation;
    qdri_exchange *exchange = chunk->exchange;
    qdri_note note = qdri_note_unpack(&chunk->note, exchange->plan->number, exchange->number);
    exchange->listens = 0;
    if (!qdri_exchange_goes_on(exchange, status)) return;
    if (note.plan != exchange->plan->number || note.exchange != exchange->number) {
        keep_early(exchange, operation->partner, &note);
        qdri_control_listen(exchange);
        return;
    }
    exchange->executor->control(exchange, operation->partner, &note);
    qdri_exchange_check(exchange);
}

/* As long as something was kept, that comes first, and may be all. */
void qdri_control_listen(qdri_exchange *exchange) {
    qdri_chunk *chunk = &exchange->listening;
    if (exchange->listens || exchange->failed || find_early(exchange) >= 0) return;
    chunk->exchange = exchange;
    chunk->operation.done = note_came;
    exchange->listens =
        started(exchange, qdri_receive(exchange->wire, &chunk->operation, QDRI_ANYONE, exchange->control_tag,
                                       &chunk->note, sizeof chunk->note));
}

/* ---- looking it over ----------------------------------------------------------------------------------- */

/* Empty hops end by themselves. */
static int64_t hops_with_bytes(const qdri_half *half, const qdri_side *side, int stage) {
    int64_t count = 0;
    for (int64_t i = side->stage_start[stage]; i < side->stage_start[stage + 1]; i++)
        count += half->flow[i].bytes > 0;
    return count;
}

static void begin_stage(qdri_exchange *exchange) {
    const qdri_program *program = exchange->program;
    exchange->out.stage_left = hops_with_bytes(&exchange->out, &program->out, exchange->stage);
    exchange->in.stage_left = hops_with_bytes(&exchange->in, &program->in, exchange->stage);
    exchange->executor->stage(exchange);
}

void qdri_exchange_begin(qdri_exchange *exchange) {
    exchange->stage = exchange->starved = exchange->network_ended = 0;
    qdri_marks_number(exchange);
    if (exchange->is_at_once) {
        qdri_at_once_begin(exchange);
        qdri_exchange_check(exchange);
        return;
    }
    exchange->executor->start(exchange);
    begin_stage(exchange);
    if (exchange->executor->begun) exchange->executor->begun(exchange);
    hear_early(exchange);
    qdri_exchange_check(exchange);
}

/* The next stage may begin when all of this one has come, for it is what will be passed on, and has been
 * sent off, so that lanes keep their order. */
void qdri_exchange_check(qdri_exchange *exchange) {
    while (!exchange->failed && exchange->in.stage_left == 0 && exchange->out.stage_left == 0 &&
           exchange->stage + 1 < exchange->program->stages) {
        exchange->stage++;
        begin_stage(exchange);
    }
    if (!exchange->failed && exchange->active == 0 && !exchange->held && !exchange->network_ended &&
        exchange->in.ended == exchange->in.bytes && exchange->out.ended == exchange->out.bytes) {
        if (exchange->executor->leave) exchange->executor->leave(exchange);
        exchange->network_ended = 1;
        qdri_packing_end(exchange);
        qdri_exchange_part_ended(exchange);
    }
}

void qdri_exchange_part_ended(qdri_exchange *exchange) {
    if (--exchange->parts == 0 && !exchange->failed && !qdri_referee_ended(exchange)) exchange->finished = 1;
}
