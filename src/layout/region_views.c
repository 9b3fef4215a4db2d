/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the global and the linear view of a region: which number an element has, and back; whether all
 * lies inside an array; the region as bytes.
 */
#include "inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

enum { FORMAT = 0x515201 };

void qdri_order_axes(qdr_order order, int dimensions, int *axis) {
    for (int a = 0; a < dimensions; a++) axis[a] = order == QDR_ROW_MAJOR ? a : dimensions - 1 - a;
}

int64_t qdri_region_item_of(const qdr_region *region, int64_t number) {
    return region->items > 0
               ? qdri_last_not_above(&region->item->start, region->items, sizeof *region->item, number)
               : 0;
}

/* Of a listed element by its position: it is in the last item before which no more were listed. */
int64_t qdri_listed_number(const qdr_region *region, int64_t position) {
    const qdri_item *item = region->item;
    item += qdri_last_not_above(&item->listed, region->items, sizeof *item, position);
    return item->start + position - item->listed;
}

int64_t qdri_box_number(const qdr_region *region, const qdri_progression *box, const int64_t *index) {
    int64_t number = 0;
    for (int a = 0; a < region->dimensions; a++) {
        int d = region->order == QDR_ROW_MAJOR ? a : region->dimensions - 1 - a;
        int64_t coordinate = index[d] - box[d].lower;
        if (coordinate < 0) return -1;
        if (box[d].stride != 1) {
            if (coordinate % box[d].stride != 0) return -1;
            coordinate /= box[d].stride;
        }
        if (coordinate >= box[d].count) return -1;
        number = number * box[d].count + coordinate;
    }
    return number;
}

qdr_status qdr_region_number(const qdr_region *region, const int64_t *index, int64_t *number) {
    char text[INDEX_TEXT];
    if (!region || !index || !number) return qdri_fail(QDR_ERR_INVALID, "qdr_region_number was given NULL");
    int64_t listed = qdri_listed_find(region, index);
    if (listed >= 0) {
        *number = qdri_listed_number(region, listed);
        return QDR_OK;
    }
    for (int64_t i = 0; i < region->items; i++) {
        const qdri_item *item = region->item + i;
        int64_t within = item->box < 0 ? -1 : qdri_box_number(region, qdri_item_box(region, item), index);
        if (within < 0) continue;
        *number = item->start + within;
        return QDR_OK;
    }
    return qdri_fail(QDR_ERR_UNKNOWN, "element %s is not in the region",
                     qdri_index_text(text, sizeof text, region->dimensions, index));
}

qdr_status qdr_region_index(const qdr_region *region, int64_t number, int64_t *index) {
    if (!region || !index) return qdri_fail(QDR_ERR_INVALID, "qdr_region_index was given NULL");
    if (number < 0 || number >= region->elements)
        return qdri_fail(QDR_ERR_RANGE, "the region has %" PRId64 " elements; there is no number %" PRId64,
                         region->elements, number);
    const qdri_item *item = region->item + qdri_region_item_of(region, number);
    int64_t rest = number - item->start;
    if (item->box < 0) {
        memcpy(index, region->index + (item->listed + rest) * region->dimensions,
               (size_t)region->dimensions * sizeof *index);
        return QDR_OK;
    }
    int axis[MOST];
    qdri_order_axes(region->order, region->dimensions, axis);
    for (int a = region->dimensions - 1; a >= 0; a--) {
        const qdri_progression *along = qdri_item_box(region, item) + axis[a];
        index[axis[a]] = along->lower + rest % along->count * along->stride;
        rest /= along->count;
    }
    return QDR_OK;
}

/* ---- inside an array ----------------------------------------------------------------------------------- */

/* The lowest number of a box's elements outside, -1 if all are inside: along one dimension alone, the
 * others at their lower end, the box leaves the array first. */
static int64_t first_outside(const qdr_region *region, const qdri_progression *box, const int64_t *extent) {
    int axis[MOST];
    int64_t size = 1, lowest = -1;
    qdri_order_axes(region->order, region->dimensions, axis);
    for (int a = region->dimensions - 1; a >= 0; a--) {
        const qdri_progression *along = box + axis[a];
        int64_t room = extent[axis[a]] - along->lower;
        int64_t coordinate = room <= 0 ? 0 : qdri_ceiling(room, along->stride);
        if (coordinate < along->count && (lowest < 0 || coordinate * size < lowest))
            lowest = coordinate * size;
        size *= along->count;
    }
    return lowest;
}

static int64_t first_listed_outside(const qdr_region *region, const qdri_item *item, const int64_t *extent) {
    for (int64_t i = 0; i < item->elements; i++)
        for (int d = 0; d < region->dimensions; d++)
            if (region->index[(item->listed + i) * region->dimensions + d] >= extent[d]) return i;
    return -1;
}

qdr_status qdri_region_fits(const qdr_region *region, const qdr_layout *layout) {
    char text[INDEX_TEXT], limits[INDEX_TEXT];
    int64_t index[MOST];
    if (region->dimensions != layout->dimensions)
        return qdri_fail(QDR_ERR_INVALID, "a region of %d dimensions cannot select from an array of %d",
                         region->dimensions, layout->dimensions);
    for (int64_t i = 0; i < region->items; i++) {
        const qdri_item *item = region->item + i;
        int64_t within = item->box < 0 ? first_listed_outside(region, item, layout->extent)
                                       : first_outside(region, qdri_item_box(region, item), layout->extent);
        if (within < 0) continue;
        QDRI_TRY(qdr_region_index(region, item->start + within, index));
        return qdri_fail(QDR_ERR_RANGE,
                         "element %s, number %" PRId64 " of the region, is outside of the array of extent %s",
                         qdri_index_text(text, sizeof text, region->dimensions, index), item->start + within,
                         qdri_index_text(limits, sizeof limits, region->dimensions, layout->extent));
    }
    return QDR_OK;
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

static void put_region(const qdr_region *region, qdri_writer *writer) {
    qdri_put(writer, FORMAT);
    qdri_put(writer, region->dimensions);
    qdri_put(writer, region->order);
    qdri_put(writer, region->items);
    for (int64_t i = 0; i < region->items; i++) {
        const qdri_item *item = region->item + i;
        const qdri_progression *box = item->box < 0 ? NULL : qdri_item_box(region, item);
        qdri_put(writer, item->box < 0 ? item->elements : 0);
        for (int d = 0; d < region->dimensions && box; d++) {
            const int64_t word[] = {box[d].lower, box[d].stride, box[d].count};
            qdri_put_all(writer, 3, word);
        }
        if (!box)
            qdri_put_all(writer, item->elements * region->dimensions,
                         region->index + item->listed * region->dimensions);
    }
}

uint64_t qdri_region_digest(const qdr_region *region) {
    qdri_writer writer = {.digesting = 1};
    put_region(region, &writer);
    return writer.digest;
}

qdr_status qdri_region_write(const qdr_region *region, void **bytes, int64_t *size) {
    qdri_writer writer = {0};
    put_region(region, &writer);
    return qdri_writer_take(&writer, bytes, size);
}

static qdr_status get_box(qdri_reader *reader, qdr_region *region) {
    int64_t lower[MOST], upper[MOST], stride[MOST], count, along;
    for (int d = 0; d < region->dimensions; d++) {
        QDRI_TRY(qdri_get(reader, "a lower bound", 0, QDRI_LARGEST, lower + d));
        QDRI_TRY(qdri_get(reader, "a stride", 1, QDRI_LARGEST, stride + d));
        QDRI_TRY(qdri_get(reader, "a count", 1, QDRI_LARGEST, &count));
        if (!qdri_multiply(count - 1, stride[d], &along) || !qdri_add(along, lower[d], &along) ||
            along == QDRI_LARGEST)
            return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold a box that ends beyond 2^62",
                             reader->what);
        upper[d] = along + 1;
    }
    return qdr_region_add_box(region, lower, upper, stride);
}

static qdr_status get_list(qdri_reader *reader, qdr_region *region, int64_t elements) {
    int64_t *index, numbers;
    if (!qdri_multiply(elements, region->dimensions, &numbers)) numbers = QDRI_LARGEST;
    QDRI_TRY(qdri_get_array(reader, "a list", numbers, &index));
    qdr_status status = qdr_region_add_list(region, elements, index);
    free(index);
    return status;
}

static qdr_status get_items(qdri_reader *reader, qdr_region *region) {
    int64_t items, elements;
    QDRI_TRY(qdri_get_count(reader, "items", &items));
    for (int64_t i = 0; i < items; i++) {
        QDRI_TRY(qdri_get(reader, "a length", 0, QDRI_LARGEST, &elements));
        QDRI_TRY(elements == 0 ? get_box(reader, region) : get_list(reader, region, elements));
    }
    return qdri_reader_end(reader);
}

qdr_status qdri_region_read(const void *bytes, int64_t size, qdr_region **region) {
    qdri_reader reader = {bytes, size, "a region"};
    int64_t word, dimensions, order;
    QDRI_TRY(qdri_get(&reader, "the format", FORMAT, FORMAT, &word));
    QDRI_TRY(qdri_get(&reader, "the number of dimensions", 1, MOST, &dimensions));
    QDRI_TRY(qdri_get(&reader, "an order", QDR_ROW_MAJOR, QDR_COLUMN_MAJOR, &order));
    qdr_region *made;
    QDRI_TRY(qdr_region_create((int)dimensions, (qdr_order)order, &made));
    qdr_status status = qdri_reader_blame(&reader, get_items(&reader, made));
    if (status)
        qdr_region_destroy(&made);
    else
        *region = made;
    return status;
}
