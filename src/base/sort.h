/* SPDX-License-Identifier: BSD-3-Clause */
/* Stable sorting by whole numbers. */
#ifndef QDRI_SORT_H
#define QDRI_SORT_H

#include <stdint.h>

/* Writes into order[count] the positions 0..count-1 by rising key; equal keys keep their order. Keys are not
 * negative. Cost: O(count) per eight bits of the largest key. Returns 0 without memory. */
int qdri_sort_order(const int64_t *key, int64_t count, int64_t *order);

#endif
