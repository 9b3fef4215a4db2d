/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes: each rank states its own; joined, those of all ranks are a compact layout.
 *
 * Whether two boxes meet is found by a sweep along the dimension in which their lower bounds differ most:
 * sorted by them, a box is held against those that begin before it ends. Blocks of a grid meet about
 * sqrt(boxes) candidates.
 */
#include "boxes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"

/* ---- making them --------------------------------------------------------------------------------------- */

static void close(qdr_layout *layout) {
    qdri_boxes *self = (qdri_boxes *)(void *)layout;
    free(self->bound);
    free(self->offset);
    free(self->rank);
    free(self);
}

qdr_status qdri_boxes_open(const qdri_layout_type *type, int dimensions, const int64_t *extent,
                           qdr_order order, int64_t boxes, qdri_boxes **made) {
    if (order != QDR_ROW_MAJOR && order != QDR_COLUMN_MAJOR)
        return qdri_fail(QDR_ERR_INVALID, "there is no order %d", (int)order);
    qdri_boxes *self = QDRI_ZERO_ARRAY(qdri_boxes, 1);
    if (!self) return qdri_fail_memory();
    qdr_status status = qdri_layout_head(&self->head, type, dimensions, extent);
    if (!status) {
        int64_t width = (int64_t)sizeof(int64_t) * 3 * dimensions;
        self->order = order;
        self->capacity = boxes;
        self->bound = qdri_alloc(boxes, (size_t)width);
        self->offset = QDRI_ARRAY(int64_t, boxes);
        self->rank = QDRI_ARRAY(int64_t, boxes);
        if (!self->bound || !self->offset || !self->rank) status = qdri_fail_memory();
    }
    if (status)
        close(&self->head);
    else
        *made = self;
    return status;
}

static qdr_status check_bounds(const qdri_boxes *self, const char *name, const qdr_box *box) {
    if (!box->lower || !box->upper) return qdri_fail(QDR_ERR_INVALID, "%s: its bounds are NULL", name);
    for (int d = 0; d < self->head.dimensions; d++) {
        if (box->upper[d] < box->lower[d])
            return qdri_fail(QDR_ERR_INVALID,
                             "%s: dimension %d ends at %" PRId64 ", before it begins at %" PRId64, name, d,
                             box->upper[d], box->lower[d]);
        if (box->lower[d] < 0 || box->upper[d] > self->head.extent[d])
            return qdri_fail(QDR_ERR_RANGE,
                             "%s: [%" PRId64 ", %" PRId64 ") of dimension %d is outside of 0..%" PRId64, name,
                             box->lower[d], box->upper[d], d, self->head.extent[d]);
    }
    if (box->offset < 0 || box->offset > QDRI_LARGEST)
        return qdri_fail(QDR_ERR_RANGE, "%s: its offset %" PRId64 " is not in 0..2^62", name, box->offset);
    return QDR_OK;
}

qdr_status qdri_boxes_add(qdri_boxes *self, int rank, int64_t number, const qdr_box *box) {
    char name[48];
    int dimensions = self->head.dimensions;
    size_t bytes = (size_t)dimensions * sizeof(int64_t);
    snprintf(name, sizeof name, "box %" PRId64, number);
    QDRI_TRY(check_bounds(self, name, box));
    int64_t *bound = self->bound + self->count * 3 * dimensions, *stride = bound + 2 * dimensions, room[MOST];
    int empty = 0;
    for (int d = 0; d < dimensions; d++) {
        room[d] = box->upper[d] - box->lower[d];
        empty |= room[d] == 0;
    }
    if (empty) return QDR_OK;
    memcpy(bound, box->lower, bytes);
    memcpy(bound + dimensions, box->upper, bytes);
    if (box->stride)
        memcpy(stride, box->stride, bytes);
    else
        qdri_dense_strides(dimensions, room, self->order, stride);
    int64_t reach;
    QDRI_TRY(qdri_strides_check(name, dimensions, room, stride, &reach));
    if (!qdri_add(reach, box->offset, &reach))
        return qdri_fail(QDR_ERR_RANGE, "%s: its memory would need more than 2^62 elements", name);
    self->offset[self->count] = box->offset;
    self->rank[self->count] = rank;
    self->head.ranks = rank + 1; /* QDR_HERE: none */
    self->count++;
    return QDR_OK;
}

/* ---- whether they meet --------------------------------------------------------------------------------- */

int64_t qdri_boxes_order(const qdri_boxes *self, int dimension, int64_t *key, int64_t *order) {
    int64_t different = 0;
    for (int64_t i = 0; i < self->count; i++) key[i] = qdri_box_lower(self, i)[dimension];
    if (!qdri_sort_order(key, self->count, order)) return -1;
    for (int64_t i = 0; i < self->count; i++) different += i == 0 || key[order[i]] != key[order[i - 1]];
    return different;
}

/* Whether two boxes have an element in common, and the first of them. */
static int meet(const qdri_boxes *self, int64_t a, int64_t b, int64_t *index) {
    for (int d = 0; d < self->head.dimensions; d++) {
        index[d] = qdri_most(qdri_box_lower(self, a)[d], qdri_box_lower(self, b)[d]);
        if (index[d] >= qdri_least(qdri_box_upper(self, a)[d], qdri_box_upper(self, b)[d])) return 0;
    }
    return 1;
}

static qdr_status say_they_meet(const qdri_boxes *self, int64_t a, int64_t b, const int64_t *index,
                                qdr_status verdict) {
    char text[INDEX_TEXT];
    qdri_index_text(text, sizeof text, self->head.dimensions, index);
    if (self->rank[a] == QDR_HERE) return qdri_fail(verdict, "element %s is in two boxes", text);
    if (self->rank[a] == self->rank[b])
        return qdri_fail(verdict, "element %s is in two boxes of rank %" PRId64, text, self->rank[a]);
    return qdri_fail(verdict, "element %s is in boxes of rank %" PRId64 " and of rank %" PRId64, text,
                     qdri_least(self->rank[a], self->rank[b]), qdri_most(self->rank[a], self->rank[b]));
}

static qdr_status sweep(const qdri_boxes *self, int64_t *key, int64_t *order, qdr_status verdict) {
    int best = 0;
    int64_t most = 0, index[MOST];
    for (int d = 0; d < self->head.dimensions; d++) {
        int64_t different = qdri_boxes_order(self, d, key, order);
        if (different < 0) return qdri_fail_memory();
        if (different > most) {
            most = different;
            best = d;
        }
    }
    if (qdri_boxes_order(self, best, key, order) < 0) return qdri_fail_memory();
    for (int64_t i = 0; i < self->count; i++)
        for (int64_t k = i + 1; k < self->count; k++) {
            if (key[order[k]] >= qdri_box_upper(self, order[i])[best]) break;
            if (meet(self, order[i], order[k], index))
                return say_they_meet(self, order[i], order[k], index, verdict);
        }
    return QDR_OK;
}

qdr_status qdri_boxes_check(qdri_boxes *self, qdr_status verdict) {
    int64_t *key = QDRI_ARRAY(int64_t, self->count), *order = QDRI_ARRAY(int64_t, self->count);
    qdr_status status = key && order ? sweep(self, key, order, verdict) : qdri_fail_memory();
    free(key);
    free(order);
    return status;
}

qdr_status qdr_layout_boxes_sized(int dimensions, const int64_t *extent, qdr_order order, int boxes,
                                  const qdr_box *box, size_t box_bytes, qdr_layout **layout) {
    if (!layout || boxes < 0 || (boxes > 0 && !box))
        return qdri_fail(QDR_ERR_INVALID, "qdr_layout_boxes was given %d boxes, or NULL", boxes);
    qdri_boxes *self;
    QDRI_TRY(qdri_boxes_open(&qdri_boxes_type, dimensions, extent, order, boxes, &self));
    qdr_status status = QDR_OK;
    for (int i = 0; i < boxes && !status; i++) {
        qdr_box one;
        status = qdri_element_read("qdr_box", &one, sizeof one, box, box_bytes, i);
        if (!status) status = qdri_boxes_add(self, QDR_HERE, i, &one);
    }
    if (!status) status = qdri_boxes_check(self, QDR_ERR_INVALID);
    if (status)
        close(&self->head);
    else
        *layout = &self->head;
    return status;
}

/* ---- views --------------------------------------------------------------------------------------------- */

void qdri_boxes_range(const qdri_boxes *self, int rank, int64_t *from, int64_t *until) {
    int64_t bound[2];
    for (int side = 0; side < 2; side++) {
        int64_t low = 0, high = self->count;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (self->rank[middle] < (int64_t)rank + side)
                low = middle + 1;
            else
                high = middle;
        }
        bound[side] = low;
    }
    *from = bound[0];
    *until = bound[1];
}

static void describe(const qdri_boxes *self, int64_t number, qdri_tile *tile) {
    const int64_t *lower = qdri_box_lower(self, number), *upper = qdri_box_upper(self, number);
    tile->base = self->offset[number];
    for (int d = 0; d < self->head.dimensions; d++) tile->comb[d] = qdri_comb_interval(lower[d], upper[d]);
    memcpy(tile->stride, qdri_box_stride(self, number), (size_t)self->head.dimensions * sizeof *tile->stride);
}

static int64_t count_tiles(const qdr_layout *layout, int rank) {
    int64_t from, until;
    qdri_boxes_range(qdri_boxes_of(layout), rank, &from, &until);
    return until - from;
}

static void get_tile(const qdr_layout *layout, int rank, int64_t number, qdri_tile *tile) {
    int64_t from, until;
    qdri_boxes_range(qdri_boxes_of(layout), rank, &from, &until);
    describe(qdri_boxes_of(layout), from + number, tile);
}

static qdr_status locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place) {
    const qdri_boxes *self = qdri_boxes_of(layout);
    qdri_tile tile;
    for (int64_t i = 0; i < self->count; i++) {
        int d = 0;
        while (d < layout->dimensions && index[d] >= qdri_box_lower(self, i)[d] &&
               index[d] < qdri_box_upper(self, i)[d])
            d++;
        if (d < layout->dimensions) continue;
        describe(self, i, &tile);
        *rank = (int)self->rank[i];
        *place = qdri_tile_place(&tile, layout->dimensions, index);
        return QDR_OK;
    }
    return QDR_ERR_UNKNOWN;
}

/* Of its own boxes a rank knows no other; of joined ones nobody is "here". */
static int knows(const qdr_layout *layout, int rank) {
    return (layout->type->kind == QDRI_BOXES) == (rank == QDR_HERE);
}

static qdr_status index_at(const qdr_layout *layout, int rank, int64_t place, int64_t *index) {
    const qdri_boxes *self = qdri_boxes_of(layout);
    int64_t from, until;
    qdri_tile tile;
    qdri_boxes_range(self, rank, &from, &until);
    for (int64_t i = from; i < until; i++) {
        describe(self, i, &tile);
        if (qdri_tile_index(&tile, layout->dimensions, place, index)) return QDR_OK;
    }
    return QDR_ERR_UNKNOWN;
}

static qdr_status share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    const qdri_boxes *self = qdri_boxes_of(layout);
    int64_t from, until, sum = 0, most = 0;
    if (!knows(layout, rank)) return QDR_ERR_UNKNOWN;
    qdri_boxes_range(self, rank, &from, &until);
    for (int64_t i = from; i < until; i++) {
        int64_t product = 1, last = self->offset[i];
        for (int d = 0; d < layout->dimensions; d++) {
            int64_t length = qdri_box_upper(self, i)[d] - qdri_box_lower(self, i)[d];
            product *= length;
            last += (length - 1) * qdri_box_stride(self, i)[d];
        }
        sum += product;
        most = qdri_most(most, last + 1);
    }
    *elements = sum;
    *room = most;
    return QDR_OK;
}

static int64_t owned(const qdr_layout *layout, const qdri_progression *box) {
    const qdri_boxes *self = qdri_boxes_of(layout);
    int64_t sum = 0, first;
    for (int64_t i = 0; i < self->count; i++) {
        int64_t product = 1;
        for (int d = 0; d < layout->dimensions && product > 0; d++)
            product *= qdri_progression_within(box + d, qdri_box_lower(self, i)[d],
                                               qdri_box_upper(self, i)[d], &first);
        sum += product;
    }
    return sum;
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

static void put(const qdr_layout *layout, qdri_writer *writer) {
    const qdri_boxes *self = qdri_boxes_of(layout);
    qdri_put(writer, self->order);
    qdri_put(writer, self->count);
    for (int64_t i = 0; i < self->count; i++) {
        qdri_put(writer, self->rank[i]);
        qdri_put(writer, self->offset[i]);
        qdri_put_all(writer, (int64_t)3 * layout->dimensions, qdri_box_lower(self, i));
    }
}

static qdr_status get_box(qdri_reader *reader, qdri_boxes *self, int64_t number) {
    int64_t rank, offset, bound[3 * MOST], last = self->count ? self->rank[self->count - 1] : QDR_HERE;
    int own = self->head.type->kind == QDRI_BOXES, dimensions = self->head.dimensions;
    QDRI_TRY(
        qdri_get(reader, "a rank", own ? QDR_HERE : qdri_most(last, 0), own ? QDR_HERE : INT_MAX - 1, &rank));
    QDRI_TRY(qdri_get(reader, "an offset", 0, QDRI_LARGEST, &offset));
    for (int i = 0; i < 3 * dimensions; i++)
        QDRI_TRY(qdri_get(reader, "a bound", 0, QDRI_LARGEST, bound + i));
    qdr_box box = {bound, bound + dimensions, bound + 2 * dimensions, offset};
    return qdri_boxes_add(self, (int)rank, number, &box);
}

static qdr_status get(qdri_reader *reader, const qdri_layout_type *type, int dimensions,
                      const int64_t *extent, qdr_layout **layout) {
    int64_t order, count;
    qdri_boxes *self;
    QDRI_TRY(qdri_get(reader, "an order", QDR_ROW_MAJOR, QDR_COLUMN_MAJOR, &order));
    QDRI_TRY(qdri_get_count(reader, "boxes", &count));
    QDRI_TRY(qdri_boxes_open(type, dimensions, extent, (qdr_order)order, count, &self));
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < count && !status; i++) status = get_box(reader, self, i);
    if (!status) status = qdri_boxes_check(self, QDR_ERR_SYNTAX);
    if (status)
        close(&self->head);
    else
        *layout = &self->head;
    return status;
}

static qdr_status get_own(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout) {
    return get(reader, &qdri_boxes_type, dimensions, extent, layout);
}

static qdr_status get_joined(qdri_reader *reader, int dimensions, const int64_t *extent,
                             qdr_layout **layout) {
    return get(reader, &qdri_joined_type, dimensions, extent, layout);
}

#define SHARED_BY_BOTH                                                                                       \
    .locate = locate, .index = index_at, .share = share, .put = put, .close = close, .tiles = count_tiles,   \
    .tile = get_tile, .owned = owned, .open_cursor = qdri_boxes_cursor, .seek = qdri_boxes_seek

const qdri_layout_type qdri_boxes_type = {.kind = QDRI_BOXES, .get = get_own, SHARED_BY_BOTH};
const qdri_layout_type qdri_joined_type = {
    .kind = QDRI_JOINED, .compact = 1, .get = get_joined, SHARED_BY_BOTH};
