/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather and scatter.
 *
 * What is contiguous is one memcpy. Indexed elements of a usual size are copied by a loop of their own, in
 * which the size is a constant: then memcpy is a few loads and stores, and a double costs half a nanosecond
 * instead of two. Four elements go per turn; their loads do not depend on each other. Other sizes are a call
 * of memcpy each, which loops of words do not beat at any size. When such elements are gathered, the first
 * line of one a few turns ahead is asked for early; the processor foresees the rest of it: a tenth faster,
 * and almost twice as fast if the array is far. Small elements do not profit, for enough of them are under
 * way at once; scattering gains little where the array is far, and loses a tenth where it is near. Asking for
 * the packed side early is a loss, also where another core has just read it.
 */
#include "kernels.h"

#include <string.h>

#include "walk.h"

/* ---- indexed elements ---------------------------------------------------------------------------------- */

/* Values, and vectors of one to nine floats or doubles. */
#define USUAL_SIZES(X) X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72)

#define TAKE(size, k) memcpy(packed + (k) * (size), array + index[k] * (size_t)(size), (size_t)(size))
#define PUT(size, k)  memcpy(array + index[k] * (size_t)(size), packed + (k) * (size), (size_t)(size))

#define INDEXED_LOOP(move, size)                                                                             \
    do {                                                                                                     \
        int64_t k = 0;                                                                                       \
        for (; k + 3 < count; k += 4) {                                                                      \
            move(size, k);                                                                                   \
            move(size, k + 1);                                                                               \
            move(size, k + 2);                                                                               \
            move(size, k + 3);                                                                               \
        }                                                                                                    \
        for (; k < count; k++) move(size, k);                                                                \
    } while (0)

#define USUAL_CASE(move, size)                                                                               \
    case size:                                                                                               \
        INDEXED_LOOP(move, size);                                                                            \
        break;

enum { AHEAD = 4 }; /* elements */

static inline void expect_read(const char *line) {
#if defined(__GNUC__)
    __builtin_prefetch(line);
#else
    (void)line;
#endif
}

static void gather_large(const char *restrict array, const uint32_t *restrict index, int64_t count,
                         int64_t bytes, char *restrict packed) {
    int64_t k = 0;
    for (; k + AHEAD < count; k++) {
        expect_read(array + index[k + AHEAD] * (size_t)bytes);
        TAKE(bytes, k);
    }
    for (; k < count; k++) TAKE(bytes, k);
}

static void gather_indexed(const char *restrict array, const uint32_t *restrict index, int64_t count,
                           int64_t bytes, char *restrict packed) {
    switch (bytes) {
#define GATHER_CASE(size) USUAL_CASE(TAKE, size)
        USUAL_SIZES(GATHER_CASE)
#undef GATHER_CASE
    default:
        gather_large(array, index, count, bytes, packed);
    }
}

static void scatter_indexed(const char *restrict packed, const uint32_t *restrict index, int64_t count,
                            int64_t bytes, char *restrict array) {
    switch (bytes) {
#define SCATTER_CASE(size) USUAL_CASE(PUT, size)
        USUAL_SIZES(SCATTER_CASE)
#undef SCATTER_CASE
    default:
        for (int64_t k = 0; k < count; k++) PUT(bytes, k);
    }
}

/* ---- elements of one size ------------------------------------------------------------------------------ */

/* Elements without bytes, and empty lists, may come with arrays that do not exist. */
static int nothing(const qdri_list *list, int64_t bytes) {
    return list->count == 0 || bytes == 0;
}

void qdri_gather(const qdri_list *list, const void *array, int64_t element_bytes, void *packed) {
    qdri_walk walk;
    if (nothing(list, element_bytes)) return;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) {
        const char *from = (const char *)array + walk.base * element_bytes;
        char *to = (char *)packed + walk.position * element_bytes;
        if (walk.index)
            gather_indexed(from, walk.index, walk.count, element_bytes, to);
        else
            memcpy(to, from, (size_t)(walk.count * element_bytes));
    }
}

void qdri_scatter(const qdri_list *list, const void *packed, int64_t element_bytes, void *array) {
    qdri_walk walk;
    if (nothing(list, element_bytes)) return;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);) {
        const char *from = (const char *)packed + walk.position * element_bytes;
        char *to = (char *)array + walk.base * element_bytes;
        if (walk.index)
            scatter_indexed(from, walk.index, walk.count, element_bytes, to);
        else
            memcpy(to, from, (size_t)(walk.count * element_bytes));
    }
}

/* ---- elements of varying size -------------------------------------------------------------------------- */

int64_t qdri_varying_bytes(const qdri_list *list, const int64_t *start) {
    const int64_t most = INT64_C(1) << 62;
    qdri_walk walk;
    int64_t total = 0;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);)
        for (int64_t k = 0; k < walk.count; k++) {
            const int64_t *here = start + qdri_walk_at(&walk, k);
            if (here[0] < 0 || here[1] < here[0] || here[1] - here[0] > most - total) return -1;
            total += here[1] - here[0];
        }
    return total;
}

/* A stretch of the array whose elements stand one after the other there and when packed. */
typedef struct stretch {
    int64_t begin, bytes;
} stretch;

/* The k-th stretch of a piece: all of it if contiguous, else its k-th element. */
static stretch stretch_at(const qdri_walk *walk, int64_t k, const int64_t *start) {
    int64_t element = qdri_walk_at(walk, k), after = walk->index ? element + 1 : element + walk->count;
    return (stretch){start[element], start[after] - start[element]};
}

static int64_t stretches(const qdri_walk *walk) {
    return walk->index ? walk->count : 1;
}

void qdri_gather_varying(const qdri_list *list, const void *array, const int64_t *start, void *packed) {
    qdri_walk walk;
    char *to = packed;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);)
        for (int64_t k = 0; k < stretches(&walk); k++) {
            stretch part = stretch_at(&walk, k, start);
            if (part.bytes == 0) continue;
            memcpy(to, (const char *)array + part.begin, (size_t)part.bytes);
            to += part.bytes;
        }
}

void qdri_scatter_varying(const qdri_list *list, const void *packed, const int64_t *start, void *array) {
    qdri_walk walk;
    const char *from = packed;
    for (qdri_walk_begin(&walk, list); qdri_walk_next(&walk);)
        for (int64_t k = 0; k < stretches(&walk); k++) {
            stretch part = stretch_at(&walk, k, start);
            if (part.bytes == 0) continue;
            memcpy((char *)array + part.begin, from, (size_t)part.bytes);
            from += part.bytes;
        }
}
