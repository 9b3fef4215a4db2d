/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The boxes of all ranks made one compact layout. Each rank's come as bytes; what they say about the array
 * must be the same, and no element may have two owners.
 */
#include "boxes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static qdr_status read_one(const void *bytes, int64_t size, int rank, qdr_layout **part) {
    if (size < 0)
        return qdri_fail(QDR_ERR_INVALID, "the boxes of rank %d have %" PRId64 " bytes", rank, size);
    QDRI_TRY(qdri_layout_read(bytes, size, part));
    if ((*part)->type->kind == QDRI_BOXES) return QDR_OK;
    qdr_layout_destroy(part);
    return qdri_fail(QDR_ERR_MISMATCH, "rank %d states no boxes, as all ranks of such an array must", rank);
}

static qdr_status same_array(const qdri_boxes *first, const qdri_boxes *other, int rank) {
    if (first->head.dimensions != other->head.dimensions)
        return qdri_fail(QDR_ERR_MISMATCH, "rank 0 states boxes of %d dimensions, rank %d of %d",
                         first->head.dimensions, rank, other->head.dimensions);
    for (int d = 0; d < first->head.dimensions; d++)
        if (first->head.extent[d] != other->head.extent[d])
            return qdri_fail(QDR_ERR_MISMATCH,
                             "rank 0 says that dimension %d has %" PRId64 " indices, rank %d says %" PRId64,
                             d, first->head.extent[d], rank, other->head.extent[d]);
    if (first->order != other->order)
        return qdri_fail(QDR_ERR_MISMATCH, "ranks 0 and %d state boxes in different orders", rank);
    return QDR_OK;
}

static qdr_status read_all(const unsigned char *bytes, const int64_t *start, int ranks, qdr_layout **part,
                           int64_t *boxes) {
    for (int r = 0; r < ranks; r++) {
        QDRI_TRY(read_one(bytes + start[r], start[r + 1] - start[r], r, part + r));
        QDRI_TRY(same_array(qdri_boxes_of(part[0]), qdri_boxes_of(part[r]), r));
        *boxes += qdri_boxes_of(part[r])->count;
    }
    return QDR_OK;
}

static qdr_status add_all(qdr_layout *const *part, int ranks, qdri_boxes *joined) {
    for (int r = 0; r < ranks; r++) {
        const qdri_boxes *own = qdri_boxes_of(part[r]);
        for (int64_t i = 0; i < own->count; i++) {
            qdr_box box = {qdri_box_lower(own, i), qdri_box_upper(own, i), qdri_box_stride(own, i),
                           own->offset[i]};
            QDRI_TRY(qdri_boxes_add(joined, r, i, &box));
        }
    }
    return qdri_boxes_check(joined, QDR_ERR_MISMATCH);
}

static qdr_status join(qdr_layout *const *part, int ranks, int64_t boxes, qdr_layout **joined) {
    const qdri_boxes *first = qdri_boxes_of(part[0]);
    qdri_boxes *made;
    QDRI_TRY(qdri_boxes_open(&qdri_joined_type, first->head.dimensions, first->head.extent, first->order,
                             boxes, &made));
    qdr_layout *layout = &made->head;
    qdr_status status = add_all(part, ranks, made);
    if (status)
        qdr_layout_destroy(&layout);
    else
        *joined = layout;
    return status;
}

qdr_status qdri_layout_join(const void *bytes, const int64_t *start, int ranks, qdr_layout **joined) {
    if (ranks < 1) return qdri_fail(QDR_ERR_INVALID, "boxes of %d ranks cannot be joined", ranks);
    qdr_layout **part = QDRI_ZERO_ARRAY(qdr_layout *, ranks);
    if (!part) return qdri_fail_memory();
    int64_t boxes = 0;
    qdr_status status = read_all(bytes, start, ranks, part, &boxes);
    if (!status) status = join(part, ranks, boxes, joined);
    for (int r = 0; r < ranks; r++) qdr_layout_destroy(part + r);
    free(part);
    return status;
}
