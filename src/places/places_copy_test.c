/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather and scatter against the plainest loop: every shape of list, every size of element up to 80 bytes and
 * some large ones, every alignment of packed memory, and nothing written beside what is meant. */
#include "places/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places_testing.h"

enum { MOST = 300, LARGEST = 600, GUARD = 16 };

static int64_t place[MOST];

/* Blocks of exactly the size asked for, so that the sanitizers see a step beside them. */
static unsigned char *random_bytes(qdri_random *random, int64_t count) {
    unsigned char *bytes = malloc(count > 0 ? (size_t)count : 1);
    assert_non_null(bytes);
    for (int64_t i = 0; i < count; i++) bytes[i] = (unsigned char)qdri_random_next(random);
    return bytes;
}

static unsigned char *copy_of(const unsigned char *bytes, int64_t count) {
    unsigned char *copy = malloc(count > 0 ? (size_t)count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, (size_t)count);
    return copy;
}

/* Elements may have more room than bytes. */
static int64_t draw_stride(qdri_random *random, int64_t size) {
    return qdri_random_between(random, 0, 2) ? size : size + qdri_random_between(random, 1, 24);
}

static void check_gather(const qdri_places *list, qdri_random *random, int64_t size, int64_t offset) {
    int64_t elements = case_elements(list->count), total = offset + list->count * size + GUARD;
    int64_t stride = draw_stride(random, size);
    unsigned char *array = random_bytes(random, elements * stride), *packed = random_bytes(random, total);
    unsigned char *expected = copy_of(packed, total);
    for (int64_t k = 0; k < list->count; k++)
        for (int64_t j = 0; j < size; j++) expected[offset + k * size + j] = array[place[k] * stride + j];
    qdri_gather(list, array, size, stride, packed + offset);
    assert_memory_equal(packed, expected, (size_t)total);
    free(array);
    free(packed);
    free(expected);
}

static void check_scatter(const qdri_places *list, qdri_random *random, int64_t size, int64_t offset) {
    int64_t elements = case_elements(list->count), total = offset + list->count * size;
    int64_t stride = draw_stride(random, size);
    unsigned char *array = random_bytes(random, elements * stride), *packed = random_bytes(random, total);
    unsigned char *expected = copy_of(array, elements * stride);
    for (int64_t k = 0; k < list->count; k++)
        for (int64_t j = 0; j < size; j++) expected[place[k] * stride + j] = packed[offset + k * size + j];
    qdri_scatter(list, packed + offset, size, stride, array);
    if (stride > 0) assert_memory_equal(array, expected, (size_t)(elements * stride));
    free(array);
    free(packed);
    free(expected);
}

static void every_size_and_shape(void **state) {
    (void)state;
    static const int64_t large[] = {96, 127, 128, 129, 256, 512, LARGEST};
    qdri_random random = qdri_random_seed(21);
    for (int64_t s = 0; s < 81 + 7; s++)
        for (int kind = 0; kind < LIST_CASES; kind++) {
            static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 7, 50};
            int64_t size = s < 81 ? s : large[s - 81];
            int64_t count = counts[qdri_random_between(&random, 0, 7)];
            if (kind == CASE_LONG_RUNS || s % 8 == kind) count = qdri_random_between(&random, 100, MOST);
            qdri_places list;
            fill_case((list_case)kind, &random, count, place);
            assert_int_equal(qdri_places_open(place, 0, count, &list), QDR_OK);
            check_gather(&list, &random, size, qdri_random_between(&random, 0, 15));
            check_scatter(&list, &random, size, qdri_random_between(&random, 0, 15));
            qdri_places_close(&list);
        }
}

/* Every count from 0 on: the ends of unrolled loops, and of the table of evenly spaced lists. */
static void every_count(void **state) {
    (void)state;
    static const int64_t sizes[] = {4, 8, 24, 33};
    qdri_random random = qdri_random_seed(22);
    for (int64_t count = 0; count < MOST; count++)
        for (int kind = CASE_RISING; kind <= CASE_SCATTERED; kind++) {
            qdri_places list;
            fill_case((list_case)kind, &random, count, place);
            assert_int_equal(qdri_places_open(place, 0, count, &list), QDR_OK);
            check_gather(&list, &random, sizes[(count + kind) % 4], count % 8);
            check_scatter(&list, &random, sizes[(count + kind) % 4], count % 8);
            qdri_places_close(&list);
        }
}

/* The last of several values for one element stays. */
static void repetitions_in_order(void **state) {
    (void)state;
    static const int64_t twice[] = {3, 1, 3, 0, 3, 1};
    double array[4] = {-1, -2, -3, -4};
    static const double packed[] = {10, 20, 30, 40, 50, 60};
    qdri_places list;
    assert_int_equal(qdri_places_open(twice, 0, 6, &list), QDR_OK);
    qdri_scatter(&list, packed, sizeof(double), sizeof(double), array);
    assert_true(array[0] == 40 && array[1] == 60 && array[2] == -3 && array[3] == 50);
    qdri_places_close(&list);
}

static void nothing_needs_no_arrays(void **state) {
    (void)state;
    static const int64_t start[] = {0, 0, 0, 0};
    qdri_places empty, some;
    assert_int_equal(qdri_places_open(NULL, 0, 0, &empty), QDR_OK);
    assert_int_equal(qdri_places_open(NULL, 1, 2, &some), QDR_OK);
    qdri_gather(&empty, NULL, 8, 8, NULL);
    qdri_scatter(&empty, NULL, 8, 8, NULL);
    qdri_gather(&some, NULL, 0, 0, NULL);
    qdri_scatter(&some, NULL, 0, 8, NULL);
    assert_int_equal(qdri_varying_bytes(&empty, NULL), 0);
    assert_int_equal(qdri_varying_bytes(&some, start), 0);
    qdri_gather_varying(&empty, NULL, NULL, NULL);
    qdri_scatter_varying(&some, NULL, start, NULL);
}

/* ---- elements of varying size -------------------------------------------------------------------------- */

static void check_varying(qdri_random *random, list_case kind, int64_t count) {
    int64_t elements = case_elements(count), bytes = 0, at = 0;
    int64_t *start = malloc((size_t)(elements + 1) * sizeof *start);
    assert_non_null(start);
    start[0] = qdri_random_between(random, 0, 20);
    for (int64_t e = 0; e < elements; e++)
        start[e + 1] = start[e] + qdri_random_between(random, 0, 9) * (e % 3);
    qdri_places list;
    fill_case(kind, random, count, place);
    assert_int_equal(qdri_places_open(place, 0, count, &list), QDR_OK);
    for (int64_t k = 0; k < count; k++) bytes += start[place[k] + 1] - start[place[k]];
    assert_int_equal(qdri_varying_bytes(&list, start), bytes);

    unsigned char *array = random_bytes(random, start[elements]),
                  *other = random_bytes(random, start[elements]);
    unsigned char *packed = random_bytes(random, bytes), *expected = copy_of(other, start[elements]);
    qdri_gather_varying(&list, array, start, packed);
    for (int64_t k = 0; k < count; k++)
        for (int64_t b = start[place[k]]; b < start[place[k] + 1]; b++) {
            assert_int_equal(packed[at++], array[b]);
            expected[b] = array[b];
        }
    qdri_scatter_varying(&list, packed, start, other);
    if (start[elements]) assert_memory_equal(other, expected, (size_t)start[elements]);
    free(array);
    free(other);
    free(packed);
    free(expected);
    free(start);
    qdri_places_close(&list);
}

static void varying_sizes(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(23);
    for (int64_t count = 0; count < MOST; count += count < 10 ? 1 : 17)
        for (int kind = 0; kind < LIST_CASES; kind++) check_varying(&random, (list_case)kind, count);
}

static void varying_refusals(void **state) {
    (void)state;
    const int64_t half = INT64_C(1) << 61;
    const int64_t falling[] = {0, 8, 7, 20}, negative[] = {-8, 0, 8, 16}, vast[] = {0, INT64_MAX, INT64_MAX};
    const int64_t halves[] = {0, half, 2 * half, 3 * half - 1};
    static const int64_t thrice[] = {1, 1, 1};
    qdri_places list;
    assert_int_equal(qdri_places_open(NULL, 0, 2, &list), QDR_OK);
    assert_int_equal(qdri_varying_bytes(&list, falling), -1);
    assert_int_equal(qdri_varying_bytes(&list, negative), -1);
    assert_int_equal(qdri_varying_bytes(&list, vast), -1);
    assert_true(qdri_varying_bytes(&list, halves) == 2 * half);
    assert_int_equal(qdri_places_open(NULL, 2, 1, &list), QDR_OK);
    assert_int_equal(qdri_varying_bytes(&list, falling), 13); /* only the elements listed count */
    assert_int_equal(qdri_places_open(thrice, 0, 3, &list), QDR_OK);
    assert_int_equal(qdri_varying_bytes(&list, halves), -1); /* the sum, not a size */
    qdri_places_close(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_shape), cmocka_unit_test(every_count),
        cmocka_unit_test(repetitions_in_order), cmocka_unit_test(nothing_needs_no_arrays),
        cmocka_unit_test(varying_sizes),        cmocka_unit_test(varying_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
