/* SPDX-License-Identifier: BSD-3-Clause */
/* A heap: the smallest key first, among equals the smallest id. */
#ifndef QDRI_HEAP_H
#define QDRI_HEAP_H

#include <stdint.h>

typedef struct qdri_heap_entry {
    double key;
    int64_t id;
} qdri_heap_entry;

typedef struct qdri_heap {
    qdri_heap_entry *entry; /* with room for all that is ever in it at once; the caller's */
    int64_t count;
} qdri_heap;

void qdri_heap_push(qdri_heap *heap, double key, int64_t id);

/* The same into a heap that grows, which has room for `*room` entries. 0: there is no memory. */
int qdri_heap_add(qdri_heap *heap, int64_t *room, double key, int64_t id);

/* The heap is not empty. */
qdri_heap_entry qdri_heap_pop(qdri_heap *heap);

#endif
