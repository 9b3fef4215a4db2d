/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsing on a wire: see rehearse.h. A rank that cannot go on says so in the next agreement, and each round has one at
 * both of its ends; so no rank waits for what another will not send.
 */
#include "plan/rehearse.h"

#include <stdlib.h>

#include "base/decode.h"
#include "base/error.h"
#include "base/memory.h"
#include "discover/deliver.h"
#include "discover/round.h"
#include "pattern/pattern.h"
#include "wire/agree.h"
#include "wire/node.h"

static const char *const name = "rehearsal of a plan";

static qdri_flight *open_flight(const qdri_rehearsing *play) {
    qdri_flight *flight = qdri_flight_create(play->wire, name);
    if (flight) flight->deadline = play->deadline;
    return flight;
}

/* ---- how messages are cut ------------------------------------------------------------------------------ */

/* One side of this rank: what it sends, or what it receives, by rising partners. */
typedef struct side {
    int64_t count, total;
    int64_t *items;
    int *partner;
    int32_t *start;
    int64_t *word;      /* the same, as it travels */
    qdr_parcel *parcel; /* a word each */
} side;

/* All in memory of the flight. */
typedef struct cutters {
    qdri_flight *flight;
    qdri_flight_leg *legs; /* one for the scan, and one for each word */
    int64_t *extra, *before;
    side out, in;
} cutters;

static int open_side(cutters *at, side *side, int64_t count) {
    side->items = QDRI_FLIGHT_ARRAY(at->flight, int64_t, count);
    side->partner = QDRI_FLIGHT_ARRAY(at->flight, int, count);
    side->start = QDRI_FLIGHT_ARRAY(at->flight, int32_t, count);
    side->word = QDRI_FLIGHT_ARRAY(at->flight, int64_t, count);
    side->parcel = QDRI_FLIGHT_ARRAY(at->flight, qdr_parcel, count);
    return side->items && side->partner && side->start && side->word && side->parcel;
}

static void add(side *side, int partner, int64_t items) {
    int64_t i = side->count++;
    side->partner[i] = partner;
    side->items[i] = items;
    side->parcel[i] = (qdr_parcel){partner, sizeof *side->word, &side->word[i]};
    side->total += items;
}

static qdr_status open_cutters(const qdri_rehearsing *play, cutters *at) {
    qdr_pattern_view view = qdr_pattern_look(play->own);
    int rank = qdri_wire_rank(play->wire);
    int64_t row = view.row_start[rank], rows = view.row_start[rank + 1] - row;
    int64_t column = view.column_start[rank], columns = view.column_start[rank + 1] - column;
    if (!at->flight || !open_side(at, &at->out, rows) || !open_side(at, &at->in, columns))
        return qdri_fail_memory();
    at->legs = qdri_flight_legs(at->flight, 1 + rows + columns);
    at->extra = QDRI_FLIGHT_ARRAY(at->flight, int64_t, 1);
    at->before = QDRI_FLIGHT_ARRAY(at->flight, int64_t, 1);
    if (!at->legs || !at->extra || !at->before) return qdri_fail_memory();
    for (int64_t i = 0; i < rows; i++) add(&at->out, view.destination[row + i], view.items[row + i]);
    for (int64_t i = 0; i < columns; i++) {
        int64_t m = view.column_message[column + i];
        add(&at->in, view.origin[m], view.items[m]);
    }
    return QDR_OK;
}

/* Whether a step more is worth it may follow from a machine, and not all ranks need have the same: they must agree on it, for either
 * scheme, before they can do it together. */
static qdr_status settle(const qdri_rehearsing *play, qdr_status mine, const cutters *at,
                         qdri_cutting *cutting) {
    const qdri_handing *handing = play->algorithm->handing;
    int ranks = qdri_wire_ranks(play->wire);
    qdri_cutting by_source = {.tight = 0}, by_destination = {.tight = 0};
    if (!mine) mine = handing->settle(play->spec, play->machine, ranks, 0, 0, &by_source);
    if (!mine) mine = handing->settle(play->spec, play->machine, ranks, 1, 0, &by_destination);
    qdri_term term[] = {
        QDRI_IS_ALIKE("whether intermediaries get equally much", by_source.tight + 2 * by_destination.tight),
        QDRI_IS_MOST("most items that a rank sends", at->out.total, 0, QDRI_ITEMS_LIMIT),
        QDRI_IS_MOST("most items that a rank receives", at->in.total, 0, QDRI_ITEMS_LIMIT),
    };
    QDRI_TRY(qdri_agree(play->wire, &(qdri_agreement){.call = name,
                                                      .status = mine,
                                                      .term = term,
                                                      .terms = QDRI_COUNT_OF(term),
                                                      .deadline = play->deadline}));
    return handing->settle(play->spec, play->machine, ranks, term[1].value, term[2].value, cutting);
}

/* The extra items of the ranks before this one. */
static qdr_status scan(const qdri_rehearsing *play, const cutters *at, int32_t *before) {
    int64_t ranks = qdri_wire_ranks(play->wire);
    qdri_flight_note(at->legs, qdri_sum_before(play->wire, &at->legs->operation, at->extra, at->before));
    QDRI_TRY(qdri_flight_wait_midway(at->flight));
    *before = (int32_t)((*at->before % ranks + ranks) % ranks);
    return QDR_OK;
}

/* Each destination tells its sources; both know of whom to hear. */
static qdr_status tell_starts(const qdri_rehearsing *play, cutters *at, qdr_status *mine) {
    for (int64_t i = 0; i < at->in.count; i++) at->in.word[i] = at->in.start[i];
    qdri_deliver(at->flight, at->legs + 1, (int)at->in.count, at->in.parcel, (int)at->out.count,
                 at->out.parcel);
    QDRI_TRY(qdri_flight_wait_midway(at->flight));
    for (int64_t i = 0; i < at->out.count && !*mine; i++) {
        *mine = qdri_decode_word((qdri_teller){NULL, at->out.partner[i]}, "start of a message",
                                 at->out.word[i], 0, qdri_wire_ranks(play->wire) - 1);
        at->out.start[i] = (int32_t)at->out.word[i];
    }
    return QDR_OK;
}

/* *mine is what this rank alone makes of what it hears. */
static qdr_status find_starts(const qdri_rehearsing *play, const qdri_cutting *cutting, cutters *at,
                              qdr_status *mine) {
    int ranks = qdri_wire_ranks(play->wire), by_source = cutting->scheme == QDRI_SPREAD_BY_SOURCE;
    side *walked = by_source ? &at->out : &at->in;
    int32_t begin = 0;
    *at->extra = qdri_spread_extra(ranks, walked->count, walked->items);
    if (cutting->tight) QDRI_TRY(scan(play, at, &begin));
    qdri_spread_along(ranks, begin, walked->count, walked->items, walked->start);
    return by_source ? QDR_OK : tell_starts(play, at, mine);
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static qdr_status take_all(qdri_round *round) {
    for (int i = 0; i < round->arrived; i++)
        QDRI_TRY(qdri_rehearsal_take(round->context,
                                     &(qdri_lot){round->in[i].rank, round->in[i].data, round->in[i].bytes}));
    return QDR_OK;
}

/* Methods of discovery by a word for each rank are fast for few ranks, but here partners count. */
static qdr_status pack(qdri_rehearsal *rehearsal, qdri_round *round) {
    const qdri_lot *lot;
    QDRI_TRY(
        qdri_discovery_named(qdri_wire_one_node(round->wire) ? "node" : "nbx", round->wire, &round->method));
    QDRI_TRY(qdri_rehearsal_give(rehearsal, &round->count, &lot));
    qdr_parcel *out = round->flight ? QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, round->count) : NULL;
    if (!out) return qdri_fail_memory();
    for (int i = 0; i < round->count; i++)
        out[i] = (qdr_parcel){lot[i].partner, lot[i].bytes, (void *)lot[i].data};
    round->out = out;
    return QDR_OK;
}

static qdr_status play_stage(const qdri_rehearsing *play, qdr_status mine, qdri_rehearsal *rehearsal) {
    qdri_flight *flight = open_flight(play);
    qdri_round round = {.call = name,
                        .wire = play->wire,
                        .flight = flight,
                        .borrows = 1,
                        .judge = take_all,
                        .context = rehearsal};
    round.status = mine ? mine : pack(rehearsal, &round);
    qdr_status status = qdri_discover(&round);
    qdri_flight_end(&flight);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdri_own_messages own_of(const qdri_rehearsing *play, const cutters *at) {
    qdr_pattern_view view = qdr_pattern_look(play->own);
    int rank = qdri_wire_rank(play->wire);
    int64_t row = view.row_start[rank];
    return (qdri_own_messages){.rank = rank,
                               .ranks = view.ranks,
                               .messages = view.row_start[rank + 1] - row,
                               .destination = view.destination + row,
                               .items = view.items + row,
                               .start = at ? at->out.start : NULL};
}

/* How messages are cut, and with it this rank's part, where it can have one. Returns what all ranks return. */
static qdr_status begin_cut(const qdri_rehearsing *play, qdr_status *mine, qdri_rehearsal **rehearsal) {
    cutters at = {.flight = open_flight(play)};
    qdri_cutting cutting;
    if (!*mine) *mine = open_cutters(play, &at);
    qdr_status status = settle(play, *mine, &at, &cutting);
    if (!status) status = find_starts(play, &cutting, &at, mine);
    if (!status && !*mine) {
        qdri_own_messages own = own_of(play, &at);
        *mine = qdri_rehearsal_open(play->algorithm->handing, &cutting, &own, rehearsal);
    }
    qdri_flight_end(&at.flight);
    return status;
}

static qdr_status begin(const qdri_rehearsing *play, qdr_status *mine, qdri_rehearsal **rehearsal) {
    if (play->algorithm->handing->settle) return begin_cut(play, mine, rehearsal);
    if (*mine) return QDR_OK;
    qdri_own_messages own = own_of(play, NULL);
    *mine = qdri_rehearsal_open(play->algorithm->handing, NULL, &own, rehearsal);
    return QDR_OK;
}

/* Of messages that are cut the options say whether those that a rank has for itself are, too. */
static qdr_status find_own(const qdri_rehearsing *play, qdr_pattern **own) {
    const qdri_handing *handing = play->algorithm->handing;
    qdri_cutting cutting = {.diagonal = 0};
    if (handing->settle)
        QDRI_TRY(handing->settle(play->spec, play->machine, qdri_wire_ranks(play->wire), 0, 0, &cutting));
    if (cutting.diagonal) return qdri_pattern_with_diagonal(play->own, own);
    *own = qdri_pattern_retain(play->own);
    return QDR_OK;
}

qdr_status qdri_rehearse(const qdri_rehearsing *given, qdr_status mine, qdr_schedule **schedule) {
    qdri_rehearsing of = *given, *play = &of;
    qdr_pattern *own = NULL;
    int stages = play->algorithm->handing->stages(qdri_wire_ranks(play->wire));
    qdri_rehearsal *rehearsal = NULL;
    if (!mine) mine = find_own(given, &own);
    of.own = own;
    qdr_status status = begin(play, &mine, &rehearsal);
    for (int stage = 0; stage < stages && !status; stage++) status = play_stage(play, mine, rehearsal);
    if (!status) status = qdri_rehearsal_end(rehearsal, play->own, play->algorithm, play->text, schedule);
    qdri_rehearsal_close(&rehearsal);
    qdr_pattern_destroy(&own);
    return status;
}
