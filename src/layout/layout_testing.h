/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random layouts and regions for tests, each beside a table of all its elements that is filled by counting,
 * straight from the definitions, without any of the library's arithmetic.
 */
#ifndef QDRI_LAYOUT_CASES_H
#define QDRI_LAYOUT_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "layout.h"

enum { CASE_ELEMENTS = 4096, CASE_RANKS = 64, CASE_BOXES = 64 };

/* An array, and of each element (row-major) its owner, -1 if it has none, and its place. */
typedef struct array_case {
    int dimensions;
    int64_t extent[QDR_MOST_DIMENSIONS], elements;
    int owner[CASE_ELEMENTS];
    int64_t place[CASE_ELEMENTS];
    int64_t room[CASE_RANKS]; /* at least */
    int exact_room;
    qdr_layout *layout;
} array_case;

/* A region, and the elements (row-major) of its numbers. */
typedef struct region_case {
    int64_t elements, element[CASE_ELEMENTS];
    char has[CASE_ELEMENTS];
    qdr_region *region;
} region_case;

static inline int64_t draw(qdri_random *random, int64_t low, int64_t high) {
    return qdri_random_between(random, low, high);
}

static inline void split_element(const array_case *array, int64_t element, int64_t *index) {
    for (int d = array->dimensions - 1; d >= 0; d--) {
        index[d] = array->extent[d] ? element % array->extent[d] : 0;
        element = array->extent[d] ? element / array->extent[d] : 0;
    }
}

static inline int64_t join_index(const array_case *array, const int64_t *index) {
    int64_t element = 0;
    for (int d = 0; d < array->dimensions; d++) element = element * array->extent[d] + index[d];
    return element;
}

static inline void draw_extent(qdri_random *random, array_case *array) {
    static const int64_t most[] = {0, 60, 14, 8, 6};
    array->dimensions = (int)draw(random, 1, 4);
    array->elements = 1;
    for (int d = 0; d < array->dimensions; d++) {
        array->extent[d] = draw(random, draw(random, 0, 20) == 0 ? 0 : 1, most[array->dimensions]);
        array->elements *= array->extent[d];
    }
    for (int64_t e = 0; e < array->elements; e++) array->owner[e] = -1;
    memset(array->room, 0, sizeof array->room);
}

/* ---- regular layouts ----------------------------------------------------------------------------------- */

static inline int part_by_definition(const qdr_axis *axis, int64_t index) {
    int parts = axis->parts ? axis->parts : 1;
    int64_t block = axis->block ? axis->block : 1;
    switch (axis->spread) {
    case QDR_WHOLE:
        return 0;
    case QDR_BLOCK:
        return (int)(index / ((axis->extent + parts - 1) / parts));
    case QDR_CYCLIC:
        return (int)(index / block % parts);
    case QDR_CUTS:
        for (int p = 0; p < parts; p++)
            if (axis->cut[p] <= index && index < axis->cut[p + 1]) return p;
    }
    return -1;
}

/* How many indices below `limit` the part has. */
static inline int64_t count_by_definition(const qdr_axis *axis, int part, int64_t limit) {
    int64_t count = 0;
    for (int64_t i = 0; i < limit; i++) count += part_by_definition(axis, i) == part;
    return count;
}

static inline void draw_axis(qdri_random *random, int64_t extent, qdr_axis *axis, int64_t *cut) {
    *axis = (qdr_axis){.extent = extent, .spread = (qdr_spread)draw(random, 0, 3)};
    if (axis->spread != QDR_WHOLE) axis->parts = (int)draw(random, 0, draw(random, 0, 3) ? 2 : 4);
    if (axis->spread == QDR_CYCLIC) axis->block = draw(random, 0, draw(random, 0, 1) ? 2 : 7);
    if (draw(random, 0, 2) == 0) {
        axis->ghost_below = draw(random, 0, 2);
        axis->ghost_above = draw(random, 0, 2);
    }
    if (axis->spread != QDR_CUTS) return;
    int parts = axis->parts ? axis->parts : 1;
    cut[0] = 0;
    for (int p = 1; p < parts; p++) cut[p] = draw(random, cut[p - 1], extent);
    cut[parts] = extent;
    axis->cut = cut;
}

/* The place of the element at these local coordinates in a box of this room. */
static inline int64_t place_by_definition(int dimensions, const int64_t *local, const int64_t *room,
                                          const qdr_storage *storage) {
    int64_t place = 0, unit = 1;
    for (int i = 0; i < dimensions; i++) {
        int d = storage->order == QDR_ROW_MAJOR ? dimensions - 1 - i : i;
        place += local[d] * (storage->stride ? storage->stride[d] : unit);
        unit *= room[d];
    }
    return storage->offset + place;
}

/* Strides that hold boxes of this room, in a random order of the dimensions, with random padding. */
static inline void draw_strides(qdri_random *random, int dimensions, const int64_t *room, int64_t *stride) {
    int order[QDR_MOST_DIMENSIONS];
    int64_t unit = draw(random, 1, 2);
    for (int d = 0; d < dimensions; d++) order[d] = d;
    qdri_random_shuffle(random, order, dimensions);
    for (int i = 0; i < dimensions; i++) {
        stride[order[i]] = unit;
        unit = unit * (room[order[i]] > 0 ? room[order[i]] : 1) + draw(random, 0, 2);
    }
}

static inline void fill_regular(array_case *array, const qdr_axis *axis, const qdr_storage *storage) {
    int64_t index[4], local[4], room[4];
    for (int64_t e = 0; e < array->elements; e++) {
        int part = 0;
        split_element(array, e, index);
        for (int d = 0; d < array->dimensions; d++) {
            int along = part_by_definition(axis + d, index[d]);
            part = part * (axis[d].parts ? axis[d].parts : 1) + along;
            local[d] = axis[d].ghost_below + count_by_definition(axis + d, along, index[d]);
            room[d] = axis[d].ghost_below + count_by_definition(axis + d, along, axis[d].extent) +
                      axis[d].ghost_above;
        }
        array->owner[e] = storage->rank ? storage->rank[part] : part;
        array->place[e] = place_by_definition(array->dimensions, local, room, storage);
        for (int d = 0; d < array->dimensions; d++) local[d] = room[d] - 1;
        array->room[array->owner[e]] = place_by_definition(array->dimensions, local, room, storage) + 1;
    }
    array->exact_room = 1;
}

static inline void draw_regular(qdri_random *random, array_case *array) {
    qdr_axis axis[4];
    qdr_storage storage = QDR_STORAGE;
    int64_t cut[4][8], room[4], stride[4], parts = 1;
    int rank[300];
    draw_extent(random, array);
    for (int d = 0; d < array->dimensions; d++) {
        do draw_axis(random, array->extent[d], axis + d, cut[d]);
        while (parts * (axis[d].parts ? axis[d].parts : 1) > 24);
        parts *= axis[d].parts ? axis[d].parts : 1;
        room[d] = axis[d].ghost_below + axis[d].ghost_above + array->extent[d];
    }
    storage.order = (qdr_order)draw(random, 0, 1);
    storage.offset = draw(random, 0, 3) ? 0 : draw(random, 1, 9);
    if (draw(random, 0, 2) == 0) {
        draw_strides(random, array->dimensions, room, stride);
        storage.stride = stride;
    }
    if (draw(random, 0, 2) == 0) {
        int all[CASE_RANKS];
        for (int r = 0; r < CASE_RANKS; r++) all[r] = r;
        qdri_random_shuffle(random, all, CASE_RANKS);
        memcpy(rank, all, (size_t)parts * sizeof *rank);
        storage.rank = rank;
    }
    fill_regular(array, axis, &storage);
    assert_int_equal(qdr_layout_regular(array->dimensions, axis, &storage, &array->layout), QDR_OK);
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

typedef struct box_case {
    int rank, has_stride;
    int64_t lower[4], upper[4], stride[4], offset;
} box_case;

/* Cuts the array at random, and gives the pieces, some left out, to ranks. Returns how many. */
static inline int draw_cut(qdri_random *random, const array_case *array, int ranks, box_case *box) {
    int boxes = 1, given = 0;
    memset(box, 0, sizeof *box);
    memcpy(box->upper, array->extent, sizeof box->upper);
    for (int wanted = (int)draw(random, 0, 12); wanted > 0 && boxes < CASE_BOXES; wanted--) {
        box_case *cut = box + draw(random, 0, boxes - 1), *made = box + boxes;
        int d = (int)draw(random, 0, array->dimensions - 1);
        *made = *cut;
        made->lower[d] = cut->upper[d] = draw(random, cut->lower[d], cut->upper[d]);
        boxes++;
    }
    int holes = draw(random, 0, 1) == 0;
    for (int i = 0; i < boxes; i++) {
        box[given] = box[i];
        box[given].rank = (int)draw(random, 0, ranks - 1);
        given += !(holes && draw(random, 0, 3) == 0);
    }
    return given;
}

/* Lays one box out behind what its rank has. */
static inline void place_box(qdri_random *random, array_case *array, box_case *box, qdr_order order) {
    qdr_storage storage = QDR_STORAGE;
    int64_t room[4], local[4], index[4];
    for (int d = 0; d < array->dimensions; d++) room[d] = box->upper[d] - box->lower[d];
    box->has_stride = draw(random, 0, 2) == 0;
    if (box->has_stride) draw_strides(random, array->dimensions, room, box->stride);
    box->offset = array->room[box->rank] + draw(random, 0, 2);
    storage.order = order;
    storage.offset = box->offset;
    if (box->has_stride) storage.stride = box->stride;
    for (int64_t e = 0; e < array->elements; e++) {
        int inside = 1;
        split_element(array, e, index);
        for (int d = 0; d < array->dimensions; d++) {
            local[d] = index[d] - box->lower[d];
            inside &= local[d] >= 0 && index[d] < box->upper[d];
        }
        if (!inside) continue;
        array->owner[e] = box->rank;
        array->place[e] = place_by_definition(array->dimensions, local, room, &storage);
        if (array->place[e] >= array->room[box->rank]) array->room[box->rank] = array->place[e] + 1;
    }
    array->exact_room = 1;
}

static inline void write_boxes(const array_case *array, const box_case *box, int boxes, int rank,
                               qdr_order order, void **bytes, int64_t *size) {
    qdr_box own[CASE_BOXES];
    int count = 0;
    for (int i = 0; i < boxes; i++)
        if (box[i].rank == rank)
            own[count++] = (qdr_box){box[i].lower, box[i].upper, box[i].has_stride ? box[i].stride : NULL,
                                     box[i].offset};
    qdr_layout *layout;
    assert_int_equal(qdr_layout_boxes(array->dimensions, array->extent, order, count, own, &layout), QDR_OK);
    assert_int_equal(qdri_layout_write(layout, bytes, size), QDR_OK);
    qdr_layout_destroy(&layout);
}

static inline void draw_joined(qdri_random *random, array_case *array) {
    box_case box[CASE_BOXES];
    int ranks = (int)draw(random, 1, 6);
    qdr_order order = (qdr_order)draw(random, 0, 1);
    int64_t start[8] = {0}, size;
    char *all = NULL;
    draw_extent(random, array);
    int boxes = draw_cut(random, array, ranks, box);
    for (int i = 0; i < boxes; i++) place_box(random, array, box + i, order);
    for (int r = 0; r < ranks; r++) {
        void *bytes;
        write_boxes(array, box, boxes, r, order, &bytes, &size);
        all = realloc(all, (size_t)(start[r] + size));
        memcpy(all + start[r], bytes, (size_t)size);
        start[r + 1] = start[r] + size;
        free(bytes);
    }
    assert_int_equal(qdri_layout_join(all, start, ranks, &array->layout), QDR_OK);
    free(all);
}

static inline void draw_compact(qdri_random *random, array_case *array) {
    if (draw(random, 0, 2) == 0)
        draw_joined(random, array);
    else
        draw_regular(random, array);
}

/* ---- regions ------------------------------------------------------------------------------------------- */

/* Appends the elements of a box in order; returns 0, and nothing is changed, if one is there already. */
static inline int append_box(const array_case *array, region_case *region, qdr_order order,
                             const int64_t *lower, const int64_t *upper, const int64_t *stride) {
    int64_t index[QDR_MOST_DIMENSIONS], before = region->elements;
    int dimensions = array->dimensions;
    for (int d = 0; d < dimensions; d++) {
        if (lower[d] >= upper[d]) return 1;
        index[d] = lower[d];
    }
    for (int d = 0; d >= 0 && d < dimensions;) {
        int64_t element = join_index(array, index);
        if (region->has[element]) {
            while (region->elements > before) region->has[region->element[--region->elements]] = 0;
            return 0;
        }
        region->has[element] = 1;
        region->element[region->elements++] = element;
        for (d = 0; d < dimensions; d++) {
            int axis = order == QDR_ROW_MAJOR ? dimensions - 1 - d : d;
            index[axis] += stride[axis];
            if (index[axis] < upper[axis]) break;
            index[axis] = lower[axis];
        }
    }
    return 1;
}

static inline void add_box(const array_case *array, region_case *region, qdr_order order,
                           const int64_t *lower, const int64_t *upper, const int64_t *stride) {
    int fresh = append_box(array, region, order, lower, upper, stride);
    assert_int_equal(qdr_region_add_box(region->region, lower, upper, stride),
                     fresh ? QDR_OK : QDR_ERR_INVALID);
    assert_int_equal(qdr_region_elements(region->region), region->elements);
}

static inline void add_element(const array_case *array, region_case *region, int64_t element) {
    int64_t index[QDR_MOST_DIMENSIONS];
    split_element(array, element, index);
    assert_int_equal(qdr_region_add_list(region->region, 1, index),
                     region->has[element] ? QDR_ERR_INVALID : QDR_OK);
    if (!region->has[element]) region->element[region->elements++] = element;
    region->has[element] = 1;
    assert_int_equal(qdr_region_elements(region->region), region->elements);
}

/* Every other element of a box, in random order, in one list: close enough together to be spread out. */
static inline void add_many(qdri_random *random, const array_case *array, region_case *region,
                            const int64_t *lower, const int64_t *upper, int64_t most) {
    int64_t list[4 * CASE_ELEMENTS], index[4], count = 0;
    int order[CASE_ELEMENTS];
    for (int64_t e = 0; e < array->elements; e++) order[e] = (int)e;
    qdri_random_shuffle(random, order, array->elements);
    for (int64_t i = 0; i < array->elements && region->elements < most; i++) {
        int inside = !region->has[order[i]] && draw(random, 0, 1);
        split_element(array, order[i], index);
        for (int d = 0; d < array->dimensions; d++) inside &= index[d] >= lower[d] && index[d] < upper[d];
        if (!inside) continue;
        memcpy(list + array->dimensions * count++, index, (size_t)array->dimensions * sizeof *index);
        region->element[region->elements++] = order[i];
        region->has[order[i]] = 1;
    }
    assert_int_equal(qdr_region_add_list(region->region, count, list), QDR_OK);
    assert_int_equal(qdr_region_elements(region->region), region->elements);
}

static inline qdr_order open_region(qdri_random *random, int dimensions, region_case *region) {
    qdr_order order = (qdr_order)draw(random, 0, 1);
    memset(region->has, 0, sizeof region->has);
    region->elements = 0;
    assert_int_equal(qdr_region_create(dimensions, order, &region->region), QDR_OK);
    return order;
}

/* Boxes and lists, of at most `most` elements. */
static inline void draw_region(qdri_random *random, const array_case *array, int64_t most,
                               region_case *region) {
    qdr_order order = open_region(random, array->dimensions, region);
    for (int items = (int)draw(random, 0, 5); items > 0; items--) {
        int64_t lower[4], upper[4], stride[4], product = 1;
        if (array->elements > 0 && draw(random, 0, 3) == 0) {
            for (int64_t n = draw(random, 1, 6); n > 0 && region->elements < most; n--)
                add_element(array, region, draw(random, 0, array->elements - 1));
            continue;
        }
        for (int d = 0; d < array->dimensions; d++) {
            lower[d] = draw(random, 0, array->extent[d]);
            upper[d] = draw(random, lower[d], array->extent[d]);
            if (draw(random, 0, 1) == 0) lower[d] = 0, upper[d] = array->extent[d];
            stride[d] = draw(random, 0, 1) ? 1 : draw(random, 1, 5);
            product *= (upper[d] - lower[d] + stride[d] - 1) / stride[d];
        }
        if (draw(random, 0, 3) == 0)
            add_many(random, array, region, lower, upper, most);
        else if (region->elements + product <= most)
            add_box(array, region, order, lower, upper, stride);
    }
}

/* Single elements until there are `wanted`. */
static inline void fill_region(qdri_random *random, const array_case *array, int64_t wanted,
                               region_case *region) {
    int64_t element = array->elements ? draw(random, 0, array->elements - 1) : 0;
    for (; region->elements < wanted; element = (element + 1) % array->elements)
        if (!region->has[element]) add_element(array, region, element);
}

#endif
