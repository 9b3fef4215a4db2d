/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular layouts, of which regular.c answers questions and regular_make.c makes. */
#ifndef QDRI_LAYOUT_REGULAR_H
#define QDRI_LAYOUT_REGULAR_H

#include "inside.h"

typedef struct qdri_axis {
    qdr_spread spread;
    int64_t extent, parts, block;
    int64_t *cut; /* [parts + 1], or NULL */
    int64_t below, above;
} qdri_axis;

typedef struct qdri_regular {
    qdr_layout head;
    qdri_axis axis[MOST];
    qdr_order order;
    int has_stride;
    int64_t stride[MOST], offset;
    int64_t parts;    /* of the grid */
    int64_t *rank;    /* [parts], or NULL */
    int64_t *by_rank; /* [parts]: parts by rising rank, or NULL */
} qdri_regular;

static inline const qdri_regular *qdri_regular_of(const qdr_layout *layout) {
    return (const qdri_regular *)(const void *)layout;
}

/* What a part owns along a dimension, and which part owns an index. */
qdri_comb qdri_axis_comb(const qdri_axis *axis, int64_t part);
int64_t qdri_axis_part(const qdri_axis *axis, int64_t index);
/* Whether a part of the grid owns anything. */
int qdri_regular_owns(const qdri_regular *self, int64_t part);

void qdri_regular_close(qdr_layout *layout);
void qdri_regular_put(const qdr_layout *layout, qdri_writer *writer);
qdr_status qdri_regular_get(qdri_reader *reader, int dimensions, const int64_t *extent, qdr_layout **layout);

#endif
