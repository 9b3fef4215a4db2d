/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The single elements of a region, found by their index: a hash table with open addressing, at most half
 * full. It holds positions in the list; removing goes backwards in the order of inserting, so that no chain
 * is ever torn.
 *
 * Whoever owns much of an array asks for one element after the other, and then a hash table is a cache miss
 * for each. So elements that lie close together, more than one in eight of the box around them, are also
 * spread out in a table of that box.
 */
#include "inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

static int64_t home(const qdr_region *region, const int64_t *index) {
    uint64_t hash = 0;
    for (int d = 0; d < region->dimensions; d++) hash = qdri_mix(hash ^ (uint64_t)index[d]);
    return (int64_t)(hash & (uint64_t)(region->slots - 1));
}

static int same(const qdr_region *region, int64_t position, const int64_t *index) {
    const int64_t *other = region->index + position * region->dimensions;
    for (int d = 0; d < region->dimensions; d++)
        if (other[d] != index[d]) return 0;
    return 1;
}

/* ---- spread out ---------------------------------------------------------------------------------------- */

int64_t qdri_listed_place(const qdr_region *region, const int64_t *index) {
    int64_t place = 0;
    for (int d = 0; d < region->dimensions; d++) {
        int64_t within = index[d] - region->direct_low[d];
        if (within < 0 || within >= region->direct_extent[d]) return -1;
        place = place * region->direct_extent[d] + within;
    }
    return place;
}

/* The box around all of them; its size, or -1 if it does not pay. */
static int64_t measure_box(qdr_region *region) {
    int64_t size = 1, most = 8 * region->listed;
    for (int d = 0; d < region->dimensions; d++) {
        int64_t low = INT64_MAX, high = 0;
        for (int64_t i = 0; i < region->listed; i++) {
            int64_t at = region->index[i * region->dimensions + d];
            low = qdri_least(low, at);
            high = qdri_most(high, at);
        }
        region->direct_low[d] = low;
        region->direct_extent[d] = high - low + 1;
        if (!qdri_multiply(size, high - low + 1, &size) || size > most) return -1;
    }
    return size;
}

int qdri_listed_spread(qdr_region *region) {
    if (region->listed == 0 || region->listed >= QDRI_NOT_LISTED) return 1;
    int64_t size = measure_box(region);
    if (size < 0) return 1;
    region->direct = QDRI_ARRAY(uint32_t, size);
    if (!region->direct) return 0;
    for (int64_t i = 0; i < size; i++) region->direct[i] = QDRI_NOT_LISTED;
    for (int64_t i = 0; i < region->listed; i++)
        region->direct[qdri_listed_place(region, region->index + i * region->dimensions)] = (uint32_t)i;
    return 1;
}

/* ---- one of them --------------------------------------------------------------------------------------- */

int64_t qdri_listed_find(const qdr_region *region, const int64_t *index) {
    if (region->slots == 0) return -1;
    if (region->direct) {
        int64_t place = qdri_listed_place(region, index);
        if (place < 0 || region->direct[place] == QDRI_NOT_LISTED) return -1;
        return region->direct[place];
    }
    int64_t at = home(region, index);
    while (region->slot[at] >= 0 && !same(region, region->slot[at], index))
        at = (at + 1) & (region->slots - 1);
    return region->slot[at];
}

void qdri_listed_insert(qdr_region *region, int64_t position) {
    int64_t at = home(region, region->index + position * region->dimensions);
    while (region->slot[at] >= 0) at = (at + 1) & (region->slots - 1);
    region->slot[at] = position;
}

void qdri_listed_remove(qdr_region *region, int64_t position) {
    int64_t at = home(region, region->index + position * region->dimensions);
    while (region->slot[at] != position) at = (at + 1) & (region->slots - 1);
    region->slot[at] = -1;
}

int qdri_listed_reserve(qdr_region *region, int64_t count) {
    int64_t needed, numbers, slots = 16;
    if (!qdri_add(region->listed, count, &needed) || needed > QDRI_LARGEST / 8 ||
        !qdri_multiply(needed, region->dimensions, &numbers) ||
        !qdri_grow(&region->index, &region->index_capacity, numbers, sizeof *region->index))
        return 0;
    free(region->direct);
    region->direct = NULL;
    while (slots < 2 * needed) slots *= 2;
    if (slots <= region->slots) return 1;
    int64_t *slot = QDRI_ARRAY(int64_t, slots);
    if (!slot) return 0;
    for (int64_t i = 0; i < slots; i++) slot[i] = -1;
    free(region->slot);
    region->slot = slot;
    region->slots = slots;
    for (int64_t i = 0; i < region->listed; i++) qdri_listed_insert(region, i);
    return 1;
}
