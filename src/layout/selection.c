/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selections: which elements of a rank's memory go into a message, and in which order.
 *
 * A selection is a sequence of pieces, each a product of lists of spans. A block of a block array is one
 * piece of two axes with one span each, whatever its size; scattered elements are one piece of one axis
 * with many spans. Products are made as small as they can be when they are added: an axis with one element
 * goes into its neighbour, and an axis whose elements continue where those of the faster one end is fused
 * with it. What has one axis left is a list of runs, and joins the list before.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { FORMAT = 0x515301 };

void qdri_selection_close(qdri_selection *selection) {
    free(selection->piece);
    free(selection->axis_spans);
    free(selection->span);
    *selection = (qdri_selection){0};
}

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

static int reserve(qdri_selection *selection, int64_t axes, int64_t spans) {
    if (selection->pieces < selection->piece_capacity && selection->axes + axes <= selection->axis_capacity &&
        selection->spans + spans <= selection->span_capacity)
        return 1;
    return qdri_grow(&selection->piece, &selection->piece_capacity, selection->pieces + 1,
                     sizeof *selection->piece) &&
           qdri_grow(&selection->axis_spans, &selection->axis_capacity, selection->axes + axes,
                     sizeof *selection->axis_spans) &&
           qdri_grow(&selection->span, &selection->span_capacity, selection->spans + spans,
                     sizeof *selection->span);
}

qdr_status qdri_selection_add_run(qdri_selection *selection, int64_t offset, int64_t count, int64_t step) {
    if (count == 0) return QDR_OK;
    if (!reserve(selection, 1, 1)) return qdri_fail_memory();
    if (selection->pieces == 0 || selection->piece[selection->pieces - 1].axes != 1) {
        selection->piece[selection->pieces++] = (qdri_piece){0, selection->axes, 1};
        selection->axis_spans[selection->axes++] = 0;
    }
    qdri_piece *piece = selection->piece + selection->pieces - 1;
    int64_t *spans = selection->axis_spans + piece->first_axis, before = *spans;
    qdri_span_append(selection->span + selection->spans - before, spans, offset, count, step);
    selection->spans += *spans - before;
    piece->elements += count;
    selection->elements += count;
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
static void keep_axis(qdri_selection *selection, int64_t first_axis, int *axes, int64_t *end, int64_t from,
                      int64_t spans) {
    memmove(selection->span + *end, selection->span + from, (size_t)spans * sizeof *selection->span);
    selection->axis_spans[first_axis + (*axes)++] = spans;
    *end += spans;
}

/* Makes the product at the end of the selection smaller; returns the axes left. */
static int simplify(qdri_selection *selection, int64_t first_axis, int axes, int64_t first_span,
                    int64_t *end) {
    int64_t from[MOST + 1], spans[MOST + 1], at = first_span;
    int kept = 0, top = -1; /* a stack of axes: the last one may be fused with the one before */
    for (int a = 0; a < axes; a++) {
        from[++top] = at;
        spans[top] = selection->axis_spans[first_axis + a];
        at += spans[top];
        if (top > 0 && spans[top - 1] == 1 && selection->span[from[top - 1]].count == 1) {
            int64_t moved = selection->span[from[top - 1]].offset;
            for (int64_t i = 0; i < spans[top]; i++) selection->span[from[top] + i].offset += moved;
            from[top - 1] = from[top];
            spans[top - 1] = spans[top];
            top--;
        }
    }
    while (top > 0 && spans[top] == 1 &&
           fuse(selection->span + from[top - 1], spans + top - 1, selection->span + from[top]))
        top--;
    *end = first_span;
    for (int a = 0; a <= top; a++) keep_axis(selection, first_axis, &kept, end, from[a], spans[a]);
    return kept;
}

/* A product of one axis, which stands behind the last, becomes runs. */
static qdr_status add_runs(qdri_selection *selection, int64_t spans) {
    qdri_span *copy = QDRI_ARRAY(qdri_span, spans);
    if (!copy) return qdri_fail_memory();
    memcpy(copy, selection->span + selection->spans, (size_t)spans * sizeof *copy);
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < spans && !status; i++)
        status = qdri_selection_add_run(selection, copy[i].offset, copy[i].count, copy[i].step);
    free(copy);
    return status;
}

qdr_status qdri_selection_add_product(qdri_selection *selection, int axes, const int64_t *axis_spans,
                                      const qdri_span *span) {
    int64_t elements = 1, spans = 0, end;
    for (int a = 0; a < axes; a++) {
        elements *= count_of(span + spans, axis_spans[a]);
        spans += axis_spans[a];
    }
    if (elements == 0 || axes == 0) return QDR_OK;
    if (!reserve(selection, axes, spans)) return qdri_fail_memory();
    memcpy(selection->axis_spans + selection->axes, axis_spans, (size_t)axes * sizeof *axis_spans);
    memcpy(selection->span + selection->spans, span, (size_t)spans * sizeof *span);
    axes = simplify(selection, selection->axes, axes, selection->spans, &end);
    if (axes == 1 && end == selection->spans + 1) {
        qdri_span only = selection->span[selection->spans];
        return qdri_selection_add_run(selection, only.offset, only.count, only.step);
    }
    if (axes == 1) return add_runs(selection, end - selection->spans);
    selection->piece[selection->pieces++] = (qdri_piece){elements, selection->axes, axes};
    selection->axes += axes;
    selection->spans = end;
    selection->elements += elements;
    return QDR_OK;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

int64_t qdri_selection_runs(const qdri_selection *selection) {
    const int64_t *spans = selection->axis_spans;
    const qdri_span *span = selection->span;
    int64_t runs = 0;
    for (int64_t p = 0; p < selection->pieces; p++) {
        int64_t product = 1, inner = 0;
        for (int a = 0; a < selection->piece[p].axes - 1; a++) {
            product *= count_of(span, *spans);
            span += *spans++;
        }
        for (int64_t i = 0; i < *spans; i++) inner += span[i].step == 1 ? 1 : span[i].count;
        span += *spans++;
        runs += product * inner;
    }
    return runs;
}

void qdri_selection_bounds(const qdri_selection *selection, int64_t *lowest, int64_t *highest) {
    const int64_t *spans = selection->axis_spans;
    const qdri_span *span = selection->span;
    int64_t low = 0, high = -1;
    for (int64_t p = 0; p < selection->pieces; p++) {
        int64_t piece_low = 0, piece_high = 0;
        for (int a = 0; a < selection->piece[p].axes; a++) {
            int64_t least = INT64_MAX, most = INT64_MIN;
            for (int64_t i = 0; i < *spans; i++) {
                least = qdri_least(least, span[i].offset);
                most = qdri_most(most, span[i].offset + (span[i].count - 1) * span[i].step);
            }
            piece_low += least;
            piece_high += most;
            span += *spans++;
        }
        low = p == 0 ? piece_low : qdri_least(low, piece_low);
        high = p == 0 ? piece_high : qdri_most(high, piece_high);
    }
    *lowest = low;
    *highest = high;
}

int64_t qdri_selection_memory(const qdri_selection *selection) {
    return selection->piece_capacity * (int64_t)sizeof *selection->piece +
           selection->axis_capacity * (int64_t)sizeof *selection->axis_spans +
           selection->span_capacity * (int64_t)sizeof *selection->span;
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

/* Offsets are written as differences to the end of the span before: most of them are small. */
qdr_status qdri_selection_write(const qdri_selection *selection, void **bytes, int64_t *size) {
    qdri_writer writer = {0};
    const qdri_span *span = selection->span;
    qdri_put(&writer, FORMAT);
    qdri_put(&writer, selection->pieces);
    for (int64_t p = 0; p < selection->pieces; p++) {
        const qdri_piece *piece = selection->piece + p;
        qdri_put(&writer, piece->axes);
        for (int a = 0; a < piece->axes; a++) {
            int64_t spans = selection->axis_spans[piece->first_axis + a], behind = 0;
            qdri_put(&writer, spans);
            for (int64_t i = 0; i < spans; i++, span++) {
                qdri_put(&writer, span->offset - behind);
                qdri_put(&writer, span->count);
                if (span->count > 1) qdri_put(&writer, span->step);
                behind = span->offset + (span->count - 1) * span->step;
            }
        }
    }
    return qdri_writer_take(&writer, bytes, size);
}

static qdr_status get_span(qdri_reader *reader, int64_t *behind, qdri_span *span) {
    int64_t reach;
    QDRI_TRY(qdri_get(reader, "an offset", -*behind, QDRI_LARGEST - *behind, &span->offset));
    QDRI_TRY(qdri_get(reader, "a count", 1, QDRI_LARGEST, &span->count));
    span->offset += *behind;
    span->step = 1;
    if (span->count > 1) QDRI_TRY(qdri_get(reader, "a step", 1, QDRI_LARGEST, &span->step));
    if (!qdri_multiply(span->count - 1, span->step, &reach) || !qdri_add(reach, span->offset, behind))
        return qdri_fail(QDR_SYNTAX, "the bytes of %s hold a span that ends beyond 2^62", reader->what);
    return QDR_OK;
}

static qdr_status get_axis(qdri_reader *reader, qdri_selection *selection, int64_t *elements,
                           int64_t *reach) {
    int64_t spans, behind = 0, farthest = 0, sum = 0;
    QDRI_TRY(qdri_get_count(reader, "spans", &spans));
    if (spans == 0) return qdri_fail(QDR_SYNTAX, "the bytes of %s hold an axis without spans", reader->what);
    if (!reserve(selection, 1, spans)) return qdri_fail_memory();
    for (int64_t i = 0; i < spans; i++) {
        qdri_span *span = selection->span + selection->spans;
        QDRI_TRY(get_span(reader, &behind, span));
        if (!qdri_add(sum, span->count, &sum))
            return qdri_fail(QDR_SYNTAX, "the bytes of %s hold more than 2^62 elements", reader->what);
        farthest = qdri_most(farthest, behind);
        selection->spans++;
    }
    selection->axis_spans[selection->axes++] = spans;
    if (!qdri_multiply(*elements, sum, elements) || !qdri_add(*reach, farthest, reach))
        return qdri_fail(QDR_SYNTAX, "the bytes of %s hold elements beyond 2^62", reader->what);
    return QDR_OK;
}

static qdr_status get_pieces(qdri_reader *reader, qdri_selection *selection) {
    int64_t word, pieces, axes;
    QDRI_TRY(qdri_get(reader, "the format", FORMAT, FORMAT, &word));
    QDRI_TRY(qdri_get_count(reader, "pieces", &pieces));
    for (int64_t p = 0; p < pieces; p++) {
        int64_t elements = 1, reach = 0, first_axis = selection->axes;
        QDRI_TRY(qdri_get(reader, "a number of axes", 1, MOST, &axes));
        for (int64_t a = 0; a < axes; a++) QDRI_TRY(get_axis(reader, selection, &elements, &reach));
        selection->piece[selection->pieces++] = (qdri_piece){elements, first_axis, (int)axes};
        if (!qdri_add(selection->elements, elements, &selection->elements))
            return qdri_fail(QDR_SYNTAX, "the bytes of %s hold more than 2^62 elements", reader->what);
    }
    return qdri_reader_end(reader);
}

qdr_status qdri_selection_read(const void *bytes, int64_t size, qdri_selection *selection) {
    qdri_reader reader = {bytes, size, "a selection"};
    qdri_selection made = {0};
    qdr_status status = get_pieces(&reader, &made);
    if (status)
        qdri_selection_close(&made);
    else
        *selection = made;
    return status;
}
