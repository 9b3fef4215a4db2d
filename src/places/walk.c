/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking pieces: an odometer. The two fastest axes become the rows of a stretch where that can be, the others turn around
 * them.
 */
#include "places/walk.h"

#include "base/sort.h"

enum { SHORT = 8 }; /* elements: fewer are not worth a stretch of their own */

/* ---- where to begin ------------------------------------------------------------------------------------ */

static void open_piece(qdri_walk *walk, int64_t number) {
    const qdri_places *places = walk->places;
    const qdri_piece *piece = &places->piece[number];
    const qdri_span *span = places->span + piece->first_span;
    walk->piece = number;
    walk->axes = piece->axes;
    walk->is_done = 0;
    walk->outer = 0;
    for (int a = 0; a < piece->axes; a++) {
        walk->span[a] = span;
        walk->spans[a] = places->axis_spans[piece->first_axis + a];
        walk->at[a] = walk->within[a] = 0;
        if (a < piece->axes - 1) walk->outer += span->offset;
        span += walk->spans[a];
    }
}

/* To the entry of a piece that stands `entry` behind its first. */
static void turn_to(qdri_walk *walk, int64_t entry) {
    const qdri_places *places = walk->places;
    walk->outer = 0;
    for (int a = walk->axes - 1; a >= 0; a--) {
        const int64_t *position = places->position + (walk->span[a] - places->span);
        const qdri_span *last = &walk->span[a][walk->spans[a] - 1];
        int64_t entries = position[walk->spans[a] - 1] + last->count, here = a > 0 ? entry % entries : entry;
        entry = a > 0 ? entry / entries : 0;
        walk->at[a] = qdri_last_not_above(position, walk->spans[a], sizeof *position, here);
        walk->within[a] = here - position[walk->at[a]];
        const qdri_span *span = &walk->span[a][walk->at[a]];
        if (a < walk->axes - 1) walk->outer += span->offset + walk->within[a] * span->step;
    }
}

void qdri_walk_seek(qdri_walk *walk) {
    const qdri_places *places = walk->places;
    if (places->before == 0) {
        open_piece(walk, 0);
        return;
    }
    int64_t number =
        qdri_last_not_above(&places->piece->position, places->pieces, sizeof *places->piece, places->before);
    open_piece(walk, number);
    turn_to(walk, places->before - places->piece[number].position);
}

/* ---- turning ------------------------------------------------------------------------------------------- */

/* Turns a slower axis by so many elements, which its span has. */
static void turn(qdri_walk *walk, int axis, int64_t by) {
    const qdri_span *span = &walk->span[axis][walk->at[axis]];
    walk->within[axis] += by;
    walk->outer += by * span->step;
    while (walk->within[axis] == span->count) {
        walk->outer -= span->offset + span->count * span->step;
        walk->within[axis] = 0;
        int is_over = ++walk->at[axis] == walk->spans[axis];
        if (is_over) walk->at[axis] = 0;
        span = &walk->span[axis][walk->at[axis]];
        walk->outer += span->offset;
        if (!is_over) return;
        if (axis == 0) {
            walk->is_done = 1;
            return;
        }
        axis--;
        span = &walk->span[axis][walk->at[axis]];
        walk->within[axis]++;
        walk->outer += span->step;
    }
}

static void turn_fastest(qdri_walk *walk, int64_t by) {
    int axis = walk->axes - 1;
    walk->within[axis] += by;
    if (walk->within[axis] < walk->span[axis][walk->at[axis]].count) return;
    walk->within[axis] = 0;
    if (++walk->at[axis] < walk->spans[axis]) return;
    walk->at[axis] = 0;
    if (axis > 0)
        turn(walk, axis - 1, 1);
    else
        walk->is_done = 1;
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Elements of short runs, one by one, up to one that is long. */
static void fill_table(qdri_walk *walk, int64_t left) {
    const qdri_places *places = walk->places;
    int axis = walk->axes - 1;
    int64_t count = 0, most = smaller(left, QDRI_WALK_TABLE);
    while (count < most && !walk->is_done) {
        const qdri_span *span = &walk->span[axis][walk->at[axis]];
        int64_t some = span->count - walk->within[axis];
        if (count > 0 && some >= SHORT) break;
        some = smaller(some, most - count);
        int64_t place = walk->outer + span->offset + walk->within[axis] * span->step - places->lowest;
        for (int64_t i = 0; i < some; i++, place += span->step) walk->table[count++] = (uint32_t)place;
        turn_fastest(walk, some);
    }
    walk->base = places->lowest;
    walk->index = walk->table;
    walk->rows = count;
    walk->run = 1;
}

/* The fastest axis is one run: rows as long as that. */
static int take_rows(qdri_walk *walk, int64_t left) {
    int axis = walk->axes - 1;
    const qdri_span *row = walk->span[axis];
    if (axis == 0 || walk->spans[axis] > 1 || row->step != 1 || walk->within[axis] > 0 || row->count > left)
        return 0;
    const qdri_span *rows = &walk->span[axis - 1][walk->at[axis - 1]];
    walk->base = walk->outer + row->offset;
    walk->run = row->count;
    walk->step = rows->step;
    walk->rows = smaller(rows->count - walk->within[axis - 1], left / row->count);
    turn(walk, axis - 1, walk->rows);
    return 1;
}

void qdri_walk_pieces(qdri_walk *walk) {
    const qdri_places *places = walk->places;
    int64_t left = places->count - walk->position;
    walk->index = NULL;
    if (walk->is_done) open_piece(walk, walk->piece + 1);
    if (take_rows(walk, left)) return;
    int axis = walk->axes - 1;
    const qdri_span *span = &walk->span[axis][walk->at[axis]];
    int64_t count = smaller(span->count - walk->within[axis], left);
    if (count < SHORT && count < left && places->highest - places->lowest <= UINT32_MAX) {
        fill_table(walk, left);
        return;
    }
    walk->base = walk->outer + span->offset + walk->within[axis] * span->step;
    walk->step = span->step;
    walk->run = span->step == 1 ? count : 1;
    walk->rows = span->step == 1 ? 1 : count;
    turn_fastest(walk, count);
}
