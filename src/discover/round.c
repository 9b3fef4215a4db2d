/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One round of discovery from its first agreement to its last (round.h).
 *
 *     agree on arguments and memory; find each other;
 *     [agree on memory for what comes; deliver large parcels]; judge; agree
 *
 * The step in brackets is taken when some rank has a parcel that did not travel along, which all know from
 * the first agreement; the last one falls away where nothing can have gone wrong since. Cost: one to three
 * agreements (a reduction of a few words each), what the method takes, and one message per large parcel.
 *
 * A round takes its tag after the first agreement, so all ranks count alike. No rank passes the agreement of
 * the next round before all have left the search of this one, so one tag would do; but then the methods would
 * be right only because of what is built around them, and a fresh tag costs nothing.
 */
#include "discover/round.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "discover/deliver.h"
#include "wire/agree.h"
#include "wire/node.h"

/* The fields of the first agreement. */
enum { LARGEST, METHOD, ALIKE, FIELDS = ALIKE + QDRI_ROUND_ALIKE };

enum { ALIGNMENT = 16 };

/* Bytes for what comes, where parcels travel along with the first agreement. */
enum { RESERVE = 65536 };

/* ---- the first agreement ------------------------------------------------------------------------------- */

static int64_t words_size(int count) {
    return count * (int64_t)(sizeof(int64_t) + sizeof(int));
}

static int64_t aligned(int64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Whether the memory for whatever comes was there before the first agreement. Of parcels as large as the largest may come
 * one from each rank. */
static int has_reserve(const qdri_round *round) {
    if (!round->method->bounded) return 0;
    if (round->words) return 1;
    if (!round->method->at_once || round->largest > round->most_carried) return 0;
    int64_t each = (int64_t)sizeof(qdr_parcel) + aligned(round->largest);
    return round->take || qdri_wire_ranks(round->wire) * each + ALIGNMENT <= RESERVE;
}

/* With memory for what comes, and without a judge, nothing is left to agree on. */
static int ends_in_agreement(const qdri_round *round) {
    return !has_reserve(round) || round->judge;
}

/* For a word, or a parcel, from every rank, where no more can come. */
static int reserve(qdri_round *round) {
    int ranks = qdri_wire_ranks(round->wire);
    if (!round->method->bounded || (!round->words && !round->method->at_once)) return 1;
    round->came = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, ranks);
    if (!round->came || round->take) return round->came != NULL;
    return qdri_flight_result(round->flight, round->words ? words_size(ranks) : RESERVE) != NULL;
}

/* A method that is at once sends nothing, and needs words for the board alone, which the wire has. */
static int take_board_words(qdri_round *round) {
    int64_t words = 2 * (int64_t)qdri_wire_ranks(round->wire);
    round->scratch = qdri_board_words(round->wire);
    memset(round->scratch, 0, (size_t)words * sizeof *round->scratch);
    return 1;
}

static int take_memory(qdri_round *round) {
    int64_t words = round->method->scratch * (int64_t)qdri_wire_ranks(round->wire) + 1;
    round->scratch = QDRI_FLIGHT_ARRAY(round->flight, int64_t, words);
    round->legs = qdri_flight_legs(round->flight, (int64_t)round->count + 1);
    return round->scratch && round->legs;
}

static qdr_status prepare(qdri_round *round) {
    const qdri_discovery *method = round->method;
    if (round->status) return round->status;
    if (!round->flight) return qdri_fail_memory();
    if (!method) return QDR_OK;
    if (!(method->at_once ? take_board_words(round) : take_memory(round)) || !reserve(round))
        return qdri_fail_memory();
    if (!round->most_carried || !method->carries_more) round->most_carried = method->carries;
    round->carries = round->most_carried;
    return method->by_envelopes ? qdri_envelopes_prepare(round) : QDR_OK;
}

static int64_t method_number(const qdri_discovery *method) {
    const qdr_discovery_info *info;
    for (int i = 0; method && (info = qdr_discovery(i)); i++)
        if (info->name == method->name) return i;
    return 0;
}

/* With a word for each rank where the search is part of it. */
static qdr_status agree_at_first(qdri_round *round, qdr_status status, const int64_t *word_for,
                                 int64_t *word_from, double deadline) {
    int64_t largest = 0;
    for (int i = 0; status == QDR_OK && i < round->count; i++)
        if (round->out[i].bytes > largest) largest = round->out[i].bytes;
    int follow = round->count > 0 && largest > round->carries; /* parcels of this rank */
    if (round->method && (follow || round->takes_its_time) && largest <= round->most_carried)
        largest = round->most_carried + 1;
    qdri_term field[FIELDS] = {
        [LARGEST] = QDRI_IS_MOST("bytes of the largest parcel", largest, 0, INT64_MAX),
        [METHOD] = QDRI_IS_SAME("way of discovery", status == QDR_OK ? method_number(round->method) : 0),
    };
    for (int i = 0; i < round->alikes; i++)
        field[ALIKE + i] = QDRI_IS_ALIKE(round->alike[i].what, round->alike[i].value);
    QDRI_TRY(qdri_agree(round->wire, &(qdri_agreement){.call = round->call,
                                                       .status = status,
                                                       .term = field,
                                                       .terms = ALIKE + round->alikes,
                                                       .word_for = word_for,
                                                       .word_from = word_from,
                                                       .deadline = deadline}));
    round->largest = field[LARGEST].value;
    return QDR_OK;
}

qdr_status qdri_discover_at_once(qdri_round *round, const int64_t *word_for, int64_t *word_from) {
    return agree_at_first(round, round->status, word_for, word_from, QDRI_DEADLINE_LATER);
}

static qdr_status begin(qdri_round *round) {
    qdr_status status = prepare(round);
    int64_t *words = status == QDR_OK && round->method && round->method->at_once ? round->scratch : NULL;
    if (words) round->method->start(round);
    QDRI_TRY(agree_at_first(round, status, words, words ? words + qdri_wire_ranks(round->wire) : NULL,
                            round->flight ? round->flight->deadline : qdri_deadline(0)));
    if (!round->method) return QDR_OK;
    round->tag =
        QDRI_TAG_DISCOVER + (int)((unsigned)qdri_wire_next_round(round->wire) % QDRI_DISCOVER_ROUNDS);
    return QDR_OK;
}

/* ---- finding each other -------------------------------------------------------------------------------- */

static void poll(qdri_poller *poller) {
    qdri_round *round = (qdri_round *)((char *)poller - offsetof(qdri_round, poller));
    if (!round->flight->over) round->method->poll(round);
}

/* Without an agreement at the end a rank would fail alone if it had no time left, because it was the first to come. All have:
 * so it waits as long again. */
static qdr_status wait_for_words(qdri_round *round) {
    if (ends_in_agreement(round)) return qdri_flight_wait_midway(round->flight);
    qdri_flight_renew(round->flight);
    return qdri_flight_wait(round->flight);
}

static qdr_status find_each_other(qdri_round *round) {
    if (round->method->at_once) return QDR_OK;
    round->method->start(round);
    if (!round->method->poll) return wait_for_words(round);
    round->poller.poll = poll;
    qdri_poller_add(round->wire, &round->poller);
    qdr_status status = wait_for_words(round);
    qdri_poller_remove(round->wire, &round->poller);
    return status;
}

/* ---- what came ----------------------------------------------------------------------------------------- */

static qdr_status keep_words(qdri_round *round) {
    int arrived = round->arrived;
    int64_t *word = qdri_flight_result(round->flight, words_size(arrived));
    if (!word) return qdri_fail_memory();
    round->in_word = word;
    round->in_word_rank = (int *)(word + arrived);
    for (int i = 0; i < arrived; i++) {
        memcpy(&word[i], round->came[i].data, sizeof word[i]);
        round->in_word_rank[i] = round->came[i].rank;
    }
    return QDR_OK;
}

/* One block: the list, then the parcels. Those that travelled along are copied, and the list of what came
 * turns into the list of what is still to be received. */
static qdr_status keep_parcels(qdri_round *round) {
    qdr_parcel *came = round->came;
    int64_t size = aligned(round->arrived * (int64_t)sizeof *round->in);
    int64_t at = size;
    for (int i = 0; i < round->arrived; i++) {
        if (came[i].bytes > INT64_MAX / 2 - size) return qdri_fail_memory();
        size += aligned(came[i].bytes);
    }
    char *block = qdri_flight_result(round->flight, size);
    if (!block) return qdri_fail_memory();
    round->in = (qdr_parcel *)block;
    for (int i = 0; i < round->arrived; i++) {
        void *place = block + at;
        round->in[i] = (qdr_parcel){.rank = came[i].rank, .bytes = came[i].bytes, .data = place};
        if (came[i].data && came[i].bytes) memcpy(place, came[i].data, (size_t)came[i].bytes);
        came[i].data = came[i].data ? NULL : place;
        at += aligned(came[i].bytes);
    }
    return QDR_OK;
}

static qdr_status keep(qdri_round *round) {
    QDRI_TRY(round->method->learn(round));
    if (round->take) return round->take(round);
    return round->words ? keep_words(round) : keep_parcels(round);
}

/* The parcels of this rank that did not travel along, as a list for delivery, in memory that outlives a deadline. */
static const qdr_parcel *left_to_send(qdri_round *round, int *count) {
    qdr_parcel *left = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, round->count);
    *count = 0;
    for (int i = 0; left && i < round->count; i++) {
        const qdr_parcel *one = &round->out[i];
        if (one->bytes <= round->carries) continue;
        left[*count] = *one;
        if (round->borrows) {
            left[*count].data = QDRI_FLIGHT_SPACE(round->flight, char, one->bytes);
            if (!left[*count].data) return NULL;
            if (one->bytes > 0) memcpy(left[*count].data, one->data, (size_t)one->bytes);
        }
        ++*count;
    }
    return left;
}

static qdr_status deliver(qdri_round *round, qdr_status status) {
    int sends = 0;
    const qdr_parcel *left = left_to_send(round, &sends);
    qdri_flight_leg *legs =
        status == QDR_OK ? qdri_flight_legs(round->flight, (int64_t)sends + round->arrived) : NULL;
    if (status == QDR_OK && (!left || !legs)) status = qdri_fail_memory();
    QDRI_TRY(qdri_flight_agree(round->wire, round->flight, round->call, status));
    qdri_deliver(round->flight, legs, sends, left, round->arrived, round->came);
    return qdri_flight_wait_midway(round->flight);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

qdr_status qdri_discover(qdri_round *round) {
    QDRI_TRY(begin(round));
    if (!round->method) return QDR_OK;
    QDRI_TRY(find_each_other(round));
    qdr_status status = keep(round);
    if (!round->words && !round->take && round->largest > round->most_carried)
        QDRI_TRY(deliver(round, status));
    if (status == QDR_OK && round->judge) status = round->judge(round);
    if (!ends_in_agreement(round)) return status;
    return qdri_flight_agree(round->wire, round->flight, round->call, status);
}
