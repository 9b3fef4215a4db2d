/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking a list: any shape becomes a sequence of two kinds of pieces, so that each kernel has two loops and
 * no more. A contiguous piece is elements base, base + 1 ...; an indexed one is elements base + index[k].
 *
 *     qdri_walk walk;
 *     for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) ... walk.position, walk.count ...
 *
 * Evenly spaced lists borrow the indexed loops: their indices are written to a small table that stays in the
 * nearest cache.
 */
#ifndef QDRI_WALK_H
#define QDRI_WALK_H

#include "list.h"

enum { QDRI_WALK_TABLE = 128, QDRI_WALK_STRIDE = 1 << 24 }; /* their product fits 32 bits */

typedef struct qdri_walk {
    const qdri_list *list;
    int64_t position, count; /* of this piece, in the list; count is above 0 */
    int64_t base;            /* element */
    const uint32_t *index;   /* NULL: contiguous */
    int64_t run;
    uint32_t table[QDRI_WALK_TABLE];
} qdri_walk;

static inline void qdri_walk_begin(qdri_walk *walk, const qdri_list *list) {
    walk->list = list;
    walk->position = walk->count = walk->base = 0;
    walk->index = NULL;
    walk->run = 0;
}

/* Distances from the lowest element of a piece. One table serves all pieces: it is made for the first, and
 * the last, if shorter, uses the end of it that has the smallest distances. */
static inline void qdri_walk_fill(qdri_walk *walk, int64_t size) {
    uint32_t step = (uint32_t)walk->list->stride;
    uint32_t distance = walk->list->stride < 0 ? (uint32_t)(size - 1) * (0 - step) : 0;
    for (int64_t k = 0; k < size; k++, distance += step) walk->table[k] = distance;
}

/* The next piece of an evenly spaced list; elements too far apart for the table come one by one. */
static inline void qdri_walk_even(qdri_walk *walk) {
    const qdri_list *list = walk->list;
    int64_t left = list->count - walk->position, stride = list->stride;
    walk->base = list->first + walk->position * stride;
    if (stride == 1) {
        walk->count = left;
    } else if (stride > QDRI_WALK_STRIDE || stride < -QDRI_WALK_STRIDE) {
        walk->count = 1;
    } else {
        int64_t size = list->count < QDRI_WALK_TABLE ? list->count : QDRI_WALK_TABLE;
        if (walk->position == 0) qdri_walk_fill(walk, size);
        walk->count = left < size ? left : size;
        walk->index = walk->table;
        if (stride < 0) {
            walk->base += (walk->count - 1) * stride;
            walk->index += size - walk->count;
        }
    }
}

/* The next run; of a part the first may have begun before it, and the last end after it. */
static inline void qdri_walk_run(qdri_walk *walk) {
    const qdri_list *list = walk->list;
    const qdri_run *run = &list->run[walk->run++];
    int64_t end = run[1].position - list->before;
    walk->base = run->first + (walk->position + list->before - run->position);
    walk->count = (end < list->count ? end : list->count) - walk->position;
}

/* 0 at the end of the list. */
static inline int qdri_walk_next(qdri_walk *walk) {
    const qdri_list *list = walk->list;
    walk->position += walk->count;
    if (walk->position == list->count) return 0;
    switch (list->shape) {
    case QDRI_EVEN:
        qdri_walk_even(walk);
        break;
    case QDRI_RUNS:
        qdri_walk_run(walk);
        break;
    case QDRI_SCATTERED:
        walk->base = list->lowest;
        walk->count = list->count;
        walk->index = list->distance;
        break;
    }
    return 1;
}

/* The k-th element of the piece. */
static inline int64_t qdri_walk_at(const qdri_walk *walk, int64_t k) {
    return walk->base + (walk->index ? (int64_t)walk->index[k] : k);
}

#endif
