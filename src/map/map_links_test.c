/* SPDX-License-Identifier: BSD-3-Clause */
/* Flat lists that are grouped, and links that are sorted: nothing is lost, and what was in order stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "map/inside.h"

enum { RANKS = 7, MOST = 200, ROUNDS = 300 };

typedef struct flat {
    int rank[MOST];
    int64_t local[MOST], remote[MOST];
    qdr_indices indices;
} flat;

static void draw(qdri_random *random, flat *one) {
    int64_t links = (int64_t)qdri_random_below(random, MOST);
    for (int64_t k = 0; k < links; k++) {
        one->rank[k] = (int)qdri_random_below(random, RANKS);
        one->local[k] = (int64_t)qdri_random_below(random, 50);
        one->remote[k] = 1000 * k + (int64_t)qdri_random_below(random, 1000); /* tells which link it is */
    }
    one->indices = (qdr_indices){
        .links = links, .link_rank = one->rank, .place = one->local, .partner_place = one->remote};
}

/* Each group holds the links with its rank, in their order. */
static void check_groups(const flat *one, const qdr_indices *grouped) {
    int64_t place = 0;
    for (int i = 0; i < grouped->partners; i++) {
        int64_t next = 0;
        for (int64_t k = 0; k < grouped->count[i]; k++, place++) {
            while (one->rank[next] != grouped->rank[i]) next++;
            assert_int_equal(grouped->place[place], one->local[next]);
            assert_int_equal(grouped->partner_place[place], one->remote[next]);
            next++;
        }
    }
    assert_int_equal(place, one->indices.links);
}

static void test_group(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(1);
    static const int order[RANKS] = {6, 0, 3, 1, 5, 2, 4};
    flat one;
    qdri_map_group group;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&random, &one);
        assert_int_equal(qdri_map_group_open(&one.indices, "links", RANKS, 0, NULL, &group), QDR_OK);
        check_groups(&one, &group.indices);
        for (int i = 1; i < group.indices.partners; i++)
            assert_true(group.indices.rank[i - 1] < group.indices.rank[i]);
        qdri_map_group_close(&group);
        assert_int_equal(qdri_map_group_open(&one.indices, "links", RANKS, RANKS, order, &group), QDR_OK);
        check_groups(&one, &group.indices);
        assert_int_equal(group.indices.partners, RANKS); /* also those without links */
        assert_memory_equal(group.indices.rank, order, sizeof order);
        qdri_map_group_close(&group);
    }
}

/* Without a list, a link's place is its own number, wherever its group stands. */
static void test_numbers(void **state) {
    (void)state;
    static const int rank[] = {2, 0, 2, 1};
    qdr_indices indices = {.links = 4, .link_rank = rank};
    qdri_map_group group;
    assert_int_equal(qdri_map_group_open(&indices, "links", RANKS, 0, NULL, &group), QDR_OK);
    const int64_t expected[] = {1, 3, 0, 2};
    assert_memory_equal(group.indices.place, expected, sizeof expected);
    assert_null(group.indices.partner_place);
    qdri_map_group_close(&group);
}

static void refuse(qdr_indices indices, int partners, const int *order, const char *word) {
    qdri_map_group group;
    assert_int_not_equal(qdri_map_group_open(&indices, "sends", RANKS, partners, order, &group), QDR_OK);
    if (!strstr(qdr_error_message(), word)) fail_msg("'%s' does not say '%s'", qdr_error_message(), word);
}

static void test_refusals(void **state) {
    (void)state;
    static const int rank[] = {0, RANKS}, partner[] = {0};
    static const int64_t count[] = {1};
    refuse((qdr_indices){.links = 2, .link_rank = rank}, 0, NULL, "link_rank[1] is 7");
    refuse((qdr_indices){.links = 2}, 0, NULL, "link_rank is NULL");
    refuse((qdr_indices){.links = -1, .link_rank = rank}, 0, NULL, "-1 links");
    refuse((qdr_indices){.links = 1, .link_rank = rank, .partners = 1, .rank = partner, .count = count}, 0,
           NULL, "not both");
    static const int other[] = {3};
    refuse((qdr_indices){.links = 1, .link_rank = rank}, 1, other, "not a partner");
}

/* Sorted by the key, links of one key in their order, each partner for itself. */
static void check_sorted(const qdr_indices *given, const qdri_map_links *sorted, int by_local) {
    const int64_t *key = by_local ? sorted->place : sorted->partner_place;
    int64_t first = 0;
    for (int i = 0; i < given->partners; i++) {
        for (int64_t k = first; k < first + given->count[i]; k++) {
            int64_t from = first;
            while (from < first + given->count[i] && given->partner_place[from] != sorted->partner_place[k])
                from++;
            assert_true(from < first + given->count[i]);
            assert_int_equal(sorted->place[k], given->place[from]);
            if (k == first) continue;
            assert_true(key[k - 1] <= key[k]);
            if (key[k - 1] == key[k]) assert_true(sorted->partner_place[k - 1] < sorted->partner_place[k]);
        }
        first += given->count[i];
    }
}

static void test_sort(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(2);
    flat one;
    qdri_map_group group;
    qdri_map_links sorted;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&random, &one);
        assert_int_equal(qdri_map_group_open(&one.indices, "links", RANKS, 0, NULL, &group), QDR_OK);
        assert_int_equal(qdri_map_sort(&group.indices, 1, &sorted), QDR_OK);
        if (sorted.place) check_sorted(&group.indices, &sorted, 1);
        qdri_map_links_free(&sorted);
        qdri_map_group_close(&group);
    }
    static const int rank[] = {1};
    static const int64_t count[] = {3}, rising[] = {0, 4, 4};
    qdr_indices in_order = {
        .partners = 1, .rank = rank, .count = count, .place = rising, .partner_place = rising};
    assert_int_equal(qdri_map_sort(&in_order, 1, &sorted), QDR_OK);
    assert_null(sorted.place); /* nothing to do */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
