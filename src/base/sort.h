/* SPDX-License-Identifier: BSD-3-Clause */
/* Stable sorting by whole numbers, and searching among them. */
#ifndef QDRI_SORT_H
#define QDRI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Writes into order[count] the positions 0..count-1 by rising key; equal keys keep their order. Keys are not
 * negative. Cost: O(count) per eight bits of the largest key. Returns 0 without memory. */
int qdri_sort_order(const int64_t *key, int64_t count, int64_t *order);

/* The last of `count` numbers that is not above `number`. They never fall, and the first is not above it; they stand `bytes`
 * bytes apart, as members of structures do. */
static inline int64_t qdri_last_not_above(const int64_t *first, int64_t count, size_t bytes, int64_t number) {
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (*(const int64_t *)((const char *)first + (size_t)middle * bytes) <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
