/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather and scatter.
 *
 * What lies together is one memcpy. Rows and indexed elements of a usual size are copied by loops of their own, in
 * which the size is a constant: then memcpy is a few loads and stores, and a double costs half a nanosecond
 * instead of two. Four go per turn; their loads do not depend on each other. Other sizes are a call
 * of memcpy each, which loops of words do not beat at any size. When such elements are gathered, the first
 * line of one a few turns ahead is asked for early; the processor foresees the rest of it: a tenth faster,
 * and almost twice as fast if the array is far. Small elements do not profit, for enough of them are under
 * way at once; scattering gains little where the array is far, and loses a tenth where it is near. Asking for
 * the packed side early is a loss, also where another core has just read it.
 */
#include "places/kernels.h"

#include <string.h>

#include "places/walk.h"

/* Values, and vectors of one to nine floats or doubles. */
#define USUAL_SIZES(X) X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72)

/* The array's side is far(size, k); it is read, or written. */
#define TAKE(far, size, k) memcpy(packed + (k) * (size), far(size, k), (size_t)(size))
#define PUT(far, size, k)  memcpy(far(size, k), packed + (k) * (size), (size_t)(size))

#define FOUR_AT_ONCE(move, far, size)                                                                        \
    do {                                                                                                     \
        int64_t k = 0;                                                                                       \
        for (; k + 3 < count; k += 4) {                                                                      \
            move(far, size, k);                                                                              \
            move(far, size, k + 1);                                                                          \
            move(far, size, k + 2);                                                                          \
            move(far, size, k + 3);                                                                          \
        }                                                                                                    \
        for (; k < count; k++) move(far, size, k);                                                           \
    } while (0)

#define CASE(move, far, size)                                                                                \
    case size:                                                                                               \
        FOUR_AT_ONCE(move, far, size);                                                                       \
        break;

enum { AHEAD = 4 }; /* elements */

static inline void expect_read(const char *line) {
#if defined(__GNUC__)
    __builtin_prefetch(line);
#else
    (void)line;
#endif
}

/* ---- indexed elements ---------------------------------------------------------------------------------- */

/* Elements one behind the other in the array, and those with something between them: with a distance that is a constant a
 * double needs no multiplication. */
#define DENSE(size, k)  (array + index[k] * (size_t)(size))
#define SPREAD(size, k) (array + index[k] * stride)

static void take_indexed(const char *restrict array, const uint32_t *restrict index, size_t stride,
                         int64_t count, int64_t bytes, char *restrict packed) {
    int64_t k = 0;
    switch (stride == (size_t)bytes ? bytes : -bytes) {
#define TAKE_CASE(size) CASE(TAKE, DENSE, size)
        USUAL_SIZES(TAKE_CASE)
#undef TAKE_CASE
    case -8:
        FOUR_AT_ONCE(TAKE, SPREAD, 8);
        break;
    default:
        for (; k + AHEAD < count; k++) {
            expect_read(SPREAD(bytes, k + AHEAD));
            TAKE(SPREAD, bytes, k);
        }
        for (; k < count; k++) TAKE(SPREAD, bytes, k);
    }
}

static void put_indexed(const char *restrict packed, const uint32_t *restrict index, size_t stride,
                        int64_t count, int64_t bytes, char *restrict array) {
    switch (stride == (size_t)bytes ? bytes : -bytes) {
#define PUT_CASE(size) CASE(PUT, DENSE, size)
        USUAL_SIZES(PUT_CASE)
#undef PUT_CASE
    case -8:
        FOUR_AT_ONCE(PUT, SPREAD, 8);
        break;
    default:
        for (int64_t k = 0; k < count; k++) PUT(SPREAD, bytes, k);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

#define ROW(size, k) (array + (k)*step)

void qdri_take_rows(const char *restrict array, int64_t step, int64_t count, int64_t bytes,
                    char *restrict packed) {
    if (count == 1 || step == bytes) {
        memcpy(packed, array, (size_t)(count * bytes));
        return;
    }
    switch (bytes) {
#define TAKE_CASE(size) CASE(TAKE, ROW, size)
        USUAL_SIZES(TAKE_CASE)
#undef TAKE_CASE
    default:
        for (int64_t k = 0; k < count; k++) TAKE(ROW, bytes, k);
    }
}

void qdri_put_rows(const char *restrict packed, int64_t step, int64_t count, int64_t bytes,
                   char *restrict array) {
    if (count == 1 || step == bytes) {
        memcpy(array, packed, (size_t)(count * bytes));
        return;
    }
    switch (bytes) {
#define PUT_CASE(size) CASE(PUT, ROW, size)
        USUAL_SIZES(PUT_CASE)
#undef PUT_CASE
    default:
        for (int64_t k = 0; k < count; k++) PUT(ROW, bytes, k);
    }
}

/* ---- elements of one size ------------------------------------------------------------------------------ */

/* Elements without bytes, and places that name none, may come with arrays that do not exist. */
static int nothing(const qdri_places *places, int64_t bytes) {
    return places->count == 0 || bytes == 0;
}

/* Whether the elements of a row make one row of bytes. */
static int is_dense(const qdri_walk *walk, int64_t bytes, int64_t stride) {
    return walk->run == 1 || stride == bytes;
}

void qdri_gather(const qdri_places *places, const void *array, int64_t element_bytes, int64_t stride,
                 void *packed) {
    qdri_walk walk;
    if (nothing(places, element_bytes)) return;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);) {
        const char *from = (const char *)array + walk.base * stride;
        char *to = (char *)packed + walk.position * element_bytes;
        int64_t step = walk.step * stride, row_bytes = walk.run * element_bytes;
        if (walk.index)
            take_indexed(from, walk.index, (size_t)stride, walk.rows, element_bytes, to);
        else if (is_dense(&walk, element_bytes, stride))
            qdri_take_rows(from, step, walk.rows, row_bytes, to);
        else
            for (int64_t row = 0; row < walk.rows; row++)
                qdri_take_rows(from + row * step, stride, walk.run, element_bytes, to + row * row_bytes);
    }
}

void qdri_scatter(const qdri_places *places, const void *packed, int64_t element_bytes, int64_t stride,
                  void *array) {
    qdri_walk walk;
    if (nothing(places, element_bytes)) return;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);) {
        const char *from = (const char *)packed + walk.position * element_bytes;
        char *to = (char *)array + walk.base * stride;
        int64_t step = walk.step * stride, row_bytes = walk.run * element_bytes;
        if (walk.index)
            put_indexed(from, walk.index, (size_t)stride, walk.rows, element_bytes, to);
        else if (is_dense(&walk, element_bytes, stride))
            qdri_put_rows(from, step, walk.rows, row_bytes, to);
        else
            for (int64_t row = 0; row < walk.rows; row++)
                qdri_put_rows(from + row * row_bytes, stride, walk.run, element_bytes, to + row * step);
    }
}

/* ---- elements of varying size -------------------------------------------------------------------------- */

int64_t qdri_varying_bytes(const qdri_places *places, const int64_t *start) {
    const int64_t most = INT64_C(1) << 62;
    qdri_walk walk;
    int64_t total = 0;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);)
        for (int64_t row = 0; row < walk.rows; row++) {
            const int64_t *here = start + qdri_walk_row(&walk, row), *end = here + walk.run;
            for (; here < end; here++) {
                if (here[0] < 0 || here[1] < here[0] || here[1] - here[0] > most - total) return -1;
                total += here[1] - here[0];
            }
        }
    return total;
}

void qdri_gather_varying(const qdri_places *places, const void *array, const int64_t *start, void *packed) {
    qdri_walk walk;
    char *to = packed;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);)
        for (int64_t row = 0; row < walk.rows; row++) {
            int64_t element = qdri_walk_row(&walk, row), bytes = start[element + walk.run] - start[element];
            if (bytes == 0) continue;
            memcpy(to, (const char *)array + start[element], (size_t)bytes);
            to += bytes;
        }
}

void qdri_scatter_varying(const qdri_places *places, const void *packed, const int64_t *start, void *array) {
    qdri_walk walk;
    const char *from = packed;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);)
        for (int64_t row = 0; row < walk.rows; row++) {
            int64_t element = qdri_walk_row(&walk, row), bytes = start[element + walk.run] - start[element];
            if (bytes == 0) continue;
            memcpy((char *)array + start[element], from, (size_t)bytes);
            from += bytes;
        }
}
