/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving from places to places.
 *
 * Boxes of the same shape are moved row by row. With periodic boundaries a block may be its own neighbour. Then both of its
 * faces across the rows lie in the same lines of memory: at each end of a row some elements are sent, and the ghosts beside
 * them are received. Moved one face after the other, every line is fetched twice, and fetching is what takes the time. So
 * boxes of one shape are moved in step: some rows of each, then the next rows of each.
 *
 * Everything else goes through a little memory that stays in the nearest cache.
 */
#include "places/kernels.h"

#include <string.h>

/* In step: boxes, and rows of each. Each row is two lines of memory or more, and a near cache has 512 or more. */
enum { MOST_BOXES = 8, ROWS = 128 };

/* One end of the way. */
typedef struct end {
    const qdri_places *places;
    char *array;
    int64_t stride;
} end;

typedef struct way {
    end from, to;
    int64_t element_bytes;
    char *room;
    int64_t room_elements;
} way;

/* ---- boxes --------------------------------------------------------------------------------------------- */

/* `planes` planes of `rows` rows of `run` elements that lie together. */
typedef struct box {
    int64_t first, planes, plane_step, rows, row_step, run;
} box;

/* Takes the fastest axis that is left off; without any it is one element. */
static void take_axis(const qdri_span *span, int *axes, int64_t *count, int64_t *step) {
    *count = 1;
    *step = 0;
    if (*axes == 0) return;
    --*axes;
    *count = span[*axes].count;
    *step = span[*axes].step;
}

/* False: a piece is more than that. */
static int read_box(const qdri_places *places, int64_t piece, box *read) {
    const qdri_piece *one = &places->piece[piece];
    const qdri_span *span = places->span + one->first_span;
    int axes = one->axes;
    *read = (box){.run = 1};
    for (int a = 0; a < axes; a++) {
        if (places->axis_spans[one->first_axis + a] != 1) return 0;
        read->first += span[a].offset;
    }
    if (span[axes - 1].step == 1) read->run = span[--axes].count;
    take_axis(span, &axes, &read->rows, &read->row_step);
    take_axis(span, &axes, &read->planes, &read->plane_step);
    return axes == 0;
}

static int are_alike(const box *one, const box *other) {
    return one->planes == other->planes && one->rows == other->rows && one->run == other->run;
}

/* How many pieces from this one on are boxes of one shape at both ends; box[0] at the one, box[1] at the other. */
static int find_team(const way *self, int64_t piece, box box[2][MOST_BOXES]) {
    const qdri_places *from = self->from.places, *to = self->to.places;
    int boxes = 0;
    for (; boxes < MOST_BOXES && piece < from->pieces && piece < to->pieces; boxes++, piece++) {
        if (from->piece[piece].position != to->piece[piece].position) break;
        if (!read_box(from, piece, &box[0][boxes]) || !read_box(to, piece, &box[1][boxes])) break;
        if (!are_alike(&box[0][boxes], &box[1][boxes]) || !are_alike(&box[0][boxes], &box[0][0])) break;
        if (box[0][0].run > 1 &&
            (self->from.stride != self->element_bytes || self->to.stride != self->element_bytes))
            break;
    }
    return boxes;
}

static char *row_at(const end *here, const box *one, int64_t plane, int64_t row) {
    return here->array + (one->first + plane * one->plane_step + row * one->row_step) * here->stride;
}

/* Some rows of all boxes. They are read before any is written: a processor waits for many lines that it reads at once, but
 * for one after the other that it writes. */
static void move_rows(const way *self, int boxes, box box[2][MOST_BOXES], int64_t plane, int64_t row,
                      int64_t rows) {
    int64_t bytes = box[0][0].run * self->element_bytes;
    for (int i = 0; i < boxes; i++)
        qdri_take_rows(row_at(&self->from, &box[0][i], plane, row), box[0][i].row_step * self->from.stride,
                       rows, bytes, self->room + i * rows * bytes);
    for (int i = 0; i < boxes; i++)
        qdri_put_rows(self->room + i * rows * bytes, box[1][i].row_step * self->to.stride, rows, bytes,
                      row_at(&self->to, &box[1][i], plane, row));
}

/* Rows that are longer than what there is room for go straight. */
static void move_long_rows(const way *self, const box *from, const box *to, int64_t plane) {
    for (int64_t row = 0; row < from->rows; row++)
        memcpy(row_at(&self->to, to, plane, row), row_at(&self->from, from, plane, row),
               (size_t)(from->run * self->element_bytes));
}

static void move_team(const way *self, int boxes, box box[2][MOST_BOXES]) {
    const int64_t rows = box[0][0].rows, fit = self->room_elements / box[0][0].run / boxes;
    const int64_t step = fit < ROWS ? fit : ROWS;
    for (int64_t plane = 0; plane < box[0][0].planes; plane++) {
        for (int64_t row = 0; row < rows && step > 0; row += step)
            move_rows(self, boxes, box, plane, row, rows - row < step ? rows - row : step);
        for (int i = 0; i < boxes && step == 0; i++) move_long_rows(self, &box[0][i], &box[1][i], plane);
    }
}

/* ---- anything ------------------------------------------------------------------------------------------ */

static void move_some(const way *self, int64_t from, int64_t to) {
    while (from < to) {
        int64_t next = to - from < self->room_elements ? to : from + self->room_elements;
        qdri_places out = qdri_places_part(self->from.places, from, next),
                    in = qdri_places_part(self->to.places, from, next);
        qdri_gather(&out, self->from.array, self->element_bytes, self->from.stride, self->room);
        qdri_scatter(&in, self->room, self->element_bytes, self->to.stride, self->to.array);
        from = next;
    }
}

void qdri_move(const qdri_places *from, const void *source, int64_t source_stride, const qdri_places *to,
               void *target, int64_t target_stride, int64_t element_bytes, void *room, int64_t room_bytes) {
    if (from->count == 0 || element_bytes == 0) return;
    way self = {{from, (char *)source, source_stride},
                {to, target, target_stride},
                element_bytes,
                room,
                room_bytes / element_bytes};
    box box[2][MOST_BOXES];
    int64_t pieces = from->shape == QDRI_PIECES && to->shape == QDRI_PIECES ? from->pieces : 0, moved = 0;
    for (int64_t piece = 0; piece < pieces;) {
        int boxes = find_team(&self, piece, box);
        if (boxes > 0) {
            move_some(&self, moved, from->piece[piece].position);
            move_team(&self, boxes, box);
            moved = from->piece[piece].position + boxes * box[0][0].planes * box[0][0].rows * box[0][0].run;
        }
        piece += boxes > 0 ? boxes : 1;
    }
    move_some(&self, moved, from->count);
}
