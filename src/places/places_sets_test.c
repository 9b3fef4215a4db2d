/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements that stand twice, and lists that meet: against brute force, for few and many lists, near and far
 * elements; and what ranges alone decide is decided by them. */
#include "places/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places_testing.h"

enum { LISTS = 9, MOST = 60 };

typedef struct group {
    int lists;
    qdri_places list[LISTS];
    int64_t index[LISTS][MOST];
} group;

static group left, right;

/* Lists of any shape; `spread` scales elements, so that sets become sparse; `apart` moves each list. */
static void make_group(group *made, qdri_random *random, int64_t spread, int64_t apart) {
    made->lists = (int)qdri_random_between(random, 0, LISTS);
    for (int i = 0; i < made->lists; i++) {
        int64_t count = qdri_random_between(random, 0, qdri_random_between(random, 0, MOST));
        list_case kind = (list_case)qdri_random_between(random, 0, LIST_CASES - 1);
        fill_case(kind, random, count, made->index[i]);
        int64_t shift = apart * qdri_random_between(random, 0, LISTS);
        for (int64_t k = 0; k < count; k++) made->index[i][k] = made->index[i][k] * spread + shift;
        assert_int_equal(qdri_places_open(made->index[i], 0, count, &made->list[i]), QDR_OK);
    }
}

static void close_group(group *made) {
    for (int i = 0; i < made->lists; i++) qdri_places_close(&made->list[i]);
}

/* The first list that has the element before entry k of list i; -1 if none. */
static int first_before(const group *made, int i, int64_t k) {
    for (int a = 0; a <= i; a++)
        for (int64_t j = 0; j < (a < i ? made->list[a].count : k); j++)
            if (made->index[a][j] == made->index[i][k]) return a;
    return -1;
}

static int check_twice(const group *made) {
    int found = -1, list_a = -1, list_b = -1;
    int64_t element = -1;
    assert_int_equal(qdri_places_twice(made->list, made->lists, &found, &element, &list_a, &list_b), QDR_OK);
    for (int i = 0; i < made->lists; i++)
        for (int64_t k = 0; k < made->list[i].count; k++) {
            int before = first_before(made, i, k);
            if (before < 0) continue;
            assert_true(found == 1 && element == made->index[i][k] && list_a == before && list_b == i);
            return 1;
        }
    assert_true(found == 0 && element == -1 && list_a == -1 && list_b == -1);
    return 0;
}

static int stands_in(const group *made, int64_t element) {
    for (int i = 0; i < made->lists; i++)
        for (int64_t k = 0; k < made->list[i].count; k++)
            if (made->index[i][k] == element) return 1;
    return 0;
}

static int check_meet(const group *a, const group *b) {
    int found = -1;
    int64_t element = -1;
    assert_int_equal(qdri_places_intersect(a->list, a->lists, b->list, b->lists, &found, &element), QDR_OK);
    for (int i = 0; i < b->lists; i++)
        for (int64_t k = 0; k < b->list[i].count; k++)
            if (stands_in(a, b->index[i][k])) {
                assert_true(found == 1 && element == b->index[i][k]);
                return 1;
            }
    assert_true(found == 0 && element == -1);
    return 0;
}

static void against_brute_force(void **state) {
    (void)state;
    static const int64_t spreads[] = {1, 1, 1000, 100000000007, INT64_C(1) << 54};
    static const int64_t aparts[] = {0, 1, 60, 100, 250, 1000};
    qdri_random random = qdri_random_seed(8);
    int twice[2] = {0}, meet[2] = {0};
    for (int round = 0; round < 6000; round++) {
        int64_t spread = spreads[round % 5], apart = aparts[round % 6];
        make_group(&left, &random, spread, spread > 1 << 30 ? apart / 60 : apart);
        make_group(&right, &random, spread, spread > 1 << 30 ? apart / 60 : apart);
        twice[check_twice(&left)]++;
        meet[check_meet(&left, &right)]++;
        close_group(&left);
        close_group(&right);
    }
    for (int answer = 0; answer < 2; answer++) assert_true(twice[answer] > 500 && meet[answer] > 500);
}

/* A single repetition among many, at every distance. */
static void one_repetition(void **state) {
    (void)state;
    static int64_t index[4000];
    for (int64_t spread = 1; spread < INT64_C(1) << 50; spread *= 1021)
        for (int64_t at = 1; at < 4000; at += 333) {
            for (int64_t k = 0; k < 4000; k++) index[k] = (k * 1597 % 4001) * spread;
            qdri_places list[2];
            int found, list_a, list_b;
            int64_t element;
            for (int repeated = 0; repeated < 2; repeated++) {
                if (repeated) index[at] = index[0];
                assert_int_equal(qdri_places_open(index, 0, 2000, list), QDR_OK);
                assert_int_equal(qdri_places_open(index + 2000, 0, 2000, list + 1), QDR_OK);
                assert_int_equal(qdri_places_twice(list, 2, &found, &element, &list_a, &list_b), QDR_OK);
                assert_int_equal(found, repeated);
                if (repeated) assert_true(element == index[0] && list_a == 0 && list_b == (at >= 2000));
                qdri_places_close(list);
                qdri_places_close(list + 1);
            }
        }
}

/* Lists of 2^60 elements: if ranges did not decide, this would not end, nor find memory. */
static void ranges_decide(void **state) {
    (void)state;
    qdri_places list[3];
    int found = -1, list_a, list_b;
    int64_t element;
    static const int64_t rising[] = {(INT64_C(1) << 62) + 1, (INT64_C(1) << 62) + 5, (INT64_C(1) << 62) + 6};
    assert_int_equal(qdri_places_open(NULL, INT64_C(1) << 61, INT64_C(1) << 60, list), QDR_OK);
    assert_int_equal(qdri_places_open(NULL, 0, INT64_C(1) << 61, list + 1), QDR_OK);
    assert_int_equal(qdri_places_open(rising, 0, 3, list + 2), QDR_OK);
    assert_int_equal(qdri_places_twice(list, 3, &found, &element, &list_a, &list_b), QDR_OK);
    assert_int_equal(found, 0);
    found = -1;
    assert_int_equal(qdri_places_intersect(list, 2, list + 2, 1, &found, &element), QDR_OK);
    assert_int_equal(found, 0);
    qdri_places_close(list + 2);
}

static void no_lists(void **state) {
    (void)state;
    qdri_places empty[2] = {{.highest = -1, .distinct = 1, .stride = 1}, {.highest = -1, .distinct = 1}};
    int found = -1, list_a, list_b;
    int64_t element;
    assert_int_equal(qdri_places_twice(NULL, 0, &found, &element, &list_a, &list_b), QDR_OK);
    assert_int_equal(found, 0);
    assert_int_equal(qdri_places_twice(empty, 2, &found, &element, &list_a, &list_b), QDR_OK);
    assert_int_equal(found, 0);
    assert_int_equal(qdri_places_intersect(NULL, 0, empty, 2, &found, &element), QDR_OK);
    assert_int_equal(found, 0);
    assert_int_equal(qdri_places_intersect(empty, 1, empty + 1, 1, &found, &element), QDR_OK);
    assert_int_equal(found, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(one_repetition),
        cmocka_unit_test(ranges_decide),
        cmocka_unit_test(no_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
