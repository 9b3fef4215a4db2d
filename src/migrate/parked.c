/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parked objects. Those of one trip lie in one block of memory, a parcel, which is there when the trip begins
 * and shrinks to what came when it ends. They are given away from its end, and as soon as nothing of it is
 * under way, the parcel shrinks to what is left: so parking takes no more memory than what is parked.
 *
 * An object that its destination refuses, or has no room for, is unpacked where it is parked: its origin has
 * released it, and somebody has to have it. If that fails too it is lost, which is counted and said.
 */
#include <stdlib.h>
#include <string.h>

#include "migrate/objects.h"

static int64_t parcel_bytes(int64_t capacity) {
    return (int64_t)sizeof(qdri_parcel) + capacity;
}

/* The parcel with less capacity; it may move. */
static qdri_parcel *shrink(qdri_hold *hold, qdri_parcel *parcel, int64_t capacity) {
    if (capacity >= parcel->capacity) return parcel;
    int64_t freed = parcel->capacity - capacity;
    qdri_parcel *smaller = realloc(parcel, (size_t)parcel_bytes(capacity));
    if (!smaller) return parcel;
    smaller->capacity = capacity;
    qdri_budget_give(&hold->stock.job->budget, freed);
    return smaller;
}

static void discard(qdri_hold *hold, qdri_parcel *parcel) {
    qdri_budget_give(&hold->stock.job->budget, parcel_bytes(parcel->capacity));
    free(parcel);
}

/* ---- coming -------------------------------------------------------------------------------------------- */

static qdri_line *line_of(qdri_hold *hold, const qdri_trip *trip) {
    qdri_line *line = qdri_hold_line(hold, trip->origin, trip->destination);
    if (line) return line;
    line = &hold->line[hold->lines++];
    *line = (qdri_line){.origin = trip->origin, .destination = trip->destination};
    return line;
}

int qdri_park_open(qdri_hold *hold, qdri_trip *trip) {
    qdri_budget *budget = &hold->stock.job->budget;
    int64_t capacity = trip->units + trip->extra;
    line_of(hold, trip)->due += trip->units;
    trip->parcel = NULL;
    if (!qdri_budget_take(budget, parcel_bytes(capacity))) return 0;
    qdri_parcel *parcel = malloc((size_t)parcel_bytes(capacity));
    if (!parcel) {
        qdri_budget_give(budget, parcel_bytes(capacity));
        return 0;
    }
    *parcel = (qdri_parcel){.capacity = capacity};
    trip->parcel = parcel;
    return 1;
}

void qdri_park_add(qdri_hold *hold, qdri_trip *trip, const char *objects, int64_t bytes) {
    qdri_parcel *parcel = trip->parcel;
    memcpy(parcel->data + parcel->used, objects, (size_t)bytes);
    parcel->used = parcel->top = parcel->used + bytes;
    for (const char *end = objects + bytes; end > objects;) {
        qdri_object_entry entry;
        end = qdri_object_before(end, &entry);
        hold->stock.parked_bytes += entry.size;
    }
}

void qdri_park_close(qdri_hold *hold, qdri_trip *trip) {
    qdri_parcel *parcel = trip->parcel;
    trip->parcel = NULL;
    if (!parcel) return;
    if (parcel->used == 0) {
        discard(hold, parcel);
        return;
    }
    qdri_line *line = line_of(hold, trip);
    parcel = shrink(hold, parcel, parcel->used);
    parcel->next = line->parcels;
    line->parcels = parcel;
}

/* ---- leaving ------------------------------------------------------------------------------------------- */

qdri_parcel *qdri_park_last(const qdri_line *line) {
    qdri_parcel *parcel = line->parcels;
    while (parcel && parcel->top == 0) parcel = parcel->next;
    return parcel;
}

void qdri_park_gone(qdri_hold *hold, qdri_line *line, qdri_parcel *parcel) {
    qdri_parcel **link = &line->parcels;
    if (parcel->flying > 0 && --parcel->flying > 0) return;
    while (*link != parcel) link = &(*link)->next;
    if (parcel->top == 0) {
        *link = parcel->next;
        discard(hold, parcel);
        return;
    }
    parcel->used = parcel->top;
    *link = shrink(hold, parcel, parcel->used);
}

void qdri_park_keep(qdri_hold *hold, int origin, const char *bytes, const qdri_object_entry *entry) {
    const qdr_objects *objects = hold->objects;
    int failed = objects->unpack(objects->context, origin, bytes, entry->size);
    if (failed) {
        qdri_hold_failed(hold, "unpack", entry->number, origin, failed);
        hold->lost++;
        return;
    }
    hold->astray++;
    (void)qdri_budget_take(&hold->stock.job->budget, entry->size);
}

/* Each is taken out of its parcel before it is unpacked: a buffer of the run holds it meanwhile. */
void qdri_park_settle(qdri_hold *hold) {
    char *staging = hold->stock.run->intake[0].staging;
    for (int64_t i = 0; i < hold->lines; i++)
        while (hold->line[i].parcels) {
            qdri_line *line = &hold->line[i];
            qdri_parcel *parcel = line->parcels;
            qdri_object_entry entry;
            const char *bytes = qdri_object_before(parcel->data + parcel->top, &entry);
            memcpy(staging, bytes, (size_t)entry.size);
            parcel->top = bytes - parcel->data;
            qdri_park_gone(hold, line, parcel);
            qdri_park_keep(hold, line->origin, staging, &entry);
        }
}
