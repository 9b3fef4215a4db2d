/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages in pieces. What lies ready is copied into the ring and out of it, piece by piece, so both copies are made
 * at the same time by two processors, and what is between them stays in their caches. What has to be packed is packed
 * straight into the ring, and unpacked straight from it, if its turn has come. A rank moves what it can of one
 * message before it looks at the next; since a ring is small, it soon gets to all of them.
 */
#include <string.h>

#include "plan/near/near.h"

/* The bytes of the next piece, of at most so many. */
static int64_t piece_bytes(const qdri_near_flow *flow, int64_t most) {
    int64_t left = flow->bytes - flow->part.offset;
    return left < most ? left : most;
}

/* It has been moved; true: it was the last. */
static int count_piece(qdri_near_flow *flow) {
    flow->part.offset += flow->part.bytes;
    flow->exchange->near_moves++;
    return flow->part.offset == flow->bytes;
}

int qdri_pieces_send(qdri_near_flow *flow) {
    const qdri_exchange *exchange = flow->exchange;
    const qdri_cargo *cargo = exchange->cargo;
    qdri_sender *sender = &flow->neighbor->sender;
    int destination = flow->neighbor->destination, is_last = 0;
    for (void *place; !is_last && (place = qdri_sender_piece(sender)) != NULL;) {
        flow->part.bytes = piece_bytes(flow, sender->piece);
        if (cargo)
            cargo->pack_part(cargo, destination, &flow->part, place);
        else
            memcpy(place, exchange->outgoing[destination] + flow->part.offset, (size_t)flow->part.bytes);
        is_last = count_piece(flow);
        qdri_sender_wrote(sender, is_last);
    }
    return is_last;
}

int qdri_pieces_receive(qdri_near_flow *flow) {
    const qdri_cargo *cargo = flow->exchange->cargo;
    qdri_receiver *receiver = &flow->neighbor->receiver;
    int is_last = 0;
    for (const void *piece; !is_last && (piece = qdri_receiver_piece(receiver)) != NULL;) {
        flow->part.bytes = piece_bytes(flow, receiver->piece);
        if (flow->whole)
            memcpy(flow->whole + flow->part.offset, piece, (size_t)flow->part.bytes);
        else
            cargo->unpack_part(cargo, flow->neighbor->source, &flow->part, piece);
        qdri_receiver_read(receiver);
        is_last = count_piece(flow);
    }
    return is_last;
}
