/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular layouts: an array dealt out on a process grid, dimension by dimension.
 *
 * Along each dimension a part of the grid owns a comb, which follows from a few numbers; a spread is one line in the
 * table below. A rank has one part of the grid, the product of its combs, stored as a box with ghost layers around it.
 * Nothing is stored per rank but a table of ranks, if one was given, so that the cost of every question is that of a few
 * divisions per dimension (of QDR_CUTS: a binary search).
 */
#include "inside.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

typedef struct axis {
    qdr_spread spread;
    int64_t extent, parts, block;
    int64_t *cut; /* [parts + 1], or NULL */
    int64_t below, above;
} axis;

typedef struct regular {
    qdr_layout head;
    axis axis[MOST];
    qdr_order order;
    int has_stride;
    int64_t stride[MOST], offset;
    int64_t parts;    /* of the grid */
    int64_t *rank;    /* [parts], or NULL */
    int64_t *by_rank; /* [parts]: parts by rising rank, or NULL */
} regular;

static const regular *regular_of(const qdr_layout *layout) {
    return (const regular *)(const void *)layout;
}

/* ---- spreads ------------------------------------------------------------------------------------------- */

static int64_t whole_part(const axis *axis, int64_t index) {
    (void)axis, (void)index;
    return 0;
}

static qdri_comb whole_comb(const axis *axis, int64_t part) {
    (void)part;
    return qdri_comb_interval(0, axis->extent);
}

static int64_t block_part(const axis *axis, int64_t index) {
    return index / axis->block;
}

static qdri_comb block_comb(const axis *axis, int64_t part) {
    int64_t lower = qdri_least(part * axis->block, axis->extent);
    return qdri_comb_interval(lower, qdri_least(lower + axis->block, axis->extent));
}

static int64_t cyclic_part(const axis *axis, int64_t index) {
    return index / axis->block % axis->parts;
}

static qdri_comb cyclic_comb(const axis *axis, int64_t part) {
    int64_t lower, period, block = axis->block;
    if (!qdri_multiply(part, block, &lower) || lower >= axis->extent)
        return qdri_comb_interval(axis->extent, axis->extent);
    if (!qdri_multiply(axis->parts, block, &period)) period = QDRI_LARGEST; /* there is but one round */
    int64_t last = lower + (axis->extent - 1 - lower) / period * period;
    return (qdri_comb){lower, qdri_least(last + block, axis->extent), block, period};
}

/* The part whose cut is the last at or before the index: parts with nothing are stepped over. */
static int64_t cuts_part(const axis *axis, int64_t index) {
    int64_t low = 0, high = axis->parts;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (axis->cut[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static qdri_comb cuts_comb(const axis *axis, int64_t part) {
    return qdri_comb_interval(axis->cut[part], axis->cut[part + 1]);
}

static const struct spread {
    int64_t (*part)(const axis *axis, int64_t index); /* who owns an index of the extent */
    qdri_comb (*comb)(const axis *axis, int64_t part);
} spreads[] = {
    [QDR_WHOLE] = {whole_part, whole_comb},
    [QDR_BLOCK] = {block_part, block_comb},
    [QDR_CYCLIC] = {cyclic_part, cyclic_comb},
    [QDR_CUTS] = {cuts_part, cuts_comb},
};

enum { SPREADS = sizeof spreads / sizeof *spreads };

static qdri_comb comb_of(const axis *axis, int64_t part) {
    return spreads[axis->spread].comb(axis, part);
}

/* ---- parts and ranks ----------------------------------------------------------------------------------- */

static void strides_of(const regular *self, const int64_t *room, int64_t *stride) {
    if (self->has_stride)
        memcpy(stride, self->stride, (size_t)self->head.dimensions * sizeof *stride);
    else
        qdri_dense_strides(self->head.dimensions, room, self->order, stride);
}

static int rank_of(const regular *self, int64_t part) {
    return (int)(self->rank ? self->rank[part] : part);
}

/* -1 if the rank has none. */
static int64_t part_of(const regular *self, int rank) {
    if (!self->rank) return rank >= 0 && rank < self->parts ? rank : -1;
    int64_t low = 0, high = self->parts;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (self->rank[self->by_rank[middle]] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->parts && self->rank[self->by_rank[low]] == rank ? self->by_rank[low] : -1;
}

/* A part's tile, and its memory with ghosts. */
static void describe(const regular *self, int64_t part, qdri_tile *tile, int64_t *room) {
    int empty = 0;
    for (int d = self->head.dimensions - 1; d >= 0; d--) {
        const axis *axis = self->axis + d;
        tile->comb[d] = comb_of(axis, part % axis->parts);
        int64_t own = qdri_comb_count(tile->comb + d);
        room[d] = axis->below + own + axis->above;
        part /= axis->parts;
        empty |= own == 0;
    }
    strides_of(self, room, tile->stride);
    tile->base = self->offset;
    if (empty) return; /* strides are bounded only where there are elements */
    for (int d = 0; d < self->head.dimensions; d++) tile->base += self->axis[d].below * tile->stride[d];
}

static int64_t count_tiles(const qdr_layout *layout, int rank) {
    return part_of(regular_of(layout), rank) >= 0;
}

static void get_tile(const qdr_layout *layout, int rank, int64_t number, qdri_tile *tile) {
    int64_t room[MOST];
    (void)number;
    describe(regular_of(layout), part_of(regular_of(layout), rank), tile, room);
}

static qdr_status share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    const regular *self = regular_of(layout);
    if (rank == QDR_HERE) return QDR_UNKNOWN;
    int64_t part = part_of(self, rank), rooms[MOST], reach = 0;
    qdri_tile tile;
    *elements = 0;
    *room = 0;
    if (part < 0) return QDR_OK;
    describe(self, part, &tile, rooms);
    *elements = qdri_tile_elements(&tile, layout->dimensions);
    if (*elements == 0) return QDR_OK;
    for (int d = 0; d < layout->dimensions; d++) reach += (rooms[d] - 1) * tile.stride[d];
    *room = self->offset + reach + 1;
    return QDR_OK;
}

static qdr_status index_at(const qdr_layout *layout, int rank, int64_t place, int64_t *index) {
    const regular *self = regular_of(layout);
    int64_t part = rank == QDR_HERE ? -1 : part_of(self, rank), room[MOST];
    qdri_tile tile;
    if (part < 0) return QDR_UNKNOWN;
    describe(self, part, &tile, room);
    return qdri_tile_index(&tile, layout->dimensions, place, index) ? QDR_OK : QDR_UNKNOWN;
}

/* ---- elements one after the other ---------------------------------------------------------------------- */

static void slice_at(const axis *axis, int64_t index, qdri_slice *slice) {
    int64_t part = spreads[axis->spread].part(axis, index);
    qdri_comb comb = comb_of(axis, part);
    int64_t distance = index - comb.lower, tooth = distance < comb.block ? 0 : distance / comb.period;
    slice->from = comb.lower + tooth * comb.period;
    slice->until = qdri_least(slice->from + comb.block, comb.upper);
    slice->local = axis->below + tooth * comb.block;
    slice->room = axis->below + qdri_comb_count(&comb) + axis->above;
    slice->part = part;
}

/* Nobody owns what is outside; inside, all is owned. */
static int outside(qdri_cursor *cursor, const int64_t *index) {
    const qdr_layout *layout = cursor->layout;
    for (int d = 0; d < layout->dimensions; d++) {
        if (index[d] < layout->extent[d]) continue;
        cursor->rank = QDR_HERE;
        cursor->place = cursor->step = 0;
        cursor->until = INT64_MAX;
        return 1;
    }
    return 0;
}

static void seek(qdri_cursor *cursor, const int64_t *index) {
    const regular *self = regular_of(cursor->layout);
    int dimensions = self->head.dimensions, last = cursor->axis[dimensions - 1];
    int64_t part = 0, room[MOST], stride[MOST], place = self->offset;
    if (outside(cursor, index)) return;
    for (int d = 0; d < dimensions; d++) {
        qdri_slice *slice = cursor->slice + d;
        if (index[d] < slice->from || index[d] >= slice->until) slice_at(self->axis + d, index[d], slice);
        part = part * self->axis[d].parts + slice->part;
        room[d] = slice->room;
    }
    strides_of(self, room, stride);
    for (int d = 0; d < dimensions; d++)
        place += (cursor->slice[d].local + index[d] - cursor->slice[d].from) * stride[d];
    cursor->rank = rank_of(self, part);
    cursor->place = place;
    cursor->step = stride[last];
    cursor->until = cursor->slice[last].until;
}

static qdr_status locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place) {
    qdri_cursor cursor;
    QDRI_TRY(qdri_cursor_open(&cursor, layout, QDR_ROW_MAJOR));
    seek(&cursor, index);
    *rank = cursor.rank;
    *place = cursor.place;
    return QDR_OK;
}

static int64_t owned(const qdr_layout *layout, const qdri_progression *box) {
    int64_t elements = 1, first;
    for (int d = 0; d < layout->dimensions; d++)
        elements *= qdri_progression_within(box + d, 0, layout->extent[d], &first);
    return elements;
}

/* ---- making them --------------------------------------------------------------------------------------- */

static void close(qdr_layout *layout) {
    regular *self = (regular *)(void *)layout;
    for (int d = 0; d < MOST; d++) free(self->axis[d].cut);
    free(self->rank);
    free(self->by_rank);
    free(self);
}

static qdr_status copy_cuts(axis *axis, const int64_t *cut, int number) {
    if (!cut) return qdri_fail(QDR_INVALID, "dimension %d: QDR_CUTS needs cuts, not NULL", number);
    if (cut[0] != 0 || cut[axis->parts] != axis->extent)
        return qdri_fail(QDR_INVALID,
                         "dimension %d: the cuts go from %" PRId64 " to %" PRId64 ", not from 0 to %" PRId64,
                         number, cut[0], cut[axis->parts], axis->extent);
    for (int64_t p = 0; p < axis->parts; p++)
        if (cut[p + 1] < cut[p])
            return qdri_fail(QDR_INVALID,
                             "dimension %d: cut %" PRId64 " is %" PRId64 ", below the one before, %" PRId64,
                             number, p + 1, cut[p + 1], cut[p]);
    axis->cut = QDRI_ARRAY(int64_t, axis->parts + 1);
    if (!axis->cut) return qdri_fail_memory();
    memcpy(axis->cut, cut, (size_t)(axis->parts + 1) * sizeof *cut);
    return QDR_OK;
}

static qdr_status set_axis(axis *axis, const qdr_axis *given, int number) {
    if ((int)given->spread < 0 || (int)given->spread >= (int)SPREADS)
        return qdri_fail(QDR_INVALID, "dimension %d: %d is no spread", number, (int)given->spread);
    if (given->parts < 0)
        return qdri_fail(QDR_INVALID, "dimension %d: %d parts, not at least 0", number, given->parts);
    if (given->spread == QDR_WHOLE && given->parts > 1)
        return qdri_fail(QDR_INVALID, "dimension %d: QDR_WHOLE has one part, not %d", number, given->parts);
    if (given->spread == QDR_CYCLIC && given->block < 0)
        return qdri_fail(QDR_INVALID, "dimension %d: blocks of %" PRId64 " elements", number, given->block);
    if (given->ghost_below < 0 || given->ghost_above < 0)
        return qdri_fail(QDR_INVALID,
                         "dimension %d: %" PRId64 " and %" PRId64 " ghost layers, not at least 0", number,
                         given->ghost_below, given->ghost_above);
    int64_t extent = given->extent, block = qdri_most(given->block, 1);
    *axis = (struct axis){.spread = given->spread,
                          .extent = extent,
                          .parts = qdri_most(given->parts, 1),
                          .below = given->ghost_below,
                          .above = given->ghost_above};
    if (given->spread == QDR_BLOCK) block = qdri_ceiling(extent, axis->parts);
    axis->block = qdri_most(qdri_least(block, extent), 1);
    return given->spread == QDR_CUTS ? copy_cuts(axis, given->cut, number) : QDR_OK;
}

/* The most that a part of the dimension has. */
static int64_t largest_part(const axis *axis) {
    int64_t most = 0;
    for (int64_t p = 0; p < (axis->spread == QDR_CUTS ? axis->parts : 1); p++) {
        qdri_comb comb = comb_of(axis, p);
        most = qdri_most(most, qdri_comb_count(&comb));
    }
    return most;
}

/* The largest memory that a rank can need stays within bounds. */
static qdr_status check_rooms(const regular *self) {
    int64_t room[MOST], product = 1, reach = 0;
    for (int d = 0; d < self->head.dimensions; d++) {
        int64_t own = largest_part(self->axis + d);
        if (!qdri_add(self->axis[d].below, self->axis[d].above, room + d) ||
            !qdri_add(room[d], own, room + d) ||
            (!self->has_stride && !qdri_multiply(product, qdri_most(room[d], 1), &product)))
            return qdri_fail(QDR_RANGE,
                             "the memory of a rank would need more than 2^62 elements, in dimension %d", d);
    }
    if (self->has_stride)
        QDRI_TRY(qdri_strides_check("the layout", self->head.dimensions, room, self->stride, &reach));
    if (!qdri_add(qdri_most(reach, product), self->offset, &product))
        return qdri_fail(QDR_RANGE,
                         "the memory of a rank would need more than 2^62 elements, with offset %" PRId64,
                         self->offset);
    return QDR_OK;
}

static qdr_status set_storage(regular *self, const qdr_storage *storage) {
    if (storage->size != sizeof *storage)
        return qdri_fail(QDR_INVALID, "qdr_storage has %zu bytes, not %zu: initialise it with QDR_STORAGE",
                         storage->size, sizeof *storage);
    if (storage->order != QDR_ROW_MAJOR && storage->order != QDR_COLUMN_MAJOR)
        return qdri_fail(QDR_INVALID, "%d is no order", (int)storage->order);
    if (storage->offset < 0 || storage->offset > QDRI_LARGEST)
        return qdri_fail(QDR_RANGE, "the offset %" PRId64 " is not in 0..2^62", storage->offset);
    self->order = storage->order;
    self->offset = storage->offset;
    self->has_stride = storage->stride != NULL;
    if (storage->stride)
        memcpy(self->stride, storage->stride, (size_t)self->head.dimensions * sizeof *self->stride);
    return QDR_OK;
}

static qdr_status set_ranks(regular *self, const int *rank) {
    self->rank = QDRI_ARRAY(int64_t, self->parts);
    self->by_rank = QDRI_ARRAY(int64_t, self->parts);
    if (!self->rank || !self->by_rank) return qdri_fail_memory();
    for (int64_t p = 0; p < self->parts; p++) {
        if (rank[p] < 0 || rank[p] == INT_MAX)
            return qdri_fail(QDR_RANGE, "part %" PRId64 " of the grid is given to rank %d", p, rank[p]);
        self->rank[p] = rank[p];
    }
    if (!qdri_sort_order(self->rank, self->parts, self->by_rank)) return qdri_fail_memory();
    for (int64_t i = 0; i + 1 < self->parts; i++)
        if (self->rank[self->by_rank[i]] == self->rank[self->by_rank[i + 1]])
            return qdri_fail(QDR_INVALID,
                             "rank %" PRId64 " has parts %" PRId64 " and %" PRId64 " of the grid",
                             self->rank[self->by_rank[i]], self->by_rank[i], self->by_rank[i + 1]);
    return QDR_OK;
}

static int has_elements(const regular *self, int64_t part) {
    qdri_tile tile;
    int64_t room[MOST];
    describe(self, part, &tile, room);
    return qdri_tile_elements(&tile, self->head.dimensions) > 0;
}

/* Without a table the highest part that owns something is the highest in each dimension. */
static int count_ranks(const regular *self) {
    if (self->head.elements == 0) return 0;
    if (self->rank) {
        for (int64_t i = self->parts - 1; i > 0; i--)
            if (has_elements(self, self->by_rank[i])) return (int)self->rank[self->by_rank[i]] + 1;
        return (int)self->rank[self->by_rank[0]] + 1;
    }
    int64_t part = 0;
    for (int d = 0; d < self->head.dimensions; d++) {
        const axis *axis = self->axis + d;
        int64_t highest = spreads[axis->spread].part(axis, axis->extent - 1);
        if (axis->spread == QDR_CYCLIC)
            highest = qdri_least(axis->parts - 1, (axis->extent - 1) / axis->block);
        part = part * axis->parts + highest;
    }
    return (int)part + 1;
}

static qdr_status fill(regular *self, int dimensions, const qdr_axis *axis, const qdr_storage *storage) {
    int64_t extent[MOST] = {0};
    if (!axis) return qdri_fail(QDR_INVALID, "a regular layout needs its axes, not NULL");
    for (int d = 0; d < dimensions && dimensions <= MOST; d++) extent[d] = axis[d].extent;
    QDRI_TRY(qdri_layout_head(&self->head, &qdri_regular_type, dimensions, extent));
    self->parts = 1;
    for (int d = 0; d < dimensions; d++) {
        QDRI_TRY(set_axis(self->axis + d, axis + d, d));
        if (!qdri_multiply(self->parts, self->axis[d].parts, &self->parts) || self->parts > INT_MAX - 1)
            return qdri_fail(QDR_RANGE, "the process grid has more parts than there can be ranks");
    }
    if (storage) QDRI_TRY(set_storage(self, storage));
    QDRI_TRY(check_rooms(self));
    if (storage && storage->rank) QDRI_TRY(set_ranks(self, storage->rank));
    self->head.ranks = count_ranks(self);
    return QDR_OK;
}

qdr_status qdr_layout_regular(int dimensions, const qdr_axis *axis, const qdr_storage *storage,
                              qdr_layout **layout) {
    if (!layout) return qdri_fail(QDR_INVALID, "qdr_layout_regular was given NULL");
    regular *self = QDRI_ZERO_ARRAY(regular, 1);
    if (!self) return qdri_fail_memory();
    qdr_status status = fill(self, dimensions, axis, storage);
    if (status)
        close(&self->head);
    else
        *layout = &self->head;
    return status;
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

static void put(const qdr_layout *layout, qdri_writer *writer) {
    const regular *self = regular_of(layout);
    for (int d = 0; d < layout->dimensions; d++) {
        const axis *axis = self->axis + d;
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
    if (parts > reader->left) return qdri_fail(QDR_SYNTAX, "the bytes of a layout end before its ranks");
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

static qdr_status get(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout) {
    qdr_axis axis[MOST] = {0};
    qdr_storage storage = QDR_STORAGE;
    int64_t *cut[MOST] = {0}, *stride = NULL, parts = 1;
    int *rank = NULL;
    qdr_status status = QDR_OK;
    for (int d = 0; d < dimensions && !status; d++) {
        status = get_axis(reader, extent[d], axis + d, cut + d);
        if (!status && !qdri_multiply(parts, axis[d].parts, &parts))
            status = qdri_fail(QDR_SYNTAX, "the bytes of a layout claim too many parts");
    }
    if (!status) status = get_storage(reader, dimensions, parts, &storage, &stride, &rank);
    if (!status) status = qdr_layout_regular(dimensions, axis, &storage, layout);
    for (int d = 0; d < dimensions; d++) free(cut[d]);
    free(stride);
    free(rank);
    return status;
}

const qdri_layout_type qdri_regular_type = {
    .kind = QDRI_REGULAR,
    .compact = 1,
    .locate = locate,
    .index = index_at,
    .share = share,
    .put = put,
    .get = get,
    .close = close,
    .tiles = count_tiles,
    .tile = get_tile,
    .owned = owned,
    .seek = seek,
};
