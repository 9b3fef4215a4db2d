/* SPDX-License-Identifier: BSD-3-Clause */
/* The global, local and linear views of random layouts and regions, and figure 1 of Lee and Sussman. */
#include <stdio.h>

#include "layout_testing.h"
#include "light.h"

#define ROUNDS light_or(2000, 12000)

static array_case array;
static region_case region;

/* ---- global and local ---------------------------------------------------------------------------------- */

static void check_places(const array_case *array, int rank, int asked) {
    int64_t elements, room, count = 0, known = 0, index[4];
    for (int64_t e = 0; e < array->elements; e++) count += array->owner[e] == rank;
    assert_int_equal(qdr_layout_share(array->layout, asked, &elements, &room), QDR_OK);
    assert_int_equal(elements, count);
    assert_int_equal(room, array->room[rank]);
    for (int64_t place = -1; place < room + 3; place++) {
        qdr_status status = qdr_layout_index(array->layout, asked, place, index);
        if (status == QDR_ERR_UNKNOWN) continue;
        assert_int_equal(status, QDR_OK);
        int64_t element = join_index(array, index);
        assert_int_equal(array->owner[element], rank);
        assert_int_equal(array->place[element], place);
        known++;
    }
    assert_int_equal(known, count);
}

static void check_elements(const array_case *array, int own) {
    int64_t index[4], place;
    int rank;
    for (int64_t e = 0; e < array->elements; e++) {
        split_element(array, e, index);
        qdr_status status = qdr_layout_locate(array->layout, index, &rank, &place);
        if (array->owner[e] < 0 || (own >= 0 && array->owner[e] != own)) {
            assert_int_equal(status, QDR_ERR_UNKNOWN);
            continue;
        }
        assert_int_equal(status, QDR_OK);
        assert_int_equal(rank, own >= 0 ? QDR_HERE : array->owner[e]);
        assert_int_equal(place, array->place[e]);
    }
}

static void compact_layouts(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(1);
    for (int round = 0; round < ROUNDS; round++) {
        int highest = -1;
        draw_compact(&random, &array);
        check_elements(&array, -1);
        for (int64_t e = 0; e < array.elements; e++)
            if (array.owner[e] > highest) highest = array.owner[e];
        assert_int_equal(qdri_layout_ranks(array.layout), highest + 1);
        for (int rank = 0; rank < 8 || rank <= highest; rank++) check_places(&array, rank, rank);
        qdr_layout_destroy(&array.layout);
    }
}

static void own_boxes(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(2);
    for (int round = 0; round < ROUNDS; round++) {
        box_case box[CASE_BOXES];
        qdr_order order = (qdr_order)draw(&random, 0, 1);
        draw_extent(&random, &array);
        int boxes = draw_cut(&random, &array, 2, box);
        for (int i = 0; i < boxes; i++) place_box(&random, &array, box + i, order);
        void *bytes;
        int64_t size;
        write_boxes(&array, box, boxes, 0, order, &bytes, &size);
        assert_int_equal(qdri_layout_read(bytes, size, &array.layout), QDR_OK);
        free(bytes);
        check_elements(&array, 0);
        check_places(&array, 0, QDR_HERE);
        qdr_layout_destroy(&array.layout);
    }
}

/* ---- explicit layouts, and what they state ------------------------------------------------------------- */

static int64_t stated_place[CASE_ELEMENTS];
static int stated_rank[CASE_ELEMENTS];

static qdr_status state_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                            int64_t step) {
    (void)context;
    assert_true(count > 0);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(stated_rank[number + i], -9);
        stated_rank[number + i] = rank;
        stated_place[number + i] = place + i * step;
    }
    return QDR_OK;
}

/* `own`: of elements of that rank alone, by itself. */
static void check_stated(const array_case *array, const region_case *region, int own) {
    qdri_array_side side = {array->layout, region->region};
    for (int64_t k = 0; k < region->elements; k++) stated_rank[k] = -9;
    assert_int_equal(qdri_side_stated(&side, state_run, NULL), QDR_OK);
    for (int64_t k = 0; k < region->elements; k++) {
        int64_t e = region->element[k];
        int owner = array->owner[e];
        if (own >= 0)
            owner = owner == own ? QDR_HERE : -9;
        else if (owner < 0)
            owner = -9;
        assert_int_equal(stated_rank[k], owner);
        if (owner != -9) assert_int_equal(stated_place[k], array->place[e]);
    }
}

/* Rank 0 owns random runs in random order, of one element each if `single`. */
static void draw_runs(qdri_random *random, array_case *array, int single) {
    int64_t first[CASE_ELEMENTS], count[CASE_ELEMENTS], place = 0;
    int order[CASE_ELEMENTS], runs = 0;
    for (int64_t e = 0; e < array->elements;) {
        int64_t length = single ? 1 : draw(random, 0, 9);
        if (length > array->elements - e) length = array->elements - e;
        first[runs] = e;
        count[runs] = length;
        runs += draw(random, 0, 2) > 0;
        e += length;
    }
    for (int i = 0; i < runs; i++) order[i] = i;
    if (draw(random, 0, 3)) qdri_random_shuffle(random, order, runs);
    int64_t given_first[CASE_ELEMENTS], given_count[CASE_ELEMENTS];
    for (int i = 0; i < runs; i++) {
        given_first[i] = first[order[i]];
        given_count[i] = count[order[i]];
        for (int64_t k = 0; k < given_count[i]; k++) {
            array->owner[given_first[i] + k] = 0;
            array->place[given_first[i] + k] = place++;
        }
    }
    array->room[0] = place;
    assert_int_equal(qdr_layout_runs(array->dimensions, array->extent, runs, given_first,
                                     single ? NULL : given_count, &array->layout),
                     QDR_OK);
}

static void draw_entries(qdri_random *random, array_case *array) {
    int64_t element[CASE_ELEMENTS], local[CASE_ELEMENTS], count = 0, used[4] = {0};
    int owner[CASE_ELEMENTS], order[CASE_ELEMENTS];
    for (int64_t e = 0; e < array->elements; e++) order[e] = (int)e;
    qdri_random_shuffle(random, order, array->elements);
    for (int64_t i = 0; i < array->elements; i++) {
        if (draw(random, 0, 3) == 0) continue;
        int rank = (int)draw(random, 0, 3);
        element[count] = order[i];
        owner[count] = array->owner[order[i]] = rank;
        local[count] = array->place[order[i]] = used[rank];
        array->room[rank] = used[rank] + 1;
        used[rank] += draw(random, 1, 2);
        count++;
    }
    assert_int_equal(
        qdr_layout_entries(array->dimensions, array->extent, count, element, owner, local, &array->layout),
        QDR_OK);
}

static void explicit_layouts(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(3);
    for (int round = 0; round < ROUNDS; round++) {
        int kind = (int)draw(&random, 0, 2), rank;
        int64_t place, zero[4] = {0};
        draw_extent(&random, &array);
        if (kind == 2)
            draw_entries(&random, &array);
        else
            draw_runs(&random, &array, kind);
        draw_region(&random, &array, CASE_ELEMENTS, &region);
        check_elements(&array, kind == 2 ? -1 : 0);
        check_stated(&array, &region, kind == 2 ? -1 : 0);
        check_places(&array, 0, kind == 2 ? 0 : QDR_HERE);
        assert_int_equal(qdr_layout_index(array.layout, kind == 2 ? QDR_HERE : 0, 0, zero), QDR_ERR_UNKNOWN);
        assert_int_equal(qdr_layout_share(array.layout, kind == 2 ? QDR_HERE : 0, &place, &place),
                         QDR_ERR_UNKNOWN);
        zero[0] = array.extent[0];
        assert_int_equal(qdr_layout_locate(array.layout, zero, &rank, &place), QDR_ERR_RANGE);
        qdr_region_destroy(&region.region);
        qdr_layout_destroy(&array.layout);
    }
}

/* ---- strides, by division ------------------------------------------------------------------------------ */

typedef struct stride_case {
    int64_t lower, stride, count, first, length; /* a box; a run, at place 0 */
    int64_t found;
} stride_case;

static qdr_status find_run(void *context, int64_t number, int64_t count, int rank, int64_t place,
                           int64_t step) {
    stride_case *box = context;
    assert_int_equal(rank, QDR_HERE);
    assert_true(count > 0 && number >= 0 && number + count <= box->count);
    assert_int_equal(box->lower + number * box->stride, box->first + place);
    assert_int_equal(step, count == 1 ? 1 : box->stride);
    assert_true(place + (count - 1) * step < box->length);
    box->found += count;
    return QDR_OK;
}

/* How many elements below `limit` the box has. */
static int64_t count_below(const stride_case *box, int64_t limit) {
    if (limit <= box->lower) return 0;
    int64_t count = (limit - box->lower - 1) / box->stride + 1;
    return count < box->count ? count : box->count;
}

/* In arrays of up to 2^62 elements: strides odd and even, runs at, beside and far from their elements. */
static void strides(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(6);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t extent = INT64_C(1) << draw(&random, 1, 62), upper;
        stride_case box = {.stride = draw(&random, 1, INT64_C(1) << draw(&random, 0, 62))};
        if (draw(&random, 0, 2) == 0) box.stride = INT64_C(1) << draw(&random, 0, 62);
        box.lower = draw(&random, 0, extent - 1);
        upper = draw(&random, box.lower + 1, extent);
        box.count = (upper - box.lower - 1) / box.stride + 1;
        box.first = draw(&random, 0, extent - 1);
        if (draw(&random, 0, 3))
            box.first = box.lower + draw(&random, 0, box.count - 1) * box.stride + draw(&random, -1, 1);
        if (box.first < 0 || box.first >= extent) box.first = 0;
        box.length = draw(&random, 0, 1) ? 1 : draw(&random, 1, extent - box.first);
        qdr_layout *layout;
        qdr_region *strided;
        assert_int_equal(qdr_layout_runs(1, &extent, 1, &box.first, &box.length, &layout), QDR_OK);
        assert_int_equal(qdr_region_create(1, QDR_ROW_MAJOR, &strided), QDR_OK);
        assert_int_equal(qdr_region_add_box(strided, &box.lower, &upper, &box.stride), QDR_OK);
        qdri_array_side side = {layout, strided};
        assert_int_equal(qdri_side_stated(&side, find_run, &box), QDR_OK);
        assert_int_equal(box.found, count_below(&box, box.first + box.length) - count_below(&box, box.first));
        qdr_region_destroy(&strided);
        qdr_layout_destroy(&layout);
    }
}

/* A mistake that other ranks find; here each element of either run is found all the same. */
static void stated_twice(void **state) {
    (void)state;
    const int64_t extent = 20, first[] = {12, 2, 4}, count[] = {2, 9, 1};
    qdr_layout *layout;
    int64_t place;
    int rank;
    assert_int_equal(qdr_layout_runs(1, &extent, 3, first, count, &layout), QDR_OK);
    for (int64_t i = 0; i < extent; i++) {
        qdr_status status = qdr_layout_locate(layout, &i, &rank, &place);
        assert_int_equal(status, (i >= 2 && i < 11) || i == 12 || i == 13 ? QDR_OK : QDR_ERR_UNKNOWN);
        if (i != 4 && status == QDR_OK) assert_int_equal(place, i >= 12 ? i - 12 : i);
    }
    qdr_layout_destroy(&layout);
}

/* ---- global and linear --------------------------------------------------------------------------------- */

static void regions(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(4);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t index[4], number;
        draw_compact(&random, &array);
        draw_region(&random, &array, CASE_ELEMENTS, &region);
        for (int64_t k = 0; k < region.elements; k++) {
            assert_int_equal(qdr_region_index(region.region, k, index), QDR_OK);
            assert_int_equal(join_index(&array, index), region.element[k]);
            assert_int_equal(qdr_region_number(region.region, index, &number), QDR_OK);
            assert_int_equal(number, k);
        }
        for (int64_t e = 0; e < array.elements; e++) {
            split_element(&array, e, index);
            qdr_status status = qdr_region_number(region.region, index, &number);
            assert_int_equal(status, region.has[e] ? QDR_OK : QDR_ERR_UNKNOWN);
        }
        assert_int_equal(qdr_region_index(region.region, region.elements, index), QDR_ERR_RANGE);
        assert_int_equal(qdr_region_index(region.region, -1, index), QDR_ERR_RANGE);
        assert_int_equal(qdri_region_fits(region.region, array.layout), QDR_OK);
        qdr_region_destroy(&region.region);
        qdr_layout_destroy(&array.layout);
    }
}

/* The first element in the order of numbers that lies outside is named. */
static void what_does_not_fit(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(5);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t small[4], index[4], outside = -1;
        qdr_layout *layout;
        char expected[64];
        draw_extent(&random, &array);
        draw_region(&random, &array, CASE_ELEMENTS, &region);
        for (int d = 0; d < array.dimensions; d++)
            small[d] = draw(&random, array.extent[d] / 2, array.extent[d]);
        assert_int_equal(qdr_layout_runs(array.dimensions, small, 0, NULL, NULL, &layout), QDR_OK);
        for (int64_t k = region.elements - 1; k >= 0; k--) {
            split_element(&array, region.element[k], index);
            for (int d = 0; d < array.dimensions; d++)
                if (index[d] >= small[d]) outside = k;
        }
        qdr_status status = qdri_region_fits(region.region, layout);
        assert_int_equal(status, outside < 0 ? QDR_OK : QDR_ERR_RANGE);
        snprintf(expected, sizeof expected, "number %d of", (int)outside);
        if (outside >= 0) assert_non_null(strstr(qdr_error_message(), expected));
        qdr_layout_destroy(&layout);
        qdr_region_destroy(&region.region);
    }
}

/* ---- figure 1 ------------------------------------------------------------------------------------------ */

/* Sets of regions of two arrays in column-major order: of the first a block of 2 x 4 and one of 3 x 2,
 * of the second one of 7 x 2. Their shapes differ; the k-th element of one is the k-th of the other. */
static void figure_1(void **state) {
    (void)state;
    static const int64_t first_index[14][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}, {2, 3}, {1, 4},
                                               {2, 4}, {4, 0}, {5, 0}, {6, 0}, {4, 1}, {5, 1}, {6, 1}};
    static const int64_t second_index[14][2] = {{0, 3}, {1, 3}, {2, 3}, {3, 3}, {4, 3}, {5, 3}, {6, 3},
                                                {0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}, {6, 4}};
    qdr_region *first, *second;
    int64_t index[2], number;
    assert_int_equal(qdr_region_create(2, QDR_COLUMN_MAJOR, &first), QDR_OK);
    assert_int_equal(qdr_region_create(2, QDR_COLUMN_MAJOR, &second), QDR_OK);
    assert_int_equal(qdr_region_add_box(first, (int64_t[]){1, 1}, (int64_t[]){3, 5}, NULL), QDR_OK);
    assert_int_equal(qdr_region_add_box(first, (int64_t[]){4, 0}, (int64_t[]){7, 2}, NULL), QDR_OK);
    assert_int_equal(qdr_region_add_box(second, (int64_t[]){0, 3}, (int64_t[]){7, 5}, NULL), QDR_OK);
    assert_int_equal(qdr_region_elements(first), 14);
    assert_int_equal(qdr_region_elements(second), 14);
    for (int64_t k = 0; k < 14; k++) {
        assert_int_equal(qdr_region_index(first, k, index), QDR_OK);
        assert_memory_equal(index, first_index[k], sizeof index);
        assert_int_equal(qdr_region_number(second, second_index[k], &number), QDR_OK);
        assert_int_equal(number, k);
    }
    qdr_region_destroy(&first);
    qdr_region_destroy(&second);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compact_layouts),   cmocka_unit_test(own_boxes),
                                       cmocka_unit_test(explicit_layouts),  cmocka_unit_test(strides),
                                       cmocka_unit_test(stated_twice),      cmocka_unit_test(regions),
                                       cmocka_unit_test(what_does_not_fit), cmocka_unit_test(figure_1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
