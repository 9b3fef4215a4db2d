/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deliveries: discovery and an exchange in one call.
 *
 *     sort items by destination; discover who has how much for whom; make room; [agree that all have it; exchange]
 *
 * What is small travels along with the discovery, from the caller's memory to that of the receiver, which has room for it
 * beforehand; where all of it does, on one node, a delivery is a single agreement, and the steps in brackets fall away.
 *
 * The pattern of the plan is one item from everyone to everyone, and each exchange states its own sizes; so one plan
 * serves all deliveries on a communicator, with which it is kept, as is the memory to sort in. Ranks that have nothing for
 * each other exchange nothing. Cost: O(items + ranks), one or two agreements, and the messages that there are.
 */
#include "quadrille/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "discover/round.h"
#include "plan/cargo.h"
#include "plan/collectives/kept.h"
#include "quadrille/plan.h"
#include "wire/agree.h"
#include "wire/flight.h"

/* What came, in memory of the library. */
struct qdr_arrival_room {
    int64_t capacity; /* bytes of data */
    void *data;
    int64_t other_capacity; /* of what came before, which may be leaving again */
    void *other;
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
    qdri_wire *wire;
    qdr_items leaving;
    qdr_arrivals came;
    kept *kept;
    int exchanges; /* some of it did not travel along */
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
static qdr_status find_kept(MPI_Comm comm, qdri_wire *wire, kept **found) {
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
    return status;
}

/* ---- what leaves --------------------------------------------------------------------------------------- */

static qdr_status check_groups(const qdr_items *leaving, int ranks, int64_t *out_items) {
    if (leaving->count || leaving->destination)
        return qdri_fail(QDR_ERR_INVALID,
                         "qdr_deliver: items are grouped, or each has a destination, not both");
    if (leaving->groups < 0 || leaving->groups > ranks)
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %d groups; expected 0 to %d", leaving->groups, ranks);
    if (leaving->groups > 0 && !leaving->items)
        return qdri_fail(QDR_ERR_INVALID, "qdr_deliver: %d groups, but items is NULL", leaving->groups);
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
    if (leaving->count < 0 || leaving->count > (INT64_C(1) << 56))
        return qdri_fail(QDR_ERR_RANGE, "qdr_deliver: %lld items; expected 0 to 2^56",
                         (long long)leaving->count);
    if (leaving->count > 0 && !leaving->destination)
        return qdri_fail(QDR_ERR_INVALID, "qdr_deliver: %lld items, but destination is NULL",
                         (long long)leaving->count);
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

/* What came often leaves again, straight from where it came: then there is room for the next somewhere else. */
static void keep_what_leaves(delivery *one) {
    struct qdr_arrival_room *room = one->came.room;
    uintptr_t data = (uintptr_t)one->leaving.data;
    if (!room || data - (uintptr_t)room->data >= (uintptr_t)room->capacity) return;
    struct qdr_arrival_room old = *room;
    room->data = old.other;
    room->capacity = old.other_capacity;
    room->other = old.data;
    room->other_capacity = old.capacity;
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
    keep_what_leaves(one);
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

/* What may come along with a discovery that is a single agreement has its room before: so taking it cannot fail. */
static int reserve(delivery *one, const qdri_round *round) {
    qdr_arrivals *came = &one->came;
    int64_t ranks = one->kept->ranks, own = one->kept->out_items[qdri_wire_rank(round->wire)];
    if (!came->room) came->room = QDRI_ZERO_ARRAY(struct qdr_arrival_room, 1);
    if (!came->room || !make_table(came->room, (int)ranks)) return 0;
    if (came->allocate || !round->method->at_once) return 1;
    return make_data(came, (ranks - 1) * round->most_carried + own * one->leaving.item_bytes + 1) != NULL;
}

static qdr_status add_source(delivery *one, int rank, int64_t bytes) {
    qdr_arrivals *came = &one->came;
    int64_t each = one->leaving.item_bytes;
    if (bytes % each)
        return qdri_fail(QDR_ERR_MISMATCH, "%lld bytes come from rank %d, with items of %lld",
                         (long long)bytes, rank, (long long)each);
    if (bytes / each > (INT64_C(1) << 60) / each - came->count)
        return qdri_fail(QDR_ERR_RANGE, "more than 2^60 bytes come to this rank");
    came->room->source[came->sources] = rank;
    came->room->items[came->sources++] = bytes / each;
    came->count += bytes / each;
    return QDR_OK;
}

/* All that comes, by rising rank, and what this rank has for itself among it. */
static qdr_status list_sources(delivery *one, const qdri_round *round) {
    int own = qdri_wire_rank(round->wire);
    int64_t own_bytes = one->kept->out_items[own] * one->leaving.item_bytes;
    for (int i = 0; i <= round->arrived; i++) {
        int rank = i < round->arrived ? round->came[i].rank : one->kept->ranks;
        if (own_bytes > 0 && rank > own) {
            QDRI_TRY(add_source(one, own, own_bytes));
            own_bytes = 0;
        }
        if (i < round->arrived) QDRI_TRY(add_source(one, rank, round->came[i].bytes));
    }
    return QDR_OK;
}

/* What is here is copied to its place; of the rest the exchange has to know where it is to come. */
static void place_all(delivery *one, const qdri_round *round) {
    const qdr_arrivals *came = &one->came;
    kept *kept = one->kept;
    int64_t each = one->leaving.item_bytes;
    char *place = came->data;
    int own = qdri_wire_rank(round->wire);
    for (int i = 0, next = 0; i < came->sources; i++) {
        int rank = came->source[i];
        int64_t bytes = came->items[i] * each;
        const void *data = rank == own ? kept->outgoing[own] : round->came[next++].data;
        if (data) memcpy(place, data, (size_t)bytes);
        kept->incoming[rank] = place;
        kept->in_items[rank] = data ? 0 : came->items[i];
        place += bytes;
    }
}

/* What came with the discovery, and how much will. */
static qdr_status take(qdri_round *round) {
    delivery *one = round->context;
    qdr_arrivals *came = &one->came;
    kept *kept = one->kept;
    came->count = came->sources = 0;
    QDRI_TRY(list_sources(one, round));
    came->data = make_data(came, came->count * one->leaving.item_bytes);
    if (!came->data && came->count > 0) return qdri_fail_memory();
    came->source = came->room->source;
    came->items = came->room->items;
    one->exchanges = round->largest > round->most_carried;
    for (int r = 0; r < kept->ranks; r++) {
        kept->in_items[r] = 0;
        kept->incoming[r] = came->data;
    }
    place_all(one, round);
    for (int r = 0; r < kept->ranks; r++)
        if (r == qdri_wire_rank(round->wire) ||
            kept->out_items[r] * one->leaving.item_bytes <= round->carries)
            kept->out_items[r] = 0;
    return QDR_OK;
}

void qdr_arrivals_free_sized(qdr_arrivals *came, size_t arrivals_bytes) {
    if (!came) return;
    if (came->room) {
        free(came->room->data);
        free(came->room->other);
        free(came->room->source);
        free(came->room->items);
        free(came->room);
    }
    qdr_arrivals none = {.allocate = came->allocate, .context = came->context};
    qdri_sized_fill(came, arrivals_bytes, &none, sizeof none);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Bytes for one rank that travel along. All of them together are not much, on whatever number of ranks. */
static int64_t carried(int ranks) {
    enum { MOST = 8 << 10, ALL = 1 << 20, LEAST = 512 };
    return ALL / ranks > MOST ? MOST : ALL / ranks > LEAST ? ALL / ranks : LEAST;
}

/* A parcel for each rank that something goes to. */
static qdr_status tell(qdri_round *round, delivery *one) {
    kept *kept = one->kept;
    qdr_parcel *out = round->flight ? QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, kept->ranks) : NULL;
    if (!out) return qdri_fail_memory();
    for (int r = 0; r < kept->ranks; r++)
        if (kept->out_items[r] > 0 && r != qdri_wire_rank(round->wire))
            out[round->count++] =
                (qdr_parcel){r, kept->out_items[r] * one->leaving.item_bytes, (void *)kept->outgoing[r]};
    round->out = out;
    round->most_carried = carried(kept->ranks);
    round->takes_its_time = one->came.allocate != NULL;
    QDRI_TRY(qdri_discovery_named(NULL, round->wire, &round->method));
    return reserve(one, round) ? QDR_OK : qdri_fail_memory();
}

static qdr_status learn(MPI_Comm comm, delivery *one) {
    qdri_wire *wire;
    qdri_flight *flight;
    QDRI_TRY(qdri_flight_open(comm, "delivery", &wire, &flight));
    qdri_round round = {.call = "qdr_deliver",
                        .wire = wire,
                        .flight = flight,
                        .alike = {{"bytes of an item", one->leaving.item_bytes}},
                        .alikes = 1,
                        .take = take,
                        .context = one};
    round.status = take_in(one);
    if (!round.status) round.status = tell(&round, one);
    if (round.status) round.count = 0;
    qdr_status status = qdri_discover(&round);
    qdri_flight_close(&wire, &flight);
    return status;
}

/* All but the exchange. */
static qdr_status discover(MPI_Comm comm, delivery *one) {
    QDRI_TRY(qdri_wire_open(comm, &one->wire));
    qdr_status status = find_kept(comm, one->wire, &one->kept);
    if (!status) status = learn(comm, one);
    if (status) qdri_wire_release(&one->wire);
    return status;
}

/* Reads what the caller has, in whatever release he has it, and fills it; also after a failure, for there may be room in
 * it. */
static qdr_status begin(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes, qdr_arrivals *came,
                        size_t arrivals_bytes, delivery *one) {
    qdr_status refused = QDR_OK;
    if (!leaving || !came)
        refused = qdri_fail(QDR_ERR_INVALID, "qdr_deliver: %s is NULL", leaving ? "came" : "leaving");
    if (!refused)
        refused = qdri_element_read("qdr_items", &one->leaving, sizeof one->leaving, leaving, items_bytes, 0);
    if (!refused)
        refused = qdri_element_read("qdr_arrivals", &one->came, sizeof one->came, came, arrivals_bytes, 0);
    if (!one->refused) one->refused = refused;
    qdr_status status = discover(comm, one);
    if (!refused) qdri_sized_fill(came, arrivals_bytes, &one->came, sizeof one->came);
    return status;
}

/* NULL: everything has come. */
static const qdr_buffers *buffers_of(const delivery *one, qdr_buffers *buffers) {
    *buffers = (qdr_buffers){.item_bytes = one->leaving.item_bytes,
                             .outgoing = one->kept->outgoing,
                             .incoming = one->kept->incoming,
                             .outgoing_items = one->kept->out_items,
                             .incoming_items = one->kept->in_items};
    return one->exchanges ? buffers : NULL;
}

qdr_status qdr_deliver_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes, qdr_arrivals *came,
                             size_t arrivals_bytes) {
    delivery one = {.refused = QDR_OK};
    qdr_buffers buffers;
    QDRI_TRY(begin(comm, leaving, items_bytes, came, arrivals_bytes, &one));
    qdr_status status = qdri_kept_run(one.wire, one.kept->plan, buffers_of(&one, &buffers));
    qdri_wire_release(&one.wire);
    return status;
}

qdr_status qdr_deliver_start_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes,
                                   qdr_arrivals *came, size_t arrivals_bytes, qdr_pending **pending) {
    delivery one = {.refused = QDR_OK};
    qdr_buffers buffers;
    qdri_kept_exchange *made = qdri_kept_make();
    if (!pending)
        one.refused = qdri_fail(QDR_ERR_INVALID, "qdr_deliver_start: there is nowhere to put the handle");
    if (!made) one.refused = qdri_fail_memory();
    qdr_status status = begin(comm, leaving, items_bytes, came, arrivals_bytes, &one);
    if (!status) {
        status = qdri_kept_start(made, one.wire, one.kept->plan, buffers_of(&one, &buffers), pending);
        if (status) qdri_wire_release(&one.wire);
    }
    if (status) free(made);
    return status;
}
