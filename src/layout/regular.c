/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular layouts: an array dealt out on a process grid, dimension by dimension.
 *
 * Along each dimension a part of the grid owns a comb, which follows from a few numbers; a spread is one
 * line in the table below. A rank has one part of the grid, the product of its combs, stored as a box with
 * ghost layers around it. Nothing is stored per rank but a table of ranks, if one was given, so that the
 * cost of every question is that of a few divisions per dimension (of QDR_CUTS: a binary search).
 */
#include "regular.h"

#include <string.h>

#include "base/error.h"

/* ---- spreads ------------------------------------------------------------------------------------------- */

static int64_t whole_part(const qdri_axis *axis, int64_t index) {
    (void)axis, (void)index;
    return 0;
}

static qdri_comb whole_comb(const qdri_axis *axis, int64_t part) {
    (void)part;
    return qdri_comb_interval(0, axis->extent);
}

static int64_t block_part(const qdri_axis *axis, int64_t index) {
    return index / axis->block;
}

static qdri_comb block_comb(const qdri_axis *axis, int64_t part) {
    int64_t lower = qdri_least(part * axis->block, axis->extent);
    return qdri_comb_interval(lower, qdri_least(lower + axis->block, axis->extent));
}

static int64_t cyclic_part(const qdri_axis *axis, int64_t index) {
    return index / axis->block % axis->parts;
}

static qdri_comb cyclic_comb(const qdri_axis *axis, int64_t part) {
    int64_t lower, period, block = axis->block;
    if (!qdri_multiply(part, block, &lower) || lower >= axis->extent)
        return qdri_comb_interval(axis->extent, axis->extent);
    if (!qdri_multiply(axis->parts, block, &period)) period = QDRI_LARGEST; /* there is but one round */
    int64_t last = lower + (axis->extent - 1 - lower) / period * period;
    return (qdri_comb){lower, qdri_least(last + block, axis->extent), block, period};
}

/* The part whose cut is the last at or before the index: parts with nothing are stepped over. */
static int64_t cuts_part(const qdri_axis *axis, int64_t index) {
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

static qdri_comb cuts_comb(const qdri_axis *axis, int64_t part) {
    return qdri_comb_interval(axis->cut[part], axis->cut[part + 1]);
}

static const struct spread {
    int64_t (*part)(const qdri_axis *axis, int64_t index); /* who owns an index of the extent */
    qdri_comb (*comb)(const qdri_axis *axis, int64_t part);
} spreads[] = {
    [QDR_WHOLE] = {whole_part, whole_comb},
    [QDR_BLOCK] = {block_part, block_comb},
    [QDR_CYCLIC] = {cyclic_part, cyclic_comb},
    [QDR_CUTS] = {cuts_part, cuts_comb},
};

qdri_comb qdri_axis_comb(const qdri_axis *axis, int64_t part) {
    return spreads[axis->spread].comb(axis, part);
}

int64_t qdri_axis_part(const qdri_axis *axis, int64_t index) {
    return spreads[axis->spread].part(axis, index);
}

/* ---- parts and ranks ----------------------------------------------------------------------------------- */

static void strides_of(const qdri_regular *self, const int64_t *room, int64_t *stride) {
    if (self->has_stride)
        memcpy(stride, self->stride, (size_t)self->head.dimensions * sizeof *stride);
    else
        qdri_dense_strides(self->head.dimensions, room, self->order, stride);
}

static int rank_of(const qdri_regular *self, int64_t part) {
    return (int)(self->rank ? self->rank[part] : part);
}

/* -1 if the rank has none. */
static int64_t part_of(const qdri_regular *self, int rank) {
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
static void describe(const qdri_regular *self, int64_t part, qdri_tile *tile, int64_t *room) {
    int empty = 0;
    for (int d = self->head.dimensions - 1; d >= 0; d--) {
        const qdri_axis *axis = self->axis + d;
        tile->comb[d] = qdri_axis_comb(axis, part % axis->parts);
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

int qdri_regular_owns(const qdri_regular *self, int64_t part) {
    qdri_tile tile;
    int64_t room[MOST];
    describe(self, part, &tile, room);
    return qdri_tile_elements(&tile, self->head.dimensions) > 0;
}

static int64_t count_tiles(const qdr_layout *layout, int rank) {
    return part_of(qdri_regular_of(layout), rank) >= 0;
}

static void get_tile(const qdr_layout *layout, int rank, int64_t number, qdri_tile *tile) {
    int64_t room[MOST];
    (void)number;
    describe(qdri_regular_of(layout), part_of(qdri_regular_of(layout), rank), tile, room);
}

static qdr_status share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    const qdri_regular *self = qdri_regular_of(layout);
    if (rank == QDR_HERE) return QDR_ERR_UNKNOWN;
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
    const qdri_regular *self = qdri_regular_of(layout);
    int64_t part = rank == QDR_HERE ? -1 : part_of(self, rank), room[MOST];
    qdri_tile tile;
    if (part < 0) return QDR_ERR_UNKNOWN;
    describe(self, part, &tile, room);
    return qdri_tile_index(&tile, layout->dimensions, place, index) ? QDR_OK : QDR_ERR_UNKNOWN;
}

/* ---- elements one after the other ---------------------------------------------------------------------- */

static void slice_at(const qdri_axis *axis, int64_t index, qdri_slice *slice) {
    int64_t part = qdri_axis_part(axis, index);
    qdri_comb comb = qdri_axis_comb(axis, part);
    int64_t distance = index - comb.lower, tooth = distance < comb.block ? 0 : distance / comb.period;
    slice->from = comb.lower + tooth * comb.period;
    slice->until = qdri_least(slice->from + comb.block, comb.upper);
    slice->local = axis->below + tooth * comb.block;
    slice->room = axis->below + qdri_comb_count(&comb) + axis->above;
    slice->part = part;
}

/* Nobody owns what is outside; inside, all is owned. */
static int outside(qdri_walker *cursor, const int64_t *index) {
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

static void seek(qdri_walker *cursor, const int64_t *index) {
    const qdri_regular *self = qdri_regular_of(cursor->layout);
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
    qdri_walker cursor;
    int axis[MOST];
    qdri_order_axes(QDR_ROW_MAJOR, layout->dimensions, axis);
    QDRI_TRY(qdri_walker_open(&cursor, layout, axis));
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

const qdri_layout_type qdri_regular_type = {
    .kind = QDRI_REGULAR,
    .compact = 1,
    .locate = locate,
    .index = index_at,
    .share = share,
    .put = qdri_regular_put,
    .get = qdri_regular_get,
    .close = qdri_regular_close,
    .tiles = count_tiles,
    .tile = get_tile,
    .owned = owned,
    .seek = seek,
};
