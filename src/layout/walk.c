/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The elements of a region in the order of their numbers, by runs, with their owners.
 *
 * A box is walked row by row along its fastest axis. A cursor says who owns an element, and up to where; it
 * remembers what it found along each axis, so that the next row costs no more than the runs in it. Runs
 * that continue each other are joined.
 */
#include "inside.h"

#include <inttypes.h>

#include "base/error.h"

/* ---- joining ------------------------------------------------------------------------------------------- */

qdr_status qdri_joiner_flush(qdri_joiner *joiner) {
    int64_t count = joiner->count;
    joiner->count = 0;
    if (count == 0) return QDR_OK;
    return joiner->visit(joiner->context, joiner->number, count, joiner->rank, joiner->place, joiner->step);
}

/* ---- walking ------------------------------------------------------------------------------------------- */

qdr_status qdri_side_check(const qdri_array_side *side, int compact) {
    if (side->layout->type->compact != compact)
        return qdri_fail(QDR_ERR_INVALID, "the layout is %s, not %s",
                         compact ? "explicit, or boxes of one rank" : "compact",
                         compact ? "compact" : "explicit");
    if (side->layout->dimensions != side->region->dimensions)
        return qdri_fail(QDR_ERR_INVALID, "a region of %d dimensions cannot select from an array of %d",
                         side->region->dimensions, side->layout->dimensions);
    return QDR_OK;
}

typedef struct walk {
    const qdri_array_side *side;
    const qdr_region *region;
    qdri_walker cursor;
    qdri_joiner joiner;
} walk;

static qdr_status walk_list(walk *walk, const qdri_item *item, int64_t from, int64_t until) {
    qdri_walker *cursor = &walk->cursor;
    int width = walk->region->dimensions;
    for (int64_t number = from; number < until; number++) {
        int64_t at = item->listed + number - item->start;
        cursor->layout->type->seek(cursor, walk->region->index + at * width);
        QDRI_TRY(qdri_joiner_add(&walk->joiner, number, 1, cursor->rank, cursor->place,
                                 qdri_least(cursor->step, 1)));
    }
    return QDR_OK;
}

/* `count` elements of one row from the index on, which ends behind them. */
static qdr_status walk_row(walk *walk, const qdri_progression *along, int inner, int64_t number,
                           int64_t count, int64_t *index) {
    qdri_walker *cursor = &walk->cursor;
    int64_t stride = along->stride;
    while (count > 0) {
        cursor->layout->type->seek(cursor, index);
        int64_t reach = cursor->until - index[inner];
        int64_t length = qdri_least(stride == 1 ? reach : qdri_ceiling(reach, stride), count);
        int64_t step = length > 1 ? cursor->step * stride : qdri_least(cursor->step, 1);
        QDRI_TRY(qdri_joiner_add(&walk->joiner, number, length, cursor->rank, cursor->place, step));
        number += length;
        count -= length;
        index[inner] += length * stride;
    }
    return QDR_OK;
}

/* The index of the first element of the next row. */
static void next_row(const qdri_walker *cursor, int dimensions, const qdri_progression *box, int64_t *index) {
    index[cursor->axis[dimensions - 1]] = box[cursor->axis[dimensions - 1]].lower;
    for (int a = dimensions - 2; a >= 0; a--) {
        const qdri_progression *along = box + cursor->axis[a];
        int64_t *at = index + cursor->axis[a];
        if (*at < along->lower + (along->count - 1) * along->stride) {
            *at += along->stride;
            return;
        }
        *at = along->lower;
    }
}

/* Axes of one index do not count: rows go along the fastest of the others. The order of the rest is
 * kept. */
static qdr_status choose_rows(walk *walk, const qdri_progression *box) {
    int axis[MOST], dimensions = walk->region->dimensions, inner = dimensions - 1;
    qdri_order_axes(walk->region->order, dimensions, axis);
    while (inner > 0 && box[axis[inner]].count == 1) inner--;
    int row = axis[inner];
    if (row == walk->cursor.axis[dimensions - 1]) return QDR_OK;
    for (int a = inner; a < dimensions - 1; a++) axis[a] = axis[a + 1];
    axis[dimensions - 1] = row;
    qdri_walker_close(&walk->cursor);
    return qdri_walker_open(&walk->cursor, walk->side->layout, axis);
}

static qdr_status walk_box(walk *walk, const qdri_item *item, int64_t from, int64_t until) {
    const qdri_progression *box = qdri_item_box(walk->region, item);
    QDRI_TRY(choose_rows(walk, box));
    int dimensions = walk->region->dimensions, inner = walk->cursor.axis[dimensions - 1];
    int64_t index[MOST], row = box[inner].count;
    QDRI_TRY(qdr_region_index(walk->region, from, index));
    for (int64_t number = from; number < until;) {
        int64_t left = qdri_least(row - (number - item->start) % row, until - number);
        QDRI_TRY(walk_row(walk, box + inner, inner, number, left, index));
        next_row(&walk->cursor, dimensions, box, index);
        number += left;
    }
    return QDR_OK;
}

static qdr_status walk_items(walk *walk, int64_t low, int64_t high) {
    const qdr_region *region = walk->region;
    if (low >= high) return QDR_OK;
    for (int64_t i = qdri_region_item_of(region, low); i < region->items && region->item[i].start < high;
         i++) {
        const qdri_item *item = region->item + i;
        int64_t from = qdri_most(low, item->start), until = qdri_least(high, item->start + item->elements);
        QDRI_TRY(item->box < 0 ? walk_list(walk, item, from, until) : walk_box(walk, item, from, until));
    }
    return qdri_joiner_flush(&walk->joiner);
}

qdr_status qdri_side_walk(const qdri_array_side *side, int64_t low, int64_t high, qdri_visit *visit,
                          void *context) {
    walk walk = {.side = side, .region = side->region, .joiner = {.visit = visit, .context = context}};
    QDRI_TRY(qdri_side_check(side, 1));
    if (low < 0 || high > side->region->elements)
        return qdri_fail(QDR_ERR_RANGE,
                         "numbers %" PRId64 "..%" PRId64 " are not all in a region of %" PRId64 " elements",
                         low, high - 1, side->region->elements);
    int axis[MOST];
    qdri_order_axes(side->region->order, side->region->dimensions, axis);
    QDRI_TRY(qdri_walker_open(&walk.cursor, side->layout, axis));
    qdr_status status = walk_items(&walk, low, high);
    qdri_walker_close(&walk.cursor);
    return status;
}
