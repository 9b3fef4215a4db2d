/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two ranks have for each other (Lee and Sussman, algorithm 2, lines 3 to 9).
 *
 * Both regions number their elements 0, 1, 2 ...; an element travels between the owners of its number.
 * Where a box of one region and one of the other begin at the same number and have the same counts from the
 * slowest axis to the fastest, axes of one index left out, their numbers are the same function of the
 * coordinates. Then the elements that a tile of one rank and a tile of the other have in common are a
 * product, found axis by axis from two combs; nothing depends on the extents. Products of several tiles
 * that lie in each other's numbers, and items of different shape, go by runs.
 */
#include "match.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "ordered.h"

/* The axes of a box with more than one index, the slowest first. */
typedef struct shape {
    int axes;
    int dimension[MOST];
    int64_t count[MOST];
} shape;

/* What two tiles have in common: spans of an axis of one element, which moves all, and of each axis of
 * the shape. */
typedef struct product { /* sorted by its first member */
    int64_t first, last; /* numbers within the boxes */
    int64_t axis_spans[2][MOST + 1], first_span[2];
} product;

typedef struct products {
    const shape *shape;
    int64_t count, capacity;
    product *product;
    int64_t spans[2], span_capacity[2];
    qdri_span *span[2];
} products;

static shape shape_of(const qdr_region *region, const qdri_progression *box) {
    shape shape = {0};
    int axis[MOST];
    qdri_order_axes(region->order, region->dimensions, axis);
    for (int a = 0; a < region->dimensions; a++) {
        if (box[axis[a]].count == 1) continue;
        shape.count[shape.axes] = box[axis[a]].count;
        shape.dimension[shape.axes++] = axis[a];
    }
    return shape;
}

static int same_shape(const shape *a, const shape *b) {
    if (a->axes != b->axes) return 0;
    for (int i = 0; i < a->axes; i++)
        if (a->count[i] != b->count[i]) return 0;
    return 1;
}

/* ---- two tiles ----------------------------------------------------------------------------------------- */

/* Where the first element of the box lies along the axes of one index; 0 if the tile does not have it. */
static int place_of_units(int dimensions, const qdri_tile *tile, const qdri_progression *box,
                          int64_t *place) {
    *place = tile->base;
    for (int d = 0; d < dimensions; d++) {
        if (box[d].count > 1) continue;
        int64_t local = qdri_comb_local(tile->comb + d, box[d].lower);
        if (local < 0) return 0;
        *place += local * tile->stride[d];
    }
    return 1;
}

static qdr_status add_span(products *all, int side, int64_t *spans, int64_t offset, int64_t count,
                           int64_t step) {
    if (!qdri_grow(all->span + side, all->span_capacity + side, all->spans[side] + 1, sizeof **all->span))
        return qdri_fail_memory();
    int64_t before = *spans;
    qdri_span_append(all->span[side] + all->spans[side] - before, spans, offset, count, step);
    all->spans[side] += *spans - before;
    return QDR_OK;
}

/* The coordinates of one axis that both sides have; *first and *last stay as they are if there are none. */
static qdr_status meet(products *all, product *product, int axis, const qdri_sieve *sieve, int64_t *first,
                       int64_t *last) {
    qdri_cut cut[2];
    int64_t from = 0;
    while (qdri_sieve_find(sieve, from, cut)) {
        if (!qdri_sieve_find(sieve + 1, cut[0].coordinate, cut + 1)) return QDR_OK;
        from = cut[1].coordinate; /* no earlier one is in both */
        int64_t until = qdri_least(cut[0].coordinate + cut[0].count, from + cut[1].count);
        if (from >= until) continue;
        cut[0].place += (from - cut[0].coordinate) * cut[0].step;
        for (int side = 0; side < 2; side++)
            QDRI_TRY(add_span(all, side, &product->axis_spans[side][axis], cut[side].place, until - from,
                              cut[side].step));
        if (*last < 0) *first = from;
        *last = until - 1;
        from = until;
    }
    return QDR_OK;
}

static qdr_status meet_tiles(products *all, const qdri_match_side *side, const shape *shapes,
                             const qdri_tile *tile) {
    product product = {.first_span = {all->spans[0], all->spans[1]}};
    int64_t place[2];
    for (int s = 0; s < 2; s++)
        if (!place_of_units(side[s].layout->dimensions, tile + s, side[s].box, place + s)) return QDR_OK;
    for (int s = 0; s < 2; s++) QDRI_TRY(add_span(all, s, &product.axis_spans[s][0], place[s], 1, 1));
    for (int a = 0; a < shapes->axes; a++) {
        qdri_sieve sieve[2];
        int64_t first = 0, last = -1;
        for (int s = 0; s < 2; s++) {
            int d = shapes[s].dimension[a];
            sieve[s] = qdri_sieve_open(tile[s].comb + d, side[s].box + d, tile[s].stride[d]);
        }
        QDRI_TRY(meet(all, &product, a + 1, sieve, &first, &last));
        if (last < 0) { /* nothing in common: its spans are forgotten */
            for (int s = 0; s < 2; s++) all->spans[s] = product.first_span[s];
            return QDR_OK;
        }
        product.first = product.first * shapes->count[a] + first;
        product.last = product.last * shapes->count[a] + last;
    }
    if (!qdri_grow(&all->product, &all->capacity, all->count + 1, sizeof product)) return qdri_fail_memory();
    all->product[all->count++] = product;
    return QDR_OK;
}

/* ---- two boxes of the same shape ----------------------------------------------------------------------- */

static qdr_status meet_all(products *all, const qdri_match_side *side, const shape *shapes) {
    qdri_tile tile[2];
    for (int64_t i = 0; i < side[0].tiles; i++) {
        side[0].layout->type->tile(side[0].layout, side[0].rank, i, tile);
        for (int64_t k = 0; k < side[1].tiles; k++) {
            side[1].layout->type->tile(side[1].layout, side[1].rank, k, tile + 1);
            QDRI_TRY(meet_tiles(all, side, shapes, tile));
        }
    }
    return QDR_OK;
}

/* Puts the products in order; 0 in *apart if the numbers of two lie in each other's. */
static qdr_status put_in_order(products *all, int *apart) {
    if (!qdri_sort_records(all->product, all->count, sizeof *all->product)) return qdri_fail_memory();
    for (int64_t i = 1; i < all->count; i++)
        if (all->product[i].first <= all->product[i - 1].last) *apart = 0;
    return QDR_OK;
}

static qdr_status add_products(const products *all, const qdri_match_side *side) {
    for (int64_t i = 0; i < all->count; i++)
        for (int s = 0; s < 2; s++) {
            const product *product = all->product + i;
            if (side[s].places)
                QDRI_TRY(qdri_places_add_product(side[s].places, all->shape->axes + 1, product->axis_spans[s],
                                                 all->span[s] + product->first_span[s]));
        }
    return QDR_OK;
}

static qdr_status match_shapes(const qdri_match_side *side, const shape *shapes, int64_t start, int64_t end) {
    products all = {.shape = shapes};
    int apart = 1;
    qdr_status status = meet_all(&all, side, shapes);
    if (!status && all.count > 1) status = put_in_order(&all, &apart);
    if (!status) status = apart ? add_products(&all, side) : qdri_match_runs(side, start, end);
    free(all.product);
    free(all.span[0]);
    free(all.span[1]);
    return status;
}

/* ---- all items ----------------------------------------------------------------------------------------- */

static qdr_status match_items(qdri_match_side *side, int64_t from, int64_t until) {
    const qdri_item *a = side[0].item, *b = side[1].item;
    if (a->box < 0 || b->box < 0 || a->start != b->start || a->elements != b->elements)
        return qdri_match_runs(side, from, until);
    shape shapes[2];
    for (int s = 0; s < 2; s++) {
        side[s].box = qdri_item_box(side[s].region, side[s].item);
        shapes[s] = shape_of(side[s].region, side[s].box);
    }
    if (!same_shape(shapes, shapes + 1)) return qdri_match_runs(side, from, until);
    return match_shapes(side, shapes, from, until);
}

static qdr_status match_all(qdri_match_side *side) {
    int64_t i = 0, k = 0;
    for (int64_t number = 0; number < side[0].region->elements;) {
        side[0].item = side[0].region->item + i;
        side[1].item = side[1].region->item + k;
        int64_t end_a = side[0].item->start + side[0].item->elements;
        int64_t end_b = side[1].item->start + side[1].item->elements, end = qdri_least(end_a, end_b);
        QDRI_TRY(match_items(side, number, end));
        number = end;
        i += end == end_a;
        k += end == end_b;
    }
    return QDR_OK;
}

qdr_status qdri_match(const qdri_array_side *a, int rank_a, const qdri_array_side *b, int rank_b,
                      qdri_places *in_a, qdri_places *in_b) {
    QDRI_TRY(qdri_side_check(a, 1));
    QDRI_TRY(qdri_side_check(b, 1));
    if (a->region->elements != b->region->elements)
        return qdri_fail(QDR_ERR_MISMATCH, "regions of %lld and %lld elements do not correspond",
                         (long long)a->region->elements, (long long)b->region->elements);
    qdri_places found[2] = {{0}, {0}};
    qdri_match_side side[2] = {{.layout = a->layout, .region = a->region, .rank = rank_a},
                               {.layout = b->layout, .region = b->region, .rank = rank_b}};
    for (int s = 0; s < 2; s++) side[s].tiles = side[s].layout->type->tiles(side[s].layout, side[s].rank);
    if (in_a) side[0].places = found;
    if (in_b) side[1].places = found + 1;
    qdr_status status = side[0].tiles > 0 && side[1].tiles > 0 ? match_all(side) : QDR_OK;
    if (!status && in_a) *in_a = found[0];
    if (!status && in_b) *in_b = found[1];
    for (int s = 0; s < 2 && status; s++) qdri_places_close(found + s);
    return status;
}
