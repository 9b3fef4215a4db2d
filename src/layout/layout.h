/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts and regions inside the library: what the building of coupling schedules stands on. */
#ifndef QDRI_LAYOUT_H
#define QDRI_LAYOUT_H

#include "places/places.h"
#include "quadrille/layout.h"

/* ---- objects ------------------------------------------------------------------------------------------- */

qdr_layout *qdri_layout_retain(const qdr_layout *layout);
qdr_region *qdri_region_retain(const qdr_region *region);

typedef enum qdri_layout_kind {
    QDRI_REGULAR,
    QDRI_BOXES,  /* this rank's own */
    QDRI_JOINED, /* the boxes of all ranks */
    QDRI_RUNS_OF,
    QDRI_ENTRIES,
} qdri_layout_kind;
qdri_layout_kind qdri_layout_kind_of(const qdr_layout *layout);
/* Regular or joined: every rank can answer for all. */
int qdri_layout_is_compact(const qdr_layout *layout);
int qdri_layout_dimensions(const qdr_layout *layout);
const int64_t *qdri_layout_extent(const qdr_layout *layout);
/* Compact: one more than the highest rank that owns something; entries: the highest owner named; else 0. */
int qdri_layout_ranks(const qdr_layout *layout);
int qdri_region_dimensions(const qdr_region *region);
/* Whether every element lies inside; else QDR_ERR_RANGE, naming the first that does not. */
qdr_status qdri_region_fits(const qdr_region *region, const qdr_layout *layout);
/* A number that differs, in all likelihood, between layouts (of explicit ones: between extents) or regions. */
uint64_t qdri_layout_digest(const qdr_layout *layout);
uint64_t qdri_region_digest(const qdr_region *region);

/* ---- as bytes ------------------------------------------------------------------------------------------ */

/* Little-endian, self-contained, and read with suspicion: QDR_ERR_SYNTAX for anything that is not right; nothing is
 * allocated beyond what the bytes themselves pay for. `*bytes` is freed with free(). Of an explicit layout only
 * kind and extent travel, and what is read back owns nothing. */
qdr_status qdri_layout_write(const qdr_layout *layout, void **bytes, int64_t *size);
qdr_status qdri_layout_read(const void *bytes, int64_t size, qdr_layout **layout);
qdr_status qdri_region_write(const qdr_region *region, void **bytes, int64_t *size);
qdr_status qdri_region_read(const void *bytes, int64_t size, qdr_region **region);

/* From the boxes of all ranks, each as written by qdri_layout_write(), that of rank r at [start[r], start[r+1]),
 * one layout; an element in two of them is QDR_ERR_MISMATCH, with a sentence that names it and both ranks;
 * different extents or orders are QDR_ERR_MISMATCH too. */
qdr_status qdri_layout_join(const void *bytes, const int64_t *start, int ranks, qdr_layout **joined);

/* As bytes, for schedules that are computed elsewhere: pieces, which is what qdri_match() makes. Read with the same
 * suspicion as layouts. */
qdr_status qdri_places_write(const qdri_places *places, void **bytes, int64_t *size);
qdr_status qdri_places_read(const void *bytes, int64_t size, qdri_places *places);

/* ---- matching ------------------------------------------------------------------------------------------ */

/* One side of a transfer: an array and the elements that are meant. */
typedef struct qdri_array_side {
    const qdr_layout *layout;
    const qdr_region *region;
} qdri_array_side;

/* Compact sides, of regions with equally many elements. What rank_a of `a` and rank_b of `b` have for each other:
 * the elements whose numbers both own, by rising number, as places of a's memory and of b's; either result may
 * be NULL. Where two boxes of the regions have the same shape the intersection is found in closed form, per
 * dimension: O(spans of the result + blocks), whatever the extents. Elsewhere by runs. */
qdr_status qdri_match(const qdri_array_side *a, int rank_a, const qdri_array_side *b, int rank_b,
                      qdri_places *in_a, qdri_places *in_b);

/* Compact. Calls `visit` for elements number [low, high) in rising order, by runs: `count` elements from
 * `number` on, at place, place + step ... of `rank`; rank QDR_HERE (-1): nobody owns them. Stops when `visit`
 * fails. */
typedef qdr_status qdri_visit(void *context, int64_t number, int64_t count, int rank, int64_t place,
                              int64_t step);
qdr_status qdri_side_walk(const qdri_array_side *side, int64_t low, int64_t high, qdri_visit *visit,
                          void *context);

/* Explicit. Calls `visit` for what this rank stated and the region has: `rank` is the owner, QDR_HERE for this
 * rank itself. In no particular order of numbers. An element outside the extent was refused when the layout was
 * made. */
qdr_status qdri_side_stated(const qdri_array_side *side, qdri_visit *visit, void *context);

/* Compact: the lowest number that nobody owns, -1 if there is none. Closed form as far as possible. */
qdr_status qdri_side_hole(const qdri_array_side *side, int64_t *number);

#endif
