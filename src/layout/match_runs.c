/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two ranks have for each other, by runs: for items of different shape, and for lists.
 *
 * The runs of numbers that a rank owns are gathered tile by tile: the cuts of each axis, from the slowest
 * to the fastest, clipped to the range of numbers asked for, so that nothing is touched that the rank does
 * not own. Then the runs of the two sides are merged. O(runs of both).
 */
#include "match.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "ordered.h"

typedef struct run { /* sorted by its first member */
    int64_t number, count, place, step;
} run;

typedef struct gathered {
    int64_t count, capacity;
    run *run;
} gathered;

static qdr_status add(gathered *runs, int64_t number, int64_t count, int64_t place, int64_t step) {
    run *last = runs->count > 0 ? runs->run + runs->count - 1 : NULL;
    if (last && number == last->number + last->count && step == last->step &&
        place == last->place + last->count * step) {
        last->count += count;
        return QDR_OK;
    }
    if (!qdri_grow(&runs->run, &runs->capacity, runs->count + 1, sizeof *runs->run))
        return qdri_fail_memory();
    runs->run[runs->count++] = (run){number, count, place, step};
    return QDR_OK;
}

/* ---- the runs of one rank ------------------------------------------------------------------------------ */

/* A box of a region through a tile. */
typedef struct view {
    int dimensions;
    qdri_sieve sieve[MOST]; /* the slowest axis first */
    int64_t size[MOST];     /* numbers from one coordinate to the next */
    int64_t from, until;    /* numbers that are asked for */
    gathered *runs;
} view;

/* The part of the box that begins at `number`, all coordinates of slower axes fixed. */
static qdr_status descend(const view *view, int axis, int64_t number, int64_t place) {
    const qdri_sieve *sieve = view->sieve + axis;
    int64_t size = view->size[axis], at = view->from > number ? (view->from - number) / size : 0;
    int64_t end = qdri_ceiling(view->until - number, size);
    qdri_cut cut;
    while (at < end && qdri_sieve_find(sieve, at, &cut) && cut.coordinate < end) {
        at = qdri_least(end, cut.coordinate + cut.count);
        if (axis == view->dimensions - 1) {
            QDRI_TRY(
                add(view->runs, number + cut.coordinate, at - cut.coordinate, place + cut.place, cut.step));
            continue;
        }
        for (int64_t c = cut.coordinate; c < at; c++)
            QDRI_TRY(descend(view, axis + 1, number + c * size,
                             place + cut.place + (c - cut.coordinate) * cut.step));
    }
    return QDR_OK;
}

static qdr_status gather_box(const qdri_match_side *side, const qdri_tile *tile, int64_t from, int64_t until,
                             gathered *runs) {
    const qdri_progression *box = qdri_item_box(side->region, side->item);
    view view = {.dimensions = side->layout->dimensions, .from = from, .until = until, .runs = runs};
    int axis[MOST];
    int64_t size = 1;
    qdri_order_axes(side->region->order, view.dimensions, axis);
    for (int a = view.dimensions - 1; a >= 0; a--) {
        int d = axis[a];
        view.sieve[a] = qdri_sieve_open(tile->comb + d, box + d, tile->stride[d]);
        view.size[a] = size;
        size *= box[d].count;
        if (view.sieve[a].empty) return QDR_OK;
    }
    return descend(&view, 0, side->item->start, tile->base);
}

static qdr_status gather_list(const qdri_match_side *side, const qdri_tile *tile, int64_t from, int64_t until,
                              gathered *runs) {
    int dimensions = side->layout->dimensions;
    const int64_t *index = side->region->index + (side->item->listed + from - side->item->start) * dimensions;
    for (int64_t number = from; number < until; number++, index += dimensions) {
        int64_t place = qdri_tile_place(tile, dimensions, index);
        if (place >= 0) QDRI_TRY(add(runs, number, 1, place, 1));
    }
    return QDR_OK;
}

static qdr_status gather(const qdri_match_side *side, int64_t from, int64_t until, gathered *runs) {
    qdri_tile tile;
    for (int64_t i = 0; i < side->tiles; i++) {
        side->layout->type->tile(side->layout, side->rank, i, &tile);
        QDRI_TRY(side->item->box < 0 ? gather_list(side, &tile, from, until, runs)
                                     : gather_box(side, &tile, from, until, runs));
    }
    if (side->tiles > 1 && !qdri_sort_records(runs->run, runs->count, sizeof *runs->run))
        return qdri_fail_memory();
    return QDR_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static qdr_status take(qdri_places *places, const run *run, int64_t from, int64_t until) {
    if (!places) return QDR_OK;
    return qdri_places_add_run(places, run->place + (from - run->number) * run->step, until - from,
                               run->step);
}

static qdr_status merge(const qdri_match_side *side, const gathered *runs) {
    const run *a = runs[0].run, *b = runs[1].run;
    const run *end_a = a + runs[0].count, *end_b = b + runs[1].count; /* neither is without any */
    while (a < end_a && b < end_b) {
        int64_t until_a = a->number + a->count, until_b = b->number + b->count;
        int64_t from = qdri_most(a->number, b->number), until = qdri_least(until_a, until_b);
        if (from < until) {
            QDRI_TRY(take(side[0].places, a, from, until));
            QDRI_TRY(take(side[1].places, b, from, until));
        }
        a += until_a == until;
        b += until_b == until;
    }
    return QDR_OK;
}

qdr_status qdri_match_runs(const qdri_match_side *side, int64_t from, int64_t until) {
    gathered runs[2] = {{0}, {0}};
    qdr_status status = gather(side, from, until, runs);
    if (!status && runs[0].count > 0) status = gather(side + 1, from, until, runs + 1);
    if (!status && runs[1].count > 0) status = merge(side, runs);
    free(runs[0].run);
    free(runs[1].run);
    return status;
}
