/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: runs and boxes, put together.
 *
 * A piece is a product of lists of spans. A block of a block array is one piece of two axes with one span each, whatever
 * its size; runs of different lengths are one piece of one axis with many spans. Products are made as small as they can be
 * when they are added: an axis with one element goes into its neighbour, and an axis whose elements continue where those of
 * the faster one end is fused with it. What has one axis left is a list of runs, and joins the list before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "places/places.h"
#include "places/pieces.h"

/* ---- spans --------------------------------------------------------------------------------------------- */

/* Two single elements make a span of any rising step, which saves half of the memory of scattered ones;
 * but where the second of them begins a contiguous run, it is taken back. */
void qdri_span_append(qdri_span *span, int64_t *spans, int64_t offset, int64_t count, int64_t step) {
    if (count == 1) step = 1;
    if (*spans > 0) {
        qdri_span *last = span + *spans - 1;
        int64_t gap = offset - (last->offset + (last->count - 1) * last->step);
        int single = last->count == 1;
        if (gap > 0 && (single || gap == last->step) && (count == 1 || gap == step)) {
            last->step = gap;
            last->count += count;
            return;
        }
        if (gap == 1 && last->count == 2 && (count == 1 || step == 1)) {
            int64_t second = last->offset + last->step;
            last->count = last->step = 1;
            span[(*spans)++] = (qdri_span){second, 1 + count, 1};
            return;
        }
    }
    span[(*spans)++] = (qdri_span){offset, count, step};
}

static int64_t count_of(const qdri_span *span, int64_t spans) {
    int64_t sum = 0;
    for (int64_t i = 0; i < spans; i++) sum += span[i].count;
    return sum;
}

/* ---- adding -------------------------------------------------------------------------------------------- */

int qdri_places_reserve(qdri_places *places, int64_t axes, int64_t spans) {
    if (places->pieces < places->piece_capacity && places->axes + axes <= places->axis_capacity &&
        places->spans + spans <= places->position_capacity)
        return 1;
    return qdri_grow(&places->piece, &places->piece_capacity, places->pieces + 1, sizeof *places->piece) &&
           qdri_grow(&places->axis_spans, &places->axis_capacity, places->axes + axes,
                     sizeof *places->axis_spans) &&
           qdri_grow(&places->span, &places->span_capacity, places->spans + spans, sizeof *places->span) &&
           qdri_grow(&places->position, &places->position_capacity, places->spans + spans,
                     sizeof *places->position);
}

/* Elements from `low` to `high` were added. */
static void note_range(qdri_places *places, int64_t low, int64_t high) {
    if (places->count == 0 || low < places->lowest) places->lowest = low;
    if (places->count == 0 || high > places->highest) places->highest = high;
    places->shape = QDRI_PIECES;
    places->distinct = 0;
}

/* What is added to the last list of runs may join its last span, so that this one's position is right, and that of one
 * behind it follows. */
qdr_status qdri_places_add_run(qdri_places *places, int64_t offset, int64_t count, int64_t step) {
    if (count == 0) return QDR_OK;
    if (!qdri_places_reserve(places, 1, 1)) return qdri_fail_memory();
    note_range(places, offset, offset + (count - 1) * step);
    if (places->pieces == 0 || places->piece[places->pieces - 1].axes != 1) {
        places->piece[places->pieces++] = (qdri_piece){places->count, places->axes, places->spans, 1};
        places->axis_spans[places->axes++] = 0;
    }
    const qdri_piece *piece = places->piece + places->pieces - 1;
    int64_t *spans = places->axis_spans + piece->first_axis, before = *spans;
    qdri_span *span = places->span + piece->first_span;
    qdri_span_append(span, spans, offset, count, step);
    if (*spans > before) {
        int64_t *position = places->position + places->spans++;
        *position = before == 0 ? 0 : position[-1] + span[before - 1].count;
    }
    places->count += count;
    return QDR_OK;
}

/* Fuses an axis with the next faster one, which has one span, if its elements continue there; 0 if they
 * don't. The result takes the place of the slower one. */
static int fuse(qdri_span *slow, int64_t *spans, const qdri_span *fast) {
    int64_t joined = 0;
    if (count_of(slow, *spans) == 1) { /* one element: all that it does is to move the other */
        slow[0] = (qdri_span){slow[0].offset + fast->offset, fast->count, fast->step};
        return 1;
    }
    for (int64_t i = 0; i < *spans && fast->count > 1; i++)
        if (slow[i].count > 1 && slow[i].step != fast->count * fast->step) return 0;
    for (int64_t i = 0; i < *spans; i++) {
        int64_t step = fast->count > 1 ? fast->step : slow[i].step;
        qdri_span_append(slow, &joined, slow[i].offset + fast->offset, slow[i].count * fast->count, step);
    }
    *spans = joined;
    return 1;
}

/* Moves the spans of an axis to the end of others. */
static void keep_axis(qdri_places *places, int64_t first_axis, int *axes, int64_t *end, int64_t from,
                      int64_t spans) {
    memmove(places->span + *end, places->span + from, (size_t)spans * sizeof *places->span);
    places->axis_spans[first_axis + (*axes)++] = spans;
    *end += spans;
}

/* Makes the product behind the last piece smaller; returns the axes left. */
static int simplify(qdri_places *places, int64_t first_axis, int axes, int64_t first_span, int64_t *end) {
    int64_t from[QDRI_MOST_AXES + 1], spans[QDRI_MOST_AXES + 1], at = first_span;
    int kept = 0, top = -1; /* a stack of axes: the last one may be fused with the one before */
    for (int a = 0; a < axes; a++) {
        from[++top] = at;
        spans[top] = places->axis_spans[first_axis + a];
        at += spans[top];
        if (top > 0 && spans[top - 1] == 1 && places->span[from[top - 1]].count == 1) {
            int64_t moved = places->span[from[top - 1]].offset;
            for (int64_t i = 0; i < spans[top]; i++) places->span[from[top] + i].offset += moved;
            from[top - 1] = from[top];
            spans[top - 1] = spans[top];
            top--;
        }
    }
    while (top > 0 && spans[top] == 1 &&
           fuse(places->span + from[top - 1], spans + top - 1, places->span + from[top]))
        top--;
    *end = first_span;
    for (int a = 0; a <= top; a++) keep_axis(places, first_axis, &kept, end, from[a], spans[a]);
    return kept;
}

/* A product of one axis, which stands behind the last, becomes runs. */
static qdr_status add_runs(qdri_places *places, int64_t spans) {
    qdri_span *copy = QDRI_ARRAY(qdri_span, spans);
    if (!copy) return qdri_fail_memory();
    memcpy(copy, places->span + places->spans, (size_t)spans * sizeof *copy);
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < spans && !status; i++)
        status = qdri_places_add_run(places, copy[i].offset, copy[i].count, copy[i].step);
    free(copy);
    return status;
}

/* Where each span of the product at the end begins, and what it reaches. */
static void survey(qdri_places *places, int axes) {
    int64_t low = 0, high = 0, at = places->spans;
    for (int a = 0; a < axes; a++) {
        int64_t entries = 0, least = INT64_MAX, most = INT64_MIN;
        for (int64_t i = 0; i < places->axis_spans[places->axes + a]; i++, at++) {
            const qdri_span *span = &places->span[at];
            int64_t last = span->offset + (span->count - 1) * span->step;
            places->position[at] = entries;
            entries += span->count;
            least = span->offset < least ? span->offset : least;
            most = last > most ? last : most;
        }
        low += least;
        high += most;
    }
    note_range(places, low, high);
}

qdr_status qdri_places_add_product(qdri_places *places, int axes, const int64_t *axis_spans,
                                   const qdri_span *span) {
    int64_t elements = 1, spans = 0, end;
    for (int a = 0; a < axes; a++) {
        elements *= count_of(span + spans, axis_spans[a]);
        spans += axis_spans[a];
    }
    if (elements == 0 || axes == 0) return QDR_OK;
    if (!qdri_places_reserve(places, axes, spans)) return qdri_fail_memory();
    memcpy(places->axis_spans + places->axes, axis_spans, (size_t)axes * sizeof *axis_spans);
    memcpy(places->span + places->spans, span, (size_t)spans * sizeof *span);
    axes = simplify(places, places->axes, axes, places->spans, &end);
    if (axes == 1 && end == places->spans + 1) {
        qdri_span only = places->span[places->spans];
        return qdri_places_add_run(places, only.offset, only.count, only.step);
    }
    if (axes == 1) return add_runs(places, end - places->spans);
    survey(places, axes);
    places->piece[places->pieces++] = (qdri_piece){places->count, places->axes, places->spans, axes};
    places->axes += axes;
    places->spans = end;
    places->count += elements;
    return QDR_OK;
}
