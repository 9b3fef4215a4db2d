/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Envelopes: the messages of the methods in which a receiver does not know who will write. An envelope holds
 * the parcel's size and, if it is small, the parcel. So no envelope is large, and the receiver can take any
 * of them with memory that it set aside before the round began: without that, a rank short of memory would
 * leave its senders waiting for ever. It drops what it cannot keep, and says so when the ranks agree.
 *
 * Cost: one message and one small block of memory per parcel; a copy of each small parcel at both ends.
 */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "discover/round.h"

typedef struct qdri_envelope_arrival arrival;
struct qdri_envelope_arrival {
    qdri_flight_leg *leg;
    arrival *next;
    int64_t envelope[]; /* the size; then the parcel, if it travelled along */
};

static int travels_along(const qdri_round *round, int64_t bytes) {
    return bytes <= round->method->carries;
}

/* In 64-bit words. */
static int64_t envelope_length(const qdri_round *round, int64_t bytes) {
    return 1 + (travels_along(round, bytes) ? (bytes + 7) / 8 : 0);
}

static arrival *make_arrival(qdri_round *round, int64_t words) {
    qdri_flight_leg *leg = qdri_flight_legs(round->flight, 1);
    int64_t bytes = (int64_t)sizeof(arrival) + words * (int64_t)sizeof(int64_t);
    arrival *made = leg ? qdri_flight_alloc(round->flight, bytes, 1) : NULL;
    if (made) made->leg = leg;
    return made;
}

qdr_status qdri_envelopes_prepare(qdri_round *round) {
    int64_t words = 0;
    for (int i = 0; i < round->count; i++) words += envelope_length(round, round->out[i].bytes);
    int64_t *envelope = round->envelopes = QDRI_FLIGHT_ARRAY(round->flight, int64_t, words);
    round->spare = make_arrival(round, 1 + (round->method->carries + 7) / 8);
    if (!envelope || !round->spare) return qdri_fail_memory();
    for (int i = 0; i < round->count; i++) {
        int64_t bytes = envelope[0] = round->out[i].bytes;
        if (travels_along(round, bytes) && bytes > 0) memcpy(envelope + 1, round->out[i].data, (size_t)bytes);
        envelope += envelope_length(round, bytes);
    }
    return QDR_OK;
}

void qdri_envelopes_send(qdri_round *round, int matched, void (*landing)(qdri_flight_leg *leg)) {
    const int64_t *envelope = round->envelopes;
    qdr_status (*send)(qdri_wire *, qdri_operation *, int, int, const void *, int64_t) =
        matched ? qdri_send_matched : qdri_send;
    for (int i = 0; i < round->count && !round->flight->failed; i++) {
        int64_t words = envelope_length(round, envelope[0]);
        qdri_flight_leg *leg = &round->legs[i];
        leg->landing = landing;
        leg->context = round;
        qdri_flight_note(
            leg, send(round->wire, &leg->operation, round->out[i].rank, round->tag, envelope, 8 * words));
        envelope += words;
    }
}

/* Without memory the spare one serves, again and again, but for one envelope at a time. */
static arrival *arrival_for(qdri_round *round, int64_t bytes) {
    arrival *made = make_arrival(round, bytes / 8);
    if (made) {
        made->next = round->arrivals;
        round->arrivals = made;
        return made;
    }
    round->status = QDR_ERR_MEMORY;
    return round->spare;
}

int qdri_envelopes_take(qdri_round *round) {
    int taken = 0;
    while (!round->flight->failed && !round->spare->leg->under_way) {
        qdri_message found;
        qdr_status status = qdri_find(round->wire, round->tag, &found);
        if (status) qdri_flight_fail(round->flight, status);
        if (status || !found.is_there) break;
        arrival *place = arrival_for(round, found.bytes);
        qdri_flight_note(place->leg,
                         qdri_receive_found(round->wire, &place->leg->operation, &found, place->envelope));
        taken++;
    }
    return taken;
}

/* What it says of its parcel fits what came. */
static qdr_status check(const qdri_round *round, const arrival *one) {
    const qdri_operation *operation = &one->leg->operation;
    qdri_teller sender = {NULL, operation->partner};
    QDRI_TRY(qdri_decode_word(sender, "bytes of an envelope", operation->bytes, 8, INT32_MAX));
    QDRI_TRY(qdri_decode_word(sender, "bytes of a parcel", one->envelope[0], 0, round->largest));
    return qdri_decode_length(sender, "an envelope", operation->bytes,
                              8 * envelope_length(round, one->envelope[0]));
}

qdr_status qdri_envelopes_learn(qdri_round *round) {
    qdri_flight *flight = round->flight;
    int arrived = 0;
    if (round->status) return qdri_fail_memory();
    for (const arrival *one = round->arrivals; one; one = one->next) arrived++;
    arrival **list = QDRI_FLIGHT_ARRAY(flight, arrival *, arrived);
    int64_t *key = QDRI_FLIGHT_ARRAY(flight, int64_t, arrived),
            *order = QDRI_FLIGHT_ARRAY(flight, int64_t, arrived);
    qdr_parcel *came = QDRI_FLIGHT_ARRAY(flight, qdr_parcel, arrived);
    if (!list || !key || !order || !came) return qdri_fail_memory();
    int at = 0;
    for (arrival *one = round->arrivals; one; one = one->next, at++) {
        list[at] = one;
        key[at] = one->leg->operation.partner;
    }
    if (!qdri_sort_order(key, arrived, order)) return qdri_fail_memory();
    for (int i = 0; i < arrived; i++) {
        int64_t *envelope = list[order[i]]->envelope;
        QDRI_TRY(check(round, list[order[i]]));
        came[i] = (qdr_parcel){.rank = (int)key[order[i]], .bytes = envelope[0]};
        if (travels_along(round, envelope[0])) came[i].data = envelope + 1;
    }
    round->came = came;
    round->arrived = arrived;
    return QDR_OK;
}
