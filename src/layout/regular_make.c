/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular layouts are made from what a program says, or from bytes of another. Both go through the same
 * checks: what they let through can be asked anything without overflow, for the largest memory that a rank
 * can need is below 2^62.
 */
#include "regular.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"

enum { SPREADS = QDR_CUTS + 1 };

/* ---- axes --------------------------------------------------------------------------------------- */

void qdri_regular_close(qdr_layout *layout) {
    qdri_regular *self = (qdri_regular *)(void *)layout;
    for (int d = 0; d < MOST; d++) free(self->axis[d].cut);
    free(self->rank);
    free(self->by_rank);
    free(self);
}

static qdr_status copy_cuts(qdri_axis *axis, const int64_t *cut, int number) {
    if (!cut) return qdri_fail(QDR_ERR_INVALID, "dimension %d: QDR_CUTS needs cuts, not NULL", number);
    if (cut[0] != 0 || cut[axis->parts] != axis->extent)
        return qdri_fail(QDR_ERR_INVALID,
                         "dimension %d: the cuts go from %" PRId64 " to %" PRId64 ", not from 0 to %" PRId64,
                         number, cut[0], cut[axis->parts], axis->extent);
    for (int64_t p = 0; p < axis->parts; p++)
        if (cut[p + 1] < cut[p])
            return qdri_fail(QDR_ERR_INVALID,
                             "dimension %d: cut %" PRId64 " is %" PRId64 ", below the one before, %" PRId64,
                             number, p + 1, cut[p + 1], cut[p]);
    axis->cut = QDRI_ARRAY(int64_t, axis->parts + 1);
    if (!axis->cut) return qdri_fail_memory();
    memcpy(axis->cut, cut, (size_t)(axis->parts + 1) * sizeof *cut);
    return QDR_OK;
}

static qdr_status set_axis(qdri_axis *axis, const qdr_axis *given, int number) {
    if ((int)given->spread < 0 || (int)given->spread >= (int)SPREADS)
        return qdri_fail(QDR_ERR_INVALID, "dimension %d: %d is no spread", number, (int)given->spread);
    if (given->parts < 0)
        return qdri_fail(QDR_ERR_INVALID, "dimension %d: %d parts; expected 0 or more", number, given->parts);
    if (given->spread == QDR_WHOLE && given->parts > 1)
        return qdri_fail(QDR_ERR_INVALID, "dimension %d: QDR_WHOLE has one part, not %d", number,
                         given->parts);
    if (given->spread == QDR_CYCLIC && given->block < 0)
        return qdri_fail(QDR_ERR_INVALID, "dimension %d: blocks of %" PRId64 " elements", number,
                         given->block);
    if (given->ghost_below < 0 || given->ghost_above < 0)
        return qdri_fail(QDR_ERR_INVALID,
                         "dimension %d: %" PRId64 " and %" PRId64 " ghost layers; expected 0 or more", number,
                         given->ghost_below, given->ghost_above);
    int64_t extent = given->extent, block = qdri_most(given->block, 1);
    *axis = (qdri_axis){.spread = given->spread,
                        .extent = extent,
                        .parts = qdri_most(given->parts, 1),
                        .below = given->ghost_below,
                        .above = given->ghost_above};
    if (given->spread == QDR_BLOCK) block = qdri_ceiling(extent, axis->parts);
    axis->block = qdri_most(qdri_least(block, extent), 1);
    return given->spread == QDR_CUTS ? copy_cuts(axis, given->cut, number) : QDR_OK;
}

/* The most that a part of the dimension has. */
static int64_t largest_part(const qdri_axis *axis) {
    int64_t most = 0;
    for (int64_t p = 0; p < (axis->spread == QDR_CUTS ? axis->parts : 1); p++) {
        qdri_comb comb = qdri_axis_comb(axis, p);
        most = qdri_most(most, qdri_comb_count(&comb));
    }
    return most;
}

/* The largest memory that a rank can need stays within bounds. */
static qdr_status check_rooms(const qdri_regular *self) {
    int64_t room[MOST], product = 1, reach = 0;
    for (int d = 0; d < self->head.dimensions; d++) {
        int64_t own = largest_part(self->axis + d);
        if (!qdri_add(self->axis[d].below, self->axis[d].above, room + d) ||
            !qdri_add(room[d], own, room + d) ||
            (!self->has_stride && !qdri_multiply(product, qdri_most(room[d], 1), &product)))
            return qdri_fail(QDR_ERR_RANGE,
                             "the memory of a rank would need more than 2^62 elements, in dimension %d", d);
    }
    if (self->has_stride)
        QDRI_TRY(qdri_strides_check("the layout", self->head.dimensions, room, self->stride, &reach));
    if (!qdri_add(qdri_most(reach, product), self->offset, &product))
        return qdri_fail(QDR_ERR_RANGE,
                         "the memory of a rank would need more than 2^62 elements, with offset %" PRId64,
                         self->offset);
    return QDR_OK;
}

static qdr_status set_storage(qdri_regular *self, const qdr_storage *storage) {
    QDRI_TRY(qdri_sized_refuse("qdr_storage", storage->size, sizeof *storage));
    if (storage->order != QDR_ROW_MAJOR && storage->order != QDR_COLUMN_MAJOR)
        return qdri_fail(QDR_ERR_INVALID, "there is no order %d", (int)storage->order);
    if (storage->offset < 0 || storage->offset > QDRI_LARGEST)
        return qdri_fail(QDR_ERR_RANGE, "the offset %" PRId64 " is not in 0..2^62", storage->offset);
    self->order = storage->order;
    self->offset = storage->offset;
    self->has_stride = storage->stride != NULL;
    if (storage->stride)
        memcpy(self->stride, storage->stride, (size_t)self->head.dimensions * sizeof *self->stride);
    return QDR_OK;
}

static qdr_status set_ranks(qdri_regular *self, const int *rank) {
    self->rank = QDRI_ARRAY(int64_t, self->parts);
    self->by_rank = QDRI_ARRAY(int64_t, self->parts);
    if (!self->rank || !self->by_rank) return qdri_fail_memory();
    for (int64_t p = 0; p < self->parts; p++) {
        if (rank[p] < 0 || rank[p] == INT_MAX)
            return qdri_fail(QDR_ERR_RANGE, "part %" PRId64 " of the grid is given to rank %d", p, rank[p]);
        self->rank[p] = rank[p];
    }
    if (!qdri_sort_order(self->rank, self->parts, self->by_rank)) return qdri_fail_memory();
    for (int64_t i = 0; i + 1 < self->parts; i++)
        if (self->rank[self->by_rank[i]] == self->rank[self->by_rank[i + 1]])
            return qdri_fail(QDR_ERR_INVALID,
                             "rank %" PRId64 " has parts %" PRId64 " and %" PRId64 " of the grid",
                             self->rank[self->by_rank[i]], self->by_rank[i], self->by_rank[i + 1]);
    return QDR_OK;
}

/* Without a table the highest part that owns something is the highest in each dimension. */
static int count_ranks(const qdri_regular *self) {
    if (self->head.elements == 0) return 0;
    if (self->rank) {
        for (int64_t i = self->parts - 1; i > 0; i--)
            if (qdri_regular_owns(self, self->by_rank[i])) return (int)self->rank[self->by_rank[i]] + 1;
        return (int)self->rank[self->by_rank[0]] + 1;
    }
    int64_t part = 0;
    for (int d = 0; d < self->head.dimensions; d++) {
        const qdri_axis *axis = self->axis + d;
        int64_t highest = qdri_axis_part(axis, axis->extent - 1);
        if (axis->spread == QDR_CYCLIC)
            highest = qdri_least(axis->parts - 1, (axis->extent - 1) / axis->block);
        part = part * axis->parts + highest;
    }
    return (int)part + 1;
}

static qdr_status fill(qdri_regular *self, int dimensions, const qdr_axis *axis, const qdr_storage *storage) {
    int64_t extent[MOST] = {0};
    if (!axis) return qdri_fail(QDR_ERR_INVALID, "a regular layout needs its axes, not NULL");
    for (int d = 0; d < dimensions && dimensions <= MOST; d++) extent[d] = axis[d].extent;
    QDRI_TRY(qdri_layout_head(&self->head, &qdri_regular_type, dimensions, extent));
    self->parts = 1;
    for (int d = 0; d < dimensions; d++) {
        QDRI_TRY(set_axis(self->axis + d, axis + d, d));
        if (!qdri_multiply(self->parts, self->axis[d].parts, &self->parts) || self->parts > INT_MAX - 1)
            return qdri_fail(QDR_ERR_RANGE, "the process grid has more parts than there can be ranks, %d",
                             INT_MAX - 1);
    }
    if (storage) QDRI_TRY(set_storage(self, storage));
    QDRI_TRY(check_rooms(self));
    if (storage && storage->rank) QDRI_TRY(set_ranks(self, storage->rank));
    self->head.ranks = count_ranks(self);
    return QDR_OK;
}

qdr_status qdr_layout_regular_sized(int dimensions, const qdr_axis *axis, size_t axis_bytes,
                                    const qdr_storage *storage, qdr_layout **layout) {
    qdr_axis known[QDR_MOST_DIMENSIONS];
    qdr_storage how;
    if (!layout) return qdri_fail(QDR_ERR_INVALID, "qdr_layout_regular was given NULL");
    for (int d = 0; axis && dimensions <= QDR_MOST_DIMENSIONS && d < dimensions; d++)
        QDRI_TRY(qdri_element_read("qdr_axis", &known[d], sizeof known[d], axis, axis_bytes, d));
    if (storage) qdri_sized_read(&how, sizeof how, storage);
    qdri_regular *self = QDRI_ZERO_ARRAY(qdri_regular, 1);
    if (!self) return qdri_fail_memory();
    qdr_status status = fill(self, dimensions, axis ? known : NULL, storage ? &how : NULL);
    if (status)
        qdri_regular_close(&self->head);
    else
        *layout = &self->head;
    return status;
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

void qdri_regular_put(const qdr_layout *layout, qdri_writer *writer) {
    const qdri_regular *self = qdri_regular_of(layout);
    for (int d = 0; d < layout->dimensions; d++) {
        const qdri_axis *axis = self->axis + d;
        const int64_t word[] = {axis->spread, axis->parts, axis->block, axis->below, axis->above};
        qdri_put_all(writer, sizeof word / sizeof *word, word);
        if (axis->cut) qdri_put_all(writer, axis->parts + 1, axis->cut);
    }
    qdri_put(writer, self->order);
    qdri_put(writer, self->offset);
    qdri_put(writer, self->has_stride);
    if (self->has_stride) qdri_put_all(writer, layout->dimensions, self->stride);
    qdri_put(writer, self->rank != NULL);
    if (self->rank) qdri_put_all(writer, self->parts, self->rank);
}

static qdr_status get_axis(qdri_reader *reader, int64_t extent, qdr_axis *axis, int64_t **cut) {
    int64_t spread, parts;
    QDRI_TRY(qdri_get(reader, "a spread", 0, SPREADS - 1, &spread));
    QDRI_TRY(qdri_get(reader, "parts", 1, INT_MAX, &parts));
    QDRI_TRY(qdri_get(reader, "a block", 1, QDRI_LARGEST, &axis->block));
    QDRI_TRY(qdri_get(reader, "ghosts below", 0, QDRI_LARGEST, &axis->ghost_below));
    QDRI_TRY(qdri_get(reader, "ghosts above", 0, QDRI_LARGEST, &axis->ghost_above));
    axis->extent = extent;
    axis->spread = (qdr_spread)spread;
    axis->parts = (int)parts;
    if (axis->spread != QDR_CUTS) return QDR_OK;
    QDRI_TRY(qdri_get_array(reader, "cuts", parts + 1, cut));
    axis->cut = *cut;
    return QDR_OK;
}

static qdr_status get_ranks(qdri_reader *reader, int64_t parts, int **rank) {
    int64_t given, value;
    QDRI_TRY(qdri_get(reader, "a table of ranks", 0, 1, &given));
    if (!given) return QDR_OK;
    if (parts > reader->left) return qdri_fail(QDR_ERR_SYNTAX, "the bytes of a layout end before its ranks");
    *rank = QDRI_ARRAY(int, parts);
    if (!*rank) return qdri_fail_memory();
    for (int64_t p = 0; p < parts; p++) {
        QDRI_TRY(qdri_get(reader, "a rank", 0, INT_MAX - 1, &value));
        (*rank)[p] = (int)value;
    }
    return QDR_OK;
}

static qdr_status get_storage(qdri_reader *reader, int dimensions, int64_t parts, qdr_storage *storage,
                              int64_t **stride, int **rank) {
    int64_t order, has_stride;
    QDRI_TRY(qdri_get(reader, "an order", QDR_ROW_MAJOR, QDR_COLUMN_MAJOR, &order));
    QDRI_TRY(qdri_get(reader, "an offset", 0, QDRI_LARGEST, &storage->offset));
    QDRI_TRY(qdri_get(reader, "strides", 0, 1, &has_stride));
    if (has_stride) QDRI_TRY(qdri_get_array(reader, "strides", dimensions, stride));
    QDRI_TRY(get_ranks(reader, parts, rank));
    storage->order = (qdr_order)order;
    storage->stride = *stride;
    storage->rank = *rank;
    return QDR_OK;
}

qdr_status qdri_regular_get(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout) {
    qdr_axis axis[MOST] = {0};
    qdr_storage storage = QDR_STORAGE;
    int64_t *cut[MOST] = {0}, *stride = NULL, parts = 1;
    int *rank = NULL;
    qdr_status status = QDR_OK;
    for (int d = 0; d < dimensions && !status; d++) {
        status = get_axis(reader, extent[d], axis + d, cut + d);
        if (!status && !qdri_multiply(parts, axis[d].parts, &parts))
            status = qdri_fail(QDR_ERR_SYNTAX, "the bytes of a layout claim too many parts");
    }
    if (!status) status = get_storage(reader, dimensions, parts, &storage, &stride, &rank);
    if (!status) status = qdr_layout_regular(dimensions, axis, &storage, layout);
    for (int d = 0; d < dimensions; d++) free(cut[d]);
    free(stride);
    free(rank);
    return status;
}
