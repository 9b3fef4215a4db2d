/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of boxes, of one rank or of all. */
#ifndef QDRI_LAYOUT_BOXES_H
#define QDRI_LAYOUT_BOXES_H

#include "inside.h"

typedef struct qdri_boxes {
    qdr_layout head;
    qdr_order order;
    int64_t count, capacity; /* boxes, none of them empty */
    int64_t *bound;          /* [count][3][dimensions]: lower, upper, stride */
    int64_t *offset;         /* [count] */
    int64_t *rank;           /* [count], never falling; QDR_HERE in those of one rank */
} qdri_boxes;

static inline const qdri_boxes *qdri_boxes_of(const qdr_layout *layout) {
    return (const qdri_boxes *)(const void *)layout;
}

static inline const int64_t *qdri_box_lower(const qdri_boxes *boxes, int64_t number) {
    return boxes->bound + number * 3 * boxes->head.dimensions;
}

static inline const int64_t *qdri_box_upper(const qdri_boxes *boxes, int64_t number) {
    return qdri_box_lower(boxes, number) + boxes->head.dimensions;
}

static inline const int64_t *qdri_box_stride(const qdri_boxes *boxes, int64_t number) {
    return qdri_box_upper(boxes, number) + boxes->head.dimensions;
}

/* Boxes [*from, *until) are the rank's. */
void qdri_boxes_range(const qdri_boxes *boxes, int rank, int64_t *from, int64_t *until);

/* The order by the lower bound of a dimension; returns how many different ones there are, -1 without
 * memory. key[count] is for scratch. */
int64_t qdri_boxes_order(const qdri_boxes *boxes, int dimension, int64_t *key, int64_t *order);

/* A layout without boxes, with room for some; closed by qdr_layout_destroy(). */
qdr_status qdri_boxes_open(const qdri_layout_type *type, int dimensions, const int64_t *extent,
                           qdr_order order, int64_t boxes, qdri_boxes **made);
/* Checks a box and adds it, if it is not empty; `stride` NULL: dense. */
qdr_status qdri_boxes_add(qdri_boxes *boxes, int rank, int64_t number, const qdr_box *box);
/* When all are in: fails with this status, and a sentence, if two have an element in common. */
qdr_status qdri_boxes_check(qdri_boxes *boxes, qdr_status verdict);

/* Of the layout's type. */
qdr_status qdri_boxes_cursor(qdri_walker *cursor);
void qdri_boxes_seek(qdri_walker *cursor, const int64_t *index);

#endif
