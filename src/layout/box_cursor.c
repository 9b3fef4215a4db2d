/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns an element, among the boxes of all ranks, when elements are asked for in order.
 *
 * Candidates are kept by rising lower bound along the last axis. Axis after axis, those that do not hold
 * the index are left out; what is left stays right until a bound of the axis is passed. Along a row they
 * are disjoint, so that a binary search finds the one that holds the element, or the next.
 */
#include "boxes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

qdr_status qdri_boxes_cursor(qdri_walker *cursor) {
    const qdri_boxes *self = qdri_boxes_of(cursor->layout);
    int64_t rows, *key = QDRI_ARRAY(int64_t, self->count);
    if (key && qdri_multiply(self->count, cursor->layout->dimensions, &rows))
        cursor->candidate = QDRI_ARRAY(int64_t, rows);
    qdr_status status = QDR_OK;
    if (!cursor->candidate ||
        qdri_boxes_order(self, cursor->axis[self->head.dimensions - 1], key, cursor->candidate) < 0)
        status = qdri_fail_memory();
    if (status) qdri_walker_close(cursor);
    free(key);
    cursor->candidates[0] = self->count;
    return status;
}

/* Those of level `a` that hold the index along its axis become level a + 1. */
static void narrow(qdri_walker *cursor, int a, int64_t index) {
    const qdri_boxes *self = qdri_boxes_of(cursor->layout);
    const int64_t *from = cursor->candidate + a * self->count;
    int64_t *to = cursor->candidate + (a + 1) * self->count, count = 0;
    int d = cursor->axis[a];
    qdri_slice slice = {.from = 0, .until = INT64_MAX};
    for (int64_t i = 0; i < cursor->candidates[a]; i++) {
        int64_t lower = qdri_box_lower(self, from[i])[d], upper = qdri_box_upper(self, from[i])[d];
        if (index >= lower && index < upper) to[count++] = from[i];
        if (lower <= index) slice.from = qdri_most(slice.from, lower);
        if (lower > index) slice.until = qdri_least(slice.until, lower);
        if (upper <= index) slice.from = qdri_most(slice.from, upper);
        if (upper > index) slice.until = qdri_least(slice.until, upper);
    }
    cursor->candidates[a + 1] = count;
    cursor->slice[a] = slice;
}

/* The first candidate that ends behind the index along the last axis. */
static int64_t first_behind(const qdri_walker *cursor, const int64_t *candidate, int64_t count,
                            int64_t index) {
    const qdri_boxes *self = qdri_boxes_of(cursor->layout);
    int d = cursor->axis[self->head.dimensions - 1];
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (qdri_box_upper(self, candidate[middle])[d] <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void qdri_boxes_seek(qdri_walker *cursor, const int64_t *index) {
    const qdri_boxes *self = qdri_boxes_of(cursor->layout);
    int last = self->head.dimensions - 1, changed = 0;
    for (int a = 0; a < last; a++) {
        int64_t at = index[cursor->axis[a]];
        changed |= at < cursor->slice[a].from || at >= cursor->slice[a].until;
        if (changed) narrow(cursor, a, at);
    }
    const int64_t *candidate = cursor->candidate + last * self->count;
    int64_t count = cursor->candidates[last], at = index[cursor->axis[last]];
    int64_t found = first_behind(cursor, candidate, count, at);
    int64_t lower = found < count ? qdri_box_lower(self, candidate[found])[cursor->axis[last]] : INT64_MAX;
    if (lower > at) {
        cursor->rank = QDR_HERE;
        cursor->place = cursor->step = 0;
        cursor->until = lower;
        return;
    }
    int64_t box = candidate[found], place = self->offset[box];
    for (int d = 0; d <= last; d++)
        place += (index[d] - qdri_box_lower(self, box)[d]) * qdri_box_stride(self, box)[d];
    cursor->rank = (int)self->rank[box];
    cursor->place = place;
    cursor->step = qdri_box_stride(self, box)[cursor->axis[last]];
    cursor->until = qdri_box_upper(self, box)[cursor->axis[last]];
}
