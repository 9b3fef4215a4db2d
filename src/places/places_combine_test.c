/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operation on every type it suits against an oracle that knows values, not kernels: every shape of
 * list, widths 1 to 9 and more, any alignment, extreme values, infinities and what is no number. */
#include "places/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places_testing.h"
#include "places/types.h"

enum { MOST = 160, WIDEST = 40 };

/* ---- the oracle ---------------------------------------------------------------------------------------- */

static int is_real(qdr_type type) {
    return type == QDR_FLOAT || type == QDR_DOUBLE;
}

static int is_complex(qdr_type type) {
    return type == QDR_FLOAT_COMPLEX || type == QDR_DOUBLE_COMPLEX;
}

static int is_signed(qdr_type type) {
    return type >= QDR_INT8 && type <= QDR_INT64;
}

static int is_single(qdr_type type) {
    return type == QDR_FLOAT || type == QDR_FLOAT_COMPLEX;
}

/* A whole number of 1, 2, 4 or 8 bytes, without its sign. */
static uint64_t whole_at(const unsigned char *bytes, int64_t size) {
    uint8_t b;
    uint16_t s;
    uint32_t w;
    uint64_t d;
    switch (size) {
    case 1:
        memcpy(&b, bytes, 1);
        return b;
    case 2:
        memcpy(&s, bytes, 2);
        return s;
    case 4:
        memcpy(&w, bytes, 4);
        return w;
    default:
        memcpy(&d, bytes, 8);
        return d;
    }
}

static void set_whole(unsigned char *bytes, int64_t size, uint64_t value) {
    uint8_t b = (uint8_t)value;
    uint16_t s = (uint16_t)value;
    uint32_t w = (uint32_t)value;
    memcpy(bytes,
           size == 1   ? (void *)&b
           : size == 2 ? (void *)&s
           : size == 4 ? (void *)&w
                       : (void *)&value,
           (size_t)size);
}

static double real_at(const unsigned char *bytes, int single) {
    float f;
    double d;
    memcpy(&f, bytes, sizeof f);
    if (single) return f;
    memcpy(&d, bytes, sizeof d);
    return d;
}

static void set_real(unsigned char *bytes, int single, double value) {
    float f = (float)value;
    memcpy(bytes, single ? (void *)&f : (void *)&value, single ? sizeof f : sizeof value);
}

/* Rounds to the type: one operation on floats, done in double and rounded, is right to the last bit. */
static double rounded(double value, int single) {
    return single ? (float)value : value;
}

static int less(uint64_t a, uint64_t b, int64_t size, int with_sign) {
    uint64_t sign = with_sign ? UINT64_C(1) << (8 * size - 1) : 0;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t whole_result(qdr_operation operation, qdr_type type, uint64_t a, uint64_t b) {
    int b_less = less(b, a, qdr_type_bytes(type), is_signed(type));
    switch (operation) {
    case QDR_SUM:
        return a + b;
    case QDR_PRODUCT:
        return a * b;
    case QDR_MINIMUM:
        return b_less ? b : a;
    case QDR_MAXIMUM:
        return b_less ? a : b;
    case QDR_LOGICAL_AND:
        return a && b;
    case QDR_LOGICAL_OR:
        return a || b;
    case QDR_LOGICAL_XOR:
        return !a != !b;
    case QDR_BITWISE_AND:
        return a & b;
    case QDR_BITWISE_OR:
        return a | b;
    case QDR_BITWISE_XOR:
        return a ^ b;
    default:
        return b;
    }
}

static double real_result(qdr_operation operation, int single, double a, double b) {
    switch (operation) {
    case QDR_SUM:
        return rounded(a + b, single);
    case QDR_PRODUCT:
        return rounded(a * b, single);
    case QDR_MINIMUM:
        return fmin(a, b);
    case QDR_MAXIMUM:
        return fmax(a, b);
    case QDR_LOGICAL_AND:
        return a != 0 && b != 0;
    case QDR_LOGICAL_OR:
        return a != 0 || b != 0;
    case QDR_LOGICAL_XOR:
        return (a != 0) != (b != 0);
    default:
        return b;
    }
}

static void complex_product(unsigned char *into, const unsigned char *from, int single) {
    int64_t half = single ? 4 : 8;
    double a = real_at(into, single), b = real_at(into + half, single);
    double c = real_at(from, single), d = real_at(from + half, single);
    set_real(into, single, rounded(rounded(a * c, single) - rounded(b * d, single), single));
    set_real(into + half, single, rounded(rounded(a * d, single) + rounded(b * c, single), single));
}

/* One value. */
static void oracle(qdr_operation operation, qdr_type type, unsigned char *into, const unsigned char *from) {
    int64_t size = qdr_type_bytes(type);
    int single = is_single(type);
    if (is_complex(type) && operation == QDR_PRODUCT) {
        complex_product(into, from, single);
    } else if (is_complex(type) || is_real(type)) {
        int64_t part = single ? 4 : 8;
        for (int64_t at = 0; at < size; at += part)
            set_real(into + at, single,
                     real_result(operation, single, real_at(into + at, single), real_at(from + at, single)));
    } else {
        set_whole(into, size, whole_result(operation, type, whole_at(into, size), whole_at(from, size)));
    }
}

/* ---- values -------------------------------------------------------------------------------------------- */

static double any_real(qdri_random *random) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 1e30, 1e-30};
    uint32_t choice = qdri_random_below(random, 30);
    return choice < 9 ? special[choice] : 200 * qdri_random_real(random) - 100;
}

static uint64_t any_whole(qdri_random *random) {
    static const uint64_t special[] = {0,
                                       1,
                                       UINT64_MAX,
                                       UINT64_C(0x8080808080808080),
                                       UINT64_C(0x8000800080008000),
                                       UINT64_C(0x8000000080000000),
                                       UINT64_C(0x8000000000000000),
                                       INT64_MAX};
    uint32_t choice = qdri_random_below(random, 16);
    return choice < 8 ? special[choice] : qdri_random_next(random);
}

static void fill_values(qdri_random *random, qdr_type type, unsigned char *bytes, int64_t values) {
    int real = is_real(type) || is_complex(type), single = is_single(type);
    int64_t size = real ? (single ? 4 : 8) : qdr_type_bytes(type);
    for (int64_t i = 0; i < values * qdri_type_parts(type); i++) {
        if (real)
            set_real(bytes + i * size, single, any_real(random));
        else
            set_whole(bytes + i * size, size, any_whole(random));
    }
}

/* Equal, or both no number; zeros of either sign are equal. */
static int same_values(qdr_type type, const unsigned char *a, const unsigned char *b, int64_t bytes) {
    if (!is_real(type) && !is_complex(type)) return memcmp(a, b, (size_t)bytes) == 0;
    int single = is_single(type);
    for (int64_t at = 0; at < bytes; at += single ? 4 : 8) {
        double x = real_at(a + at, single), y = real_at(b + at, single);
        if (x != y && !(isnan(x) && isnan(y))) return 0;
    }
    return 1;
}

/* ---- the product --------------------------------------------------------------------------------------- */

static int64_t place[MOST];

typedef struct stage {
    unsigned char *array, *expected, *packed, *from; /* `from` is in `packed`, at any alignment */
    int64_t array_bytes;
} stage;

static stage set_stage(qdri_random *random, qdr_type type, int64_t width, int64_t count) {
    int64_t size = qdr_type_bytes(type) * width, offset = qdri_random_between(random, 0, 9);
    stage made = {.array_bytes = case_elements(count) * size};
    made.array = malloc((size_t)made.array_bytes);
    made.expected = malloc((size_t)made.array_bytes);
    made.packed = malloc((size_t)(count * size + offset) + 1);
    assert_true(made.array && made.expected && made.packed);
    made.from = made.packed + 1 + offset;
    fill_values(random, type, made.array, case_elements(count) * width);
    fill_values(random, type, made.from, count * width);
    memcpy(made.expected, made.array, (size_t)made.array_bytes);
    return made;
}

static void clear_stage(stage *made) {
    free(made->array);
    free(made->expected);
    free(made->packed);
}

static void expect_in_order(stage *made, qdr_operation operation, qdr_type type, int64_t width,
                            int64_t count) {
    int64_t size = qdr_type_bytes(type);
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < width; j++)
            oracle(operation, type, made->expected + (place[k] * width + j) * size,
                   made->from + (k * width + j) * size);
}

static void check_combine(qdri_random *random, qdr_operation operation, qdr_type type, int64_t width,
                          list_case kind) {
    int64_t count = kind == CASE_LONG_RUNS ? MOST : qdri_random_between(random, 0, MOST / width);
    qdri_places list;
    fill_case(kind, random, count, place);
    assert_int_equal(qdri_places_open(place, 0, count, &list), QDR_OK);
    stage made = set_stage(random, type, width, count);
    expect_in_order(&made, operation, type, width, count);
    qdri_combine(&list, made.from, type, width, width * qdr_type_bytes(type), operation, made.array);
    if (!same_values(type, made.array, made.expected, made.array_bytes))
        fail_msg("%s of %s, width %d, list %d of %d", qdr_operation_name(operation), qdr_type_name(type),
                 (int)width, (int)kind, (int)count);
    clear_stage(&made);
    qdri_places_close(&list);
}

static void every_combination(void **state) {
    (void)state;
    static const int64_t widths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, WIDEST};
    qdri_random random = qdri_random_seed(31);
    int checked = 0;
    for (int operation = 0; operation < QDR_COMBINE; operation++)
        for (int type = QDR_BYTE; type < QDRI_TYPES; type++) {
            if (!qdr_operation_suits((qdr_operation)operation, (qdr_type)type)) continue;
            for (int w = 0; w < 11; w++)
                for (int kind = 0; kind < LIST_CASES; kind++, checked++)
                    check_combine(&random, (qdr_operation)operation, (qdr_type)type, widths[w],
                                  (list_case)kind);
        }
    assert_true(checked > 100 * 11 * LIST_CASES);
}

/* In floating point the order shows: (1e16 + 1) - 1e16 is not 1. */
static void repetitions_in_order(void **state) {
    (void)state;
    static const int64_t thrice[] = {1, 0, 1, 1, 2};
    static const double packed[] = {1, 7, 1e16, -1e16, 0};
    double array[3] = {0, 0, 5};
    qdri_places list;
    assert_int_equal(qdri_places_open(thrice, 0, 5, &list), QDR_OK);
    qdri_combine(&list, packed, QDR_DOUBLE, 1, 8, QDR_SUM, array);
    assert_true(array[0] == 7 && array[1] == 1 + 1e16 - 1e16 && array[2] == 5);
    qdri_places_close(&list);
}

static void signed_zeros_stay(void **state) {
    (void)state;
    double array[] = {0.0, -0.0, 0.0, -0.0};
    static const double packed[] = {-0.0, 0.0, -0.0, 0.0};
    qdri_places list;
    assert_int_equal(qdri_places_open(NULL, 0, 4, &list), QDR_OK);
    qdri_combine(&list, packed, QDR_DOUBLE, 1, 8, QDR_MINIMUM, array);
    qdri_combine(&list, packed, QDR_DOUBLE, 1, 8, QDR_MAXIMUM, array);
    for (int i = 0; i < 4; i++) assert_int_equal(signbit(array[i]) != 0, i % 2);
}

static void nothing_needs_no_arrays(void **state) {
    (void)state;
    qdri_places empty, some;
    assert_int_equal(qdri_places_open(NULL, 0, 0, &empty), QDR_OK);
    assert_int_equal(qdri_places_open(NULL, 3, 2, &some), QDR_OK);
    qdri_combine(&empty, NULL, QDR_INT16, 3, 6, QDR_SUM, NULL);
    qdri_combine(&some, NULL, QDR_INT16, 0, 0, QDR_SUM, NULL);
    qdri_combine(&some, NULL, QDR_FLOAT, 0, 0, QDR_REPLACE, NULL);
    qdri_combine_by(&empty, NULL, 8, 8, NULL, NULL, NULL);
    qdri_combine_by(&some, NULL, 0, 0, NULL, NULL, NULL);
}

/* ---- a function of the user's -------------------------------------------------------------------------- */

typedef struct calls {
    int64_t made, elements, bytes;
} calls;

/* Not commutative, so that order shows: 3 there + arrived. */
static void mix(void *context, void *into, const void *from, int64_t count, int64_t bytes) {
    calls *seen = context;
    unsigned char *to = into;
    const unsigned char *arrived = from;
    seen->made++;
    seen->elements += count;
    seen->bytes = bytes;
    for (int64_t i = 0; i < count * bytes; i++) to[i] = (unsigned char)(3 * to[i] + arrived[i]);
}

static void by_function(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(33);
    for (int kind = 0; kind < LIST_CASES; kind++)
        for (int64_t size = 1; size <= 19; size += 3) {
            qdri_places list;
            calls seen = {0};
            fill_case((list_case)kind, &random, MOST, place);
            assert_int_equal(qdri_places_open(place, 0, MOST, &list), QDR_OK);
            stage made = set_stage(&random, QDR_BYTE, size, MOST);
            for (int64_t i = 0; i < MOST * size; i++) {
                unsigned char *to = made.expected + place[i / size] * size + i % size;
                *to = (unsigned char)(3 * *to + made.from[i]);
            }
            qdri_combine_by(&list, made.from, size, size, mix, &seen, made.array);
            assert_memory_equal(made.array, made.expected, (size_t)made.array_bytes);
            assert_true(seen.elements == MOST && seen.bytes == size);
            if (kind == CASE_CONTIGUOUS) assert_int_equal(seen.made, 1);
            if (kind == CASE_LONG_RUNS) assert_int_equal(seen.made, list.spans);
            clear_stage(&made);
            qdri_places_close(&list);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination), cmocka_unit_test(repetitions_in_order),
        cmocka_unit_test(signed_zeros_stay), cmocka_unit_test(nothing_needs_no_arrays),
        cmocka_unit_test(by_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
