/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pile: many arrays in one block of memory. Whoever lays them out does so twice by the same function: first without memory,
 * where every array is NULL and only the bytes are counted, then with a block of so many.
 *
 *     qdri_pile pile = {NULL, 0};
 *     lay_out(thing, &pile);
 *     pile.memory = qdri_alloc_zero(pile.used, 1); pile.used = 0;
 *     lay_out(thing, &pile);
 */
#ifndef QDRI_PILE_H
#define QDRI_PILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct qdri_pile {
    char *memory; /* NULL: bytes are counted */
    int64_t used; /* beyond INT64_MAX / 2: more than anybody has, and no block of that size can be had */
} qdri_pile;

/* The next array; aligned for whatever it holds. */
static inline void *qdri_pile_take(qdri_pile *pile, int64_t count, size_t size) {
    enum { ALIGNMENT = 16 };
    char *place = pile->memory ? pile->memory + pile->used : NULL;
    const int64_t most = INT64_MAX / 2;
    int is_small =
        (uint64_t)count >> 32 == 0 && size >> 24 == 0 && (uint64_t)pile->used < (UINT64_C(1) << 61);
    if (!is_small && (count < 0 || pile->used > most - ALIGNMENT || /* which would take a division */
                      (size > 0 && count > (most - ALIGNMENT - pile->used) / (int64_t)size)))
        pile->used = INT64_MAX;
    else
        pile->used += (count * (int64_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return place;
}

#define QDRI_PILE_ARRAY(pile, type, count) ((type *)qdri_pile_take((pile), (count), sizeof(type)))

#endif
