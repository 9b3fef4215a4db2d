/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stateless rendezvous (rendezvous.h). Items are put in the order of their owners by counting; each
 * owner's share is a parcel: first its keys, then its records. Every item remembers its place in that order,
 * where its reply will stand. The owner's replies to one rank are a message of a size that both know, so
 * going back needs no discovery.
 */
#include "discover/rendezvous.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "discover/deliver.h"
#include "discover/round.h"

/* What a rank brings and takes home; memory of the flight. */
typedef struct journey {
    const qdri_rendezvous *call;
    qdri_placement placement;
    qdri_flight *flight;
    int64_t *start;        /* [ranks + 1]: an owner's share in the order of owners */
    int64_t *place;        /* [count]: an item's position in that order */
    int owners;            /* to whom this rank brings something */
    qdr_parcel *parcels;   /* [owners] */
    qdr_parcel *home;      /* [owners]: replies to this rank's items */
    char *replies;         /* [count * reply_bytes] in the order of owners */
    qdri_flight_leg *legs; /* for the replies */
    qdr_parcel *answers;   /* [visits]: this rank's replies to others */
} journey;

static int64_t item_bytes(const qdri_rendezvous *call) {
    return (int64_t)sizeof(int64_t) + call->record_bytes;
}

/* ---- checking ------------------------------------------------------------------------------------------ */

static qdr_status check_size(const char *what, int64_t bytes) {
    return bytes >= 0 && bytes <= INT32_MAX
               ? QDR_OK
               : qdri_fail(QDR_ERR_RANGE, "a %s has %" PRId64 " bytes; expected 0 to %d", what, bytes,
                           INT32_MAX);
}

static qdr_status check(const qdri_rendezvous *call) {
    QDRI_TRY(check_size("record", call->record_bytes));
    QDRI_TRY(check_size("reply", call->reply_bytes));
    int64_t most = INT64_MAX / (item_bytes(call) + call->reply_bytes);
    if (call->count < 0 || call->count > most)
        return qdri_fail(QDR_ERR_RANGE, "%" PRId64 " items; expected 0 to %" PRId64, call->count, most);
    if (call->limit < 0)
        return qdri_fail(QDR_ERR_RANGE, "a limit of %" PRId64 " keys; expected 0 or more", call->limit);
    if (!call->answer || (call->count > 0 && (!call->key || (call->record_bytes && !call->record) ||
                                              (call->reply_bytes && !call->reply))))
        return qdri_fail(QDR_ERR_INVALID, "keys, records, replies or the answering function are NULL");
    for (int64_t i = 0; call->limit && i < call->count; i++)
        if (call->key[i] < 0 || call->key[i] >= call->limit)
            return qdri_fail(QDR_ERR_RANGE, "key %" PRId64 " is %" PRId64 "; expected 0 to %" PRId64, i,
                             call->key[i], call->limit - 1);
    return QDR_OK;
}

/* ---- setting out --------------------------------------------------------------------------------------- */

/* Counting sort by owner: start[] and place[]. */
static void sort_by_owner(journey *trip) {
    const qdri_rendezvous *call = trip->call;
    int64_t *start = trip->start;
    int ranks = trip->placement.ranks;
    for (int64_t i = 0; i < call->count; i++) {
        int owner = qdri_owner(&trip->placement, call->key[i]);
        trip->place[i] = owner;
        start[owner]++;
    }
    int64_t sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int64_t share = start[rank];
        trip->owners += share > 0;
        start[rank] = sum;
        sum += share;
    }
    for (int64_t i = 0; i < call->count; i++) trip->place[i] = start[trip->place[i]]++;
    for (int rank = ranks; rank > 0; rank--) start[rank] = start[rank - 1];
    start[0] = 0;
}

/* Lists the shares as parcels into `block`, and the places of their replies. */
static void list_owners(journey *trip, char *block) {
    int64_t each = item_bytes(trip->call), back = trip->call->reply_bytes;
    int listed = 0;
    for (int rank = 0; rank < trip->placement.ranks; rank++) {
        int64_t first = trip->start[rank], share = trip->start[rank + 1] - first;
        if (!share) continue;
        trip->parcels[listed] = (qdr_parcel){rank, share * each, block + first * each};
        trip->home[listed++] = (qdr_parcel){rank, share * back, trip->replies + first * back};
    }
}

static void pack(journey *trip, char *block) {
    const qdri_rendezvous *call = trip->call;
    size_t record = (size_t)call->record_bytes;
    for (int64_t i = 0; i < call->count; i++) {
        int owner = qdri_owner(&trip->placement, call->key[i]);
        int64_t first = trip->start[owner], share = trip->start[owner + 1] - first;
        int64_t inside = trip->place[i] - first;
        char *parcel = block + first * item_bytes(call);
        memcpy(parcel + inside * (int64_t)sizeof(int64_t), &call->key[i], sizeof(int64_t));
        if (record)
            memcpy(parcel + share * (int64_t)sizeof(int64_t) + inside * call->record_bytes,
                   (const char *)call->record + i * call->record_bytes, record);
    }
}

static qdr_status set_out(journey *trip) {
    const qdri_rendezvous *call = trip->call;
    qdri_flight *flight = trip->flight;
    if (!flight) return qdri_fail_memory();
    QDRI_TRY(check(call));
    trip->start = QDRI_FLIGHT_ARRAY(flight, int64_t, (int64_t)trip->placement.ranks + 1);
    trip->place = QDRI_FLIGHT_ARRAY(flight, int64_t, call->count);
    if (!trip->start || !trip->place) return qdri_fail_memory();
    sort_by_owner(trip);
    char *block = QDRI_FLIGHT_ARRAY(flight, char, call->count *item_bytes(call));
    trip->replies = QDRI_FLIGHT_ARRAY(flight, char, call->count * call->reply_bytes);
    trip->parcels = QDRI_FLIGHT_ARRAY(flight, qdr_parcel, trip->owners);
    trip->home = QDRI_FLIGHT_ARRAY(flight, qdr_parcel, trip->owners);
    if (!block || !trip->replies || !trip->parcels || !trip->home) return qdri_fail_memory();
    list_owners(trip, block);
    pack(trip, block);
    return QDR_OK;
}

/* ---- at the owner -------------------------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* The judge of the round: all that came, and room for the replies. */
static qdr_status receive_visits(qdri_round *round) {
    journey *trip = round->context;
    const qdri_rendezvous *call = trip->call;
    int visits = round->arrived;
    qdri_visit *visit = QDRI_FLIGHT_ARRAY(trip->flight, qdri_visit, visits);
    trip->answers = QDRI_FLIGHT_ARRAY(trip->flight, qdr_parcel, visits);
    trip->legs = qdri_flight_legs(trip->flight, (int64_t)visits + trip->owners);
    if (!visit || !trip->answers || !trip->legs) return qdri_fail_memory();
    int64_t total = 0;
    for (int i = 0; i < visits; i++) {
        int64_t count = round->in[i].bytes / item_bytes(call);
        QDRI_TRY(qdri_decode_length((qdri_teller){NULL, round->in[i].rank}, "items of a rendezvous",
                                    round->in[i].bytes, count * item_bytes(call)));
        const int64_t *key = round->in[i].data;
        visit[i] = (qdri_visit){round->in[i].rank, count, key, (const char *)(key + count), NULL};
        if (call->reply_bytes && count > (INT64_MAX / 2 - total) / call->reply_bytes)
            return qdri_fail_memory();
        total += round_up(count * call->reply_bytes);
    }
    char *reply = QDRI_FLIGHT_ARRAY(trip->flight, char, total);
    if (!reply) return qdri_fail_memory();
    for (int i = 0; i < visits; i++) {
        int64_t bytes = visit[i].count * call->reply_bytes;
        visit[i].reply = reply;
        trip->answers[i] = (qdr_parcel){visit[i].origin, bytes, reply};
        reply += round_up(bytes);
    }
    return call->answer(call->context, visits, visit);
}

/* ---- home ---------------------------------------------------------------------------------------------- */

static void unpack(const journey *trip) {
    const qdri_rendezvous *call = trip->call;
    for (int64_t i = 0; call->reply_bytes && i < call->count; i++)
        memcpy((char *)call->reply + i * call->reply_bytes,
               trip->replies + trip->place[i] * call->reply_bytes, (size_t)call->reply_bytes);
}

qdr_status qdri_rendezvous_run(qdri_wire *wire, const qdri_rendezvous *rendezvous) {
    qdri_flight *flight = qdri_flight_create(wire, "rendezvous");
    journey trip = {.call = rendezvous,
                    .placement = {.ranks = qdri_wire_ranks(wire), .limit = rendezvous->limit},
                    .flight = flight};
    qdri_round round = {.call = "a rendezvous",
                        .wire = wire,
                        .flight = flight,
                        .alike = {{"size of a record", rendezvous->record_bytes},
                                  {"size of a reply", rendezvous->reply_bytes},
                                  {"limit of the keys", rendezvous->limit}},
                        .alikes = 3,
                        .judge = receive_visits,
                        .context = &trip};
    round.status = qdri_discovery_named(rendezvous->method, wire, &round.method);
    if (!round.status) round.status = set_out(&trip);
    round.count = trip.owners;
    round.out = trip.parcels;
    qdr_status status = qdri_discover(&round);
    if (status == QDR_OK && rendezvous->reply_bytes) {
        qdri_deliver(flight, trip.legs, round.arrived, trip.answers, trip.owners, trip.home);
        status = qdri_flight_wait(flight);
    }
    if (status == QDR_OK) unpack(&trip);
    qdri_flight_end(&flight);
    return status;
}
