/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays whose values follow from time and index, and streams of them, for tests of streams that run. */
#ifndef QDRI_COUPLE_VALUES_H
#define QDRI_COUPLE_VALUES_H

#include <math.h>

#include "couple/stream/couple_pair_testing.h"

enum { ELEMENTS = 97 };

static inline void nap(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

/* ---- a field ------------------------------------------------------------------------------------------- */

/* One array of this rank, and where its elements lie. */
typedef struct array {
    qdr_layout *layout;
    int64_t room, element[ELEMENTS]; /* of each place that is owned */
    int64_t place[ELEMENTS], count;
    qdr_type type;
    int64_t width;
    char *bytes;
} array;

/* The two programs never have the same layout; with many ranks some have nothing. */
static inline void open_array(array *array, int cyclic, int ranks, int64_t elements, qdr_type type,
                              int64_t width) {
    qdr_axis axis = {.extent = elements,
                     .spread = cyclic ? QDR_CYCLIC : QDR_BLOCK,
                     .block = 3,
                     .parts = ranks,
                     .ghost_below = cyclic ? 0 : 1};
    int64_t share;
    memset(array, 0, sizeof *array);
    array->type = type;
    array->width = width;
    FINE(qdr_layout_regular(1, &axis, NULL, &array->layout));
    FINE(qdr_layout_share(array->layout, own_rank, &share, &array->room));
    for (int64_t i = 0; i < elements; i++) {
        int owner;
        int64_t place;
        FINE(qdr_layout_locate(array->layout, &i, &owner, &place));
        if (owner != own_rank) continue;
        array->element[array->count] = i;
        array->place[array->count++] = place;
    }
    if (array->room > 0) array->bytes = calloc((size_t)(array->room * width), (size_t)qdr_type_bytes(type));
}

static inline void close_array(array *array) {
    qdr_layout_destroy(&array->layout);
    free(array->bytes);
}

static inline double value_of(double time, int64_t element, int64_t part) {
    return 100 * time + (double)(element % 50) + (double)(part % 2);
}

static inline double read_value(const array *array, int64_t at) {
    const char *from = array->bytes + at * qdr_type_bytes(array->type);
    switch (array->type) {
    case QDR_INT16:
        return *(const int16_t *)from;
    case QDR_INT32:
        return *(const int32_t *)from;
    case QDR_FLOAT:
        return *(const float *)from;
    case QDR_DOUBLE_COMPLEX:
        return *(const double *)from + 1000 * ((const double *)from)[1];
    default:
        return *(const double *)from;
    }
}

static inline void write_value(array *array, int64_t at, double value) {
    char *to = array->bytes + at * qdr_type_bytes(array->type);
    switch (array->type) {
    case QDR_INT16:
        *(int16_t *)to = (int16_t)value;
        break;
    case QDR_INT32:
        *(int32_t *)to = (int32_t)value;
        break;
    case QDR_FLOAT:
        *(float *)to = (float)value;
        break;
    default:
        *(double *)to = value;
        break;
    }
}

static inline void fill(array *array, double time) {
    for (int64_t i = 0; i < array->count; i++)
        for (int64_t w = 0; w < array->width; w++)
            write_value(array, array->place[i] * array->width + w, value_of(time, array->element[i], w));
}

static inline void wipe(array *array) {
    for (int64_t i = 0; i < array->room * array->width; i++) write_value(array, i, -1);
}

/* Whether the owned elements are those of this time, or untouched if it is no number. */
static inline void inspect(int line, const array *array, double time) {
    for (int64_t i = 0; i < array->count; i++)
        for (int64_t w = 0; w < array->width; w++) {
            double value = read_value(array, array->place[i] * array->width + w);
            double expected = isnan(time) ? -1 : value_of(time, array->element[i], w);
            if (value == expected) continue;
            mpi_check_failed(__FILE__, line, "element %lld is %g, not %g", (long long)array->element[i],
                             value, expected);
            return;
        }
}

/* ---- streams of one field ------------------------------------------------------------------------------ */

static array out, in;

static inline qdr_stream *open_one(const char *name, int exporter, qdr_stream_options options) {
    array *used = side == exporter ? &out : &in;
    qdr_coupled field = {.name = "heat", .layout = used->layout, .type = used->type, .width = used->width};
    qdr_stream *stream = NULL;
    int exports = side == exporter;
    options.deadline = options.deadline > 0 ? options.deadline : 20;
    FINE(qdr_stream_create(coupling, name, exports, exports ? &field : NULL, !exports,
                           exports ? NULL : &field, &options, &stream));
    return stream;
}

static inline qdr_status give(qdr_stream *stream, double time) {
    fill(&out, time);
    qdr_status status = qdr_export(stream, time, (const void *[]){out.bytes});
    wipe(&out); /* it was copied */
    return status;
}

static inline void take(int line, qdr_stream *stream, double time, qdr_match match, double tolerance,
                        double expected) {
    double matched = NAN;
    wipe(&in);
    qdr_status status = qdr_import(stream, time, match, tolerance, (void *[]){in.bytes}, &matched);
    qdr_status right = isnan(expected) ? QDR_ERR_UNMATCHED : QDR_OK;
    if (status != right || (!status && matched != expected))
        mpi_check_failed(__FILE__, line, "import at %g: %s, matched %g; expected %g: %s", time,
                         qdr_status_text(status), matched, expected, status ? qdr_error_message() : "");
    else
        inspect(line, &in, expected);
}
#define TAKE(stream, time, match, tolerance, expected)                                                       \
    take(__LINE__, stream, time, match, tolerance, expected)

#endif
