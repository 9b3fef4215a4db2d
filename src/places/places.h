/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places: which elements of an array, in which order. A list of indices, a region of a block of memory, a closed form of
 * two numbers: all of them are this, and one set of kernels (kernels.h) moves what they say. Places know their shape, so
 * that kernels move what lies together in one piece and read no more index memory than they must.
 *
 * They are made of a list, by qdri_places_open(); or put together piece by piece, by the qdri_places_add_...() functions,
 * beginning with nothing (all zero).
 */
#ifndef QDRI_PLACES_H
#define QDRI_PLACES_H

#include <stdint.h>

#include "quadrille/base.h"

typedef enum qdri_shape {
    QDRI_EVEN,      /* first, first + stride, ...: no memory */
    QDRI_SCATTERED, /* anything: 32-bit distances from the lowest element */
    QDRI_PIECES,    /* runs and boxes, worth being moved as such */
} qdri_shape;

/* `count` elements, `step` apart. */
typedef struct qdri_span {
    int64_t offset, count, step;
} qdri_span;

/* A product of lists of spans, one list per axis, the last axis fastest: the elements at
 * sum over axes of (span.offset + i * span.step). One axis with many spans is a plain list of runs. */
typedef struct qdri_piece {
    int64_t position; /* of its first element */
    int64_t first_axis, first_span;
    int axes;
} qdri_piece;

enum { QDRI_MOST_AXES = 16 };

typedef struct qdri_places {
    int64_t count;
    int64_t lowest, highest; /* elements; of none, the highest is not above 0 */
    qdri_shape shape;
    int distinct;   /* known to have no element twice: evenly spaced, rising or falling */
    int64_t before; /* of a part: how many of what it is a part of come before it */

    int64_t first, stride; /* QDRI_EVEN */
    uint32_t *distance;    /* QDRI_SCATTERED: [count], element - lowest */

    /* QDRI_PIECES. */
    int64_t pieces, axes, spans; /* in use */
    qdri_piece *piece;           /* [pieces] */
    int64_t *axis_spans;         /* [axes]: how many spans each has, in order */
    qdri_span *span;             /* [spans] */
    int64_t *position;           /* [spans]: elements of its axis that come before */
    int64_t piece_capacity, axis_capacity, span_capacity, position_capacity; /* private */
} qdri_places;

/* ---- making -------------------------------------------------------------------------------------------- */

/* Local. Copies `index`; NULL means first, first + 1 ... (else `first` is not read). Negative elements are
 * refused. Two passes over the index, at most 32 bytes per entry of memory. */
qdr_status qdri_places_open(const int64_t *index, int64_t first, int64_t count, qdri_places *places);

/* Adds elements behind the last; neighbouring runs are joined where they fit. */
qdr_status qdri_places_add_run(qdri_places *places, int64_t offset, int64_t count, int64_t step);
/* Adds a product; spans of axis a follow those of axis a-1. Empty products add nothing. At most QDRI_MOST_AXES axes with
 * more than one element, and one more. */
qdr_status qdri_places_add_product(qdri_places *places, int axes, const int64_t *axis_spans,
                                   const qdri_span *span);

/* Leaves nothing. */
void qdri_places_close(qdri_places *places);

/* Adds a span behind the last of span[*spans], joined with it where it fits; there is room for one more. */
void qdri_span_append(qdri_span *span, int64_t *spans, int64_t offset, int64_t count, int64_t step);

/* ---- asking -------------------------------------------------------------------------------------------- */

/* The k-th element, 0 <= k < count. O(1), or O(axes log spans). */
int64_t qdri_places_at(const qdri_places *places, int64_t k);
/* element[count], in order. */
void qdri_places_expand(const qdri_places *places, int64_t *element);
/* The entries from..to - 1, 0 <= from <= to <= count, for kernels: borrowed, and not to be closed. Its lowest and highest
 * are those of the whole. O(1). */
qdri_places qdri_places_part(const qdri_places *places, int64_t from, int64_t to);
/* How many contiguous pieces of memory they are, as they are moved. */
int64_t qdri_places_runs(const qdri_places *places);
/* Bytes allocated. */
int64_t qdri_places_memory(const qdri_places *places);

/* ---- several ------------------------------------------------------------------------------------------- */

/* Whether an element stands twice in these, taken together. If so, `element` is the first that repeats
 * one (reading one after the other), `place_b` the one it repeats it in and `place_a` the first that has it;
 * the two may be the same. Otherwise only `found` is written. O(entries) expected time and memory; nothing
 * for places that are distinct and whose ranges lie apart. */
qdr_status qdri_places_twice(const qdri_places *places, int count, int *found, int64_t *element, int *place_a,
                             int *place_b);

/* Whether an element stands in one of `a` and in one of `b`; if so, the first in b's order. Otherwise only
 * `found` is written. O(entries) expected time and memory; nothing if the ranges lie apart. */
qdr_status qdri_places_intersect(const qdri_places *a, int as, const qdri_places *b, int bs, int *found,
                                 int64_t *element);

#endif
