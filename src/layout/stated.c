/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank stated of an explicit layout, as numbers of a region.
 *
 * A run of elements is a run of numbers where a box of the region is a range of elements in row-major
 * order: a one-dimensional one, whole rows, the whole array. There the cost is a subtraction and a
 * comparison per run. Other boxes are held against the run row by row, single elements against the hash
 * table, or against the row, if they are fewer.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A box whose numbers are start, start + 1 ... for elements first, first + 1 ... */
typedef struct straight {
    int64_t first, count, start; /* count -1: it is no such box */
} straight;

typedef struct reading {
    const qdr_layout *layout;
    const qdr_region *region;
    straight *straight; /* [items] */
    int all_straight;
    qdri_joiner joiner;
} reading;

/* ---- boxes that are ranges of elements ----------------------------------------------------------------- */

/* From the fastest dimension on: whole ones, then one that may be a part, then such of one index.
 * Numbers rise in the same order when the order is row-major, or when but one dimension has more than
 * one index. */
static straight straight_of(const qdr_layout *layout, const qdr_region *region, const qdri_item *item) {
    const straight none = {0, -1, 0};
    if (item->box < 0) return none;
    const qdri_progression *box = qdri_item_box(region, item);
    int64_t lower[MOST];
    int several = 0, partial = 0;
    for (int d = layout->dimensions - 1; d >= 0; d--) {
        lower[d] = box[d].lower;
        if (box[d].count > 1 && (partial || box[d].stride != 1)) return none;
        partial |= box[d].count != layout->extent[d];
        several += box[d].count > 1;
    }
    if (region->order != QDR_ROW_MAJOR && several > 1) return none;
    return (straight){qdri_layout_element(layout, lower), item->elements, item->start};
}

static qdr_status visit_straight(reading *reading, const straight *box, int64_t element, int64_t count,
                                 int rank, int64_t place) {
    int64_t from = qdri_most(element, box->first),
            until = qdri_least(element + count, box->first + box->count);
    if (from >= until) return QDR_OK;
    return qdri_joiner_add(&reading->joiner, box->start + from - box->first, until - from, rank,
                           place + from - element, 1);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* `count` elements from `index` on along the last dimension, the first at `place` of `rank`. Those who
 * look into it move the index, and put it back: a copy would cost more than what is done with it. */
typedef struct row {
    int64_t index[MOST], count, place;
    int rank;
} row;

static qdr_status visit_box(reading *reading, const qdri_item *item, row *row) {
    const qdri_progression *box = qdri_item_box(reading->region, item);
    int last = reading->layout->dimensions - 1;
    const qdri_progression *along = box + last;
    int64_t first, begin = row->index[last], size = 1;
    int64_t count = qdri_progression_within(along, begin, begin + row->count, &first);
    if (count == 0) return QDR_OK;
    int64_t from = along->lower + first * along->stride, place = row->place + from - begin;
    row->index[last] = from;
    int64_t number = qdri_box_number(reading->region, box, row->index);
    row->index[last] = begin;
    if (number < 0) return QDR_OK;
    for (int d = 0; d < last && reading->region->order == QDR_COLUMN_MAJOR; d++) size *= box[d].count;
    if (size == 1)
        return qdri_joiner_add(&reading->joiner, item->start + number, count, row->rank, place,
                               along->stride);
    for (int64_t i = 0; i < count; i++)
        QDRI_TRY(qdri_joiner_add(&reading->joiner, item->start + number + i * size, 1, row->rank,
                                 place + i * along->stride, 1));
    return QDR_OK;
}

static qdr_status visit_position(reading *reading, const row *row, int64_t position, int64_t within) {
    int64_t number = qdri_listed_number(reading->region, position);
    return qdri_joiner_add(&reading->joiner, number, 1, row->rank, row->place + within, 1);
}

static qdr_status find_in_lists(reading *reading, row *row) {
    int64_t *at = row->index + reading->layout->dimensions - 1, begin = *at;
    for (int64_t i = 0; i < row->count; i++, ++*at) {
        int64_t position = qdri_listed_find(reading->region, row->index);
        if (position >= 0) QDRI_TRY(visit_position(reading, row, position, i));
    }
    *at = begin;
    return QDR_OK;
}

static qdr_status find_in_row(reading *reading, const row *row) {
    const qdr_region *region = reading->region;
    int last = region->dimensions - 1;
    for (int64_t p = 0; p < region->listed; p++) {
        const int64_t *index = region->index + p * region->dimensions;
        int64_t within = index[last] - row->index[last];
        if (within < 0 || within >= row->count || memcmp(index, row->index, (size_t)last * sizeof *index))
            continue;
        QDRI_TRY(visit_position(reading, row, p, within));
    }
    return QDR_OK;
}

static qdr_status visit_row(reading *reading, row *row) {
    const qdr_region *region = reading->region;
    for (int64_t i = 0; i < region->items; i++)
        if (region->item[i].box >= 0 && reading->straight[i].count < 0)
            QDRI_TRY(visit_box(reading, region->item + i, row));
    if (region->listed == 0) return QDR_OK;
    return row->count < region->listed ? find_in_lists(reading, row) : find_in_row(reading, row);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static qdr_status visit_rows(reading *reading, int64_t element, int64_t count, int rank, int64_t place) {
    int last = reading->layout->dimensions - 1;
    row row;
    row.rank = rank;
    while (count > 0) {
        qdri_layout_split(reading->layout, element, row.index);
        row.count = qdri_least(count, reading->layout->extent[last] - row.index[last]);
        row.place = place;
        QDRI_TRY(visit_row(reading, &row));
        element += row.count;
        place += row.count;
        count -= row.count;
    }
    return QDR_OK;
}

static qdr_status visit_run(void *context, int64_t element, int64_t count, int rank, int64_t place,
                            int64_t step) {
    reading *reading = context;
    (void)step;
    for (int64_t i = 0; i < reading->region->items; i++)
        if (reading->straight[i].count >= 0)
            QDRI_TRY(visit_straight(reading, reading->straight + i, element, count, rank, place));
    return reading->all_straight ? QDR_OK : visit_rows(reading, element, count, rank, place);
}

/* The common case: one box, which is a range. */
static qdr_status visit_only(void *context, int64_t element, int64_t count, int rank, int64_t place,
                             int64_t step) {
    reading *reading = context;
    (void)step;
    return visit_straight(reading, reading->straight, element, count, rank, place);
}

qdr_status qdri_side_stated(const qdri_side *side, qdri_visit *visit, void *context) {
    QDRI_TRY(qdri_side_check(side, 0));
    if (!side->layout->type->stated)
        return qdri_fail(QDR_INVALID, "the boxes of one rank are no explicit layout");
    const qdr_region *region = side->region;
    reading reading = {.layout = side->layout,
                       .region = region,
                       .straight = QDRI_ARRAY(straight, region->items),
                       .all_straight = 1,
                       .joiner = {.visit = visit, .context = context}};
    if (!reading.straight) return qdri_fail_memory();
    for (int64_t i = 0; i < region->items; i++) {
        reading.straight[i] = straight_of(side->layout, region, region->item + i);
        reading.all_straight &= reading.straight[i].count >= 0;
    }
    qdri_visit *visit_each = reading.all_straight && region->items == 1 ? visit_only : visit_run;
    qdr_status status = side->layout->type->stated(side->layout, visit_each, &reading);
    if (!status) status = qdri_joiner_flush(&reading.joiner);
    free(reading.straight);
    return status;
}
