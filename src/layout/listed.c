/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The single elements of a region, found by their index: a hash table with open addressing, at most half full. It holds
 * positions in the list; removing goes backwards in the order of inserting, so that no chain is ever torn.
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

int64_t qdri_listed_find(const qdr_region *region, const int64_t *index) {
    if (region->slots == 0) return -1;
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
