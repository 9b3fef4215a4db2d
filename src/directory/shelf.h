/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A shelf: the entries that one rank keeps, found by id.
 *
 * An entry is an id and a word; the word holds owner and place, and is never 0, so 0 means that there is
 * nothing. Entries stand in one array of any capacity, near the place where their hash points to: the hash is
 * a fraction of the array, so the order of entries is that of their hashes, whatever the capacity. That is what
 * makes growing and bulk work cheap: both go through memory from front to back. A taken place sends an entry
 * on to the next, round the end; removing one closes the gap, so there are no tombstones. Hashes point to *lines* of
 * four places, the size of a cache line, and a line is looked at in one go: mostly that is all.
 *
 * Between half and four fifths of the array are in use, more where entries have payloads: 16 bytes of an entry
 * become 20 to 32.
 */
#ifndef QDRI_SHELF_H
#define QDRI_SHELF_H

#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "quadrille/base.h"
#include "wire/wire.h"

typedef struct qdri_entry {
    int64_t id;
    uint64_t word;
} qdri_entry;

/* What is read of a shelf, by whoever it is. */
typedef struct qdri_shelf_view {
    const qdri_entry *entry;
    const char *payload;
    int64_t capacity; /* at least a line */
} qdri_shelf_view;

typedef struct qdri_shelf {
    qdri_wire *wire; /* its arena is where entries are put; NULL: memory of this process alone */
    int64_t payload_bytes;
    uint64_t spread; /* by how many ranks ids are divided before they are looked for here */
    qdri_entry *entry;
    char *payload;
    int64_t capacity, count;
    int64_t cleared; /* places at the front that are empty or taken; the others were never written */
    int64_t offset;  /* in the arena; 0: it is not there */
} qdri_shelf;

/* Cuts the hash of an id into `spread` equal parts: the number of the part in the upper half, and where in
 * the part it lies, as a fraction of 2^32, in the lower. */
static inline uint64_t qdri_scatter(int64_t id, uint64_t spread) {
    uint64_t hash = qdri_mix((uint64_t)id);
    return (hash >> 32) * spread + (((hash & UINT32_MAX) * spread) >> 32);
}

enum { QDRI_LINE = 4 };

/* The first place of its line. */
static inline int64_t qdri_home(uint64_t scattered, int64_t capacity) {
    return (int64_t)(((scattered & UINT32_MAX) * (uint64_t)(capacity / QDRI_LINE)) >> 32) * QDRI_LINE;
}

/* The place of an id in a line, or the empty one where it would stand; -1: the line is full of others. Empty
 * places are at the end of a line, and their id is 0. */
static inline int64_t qdri_seek_line(const qdri_entry *entry, int64_t line, int64_t id) {
    const qdri_entry *at = entry + line;
    unsigned hit = (unsigned)(at[0].id == id) | (unsigned)(at[1].id == id) << 1 |
                   (unsigned)(at[2].id == id) << 2 | (unsigned)(at[3].id == id) << 3;
    if (hit) return line + qdri_lowest_bit(hit);
    if (at[QDRI_LINE - 1].word) return -1;
    return line + (at[0].word != 0) + (at[1].word != 0) + (at[2].word != 0);
}

/* The same, from the line of its home on. */
static inline int64_t qdri_seek(const qdri_entry *entry, int64_t capacity, int64_t id, int64_t home) {
    for (;;) {
        int64_t place = qdri_seek_line(entry, home, id);
        if (place >= 0) return place;
        home += QDRI_LINE;
        if (home == capacity) home = 0;
    }
}

#if defined(__GNUC__)
#define QDRI_PREFETCH(address) __builtin_prefetch(address)
#else
#define QDRI_PREFETCH(address) ((void)(address))
#endif

/* Where there are no entries: a line. */
extern const qdri_entry qdri_nothing[QDRI_LINE];

qdri_shelf_view qdri_shelf_look(const qdri_shelf *shelf);

/* The place of an id, which it is asked for; -1: it is not there. */
int64_t qdri_shelf_find(const qdri_shelf *shelf, int64_t id);

/* Room for so many more entries. False: no memory, and nothing has changed. */
int qdri_shelf_reserve(qdri_shelf *shelf, int64_t more);

/* The same; and if the shelf was empty its places are cleared later, by qdri_shelf_clear_to(), before they are
 * looked at: so that each part of a large shelf is brought into the cache once, and not twice. */
int qdri_shelf_reserve_bare(qdri_shelf *shelf, int64_t more);
void qdri_shelf_clear_to(qdri_shelf *shelf, int64_t places);

/* qdri_seek() on such a shelf; the line of the home must be cleared. */
int64_t qdri_shelf_seek(qdri_shelf *shelf, int64_t id, int64_t home);

/* Gives back what is far too much; never fails. */
void qdri_shelf_trim(qdri_shelf *shelf);

/* The payload of a place; NULL: zeros. There is one. */
static inline void qdri_shelf_load(qdri_shelf *shelf, int64_t place, const char *payload) {
    size_t bytes = (size_t)shelf->payload_bytes;
    if (payload)
        memcpy(shelf->payload + (size_t)place * bytes, payload, bytes);
    else
        memset(shelf->payload + (size_t)place * bytes, 0, bytes);
}

/* Puts an entry at a place that qdri_seek() gave and that is empty. */
static inline void qdri_shelf_put(qdri_shelf *shelf, int64_t place, qdri_entry entry, const char *payload) {
    shelf->entry[place] = entry;
    shelf->count++;
    if (shelf->payload_bytes) qdri_shelf_load(shelf, place, payload);
}

void qdri_shelf_erase(qdri_shelf *shelf, int64_t place);

/* Erases everything; keeps the memory. */
void qdri_shelf_clear(qdri_shelf *shelf);

/* Gives back everything. */
void qdri_shelf_close(qdri_shelf *shelf);

int64_t qdri_shelf_bytes(const qdri_shelf *shelf);

#endif
