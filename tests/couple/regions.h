/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random regions for the tests of coupling, and what they mean: the elements in the order of their numbers, found by
 * walking every box element by element, straight from the definition. Nothing here asks the library anything but to
 * make the region in the end. Elements are named by their row-major number in the extent.
 */
#ifndef COUPLE_REGIONS_H
#define COUPLE_REGIONS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille/layout.h"

enum { CASE_AXES = 4, CASE_PIECES = 12 };

/* A box, or a list of elements. */
typedef struct case_piece {
    int is_list;
    int64_t lower[CASE_AXES], upper[CASE_AXES], stride[CASE_AXES];
    int64_t count;
    int64_t first; /* of a list: where in member[] it begins */
} case_piece;

typedef struct case_region {
    int dimensions;
    int64_t extent[CASE_AXES], elements; /* of the array */
    qdr_order order;
    int is_whole; /* no region is given at all */
    int pieces;
    case_piece piece[CASE_PIECES];
    int64_t count;
    int64_t *member; /* [elements]: the first `count` are the region, in order */
    char *taken;     /* [elements] */
} case_region;

static inline int64_t draw(qdri_random *random, int64_t low, int64_t high) {
    return qdri_random_between(random, low, high);
}
static inline int chance(qdri_random *random, int percent) {
    return (int)qdri_random_below(random, 100) < percent;
}

static inline int64_t element_number(const case_region *region, const int64_t *index) {
    int64_t number = 0;
    for (int d = 0; d < region->dimensions; d++) number = number * region->extent[d] + index[d];
    return number;
}

static inline void element_index(const case_region *region, int64_t number, int64_t *index) {
    for (int d = region->dimensions - 1; d >= 0; number /= region->extent[d--])
        index[d] = number % region->extent[d];
}

/* Steps to the next element of a box in an order; 0 behind the last. */
static inline int next_in_box(const case_piece *box, int dimensions, qdr_order order, int64_t *index) {
    for (int i = 0; i < dimensions; i++) {
        int d = order == QDR_ROW_MAJOR ? dimensions - 1 - i : i;
        index[d] += box->stride[d];
        if (index[d] < box->upper[d]) return 1;
        index[d] = box->lower[d];
    }
    return 0;
}

static inline int box_is_empty(const case_piece *box, int dimensions) {
    for (int d = 0; d < dimensions; d++)
        if (box->lower[d] >= box->upper[d]) return 1;
    return 0;
}

/* Adds a box, or as a list what of it is not beyond `most` elements; 0 and nothing if it has an element that the
 * region has already. */
static inline int add_box(case_region *region, case_piece box, int64_t most) {
    int64_t index[CASE_AXES], *member = region->member + region->count, count = 0;
    int more = !box_is_empty(&box, region->dimensions);
    if (region->pieces == CASE_PIECES) return 0;
    memcpy(index, box.lower, sizeof index);
    for (; more && count < most; more = next_in_box(&box, region->dimensions, region->order, index)) {
        member[count] = element_number(region, index);
        if (region->taken[member[count++]]) return 0;
    }
    for (int64_t i = 0; i < count; i++) region->taken[member[i]] = 1;
    box.is_list = more;
    box.count = count;
    box.first = region->count;
    region->piece[region->pieces++] = box;
    region->count += count;
    return 1;
}

/* Adds a list of `count` elements that are not in the region, in random order. */
static inline void add_rest(case_region *region, qdri_random *random, int64_t count) {
    int64_t *member = region->member + region->count, free_ones = 0;
    if (count == 0) return;
    for (int64_t e = 0; e < region->elements; e++)
        if (!region->taken[e]) member[free_ones++] = e;
    for (int64_t i = 0; i < count; i++) {
        int64_t other = draw(random, i, free_ones - 1), kept = member[i];
        member[i] = member[other];
        member[other] = kept;
        region->taken[member[i]] = 1;
    }
    region->piece[region->pieces++] = (case_piece){.is_list = 1, .count = count, .first = region->count};
    region->count += count;
}

/* An empty region of an array of region->dimensions and region->extent. */
static inline void open_region(case_region *region, qdri_random *random) {
    region->elements = 1;
    for (int d = 0; d < region->dimensions; d++) region->elements *= region->extent[d];
    region->order = chance(random, 50) ? QDR_ROW_MAJOR : QDR_COLUMN_MAJOR;
    region->member = malloc(((size_t)region->elements + 1) * sizeof *region->member);
    region->taken = calloc((size_t)region->elements + 1, 1);
}

static inline void close_region(case_region *region) {
    free(region->member);
    free(region->taken);
}

/* ---- three ways to draw one ---------------------------------------------------------------------------- */

/* An array of at least so many elements. */
static inline void draw_extent(case_region *region, qdri_random *random, int64_t elements) {
    region->dimensions = (int)draw(random, 1, CASE_AXES);
    for (int d = 0; d < region->dimensions; d++) region->extent[d] = 1;
    for (int64_t product = 0; product < elements;) {
        int64_t *extent = &region->extent[draw(random, 0, region->dimensions - 1)];
        *extent += 1 + *extent / 4;
        product = 1;
        for (int d = 0; d < region->dimensions; d++) product *= region->extent[d];
    }
    if (elements == 0 && chance(random, 50)) region->extent[draw(random, 0, region->dimensions - 1)] = 0;
}

static inline case_piece random_box(const case_region *region, qdri_random *random) {
    case_piece box = {0};
    for (int d = 0; d < region->dimensions; d++) {
        int64_t extent = region->extent[d];
        box.lower[d] = extent ? draw(random, 0, extent - 1) : 0;
        if (chance(random, 40)) box.lower[d] = 0;
        box.upper[d] = chance(random, 40) ? extent : draw(random, box.lower[d], extent);
        box.stride[d] = chance(random, 60) ? 1 : draw(random, 1, 4);
    }
    return box;
}

/* Exactly so many elements: boxes, then lists. */
static inline void fill_region(case_region *region, qdri_random *random, int64_t count) {
    int tries = (int)draw(random, 0, 6);
    open_region(region, random);
    for (int i = 0; i < tries; i++) {
        add_box(region, random_box(region, random), count - region->count);
        if (chance(random, 20)) add_rest(region, random, draw(random, 0, (count - region->count) / 2));
        if (region->pieces >= CASE_PIECES - 2) break;
    }
    add_rest(region, random, count - region->count);
}

/* The whole array, in row-major order: there is nothing to be said. */
static inline void fill_whole(case_region *region, qdri_random *random) {
    open_region(region, random);
    region->is_whole = 1;
    region->order = QDR_ROW_MAJOR;
    region->count = region->elements;
    for (int64_t e = 0; e < region->elements; e++) region->member[e] = e;
    memset(region->taken, 1, (size_t)region->elements);
}

/* Shapes that two regions have in common, wherever they lie in either: counts from the outermost dimension in. */
enum { CASE_SHAPES = 3 };
typedef struct case_shapes {
    int shapes, dimensions;
    int64_t count[CASE_SHAPES][CASE_AXES];
    int64_t total;
} case_shapes;

static inline case_shapes draw_shapes(qdri_random *random, int64_t most) {
    case_shapes drawn = {.shapes = (int)draw(random, 1, CASE_SHAPES),
                         .dimensions = (int)draw(random, 1, CASE_AXES)};
    for (int s = 0; s < drawn.shapes; s++) {
        int64_t elements = 1;
        for (int d = 0; d < drawn.dimensions; d++) {
            int64_t limit = most / drawn.shapes / elements;
            int64_t usual = drawn.dimensions == 1 ? 200 : drawn.dimensions == 2 ? 16 : 5;
            drawn.count[s][d] = draw(random, 1, limit < 1 ? 1 : limit < usual ? limit : usual);
            elements *= drawn.count[s][d];
        }
        drawn.total += elements;
    }
    return drawn;
}

/* A region of these shapes in an array of its own; a box that finds no room becomes a list. */
static inline void fill_shapes(case_region *region, qdri_random *random, const case_shapes *shapes) {
    int axis[CASE_AXES], unused = CASE_AXES - shapes->dimensions;
    qdr_order order = chance(random, 50) ? QDR_ROW_MAJOR : QDR_COLUMN_MAJOR;
    int64_t stride[CASE_SHAPES][CASE_AXES];
    region->dimensions = shapes->dimensions + (int)draw(random, 0, unused);
    for (int d = 0, at = 0; d < shapes->dimensions; d++, at++) {
        int spare = region->dimensions - at - (shapes->dimensions - d);
        at += (int)draw(random, 0, spare);
        axis[d] = order == QDR_ROW_MAJOR ? at : region->dimensions - 1 - at;
    }
    for (int d = 0; d < region->dimensions; d++) region->extent[d] = draw(random, 1, 2);
    for (int s = 0; s < shapes->shapes; s++)
        for (int d = 0; d < shapes->dimensions; d++) {
            int64_t *extent = &region->extent[axis[d]];
            stride[s][d] = chance(random, 75) ? 1 : draw(random, 1, 3);
            int64_t need = (shapes->count[s][d] - 1) * stride[s][d] + 1 + draw(random, 0, 2);
            if (d == 0 && s > 0) need += *extent;
            if (need > *extent) *extent = need;
        }
    open_region(region, random);
    region->order = order;
    for (int s = 0; s < shapes->shapes; s++) {
        int64_t wanted = 1;
        int placed = 0;
        for (int d = 0; d < shapes->dimensions; d++) wanted *= shapes->count[s][d];
        for (int tries = 0; tries < 20 && !placed; tries++) {
            case_piece box = {0};
            for (int d = 0; d < region->dimensions; d++) {
                box.lower[d] = draw(random, 0, region->extent[d] - 1);
                box.upper[d] = box.lower[d] + 1;
                box.stride[d] = 1;
            }
            for (int d = 0; d < shapes->dimensions; d++) {
                int64_t reach = (shapes->count[s][d] - 1) * stride[s][d] + 1;
                int a = axis[d];
                box.lower[a] = draw(random, 0, region->extent[a] - reach);
                box.upper[a] = box.lower[a] + reach;
                box.stride[a] = stride[s][d];
            }
            placed = add_box(region, box, wanted);
        }
        if (!placed) add_rest(region, random, wanted);
    }
}

/* ---- to the library ------------------------------------------------------------------------------------ */

/* NULL for the whole array. */
static inline qdr_status make_region(const case_region *region, qdr_region **made) {
    qdr_region *unfinished = NULL;
    if (region->is_whole) return *made = NULL, QDR_OK;
    qdr_status status = qdr_region_create(region->dimensions, region->order, &unfinished);
    for (int p = 0; p < region->pieces && status == QDR_OK; p++) {
        const case_piece *piece = &region->piece[p];
        if (piece->is_list) {
            int64_t *index = malloc(((size_t)piece->count * CASE_AXES + 1) * sizeof *index);
            for (int64_t i = 0; i < piece->count; i++)
                element_index(region, region->member[piece->first + i], index + i * region->dimensions);
            status = qdr_region_add_list(unfinished, piece->count, index);
            free(index);
        } else {
            int has_stride = 0;
            for (int d = 0; d < region->dimensions; d++) has_stride |= piece->stride[d] != 1;
            status =
                qdr_region_add_box(unfinished, piece->lower, piece->upper, has_stride ? piece->stride : NULL);
        }
    }
    if (status) qdr_region_destroy(&unfinished);
    *made = unfinished;
    return status;
}

#endif
