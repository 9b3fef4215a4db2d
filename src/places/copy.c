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

#include "base/sort.h"
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

/* Asks for a line before it is needed. (Macros: compilers drop calls of functions that do nothing else.) */
#if defined(__GNUC__)
#define EXPECT_READ(line)  __builtin_prefetch(line)
#define EXPECT_WRITE(line) __builtin_prefetch(line, 1)
#else
#define EXPECT_READ(line)  (void)(line)
#define EXPECT_WRITE(line) (void)(line)
#endif

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
            EXPECT_READ(SPREAD(bytes, k + AHEAD));
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

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* A plain list of runs is moved by a loop of its own, with nothing in it that delays the next run: where the array is far,
 * many are under way at once. */
typedef struct runs {
    const qdri_span *next, *end;
    int64_t within; /* of the next: what comes before */
} runs;

static int are_runs(const qdri_places *places, runs *found) {
    if (places->shape != QDRI_PIECES || places->pieces != 1 || places->piece->axes != 1) return 0;
    int64_t first = places->piece->first_span, spans = *places->axis_spans;
    const int64_t *position = places->position + first;
    int64_t at = places->before ? qdri_last_not_above(position, spans, sizeof *position, places->before) : 0;
    *found = (runs){places->span + first + at, places->span + first + spans, places->before - position[at]};
    return 1;
}

/* The elements of one run that are moved, at most so many; it goes on to the next run. */
static inline int64_t next_run(runs *all, int64_t most, int64_t *element, int64_t *step) {
    const qdri_span *span = all->next++;
    int64_t count = span->count - all->within;
    *element = span->offset + all->within * span->step;
    *step = span->step;
    all->within = 0;
    return count < most ? count : most;
}

static void take_runs(runs *all, const char *array, int64_t left, int64_t bytes, char *packed) {
    int64_t element, step;
    while (left > 0) {
        int64_t count = next_run(all, left, &element, &step);
        if (step == 1)
            memcpy(packed, array + element * bytes, (size_t)(count * bytes));
        else
            qdri_take_rows(array + element * bytes, step * bytes, count, bytes, packed);
        packed += count * bytes;
        left -= count;
    }
}

/* The first lines of a run a few turns ahead are asked for early: a processor waits for one line after the other that it writes.
 * A third faster where the array is far; a twentieth slower where it is in the nearest cache. */
static void put_runs(runs *all, const char *packed, int64_t left, int64_t bytes, char *array) {
    enum { LINE = 64, LINES = 4 };
    int64_t element, step;
    while (left > 0) {
        int64_t count = next_run(all, left, &element, &step);
        const char *later = all->next + AHEAD < all->end ? array + all->next[AHEAD].offset * bytes : array;
        for (int line = 0; line < LINES; line++) EXPECT_WRITE(later + line * LINE);
        if (step == 1)
            memcpy(array + element * bytes, packed, (size_t)(count * bytes));
        else
            qdri_put_rows(packed, step * bytes, count, bytes, array + element * bytes);
        packed += count * bytes;
        left -= count;
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
    runs all;
    if (nothing(places, element_bytes)) return;
    if (stride == element_bytes && are_runs(places, &all)) {
        take_runs(&all, array, places->count, element_bytes, packed);
        return;
    }
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
    runs all;
    if (nothing(places, element_bytes)) return;
    if (stride == element_bytes && are_runs(places, &all)) {
        put_runs(&all, packed, places->count, element_bytes, array);
        return;
    }
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
