/* SPDX-License-Identifier: BSD-3-Clause */
/* Shelves (shelf.h): growing, removing, and the memory behind them. */
#include "directory/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/node.h"

/* How full an array may be, how full it is made, how empty it may be, and by how much it grows at least, in
 * percent. Free places have room for payloads too, so with these it is fuller: up to 24 bytes of payload, an
 * entry costs no more than 32 bytes beside it. */
typedef struct fill {
    int fullest, made, emptiest, growth;
} fill;
static const fill fill_plain = {80, 55, 50, 140}, fill_laden = {92, 82, 72, 118};
enum { SMALLEST = 16, CLEARED_AHEAD = 1 << 12 };

static const fill *fill_of(const qdri_shelf *shelf) {
    return shelf->payload_bytes ? &fill_laden : &fill_plain;
}

static const int64_t most_entries = INT64_C(1) << 31;

const qdri_entry qdri_nothing[QDRI_LINE];

static int64_t entry_bytes(const qdri_shelf *shelf) {
    return (int64_t)sizeof(qdri_entry) + shelf->payload_bytes;
}

int64_t qdri_shelf_bytes(const qdri_shelf *shelf) {
    return shelf->capacity * entry_bytes(shelf);
}

qdri_shelf_view qdri_shelf_look(const qdri_shelf *shelf) {
    if (!shelf->capacity) return (qdri_shelf_view){qdri_nothing, NULL, QDRI_LINE};
    return (qdri_shelf_view){shelf->entry, shelf->payload, shelf->capacity};
}

static int64_t home_of(const qdri_shelf *shelf, int64_t id) {
    return qdri_home(qdri_scatter(id, shelf->spread), shelf->capacity);
}

int64_t qdri_shelf_find(const qdri_shelf *shelf, int64_t id) {
    if (!shelf->capacity) return -1;
    int64_t place = qdri_seek(shelf->entry, shelf->capacity, id, home_of(shelf, id));
    return shelf->entry[place].word ? place : -1;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* An empty one beside the old; in private memory where the arena has no more. */
static int open_memory(qdri_shelf *shelf, int64_t capacity) {
    int64_t each = entry_bytes(shelf);
    if (capacity > most_entries || capacity > INT64_MAX / each) return 0;
    shelf->offset = shelf->wire ? qdri_arena_take(shelf->wire, capacity * each) : 0;
    shelf->entry = shelf->offset ? qdri_arena_at(shelf->wire, qdri_wire_rank(shelf->wire), shelf->offset)
                                 : qdri_alloc(capacity, (size_t)each);
    if (!shelf->entry) return 0;
    shelf->payload = (char *)(shelf->entry + capacity);
    shelf->capacity = capacity;
    shelf->count = shelf->cleared = 0;
    return 1;
}

void qdri_shelf_close(qdri_shelf *shelf) {
    if (shelf->offset)
        qdri_arena_give(shelf->wire, shelf->offset);
    else
        free(shelf->entry);
    shelf->entry = NULL;
    shelf->payload = NULL;
    shelf->capacity = shelf->count = shelf->cleared = shelf->offset = 0;
}

static int resize(qdri_shelf *shelf, int64_t capacity) {
    qdri_shelf old = *shelf;
    if (!open_memory(shelf, capacity)) {
        *shelf = old;
        return 0;
    }
    for (int64_t i = 0; old.count > 0 && i < old.capacity; i++) {
        qdri_entry entry = old.entry[i];
        if (!entry.word) continue;
        int64_t home = home_of(shelf, entry.id);
        qdri_shelf_clear_to(shelf, home + CLEARED_AHEAD);
        int64_t place = qdri_shelf_seek(shelf, entry.id, home);
        qdri_shelf_put(shelf, place, entry, old.payload + i * old.payload_bytes);
    }
    qdri_shelf_close(&old);
    return 1;
}

void qdri_shelf_clear_to(qdri_shelf *shelf, int64_t places) {
    if (places > shelf->capacity) places = shelf->capacity;
    if (places <= shelf->cleared) return;
    memset(shelf->entry + shelf->cleared, 0, (size_t)(places - shelf->cleared) * sizeof *shelf->entry);
    shelf->cleared = places;
}

int64_t qdri_shelf_seek(qdri_shelf *shelf, int64_t id, int64_t home) {
    for (;;) {
        int64_t place = qdri_seek_line(shelf->entry, home, id);
        if (place >= 0) return place;
        home += QDRI_LINE;
        if (home == shelf->capacity) home = 0;
        qdri_shelf_clear_to(shelf, home + QDRI_LINE);
    }
}

static int64_t percent(int64_t count, int share) {
    return count / 100 * share + count % 100 * share / 100;
}

static int64_t made_for(const qdri_shelf *shelf, int64_t count) {
    int64_t capacity = (count * 100 + fill_of(shelf)->made - 1) / fill_of(shelf)->made;
    return capacity > SMALLEST ? (capacity + QDRI_LINE - 1) / QDRI_LINE * QDRI_LINE : SMALLEST;
}

int qdri_shelf_reserve_bare(qdri_shelf *shelf, int64_t more) {
    if (more > most_entries) return 0;
    int64_t needed = shelf->count + more, little = percent(shelf->capacity, fill_of(shelf)->growth);
    if (needed <= percent(shelf->capacity, fill_of(shelf)->fullest)) return 1;
    int64_t made = made_for(shelf, needed);
    return resize(shelf, made > little ? made : little / QDRI_LINE * QDRI_LINE);
}

int qdri_shelf_reserve(qdri_shelf *shelf, int64_t more) {
    if (!qdri_shelf_reserve_bare(shelf, more)) return 0;
    qdri_shelf_clear_to(shelf, shelf->capacity);
    return 1;
}

void qdri_shelf_trim(qdri_shelf *shelf) {
    if (shelf->capacity > SMALLEST && shelf->count < percent(shelf->capacity, fill_of(shelf)->emptiest))
        (void)(made_for(shelf, shelf->count) < shelf->capacity &&
               resize(shelf, made_for(shelf, shelf->count)));
    qdri_shelf_clear_to(shelf, shelf->capacity);
}

/* ---- entries ------------------------------------------------------------------------------------------- */

/* What stands behind, and is not at home there, moves up, unless that would bring it before its home. */
void qdri_shelf_erase(qdri_shelf *shelf, int64_t place) {
    size_t bytes = (size_t)shelf->payload_bytes;
    int64_t capacity = shelf->capacity, gap = place;
    for (int64_t next = gap;;) {
        if (++next == capacity) next = 0;
        if (!shelf->entry[next].word) break;
        int64_t home = home_of(shelf, shelf->entry[next].id);
        int stays = gap <= next ? gap < home && home <= next : gap < home || home <= next;
        if (stays) continue;
        shelf->entry[gap] = shelf->entry[next];
        if (bytes) memcpy(shelf->payload + (size_t)gap * bytes, shelf->payload + (size_t)next * bytes, bytes);
        gap = next;
    }
    shelf->entry[gap] = (qdri_entry){0};
    shelf->count--;
}

void qdri_shelf_clear(qdri_shelf *shelf) {
    if (shelf->count) memset(shelf->entry, 0, (size_t)shelf->capacity * sizeof *shelf->entry);
    shelf->count = 0;
}
