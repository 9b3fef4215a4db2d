/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions between all pairs of types, against long double, which holds every value of every type: the
 * value if the target has it, its nearest end if not, the whole part of a fraction. And the checksum,
 * which must see every single change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "couple/stream/run.h"
#include "places/types.h"

enum { COUNT = 1500, ROOM = 16 }; /* values; the bytes of the largest */

static const struct {
    long double lowest, highest; /* equal: no whole number */
} range[QDRI_TYPES] = {
    [QDR_BYTE] = {0, UINT8_MAX},          [QDR_INT8] = {INT8_MIN, INT8_MAX},
    [QDR_INT16] = {INT16_MIN, INT16_MAX}, [QDR_INT32] = {INT32_MIN, INT32_MAX},
    [QDR_INT64] = {INT64_MIN, INT64_MAX}, [QDR_UINT8] = {0, UINT8_MAX},
    [QDR_UINT16] = {0, UINT16_MAX},       [QDR_UINT32] = {0, UINT32_MAX},
    [QDR_UINT64] = {0, UINT64_MAX},
};

static int is_whole(qdr_type type) {
    return range[type].lowest < range[type].highest;
}

#define CASE(name, word, type, parts, kind)                                                                  \
    case QDR_##name: {                                                                                       \
        type value;                                                                                          \
        memcpy(&value, at, sizeof value);                                                                    \
        return value;                                                                                        \
    }
/* The real part. */
static long double read_value(qdr_type kind, const void *at) {
    switch (kind) { QDRI_TYPE_TABLE(CASE) }
    return 0;
}

/* What a value becomes. */
static long double expected(long double value, qdr_type to) {
    if (!is_whole(to)) {
        int is_float = to == QDR_FLOAT || to == QDR_FLOAT_COMPLEX;
        return is_float ? (float)(double)value : (double)value;
    }
    if (isnan(value)) return 0;
    if (value < range[to].lowest) return range[to].lowest;
    if (value > range[to].highest) return range[to].highest;
    return truncl(value);
}

/* Bits at random, small numbers, and the ends of all ranges, as the type has them. */
static void make_value(qdri_random *random, qdr_type type, void *at) {
    uint64_t bits = qdri_random_next(random);
    memcpy(at, &bits, 8);
    memcpy((char *)at + 8, &bits, 8);
    if (is_whole(type)) return;
    static const double special[] = {0,      -0.5,    255.5,  -129, 65536, 2147483648.0, -2147483649.0,
                                     9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, INFINITY,     -INFINITY,
                                     NAN,    1.5};
    int pick = (int)qdri_random_below(random, 32);
    double value = pick < 16 ? special[pick] : ldexp(qdri_random_real(random) - 0.5, pick);
    for (int part = 0; part < 2; part++) {
        if (type == QDR_FLOAT || type == QDR_FLOAT_COMPLEX) {
            float narrow = (float)value;
            memcpy((char *)at + part * (int)sizeof narrow, &narrow, sizeof narrow);
        } else {
            memcpy((char *)at + part * (int)sizeof value, &value, sizeof value);
        }
    }
}

static void check_pair(qdr_type from, qdr_type to, uint64_t seed) {
    qdri_random random = qdri_random_seed(seed);
    int64_t count = qdri_random_between(&random, 0, COUNT);
    int64_t in_bytes = qdr_type_bytes(from), out_bytes = qdr_type_bytes(to);
    char *in = malloc(COUNT * ROOM), *out = malloc(COUNT * ROOM + 1), value[2 * ROOM];
    assert_true(in && out);
    memset(out, 77, COUNT * ROOM + 1);
    for (int64_t i = 0; i < count; i++) {
        make_value(&random, from, value);
        memcpy(in + i * in_bytes, value, (size_t)in_bytes);
    }
    qdri_convert(from, to, count, in, out);
    for (int64_t i = 0; i < count; i++) {
        long double wanted = expected(read_value(from, in + i * in_bytes), to);
        long double got = read_value(to, out + i * out_bytes);
        if (got != wanted && !(isnan(got) && isnan(wanted)))
            fail_msg("%s to %s: %Lg became %Lg, not %Lg", qdr_type_name(from), qdr_type_name(to),
                     read_value(from, in + i * in_bytes), got, wanted);
        if (qdri_type_parts(to) ==
            2) { /* of a real number: nothing; of a complex one: the same in these tests */
            long double second = read_value(to, out + i * out_bytes + out_bytes / 2);
            assert_true(qdri_type_parts(from) == 1 ? second == 0 : second == got || isnan(second));
        }
    }
    assert_int_equal(out[count * out_bytes], 77);
    free(in);
    free(out);
}

static void test_all_pairs(void **state) {
    (void)state;
    for (int from = QDR_BYTE; from < QDRI_TYPES; from++)
        for (int to = QDR_BYTE; to < QDRI_TYPES; to++) {
            int loses = qdri_type_parts((qdr_type)from) > qdri_type_parts((qdr_type)to);
            assert_int_equal(qdri_convertible((qdr_type)from, (qdr_type)to), !loses);
            for (uint64_t seed = 0; !loses && seed < 5; seed++)
                check_pair((qdr_type)from, (qdr_type)to, seed * 1000 + (uint64_t)(from * QDRI_TYPES + to));
        }
}

static void test_checksum(void **state) {
    (void)state;
    unsigned char bytes[200];
    for (int i = 0; i < 200; i++) bytes[i] = (unsigned char)(i * 37);
    for (int length = 0; length <= 130; length++) {
        uint64_t sum = qdri_checksum(bytes + length % 8, length);
        assert_true(sum != 0 && sum == qdri_checksum(bytes + length % 8, length));
        assert_true(sum != qdri_checksum(bytes + length % 8, length + 1));
        for (int bit = 0; bit < 8 * length; bit++) {
            bytes[length % 8 + bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(sum != qdri_checksum(bytes + length % 8, length));
            bytes[length % 8 + bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
