/* SPDX-License-Identifier: BSD-3-Clause */
/* Places as bytes, for schedules that are computed elsewhere. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside.h"

enum { FORMAT = 0x515301 };

/* Offsets are written as differences to the end of the span before: most of them are small. */
qdr_status qdri_places_write(const qdri_places *places, void **bytes, int64_t *size) {
    qdri_writer writer = {0};
    const qdri_span *span = places->span;
    qdri_put(&writer, FORMAT);
    qdri_put(&writer, places->pieces);
    for (int64_t p = 0; p < places->pieces; p++) {
        const qdri_piece *piece = places->piece + p;
        qdri_put(&writer, piece->axes);
        for (int a = 0; a < piece->axes; a++) {
            int64_t spans = places->axis_spans[piece->first_axis + a], behind = 0;
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

/* ---- reading ------------------------------------------------------------------------------------------- */

/* One piece, as it is read. */
typedef struct product {
    int64_t axis_spans[QDRI_MOST_AXES];
    qdri_span *span;
    int64_t spans, capacity;
    int64_t elements, reach;
} product;

static qdr_status get_span(qdri_reader *reader, int64_t *behind, qdri_span *span) {
    int64_t reach;
    QDRI_TRY(qdri_get(reader, "an offset", -*behind, QDRI_LARGEST - *behind, &span->offset));
    QDRI_TRY(qdri_get(reader, "a count", 1, QDRI_LARGEST, &span->count));
    span->offset += *behind;
    span->step = 1;
    if (span->count > 1) QDRI_TRY(qdri_get(reader, "a step", 1, QDRI_LARGEST, &span->step));
    if (!qdri_multiply(span->count - 1, span->step, &reach) || !qdri_add(reach, span->offset, behind))
        return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold a span that ends beyond 2^62", reader->what);
    return QDR_OK;
}

static qdr_status get_axis(qdri_reader *reader, product *product, int axis) {
    int64_t spans, behind = 0, farthest = 0, sum = 0;
    QDRI_TRY(qdri_get_count(reader, "spans", &spans));
    if (spans == 0)
        return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold an axis without spans", reader->what);
    if (!qdri_grow(&product->span, &product->capacity, product->spans + spans, sizeof *product->span))
        return qdri_fail_memory();
    for (int64_t i = 0; i < spans; i++) {
        qdri_span *span = product->span + product->spans++;
        QDRI_TRY(get_span(reader, &behind, span));
        if (!qdri_add(sum, span->count, &sum))
            return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold more than 2^62 elements", reader->what);
        farthest = qdri_most(farthest, behind);
    }
    product->axis_spans[axis] = spans;
    if (!qdri_multiply(product->elements, sum, &product->elements) ||
        !qdri_add(product->reach, farthest, &product->reach))
        return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold elements beyond 2^62", reader->what);
    return QDR_OK;
}

static qdr_status get_pieces(qdri_reader *reader, product *product, qdri_places *places) {
    int64_t word, pieces, axes, sum = 0;
    QDRI_TRY(qdri_get(reader, "the format", FORMAT, FORMAT, &word));
    QDRI_TRY(qdri_get_count(reader, "pieces", &pieces));
    for (int64_t p = 0; p < pieces; p++) {
        product->spans = product->reach = 0;
        product->elements = 1;
        QDRI_TRY(qdri_get(reader, "a number of axes", 1, QDRI_MOST_AXES, &axes));
        for (int a = 0; a < (int)axes; a++) QDRI_TRY(get_axis(reader, product, a));
        if (!qdri_add(sum, product->elements, &sum))
            return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s hold more than 2^62 elements", reader->what);
        QDRI_TRY(qdri_places_add_product(places, (int)axes, product->axis_spans, product->span));
    }
    return qdri_reader_end(reader);
}

qdr_status qdri_places_read(const void *bytes, int64_t size, qdri_places *places) {
    qdri_reader reader = {bytes, size, "places"};
    qdri_places made = {0};
    product product = {.spans = 0};
    qdr_status status = get_pieces(&reader, &product, &made);
    free(product.span);
    if (status)
        qdri_places_close(&made);
    else
        *places = made;
    return status;
}
