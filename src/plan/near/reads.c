/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that are read where they lie. The sender raises a flag, and waits until the receiver has counted the message; the
 * receiver lets the system copy it to where it belongs, a part at a time, so that others are served between the parts.
 *
 * And which messages are: before its messages are looked at, an exchange says to their senders which way it wants them
 * (ways.h).
 */
#include "plan/near/near.h"

/* ---- which --------------------------------------------------------------------------------------------- */

static int is_large(const qdri_near_flow *flow) {
    return flow->bytes >= qdri_cut_at.least_read;
}

static qdri_race *race_of(const qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    int64_t all = 0;
    for (int i = 0; i < near->receives; i++) all += exchange->near_in[i].bytes;
    return qdri_race_of(near->ways, qdri_size_class(all));
}

/* Only who waits from the start on can measure an exchange. */
static int races(qdri_exchange *exchange, qdri_race *race) {
    if (!exchange->is_waited_for || !qdri_race_goes_on(race)) return 0;
    exchange->near_race = race;
    exchange->near_begun = qdri_seconds();
    return 1;
}

/* The first exchange of a plan goes as its channels say already; what they say in the next plan follows from it. */
static void want(qdri_exchange *exchange, qdri_near_flow *flow, int even, int odd) {
    qdri_receiver *receiver = &flow->neighbor->receiver;
    int size_class = qdri_size_class(flow->bytes);
    uint64_t bit = UINT64_C(1) << size_class, *first = &exchange->plan->near->ways->first;
    if (exchange->near_race && exchange->number == 0) even = (receiver->reads[0] & bit) != 0;
    qdri_way way = (exchange->number % 2 ? odd : even) ? QDRI_WAY_READ : QDRI_WAY_ARENA;
    if (exchange->near_race) way = qdri_race_next(exchange->near_race, way);
    *first = way == QDRI_WAY_READ ? *first | bit : *first & ~bit;
    qdri_receiver_want(receiver, exchange->wire, flow->neighbor->rank, size_class, even, odd);
}

void qdri_reads_start(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    int large = 0;
    for (int i = 0; i < near->receives; i++) large += is_large(&exchange->near_in[i]);
    if (!large) return;
    qdri_race *race = race_of(exchange);
    int even = 1, odd = 1;
    if (qdri_node_reading(exchange->wire) != QDRI_READS_ALWAYS) {
        odd = races(exchange, race) || qdri_race_best(race) == QDRI_WAY_READ;
        even = !exchange->near_race && odd;
    }
    for (int i = 0; i < near->receives; i++)
        if (is_large(&exchange->near_in[i])) want(exchange, &exchange->near_in[i], even, odd);
}

static void count(const qdri_near_flow *flow, int flows, int *large, int *read) {
    for (int i = 0; i < flows; i++) {
        *large += is_large(&flow[i]);
        *read += flow[i].is_read;
    }
}

/* What went both ways says nothing of either. */
void qdri_reads_end(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    int large = 0, read = 0;
    count(exchange->near_in, near->receives, &large, &read);
    count(exchange->near_out, near->sends, &large, &read);
    if (read == 0 || read == large)
        qdri_race_measured(exchange->near_race, read ? QDRI_WAY_READ : QDRI_WAY_ARENA,
                           qdri_seconds() - exchange->near_begun);
    exchange->near_race = NULL;
}

/* ---- the receiver -------------------------------------------------------------------------------------- */

/* The next part of it. What lies in it when the sender gives up may be anything: a message counts when all of it was read,
 * and was not withdrawn till then. */
qdri_fetching qdri_reads_receive(qdri_near_flow *flow) {
    enum { PART = 4 << 20 };
    qdri_receiver *receiver = &flow->neighbor->receiver;
    uint64_t number = (uint64_t)flow->exchange->number;
    int64_t left = flow->bytes - flow->part.offset, bytes = left < PART ? left : PART;
    int is_read =
        qdri_receiver_fetch(receiver, flow->flag, flow->part.offset, flow->whole + flow->part.offset, bytes);
    flow->part.offset += bytes;
    flow->exchange->near_moves++;
    if (is_read && bytes < left) return QDRI_NOT_FETCHED;
    if (is_read && qdri_receiver_fetched(receiver, number)) {
        flow->is_read = 1;
        return QDRI_FETCHED;
    }
    qdri_receiver_refuse(receiver, number);
    flow->part.offset = 0;
    return QDRI_REFUSED;
}

/* ---- the sender ---------------------------------------------------------------------------------------- */

void qdri_reads_withdraw(qdri_exchange *exchange) {
    const qdri_near *near = exchange->plan->near;
    for (int i = 0; exchange->near_out && i < near->sends; i++)
        if (exchange->near_out[i].state == QDRI_NEAR_READ)
            qdri_sender_withdraw(&exchange->near_out[i].neighbor->sender);
}
