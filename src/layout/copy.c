/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements between an array and a message.
 *
 * The two fastest axes of a piece are walked by a kernel, the others by an odometer around it. There is a
 * kernel per element size: a copy of a constant number of bytes is a load and a store. Spans of step 1 that
 * are long enough go in one piece, at the speed of memcpy().
 */
#include "inside.h"

#include <string.h>

/* One piece of a selection. */
typedef struct product {
    int axes;
    const qdri_span *span[MOST];
    int64_t spans[MOST];
} product;

enum { ENOUGH = 64 }; /* bytes from which a call of memcpy() pays */

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* Copies the elements of two axes; returns the end of what was packed. BYTES is a constant, so that the
 * copies of single elements are instructions, or a variable. */
#define DEFINE_KERNELS(NAME, BYTES)                                                                          \
    static char *pack_##NAME(const char *array, const qdri_span *outer, int64_t outers,                      \
                             const qdri_span *inner, int64_t inners, size_t bytes, char *packed) {           \
        (void)bytes;                                                                                         \
        for (const qdri_span *o = outer; o < outer + outers; o++)                                            \
            for (int64_t k = 0; k < o->count; k++)                                                           \
                for (const qdri_span *i = inner; i < inner + inners; i++) {                                  \
                    const char *from = array + (size_t)(o->offset + k * o->step + i->offset) * (BYTES);      \
                    size_t all = (size_t)i->count * (BYTES), step = (size_t)i->step * (BYTES);               \
                    if (i->step == 1 && all >= ENOUGH) {                                                     \
                        memcpy(packed, from, all);                                                           \
                        packed += all;                                                                       \
                        continue;                                                                            \
                    }                                                                                        \
                    for (int64_t e = 0; e < i->count; e++, packed += (BYTES), from += step)                  \
                        memcpy(packed, from, (BYTES));                                                       \
                }                                                                                            \
        return packed;                                                                                       \
    }                                                                                                        \
    static const char *unpack_##NAME(char *array, const qdri_span *outer, int64_t outers,                    \
                                     const qdri_span *inner, int64_t inners, size_t bytes,                   \
                                     const char *packed) {                                                   \
        (void)bytes;                                                                                         \
        for (const qdri_span *o = outer; o < outer + outers; o++)                                            \
            for (int64_t k = 0; k < o->count; k++)                                                           \
                for (const qdri_span *i = inner; i < inner + inners; i++) {                                  \
                    char *to = array + (size_t)(o->offset + k * o->step + i->offset) * (BYTES);              \
                    size_t all = (size_t)i->count * (BYTES), step = (size_t)i->step * (BYTES);               \
                    if (i->step == 1 && all >= ENOUGH) {                                                     \
                        memcpy(to, packed, all);                                                             \
                        packed += all;                                                                       \
                        continue;                                                                            \
                    }                                                                                        \
                    for (int64_t e = 0; e < i->count; e++, packed += (BYTES), to += step)                    \
                        memcpy(to, packed, (BYTES));                                                         \
                }                                                                                            \
        return packed;                                                                                       \
    }

DEFINE_KERNELS(4, 4)
DEFINE_KERNELS(8, 8)
DEFINE_KERNELS(16, 16)
DEFINE_KERNELS(any, bytes)

typedef char *pack_kernel(const char *array, const qdri_span *outer, int64_t outers, const qdri_span *inner,
                          int64_t inners, size_t bytes, char *packed);
typedef const char *unpack_kernel(char *array, const qdri_span *outer, int64_t outers, const qdri_span *inner,
                                  int64_t inners, size_t bytes, const char *packed);

static const struct kernel {
    int64_t bytes;
    pack_kernel *pack;
    unpack_kernel *unpack;
} kernels[] = {
    {4, pack_4, unpack_4}, {8, pack_8, unpack_8}, {16, pack_16, unpack_16}, {0, pack_any, unpack_any}};

static const struct kernel *kernel_for(int64_t bytes) {
    const struct kernel *kernel = kernels;
    while (kernel->bytes != 0 && kernel->bytes != bytes) kernel++;
    return kernel;
}

/* ---- the axes around them ------------------------------------------------------------------------------ */

/* A position in the slow axes, and its offset. */
typedef struct odometer {
    const product *piece;
    int axes;
    int64_t span[MOST], within[MOST];
    int64_t offset;
} odometer;

static const qdri_span *at(const odometer *odometer, int axis) {
    return odometer->piece->span[axis] + odometer->span[axis];
}

static void begin_axis(odometer *odometer, int axis) {
    odometer->span[axis] = odometer->within[axis] = 0;
    odometer->offset += at(odometer, axis)->offset;
}

static void begin(odometer *odometer, const product *piece, int axes) {
    odometer->piece = piece;
    odometer->axes = axes;
    odometer->offset = 0;
    for (int a = 0; a < axes; a++) begin_axis(odometer, a);
}

/* 0 at the end. */
static int advance(odometer *odometer) {
    for (int a = odometer->axes - 1; a >= 0; a--) {
        const qdri_span *span = at(odometer, a);
        if (++odometer->within[a] < span->count) {
            odometer->offset += span->step;
            return 1;
        }
        odometer->offset -= span->offset + (span->count - 1) * span->step;
        odometer->within[a] = 0;
        if (++odometer->span[a] < odometer->piece->spans[a]) {
            odometer->offset += at(odometer, a)->offset;
            return 1;
        }
        begin_axis(odometer, a);
    }
    return 0;
}

static const qdri_span origin = {0, 1, 1};

/* The piece, with an axis of one element before it if it has but one, so that there are two for the
 * kernel. */
static product product_of(const qdri_selection *selection, int64_t number, const qdri_span **span) {
    const qdri_piece *piece = selection->piece + number;
    product result = {0};
    if (piece->axes == 1) {
        result.span[0] = &origin;
        result.spans[result.axes++] = 1;
    }
    for (int a = 0; a < piece->axes; a++) {
        result.span[result.axes] = *span;
        result.spans[result.axes++] = selection->axis_spans[piece->first_axis + a];
        *span += selection->axis_spans[piece->first_axis + a];
    }
    return result;
}

void qdri_selection_pack(const qdri_selection *selection, const void *array, int64_t bytes, void *packed) {
    pack_kernel *kernel = kernel_for(bytes)->pack;
    const qdri_span *span = selection->span;
    odometer odometer;
    char *to = packed;
    for (int64_t p = 0; p < selection->pieces && bytes > 0; p++) {
        product piece = product_of(selection, p, &span);
        int outer = piece.axes - 2, inner = piece.axes - 1;
        begin(&odometer, &piece, outer);
        do
            to = kernel((const char *)array + odometer.offset * bytes, piece.span[outer], piece.spans[outer],
                        piece.span[inner], piece.spans[inner], (size_t)bytes, to);
        while (advance(&odometer));
    }
}

void qdri_selection_unpack(const qdri_selection *selection, const void *packed, int64_t bytes, void *array) {
    unpack_kernel *kernel = kernel_for(bytes)->unpack;
    const qdri_span *span = selection->span;
    odometer odometer;
    const char *from = packed;
    for (int64_t p = 0; p < selection->pieces && bytes > 0; p++) {
        product piece = product_of(selection, p, &span);
        int outer = piece.axes - 2, inner = piece.axes - 1;
        begin(&odometer, &piece, outer);
        do
            from = kernel((char *)array + odometer.offset * bytes, piece.span[outer], piece.spans[outer],
                          piece.span[inner], piece.spans[inner], (size_t)bytes, from);
        while (advance(&odometer));
    }
}

void qdri_selection_expand(const qdri_selection *selection, int64_t *offset) {
    const qdri_span *span = selection->span;
    odometer odometer;
    for (int64_t p = 0; p < selection->pieces; p++) {
        product piece = product_of(selection, p, &span);
        begin(&odometer, &piece, piece.axes);
        do *offset++ = odometer.offset;
        while (advance(&odometer));
    }
}
