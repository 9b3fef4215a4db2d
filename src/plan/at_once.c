/* SPDX-License-Identifier: BSD-3-Clause */
/* Small exchanges, all at once: see at_once.h. */
#include "plan/at_once.h"

#include <stddef.h>
#include <string.h>

#include "plan/mark.h"
#include "plan/packing.h"

int qdri_at_once_suits(const qdri_exchange *exchange) {
    enum { MOST = 128 << 10 }; /* bytes: beyond, the wire takes far longer than this rank */
    const qdri_program *program = exchange->program;
    return exchange->executor == &qdri_executor_free && program->stages == 1 && program->bounce_items == 0 &&
           program->out.hops == program->out.lanes && program->in.hops == program->in.lanes &&
           !exchange->plan->barrier && !exchange->plan->trace && exchange->out.bytes <= MOST &&
           exchange->in.bytes <= MOST && qdri_has_batches(exchange->wire);
}

/* With a mark for each. */
int64_t qdri_at_once_messages(const qdri_exchange *exchange) {
    return 2 * (exchange->program->out.hops + exchange->program->in.hops);
}

static qdri_exchange *exchange_of(qdri_operation *operation, size_t place) {
    return (qdri_exchange *)(void *)((char *)operation - place);
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

/* What is wrong is told at once: others may wait for the word. */
static qdr_status message_came(qdri_operation *operation, int from, int tag, int64_t bytes) {
    qdri_exchange *exchange = exchange_of(operation, offsetof(qdri_exchange, all_in));
    const qdri_side *side = &exchange->program->in;
    int number = side->lane_of[from], is_mark = tag == exchange->mark_tag;
    qdri_lane_flow *lane = &exchange->in.lane[number];
    exchange->last = exchange->moved = lane->last = qdri_seconds_about();
    if (is_mark) {
        exchange->in.alone[number].bytes = bytes;
        QDRI_TRY(qdri_mark_check(exchange, number, bytes));
        if (lane->bytes > QDRI_CARRIED) return QDR_OK;
        bytes -= QDRI_MARK;
    }
    if (bytes != lane->bytes) return qdri_fail_bytes(from, bytes, lane->bytes);
    lane->ended = exchange->in.flow[side->lane_hop[side->lane[number].first]].ended = bytes;
    return QDR_OK;
}

/* What came behind a mark is brought to its place. */
static void take_in(qdri_exchange *exchange, int64_t number) {
    const qdri_hop *hop = &exchange->program->in.hop[number];
    int64_t bytes = exchange->in.flow[number].bytes;
    if (bytes <= QDRI_CARRIED)
        memcpy(qdri_bytes_in(exchange, hop, 0, bytes), qdri_mark_place(&exchange->in, hop->lane) + QDRI_MARK,
               (size_t)bytes);
    if (!exchange->cargo) return;
    int source = exchange->program->segment[hop->first].index;
    qdri_packing_arrived(exchange, source, exchange->incoming[source]);
}

/* Where a message is longer than there is room for, its mark knows more than MPI. */
static qdr_status ask_marks(const qdri_exchange *exchange, qdr_status status) {
    const qdri_side *side = &exchange->program->in;
    for (int i = 0; i < side->lanes && status == QDR_ERR_MISMATCH; i++)
        if (exchange->in.lane[i].is_marked && exchange->in.alone[i].bytes > 0)
            QDRI_TRY(qdri_mark_check(exchange, i, exchange->in.alone[i].bytes));
    return status;
}

static void all_came(qdri_operation *operation, qdr_status status) {
    qdri_exchange *exchange = exchange_of(operation, offsetof(qdri_exchange, all_in));
    if (!qdri_exchange_goes_on(exchange, ask_marks(exchange, status))) return;
    for (int64_t i = 0; i < exchange->program->in.hops; i++)
        if (exchange->in.flow[i].bytes > 0) take_in(exchange, i);
    exchange->in.ended = exchange->in.bytes;
    qdri_exchange_check(exchange);
}

static qdr_status expect(qdri_exchange *exchange, int64_t number) {
    const qdri_hop *hop = &exchange->program->in.hop[number];
    qdri_lane_flow *lane = &exchange->in.lane[hop->lane];
    qdri_operation *all = &exchange->all_in;
    int is_carried = lane->bytes <= QDRI_CARRIED;
    lane->begun = exchange->in.flow[number].begun = lane->bytes;
    exchange->in.alone[hop->lane].bytes = 0;
    if (is_carried || lane->is_marked)
        QDRI_TRY(qdri_batch_receive(exchange->wire, all, hop->partner, exchange->mark_tag,
                                    qdri_mark_place(&exchange->in, hop->lane), QDRI_MARK_ROOM));
    return is_carried ? QDR_OK
                      : qdri_batch_receive(exchange->wire, all, hop->partner, exchange->bulk_tag,
                                           qdri_bytes_in(exchange, hop, 0, lane->bytes), lane->bytes);
}

/* ---- what goes ----------------------------------------------------------------------------------------- */

static qdr_status message_went(qdri_operation *operation, int to, int tag, int64_t bytes) {
    qdri_exchange *exchange = exchange_of(operation, offsetof(qdri_exchange, all_out));
    const qdri_side *side = &exchange->program->out;
    int number = side->lane_of[to];
    qdri_lane_flow *lane = &exchange->out.lane[number];
    (void)bytes;
    exchange->last = exchange->moved = lane->last = qdri_seconds_about();
    if (tag != exchange->mark_tag || lane->bytes <= QDRI_CARRIED)
        lane->ended = exchange->out.flow[side->lane_hop[side->lane[number].first]].ended = lane->bytes;
    return QDR_OK;
}

static void all_went(qdri_operation *operation, qdr_status status) {
    qdri_exchange *exchange = exchange_of(operation, offsetof(qdri_exchange, all_out));
    if (!qdri_exchange_goes_on(exchange, status)) return;
    exchange->out.ended = exchange->out.bytes;
    qdri_exchange_check(exchange);
}

static qdr_status send_message(qdri_exchange *exchange, int64_t number) {
    const qdri_hop *hop = &exchange->program->out.hop[number];
    qdri_lane_flow *lane = &exchange->out.lane[hop->lane];
    qdri_operation *all = &exchange->all_out;
    int is_carried = lane->bytes <= QDRI_CARRIED;
    const char *data = qdri_bytes_out(exchange, hop, 0, lane->bytes);
    lane->begun = exchange->out.flow[number].begun = lane->bytes;
    if (is_carried || lane->is_marked) {
        char *place = qdri_mark_place(&exchange->out, hop->lane);
        qdri_mark_write(exchange, hop->lane);
        if (is_carried) memcpy(place + QDRI_MARK, data, (size_t)lane->bytes);
        QDRI_TRY(qdri_batch_send(exchange->wire, all, hop->partner, exchange->mark_tag, place,
                                 QDRI_MARK + (is_carried ? lane->bytes : 0)));
    }
    return is_carried
               ? QDR_OK
               : qdri_batch_send(exchange->wire, all, hop->partner, exchange->bulk_tag, data, lane->bytes);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

void qdri_at_once_begin(qdri_exchange *exchange) {
    const qdri_program *program = exchange->program;
    exchange->all_in.done = all_came;
    exchange->all_out.done = all_went;
    qdr_status status = qdri_batch_open(exchange->wire, &exchange->all_in);
    if (!status) status = qdri_batch_open(exchange->wire, &exchange->all_out);
    exchange->all_in.part = message_came;
    exchange->all_out.part = message_went;
    exchange->active += (exchange->in.bytes > 0) + (exchange->out.bytes > 0);
    for (int64_t i = 0; i < program->in.hops && !status; i++)
        if (exchange->in.flow[i].bytes > 0) status = expect(exchange, i);
    for (int64_t i = 0; i < program->out.hops && !status; i++)
        if (exchange->out.flow[i].bytes > 0) status = send_message(exchange, i);
    if (status) qdri_exchange_fail(exchange, status);
}
