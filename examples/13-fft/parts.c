/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part is a box of the array, in the last stage as in the first, and so is what two ranks have in common: what r has
 * before an exchange and s has after it. Both can work out all these boxes. So an exchange is a map between boxes,
 * and nothing is packed here: the elements of a box go in the order in which they lie in memory, which is the same at
 * both ends, for FFTW takes an axis with any stride and the axes never change places.
 */
#include "parts.h"

#include <stdlib.h>

const shape shapes[] = {
    {"2d", 2, 2, 1, {{0, WHOLE}, {WHOLE, 0}}},
    {"slabs", 3, 2, 1, {{0, WHOLE, WHOLE}, {WHOLE, 0, WHOLE}}},
    {"pencils", 3, 3, 0, {{0, 1, WHOLE}, {0, WHOLE, 1}, {WHOLE, 0, 1}}},
};

int64_t elements(const shape *shape, const box *part) {
    int64_t count = 1;
    for (int a = 0; a < shape->axes; a++) count *= part->count[a];
    return count;
}

/* ---- who has what --------------------------------------------------------------------------------------- */

/* Blocks that differ by one at most; some are empty if there are more ranks than elements along an axis. */
box part_of(const fft *one, const int *cut, int rank) {
    int at[] = {rank / one->grid[1], rank % one->grid[1], rank};
    int parts[] = {one->grid[0], one->grid[1], 1};
    box part = {{0}, {0}};
    for (int a = 0; a < one->shape->axes; a++) {
        int by = cut[a], first = by == WHOLE ? 0 : at[by], of = by == WHOLE ? 1 : parts[by];
        part.lower[a] = first < of ? one->side * first / of : one->side;
        part.count[a] = first < of ? one->side * (first + 1) / of - part.lower[a] : 0;
    }
    return part;
}

static box common(const shape *shape, const box *one, const box *other) {
    box both = {{0}, {0}};
    for (int a = 0; a < shape->axes; a++) {
        int64_t end = one->lower[a] + one->count[a], other_end = other->lower[a] + other->count[a];
        both.lower[a] = one->lower[a] > other->lower[a] ? one->lower[a] : other->lower[a];
        both.count[a] = (end < other_end ? end : other_end) - both.lower[a];
        if (both.count[a] < 0) both.count[a] = 0;
    }
    return both;
}

/* ---- exchanges ------------------------------------------------------------------------------------------ */

typedef struct side {
    int boxes;
    int *rank;
    int64_t *lower, *count; /* [ranks][axes] */
} side;

/* What this rank's part has in common with those of others, who are cut in another way: no box for those with whom it
 * has nothing. */
static qdr_status list_boxes(const fft *one, const box *mine, const int *cut_of_others, side *made) {
    size_t ranks = (size_t)one->ranks;
    int axes = one->shape->axes;
    *made = (side){0, calloc(ranks, sizeof(int)), calloc(ranks * (size_t)axes, sizeof(int64_t)),
                   calloc(ranks * (size_t)axes, sizeof(int64_t))};
    if (!made->rank || !made->lower || !made->count) return QDR_ERR_MEMORY;
    for (int r = 0; r < one->ranks; r++) {
        box theirs = part_of(one, cut_of_others, r), both = common(one->shape, mine, &theirs);
        if (elements(one->shape, &both) == 0) continue;
        made->rank[made->boxes] = r;
        for (int a = 0; a < axes; a++) {
            made->lower[made->boxes * axes + a] = both.lower[a] - mine->lower[a];
            made->count[made->boxes * axes + a] = both.count[a];
        }
        made->boxes++;
    }
    return QDR_OK;
}

static void free_side(side *gone) {
    free(gone->rank);
    free(gone->lower);
    free(gone->count);
}

static qdr_boxes boxes_of(const fft *one, const box *part, const side *side) {
    return (qdr_boxes){.dimensions = one->shape->axes,
                       .extent = part->count,
                       .boxes = side->boxes,
                       .rank = side->rank,
                       .lower = side->lower,
                       .count = side->count};
}

qdr_status make_exchange(const fft *one, const int *before, const int *after, const qdr_plan_options *plan,
                         qdr_map **map) {
    box from = part_of(one, before, one->rank), to = part_of(one, after, one->rank);
    side sends = {0}, receives = {0};
    qdr_status status = list_boxes(one, &from, after, &sends);
    if (!status) status = list_boxes(one, &to, before, &receives);
    qdr_boxes out = boxes_of(one, &from, &sends), in = boxes_of(one, &to, &receives);
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.plan = plan;
    options.reverse = QDR_REVERSE_REPLACE; /* the way back of the inverse */
    if (!status) status = qdr_map_from_boxes(MPI_COMM_WORLD, &out, &in, &options, map);
    free_side(&sends);
    free_side(&receives);
    return status;
}
