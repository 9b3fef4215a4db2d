/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces: what is added comes out in order, in few spans, as a whole and in parts; kernels move exactly that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "places/kernels.h"
#include "light.h"

#define ROUNDS light_or(1500, 10000)
enum { ELEMENTS = 20000, MEMORY = 1 << 16, WIDEST = 24 };

static int64_t draw(qdri_random *random, int64_t low, int64_t high) {
    return qdri_random_between(random, low, high);
}

static int64_t expected[ELEMENTS], found[ELEMENTS], count;

static void check(const qdri_places *places) {
    assert_int_equal(places->count, count);
    qdri_places_expand(places, found);
    assert_memory_equal(found, expected, (size_t)count * sizeof *found);
}

static void add_run(qdri_places *places, int64_t offset, int64_t length, int64_t step) {
    assert_int_equal(qdri_places_add_run(places, offset, length, step), QDR_OK);
    for (int64_t i = 0; i < length; i++) expected[count++] = offset + i * step;
}

/* The product by plain recursion. */
static void expand(int axes, const int64_t *spans, const qdri_span *span, int64_t offset) {
    if (axes == 0) {
        expected[count++] = offset;
        return;
    }
    for (int64_t s = 0; s < *spans; s++)
        for (int64_t i = 0; i < span[s].count; i++)
            expand(axes - 1, spans + 1, span + *spans, offset + span[s].offset + i * span[s].step);
}

static void add_random_product(qdri_random *random, qdri_places *places) {
    int64_t spans[4], total = 0;
    qdri_span span[4 * 3];
    int axes = (int)draw(random, 1, 4);
    int64_t unit = 1;
    for (int a = axes - 1; a >= 0; a--)
        spans[a] = draw(random, 0, 9) ? draw(random, 1, draw(random, 1, 3)) : 0;
    for (int a = 0; a < axes; a++)
        for (int64_t s = 0; s < spans[a]; s++)
            span[total++] = (qdri_span){draw(random, 0, 50), draw(random, 1, 4), draw(random, 1, 9)};
    if (draw(random, 0, 1)) { /* a box in memory, of which some axes continue each other */
        qdri_span *at = span + total;
        for (int a = axes - 1; a >= 0; a--) {
            at -= spans[a];
            int64_t length = draw(random, 1, 4);
            for (int64_t s = 0; s < spans[a]; s++) at[s] = (qdri_span){s * length * unit, length, unit};
            unit *= spans[a] * length + (draw(random, 0, 2) == 0);
        }
    }
    assert_int_equal(qdri_places_add_product(places, axes, spans, span), QDR_OK);
    expand(axes, spans, span, 0);
}

static void draw_places(qdri_random *random, qdri_places *places) {
    *places = (qdri_places){0};
    count = 0;
    for (int64_t adds = draw(random, 0, 12); adds > 0 && count < ELEMENTS / 2; adds--) {
        if (draw(random, 0, 2))
            add_run(places, draw(random, 0, 40), draw(random, 0, draw(random, 0, 1) ? 1 : 9),
                    draw(random, 1, 3));
        else
            add_random_product(random, places);
    }
}

static void random_places(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(31);
    for (int round = 0; round < ROUNDS; round++) {
        qdri_places made;
        int64_t least = 0, most = -1;
        draw_places(&random, &made);
        check(&made);
        for (int64_t i = 0; i < count; i++) {
            if (i == 0 || expected[i] < least) least = expected[i];
            if (expected[i] > most) most = expected[i];
        }
        if (count > 0) assert_true(made.lowest == least && made.highest == most);
        qdri_places_close(&made);
    }
}

/* Wherever they are cut. */
static void parts(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(33);
    for (int round = 0; round < ROUNDS; round++) {
        qdri_places made;
        draw_places(&random, &made);
        int64_t from = draw(&random, 0, count), to = draw(&random, from, count),
                first = draw(&random, 0, to - from);
        qdri_places part = qdri_places_part(&made, from, to),
                    inner = qdri_places_part(&part, first, to - from);
        qdri_places_expand(&part, found);
        assert_memory_equal(found, expected + from, (size_t)(to - from) * sizeof *found);
        qdri_places_expand(&inner, found);
        assert_memory_equal(found, expected + from + first, (size_t)(to - from - first) * sizeof *found);
        if (to > from) assert_int_equal(qdri_places_at(&part, to - from - 1), expected[to - 1]);
        qdri_places_close(&made);
    }
}

/* Every width and stride: what is packed is what stands there, and unpacking touches nothing else. */
static void pack_and_unpack(void **state) {
    (void)state;
    static unsigned char memory[MEMORY * WIDEST], other[MEMORY * WIDEST], packed[ELEMENTS * WIDEST + 1];
    static const int64_t width[] = {0, 1, 2, 4, 8, 12, 16, 24};
    qdri_random random = qdri_random_seed(32);
    for (size_t i = 0; i < sizeof memory; i++) memory[i] = (unsigned char)qdri_mix(i);
    for (int round = 0; round < ROUNDS / 5; round++) {
        qdri_places made;
        draw_places(&random, &made);
        for (size_t w = 0; w < sizeof width / sizeof *width && made.highest < MEMORY; w++) {
            size_t bytes = (size_t)width[w], stride = round % 2 && w < 7 ? (size_t)width[w + 1] : bytes;
            size_t used = (size_t)(made.highest + 1) * stride;
            packed[(size_t)count * bytes] = 0xa5;
            qdri_gather(&made, memory, width[w], (int64_t)stride, packed);
            for (int64_t i = 0; i < count; i++)
                assert_memory_equal(packed + (size_t)i * bytes, memory + (size_t)expected[i] * stride, bytes);
            assert_int_equal(packed[(size_t)count * bytes], 0xa5);
            memset(other, 0x3c, used);
            qdri_scatter(&made, packed, width[w], (int64_t)stride, other);
            for (int64_t i = 0; i < count; i++)
                assert_memory_equal(other + (size_t)expected[i] * stride,
                                    memory + (size_t)expected[i] * stride, bytes);
            for (int64_t i = 0; i < count; i++) memset(other + (size_t)expected[i] * stride, 0x3c, bytes);
            for (size_t i = 0; i < used; i++) assert_int_equal(other[i], 0x3c);
        }
        qdri_places_close(&made);
    }
}

/* Sums in order, of elements that stand alone or among others. */
static void sums(void **state) {
    (void)state;
    enum { ROOM = 3 };
    static double array[MEMORY * ROOM], right[MEMORY * ROOM], packed[2 * ELEMENTS];
    qdri_random random = qdri_random_seed(34);
    for (int round = 0; round < ROUNDS / 5; round++) {
        qdri_places made;
        draw_places(&random, &made);
        int64_t width = draw(&random, 1, 2), room = draw(&random, width, ROOM);
        if (made.highest < MEMORY) {
            for (int64_t i = 0; i < (made.highest + 1) * room; i++) array[i] = right[i] = (double)i;
            for (int64_t i = 0; i < count * width; i++) {
                packed[i] = (double)draw(&random, 0, 1000) / 7;
                right[expected[i / width] * room + i % width] += packed[i];
            }
            qdri_combine(&made, packed, QDR_DOUBLE, width, 8 * room, QDR_SUM, array);
            assert_memory_equal(array, right, (size_t)((made.highest + 1) * room) * sizeof *array);
        }
        qdri_places_close(&made);
    }
}

/* ---- few spans ----------------------------------------------------------------------------------------- */

static void neighbours_join(void **state) {
    (void)state;
    qdri_places made = {0};
    count = 0;
    for (int64_t i = 0; i < 100; i++) add_run(&made, 7 * i, 1, 1); /* one span of step 7 */
    assert_true(made.pieces == 1 && made.spans == 1 && made.span[0].step == 7);
    assert_int_equal(qdri_places_runs(&made), 100);
    add_run(&made, 1000, 1, 1);
    for (int64_t i = 0; i < 9; i++) add_run(&made, 2000 + 10 * i, 10, 1); /* 1000 does not break them */
    assert_true(made.spans == 3 && made.span[2].offset == 2000 && made.span[2].count == 90);
    add_run(&made, 3000, 1, 1);
    add_run(&made, 4000, 1, 1);
    add_run(&made, 4001, 1, 1);
    add_run(&made, 4002, 5, 1);
    assert_true(made.spans == 5 && made.span[4].offset == 4000 && made.span[4].count == 7);
    check(&made);
    qdri_places_close(&made);
}

static void continuing_axes_fuse(void **state) {
    (void)state;
    qdri_places made = {0};
    const int64_t one[] = {1, 1, 1};
    count = 0;
    /* Whole rows are one run; */
    const qdri_span rows[] = {{3, 10, 60}, {0, 5, 12}, {7, 12, 1}};
    assert_int_equal(qdri_places_add_product(&made, 3, one, rows), QDR_OK);
    expand(3, one, rows, 0);
    assert_true(made.pieces == 1 && made.spans == 1 && made.span[0].count == 600);
    assert_int_equal(qdri_places_runs(&made), 1);
    /* a part of each row is not. */
    const qdri_span part[] = {{1000, 10, 60}, {0, 5, 12}, {7, 11, 1}};
    assert_int_equal(qdri_places_add_product(&made, 3, one, part), QDR_OK);
    expand(3, one, part, 0);
    assert_true(made.pieces == 2 && made.piece[1].axes == 3);
    assert_int_equal(qdri_places_runs(&made), 1 + 50);
    check(&made);
    qdri_places_close(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_places),   cmocka_unit_test(parts),
        cmocka_unit_test(pack_and_unpack), cmocka_unit_test(sums),
        cmocka_unit_test(neighbours_join), cmocka_unit_test(continuing_axes_fuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
