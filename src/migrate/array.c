/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Items of an array, moved in place. After sorting (sort.c) those that stay lie first, then one stretch for
 * each message, then the room. From there on nothing is moved until the end: a message is given away from
 * the end of its stretch, which leaves a hole; what comes is received straight into holes. What is neither
 * at home nor on its way is a *segment*: a hole, a stretch that is still to leave (of this rank, or parked
 * here), or a place that a trip of this phase has been promised. At the end all segments are holes, and
 * items from behind the last fill them.
 *
 * How many segments there can be, so that the table never has to grow: stretches are messages and parked
 * trips. When a phase begins, holes are promised trip by trip, so each trip cuts at most one hole in two,
 * and what is parked in several holes takes the entries that these had. A stretch that is partly given away
 * has a hole behind it, one per message at a time. What has arrived out of order, or left out of order,
 * adds one per place of the run.
 *
 * The limit is kept to the byte by having no more room: items that came beyond those that left lie in it.
 *
 * Cost: the sort, one copy of what lies behind the final count at the end, and a look at all segments for
 * each message.
 */
#include <inttypes.h>
#include <string.h>

#include "migrate/inside.h"

typedef struct qdri_array_segment {
    int64_t start, count;
    int64_t key; /* HOLE; a message; or a trip that is promised the place */
} segment;

_Static_assert(sizeof(segment) <= QDRI_SEGMENT_BYTES, "what limit.c reckons with");

enum { HOLE = -1 };

static int64_t message_key(const qdri_trip *trip) {
    return (int64_t)trip->origin << 31 | trip->destination;
}

/* Of a trip of the present phase, by its number in the itinerary. */
static int64_t promise_key(const qdri_array *array, const qdri_trip *trip) {
    return -2 - (trip - array->stock.job->itinerary.in.trip);
}

/* ---- segments ------------------------------------------------------------------------------------------ */

static void drop(qdri_array *array, segment *gone) {
    *gone = array->segment[--array->segments];
}

/* Neighbours with the same key become one. */
static void add(qdri_array *array, int64_t key, int64_t start, int64_t count) {
    for (int64_t i = 0; i < array->segments;) {
        segment *other = &array->segment[i];
        int touches =
            other->key == key && (other->start + other->count == start || start + count == other->start);
        if (!touches) {
            i++;
            continue;
        }
        if (other->start < start) start = other->start;
        count += other->count;
        drop(array, other);
    }
    if (array->segments == array->capacity) {
        qdri_run_fail(
            array->stock.run,
            qdri_fail(QDR_ERR_MEMORY, "the array lies in more than %" PRId64 " parts", array->capacity));
        return;
    }
    array->segment[array->segments++] = (segment){start, count, key};
}

/* The one of this key that lies lowest, or highest; NULL: none. */
static segment *find(const qdri_array *array, int64_t key, int highest) {
    segment *found = NULL;
    for (int64_t i = 0; i < array->segments; i++) {
        segment *one = &array->segment[i];
        if (one->key == key && (!found || (one->start > found->start) == highest)) found = one;
    }
    return found;
}

/* ---- giving and taking --------------------------------------------------------------------------------- */

/* What comes to stay lies low, what is parked lies high: less is moved in the end. */
static void promise(qdri_array *array, const qdri_trip *trip, int is_parked) {
    int64_t units = trip->units, key = promise_key(array, trip);
    while (units > 0) {
        segment *hole = find(array, HOLE, is_parked);
        if (!hole) {
            qdri_run_fail(array->stock.run,
                          qdri_fail(QDR_ERR_BROKEN,
                                    "%" PRId64 " items come in phase %" PRId64 " for which there is no room",
                                    units, trip->phase));
            return;
        }
        int64_t start = hole->start, part = hole->count < units ? hole->count : units;
        hole->start += part;
        hole->count -= part;
        if (hole->count == 0) drop(array, hole);
        units -= part;
        add(array, key, start, part);
    }
}

static void begin(qdri_stock *stock, qdri_trip *trip, int64_t trips) {
    qdri_array *array = (qdri_array *)stock;
    for (int is_parked = 0; is_parked < 2; is_parked++)
        for (int64_t i = 0; i < trips; i++)
            if ((trip[i].destination != stock->job->rank) == is_parked) promise(array, &trip[i], is_parked);
}

static int64_t piece_units(const qdri_migration *job) {
    int64_t units = QDRI_PIECE_BYTES / job->unit_bytes;
    return units > 0 ? units : 1;
}

static int place(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake) {
    qdri_array *array = (qdri_array *)stock;
    int64_t item_bytes = stock->job->unit_bytes, most = piece_units(stock->job);
    segment *promised = find(array, promise_key(array, trip), 0);
    if (!promised) return 0;
    int64_t count = promised->count < most ? promised->count : most;
    if (!qdri_budget_take(&stock->job->budget, count * item_bytes)) {
        qdri_run_fail(stock->run, qdri_fail(QDR_ERR_BROKEN, "%" PRId64 " items go beyond the limit", count));
        return 0;
    }
    intake->start = promised->start;
    intake->at = array->items + promised->start * item_bytes;
    intake->bytes = count * item_bytes;
    promised->start += count;
    promised->count -= count;
    if (promised->count == 0) drop(array, promised);
    return 1;
}

/* Less than asked for may come, where a sender's stretch has ended; the rest of the place waits for more. */
static int came(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake, int64_t bytes) {
    qdri_array *array = (qdri_array *)stock;
    int64_t count = bytes / stock->job->unit_bytes;
    int is_parked = trip->destination != stock->job->rank;
    if (is_parked) {
        add(array, message_key(trip), intake->start, count);
        stock->parked_bytes += bytes;
    } else {
        stock->came += count;
        stock->came_bytes += bytes;
    }
    intake->start += count;
    intake->at += bytes;
    intake->bytes -= bytes;
    trip->moved += count;
    trip->ended = trip->moved == trip->units;
    qdri_run_progress(stock->run, bytes);
    return 0;
}

static void give(qdri_stock *stock, qdri_trip *trip, int64_t bytes, qdri_outlet *outlet) {
    qdri_array *array = (qdri_array *)stock;
    int64_t item_bytes = stock->job->unit_bytes, count = bytes / item_bytes;
    segment *stretch = find(array, message_key(trip), 1);
    if (!stretch || count < 1 || count > trip->units - trip->moved) {
        qdri_run_fail(stock->run,
                      qdri_fail(QDR_ERR_BROKEN,
                                "%" PRId64 " items from rank %d to rank %d are asked for in phase "
                                "%" PRId64 ", and there are %" PRId64,
                                count, trip->origin, trip->destination, trip->phase,
                                stretch ? trip->units - trip->moved : 0));
        return;
    }
    if (count > stretch->count) count = stretch->count;
    stretch->count -= count;
    outlet->start = stretch->start + stretch->count;
    outlet->count = count;
    outlet->at = array->items + outlet->start * item_bytes;
    outlet->bytes = count * item_bytes;
    outlet->answered = 0;
    trip->moved += count;
    if (stretch->count == 0) drop(array, stretch);
}

static void gone(qdri_stock *stock, qdri_trip *trip, qdri_outlet *outlet) {
    if (trip->origin == stock->job->rank) stock->left += outlet->count;
    add((qdri_array *)stock, HOLE, outlet->start, outlet->count);
    qdri_budget_give(&stock->job->budget, outlet->bytes);
    qdri_run_progress(stock->run, outlet->bytes);
}

static void closed(qdri_stock *stock, qdri_trip *trip, int is_in) {
    (void)stock, (void)trip, (void)is_in;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Where the last hole below `top` ends. */
static int64_t last_hole(const qdri_array *array, int64_t top) {
    int64_t end = 0;
    for (int64_t i = 0; i < array->segments; i++) {
        int64_t its = array->segment[i].start + array->segment[i].count;
        if (its > end && its <= top) end = its;
    }
    return end;
}

static void through(qdri_stock *stock, qdri_closing_word *word) {
    qdri_array *array = (qdri_array *)stock;
    int64_t item_bytes = array->stock.job->unit_bytes, top = array->end;
    while (array->segments > 0) {
        int64_t below = last_hole(array, top);
        segment *low = find(array, HOLE, 0), *high = find(array, HOLE, 1);
        if (below == top) {
            top = high->start;
            drop(array, high);
            continue;
        }
        int64_t part = top - below < low->count ? top - below : low->count;
        memcpy(array->items + low->start * item_bytes, array->items + (top - part) * item_bytes,
               (size_t)(part * item_bytes));
        top -= part;
        low->start += part;
        low->count -= part;
        if (low->count == 0) drop(array, low);
    }
    array->count = top;
    (void)word;
}

static const qdri_stock_kind kind = {
    .begin = begin,
    .place = place,
    .came = came,
    .give = give,
    .gone = gone,
    .closed = closed,
    .through = through,
};

/* ---- beginning ----------------------------------------------------------------------------------------- */

/* `going` becomes the starts of the groups. */
static qdr_status sort(qdri_array *array, int *destination) {
    qdri_migration *job = array->stock.job;
    int64_t *start = QDRI_BUDGET_ARRAY(&job->budget, int64_t, 2 * (int64_t)job->ranks + 1);
    if (!start) return qdri_fail_memory();
    start[0] = 0;
    for (int group = 0; group < job->ranks; group++)
        start[group + 1] = start[group] + job->going[(group + job->rank) % job->ranks];
    qdri_sort_items(array->items, job->unit_bytes, destination, job->rank, job->ranks, start,
                    start + job->ranks + 1);
    for (int group = 1; group < job->ranks; group++) {
        qdri_trip trip = {.origin = job->rank, .destination = (group + job->rank) % job->ranks};
        if (start[group + 1] > start[group])
            array->segment[array->segments++] =
                (segment){start[group], start[group + 1] - start[group], message_key(&trip)};
    }
    qdri_budget_free(&job->budget, start);
    return QDR_OK;
}

static int64_t count_segments(const qdri_migration *job, int places) {
    const qdri_trip_list *in = &job->itinerary.in;
    int64_t parked = 0, most = 0;
    for (int64_t i = 0, row = 0; i < in->trips; i++) {
        parked += in->trip[i].destination != job->rank;
        row = i > 0 && in->trip[i - 1].phase == in->trip[i].phase ? row + 1 : 1;
        if (row > most) most = row;
    }
    return 2 * job->facts.messages + 3 * parked + most + 2 * places + 8;
}

qdr_status qdri_array_open(qdri_array *array, qdri_migration *job, void *items, int64_t count,
                           int *destination) {
    int places = qdri_staging_within(job, job->facts.limit).places;
    *array = (qdri_array){
        .stock = {.kind = &kind, .job = job, .places = places},
        .items = items,
        .count = count,
        .capacity = count_segments(job, places),
    };
    array->segment = QDRI_BUDGET_ARRAY(&job->budget, segment, array->capacity);
    return array->segment ? sort(array, destination) : qdri_fail_memory();
}

void qdri_array_make_room(qdri_array *array, int64_t items) {
    array->end = array->count + items;
    if (items > 0) array->segment[array->segments++] = (segment){array->count, items, HOLE};
}

void qdri_array_close(qdri_array *array) {
    if (array->stock.job) qdri_budget_free(&array->stock.job->budget, array->segment);
}
