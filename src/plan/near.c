/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges with neighbors. At its start an exchange writes to all who have room, and looks who has written;
 * what is left is looked at again and again, by whoever waits. Channels keep the order of exchanges: an
 * exchange serves a channel when those before it are through.
 *
 * No MPI call is on the way, except for messages that found no slot: the flag of such a one is raised, empty,
 * and it goes as a plain message under the exchange's third tag.
 */
#include "plan/near.h"

#include <string.h>

#include "plan/aside.h"

/* What goes through memory in one piece: packed messages save a copy; what lies ready, and is large, is as
 * well off with MPI, which may copy it but once. */
enum { MOST_PACKED = 1 << 24, MOST_READY = 1 << 16 };

static int64_t most_of(const qdr_exchange *exchange) {
    return exchange->cargo ? MOST_PACKED : MOST_READY;
}

static void end_one(qdr_exchange *exchange) {
    if (--exchange->near_left == 0) qdri_exchange_part_ended(exchange);
}

/* ---- what has come ------------------------------------------------------------------------------------ */

void qdri_near_unpacked(qdr_exchange *exchange, int source, int64_t number) {
    qdri_neighbor *neighbor = exchange->plan->near->of_source[source];
    if (neighbor)
        qdri_receiver_take(&neighbor->receiver, exchange->wire, (uint64_t)number, neighbor->destination < 0);
}

static void deliver(qdri_near_flow *flow, const char *data) {
    qdr_exchange *exchange = flow->exchange;
    int source = flow->neighbor->source;
    flow->neighbor->receiver.received++;
    if (exchange->cargo) {
        qdri_aside_arrived(exchange, source, data);
        return;
    }
    if (flow->slotted && flow->bytes > 0) memcpy(exchange->incoming[source], data, (size_t)flow->bytes);
    qdri_near_unpacked(exchange, source, exchange->number);
}

/* ---- by MPI -------------------------------------------------------------------------------------------- */

static void message_ended(qdri_operation *operation, qdr_status status) {
    qdri_near_flow *flow = (qdri_near_flow *)operation;
    qdr_exchange *exchange = flow->exchange;
    flow->state = QDRI_NEAR_ENDED;
    exchange->moved = exchange->last = qdri_seconds_about();
    if (status) qdri_exchange_fail(exchange, status);
    if (exchange->failed) return;
    if (operation->receives) deliver(flow, exchange->incoming[flow->neighbor->source]);
    end_one(exchange);
}

static void began(qdri_near_flow *flow, qdr_status status) {
    flow->state = QDRI_NEAR_MESSAGE;
    qdri_exchange_fail(flow->exchange, status);
}

static void send_message(qdri_near_flow *flow) {
    qdr_exchange *exchange = flow->exchange;
    int destination = flow->neighbor->destination;
    const char *data = qdri_aside_out(exchange, destination, flow->bytes);
    flow->operation.done = message_ended;
    began(flow, data ? qdri_send(exchange->wire, &flow->operation, flow->neighbor->rank, exchange->near_tag,
                                 data, flow->bytes)
                     : qdri_fail_memory());
}

/* Its flag comes too, and says nothing but how much was taken. */
static void receive_message(qdri_near_flow *flow) {
    qdr_exchange *exchange = flow->exchange;
    char *place = qdri_aside_in(exchange, flow->neighbor->source, flow->bytes);
    flow->operation.done = message_ended;
    began(flow, place ? qdri_receive(exchange->wire, &flow->operation, flow->neighbor->rank,
                                     exchange->near_tag, place, flow->bytes)
                      : qdri_fail_memory());
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void pack(const qdr_exchange *exchange, int destination, int64_t bytes, void *place) {
    if (exchange->cargo)
        exchange->cargo->pack(exchange->cargo, destination, place);
    else if (bytes > 0)
        memcpy(place, exchange->outgoing[destination], (size_t)bytes);
}

static void try_send(qdr_exchange *exchange, qdri_near_flow *flow) {
    qdri_neighbor *neighbor = flow->neighbor;
    qdri_sender *sender = &neighbor->sender;
    void *place = NULL;
    if (sender->sent != (uint64_t)exchange->number) return;
    qdri_place found = qdri_sender_place(sender, flow->bytes, most_of(exchange), &place);
    if (found == QDRI_PLACE_LATER) return;
    if (found == QDRI_PLACE_SLOT && flow->bytes > 0)
        pack(exchange, neighbor->destination, flow->bytes, place);
    qdri_sender_raise(sender, place, flow->bytes, neighbor->receiver.taken);
    qdri_trace(exchange, QDR_EVENT_SEND, neighbor->rank, 0, 0, flow->bytes);
    if (found == QDRI_PLACE_MESSAGE) {
        send_message(flow);
    } else {
        flow->state = QDRI_NEAR_ENDED;
        end_one(exchange);
    }
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

static void look(qdr_exchange *exchange, qdri_near_flow *flow) {
    qdri_neighbor *neighbor = flow->neighbor;
    qdri_receiver *receiver = &neighbor->receiver;
    if (receiver->received != (uint64_t)exchange->number) return;
    const qdri_flag *flag = qdri_receiver_look(receiver);
    if (!flag) return;
    if (neighbor->destination >= 0) qdri_sender_hear(&neighbor->sender, flag->taken);
    if (flag->bytes != flow->bytes) {
        qdri_exchange_fail(exchange, qdri_fail_bytes(neighbor->rank, flag->bytes, flow->bytes));
        return;
    }
    qdri_trace(exchange, QDR_EVENT_ARRIVAL, neighbor->rank, 0, 0, flow->bytes);
    flow->slotted = flag->offset != 0;
    if (!flow->slotted) {
        receive_message(flow);
        return;
    }
    flow->state = QDRI_NEAR_ENDED;
    deliver(flow, receiver->memory + flag->offset);
    end_one(exchange);
}

/* ---- an exchange --------------------------------------------------------------------------------------- */

void qdri_near_poll(qdr_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    for (int i = 0; i < near->sends && !exchange->failed; i++)
        if (exchange->near_out[i].state == QDRI_NEAR_WAITS) try_send(exchange, &exchange->near_out[i]);
    for (int i = 0; i < near->receives && !exchange->failed; i++)
        if (exchange->near_in[i].state == QDRI_NEAR_WAITS) look(exchange, &exchange->near_in[i]);
}

void qdri_near_suspect(qdr_exchange *exchange) {
    for (int i = 0; i < exchange->plan->near->receives && !exchange->failed; i++) {
        const qdri_near_flow *flow = &exchange->near_in[i];
        const qdri_receiver *receiver = &flow->neighbor->receiver;
        int64_t wanted = qdri_receiver_wanted(receiver);
        if (flow->state == QDRI_NEAR_WAITS && receiver->received == (uint64_t)exchange->number &&
            wanted >= 0 && wanted != flow->bytes)
            qdri_exchange_fail(exchange, qdri_fail_bytes(flow->neighbor->rank, wanted, flow->bytes));
    }
}

static void poll(qdri_poller *poller) {
    qdr_exchange *exchange = (qdr_exchange *)((char *)poller - offsetof(qdr_exchange, near_poller));
    qdri_near_poll(exchange);
}

void qdri_near_start(qdr_exchange *exchange) {
    qdr_plan *plan = exchange->plan;
    qdri_near *near = plan->near;
    qdr_partners_view view = qdr_partners_look(plan->partners);
    int keeps = exchange->cargo && exchange->cargo->keeps;
    exchange->near_left = near->sends + near->receives;
    for (int i = 0; i < near->receives; i++) {
        qdri_near_flow *flow = &exchange->near_in[i];
        qdri_receiver *receiver = &flow->neighbor->receiver;
        flow->bytes = qdri_message_bytes(exchange, exchange->incoming_items, view.receive_items,
                                         flow->neighbor->source);
        flow->state = QDRI_NEAR_WAITS;
        /* What was kept is valid until the next but one start: this one. */
        if (keeps && exchange->number >= 2)
            qdri_near_unpacked(exchange, flow->neighbor->source, exchange->number - 2);
        qdri_receiver_expect(receiver, exchange->wire, flow->bytes, most_of(exchange));
    }
    for (int i = 0; i < near->sends; i++) {
        qdri_near_flow *flow = &exchange->near_out[i];
        flow->bytes = qdri_message_bytes(exchange, exchange->outgoing_items, view.send_items,
                                         flow->neighbor->destination);
        flow->state = QDRI_NEAR_WAITS;
    }
    exchange->near_poller.poll = poll;
    qdri_poller_add(exchange->wire, &exchange->near_poller);
    qdri_near_poll(exchange);
}
