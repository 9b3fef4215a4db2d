/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects: the stock, and how they travel. Shared by objects.c and parked.c. */
#ifndef QDRI_MIGRATE_OBJECTS_H
#define QDRI_MIGRATE_OBJECTS_H

#include "migrate/inside.h"

/* An object that is to leave; and what stands behind its bytes when it travels. */
typedef struct qdri_object_entry {
    int64_t number; /* at its origin */
    int64_t size;
} qdri_object_entry;

typedef struct qdri_block {
    struct qdri_block *next;
    int64_t count;
    qdri_object_entry entry[QDRI_BLOCK_ENTRIES];
} qdri_block;

/* Objects of one trip that are parked here, packed: each as its bytes, rounded up, and its entry, so that
 * they can be read from the end. */
typedef struct qdri_parcel {
    struct qdri_parcel *next;
    int64_t capacity; /* bytes */
    int64_t used;     /* of them, given away or not */
    int64_t top;      /* what is above has been given away, but has not arrived everywhere */
    int64_t flying;   /* messages with parts of it under way */
    char data[];
} qdri_parcel;

/* What this rank holds of one message. */
typedef struct qdri_line {
    int origin, destination;
    int64_t due;          /* units that by the schedule are still to leave, or to come and leave */
    int64_t lag;          /* units that should have left, and have not, since objects travel whole */
    qdri_block *blocks;   /* at the origin */
    qdri_parcel *parcels; /* elsewhere */
} qdri_line;

_Static_assert(sizeof(qdri_object_entry) == QDRI_ENTRY_BYTES && sizeof(qdri_line) <= QDRI_LINE_BYTES,
               "what limit.c reckons with");

/* What stands in front of the objects in a message. */
typedef struct qdri_objects_head {
    int64_t count, bytes; /* objects, and bytes of them all */
    int64_t need;         /* of the next one, which did not fit; 0: it would have */
    int32_t last;         /* there is nothing more of this trip */
    int32_t outlet;
} qdri_objects_head;

typedef struct qdri_hold {
    qdri_stock stock;
    const qdr_objects *objects;
    qdri_staging staging;
    qdri_line *line;
    int64_t lines, line_capacity;
    int64_t astray, lost; /* objects unpacked where they were parked; nowhere */
    int64_t failures;
    char failure[400]; /* the first */
} qdri_hold;

/* Bytes of an object as it travels. */
static inline int64_t qdri_object_bytes(int64_t size) {
    return (size + 7) / 8 * 8 + (int64_t)sizeof(qdri_object_entry);
}

/* The object that ends at `end`, and where it begins. */
static inline const char *qdri_object_before(const char *end, qdri_object_entry *entry) {
    const char *footer = end - sizeof *entry;
    *entry = *(const qdri_object_entry *)(const void *)footer;
    return end - qdri_object_bytes(entry->size);
}

/* A callback has failed. */
void qdri_hold_failed(qdri_hold *hold, const char *callback, int64_t number, int origin, int64_t returned);

/* NULL: none. */
qdri_line *qdri_hold_line(const qdri_hold *hold, int origin, int destination);

/* Local. Lists what leaves; the sizes must be those that were asked for before. */
qdr_status qdri_hold_open(qdri_hold *hold, qdri_migration *job, const qdr_objects *objects);
/* Local, once the run is open: its buffers. */
qdr_status qdri_hold_stage(qdri_hold *hold);
void qdri_hold_close(qdri_hold *hold);

/* ---- parked.c ------------------------------------------------------------------------------------------ */

/* Room for a trip that is to be parked; 0: there is none. */
int qdri_park_open(qdri_hold *hold, qdri_trip *trip);
/* A message's objects are added. */
void qdri_park_add(qdri_hold *hold, qdri_trip *trip, const char *objects, int64_t bytes);
/* Nothing more comes: it belongs to its line. */
void qdri_park_close(qdri_hold *hold, qdri_trip *trip);
/* The last one of a line that has not been given away; NULL: none. */
qdri_parcel *qdri_park_last(const qdri_line *line);
/* What was given away of it has arrived, or has been unpacked here. */
void qdri_park_gone(qdri_hold *hold, qdri_line *line, qdri_parcel *parcel);
/* Unpacks an object where it was parked. */
void qdri_park_keep(qdri_hold *hold, int origin, const char *bytes, const qdri_object_entry *entry);
/* Local, at the end: what is still parked here stays here. */
void qdri_park_settle(qdri_hold *hold);

#endif
