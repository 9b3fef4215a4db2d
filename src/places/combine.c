/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combining what arrived with what is there: one kernel per operation and type, from one line each.
 *
 * A kernel goes through *rows*: `width` parts that lie together, index[k] * unit bytes behind the first. What lies together
 * is one row; rows of one to three parts have loops of their own. Longer ones go in blocks of constant length,
 * which compilers turn into vector instructions without having to weigh it. Values are loaded and stored by
 * memcpy, which is a plain instruction: packed memory has any alignment, and an array may be of a type that C
 * holds to be another (long and long long). Elements go strictly in order, so that one that is listed twice
 * gets both values, in that order.
 *
 * Whole numbers are computed unsigned, so that they wrap around; signed types have kernels of their own only
 * where the sign matters. Complex numbers are pairs of parts: a sum is the sum of parts. The product is the
 * textbook one, without the recovery of infinities that C's annex G describes. Minimum and maximum compare
 * instead of calling fmin, so that signed zeros come out the same on every processor: what is there stays.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "places/kernels.h"
#include "places/types.h"
#include "places/walk.h"

/* Combines `count` rows of `width` parts. */
typedef void row_kernel(const char *restrict from, const uint32_t *restrict index, size_t unit, int64_t count,
                        int64_t width, char *restrict array);

enum { BLOCK = 64 }; /* bytes */

/* into[i] = expression of a (there) and b (arrived) */
#define STEP(part, expression, i)                                                                            \
    do {                                                                                                     \
        part a, b;                                                                                           \
        memcpy(&a, into + (i) * sizeof a, sizeof a);                                                         \
        memcpy(&b, from + (i) * sizeof b, sizeof b);                                                         \
        a = (part)(expression);                                                                              \
        memcpy(into + (i) * sizeof a, &a, sizeof a);                                                         \
    } while (0)

#define EACH_ROW(bytes, statements)                                                                          \
    for (int64_t k = 0; k < count; k++, from += (bytes)) {                                                   \
        char *into = array + index[k] * unit;                                                                \
        statements;                                                                                          \
    }

#define ROW_KERNEL(name, part, expression)                                                                   \
    static void name##_row(const char *restrict from, int64_t width, char *restrict into) {                  \
        enum { LENGTH = BLOCK / sizeof(part) };                                                              \
        for (; width >= LENGTH; width -= LENGTH, from += BLOCK, into += BLOCK)                               \
            for (size_t i = 0; i < LENGTH; i++) STEP(part, expression, i);                                   \
        for (size_t i = 0; i < (size_t)width; i++) STEP(part, expression, i);                                \
    }                                                                                                        \
    static void name(const char *restrict from, const uint32_t *restrict index, size_t unit, int64_t count,  \
                     int64_t width, char *restrict array) {                                                  \
        size_t bytes = (size_t)width * sizeof(part);                                                         \
        switch (width) {                                                                                     \
        case 1:                                                                                              \
            EACH_ROW(1 * sizeof(part), STEP(part, expression, 0));                                           \
            break;                                                                                           \
        case 2:                                                                                              \
            EACH_ROW(2 * sizeof(part), STEP(part, expression, 0); STEP(part, expression, 1));                \
            break;                                                                                           \
        case 3:                                                                                              \
            EACH_ROW(3 * sizeof(part), STEP(part, expression, 0); STEP(part, expression, 1);                 \
                     STEP(part, expression, 2));                                                             \
            break;                                                                                           \
        default:                                                                                             \
            EACH_ROW(bytes, name##_row(from, width, into));                                                  \
        }                                                                                                    \
    }

/* ---- the operations ------------------------------------------------------------------------------------ */

/* 1u: else the product of two 16-bit numbers would be one of signed integers, and overflow. */
#define WHOLE_KERNELS(suffix, part)                                                                          \
    ROW_KERNEL(sum_##suffix, part, a + b)                                                                    \
    ROW_KERNEL(product_##suffix, part, 1u * a * b)                                                           \
    ROW_KERNEL(bitwise_and_##suffix, part, (a & b))                                                          \
    ROW_KERNEL(bitwise_or_##suffix, part, a | b)                                                             \
    ROW_KERNEL(bitwise_xor_##suffix, part, a ^ b)                                                            \
    LOGICAL_KERNELS(suffix, part)

#define LOGICAL_KERNELS(suffix, part)                                                                        \
    ROW_KERNEL(logical_and_##suffix, part, (a != 0) & (b != 0))                                              \
    ROW_KERNEL(logical_or_##suffix, part, (a != 0) | (b != 0))                                               \
    ROW_KERNEL(logical_xor_##suffix, part, (a != 0) ^ (b != 0))

#define ORDER_KERNELS(suffix, part)                                                                          \
    ROW_KERNEL(minimum_##suffix, part, b < a ? b : a)                                                        \
    ROW_KERNEL(maximum_##suffix, part, b > a ? b : a)

/* a != a: what is there is no number. */
#define REAL_KERNELS(suffix, part)                                                                           \
    ROW_KERNEL(sum_##suffix, part, a + b)                                                                    \
    ROW_KERNEL(product_##suffix, part, (a * b))                                                              \
    ROW_KERNEL(minimum_##suffix, part, ((b < a) | (a != a)) ? b : a)                                         \
    ROW_KERNEL(maximum_##suffix, part, ((b > a) | (a != a)) ? b : a)                                         \
    LOGICAL_KERNELS(suffix, part)                                                                            \
    COMPLEX_PRODUCT(product_complex_##suffix, part)

#define COMPLEX_PRODUCT(name, part)                                                                          \
    static void name(const char *restrict from, const uint32_t *restrict index, size_t unit, int64_t count,  \
                     int64_t width, char *restrict array) {                                                  \
        for (int64_t k = 0; k < count; k++) {                                                                \
            char *into = array + index[k] * unit;                                                            \
            for (int64_t i = 0; i < width; i += 2, from += 2 * sizeof(part), into += 2 * sizeof(part)) {     \
                part a[2], b[2];                                                                             \
                memcpy(a, into, sizeof a);                                                                   \
                memcpy(b, from, sizeof b);                                                                   \
                part product[2] = {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};                    \
                memcpy(into, product, sizeof product);                                                       \
            }                                                                                                \
        }                                                                                                    \
    }

WHOLE_KERNELS(8, uint8_t)
WHOLE_KERNELS(16, uint16_t)
WHOLE_KERNELS(32, uint32_t)
WHOLE_KERNELS(64, uint64_t)
ORDER_KERNELS(8, uint8_t)
ORDER_KERNELS(16, uint16_t)
ORDER_KERNELS(32, uint32_t)
ORDER_KERNELS(64, uint64_t)
ORDER_KERNELS(signed_8, int8_t)
ORDER_KERNELS(signed_16, int16_t)
ORDER_KERNELS(signed_32, int32_t)
ORDER_KERNELS(signed_64, int64_t)
REAL_KERNELS(float, float)
REAL_KERNELS(double, double)

/* ---- the table ----------------------------------------------------------------------------------------- */

/* Of a type whose sums and so on are `any`, and whose order is `ordered`. */
#define ORDERED_ROW(any, ordered)                                                                            \
    [QDR_SUM] = sum_##any, [QDR_PRODUCT] = product_##any, [QDR_MINIMUM] = minimum_##ordered,                 \
    [QDR_MAXIMUM] = maximum_##ordered, [QDR_LOGICAL_AND] = logical_and_##any,                                \
    [QDR_LOGICAL_OR] = logical_or_##any, [QDR_LOGICAL_XOR] = logical_xor_##any

#define WHOLE_ROW(any, ordered)                                                                              \
    {                                                                                                        \
        ORDERED_ROW(any, ordered), [QDR_BITWISE_AND] = bitwise_and_##any,                                    \
                                   [QDR_BITWISE_OR] = bitwise_or_##any,                                      \
                                   [QDR_BITWISE_XOR] = bitwise_xor_##any                                     \
    }

static row_kernel *const kernels[QDRI_TYPES][QDRI_OPERATIONS] = {
    [QDR_BYTE] = WHOLE_ROW(8, 8),
    [QDR_INT8] = WHOLE_ROW(8, signed_8),
    [QDR_INT16] = WHOLE_ROW(16, signed_16),
    [QDR_INT32] = WHOLE_ROW(32, signed_32),
    [QDR_INT64] = WHOLE_ROW(64, signed_64),
    [QDR_UINT8] = WHOLE_ROW(8, 8),
    [QDR_UINT16] = WHOLE_ROW(16, 16),
    [QDR_UINT32] = WHOLE_ROW(32, 32),
    [QDR_UINT64] = WHOLE_ROW(64, 64),
    [QDR_FLOAT] = {ORDERED_ROW(float, float)},
    [QDR_DOUBLE] = {ORDERED_ROW(double, double)},
    [QDR_FLOAT_COMPLEX] = {[QDR_SUM] = sum_float, [QDR_PRODUCT] = product_complex_float},
    [QDR_DOUBLE_COMPLEX] = {[QDR_SUM] = sum_double, [QDR_PRODUCT] = product_complex_double},
};

/* What a kernel does with the rows of a stretch that has no index: they get one, in a small table. Where the steps do not
 * fit there, rows come one by one. */
typedef struct rows {
    row_kernel *kernel;
    const char *from;
    char *array;
    int64_t unit, parts; /* bytes from one element to the next, parts of a row */
    int64_t row_bytes;   /* packed */
} rows;

static void combine_rows(const rows *all, int64_t base, int64_t step, int64_t count) {
    enum { TABLE = 128, FARTHEST = 1 << 24 };
    uint32_t index[TABLE];
    int64_t distance = step < 0 ? -step : step, size = distance > FARTHEST ? 1
                                                       : count < TABLE     ? count
                                                                           : TABLE;
    for (int64_t k = 0; k < size; k++) index[k] = (uint32_t)((step < 0 ? size - 1 - k : k) * distance);
    for (int64_t k = 0; k < count; k += size) {
        int64_t some = count - k < size ? count - k : size;
        int64_t lowest = base + (step < 0 ? k + some - 1 : k) * step;
        all->kernel(all->from + k * all->row_bytes, step < 0 ? index + (size - some) : index,
                    (size_t)all->unit, some, all->parts, all->array + lowest * all->unit);
    }
}

void qdri_combine(const qdri_places *places, const void *packed, qdr_type type, int64_t width, int64_t stride,
                  qdr_operation operation, void *array) {
    qdri_walk walk;
    int64_t bytes = qdr_type_bytes(type) * width, parts = qdri_type_parts(type) * width;
    if (operation == QDR_REPLACE) {
        qdri_scatter(places, packed, bytes, stride, array);
        return;
    }
    row_kernel *kernel = kernels[type][operation];
    assert(kernel);
    if (places->count == 0 || width == 0) return;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);) {
        rows all = {kernel, (const char *)packed + walk.position * bytes, array, stride, parts, bytes};
        if (walk.index) {
            kernel(all.from, walk.index, (size_t)stride, walk.rows, parts, all.array + walk.base * stride);
        } else if (walk.run == 1 || stride == bytes) {
            all.parts *= walk.run;
            all.row_bytes *= walk.run;
            combine_rows(&all, walk.base, walk.step, walk.rows);
        } else {
            for (int64_t row = 0; row < walk.rows; row++, all.from += walk.run * bytes)
                combine_rows(&all, qdri_walk_row(&walk, row), 1, walk.run);
        }
    }
}

void qdri_combine_by(const qdri_places *places, const void *packed, int64_t element_bytes, int64_t stride,
                     qdr_combine_function *combine, void *context, void *array) {
    qdri_walk walk;
    if (places->count == 0 || element_bytes == 0) return;
    for (qdri_walk_begin(&walk, places); qdri_walk_next(&walk);) {
        int64_t together = stride == element_bytes ? walk.run : 1;
        const char *from = (const char *)packed + walk.position * element_bytes;
        for (int64_t row = 0; row < walk.rows; row++)
            for (int64_t i = 0; i < walk.run; i += together, from += together * element_bytes)
                combine(context, (char *)array + (qdri_walk_row(&walk, row) + i) * stride, from, together,
                        element_bytes);
    }
}
