/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random layouts for the tests of coupling, and what they mean: who owns each element, and at which place of its
 * memory. Each kind is drawn together with that table, element by element, straight from the definition in
 * quadrille/layout.h: the local index along a dimension is how many indices before it are on the same part. What the
 * library makes of the same description is then compared with the table.
 */
#ifndef COUPLE_ARRAYS_H
#define COUPLE_ARRAYS_H

#include "regions.h"

typedef enum case_kind { CASE_REGULAR, CASE_BOXES, CASE_RUNS, CASE_ENTRIES, CASE_KINDS } case_kind;
static const char *const kind_names[CASE_KINDS] = {"regular", "boxes", "runs", "entries"};

enum { CASE_RANKS = 8, CASE_BOX_COUNT = 24, CASE_NOBODY = -1 };

typedef struct case_box {
    int rank;
    case_piece box;
    int has_stride;
    int64_t stride[CASE_AXES], offset; /* in memory */
} case_box;

typedef struct case_array {
    case_region region; /* with the extent */
    case_kind kind;
    int ranks;
    int *owner;                /* [elements], CASE_NOBODY outside the region only */
    int64_t *place;            /* [elements] */
    int64_t room[CASE_RANKS];  /* one more than the highest place */
    int64_t share[CASE_RANKS]; /* elements that each rank owns */
    /* regular */
    qdr_axis axis[CASE_AXES];
    int64_t cut[CASE_AXES][CASE_RANKS + 1];
    qdr_order order; /* and of boxes */
    int has_stride, has_table;
    int64_t stride[CASE_AXES], offset;
    int table[CASE_RANKS];
    /* boxes */
    int boxes;
    case_box box[CASE_BOX_COUNT];
    /* runs: one element each, and no counts; entries: who states each */
    int is_single;
    int *holder;
} case_array;

static inline void note_place(case_array *array, int64_t element, int rank, int64_t place) {
    array->owner[element] = rank;
    array->place[element] = place;
    array->share[rank]++;
    if (place >= array->room[rank]) array->room[rank] = place + 1;
}

/* ---- regular ------------------------------------------------------------------------------------------- */

static inline void draw_axis(case_array *array, qdri_random *random, int d, int most_parts) {
    qdr_axis *axis = &array->axis[d];
    int64_t *cut = array->cut[d];
    *axis = (qdr_axis){.extent = array->region.extent[d],
                       .spread = (qdr_spread)draw(random, QDR_WHOLE, QDR_CUTS)};
    if (axis->spread != QDR_WHOLE) axis->parts = (int)draw(random, 1, most_parts);
    if (chance(random, 10) && axis->parts == 1) axis->parts = 0;
    if (axis->spread == QDR_CYCLIC) axis->block = draw(random, 0, chance(random, 70) ? 3 : axis->extent + 2);
    if (axis->spread == QDR_CUTS) {
        int parts = axis->parts ? axis->parts : 1;
        for (int p = 1; p < parts; p++) {
            int64_t drawn = draw(random, 0, axis->extent);
            int at = p;
            for (; at > 1 && cut[at - 1] > drawn; at--) cut[at] = cut[at - 1];
            cut[at] = drawn;
        }
        cut[0] = 0;
        cut[parts] = axis->extent;
        axis->cut = cut;
    }
    if (chance(random, 30)) axis->ghost_below = draw(random, 0, 3);
    if (chance(random, 30)) axis->ghost_above = draw(random, 0, 3);
}

static inline int axis_parts(const qdr_axis *axis) {
    return axis->parts ? axis->parts : 1;
}

static inline int axis_part(const qdr_axis *axis, int64_t index) {
    int parts = axis_parts(axis), part = 0;
    switch (axis->spread) {
    case QDR_BLOCK:
        return (int)(index / ((axis->extent + parts - 1) / parts));
    case QDR_CYCLIC:
        return (int)(index / (axis->block ? axis->block : 1) % parts);
    case QDR_CUTS:
        while (axis->cut[part + 1] <= index) part++;
        return part;
    case QDR_WHOLE:
        break;
    }
    return 0;
}

/* Strides that keep the largest part, ghosts included, apart. */
static inline void draw_strides(qdri_random *random, int dimensions, const int64_t *size, int64_t *stride) {
    int axis[CASE_AXES] = {0, 1, 2, 3};
    int64_t next = draw(random, 1, 2);
    qdri_random_shuffle(random, axis, dimensions);
    for (int i = 0; i < dimensions; i++) {
        stride[axis[i]] = next;
        next = next * (size[axis[i]] > 0 ? size[axis[i]] : 1) + (chance(random, 50) ? draw(random, 0, 3) : 0);
    }
}

static inline void draw_regular(case_array *array, qdri_random *random) {
    int dimensions = array->region.dimensions, left = array->ranks;
    int64_t *local[CASE_AXES], size[CASE_AXES][CASE_RANKS] = {{0}}, largest[CASE_AXES] = {0};
    for (int i = 0, first = (int)draw(random, 0, dimensions - 1); i < dimensions; i++) {
        int d = (first + i) % dimensions;
        draw_axis(array, random, d, left);
        left /= axis_parts(&array->axis[d]);
    }
    for (int d = 0; d < dimensions; d++) {
        const qdr_axis *axis = &array->axis[d];
        int64_t ghosts = axis->ghost_below + axis->ghost_above;
        local[d] = malloc(((size_t)axis->extent + 1) * sizeof(int64_t));
        for (int64_t i = 0; i < axis->extent; i++) local[d][i] = size[d][axis_part(axis, i)]++;
        for (int p = 0; p < axis_parts(axis); p++) {
            size[d][p] += ghosts;
            if (size[d][p] > largest[d]) largest[d] = size[d][p];
        }
    }
    array->has_stride = chance(random, 30);
    if (array->has_stride) draw_strides(random, dimensions, largest, array->stride);
    array->offset = chance(random, 30) ? draw(random, 0, 9) : 0;
    array->has_table = chance(random, 50);
    for (int r = 0; r < array->ranks; r++) array->table[r] = r;
    if (array->has_table) qdri_random_shuffle(random, array->table, array->ranks);
    for (int64_t e = 0; e < array->region.elements; e++) {
        int64_t index[CASE_AXES], place = array->offset, dense = 1;
        int part = 0;
        element_index(&array->region, e, index);
        for (int d = 0; d < dimensions; d++)
            part = part * axis_parts(&array->axis[d]) + axis_part(&array->axis[d], index[d]);
        for (int i = 0; i < dimensions; i++) {
            int d = array->order == QDR_ROW_MAJOR ? dimensions - 1 - i : i;
            const qdr_axis *axis = &array->axis[d];
            int64_t at = local[d][index[d]] + axis->ghost_below;
            place += at * (array->has_stride ? array->stride[d] : dense);
            dense *= size[d][axis_part(axis, index[d])];
        }
        note_place(array, e, array->table[part], place);
    }
    for (int d = 0; d < dimensions; d++) free(local[d]);
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

static inline int64_t box_taken(const case_array *array, const case_piece *box) {
    int64_t index[CASE_AXES], count = 0;
    int more = !box_is_empty(box, array->region.dimensions);
    memcpy(index, box->lower, sizeof index);
    for (; more; more = next_in_box(box, array->region.dimensions, QDR_ROW_MAJOR, index))
        count += array->region.taken[element_number(&array->region, index)];
    return count;
}

static inline void store_box(case_array *array, qdri_random *random, case_box *stored) {
    int dimensions = array->region.dimensions;
    int64_t index[CASE_AXES], size[CASE_AXES], dense = 1, begin = array->room[stored->rank];
    int more = !box_is_empty(&stored->box, dimensions);
    for (int d = 0; d < dimensions; d++) size[d] = stored->box.upper[d] - stored->box.lower[d];
    stored->has_stride = chance(random, 40);
    stored->offset = begin + (chance(random, 30) ? draw(random, 0, 4) : 0);
    if (stored->has_stride) draw_strides(random, dimensions, size, stored->stride);
    for (int i = 0; i < dimensions && !stored->has_stride; i++) {
        int d = array->order == QDR_ROW_MAJOR ? dimensions - 1 - i : i;
        stored->stride[d] = dense;
        dense *= size[d];
    }
    memcpy(index, stored->box.lower, sizeof index);
    for (; more; more = next_in_box(&stored->box, dimensions, QDR_ROW_MAJOR, index)) {
        int64_t place = stored->offset;
        for (int d = 0; d < dimensions; d++) place += (index[d] - stored->box.lower[d]) * stored->stride[d];
        note_place(array, element_number(&array->region, index), stored->rank, place);
    }
}

/* The array is cut again and again; the pieces go to random ranks, and some that nobody asks for to no one. */
static inline void draw_boxes(case_array *array, qdri_random *random) {
    int dimensions = array->region.dimensions, wanted = (int)draw(random, 1, CASE_BOX_COUNT), kept = 0;
    case_piece cut[CASE_BOX_COUNT] = {{0}};
    int cuts = 1;
    for (int d = 0; d < dimensions; d++) {
        cut[0].upper[d] = array->region.extent[d];
        cut[0].stride[d] = 1;
    }
    while (cuts < wanted) {
        case_piece *one = &cut[draw(random, 0, cuts - 1)];
        int d = (int)draw(random, 0, dimensions - 1);
        int64_t at = draw(random, one->lower[d], one->upper[d]);
        cut[cuts] = *one;
        one->upper[d] = cut[cuts++].lower[d] = at;
    }
    for (int i = 0; i < cuts; i++) {
        case_box *box = &array->box[kept];
        if (box_taken(array, &cut[i]) == 0 && chance(random, 40)) continue;
        *box = (case_box){.rank = (int)draw(random, 0, array->ranks - 1), .box = cut[i]};
        store_box(array, random, box);
        kept++;
    }
    array->boxes = kept;
}

/* ---- explicit ------------------------------------------------------------------------------------------ */

/* Owners one by one, or in chunks; now and then nobody, where nobody asks. */
static inline void draw_owners(case_array *array, qdri_random *random) {
    int64_t elements = array->region.elements, chunk = chance(random, 40) ? 1 : draw(random, 1, 20);
    int has_holes = chance(random, 50), owner = 0, few = (int)draw(random, 1, array->ranks);
    for (int64_t e = 0; e < elements; e++) {
        if (e % chunk == 0) owner = (int)draw(random, 0, few - 1);
        array->owner[e] = owner;
        if (has_holes && !array->region.taken[e] && chance(random, 50)) array->owner[e] = CASE_NOBODY;
    }
}

/* Places in a random order or that of the elements; entries may leave gaps. */
static inline void draw_places(case_array *array, qdri_random *random) {
    int64_t elements = array->region.elements, *order = malloc(((size_t)elements + 1) * sizeof *order);
    int has_gaps = array->kind == CASE_ENTRIES && chance(random, 50);
    int shuffles = chance(random, 50);
    for (int64_t e = 0; e < elements; e++) order[e] = e;
    for (int64_t i = elements - 1; shuffles && i > 0; i--) {
        int64_t other = draw(random, 0, i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int64_t i = 0; i < elements; i++) {
        int owner = array->owner[order[i]];
        if (owner == CASE_NOBODY) continue;
        note_place(array, order[i], owner, array->room[owner] + (has_gaps ? draw(random, 0, 2) : 0));
    }
    free(order);
}

static inline void draw_explicit(case_array *array, qdri_random *random) {
    int64_t elements = array->region.elements;
    int way = (int)draw(random, 0, 2), alone = (int)draw(random, 0, array->ranks - 1);
    draw_owners(array, random);
    draw_places(array, random);
    array->is_single = chance(random, 40);
    array->holder = malloc(((size_t)elements + 1) * sizeof *array->holder);
    for (int64_t e = 0; e < elements; e++)
        array->holder[e] = way == 0   ? array->owner[e]
                           : way == 1 ? alone
                                      : (int)draw(random, 0, array->ranks - 1);
}

/* ---- one array ----------------------------------------------------------------------------------------- */

/* Of a region that has been filled. */
static inline void draw_array(case_array *array, qdri_random *random, case_kind kind, int ranks) {
    size_t elements = (size_t)array->region.elements + 1;
    array->kind = kind;
    array->ranks = ranks;
    array->order = chance(random, 50) ? QDR_ROW_MAJOR : QDR_COLUMN_MAJOR;
    array->owner = malloc(elements * sizeof *array->owner);
    array->place = malloc(elements * sizeof *array->place);
    for (size_t e = 0; e < elements; e++) array->owner[e] = CASE_NOBODY;
    if (kind == CASE_REGULAR) draw_regular(array, random);
    if (kind == CASE_BOXES) draw_boxes(array, random);
    if (kind == CASE_RUNS || kind == CASE_ENTRIES) draw_explicit(array, random);
}

static inline void close_array(case_array *array) {
    close_region(&array->region);
    free(array->owner);
    free(array->place);
    free(array->holder);
}

/* ---- to the library ------------------------------------------------------------------------------------ */

static inline qdr_status make_regular(const case_array *array, qdr_layout **layout) {
    qdr_storage storage = QDR_STORAGE;
    storage.order = array->order;
    storage.stride = array->has_stride ? array->stride : NULL;
    storage.offset = array->offset;
    storage.rank = array->has_table ? array->table : NULL;
    int says_nothing =
        array->order == QDR_ROW_MAJOR && !array->has_stride && !array->has_table && array->offset == 0;
    return qdr_layout_regular(array->region.dimensions, array->axis, says_nothing ? NULL : &storage, layout);
}

static inline qdr_status make_boxes(const case_array *array, int rank, qdr_layout **layout) {
    qdr_box box[CASE_BOX_COUNT];
    int boxes = 0;
    for (int i = 0; i < array->boxes; i++) {
        const case_box *one = &array->box[i];
        if (one->rank != rank) continue;
        box[boxes++] =
            (qdr_box){one->box.lower, one->box.upper, one->has_stride ? one->stride : NULL, one->offset};
    }
    return qdr_layout_boxes(array->region.dimensions, array->region.extent, array->order, boxes, box, layout);
}

static inline qdr_status make_runs(const case_array *array, int rank, qdr_layout **layout) {
    int64_t elements = array->region.elements, held = array->share[rank], runs = 0;
    int64_t *first = malloc(((size_t)held + 1) * sizeof *first),
            *count = malloc(((size_t)held + 1) * sizeof *count);
    int64_t *at = malloc(((size_t)held + 1) * sizeof *at);
    for (int64_t e = 0; e < elements; e++)
        if (array->owner[e] == rank) at[array->place[e]] = e;
    for (int64_t i = 0; i < held; i++) {
        int goes_on = !array->is_single && runs > 0 && first[runs - 1] + count[runs - 1] == at[i];
        if (goes_on) {
            count[runs - 1]++;
        } else {
            first[runs] = at[i];
            count[runs++] = 1;
        }
    }
    qdr_status status = qdr_layout_runs(array->region.dimensions, array->region.extent, runs, first,
                                        array->is_single ? NULL : count, layout);
    free(first);
    free(count);
    free(at);
    return status;
}

static inline qdr_status make_entries(const case_array *array, int rank, qdr_layout **layout) {
    int64_t elements = array->region.elements, entries = 0;
    size_t most = (size_t)elements + 1;
    int64_t *element = malloc(most * sizeof *element), *local = malloc(most * sizeof *local);
    int *owner = malloc(most * sizeof *owner);
    for (int64_t i = 0; i < elements; i++) {
        int64_t e = array->is_single ? elements - 1 - i : i; /* in no particular order */
        if (array->owner[e] == CASE_NOBODY || array->holder[e] != rank) continue;
        element[entries] = e;
        owner[entries] = array->owner[e];
        local[entries++] = array->place[e];
    }
    qdr_status status = qdr_layout_entries(array->region.dimensions, array->region.extent, entries, element,
                                           owner, local, layout);
    free(element);
    free(local);
    free(owner);
    return status;
}

/* As this rank states it. */
static inline qdr_status make_layout(const case_array *array, int rank, qdr_layout **layout) {
    return array->kind == CASE_REGULAR ? make_regular(array, layout)
           : array->kind == CASE_BOXES ? make_boxes(array, rank, layout)
           : array->kind == CASE_RUNS  ? make_runs(array, rank, layout)
                                       : make_entries(array, rank, layout);
}

static inline int is_explicit(const case_array *array) {
    return array->kind == CASE_RUNS || array->kind == CASE_ENTRIES;
}

#endif
