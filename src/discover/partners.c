/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partners: a rank's row and column of the pattern, of which at least one was given and the other may have
 * been discovered.
 *
 * Discovering the sources from the destinations, and the destinations from the sources, is one and the same
 * round of words (round.h): each rank tells each partner that it knows how many items they share. So is the
 * check of two given sides: each sender tells its destinations, and each receiver compares what it is told,
 * and what it is not told, with what it expects. A message of zero items is no message: there an entry and no
 * entry agree.
 *
 * The given sides stand behind the object in one block; a discovered one is the block that the round left.
 */
#include "discover/partners.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/owned.h"
#include "base/sized.h"
#include "base/sort.h"
#include "discover/check.h"
#include "discover/round.h"
#include "pattern/pattern.h"
#include "wire/node.h"

struct qdr_partners {
    qdri_owned owned;
    qdri_wire *wire;
    qdr_partners_view view;
    qdr_pattern *pattern; /* NULL: not gathered */
    void *learned;        /* holds the discovered side */
    int64_t block[];      /* holds the given sides */
};

/* One side as it is given. */
typedef struct side {
    const char *what;
    int count;
    const int *rank;
    const int64_t *items;
} side;

/* ---- owners -------------------------------------------------------------------------------------------- */

qdr_partners *qdri_partners_retain(qdr_partners *partners) {
    qdri_owned_keep(&partners->owned);
    return partners;
}

void qdr_partners_destroy(qdr_partners **partners) {
    if (!partners || !*partners) return;
    qdr_partners *left = *partners;
    *partners = NULL;
    if (!qdri_owned_leave(&left->owned)) return;
    qdr_pattern_destroy(&left->pattern);
    qdri_wire_release(&left->wire);
    free(left->learned);
    free(left);
}

qdri_wire *qdri_partners_wire(const qdr_partners *partners) {
    return partners->wire;
}

const qdr_pattern *qdri_partners_pattern(const qdr_partners *partners) {
    return partners->pattern;
}

void qdri_partners_remember(qdr_partners *partners, qdr_pattern *pattern) {
    partners->pattern = pattern;
}

const qdr_partners_view *qdri_partners_view(const qdr_partners *partners) {
    return &partners->view;
}

void qdr_partners_look_sized(const qdr_partners *partners, qdr_partners_view *view, size_t view_bytes) {
    qdri_sized_fill(view, view_bytes, &partners->view, sizeof partners->view);
}

/* ---- given sides --------------------------------------------------------------------------------------- */

static qdr_status check_items(const side *given) {
    int64_t total = 0;
    for (int i = 0; i < given->count; i++) {
        if (given->items[i] < 0)
            return qdri_fail(QDR_ERR_RANGE, "%s %d, rank %d, has %" PRId64 " items; expected 0 or more",
                             given->what, i, given->rank[i], given->items[i]);
        if (given->items[i] > QDRI_ITEMS_LIMIT - total)
            return qdri_fail(QDR_ERR_RANGE,
                             "the total passes 2^62 items with %s %d, rank %d (%" PRId64 " items)",
                             given->what, i, given->rank[i], given->items[i]);
        total += given->items[i];
    }
    return QDR_OK;
}

static qdr_status check_side(const side *given, int ranks) {
    QDRI_TRY(qdri_check_count(given->what, given->count, ranks, given->rank && given->items));
    QDRI_TRY(qdri_check_ranks(given->what, given->count, given->rank, ranks));
    return check_items(given);
}

/* Partners with room for so many; to be filled by make(). */
static qdr_partners *allocate(qdri_wire *wire, int64_t sends, int64_t receives) {
    int64_t header = (int64_t)(sizeof(qdr_partners) / sizeof(int64_t)) + 1;
    qdr_partners *made = qdri_alloc(header + 2 * (sends + receives), sizeof(int64_t));
    if (!made) return NULL;
    memset(made, 0, sizeof *made);
    qdri_owned_open(&made->owned);
    made->wire = qdri_wire_retain(wire);
    made->view.rank = qdri_wire_rank(wire);
    made->view.ranks = qdri_wire_ranks(wire);
    return made;
}

/* Copies a side to `place`; returns the place behind it. */
static int64_t *copy_side(const side *given, int64_t *place, const int64_t **items, const int **rank) {
    int *copy = (int *)(place + given->count);
    for (int i = 0; i < given->count; i++) {
        place[i] = given->items[i];
        copy[i] = given->rank[i];
    }
    *items = place;
    *rank = copy;
    return place + 2 * (int64_t)given->count;
}

static qdr_status make(qdri_wire *wire, const side *sends, const side *receives, qdr_partners **partners) {
    qdr_partners *made = allocate(wire, sends->count, receives->count);
    if (!made) return qdri_fail_memory();
    qdr_partners_view *view = &made->view;
    view->sends = sends->count;
    view->receives = receives->count;
    int64_t *place = copy_side(sends, made->block, &view->send_items, &view->destination);
    (void)copy_side(receives, place, &view->receive_items, &view->source);
    *partners = made;
    return QDR_OK;
}

static qdr_status fail_handle(void) {
    return qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the partners; expected a handle, not NULL");
}

static qdr_status check_handle(qdr_partners **partners, const qdri_flight *flight) {
    if (!partners) return fail_handle();
    return flight ? QDR_OK : qdri_fail_memory();
}

/* The items of one side as parcels of one word each. */
static qdr_status words_of(qdri_round *round, const side *given) {
    qdr_parcel *out = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, given->count);
    if (!out) return qdri_fail_memory();
    for (int i = 0; i < given->count; i++)
        out[i] = (qdr_parcel){given->rank[i], sizeof(int64_t), (void *)&given->items[i]};
    round->words = 1;
    round->count = given->count;
    round->out = out;
    return QDR_OK;
}

/* ---- a round, and what becomes of it ------------------------------------------------------------------- */

/* Ends the call with what its round came to. */
static qdr_status conclude(qdri_round *round, qdr_status status, qdr_partners *made,
                           qdr_partners **partners) {
    qdri_flight_close(&round->wire, &round->flight);
    if (status == QDR_OK)
        *partners = made;
    else
        qdr_partners_destroy(&made);
    return status;
}

/* ---- one side known ------------------------------------------------------------------------------------ */

static qdr_status prepare_one_side(qdri_round *round, const side *given, const char *method,
                                   int gives_receives, qdr_partners **made) {
    static const side nothing = {"", 0, NULL, NULL};
    int ranks = qdri_wire_ranks(round->wire);
    QDRI_TRY(qdri_discovery_named(method, round->wire, &round->method));
    QDRI_TRY(check_side(given, ranks));
    QDRI_TRY(words_of(round, given));
    return make(round->wire, gives_receives ? &nothing : given, gives_receives ? given : &nothing, made);
}

/* The discovered side is the block that the round left. */
static void adopt(qdri_round *round, int gives_receives, qdr_partners *made) {
    qdr_partners_view *view = &made->view;
    *(gives_receives ? &view->sends : &view->receives) = round->arrived;
    *(gives_receives ? &view->send_items : &view->receive_items) = round->in_word;
    *(gives_receives ? &view->destination : &view->source) = round->in_word_rank;
    made->learned = qdri_flight_take_result(round->flight);
}

/* Where all share a node, words go with the agreement, and what is learned stands behind what was given: there
 * is room for a word from every rank. */
static void adopt_words(const int64_t *word, int gives_receives, int64_t *place, qdr_partners *made) {
    qdr_partners_view *view = &made->view;
    int arrived = 0;
    for (int r = 0; r < view->ranks; r++)
        if (word[r] > 0) place[arrived++] = word[r] - 1;
    int *rank = (int *)(place + arrived), *next = rank;
    for (int r = 0; r < view->ranks; r++)
        if (word[r] > 0) *next++ = r;
    *(gives_receives ? &view->sends : &view->receives) = arrived;
    *(gives_receives ? &view->send_items : &view->receive_items) = place;
    *(gives_receives ? &view->destination : &view->source) = rank;
}

/* The words of a side, one more than they are. Ranks that do not exist or stand twice show on the way. */
static qdr_status fill_words(const side *given, int ranks, int64_t *word) {
    int good = 1;
    memset(word, 0, (size_t)ranks * sizeof *word);
    QDRI_TRY(qdri_check_count(given->what, given->count, ranks, given->rank && given->items));
    for (int i = 0; i < given->count && good; i++) {
        good = given->rank[i] >= 0 && given->rank[i] < ranks && word[given->rank[i]] == 0;
        if (good) word[given->rank[i]] = (int64_t)((uint64_t)given->items[i] + 1);
    }
    if (!good) QDRI_TRY(qdri_check_ranks(given->what, given->count, given->rank, ranks));
    return check_items(given);
}

static qdr_status from_one_side_at_once(qdri_wire *wire, const side *given, const qdri_discovery *method,
                                        int gives_receives, qdr_partners **partners) {
    int ranks = qdri_wire_ranks(wire);
    int64_t *word = qdri_board_words(wire), *place = NULL;
    qdr_partners *made = NULL;
    qdri_round round = {.call = gives_receives ? "qdr_partners_from_receives" : "qdr_partners_from_sends",
                        .wire = wire,
                        .method = method};
    round.status = fill_words(given, ranks, word);
    if (!partners) round.status = fail_handle();
    if (!round.status && !(made = allocate(wire, given->count, ranks))) round.status = qdri_fail_memory();
    if (!round.status) {
        qdr_partners_view *view = &made->view;
        *(gives_receives ? &view->receives : &view->sends) = given->count;
        place = copy_side(given, made->block, gives_receives ? &view->receive_items : &view->send_items,
                          gives_receives ? &view->source : &view->destination);
    }
    qdr_status status = qdri_discover_at_once(&round, word, word + ranks);
    if (status) {
        qdr_partners_destroy(&made);
        return status;
    }
    adopt_words(word + ranks, gives_receives, place, made);
    *partners = made;
    return QDR_OK;
}

static qdr_status from_one_side(MPI_Comm comm, const side *given, const char *method, int gives_receives,
                                qdr_partners **partners) {
    qdri_wire *wire;
    qdri_flight *flight;
    const qdri_discovery *found;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    if (qdri_discovery_named(method, wire, &found) == QDR_OK && found->at_once) {
        qdri_lock(wire);
        qdr_status status = from_one_side_at_once(wire, given, found, gives_receives, partners);
        qdri_unlock(wire);
        qdri_wire_release(&wire);
        return status;
    }
    qdri_wire_release(&wire);
    qdr_partners *made = NULL;
    QDRI_TRY(qdri_flight_open(comm, "discovery of partners", &wire, &flight));
    qdri_round round = {.call = gives_receives ? "qdr_partners_from_receives" : "qdr_partners_from_sends",
                        .wire = wire,
                        .flight = flight};
    round.status = check_handle(partners, flight);
    if (!round.status) round.status = prepare_one_side(&round, given, method, gives_receives, &made);
    qdr_status status = qdri_discover(&round);
    if (status == QDR_OK) adopt(&round, gives_receives, made);
    return conclude(&round, status, made, partners);
}

qdr_status qdr_partners_from_sends(MPI_Comm comm, int count, const int *destination, const int64_t *items,
                                   const char *method, qdr_partners **partners) {
    const side given = {"destination", count, destination, items};
    return from_one_side(comm, &given, method, 0, partners);
}

qdr_status qdr_partners_from_receives(MPI_Comm comm, int count, const int *source, const int64_t *items,
                                      const char *method, qdr_partners **partners) {
    const side given = {"source", count, source, items};
    return from_one_side(comm, &given, method, 1, partners);
}

/* ---- both sides known ---------------------------------------------------------------------------------- */

/* What this rank expects, and the order of its sources by rank. */
typedef struct expectation {
    const side *receives;
    int64_t *order;
} expectation;

static qdr_status expect(qdri_flight *flight, const side *receives, expectation *expected) {
    int64_t *key = QDRI_FLIGHT_ARRAY(flight, int64_t, receives->count);
    *expected = (expectation){receives, QDRI_FLIGHT_ARRAY(flight, int64_t, receives->count)};
    if (!key || !expected->order) return qdri_fail_memory();
    for (int i = 0; i < receives->count; i++) key[i] = receives->rank[i];
    return qdri_sort_order(key, receives->count, expected->order) ? QDR_OK : qdri_fail_memory();
}

/* Walks through both lists by rising rank; an entry that is missing counts zero items. */
static qdr_status hold_against_each_other(qdri_round *round) {
    const expectation *expected = round->context;
    const side *receives = expected->receives;
    for (int told = 0, known = 0; told < round->arrived || known < receives->count;) {
        int64_t place = known < receives->count ? expected->order[known] : -1;
        int teller = told < round->arrived ? round->in_word_rank[told] : INT_MAX;
        int source = place >= 0 ? receives->rank[place] : INT_MAX;
        int64_t sent = teller <= source ? round->in_word[told++] : 0;
        int64_t awaited = source <= teller ? receives->items[place] : 0;
        known += source <= teller;
        if (sent != awaited)
            return qdri_fail(QDR_ERR_MISMATCH,
                             "rank %d sends %" PRId64 " items to rank %d, which expects %" PRId64,
                             teller < source ? teller : source, sent, qdri_wire_rank(round->wire), awaited);
    }
    return QDR_OK;
}

static qdr_status prepare_both(qdri_round *round, const side *sends, const side *receives, int check,
                               qdr_partners **made) {
    int ranks = qdri_wire_ranks(round->wire);
    QDRI_TRY(check_side(sends, ranks));
    QDRI_TRY(check_side(receives, ranks));
    if (check) {
        QDRI_TRY(qdri_discovery_named(NULL, round->wire, &round->method));
        QDRI_TRY(words_of(round, sends));
        QDRI_TRY(expect(round->flight, receives, round->context));
        round->judge = hold_against_each_other;
    }
    return make(round->wire, sends, receives, made);
}

/* The wire is locked, and given back. */
static qdr_status from_both(qdri_wire *wire, qdri_flight *flight, const side *sends, const side *receives,
                            int check, qdr_partners **partners) {
    qdr_partners *made = NULL;
    expectation expected;
    qdri_round round = {.call = check ? "qdr_partners_from_both with a check"
                                      : "qdr_partners_from_both without a check",
                        .wire = wire,
                        .flight = flight};
    round.context = &expected;
    round.status = check_handle(partners, flight);
    if (!round.status) round.status = prepare_both(&round, sends, receives, check, &made);
    return conclude(&round, qdri_discover(&round), made, partners);
}

qdr_status qdr_partners_from_both(MPI_Comm comm, int sends, const int *destination, const int64_t *send_items,
                                  int receives, const int *source, const int64_t *receive_items, int trusted,
                                  qdr_partners **partners) {
    const side out = {"destination", sends, destination, send_items};
    const side in = {"source", receives, source, receive_items};
    qdri_wire *wire;
    qdri_flight *flight;
    QDRI_TRY(qdri_flight_open(comm, "check of partners", &wire, &flight));
    return from_both(wire, flight, &out, &in, !trusted, partners);
}

qdr_status qdri_partners_on(qdri_wire *wire, int sends, const int *destination, const int64_t *send_items,
                            int receives, const int *source, const int64_t *receive_items,
                            qdr_partners **partners) {
    const side out = {"destination", sends, destination, send_items};
    const side in = {"source", receives, source, receive_items};
    return make(wire, &out, &in, partners);
}

/* ---- the matrix known ---------------------------------------------------------------------------------- */

/* Positive, so that it can be compared with its negative. */
static int64_t digest(const qdr_pattern_view *view) {
    uint64_t word = qdri_mix((uint64_t)view->ranks);
    for (int64_t m = 0; m < view->messages; m++) {
        uint64_t pair = (uint64_t)view->origin[m] << 32 | (uint32_t)view->destination[m];
        word = qdri_mix(word ^ qdri_mix(pair) ^ (uint64_t)view->items[m]);
    }
    for (int rank = 0; rank < view->ranks; rank++) word = qdri_mix(word ^ (uint64_t)view->local[rank]);
    return (int64_t)(word >> 2);
}

static void add(side *one, int *rank, int64_t *items, int partner, int64_t amount) {
    rank[one->count] = partner;
    items[one->count++] = amount;
}

/* A row or a column, by rising rank, with what stays on this rank in its place. */
static qdr_status read_side(qdri_flight *flight, const qdr_pattern_view *view, int own, int is_column,
                            side *read) {
    const int64_t *start = is_column ? view->column_start : view->row_start;
    int64_t local = view->local[own], most = start[own + 1] - start[own] + 1;
    int *rank = QDRI_FLIGHT_ARRAY(flight, int, most);
    int64_t *items = QDRI_FLIGHT_ARRAY(flight, int64_t, most);
    if (!rank || !items) return qdri_fail_memory();
    *read = (side){is_column ? "source" : "destination", 0, rank, items};
    for (int64_t i = start[own]; i < start[own + 1]; i++) {
        int64_t message = is_column ? view->column_message[i] : i;
        int partner = is_column ? view->origin[message] : view->destination[message];
        if (partner > own && local) {
            add(read, rank, items, own, local);
            local = 0;
        }
        add(read, rank, items, partner, view->items[message]);
    }
    if (local) add(read, rank, items, own, local);
    return QDR_OK;
}

static qdr_status prepare_pattern(qdri_round *round, const qdr_pattern *pattern, qdr_partners **made) {
    side sends, receives;
    int own = qdri_wire_rank(round->wire), ranks = qdri_wire_ranks(round->wire);
    if (!pattern) return qdri_fail(QDR_ERR_INVALID, "the pattern is NULL");
    qdr_pattern_view view = qdr_pattern_look(pattern);
    if (view.ranks != ranks)
        return qdri_fail(QDR_ERR_INVALID, "a pattern of %d ranks on a communicator of %d", view.ranks, ranks);
    round->alike[0].value = digest(&view);
    QDRI_TRY(read_side(round->flight, &view, own, 0, &sends));
    QDRI_TRY(read_side(round->flight, &view, own, 1, &receives));
    QDRI_TRY(make(round->wire, &sends, &receives, made));
    (*made)->pattern = qdri_pattern_retain(pattern);
    return QDR_OK;
}

qdr_status qdr_partners_from_pattern(MPI_Comm comm, const qdr_pattern *pattern, qdr_partners **partners) {
    qdri_wire *wire;
    qdri_flight *flight;
    qdr_partners *made = NULL;
    QDRI_TRY(qdri_flight_open(comm, "comparison of patterns", &wire, &flight));
    qdri_round round = {.call = "qdr_partners_from_pattern", .wire = wire, .flight = flight};
    round.alike[0].what = "digest of the pattern";
    round.alikes = 1;
    round.status = check_handle(partners, flight);
    if (!round.status) round.status = prepare_pattern(&round, pattern, &made);
    return conclude(&round, qdri_discover(&round), made, partners);
}
