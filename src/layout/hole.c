/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first element of a region that nobody owns.
 *
 * How many elements of a box are owned is a sum of products, for owners do not overlap. So a box has a hole
 * when it has more elements than that, and the lowest is found by bisection: the shortest slab along the
 * slowest axis with a hole, in its last layer the shortest along the next, and so on. O(boxes * dimensions
 * * log extent), whatever the extents.
 */
#include "inside.h"

#include <string.h>

#include "base/error.h"

static int is_full(const qdr_layout *layout, const qdri_progression *box) {
    int64_t elements = 1;
    for (int d = 0; d < layout->dimensions; d++) elements *= box[d].count;
    return layout->type->owned(layout, box) == elements;
}

/* The first layer along an axis that has a hole; one has. The box becomes that layer. */
static int64_t first_layer(const qdr_layout *layout, qdri_progression *box, int d) {
    qdri_progression whole = box[d];
    int64_t full = 0, holed = whole.count; /* so many layers have none, so many have one */
    while (holed - full > 1) {
        box[d].count = full + (holed - full) / 2;
        if (is_full(layout, box))
            full = box[d].count;
        else
            holed = box[d].count;
    }
    box[d] = (qdri_progression){whole.lower + full * whole.stride, 1, 1};
    return full;
}

/* The number inside the box; -1 if it has no hole. */
static int64_t hole_in_box(const qdri_array_side *side, const qdri_item *item) {
    qdri_progression box[MOST];
    int dimensions = side->layout->dimensions, axis[MOST];
    int64_t number = 0;
    memcpy(box, qdri_item_box(side->region, item), (size_t)dimensions * sizeof *box);
    if (is_full(side->layout, box)) return -1;
    qdri_order_axes(side->region->order, dimensions, axis);
    for (int a = 0; a < dimensions; a++) {
        int64_t count = box[axis[a]].count;
        number = number * count + first_layer(side->layout, box, axis[a]);
    }
    return number;
}

static int64_t hole_in_list(const qdri_array_side *side, const qdri_item *item, qdri_walker *cursor) {
    for (int64_t i = 0; i < item->elements; i++) {
        side->layout->type->seek(cursor, side->region->index + (item->listed + i) * side->region->dimensions);
        if (cursor->rank == QDR_HERE) return i;
    }
    return -1;
}

qdr_status qdri_side_hole(const qdri_array_side *side, int64_t *number) {
    qdri_walker cursor;
    int axis[MOST];
    int64_t found = -1;
    QDRI_TRY(qdri_side_check(side, 1));
    qdri_order_axes(side->region->order, side->region->dimensions, axis);
    QDRI_TRY(qdri_walker_open(&cursor, side->layout, axis));
    for (int64_t i = 0; i < side->region->items && found < 0; i++) {
        const qdri_item *item = side->region->item + i;
        found = item->box < 0 ? hole_in_list(side, item, &cursor) : hole_in_box(side, item);
        if (found >= 0) found += item->start;
    }
    qdri_walker_close(&cursor);
    *number = found;
    return QDR_OK;
}
