/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections: what is added comes out in order, in few spans; packing and unpacking move exactly that. */
#include "layout_cases.h"

#ifndef QDR_LIGHT_TESTS
#define QDR_LIGHT_TESTS 0
#endif

enum { ROUNDS = QDR_LIGHT_TESTS ? 1500 : 10000, ELEMENTS = 20000, MEMORY = 1 << 16, WIDEST = 24 };

static int64_t expected[ELEMENTS], found[ELEMENTS], count;

static void check(const qdri_selection *selection) {
    assert_int_equal(selection->elements, count);
    qdri_selection_expand(selection, found);
    assert_memory_equal(found, expected, (size_t)count * sizeof *found);
}

static void add_run(qdri_selection *selection, int64_t offset, int64_t length, int64_t step) {
    assert_int_equal(qdri_selection_add_run(selection, offset, length, step), QDR_OK);
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

static void add_random_product(qdri_random *random, qdri_selection *selection) {
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
    assert_int_equal(qdri_selection_add_product(selection, axes, spans, span), QDR_OK);
    expand(axes, spans, span, 0);
}

static void draw_selection(qdri_random *random, qdri_selection *selection) {
    *selection = (qdri_selection){0};
    count = 0;
    for (int64_t adds = draw(random, 0, 12); adds > 0 && count < ELEMENTS / 2; adds--) {
        if (draw(random, 0, 2))
            add_run(selection, draw(random, 0, 40), draw(random, 0, draw(random, 0, 1) ? 1 : 9),
                    draw(random, 1, 3));
        else
            add_random_product(random, selection);
    }
}

static void random_selections(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(31);
    for (int round = 0; round < ROUNDS; round++) {
        qdri_selection selection;
        int64_t low, high, least = 0, most = -1;
        draw_selection(&random, &selection);
        check(&selection);
        for (int64_t i = 0; i < count; i++) {
            if (i == 0 || expected[i] < least) least = expected[i];
            if (expected[i] > most) most = expected[i];
        }
        qdri_selection_bounds(&selection, &low, &high);
        assert_true(low == least && high == most);
        qdri_selection_close(&selection);
    }
}

/* Every width: what is packed is what stands there, and unpacking touches nothing else. */
static void pack_and_unpack(void **state) {
    (void)state;
    static unsigned char memory[MEMORY * WIDEST], other[MEMORY * WIDEST], packed[ELEMENTS * WIDEST + 1];
    static const int64_t width[] = {0, 1, 2, 4, 8, 12, 16, 24};
    qdri_random random = qdri_random_seed(32);
    for (size_t i = 0; i < sizeof memory; i++) memory[i] = (unsigned char)qdri_mix(i);
    for (int round = 0; round < ROUNDS / 5; round++) {
        qdri_selection selection;
        int64_t low, high;
        draw_selection(&random, &selection);
        qdri_selection_bounds(&selection, &low, &high);
        for (size_t w = 0; w < sizeof width / sizeof *width && high < MEMORY; w++) {
            size_t bytes = (size_t)width[w], used = (size_t)(high + 1) * bytes;
            packed[(size_t)count * bytes] = 0xa5;
            qdri_selection_pack(&selection, memory, width[w], packed);
            for (int64_t i = 0; i < count; i++)
                assert_memory_equal(packed + (size_t)i * bytes, memory + (size_t)expected[i] * bytes, bytes);
            assert_int_equal(packed[(size_t)count * bytes], 0xa5);
            memset(other, 0x3c, used);
            qdri_selection_unpack(&selection, packed, width[w], other);
            for (int64_t i = 0; i < count; i++) {
                assert_memory_equal(other + (size_t)expected[i] * bytes, memory + (size_t)expected[i] * bytes,
                                    bytes);
            }
            for (int64_t i = 0; i < count; i++) memset(other + (size_t)expected[i] * bytes, 0x3c, bytes);
            for (size_t i = 0; i < used; i++) assert_int_equal(other[i], 0x3c);
        }
        qdri_selection_close(&selection);
    }
}

/* ---- few spans ----------------------------------------------------------------------------------------- */

static void neighbours_join(void **state) {
    (void)state;
    qdri_selection selection = {0};
    count = 0;
    for (int64_t i = 0; i < 100; i++) add_run(&selection, 7 * i, 1, 1); /* one span of step 7 */
    assert_true(selection.pieces == 1 && selection.spans == 1 && selection.span[0].step == 7);
    assert_int_equal(qdri_selection_runs(&selection), 100);
    add_run(&selection, 1000, 1, 1);
    for (int64_t i = 0; i < 9; i++) add_run(&selection, 2000 + 10 * i, 10, 1); /* 1000 does not break them */
    assert_true(selection.spans == 3 && selection.span[2].offset == 2000 && selection.span[2].count == 90);
    add_run(&selection, 3000, 1, 1);
    add_run(&selection, 4000, 1, 1);
    add_run(&selection, 4001, 1, 1);
    add_run(&selection, 4002, 5, 1);
    assert_true(selection.spans == 5 && selection.span[4].offset == 4000 && selection.span[4].count == 7);
    check(&selection);
    qdri_selection_close(&selection);
}

static void continuing_axes_fuse(void **state) {
    (void)state;
    qdri_selection selection = {0};
    const int64_t one[] = {1, 1, 1};
    count = 0;
    /* Whole rows are one run; */
    const qdri_span rows[] = {{3, 10, 60}, {0, 5, 12}, {7, 12, 1}};
    assert_int_equal(qdri_selection_add_product(&selection, 3, one, rows), QDR_OK);
    expand(3, one, rows, 0);
    assert_true(selection.pieces == 1 && selection.spans == 1 && selection.span[0].count == 600);
    assert_int_equal(qdri_selection_runs(&selection), 1);
    /* a part of each row is not. */
    const qdri_span part[] = {{1000, 10, 60}, {0, 5, 12}, {7, 11, 1}};
    assert_int_equal(qdri_selection_add_product(&selection, 3, one, part), QDR_OK);
    expand(3, one, part, 0);
    assert_true(selection.pieces == 2 && selection.piece[1].axes == 3);
    assert_int_equal(qdri_selection_runs(&selection), 1 + 50);
    check(&selection);
    qdri_selection_close(&selection);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_selections), cmocka_unit_test(pack_and_unpack),
                                       cmocka_unit_test(neighbours_join),
                                       cmocka_unit_test(continuing_axes_fuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
