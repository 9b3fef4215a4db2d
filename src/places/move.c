/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving from places to places, through a little memory that stays in the nearest cache.
 *
 * Two faces of a block that faces itself, as with periodic boundaries, lie in the same lines of memory: the first elements
 * of each row are sent and the ghosts in front of them received, and so it is at its end. If one face is moved after the
 * other, each line comes from far away twice, and that is all the time it takes. So boxes of one size are moved in step:
 * some rows of each, then the next ones; two to three times as fast where rows lie far apart.
 */
#include "places/kernels.h"

/* At once: boxes, and rows of all of them. Each row may be a line of memory, and a near cache has 512 or more. */
enum { MOST_BOXES = 8, ROWS = 512 };

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

/* Boxes that are moved in step: `count` elements each, one behind the other, `row` of which lie together. */
typedef struct team {
    int64_t first, count, row;
    int boxes;
} team;

static int64_t piece_end(const qdri_places *places, int64_t piece) {
    return piece + 1 < places->pieces ? places->piece[piece + 1].position : places->count;
}

static int64_t row_of(const qdri_places *places, int64_t piece) {
    const qdri_piece *one = &places->piece[piece];
    const qdri_span *span = places->span + one->first_span;
    for (int a = 0; a < one->axes - 1; a++) span += places->axis_spans[one->first_axis + a];
    return places->axis_spans[one->first_axis + one->axes - 1] == 1 && span->step == 1 ? span->count : 1;
}

/* The team of at most so many that begins with this piece; returns the piece behind its last. */
static int64_t find_team(const qdri_places *places, int64_t piece, int64_t most, team *found) {
    *found = (team){0, places->count, places->count, 1};
    if (places->shape != QDRI_PIECES) return 1;
    found->first = places->piece[piece].position;
    found->count = piece_end(places, piece) - found->first;
    found->row = row_of(places, piece);
    while (++piece < places->pieces && found->boxes < most) {
        if (piece_end(places, piece) - places->piece[piece].position != found->count) break;
        if (row_of(places, piece) != found->row) break;
        found->boxes++;
    }
    return piece;
}

/* Elements of each box that are moved at once: whole rows, if they are not too long. */
static int64_t step_of(const way *self, const team *one) {
    int64_t most = self->room_elements / one->boxes, rows = ROWS / one->boxes;
    int64_t step = one->row > most / rows ? most : rows * one->row;
    if (step >= one->row) step -= step % one->row;
    return step;
}

static void move_some(const way *self, const team *one, int64_t from, int64_t to) {
    int64_t bytes = self->element_bytes, some = to - from;
    for (int side = 0; side < 2; side++)
        for (int box = 0; box < one->boxes; box++) {
            const end *here = side ? &self->to : &self->from;
            int64_t first = one->first + box * one->count;
            qdri_places part = qdri_places_part(here->places, first + from, first + to);
            char *room = self->room + box * some * bytes;
            if (side)
                qdri_scatter(&part, room, bytes, here->stride, here->array);
            else
                qdri_gather(&part, here->array, bytes, here->stride, room);
        }
}

void qdri_move(const qdri_places *from, const void *source, int64_t source_stride, const qdri_places *to,
               void *target, int64_t target_stride, int64_t element_bytes, void *room, int64_t room_bytes) {
    way self = {{from, (char *)source, source_stride},
                {to, target, target_stride},
                element_bytes,
                room,
                element_bytes > 0 ? room_bytes / element_bytes : 0};
    team one;
    if (from->count == 0 || element_bytes == 0) return;
    int64_t most = self.room_elements < MOST_BOXES ? self.room_elements : MOST_BOXES;
    for (int64_t piece = 0, last = from->shape == QDRI_PIECES ? from->pieces : 1; piece < last;) {
        piece = find_team(from, piece, most, &one);
        int64_t step = step_of(&self, &one);
        for (int64_t at = 0; at < one.count; at += step)
            move_some(&self, &one, at, at + step < one.count ? at + step : one.count);
    }
}
