/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching, walking and holes against tables of all elements. */
#include "layout_testing.h"
#include "light.h"

#define ROUNDS light_or(3000, 25000)

static array_case array[2];
static region_case region[2];

/* ---- walking ------------------------------------------------------------------------------------------- */

typedef struct seen {
    const array_case *array;
    const region_case *region;
    int64_t next, runs;
} seen;

static qdr_status see(void *context, int64_t number, int64_t count, int rank, int64_t place, int64_t step) {
    seen *seen = context;
    assert_int_equal(number, seen->next);
    assert_true(count > 0);
    for (int64_t i = 0; i < count; i++) {
        int64_t element = seen->region->element[number + i];
        assert_int_equal(rank, seen->array->owner[element]);
        if (rank >= 0) assert_int_equal(place + i * step, seen->array->place[element]);
    }
    seen->next += count;
    seen->runs++;
    return QDR_OK;
}

static void check_walk(qdri_random *random, const array_case *array, const region_case *region) {
    qdri_array_side side = {array->layout, region->region};
    int64_t low = draw(random, 0, region->elements), high = draw(random, low, region->elements), hole,
            lowest = -1;
    if (draw(random, 0, 1)) low = 0, high = region->elements;
    seen seen = {array, region, low, 0};
    assert_int_equal(qdri_side_walk(&side, low, high, see, &seen), QDR_OK);
    assert_int_equal(seen.next, high);
    for (int64_t k = region->elements - 1; k >= 0; k--)
        if (array->owner[region->element[k]] < 0) lowest = k;
    assert_int_equal(qdri_side_hole(&side, &hole), QDR_OK);
    assert_int_equal(hole, lowest);
}

static void walks_and_holes(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(7);
    for (int round = 0; round < ROUNDS; round++) {
        draw_compact(&random, array);
        draw_region(&random, array, CASE_ELEMENTS, region);
        check_walk(&random, array, region);
        qdr_region_destroy(&region->region);
        qdr_layout_destroy(&array->layout);
    }
}

static qdr_status stop(void *context, int64_t number, int64_t count, int rank, int64_t place, int64_t step) {
    (void)number, (void)count, (void)rank, (void)place, (void)step;
    return ++*(int *)context == 2 ? QDR_ERR_BUSY : QDR_OK;
}

static void a_visitor_can_stop(void **state) {
    (void)state;
    qdr_axis axis = {.extent = 100, .spread = QDR_BLOCK, .parts = 5};
    qdri_array_side side;
    qdr_layout *layout;
    qdr_region *all;
    int visits = 0;
    assert_int_equal(qdr_layout_regular(1, &axis, NULL, &layout), QDR_OK);
    assert_int_equal(qdr_region_all(layout, QDR_ROW_MAJOR, &all), QDR_OK);
    side = (qdri_array_side){layout, all};
    assert_int_equal(qdri_side_walk(&side, 0, 100, stop, &visits), QDR_ERR_BUSY);
    assert_int_equal(visits, 2);
    assert_int_equal(qdri_side_walk(&side, 0, 101, stop, &visits), QDR_ERR_RANGE);
    assert_int_equal(qdri_side_walk(&side, -1, 5, stop, &visits), QDR_ERR_RANGE);
    qdr_region_destroy(&all);
    qdr_layout_destroy(&layout);
}

/* ---- matching ------------------------------------------------------------------------------------------ */

/* An array in which the boxes of `from` can stand, shape by shape, and the region that has them there. */
static void mirror(qdri_random *random, const array_case *from, array_case *to, region_case *mirrored,
                   int64_t (*count)[4], int boxes) {
    (void)from;
    int64_t lower[4] = {0}, upper[4], stride[4], base = 0;
    qdr_order order = open_region(random, to->dimensions, mirrored);
    for (int i = 0; i < boxes; i++) {
        for (int d = 0; d < to->dimensions; d++) {
            int64_t n = count[i][order == QDR_ROW_MAJOR ? d : to->dimensions - 1 - d];
            int64_t most = n > 1 ? (to->extent[d] - 1 - (d == 0 ? base : 0)) / (n - 1) : 1;
            assert_true(most >= 1);
            stride[d] = d == 0 || most == 1 ? 1 : draw(random, 1, most);
            int64_t room = to->extent[d] - 1 - (n - 1) * stride[d];
            lower[d] = d == 0 ? base : draw(random, 0, room);
            upper[d] = lower[d] + (n - 1) * stride[d] + 1;
        }
        base = upper[0];
        add_box(to, mirrored, order, lower, upper, stride);
    }
}

/* Two regions of boxes of equal shapes, one after the other along the first dimension. */
static int draw_mirrored(qdri_random *random) {
    int64_t count[3][4];
    int dimensions = array[0].dimensions, boxes = (int)draw(random, 1, 3);
    if (array[1].dimensions != dimensions) return 0;
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < dimensions; d++)
            if (array[side].extent[d] < boxes) return 0;
    for (int i = 0; i < boxes; i++)
        for (int d = 0; d < dimensions; d++) {
            int64_t most = CASE_ELEMENTS;
            for (int side = 0; side < 2; side++) { /* wherever the order puts it, it must fit */
                int other = dimensions - 1 - d;
                for (int k = 0; k < 2; k++) {
                    int64_t extent = array[side].extent[k ? other : d] / boxes;
                    if (extent < most) most = extent;
                }
            }
            count[i][d] = draw(random, 1, most);
        }
    mirror(random, array, array, region, count, boxes);
    mirror(random, array, array + 1, region + 1, count, boxes);
    return 1;
}

/* By rising number, what both have. */
static int64_t expect(int rank_a, int rank_b, int64_t *in_a, int64_t *in_b) {
    int64_t count = 0;
    for (int64_t k = 0; k < region[0].elements; k++) {
        int64_t a = region[0].element[k], b = region[1].element[k];
        if (array[0].owner[a] != rank_a || array[1].owner[b] != rank_b) continue;
        in_a[count] = array[0].place[a];
        in_b[count++] = array[1].place[b];
    }
    return count;
}

static void check_places(const qdri_places *places, int64_t count, const int64_t *expected) {
    static int64_t found[CASE_ELEMENTS];
    int64_t least = 0, most = -1;
    assert_int_equal(places->count, count);
    qdri_places_expand(places, found);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(found[i], expected[i]);
        if (i == 0 || expected[i] < least) least = expected[i];
        if (expected[i] > most) most = expected[i];
    }
    if (count > 0) assert_true(places->lowest == least && places->highest == most);
    assert_true(qdri_places_runs(places) <= count);
}

static void check_pair(const qdri_array_side *side, int rank_a, int rank_b) {
    static int64_t in_a[CASE_ELEMENTS], in_b[CASE_ELEMENTS];
    qdri_places found[2] = {{0}, {0}}, alone = {0};
    int64_t count = expect(rank_a, rank_b, in_a, in_b);
    assert_int_equal(qdri_match(side, rank_a, side + 1, rank_b, found, found + 1), QDR_OK);
    check_places(found, count, in_a);
    check_places(found + 1, count, in_b);
    assert_int_equal(qdri_match(side, rank_a, side + 1, rank_b, NULL, &alone), QDR_OK);
    check_places(&alone, count, in_b);
    for (int s = 0; s < 2; s++) qdri_places_close(found + s);
    qdri_places_close(&alone);
}

static void matches(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(11);
    int mirrored = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int side = 0; side < 2; side++) draw_compact(&random, array + side);
        if (draw(&random, 0, 2) && draw_mirrored(&random)) {
            mirrored++;
        } else {
            draw_region(&random, array, array[1].elements, region);
            draw_region(&random, array + 1, region->elements, region + 1);
            fill_region(&random, array + 1, region->elements, region + 1);
        }
        assert_int_equal(region[0].elements, region[1].elements);
        qdri_array_side side[2] = {{array[0].layout, region[0].region}, {array[1].layout, region[1].region}};
        int ranks_a = qdri_layout_ranks(array[0].layout), ranks_b = qdri_layout_ranks(array[1].layout);
        check_pair(side, (int)draw(&random, 0, ranks_a), (int)draw(&random, 0, ranks_b));
        for (int more = 0; more < 3; more++) { /* of owners of the same number */
            if (region[0].elements == 0) break;
            int64_t k = draw(&random, 0, region[0].elements - 1);
            int owner_a = array[0].owner[region[0].element[k]],
                owner_b = array[1].owner[region[1].element[k]];
            if (owner_a >= 0 && owner_b >= 0) check_pair(side, owner_a, owner_b);
        }
        for (int s = 0; s < 2; s++) {
            qdr_region_destroy(&region[s].region);
            qdr_layout_destroy(&array[s].layout);
        }
    }
    assert_true(mirrored > ROUNDS / 20);
}

/* Boxes of equal shape that begin at different numbers do not correspond. */
static void shifted(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(13);
    const int64_t lower[] = {1, 1}, upper[] = {3, 3}, one[] = {1, 1};
    for (int round = 0; round < ROUNDS / 10; round++) {
        for (int side = 0; side < 2; side++) {
            do {
                if (array[side].layout) qdr_layout_destroy(&array[side].layout);
                draw_compact(&random, array + side);
            } while (array[side].dimensions != 2 || array[side].extent[0] < 3 || array[side].extent[1] < 3);
            qdr_order order = open_region(&random, 2, region + side);
            if (side == 0) fill_region(&random, array, draw(&random, 1, 2), region);
            int64_t listed = region->elements;
            add_box(array + side, region + side, order, lower, upper, one);
            if (side == 1) fill_region(&random, array + 1, region[0].elements, region + 1);
            if (region->elements == listed) break; /* the list had an element of the box */
        }
        qdri_array_side side[2] = {{array[0].layout, region[0].region}, {array[1].layout, region[1].region}};
        int alike = region[1].region && region[0].elements == region[1].elements;
        for (int a = 0; alike && a < 4; a++)
            for (int b = 0; b < 4; b++) check_pair(side, a, b);
        for (int s = 0; s < 2; s++) {
            qdr_region_destroy(&region[s].region);
            qdr_layout_destroy(&array[s].layout);
        }
    }
}

/* ---- enormous arrays ----------------------------------------------------------------------------------- */

static qdr_layout *draw_enormous(qdri_random *random, int dimensions, int64_t *extent) {
    qdr_axis axis[3];
    qdr_storage storage = QDR_STORAGE;
    qdr_layout *layout;
    int bits = 60 / dimensions;
    for (int d = 0; d < dimensions; d++) {
        extent[d] = draw(random, 6, INT64_C(1) << draw(random, 3, bits - 1));
        axis[d] = (qdr_axis){.extent = extent[d], .spread = (qdr_spread)draw(random, 0, 2)};
        if (axis[d].spread != QDR_WHOLE) axis[d].parts = (int)draw(random, 1, 3);
        axis[d].block = draw(random, 1, INT64_C(1) << draw(random, 0, 62));
        axis[d].ghost_above = draw(random, 0, 1);
    }
    storage.order = (qdr_order)draw(random, 0, 1);
    assert_int_equal(qdr_layout_regular(dimensions, axis, &storage, &layout), QDR_OK);
    return layout;
}

/* A few elements, far apart. */
static qdr_region *draw_far(qdri_random *random, int dimensions, const int64_t *extent,
                            const int64_t *count) {
    qdr_region *region;
    int64_t lower[3], upper[3], stride[3];
    assert_int_equal(qdr_region_create(dimensions, QDR_ROW_MAJOR, &region), QDR_OK);
    for (int d = 0; d < dimensions; d++) {
        stride[d] =
            count[d] > 1 ? draw(random, 1, (extent[d] - 1) / (count[d] - 1)) : draw(random, 1, INT64_MAX);
        int64_t reach = count[d] > 1 ? (count[d] - 1) * stride[d] : 0;
        lower[d] = draw(random, 0, extent[d] - 1 - reach);
        upper[d] = lower[d] + reach + 1;
    }
    assert_int_equal(qdr_region_add_box(region, lower, upper, stride), QDR_OK);
    return region;
}

/* By rising number, what both have, element by element. */
static int64_t expect_far(const qdri_array_side *side, int rank_a, int rank_b,
                          int64_t (*place)[CASE_ELEMENTS]) {
    int64_t found = 0, index[3], at[2];
    int rank[2];
    for (int64_t k = 0; k < qdr_region_elements(side->region); k++) {
        for (int s = 0; s < 2; s++) {
            assert_int_equal(qdr_region_index(side[s].region, k, index), QDR_OK);
            assert_int_equal(qdr_layout_locate(side[s].layout, index, rank + s, at + s), QDR_OK);
        }
        if (rank[0] != rank_a || rank[1] != rank_b) continue;
        place[0][found] = at[0];
        place[1][found++] = at[1];
    }
    return found;
}

static void enormous(void **state) {
    (void)state;
    static int64_t place[2][CASE_ELEMENTS];
    qdri_random random = qdri_random_seed(17);
    for (int round = 0; round < ROUNDS / 5; round++) {
        int dimensions = (int)draw(&random, 1, 3);
        int64_t extent[3], count[3], hole;
        qdri_array_side side[2];
        for (int d = 0; d < dimensions; d++) count[d] = draw(&random, 1, 6);
        for (int s = 0; s < 2; s++) {
            side[s].layout = draw_enormous(&random, dimensions, extent);
            side[s].region = draw_far(&random, dimensions, extent, count);
            assert_int_equal(qdri_side_hole(side + s, &hole), QDR_OK);
            assert_int_equal(hole, -1);
        }
        for (int a = 0; a < qdri_layout_ranks(side[0].layout); a++)
            for (int b = 0; b < qdri_layout_ranks(side[1].layout); b++) {
                qdri_places found[2] = {{0}, {0}};
                int64_t expected = expect_far(side, a, b, place);
                assert_int_equal(qdri_match(side, a, side + 1, b, found, found + 1), QDR_OK);
                for (int s = 0; s < 2; s++) {
                    check_places(found + s, expected, place[s]);
                    qdri_places_close(found + s);
                }
            }
        for (int s = 0; s < 2; s++) {
            qdr_layout *layout = (qdr_layout *)side[s].layout;
            qdr_region *region = (qdr_region *)side[s].region;
            qdr_layout_destroy(&layout);
            qdr_region_destroy(&region);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks_and_holes),
                                       cmocka_unit_test(a_visitor_can_stop), cmocka_unit_test(matches),
                                       cmocka_unit_test(shifted), cmocka_unit_test(enormous)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
