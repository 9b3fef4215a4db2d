/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: ordered sets of elements, as figure 1 of Lee and Sussman.
 *
 * A region is a sequence of items, boxes and lists, in the order of insertion; the elements of an item
 * follow those of the item before, so that an item needs no more than its first number. A region is a set:
 * what is added is held against what is there, box against box in closed form (two progressions meet in
 * each dimension), single elements by hash. A region that somebody else uses is not changed any more.
 */
#include "inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

qdr_status qdr_region_create(int dimensions, qdr_order order, qdr_region **region) {
    if (!region) return qdri_fail(QDR_ERR_INVALID, "qdr_region_create was given NULL");
    if (dimensions < 1 || dimensions > MOST)
        return qdri_fail(QDR_ERR_INVALID, "a region has 1 to %d dimensions, not %d", MOST, dimensions);
    if (order != QDR_ROW_MAJOR && order != QDR_COLUMN_MAJOR)
        return qdri_fail(QDR_ERR_INVALID, "there is no order %d", (int)order);
    qdr_region *made = QDRI_ZERO_ARRAY(qdr_region, 1);
    if (!made) return qdri_fail_memory();
    qdri_owned_open(&made->owned);
    made->dimensions = dimensions;
    made->order = order;
    *region = made;
    return QDR_OK;
}

qdr_region *qdri_region_retain(const qdr_region *region) {
    qdri_owned_keep(&region->owned);
    return (qdr_region *)region;
}

static void dispose(qdr_region *region) {
    free(region->item);
    free(region->box);
    free(region->index);
    free(region->slot);
    free(region->direct);
    free(region);
}

void qdr_region_destroy(qdr_region **region) {
    if (!region || !*region) return;
    if (qdri_owned_leave(&(*region)->owned)) dispose(*region);
    *region = NULL;
}

int64_t qdr_region_elements(const qdr_region *region) {
    return region ? region->elements : 0;
}

int qdri_region_dimensions(const qdr_region *region) {
    return region->dimensions;
}

static qdr_status may_change(const qdr_region *region) {
    if (!qdri_owned_has_others(&region->owned)) return QDR_OK;
    return qdri_fail(QDR_ERR_BUSY, "a region that is in use, by a field or the like, cannot be changed");
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

/* The box as progressions; `elements` is how many it has. */
static qdr_status make_box(const qdr_region *region, const int64_t *lower, const int64_t *upper,
                           const int64_t *stride, qdri_progression *box, int64_t *elements) {
    int64_t product = 1;
    int empty = 0;
    for (int d = 0; d < region->dimensions; d++) {
        int64_t step = stride ? stride[d] : 1;
        if (step < 1)
            return qdri_fail(QDR_ERR_INVALID, "the stride of dimension %d is %" PRId64 "; expected 1 or more",
                             d, step);
        if (lower[d] < 0 || upper[d] > QDRI_LARGEST)
            return qdri_fail(QDR_ERR_RANGE, "[%" PRId64 ", %" PRId64 ") of dimension %d is not in 0..2^62",
                             lower[d], upper[d], d);
        if (upper[d] < lower[d])
            return qdri_fail(QDR_ERR_INVALID,
                             "dimension %d ends at %" PRId64 ", before it begins at %" PRId64, d, upper[d],
                             lower[d]);
        box[d] = (qdri_progression){lower[d], step, qdri_ceiling(upper[d] - lower[d], step)};
        if (box[d].count <= 1) box[d].stride = 1;
        empty |= box[d].count == 0;
        if (!qdri_multiply(product, qdri_most(box[d].count, 1), &product))
            return qdri_fail(QDR_ERR_RANGE, "the box has more than 2^62 elements");
    }
    *elements = empty ? 0 : product;
    return QDR_OK;
}

static qdr_status refuse(const qdr_region *region, const int64_t *index) {
    char text[INDEX_TEXT];
    return qdri_fail(QDR_ERR_INVALID, "the region has element %s already",
                     qdri_index_text(text, sizeof text, region->dimensions, index));
}

static qdr_status check_boxes(const qdr_region *region, const qdri_progression *box) {
    int64_t index[MOST];
    for (int64_t i = 0; i < region->boxes; i++) {
        const qdri_progression *other = region->box + i * region->dimensions;
        int d = 0;
        while (d < region->dimensions && qdri_progressions_intersect(box + d, other + d, index + d)) d++;
        if (d == region->dimensions) return refuse(region, index);
    }
    return QDR_OK;
}

static int holds(int dimensions, const qdri_progression *box, const int64_t *index) {
    for (int d = 0; d < dimensions; d++) {
        int64_t distance = index[d] - box[d].lower;
        if (distance < 0 || distance % box[d].stride != 0 || distance / box[d].stride >= box[d].count)
            return 0;
    }
    return 1;
}

static qdr_status check_each_listed(const qdr_region *region, const qdri_progression *box) {
    for (int64_t i = 0; i < region->listed; i++)
        if (holds(region->dimensions, box, region->index + i * region->dimensions))
            return refuse(region, region->index + i * region->dimensions);
    return QDR_OK;
}

static qdr_status check_each_of_box(const qdr_region *region, const qdri_progression *box, int64_t elements) {
    int64_t index[MOST];
    for (int64_t k = 0; k < elements; k++) {
        int64_t rest = k;
        for (int d = 0; d < region->dimensions; d++) {
            index[d] = box[d].lower + rest % box[d].count * box[d].stride;
            rest /= box[d].count;
        }
        if (qdri_listed_find(region, index) >= 0) return refuse(region, index);
    }
    return QDR_OK;
}

/* There is room for one more; `box` -1: a list. */
static void add_item(qdr_region *region, int64_t elements, int64_t box, int64_t listed) {
    qdri_item *last = region->items > 0 ? region->item + region->items - 1 : NULL;
    if (box < 0 && last && last->box < 0)
        last->elements += elements;
    else
        region->item[region->items++] = (qdri_item){region->elements, elements, box, listed};
    region->elements += elements;
}

static int room_for_item(qdr_region *region) {
    return qdri_grow(&region->item, &region->item_capacity, region->items + 1, sizeof *region->item);
}

qdr_status qdr_region_add_box(qdr_region *region, const int64_t *lower, const int64_t *upper,
                              const int64_t *stride) {
    qdri_progression box[MOST];
    int64_t elements = 0, sum;
    if (!region || !lower || !upper) return qdri_fail(QDR_ERR_INVALID, "qdr_region_add_box was given NULL");
    QDRI_TRY(may_change(region));
    QDRI_TRY(make_box(region, lower, upper, stride, box, &elements));
    if (elements == 0) return QDR_OK;
    if (!qdri_add(region->elements, elements, &sum))
        return qdri_fail(QDR_ERR_RANGE, "the region would have more than 2^62 elements");
    QDRI_TRY(check_boxes(region, box));
    QDRI_TRY(elements < region->listed ? check_each_of_box(region, box, elements)
                                       : check_each_listed(region, box));
    if (!room_for_item(region) || !qdri_grow(&region->box, &region->box_capacity,
                                             (region->boxes + 1) * region->dimensions, sizeof *region->box))
        return qdri_fail_memory();
    memcpy(region->box + region->boxes * region->dimensions, box, (size_t)region->dimensions * sizeof *box);
    add_item(region, elements, region->boxes++, region->listed);
    return QDR_OK;
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static qdr_status check_element(const qdr_region *region, int64_t number, const int64_t *index) {
    for (int d = 0; d < region->dimensions; d++)
        if (index[d] < 0 || index[d] >= QDRI_LARGEST)
            return qdri_fail(QDR_ERR_RANGE,
                             "element %" PRId64 " of the list: index %" PRId64
                             " of dimension %d is not in 0..2^62",
                             number, index[d], d);
    for (int64_t b = 0; b < region->boxes; b++)
        if (holds(region->dimensions, region->box + b * region->dimensions, index))
            return refuse(region, index);
    return qdri_listed_find(region, index) < 0 ? QDR_OK : refuse(region, index);
}

qdr_status qdr_region_add_list(qdr_region *region, int64_t count, const int64_t *index) {
    if (!region || count < 0 || (count > 0 && !index))
        return qdri_fail(QDR_ERR_INVALID, "qdr_region_add_list was given %" PRId64 " elements, or NULL",
                         count);
    QDRI_TRY(may_change(region));
    if (count == 0) return QDR_OK;
    if (count > QDRI_LARGEST - region->elements)
        return qdri_fail(QDR_ERR_RANGE, "the region would have more than 2^62 elements");
    if (!room_for_item(region) || !qdri_listed_reserve(region, count)) return qdri_fail_memory();
    int64_t first = region->listed, width = region->dimensions;
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < count && !status; i++) {
        status = check_element(region, i, index + i * width);
        if (status) break;
        memcpy(region->index + region->listed * width, index + i * width, (size_t)width * sizeof *index);
        qdri_listed_insert(region, region->listed++);
    }
    /* Spread out again only when they have doubled, so that adding them one by one costs no more. */
    if (!status && count >= first && !qdri_listed_spread(region)) status = qdri_fail_memory();
    if (!status) add_item(region, count, -1, first);
    while (status && region->listed > first) qdri_listed_remove(region, --region->listed);
    return status;
}

qdr_status qdr_region_all(const qdr_layout *layout, qdr_order order, qdr_region **region) {
    static const int64_t zero[MOST];
    if (!layout || !region) return qdri_fail(QDR_ERR_INVALID, "qdr_region_all was given NULL");
    qdr_region *made;
    QDRI_TRY(qdr_region_create(layout->dimensions, order, &made));
    qdr_status status = qdr_region_add_box(made, zero, layout->extent, NULL);
    if (status)
        qdr_region_destroy(&made);
    else
        *region = made;
    return status;
}
