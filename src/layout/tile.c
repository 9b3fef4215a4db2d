/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles: a product of combs in a box of memory, and the strides of such boxes.
 *
 * Strides do not make elements meet when, taken by rising size, each is larger than the farthest place that
 * the smaller ones reach. Then a place tells its element: divide by the largest stride, go on with the
 * rest.
 */
#include "inside.h"

#include <inttypes.h>

#include "base/error.h"

int64_t qdri_tile_elements(const qdri_tile *tile, int dimensions) {
    int64_t elements = 1;
    for (int d = 0; d < dimensions; d++) elements *= qdri_comb_count(tile->comb + d);
    return elements;
}

int64_t qdri_tile_place(const qdri_tile *tile, int dimensions, const int64_t *index) {
    int64_t place = tile->base;
    for (int d = 0; d < dimensions; d++) {
        int64_t local = qdri_comb_local(tile->comb + d, index[d]);
        if (local < 0) return -1;
        place += local * tile->stride[d];
    }
    return place;
}

/* The dimensions by rising stride. */
static void by_stride(int dimensions, const int64_t *stride, int *order) {
    for (int i = 0; i < dimensions; i++) {
        int at = i;
        for (; at > 0 && stride[order[at - 1]] > stride[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

int qdri_tile_index(const qdri_tile *tile, int dimensions, int64_t place, int64_t *index) {
    int order[MOST];
    int64_t rest = place - tile->base, found[MOST];
    if (rest < 0) return 0;
    by_stride(dimensions, tile->stride, order);
    for (int i = dimensions - 1; i >= 0; i--) {
        int d = order[i];
        int64_t count = qdri_comb_count(tile->comb + d), local = 0;
        if (count > 1) local = rest / tile->stride[d];
        if (local >= count) return 0;
        rest -= local * tile->stride[d];
        found[d] = qdri_comb_index(tile->comb + d, local);
    }
    if (rest > 0) return 0;
    for (int d = 0; d < dimensions; d++) index[d] = found[d];
    return 1;
}

void qdri_dense_strides(int dimensions, const int64_t *room, qdr_order order, int64_t *stride) {
    int64_t product = 1;
    for (int i = 0; i < dimensions; i++) {
        int d = order == QDR_COLUMN_MAJOR ? i : dimensions - 1 - i;
        stride[d] = product;
        product *= room[d];
    }
}

qdr_status qdri_strides_check(const char *what, int dimensions, const int64_t *room, const int64_t *stride,
                              int64_t *reach) {
    int order[MOST];
    int64_t farthest = 0, along;
    for (int d = 0; d < dimensions; d++)
        if (stride[d] < 1)
            return qdri_fail(QDR_ERR_INVALID,
                             "%s: the stride of dimension %d is %" PRId64 "; expected 1 or more", what, d,
                             stride[d]);
    by_stride(dimensions, stride, order);
    for (int i = 0; i < dimensions; i++) {
        int d = order[i];
        if (room[d] <= 1) continue;
        if (stride[d] <= farthest)
            return qdri_fail(QDR_ERR_INVALID,
                             "%s: stride %" PRId64 " of dimension %d makes elements overlap: the smaller "
                             "strides reach %" PRId64 " places",
                             what, stride[d], d, farthest);
        if (!qdri_multiply(stride[d], room[d] - 1, &along) || !qdri_add(farthest, along, &farthest))
            return qdri_fail(QDR_ERR_RANGE, "%s: its memory would need more than 2^62 elements", what);
    }
    *reach = farthest;
    return QDR_OK;
}
