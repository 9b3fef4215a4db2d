/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deliveries: discovery and an exchange in one call.
 *
 *     sort items by destination; tell everybody how many there are; make room; agree that all have it; exchange
 *
 * The pattern of the plan is one item from everyone to everyone, and each exchange states its own sizes; so one plan
 * serves all deliveries on a communicator, with which it is kept, as is the memory to sort in. Ranks that have nothing for
 * each other exchange nothing. Cost: O(items + ranks), two agreements, and the messages that there are.
 */
#include "quadrille/deliver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "discover/round.h"
#include "plan/cargo.h"
#include "quadrille/plan.h"
#include "wire/agree.h"
#include "wire/flight.h"
#include "wire/pending.h"

/* What came, in memory of the library. */
struct qdr_arrival_room {
    int64_t capacity; /* bytes of data */
    void *data;
    int sources; /* that there is room for */
    int *source;
    int64_t *items;
};

/* One communicator's. */
typedef struct kept {
    qdri_keepsake keepsake; /* first: release() converts */
    qdr_plan *plan;
    int ranks;
    int64_t *out_items, *in_items, *start;
    const void **outgoing;
    void **incoming;
    char *sorted; /* items by destination */
    int64_t capacity;
} kept;

/* One delivery. */
typedef struct delivery {
    qdr_status refused; /* something is missing, or is not as this library knows it: all ranks hear of it */
    qdr_items leaving;
    qdr_arrivals came;
    kept *kept;
} delivery;

static void release(qdri_keepsake *keepsake) {
    kept *gone = (kept *)keepsake;
    int is_used =
        gone->plan && qdri_plan_busy(gone->plan); /* an exchange that did not end: MPI may still read */
    qdr_plan_destroy(&gone->plan);
    free(gone->out_items);
    free(gone->outgoing);
    free(gone->incoming);
    if (!is_used) free(gone->sorted);
    free(gone);
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static kept *make_kept(int ranks) {
    kept *made = QDRI_ZERO_ARRAY(kept, 1);
    if (!made) return NULL;
    made->keepsake = (qdri_keepsake){.release = release, .name = "delivery"};
    made->ranks = ranks;
    made->out_items = QDRI_ZERO_ARRAY(int64_t, 3 * (int64_t)ranks);
    made->outgoing = QDRI_ZERO_ARRAY(const void *, ranks);
    made->incoming = QDRI_ZERO_ARRAY(void *, ranks);
    if (made->out_items && made->outgoing && made->incoming) {
        made->in_items = made->out_items + ranks;
        made->start = made->in_items + ranks;
        return made;
    }
    release(&made->keepsake);
    return NULL;
}

/* Any sizes, through the node's memory where there is one; unless the environment wants something else. */
static qdr_status make_plan(MPI_Comm comm, kept *made) {
    qdr_partners *partners = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdri_setting transport;
    qdr_status status = qdri_environment_read(QDRI_ENV_TRANSPORT, &transport);
    int *rank = QDRI_ARRAY(int, made->ranks);
    if (!rank) status = qdri_fail_memory();
    for (int r = 0; rank && r < made->ranks; r++) {
        rank[r] = r;
        made->out_items[r] = 1;
    }
    options.algorithm = "paced";
    options.transport = transport.given ? NULL : "node";
    options.in_flight = 1;
    int count = rank ? made->ranks : 0;
    if (!status)
        status = qdr_partners_from_both(comm, count, rank, made->out_items, count, rank, made->out_items, 1,
                                        &partners);
    if (!status) status = qdr_plan_create(partners, &options, &made->plan);
    qdr_partners_destroy(&partners);
    free(rank);
    return status;
}

/* Collective. All ranks have it, or make it. */
static qdr_status find_kept(MPI_Comm comm, kept **found) {
    qdri_wire *wire;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    qdri_lock(wire);
    *found = (kept *)qdri_wire_kept(wire, release, "delivery");
    qdr_status status = QDR_OK;
    kept *made = *found ? NULL : make_kept(qdri_wire_ranks(wire));
    if (!*found)
        status = qdri_agree_status(wire, "qdr_deliver", made ? QDR_OK : qdri_fail_memory(), qdri_deadline(0));
    qdri_unlock(wire);
    if (!status && made) status = make_plan(comm, made);
    if (!status && made) {
        qdri_lock(wire);
        qdri_wire_keep(wire, &made->keepsake);
        qdri_unlock(wire);
        *found = made;
    } else if (made) {
        release(&made->keepsake);
    }
    qdri_wire_release(&wire);
    return status;
}

/* ---- what leaves --------------------------------------------------------------------------------------- */

static qdr_status check_groups(const qdr_items *leaving, int ranks, int64_t *out_items) {
    if (leaving->count || leaving->destination)
        return qdri_fail(QDR_ERR_INVALID,
                         "qdr_deliver: items are grouped, or each has a destination, not both");
    if (leaving->groups < 0 || leaving->groups > ranks || (leaving->groups > 0 && !leaving->items))
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %d groups%s; expected 0 to %d", leaving->groups,
                         leaving->items ? "" : ", and items is NULL", ranks);
    for (int i = 0; i < leaving->groups; i++) {
        int rank = leaving->rank ? leaving->rank[i] : i;
        if (rank < 0 || rank >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: group %d is for rank %d; expected 0 to %d", i, rank,
                             ranks - 1);
        if (leaving->items[i] < 0 || leaving->items[i] > (INT64_C(1) << 56))
            return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %lld items in group %d; expected 0 to 2^56",
                             (long long)leaving->items[i], i);
        if (out_items[rank] >= 0)
            return qdri_fail(QDR_ERR_INVALID, "qdr_deliver: two groups for rank %d", rank);
        out_items[rank] = leaving->items[i];
    }
    return QDR_OK;
}

static qdr_status count_each(const qdr_items *leaving, int ranks, int64_t *out_items) {
    if (leaving->count < 0 || leaving->count > (INT64_C(1) << 56) ||
        (leaving->count > 0 && !leaving->destination))
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %lld items%s; expected 0 to 2^56",
                         (long long)leaving->count, leaving->destination ? "" : ", and destination is NULL");
    for (int64_t i = 0; i < leaving->count; i++) {
        int rank = leaving->destination[i];
        if (rank < 0 || rank >= ranks)
            return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: item %lld goes to rank %d; expected 0 to %d",
                             (long long)i, rank, ranks - 1);
        out_items[rank]++;
    }
    return QDR_OK;
}

/* The loops differ in a number that the compiler knows. */
#define COPY_ITEMS(bytes)                                                                                    \
    for (int64_t i = 0; i < count; i++)                                                                      \
    memcpy(into + (bytes)*place[to[i]]++, from + (bytes)*i, (size_t)(bytes))

static void sort_items(const qdr_items *leaving, int64_t *place, char *into) {
    const char *from = leaving->data;
    const int *to = leaving->destination;
    int64_t count = leaving->count;
    switch (leaving->item_bytes) {
    case 4:
        COPY_ITEMS(4);
        break;
    case 8:
        COPY_ITEMS(8);
        break;
    case 16:
        COPY_ITEMS(16);
        break;
    case 24:
        COPY_ITEMS(24);
        break;
    case 32:
        COPY_ITEMS(32);
        break;
    default:
        COPY_ITEMS(leaving->item_bytes);
    }
}

static qdr_status sort_each(delivery *one) {
    const qdr_items *leaving = &one->leaving;
    kept *kept = one->kept;
    int64_t bytes = leaving->count * leaving->item_bytes, at = 0;
    if (bytes == 0) return QDR_OK;
    if (bytes > kept->capacity) {
        free(kept->sorted);
        kept->sorted = qdri_alloc(bytes, 1);
        kept->capacity = kept->sorted ? bytes : 0;
        if (!kept->sorted) return qdri_fail_memory();
    }
    for (int r = 0; r < kept->ranks; r++) {
        kept->start[r] = at;
        kept->outgoing[r] = kept->sorted + at * leaving->item_bytes;
        at += kept->out_items[r];
    }
    sort_items(leaving, kept->start, kept->sorted);
    return QDR_OK;
}

/* How much goes to each rank, and where it lies. */
static qdr_status take_in(delivery *one) {
    const qdr_items *leaving = &one->leaving;
    kept *kept = one->kept;
    int is_grouped = leaving->groups || leaving->items || leaving->rank;
    QDRI_TRY(one->refused);
    if (qdri_plan_busy(kept->plan))
        return qdri_fail(QDR_ERR_BUSY, "qdr_deliver: a delivery on this communicator is under way");
    if (leaving->item_bytes < 1 || leaving->item_bytes > INT32_MAX)
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: items of %lld bytes; expected 1 to %d",
                         (long long)leaving->item_bytes, INT32_MAX);
    for (int r = 0; r < kept->ranks; r++) kept->out_items[r] = is_grouped ? -1 : 0;
    QDRI_TRY(is_grouped ? check_groups(leaving, kept->ranks, kept->out_items)
                        : count_each(leaving, kept->ranks, kept->out_items));
    int64_t total = 0;
    for (int r = 0; r < kept->ranks; r++) {
        if (kept->out_items[r] < 0) kept->out_items[r] = 0;
        total += kept->out_items[r];
    }
    if (total > (INT64_C(1) << 60) / leaving->item_bytes)
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %lld items of %lld bytes are more than 2^60 bytes",
                         (long long)total, (long long)leaving->item_bytes);
    if (total > 0 && !leaving->data)
        return qdri_fail(QDR_ERR_INVALID, "qdr_deliver: %lld items, and data is NULL", (long long)total);
    if (!is_grouped) return sort_each(one);
    const char *at = leaving->data;
    for (int i = 0; i < leaving->groups; i++) {
        kept->outgoing[leaving->rank ? leaving->rank[i] : i] = at;
        if (leaving->items[i] > 0) at += leaving->items[i] * leaving->item_bytes;
    }
    return QDR_OK;
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

static int make_table(struct qdr_arrival_room *room, int sources) {
    if (sources <= room->sources) return 1;
    free(room->source);
    free(room->items);
    room->source = QDRI_ARRAY(int, sources);
    room->items = QDRI_ARRAY(int64_t, sources);
    room->sources = room->source && room->items ? sources : 0;
    return room->sources > 0;
}

static void *make_data(qdr_arrivals *came, int64_t bytes) {
    struct qdr_arrival_room *room = came->room;
    if (came->allocate) return came->allocate(came->context, bytes);
    if (bytes > room->capacity || !room->data) {
        free(room->data);
        room->data = qdri_alloc(bytes, 1);
        room->capacity = room->data ? bytes : 0;
    }
    return room->data;
}

/* The judge of the round: whether this rank has room for what comes. */
static qdr_status make_room(qdri_round *round) {
    delivery *one = round->context;
    qdr_arrivals *came = &one->came;
    kept *kept = one->kept;
    int64_t bytes = one->leaving.item_bytes, total = 0;
    if (!came->room) came->room = QDRI_ZERO_ARRAY(struct qdr_arrival_room, 1);
    if (!came->room || !make_table(came->room, round->arrived > 0 ? round->arrived : 1))
        return qdri_fail_memory();
    memset(kept->in_items, 0, (size_t)kept->ranks * sizeof *kept->in_items);
    for (int i = 0; i < round->arrived; i++) {
        came->room->source[i] = round->in_word_rank[i];
        came->room->items[i] = kept->in_items[round->in_word_rank[i]] = round->in_word[i];
        if (round->in_word[i] > (INT64_C(1) << 60) / bytes - total)
            return qdri_fail(QDR_ERR_RANGE, "more than 2^60 bytes come to this rank");
        total += round->in_word[i];
    }
    char *data = make_data(came, total * bytes);
    if (!data && total > 0) return qdri_fail_memory();
    came->count = total;
    came->data = data;
    came->sources = round->arrived;
    came->source = came->room->source;
    came->items = came->room->items;
    for (int r = 0; r < kept->ranks; r++) {
        kept->incoming[r] = data;
        if (kept->in_items[r] > 0) data += kept->in_items[r] * bytes;
    }
    return QDR_OK;
}

void qdr_arrivals_free_sized(qdr_arrivals *came, size_t arrivals_bytes) {
    if (!came) return;
    if (came->room) {
        free(came->room->data);
        free(came->room->source);
        free(came->room->items);
        free(came->room);
    }
    qdr_arrivals none = {.allocate = came->allocate, .context = came->context};
    qdri_sized_fill(came, arrivals_bytes, &none, sizeof none);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* A word for each rank that something goes to. */
static qdr_status tell(qdri_round *round, delivery *one) {
    kept *kept = one->kept;
    qdr_parcel *out = round->flight ? QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, kept->ranks) : NULL;
    if (!out) return qdri_fail_memory();
    for (int r = 0; r < kept->ranks; r++)
        if (kept->out_items[r] > 0)
            out[round->count++] = (qdr_parcel){r, sizeof(int64_t), &kept->out_items[r]};
    round->out = out;
    return qdri_discovery_named(NULL, round->wire, &round->method);
}

static qdr_status learn(MPI_Comm comm, delivery *one) {
    qdri_wire *wire;
    qdri_flight *flight;
    QDRI_TRY(qdri_flight_open(comm, "delivery", &wire, &flight));
    qdri_round round = {.call = "qdr_deliver",
                        .wire = wire,
                        .flight = flight,
                        .words = 1,
                        .alike = {{"bytes of an item", one->leaving.item_bytes}},
                        .alikes = 1,
                        .judge = make_room,
                        .context = one};
    round.status = take_in(one);
    if (!round.status) round.status = tell(&round, one);
    if (round.status) round.count = 0;
    qdr_status status = qdri_discover(&round);
    qdri_flight_close(&wire, &flight);
    return status;
}

static qdr_status start(MPI_Comm comm, delivery *one, qdr_pending **exchange) {
    QDRI_TRY(find_kept(comm, &one->kept));
    kept *kept = one->kept;
    QDRI_TRY(learn(comm, one));
    qdr_buffers buffers = {.item_bytes = one->leaving.item_bytes,
                           .outgoing = kept->outgoing,
                           .incoming = kept->incoming,
                           .outgoing_items = kept->out_items,
                           .incoming_items = kept->in_items};
    return qdr_plan_start(kept->plan, &buffers, exchange);
}

/* Reads what the caller has, in whatever release he has it, and fills it; also after a failure, for there may be room in
 * it. */
static qdr_status begin(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes, qdr_arrivals *came,
                        size_t arrivals_bytes, delivery *one, qdr_pending **exchange) {
    qdr_status refused = QDR_OK;
    if (!leaving || !came)
        refused = qdri_fail(QDR_ERR_INVALID, "qdr_deliver: %s is NULL", leaving ? "came" : "leaving");
    if (!refused)
        refused = qdri_element_read("qdr_items", &one->leaving, sizeof one->leaving, leaving, items_bytes, 0);
    if (!refused)
        refused = qdri_element_read("qdr_arrivals", &one->came, sizeof one->came, came, arrivals_bytes, 0);
    if (!one->refused) one->refused = refused;
    qdr_status status = start(comm, one, exchange);
    if (!refused) qdri_sized_fill(came, arrivals_bytes, &one->came, sizeof one->came);
    return status;
}

/* Nobody has the plan but the library: after a failure it cannot be used again, and neither can what it works on. So the
 * wire is broken, and later calls say so. */
static qdr_status give_up(MPI_Comm comm, qdr_status status) {
    qdri_wire *wire;
    char sentence[1024];
    if (!status) return QDR_OK;
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    if (!qdri_wire_open(comm, &wire)) {
        qdri_lock(wire);
        qdri_wire_break(wire, qdri_fail(status, "%s", sentence));
        qdri_unlock(wire);
        qdri_wire_release(&wire);
    }
    return qdri_fail(status, "%s", sentence);
}

qdr_status qdr_deliver_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes, qdr_arrivals *came,
                             size_t arrivals_bytes) {
    delivery one = {.refused = QDR_OK};
    qdr_pending *exchange = NULL;
    QDRI_TRY(begin(comm, leaving, items_bytes, came, arrivals_bytes, &one, &exchange));
    return give_up(comm, qdr_wait(&exchange));
}

/* One that was started. */
typedef struct started {
    qdr_pending pending; /* first: handles convert */
    MPI_Comm comm;
    qdr_pending *exchange;
} started;

static qdr_status end(qdr_pending **pending, qdr_status status) {
    started *ended = (started *)*pending;
    *pending = NULL;
    status = give_up(ended->comm, status);
    free(ended);
    return status;
}

static qdr_status test(qdr_pending **pending, int *done) {
    qdr_status status = qdr_test(&((started *)*pending)->exchange, done);
    return *done || status ? end(pending, status) : QDR_OK;
}

static qdr_status wait(qdr_pending **pending) {
    return end(pending, qdr_wait(&((started *)*pending)->exchange));
}

static const qdri_pending_kind delivery_kind = {test, wait};

qdr_status qdr_deliver_start_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes,
                                   qdr_arrivals *came, size_t arrivals_bytes, qdr_pending **pending) {
    delivery one = {.refused = QDR_OK};
    qdr_pending *exchange = NULL;
    started *made = QDRI_ZERO_ARRAY(started, 1);
    if (!pending)
        one.refused = qdri_fail(QDR_ERR_INVALID, "qdr_deliver_start: there is nowhere to put the handle");
    if (!made) one.refused = qdri_fail_memory();
    qdr_status status = begin(comm, leaving, items_bytes, came, arrivals_bytes, &one, &exchange);
    if (status) {
        free(made);
        return status;
    }
    *made = (started){{&delivery_kind}, comm, exchange};
    *pending = &made->pending;
    return QDR_OK;
}
