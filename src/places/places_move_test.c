/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving against gather and scatter of everything: teams of boxes of equal and of different sizes, lists of every shape that has
 * no element twice, every room from that of one element on. */
#include "places/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places_testing.h"
#include "light.h"

enum { SIDE = 11, ELEMENTS = 6 * SIDE * SIDE * SIDE, MOST_BYTES = 100 };

static unsigned char *random_bytes(qdri_random *random, int64_t count) {
    unsigned char *bytes = malloc((size_t)count);
    assert_non_null(bytes);
    for (int64_t i = 0; i < count; i++) bytes[i] = (unsigned char)qdri_random_next(random);
    return bytes;
}

/* Boxes, each in a cube of its own. */
static void add_boxes(qdri_random *random, int boxes, qdri_places *places) {
    static const int64_t one_each[] = {1, 1, 1};
    int64_t count[3] = {0};
    for (int box = 0; box < boxes; box++) {
        qdri_span span[3];
        int is_other = box == 0 || qdri_random_between(random, 0, 3) == 0;
        for (int a = 0; a < 3; a++) {
            int64_t step = a == 0 ? SIDE * SIDE : a == 1 ? SIDE : 1;
            if (is_other) count[a] = qdri_random_between(random, 1, SIDE);
            int64_t lower = qdri_random_between(random, 0, SIDE - count[a]);
            span[a] = (qdri_span){lower * step + (a == 0 ? box * SIDE * SIDE * SIDE : 0), count[a], step};
        }
        assert_int_equal(qdri_places_add_product(places, 3, one_each, span), QDR_OK);
    }
}

/* As many places as that, none twice: together, spread out, falling, or in disorder. */
static void as_many(qdri_random *random, int64_t count, qdri_places *places) {
    static int64_t index[ELEMENTS];
    int kind = (int)qdri_random_between(random, 0, 3);
    int64_t stride = ELEMENTS / count;
    for (int64_t k = 0; k < count; k++)
        index[k] = kind == 0 ? k : kind == 1 ? k * stride : (count - 1 - k) * stride;
    for (int64_t k = count - 1; kind == 3 && k > 0; k--) {
        int64_t other = qdri_random_between(random, 0, k), kept = index[k];
        index[k] = index[other];
        index[other] = kept;
    }
    assert_int_equal(qdri_places_open(index, 0, count, places), QDR_OK);
}

static void check(qdri_random *random, const qdri_places *from, const qdri_places *to) {
    int64_t size = qdri_random_between(random, 1, MOST_BYTES), room_bytes = size;
    int64_t out = size + qdri_random_between(random, 0, 1) * 5,
            in = size + qdri_random_between(random, 0, 1) * 8;
    if (qdri_random_between(random, 0, 2)) room_bytes += qdri_random_between(random, 0, 20000);
    unsigned char *source = random_bytes(random, ELEMENTS * out),
                  *target = random_bytes(random, ELEMENTS * in), *room = random_bytes(random, room_bytes),
                  *packed = random_bytes(random, from->count * size + 1),
                  *expected = malloc(ELEMENTS * (size_t)in);
    assert_non_null(expected);
    memcpy(expected, target, (size_t)(ELEMENTS * in));
    qdri_gather(from, source, size, out, packed);
    qdri_scatter(to, packed, size, in, expected);
    qdri_move(from, source, out, to, target, in, size, room, room_bytes);
    assert_memory_equal(target, expected, (size_t)(ELEMENTS * in));
    free(source);
    free(target);
    free(room);
    free(packed);
    free(expected);
}

static void as_packing_and_unpacking(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(29);
    for (int run = 0; run < light_or(20, 80); run++) {
        qdri_places boxes = {0}, list = {0};
        add_boxes(&random, (int)qdri_random_between(&random, 1, 6), &boxes);
        as_many(&random, boxes.count, &list);
        check(&random, &boxes, &list);
        check(&random, &list, &boxes);
        check(&random, &boxes, &boxes);
        qdri_places_close(&boxes);
        qdri_places_close(&list);
    }
}

static void nothing_needs_no_arrays(void **state) {
    (void)state;
    qdri_places none = {0};
    qdri_move(&none, NULL, 8, &none, NULL, 8, 8, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_packing_and_unpacking),
        cmocka_unit_test(nothing_needs_no_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
