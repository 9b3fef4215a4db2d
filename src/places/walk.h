/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking: places of any shape become a sequence of *stretches*, so that each kernel has two loops and no more. A stretch
 * is `rows` rows of `run` elements that lie together. The rows lie `step` elements apart, or, with an index, at these
 * distances from the base; then each is one element.
 *
 *     qdri_walk walk;
 *     for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);) ... walk.position, walk.rows ...
 *
 * What lies together is one row; what is evenly spaced, rows of one element; a box of memory, rows as wide as the box.
 * Runs that are too short for a kernel to begin with each of them are written, element by element, to a small table of
 * indices that stays in the nearest cache.
 */
#ifndef QDRI_WALK_H
#define QDRI_WALK_H

#include <stddef.h>

#include "places/places.h"

enum { QDRI_WALK_TABLE = 128 };

typedef struct qdri_walk {
    const qdri_places *places;
    int64_t position; /* of this stretch */
    int64_t rows, run, step;
    int64_t base;          /* the first element, or with an index what that counts from */
    const uint32_t *index; /* NULL, or [rows] */

    /* Of pieces: where the next stretch begins. */
    int64_t piece;
    int axes, is_done; /* of this piece */
    const qdri_span *span[QDRI_MOST_AXES];
    int64_t spans[QDRI_MOST_AXES], at[QDRI_MOST_AXES], within[QDRI_MOST_AXES];
    int64_t outer; /* where the slower axes stand */
    uint32_t table[QDRI_WALK_TABLE];
} qdri_walk;

/* Of pieces (walk.c). */
void qdri_walk_seek(qdri_walk *walk);
void qdri_walk_pieces(qdri_walk *walk);

static inline void qdri_walk_begin(qdri_walk *walk, const qdri_places *places) {
    walk->places = places;
    walk->position = walk->rows = 0;
    walk->run = 1;
    walk->step = 0;
    walk->index = NULL;
    if (places->shape == QDRI_PIECES && places->count > 0) qdri_walk_seek(walk);
}

/* 0 at the end. */
static inline int qdri_walk_next(qdri_walk *walk) {
    const qdri_places *places = walk->places;
    walk->position += walk->rows * walk->run;
    if (walk->position == places->count) return 0;
    switch (places->shape) {
    case QDRI_EVEN:
        walk->base = places->first;
        walk->step = places->stride;
        walk->run = places->stride == 1 ? places->count : 1;
        walk->rows = places->stride == 1 ? 1 : places->count;
        break;
    case QDRI_SCATTERED:
        walk->base = places->lowest;
        walk->rows = places->count;
        walk->index = places->distance;
        break;
    case QDRI_PIECES:
        qdri_walk_pieces(walk);
        break;
    }
    return 1;
}

/* The first element of a row. */
static inline int64_t qdri_walk_row(const qdri_walk *walk, int64_t row) {
    return walk->base + (walk->index ? (int64_t)walk->index[row] : row * walk->step);
}

/* for (int64_t element: all of this stretch) */
#define QDRI_EACH_ELEMENT(walk, element)                                                                     \
    for (int64_t row_ = 0; row_ < (walk).rows; row_++)                                                       \
        for (int64_t left_ = (walk).run, element = qdri_walk_row(&(walk), row_); left_ > 0;                  \
             left_--, element = (int64_t)((uint64_t)element + 1))

#endif
