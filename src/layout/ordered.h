/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders: of explicit layouts, made when they are first asked for, so that who never asks never pays; of
 * records. */
#ifndef QDRI_LAYOUT_ORDERED_H
#define QDRI_LAYOUT_ORDERED_H

#include "inside.h"

typedef _Atomic(int64_t *) qdri_lazy;

/* Makes the array of an order, in place of `*lazy`, unless somebody else did; whichever is kept is the
 * result. NULL without memory. */
int64_t *qdri_lazy_publish(qdri_lazy *lazy, int64_t *made);

/* The last position i of order[count] with key[order[i]] <= limit; -1 if there is none. */
int64_t qdri_order_last(const int64_t *key, const int64_t *order, int64_t count, int64_t limit);

/* Sorts records of `size` bytes by the int64_t that each begins with, which is not negative. 0 without
 * memory. */
int qdri_sort_records(void *record, int64_t count, size_t size);

#endif
