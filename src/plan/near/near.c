/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges with neighbors. At its start an exchange writes to all who have room, and looks who has written;
 * what is left is looked at again and again, by whoever waits. Channels keep the order of exchanges: an
 * exchange serves a channel when those before it are through.
 *
 * No MPI call is on the way, except for messages that found no slot: the flag of such a one is raised, empty,
 * and it goes as a plain message under the exchange's third tag.
 *
 * Large messages go in pieces (pieces.c), and both ends move as many as they can whenever they are looked at; or they are
 * read where they lie (reads.c).
 */
#include "plan/near/near.h"

#include <string.h>

#include "discover/partners.h"
#include "plan/packing.h"

static void end_one(qdri_exchange *exchange) {
    exchange->near_moves++;
    if (--exchange->near_left > 0) return;
    if (exchange->near_race) qdri_reads_end(exchange);
    qdri_exchange_part_ended(exchange);
}

/* ---- what has come ------------------------------------------------------------------------------------ */

void qdri_near_unpacked(qdri_exchange *exchange, int source, int64_t number) {
    qdri_neighbor *neighbor = exchange->plan->near->of_source[source];
    if (neighbor)
        qdri_receiver_take(&neighbor->receiver, exchange->wire, (uint64_t)number, neighbor->destination < 0);
}

static void deliver(qdri_near_flow *flow, const char *data) {
    qdri_exchange *exchange = flow->exchange;
    int source = flow->neighbor->source;
    flow->neighbor->receiver.received++;
    if (exchange->cargo) {
        qdri_packing_arrived(exchange, source, data);
        return;
    }
    if (flow->slotted && flow->bytes > 0) memcpy(exchange->incoming[source], data, (size_t)flow->bytes);
    qdri_near_unpacked(exchange, source, exchange->number);
}

/* ---- by MPI -------------------------------------------------------------------------------------------- */

static void message_ended(qdri_operation *operation, qdr_status status) {
    qdri_near_flow *flow = (qdri_near_flow *)operation;
    qdri_exchange *exchange = flow->exchange;
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
    qdri_exchange *exchange = flow->exchange;
    int destination = flow->neighbor->destination;
    const char *data = qdri_packing_out(exchange, destination, flow->bytes);
    flow->operation.done = message_ended;
    began(flow, data ? qdri_send(exchange->wire, &flow->operation, flow->neighbor->rank, exchange->near_tag,
                                 data, flow->bytes)
                     : qdri_fail_memory());
}

/* Its flag comes too, and says nothing but how much was taken. */
static void receive_message(qdri_near_flow *flow) {
    qdri_exchange *exchange = flow->exchange;
    char *place = qdri_packing_in(exchange, flow->neighbor->source, flow->bytes);
    flow->operation.done = message_ended;
    began(flow, place ? qdri_receive(exchange->wire, &flow->operation, flow->neighbor->rank,
                                     exchange->near_tag, place, flow->bytes)
                      : qdri_fail_memory());
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void pack(const qdri_exchange *exchange, int destination, int64_t bytes, void *place) {
    if (exchange->cargo)
        exchange->cargo->pack(exchange->cargo, destination, place);
    else if (bytes > 0)
        memcpy(place, exchange->outgoing[destination], (size_t)bytes);
}

static void send_pieces(qdri_exchange *exchange, qdri_near_flow *flow) {
    if (!qdri_pieces_send(flow)) return;
    flow->state = QDRI_NEAR_ENDED;
    end_one(exchange);
}

/* A message that is read holds the sender until the receiver comes. Who has something else to do meanwhile would rather
 * leave it in the arena, if all of it fits. */
static int is_offered(const qdri_exchange *exchange, int64_t bytes) {
    return !exchange->cargo && (exchange->is_waited_for || bytes > qdri_cut_at.piece * qdri_cut_at.pieces);
}

static void try_send(qdri_exchange *exchange, qdri_near_flow *flow) {
    qdri_neighbor *neighbor = flow->neighbor;
    qdri_sender *sender = &neighbor->sender;
    void *place = NULL;
    if (sender->sent != (uint64_t)exchange->number) return;
    qdri_place found = qdri_sender_place(sender, flow->bytes, exchange->near_whole,
                                         is_offered(exchange, flow->bytes), &place);
    if (found == QDRI_PLACE_LATER) return;
    if (found == QDRI_PLACE_SLOT && flow->bytes > 0)
        pack(exchange, neighbor->destination, flow->bytes, place);
    const void *lies = found == QDRI_PLACE_OWN ? exchange->outgoing[neighbor->destination] : place;
    qdri_sender_raise(sender, found, lies, flow->bytes, neighbor->receiver.taken);
    qdri_trace(exchange, QDR_EVENT_SEND, neighbor->rank, 0, 0, flow->bytes);
    if (found == QDRI_PLACE_MESSAGE) {
        send_message(flow);
    } else if (found == QDRI_PLACE_PIECES) {
        flow->state = QDRI_NEAR_PIECES;
        send_pieces(exchange, flow);
    } else if (found == QDRI_PLACE_OWN) {
        flow->state = QDRI_NEAR_READ;
        flow->is_read = 1;
    } else {
        flow->state = QDRI_NEAR_ENDED;
        end_one(exchange);
    }
}

/* Its memory is the caller's again when it has been read; what cannot be is sent. */
static void look_whether_read(qdri_exchange *exchange, qdri_near_flow *flow) {
    qdri_fetching fetching = qdri_sender_fetching(&flow->neighbor->sender, (uint64_t)exchange->number);
    if (fetching == QDRI_REFUSED) {
        send_message(flow);
    } else if (fetching == QDRI_FETCHED) {
        flow->state = QDRI_NEAR_ENDED;
        end_one(exchange);
    }
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

static void receive_pieces(qdri_exchange *exchange, qdri_near_flow *flow) {
    if (!qdri_pieces_receive(flow)) return;
    flow->state = QDRI_NEAR_ENDED;
    if (flow->whole) {
        deliver(flow, flow->whole);
    } else {
        flow->neighbor->receiver.received++;
        qdri_packing_unpacked(exchange, flow->neighbor->source);
    }
    end_one(exchange);
}

/* Unpacked as they come if that may be, and now; else, and where nothing is to be unpacked, put together. */
static void begin_pieces(qdri_exchange *exchange, qdri_near_flow *flow) {
    int source = flow->neighbor->source;
    flow->state = QDRI_NEAR_PIECES;
    flow->whole = NULL;
    if (!qdri_packing_is_due(exchange, source)) {
        flow->whole = qdri_packing_in(exchange, source, flow->bytes);
        if (!flow->whole) qdri_exchange_fail(exchange, qdri_fail_memory());
    }
    if (!exchange->failed) receive_pieces(exchange, flow);
}

static void read_on(qdri_exchange *exchange, qdri_near_flow *flow) {
    qdri_fetching fetching = qdri_reads_receive(flow);
    if (fetching == QDRI_NOT_FETCHED) return;
    if (fetching == QDRI_REFUSED) {
        receive_message(flow);
        return;
    }
    flow->state = QDRI_NEAR_ENDED;
    deliver(flow, flow->whole);
    end_one(exchange);
}

static void begin_reading(qdri_exchange *exchange, qdri_near_flow *flow, const qdri_flag *flag) {
    flow->state = QDRI_NEAR_READ;
    flow->flag = flag;
    flow->whole = qdri_packing_in(exchange, flow->neighbor->source, flow->bytes);
    if (!flow->whole) {
        qdri_exchange_fail(exchange, qdri_fail_memory());
        return;
    }
    read_on(exchange, flow);
}

static void look(qdri_exchange *exchange, qdri_near_flow *flow) {
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
    flow->slotted = flag->offset > 0;
    if (flag->offset == QDRI_IN_PIECES) {
        begin_pieces(exchange, flow);
    } else if (flag->offset == QDRI_TO_BE_READ) {
        begin_reading(exchange, flow, flag);
    } else if (!flow->slotted) {
        receive_message(flow);
    } else {
        flow->state = QDRI_NEAR_ENDED;
        deliver(flow, receiver->memory + flag->offset);
        end_one(exchange);
    }
}

/* ---- an exchange --------------------------------------------------------------------------------------- */

void qdri_near_poll(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    for (int i = 0; i < near->sends && !exchange->failed; i++) {
        qdri_near_flow *flow = &exchange->near_out[i];
        if (flow->state == QDRI_NEAR_WAITS)
            try_send(exchange, flow);
        else if (flow->state == QDRI_NEAR_PIECES)
            send_pieces(exchange, flow);
        else if (flow->state == QDRI_NEAR_READ)
            look_whether_read(exchange, flow);
    }
    for (int i = 0; i < near->receives && !exchange->failed; i++) {
        qdri_near_flow *flow = &exchange->near_in[i];
        if (flow->state == QDRI_NEAR_WAITS)
            look(exchange, flow);
        else if (flow->state == QDRI_NEAR_PIECES)
            receive_pieces(exchange, flow);
        else if (flow->state == QDRI_NEAR_READ)
            read_on(exchange, flow);
    }
}

void qdri_near_suspect(qdri_exchange *exchange) {
    for (int i = 0; i < exchange->plan->near->receives && !exchange->failed; i++) {
        const qdri_near_flow *flow = &exchange->near_in[i];
        const qdri_receiver *receiver = &flow->neighbor->receiver;
        int64_t wanted = qdri_receiver_wanted(receiver);
        if (flow->state == QDRI_NEAR_WAITS && receiver->received == (uint64_t)exchange->number &&
            wanted >= 0 && wanted != flow->bytes)
            qdri_exchange_fail(exchange, qdri_fail_bytes(flow->neighbor->rank, wanted, flow->bytes));
    }
}

/* Memory for what may have to be put together, so that an exchange like one before it takes none. */
static void expect_whole(qdri_exchange *exchange, const qdri_near_flow *flow) {
    const qdri_cargo *cargo = exchange->cargo;
    if (cargo && (cargo->keeps || cargo->whole || cargo->ordered) && flow->bytes > exchange->near_whole &&
        !qdri_packing_in(exchange, flow->neighbor->source, flow->bytes))
        qdri_exchange_fail(exchange, qdri_fail_memory());
}

static void poll(qdri_poller *poller) {
    qdri_exchange *exchange = (qdri_exchange *)((char *)poller - offsetof(qdri_exchange, near_poller));
    qdri_near_poll(exchange);
}

static void start_sending(qdri_exchange *exchange, qdri_near_flow *flow, int64_t bytes) {
    flow->bytes = bytes;
    flow->state = QDRI_NEAR_WAITS;
    flow->is_read = 0;
    flow->part = (qdri_part){.offset = 0};
    exchange->near_cuts += bytes > exchange->near_whole;
}

static void start_receiving(qdri_exchange *exchange, qdri_near_flow *flow, int64_t bytes) {
    start_sending(exchange, flow, bytes);
    /* What was kept is valid until the next but one start: this one. */
    if (exchange->cargo && exchange->cargo->keeps && exchange->number >= 2)
        qdri_near_unpacked(exchange, flow->neighbor->source, exchange->number - 2);
    qdri_receiver_expect(&flow->neighbor->receiver, exchange->wire, bytes, exchange->near_whole);
    expect_whole(exchange, flow);
}

void qdri_near_start(qdri_exchange *exchange) {
    qdri_near *near = exchange->plan->near;
    const qdr_partners_view *view = qdri_partners_view(exchange->plan->partners);
    exchange->near_left = near->sends + near->receives;
    exchange->near_cuts = 0;
    exchange->near_race = NULL;
    exchange->near_whole =
        exchange->cargo && exchange->cargo->keeps ? qdri_cut_at.whole_kept : qdri_cut_at.whole;
    for (int i = 0; i < near->receives; i++) {
        qdri_near_flow *flow = &exchange->near_in[i];
        start_receiving(exchange, flow,
                        qdri_message_bytes(exchange, exchange->incoming_items, view->receive_items,
                                           flow->neighbor->source));
    }
    for (int i = 0; i < near->sends; i++) {
        qdri_near_flow *flow = &exchange->near_out[i];
        start_sending(exchange, flow,
                      qdri_message_bytes(exchange, exchange->outgoing_items, view->send_items,
                                         flow->neighbor->destination));
    }
    /* Messages that have to be packed are written in any case. */
    if (near->ways && !exchange->cargo) qdri_reads_start(exchange);
    exchange->near_poller.poll = poll;
    qdri_poller_add(exchange->wire, &exchange->near_poller);
    qdri_near_poll(exchange);
}

void qdri_near_leave(qdri_exchange *exchange) {
    qdri_reads_withdraw(exchange);
    qdri_poller_remove(exchange->wire, &exchange->near_poller);
}
