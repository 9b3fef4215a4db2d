/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of any size: packed at the origin, unpacked at the destination, released at the origin when another
 * rank has them.
 *
 * A message carries some objects in a buffer, with a head that says how many and whether more will come. The
 * receiver unpacks them, or keeps them packed if they are parked there (parked.c), and answers with a bit for
 * each that failed; the sender, if it is the origin, then releases the others. So an object is always at one
 * place, and its room is free when the sender's phase ends.
 *
 * The schedule counts bytes, and objects travel whole. A trip carries no more than its units: where the next
 * object would go beyond, it stays, and what was not used is the line's *lag*. A trip to the destination may
 * catch that up, one to a parking place may not, and the last trip of all takes everything. So a rank where
 * something is parked has no more than by the schedule (but after a last trip), the origin has up to one
 * largest object more for each trip since the last to the destination, and the destination has too much by
 * what the parking places have too little. All of it is less than one object for each trip to be parked, and
 * one more: what limit.c keeps back.
 *
 * An object counts its size, rounded up, and 16 bytes: as much as its entry takes at the origin, which is
 * freed as it leaves, and as it takes when it is parked.
 */
#include "migrate/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- failures ------------------------------------------------------------------------------------------ */

void qdri_hold_failed(qdri_hold *hold, const char *callback, int64_t number, int origin, int64_t returned) {
    if (hold->failures++ > 0) return;
    snprintf(hold->failure, sizeof hold->failure, "object %" PRId64 " of rank %d: %s returned %" PRId64,
             number, origin, callback, returned);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

qdri_line *qdri_hold_line(const qdri_hold *hold, int origin, int destination) {
    for (int64_t i = 0; i < hold->lines; i++)
        if (hold->line[i].origin == origin && hold->line[i].destination == destination) return &hold->line[i];
    return NULL;
}

/* ---- giving -------------------------------------------------------------------------------------------- */

/* What a trip may carry is settled when it is first asked for. */
static void begin_trip(qdri_line *line, qdri_trip *trip, int is_direct) {
    trip->begun = 1;
    line->due -= trip->units;
    trip->extra = 0;
    if (line->due == 0) {
        trip->extra = INT64_MAX / 2; /* everything */
    } else if (is_direct) {
        trip->extra = line->lag;
        line->lag = 0;
    }
}

static void end_trip(qdri_line *line, qdri_trip *trip) {
    if (!trip->ended && trip->extra < INT64_MAX / 2) line->lag += trip->units + trip->extra - trip->moved;
    trip->ended = 1;
}

/* The next object of this rank's own; 0: there is none. */
static int peek_own(const qdri_line *line, qdri_object_entry *entry) {
    if (!line->blocks) return 0;
    *entry = line->blocks->entry[line->blocks->count - 1];
    return 1;
}

static void pop_own(qdri_hold *hold, qdri_line *line) {
    qdri_block *block = line->blocks;
    if (--block->count > 0) return;
    line->blocks = block->next;
    qdri_budget_free(&hold->stock.job->budget, block);
}

static int pack_own(qdri_hold *hold, qdri_line *line, const qdri_object_entry *entry, char *at) {
    int failed = hold->objects->pack(hold->objects->context, entry->number, at);
    if (failed) qdri_hold_failed(hold, "pack", entry->number, line->origin, failed);
    pop_own(hold, line);
    return !failed;
}

/* Copies the last of a parcel. */
static void pack_parked(qdri_parcel *parcel, const qdri_object_entry *entry, char *at) {
    int64_t bytes = qdri_object_bytes(entry->size);
    memcpy(at, parcel->data + parcel->top - bytes, (size_t)(bytes - (int64_t)sizeof *entry));
    parcel->top -= bytes;
}

/* The next object of the line, from one parcel at most in a message. */
static int peek(const qdri_line *line, qdri_outlet *outlet, qdri_object_entry *entry) {
    if (line->blocks) return peek_own(line, entry);
    qdri_parcel *parcel = qdri_park_last(line);
    if (!parcel || (outlet->source && outlet->source != parcel)) return 0;
    (void)qdri_object_before(parcel->data + parcel->top, entry);
    return 1;
}

static void pack_next(qdri_hold *hold, qdri_line *line, qdri_outlet *outlet, qdri_objects_head *piece,
                      const qdri_object_entry *entry) {
    int64_t bytes = qdri_object_bytes(entry->size);
    char *at = outlet->staging + sizeof *piece + piece->bytes;
    if (line->blocks) {
        if (!pack_own(hold, line, entry, at)) return;
    } else {
        qdri_parcel *parcel = qdri_park_last(line);
        pack_parked(parcel, entry, at);
        if (!outlet->source) parcel->flying++;
        outlet->source = parcel;
    }
    memcpy(at + bytes - sizeof *entry, entry, sizeof *entry);
    piece->count++;
    piece->bytes += bytes;
}

static void give(qdri_stock *stock, qdri_trip *trip, int64_t bytes, qdri_outlet *outlet) {
    qdri_hold *hold = (qdri_hold *)stock;
    qdri_line *line = qdri_hold_line(hold, trip->origin, trip->destination);
    const qdri_trip_list *out = &stock->job->itinerary.out;
    int64_t room = bytes - (int64_t)sizeof(qdri_objects_head);
    qdri_objects_head piece = {.outlet = outlet->number};
    qdri_object_entry entry;
    if (!trip->begun) begin_trip(line, trip, out->lane[trip->lane].rank == trip->destination);
    if (room > hold->staging.bytes) room = hold->staging.bytes;
    outlet->source = NULL;
    while (piece.count < QDRI_PIECE_OBJECTS && !trip->ended && peek(line, outlet, &entry)) {
        int64_t needed = qdri_object_bytes(entry.size);
        if (trip->moved + needed > trip->units + trip->extra) {
            end_trip(line, trip);
            break;
        }
        if (piece.bytes + needed > room) {
            if (piece.count == 0) piece.need = needed;
            break;
        }
        trip->moved += needed;
        pack_next(hold, line, outlet, &piece, &entry);
    }
    if (!line->blocks && !qdri_park_last(line)) end_trip(line, trip);
    piece.last = trip->ended;
    memcpy(outlet->staging, &piece, sizeof piece);
    outlet->at = outlet->staging;
    outlet->bytes = (int64_t)sizeof piece + piece.bytes;
    outlet->count = piece.count;
    outlet->answered = piece.count > 0;
    memset(outlet->refused, 0, sizeof outlet->refused);
}

/* This rank's own: it has arrived, or stays. */
static void part_with(qdri_hold *hold, const qdri_object_entry *entry, int refused) {
    if (refused) return;
    int failed = hold->objects->release(hold->objects->context, entry->number);
    hold->stock.left++;
    if (failed)
        qdri_hold_failed(hold, "release", entry->number, hold->stock.job->rank, failed);
    else
        qdri_budget_give(&hold->stock.job->budget, entry->size);
}

static void gone(qdri_stock *stock, qdri_trip *trip, qdri_outlet *outlet) {
    qdri_hold *hold = (qdri_hold *)stock;
    int is_own = trip->origin == stock->job->rank;
    const char *end = outlet->staging + outlet->bytes;
    if (outlet->source)
        qdri_park_gone(hold, qdri_hold_line(hold, trip->origin, trip->destination), outlet->source);
    for (int64_t i = outlet->count - 1; i >= 0; i--) {
        qdri_object_entry entry;
        int refused = outlet->refused[i / 64] >> i % 64 & 1;
        end = qdri_object_before(end, &entry);
        if (is_own)
            part_with(hold, &entry, refused);
        else if (refused)
            qdri_park_keep(hold, trip->origin, end, &entry);
    }
    if (outlet->count > 0) qdri_run_progress(stock->run, outlet->bytes - (int64_t)sizeof(qdri_objects_head));
}

/* ---- taking -------------------------------------------------------------------------------------------- */

static int is_parked(const qdri_stock *stock, const qdri_trip *trip) {
    return trip->destination != stock->job->rank;
}

static void begin(qdri_stock *stock, qdri_trip *trip, int64_t trips) {
    qdri_hold *hold = (qdri_hold *)stock;
    for (int64_t i = 0; i < trips; i++)
        if (is_parked(stock, &trip[i]) && !qdri_park_open(hold, &trip[i])) trip[i].ended = 1;
}

static int64_t room_left(const qdri_budget *budget) {
    return budget->limit > 0 ? budget->limit - budget->used : INT64_MAX;
}

/* A second question for a trip is worth it if it has more than one message holds. What is parked comes in its
 * order, one message at a time, into memory that it has already. */
static int place(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake) {
    qdri_hold *hold = (qdri_hold *)stock;
    qdri_budget *budget = &stock->job->budget;
    int64_t most = hold->staging.bytes, room = room_left(budget);
    if (is_parked(stock, trip)) {
        const qdri_parcel *parcel = trip->parcel;
        if (trip->open > 0) return 0;
        room = parcel->capacity - parcel->used;
    } else if (trip->open > 0 && trip->units - trip->moved <= trip->open * most) {
        return 0;
    }
    if (room > most) room = most;
    if (room < (trip->need > 0 ? trip->need : (int64_t)sizeof(qdri_object_entry))) return 0;
    if (!is_parked(stock, trip)) (void)qdri_budget_take(budget, room);
    intake->at = intake->staging;
    intake->bytes = room + (int64_t)sizeof(qdri_objects_head);
    return 1;
}

/* They come home. */
static void unpack(qdri_hold *hold, const qdri_trip *trip, const qdri_objects_head *piece,
                   qdri_intake *intake) {
    const qdr_objects *objects = hold->objects;
    const char *end = intake->staging + sizeof *piece + piece->bytes;
    for (int64_t i = piece->count - 1; i >= 0; i--) {
        qdri_object_entry entry;
        end = qdri_object_before(end, &entry);
        int failed = objects->unpack(objects->context, trip->origin, end, entry.size);
        if (failed) {
            intake->refused[i / 64] |= UINT64_C(1) << i % 64;
            qdri_hold_failed(hold, "unpack", entry.number, trip->origin, failed);
            continue;
        }
        (void)qdri_budget_take(&hold->stock.job->budget, entry.size);
        hold->stock.came++;
        hold->stock.came_bytes += entry.size;
    }
}

static int came(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake, int64_t bytes) {
    qdri_hold *hold = (qdri_hold *)stock;
    qdri_objects_head piece;
    memcpy(&piece, intake->staging, sizeof piece);
    memset(intake->refused, 0, sizeof intake->refused);
    if (is_parked(stock, trip)) {
        qdri_park_add(hold, trip, intake->staging + sizeof piece, piece.bytes);
    } else {
        qdri_budget_give(&stock->job->budget, intake->bytes - (int64_t)sizeof piece);
        unpack(hold, trip, &piece, intake);
    }
    trip->moved += piece.bytes;
    trip->need = piece.need;
    trip->ended |= piece.last;
    intake->answer_to = piece.outlet;
    intake->bytes = 0;
    if (bytes > (int64_t)sizeof piece) qdri_run_progress(stock->run, piece.bytes);
    return piece.count > 0;
}

static void closed(qdri_stock *stock, qdri_trip *trip, int is_in) {
    qdri_hold *hold = (qdri_hold *)stock;
    if (is_in) {
        if (is_parked(stock, trip)) qdri_park_close(hold, trip);
        return;
    }
    qdri_line *line = qdri_hold_line(hold, trip->origin, trip->destination);
    if (!trip->begun) begin_trip(line, trip, 0);
    end_trip(line, trip);
}

static void through(qdri_stock *stock, qdri_closing_word *word) {
    qdri_hold *hold = (qdri_hold *)stock;
    qdri_park_settle(hold);
    word->sum[QDRI_CLOSING_ASTRAY] = hold->astray;
    word->sum[QDRI_CLOSING_LOST] = hold->lost;
    word->sum[QDRI_CLOSING_FAILURES] = hold->failures;
    memcpy(word->failure, hold->failure, sizeof word->failure);
}

static const qdri_stock_kind kind = {
    .begin = begin,
    .place = place,
    .came = came,
    .give = give,
    .gone = gone,
    .closed = closed,
    .through = through,
    .may_lack_room = 1,
};

/* ---- beginning and end --------------------------------------------------------------------------------- */

static int add_entry(qdri_hold *hold, qdri_line *line, qdri_object_entry entry) {
    qdri_block *block = line->blocks;
    if (!block || block->count == QDRI_BLOCK_ENTRIES) {
        block = QDRI_BUDGET_ARRAY(&hold->stock.job->budget, qdri_block, 1);
        if (!block) return 0;
        block->next = line->blocks;
        block->count = 0;
        line->blocks = block;
    }
    block->entry[block->count++] = entry;
    return 1;
}

/* The line to a rank; they lie by rising destination. */
static qdri_line *own_line(const qdri_hold *hold, int destination) {
    int64_t low = 0, high = hold->lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (hold->line[middle].destination < destination)
            low = middle + 1;
        else
            high = middle;
    }
    return &hold->line[low];
}

/* `due` counts down to what was asked for before. */
static qdr_status list(qdri_hold *hold) {
    const qdr_objects *objects = hold->objects;
    qdri_migration *job = hold->stock.job;
    for (int64_t i = 0; i < objects->count; i++) {
        if (objects->destination[i] == job->rank) continue;
        qdri_line *line = own_line(hold, objects->destination[i]);
        qdri_object_entry entry = {i, objects->size(objects->context, i)};
        if (entry.size < 0 || entry.size > line->due - (int64_t)sizeof entry ||
            qdri_object_bytes(entry.size) > job->largest)
            return qdri_fail(
                QDR_ERR_INVALID,
                "object %" PRId64 ": size returned %" PRId64
                " when called again, more than before for this object or others to the same rank",
                i, entry.size);
        line->due -= qdri_object_bytes(entry.size);
        if (!add_entry(hold, line, entry)) return qdri_fail_memory();
    }
    for (int64_t i = 0; i < hold->lines; i++) {
        if (hold->line[i].due != 0)
            return qdri_fail(QDR_ERR_INVALID,
                             "the objects for rank %d are %" PRId64
                             " bytes smaller when size is called a second time",
                             hold->line[i].destination, hold->line[i].due);
        hold->line[i].due = job->going[hold->line[i].destination];
    }
    return QDR_OK;
}

static int64_t count_parked(const qdri_migration *job) {
    const qdri_trip_list *in = &job->itinerary.in;
    int64_t parked = 0;
    for (int64_t i = 0; i < in->trips; i++) parked += in->trip[i].destination != job->rank;
    return parked;
}

qdr_status qdri_hold_open(qdri_hold *hold, qdri_migration *job, const qdr_objects *objects) {
    qdri_staging staging = qdri_staging_within(job, job->facts.limit);
    *hold = (qdri_hold){
        .stock = {.kind = &kind, .job = job, .places = staging.places},
        .objects = objects,
        .staging = staging,
        .line_capacity = job->facts.messages + count_parked(job),
    };
    hold->line = QDRI_BUDGET_ARRAY(&job->budget, qdri_line, hold->line_capacity);
    if (!hold->line) return qdri_fail_memory();
    for (int rank = 0; rank < job->ranks; rank++)
        if (rank != job->rank && job->going[rank] > 0)
            hold->line[hold->lines++] =
                (qdri_line){.origin = job->rank, .destination = rank, .due = job->going[rank]};
    return list(hold);
}

qdr_status qdri_hold_stage(qdri_hold *hold) {
    qdri_migration_run *run = hold->stock.run;
    int64_t bytes = hold->staging.bytes + (int64_t)sizeof(qdri_objects_head);
    for (int i = 0; i < hold->staging.places; i++) {
        run->intake[i].staging = qdri_run_alloc(run, bytes);
        run->outlet[i].staging = qdri_run_alloc(run, bytes);
        if (!run->intake[i].staging || !run->outlet[i].staging) return qdri_fail_memory();
    }
    return QDR_OK;
}

void qdri_hold_close(qdri_hold *hold) {
    if (!hold->stock.job) return;
    qdri_budget *budget = &hold->stock.job->budget;
    for (int64_t i = 0; i < hold->lines; i++) {
        for (qdri_block *block = hold->line[i].blocks, *next; block; block = next) {
            next = block->next;
            qdri_budget_free(budget, block);
        }
        while (hold->line[i].parcels) {
            qdri_parcel *parcel = hold->line[i].parcels;
            parcel->top = parcel->flying = 0;
            qdri_park_gone(hold, &hold->line[i], parcel);
        }
    }
    qdri_budget_free(budget, hold->line);
}
