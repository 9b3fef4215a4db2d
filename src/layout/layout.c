/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all layouts have in common: the index space, the count of owners, the views between global and local
 * (Lee and Sussman, section 2.1), and the bytes. What differs is behind qdri_layout_type: one file per
 * kind, one line in the table below.
 */
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const qdri_layout_type *const types[] = {&qdri_regular_type, &qdri_boxes_type, &qdri_joined_type,
                                                &qdri_runs_type, &qdri_entries_type};

enum { TYPES = sizeof types / sizeof *types, FORMAT = 0x514c01 };

/* ---- the index space ----------------------------------------------------------------------------------- */

qdr_status qdri_layout_head(qdr_layout *layout, const qdri_layout_type *type, int dimensions,
                            const int64_t *extent) {
    if (dimensions < 1 || dimensions > MOST)
        return qdri_fail(QDR_ERR_INVALID, "a layout has 1 to %d dimensions, not %d", MOST, dimensions);
    if (!extent) return qdri_fail(QDR_ERR_INVALID, "a layout needs the extent of its array, not NULL");
    int64_t product = 1;
    int empty = 0;
    for (int d = 0; d < dimensions; d++) {
        if (extent[d] < 0)
            return qdri_fail(QDR_ERR_INVALID, "the extent of dimension %d is %" PRId64 "; expected 0 or more",
                             d, extent[d]);
        if (!qdri_multiply(product, qdri_most(extent[d], 1), &product))
            return qdri_fail(QDR_ERR_RANGE,
                             "an array of more than 2^62 elements: extent %" PRId64 " of dimension %d",
                             extent[d], d);
        empty |= extent[d] == 0;
    }
    layout->type = type;
    qdri_owned_open(&layout->owned);
    layout->dimensions = dimensions;
    layout->ranks = 0;
    memcpy(layout->extent, extent, (size_t)dimensions * sizeof *extent);
    layout->elements = empty ? 0 : product;
    return QDR_OK;
}

int64_t qdri_layout_element(const qdr_layout *layout, const int64_t *index) {
    int64_t element = 0;
    for (int d = 0; d < layout->dimensions; d++) element = element * layout->extent[d] + index[d];
    return element;
}

void qdri_layout_split(const qdr_layout *layout, int64_t element, int64_t *index) {
    for (int d = layout->dimensions - 1; d > 0; d--) {
        index[d] = element % layout->extent[d];
        element /= layout->extent[d];
    }
    index[0] = element;
}

const char *qdri_index_text(char *text, size_t size, int dimensions, const int64_t *index) {
    size_t length = 0;
    for (int d = 0; d < dimensions && length + 24 < size; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64, d ? ", " : "(", index[d]);
    snprintf(text + length, size - length, ")");
    return text;
}

qdr_layout *qdri_layout_retain(const qdr_layout *layout) {
    qdri_owned_keep(&layout->owned);
    return (qdr_layout *)layout;
}

void qdr_layout_destroy(qdr_layout **layout) {
    if (!layout || !*layout) return;
    if (qdri_owned_leave(&(*layout)->owned)) (*layout)->type->close(*layout);
    *layout = NULL;
}

qdri_layout_kind qdri_layout_kind_of(const qdr_layout *layout) {
    return layout->type->kind;
}

int qdri_layout_is_compact(const qdr_layout *layout) {
    return layout->type->compact;
}

int qdri_layout_dimensions(const qdr_layout *layout) {
    return layout->dimensions;
}

const int64_t *qdri_layout_extent(const qdr_layout *layout) {
    return layout->extent;
}

int qdri_layout_ranks(const qdr_layout *layout) {
    return layout->ranks;
}

/* ---- global and local ---------------------------------------------------------------------------------- */

static qdr_status need(int given, const char *function) {
    return given ? QDR_OK : qdri_fail(QDR_ERR_INVALID, "%s was given NULL", function);
}

static qdr_status check_rank(int rank) {
    if (rank >= QDR_HERE) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID, "rank %d is neither a rank nor QDR_HERE", rank);
}

qdr_status qdr_layout_locate(const qdr_layout *layout, const int64_t *index, int *rank, int64_t *place) {
    char text[INDEX_TEXT];
    QDRI_TRY(need(layout && index && rank && place, "qdr_layout_locate"));
    for (int d = 0; d < layout->dimensions; d++)
        if (index[d] < 0 || index[d] >= layout->extent[d])
            return qdri_fail(QDR_ERR_RANGE, "element %s is outside: dimension %d has %" PRId64 " indices",
                             qdri_index_text(text, sizeof text, layout->dimensions, index), d,
                             layout->extent[d]);
    qdr_status status = layout->type->locate(layout, index, rank, place);
    if (status != QDR_ERR_UNKNOWN) return status;
    return qdri_fail(QDR_ERR_UNKNOWN, "nothing is known here of an owner of element %s",
                     qdri_index_text(text, sizeof text, layout->dimensions, index));
}

qdr_status qdr_layout_index(const qdr_layout *layout, int rank, int64_t place, int64_t *index) {
    QDRI_TRY(need(layout && index, "qdr_layout_index"));
    QDRI_TRY(check_rank(rank));
    qdr_status status = place < 0 ? QDR_ERR_UNKNOWN : layout->type->index(layout, rank, place, index);
    if (status != QDR_ERR_UNKNOWN) return status;
    return qdri_fail(QDR_ERR_UNKNOWN, "no element is known to lie at place %" PRId64 " of rank %d", place,
                     rank);
}

qdr_status qdr_layout_share(const qdr_layout *layout, int rank, int64_t *elements, int64_t *room) {
    QDRI_TRY(need(layout && elements && room, "qdr_layout_share"));
    QDRI_TRY(check_rank(rank));
    qdr_status status = layout->type->share(layout, rank, elements, room);
    if (status != QDR_ERR_UNKNOWN) return status;
    return qdri_fail(QDR_ERR_UNKNOWN,
                     rank == QDR_HERE ? "the layout knows all ranks, but not which of them is here (%d)"
                                      : "nothing is known here of what rank %d owns",
                     rank);
}

/* ---- as bytes ------------------------------------------------------------------------------------------ */

static void put_layout(const qdr_layout *layout, qdri_writer *writer) {
    qdri_put(writer, FORMAT);
    qdri_put(writer, layout->type->kind);
    qdri_put(writer, layout->dimensions);
    qdri_put_all(writer, layout->dimensions, layout->extent);
    layout->type->put(layout, writer);
}

uint64_t qdri_layout_digest(const qdr_layout *layout) {
    qdri_writer writer = {.digesting = 1};
    put_layout(layout, &writer);
    return writer.digest;
}

qdr_status qdri_layout_write(const qdr_layout *layout, void **bytes, int64_t *size) {
    qdri_writer writer = {0};
    put_layout(layout, &writer);
    return qdri_writer_take(&writer, bytes, size);
}

qdr_status qdri_layout_read(const void *bytes, int64_t size, qdr_layout **layout) {
    qdri_reader reader = {bytes, size, "a layout"};
    int64_t word, dimensions, extent[MOST];
    QDRI_TRY(qdri_get(&reader, "the format", FORMAT, FORMAT, &word));
    QDRI_TRY(qdri_get(&reader, "the kind", 0, TYPES - 1, &word));
    QDRI_TRY(qdri_get(&reader, "the number of dimensions", 1, MOST, &dimensions));
    for (int d = 0; d < dimensions; d++)
        QDRI_TRY(qdri_get(&reader, "an extent", 0, QDRI_LARGEST, extent + d));
    qdr_layout *made = NULL;
    QDRI_TRY(qdri_reader_blame(&reader, types[word]->get(&reader, (int)dimensions, extent, &made)));
    qdr_status status = qdri_reader_end(&reader);
    if (status)
        qdr_layout_destroy(&made);
    else
        *layout = made;
    return status;
}

/* ---- cursors ------------------------------------------------------------------------------------------- */

qdr_status qdri_walker_open(qdri_walker *cursor, const qdr_layout *layout, const int *axis) {
    cursor->layout = layout;
    cursor->candidate = NULL;
    memcpy(cursor->axis, axis, (size_t)layout->dimensions * sizeof *axis);
    for (int d = 0; d < layout->dimensions; d++) cursor->slice[d] = (qdri_slice){0};
    return layout->type->open_cursor ? layout->type->open_cursor(cursor) : QDR_OK;
}

void qdri_walker_close(qdri_walker *cursor) {
    free(cursor->candidate);
    cursor->candidate = NULL;
}
