/* SPDX-License-Identifier: BSD-3-Clause */
/* The order is a permutation, rising, and equal keys keep their order: whatever the size and the keys. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

enum { MOST = 3000 };

static int64_t key[MOST], order[MOST + 1];

static void check_sort(int64_t count) {
    static unsigned char seen[MOST];
    memset(seen, 0, sizeof seen);
    order[count] = -5;
    assert_int_equal(qdri_sort_order(key, count, order), 1);
    for (int64_t i = 0; i < count; i++) {
        if (order[i] < 0 || order[i] >= count || seen[order[i]]++)
            fail_msg("%lld of %lld is no permutation", (long long)i, (long long)count);
        if (i == 0) continue;
        int64_t before = key[order[i - 1]], here = key[order[i]];
        if (before > here || (before == here && order[i - 1] > order[i]))
            fail_msg("place %lld of %lld: key %lld before %lld", (long long)i, (long long)count,
                     (long long)before, (long long)here);
    }
    assert_true(order[count] == -5);
}

/* Every size, each with keys below another power of two: all numbers of passes, and many equal keys. */
static void every_size(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(5);
    for (int64_t count = 0; count <= MOST; count++) {
        int bits = 1 + (int)(count % 62);
        for (int64_t i = 0; i < count; i++) key[i] = (int64_t)(qdri_random_next(&random) >> (64 - bits));
        check_sort(count);
    }
}

static void largest_keys(void **state) {
    (void)state;
    static const int64_t large[] = {INT64_C(1) << 62,
                                    (INT64_C(1) << 62) - 1,
                                    0,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_C(1) << 56,
                                    1,
                                    255,
                                    256,
                                    (INT64_C(1) << 56) - 1};
    for (int64_t count = 0; count <= 100; count++) {
        for (int64_t i = 0; i < count; i++) key[i] = large[(7 * i + count) % 10];
        check_sort(count);
    }
}

static void ordered_input(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 23, 24, 25, 26, 255, 256, 257, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        int64_t count = counts[c];
        for (int64_t i = 0; i < count; i++) key[i] = i;
        check_sort(count);
        for (int64_t i = 0; i < count; i++) key[i] = count - i;
        check_sort(count);
        for (int64_t i = 0; i < count; i++) key[i] = 42;
        check_sort(count);
        for (int64_t i = 0; i < count; i++) key[i] = 0;
        check_sort(count);
        if (count < 2) continue;
        for (int64_t i = 0; i < count; i++) key[i] = i / 3; /* rising, except for the last */
        key[count - 1] = 0;
        check_sort(count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size),
        cmocka_unit_test(largest_keys),
        cmocka_unit_test(ordered_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
