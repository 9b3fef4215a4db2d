/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong is refused, with a sentence that says what; what is large but right is not. */
#include "layout_testing.h"

#define LARGE (INT64_C(1) << 62)

/* The status, and a word of the sentence. */
static void refused(qdr_status status, qdr_status expected, const char *word) {
    assert_int_equal(status, expected);
    if (!strstr(qdr_error_message(), word)) fail_msg("'%s' does not say '%s'", qdr_error_message(), word);
}

static char mark;
static qdr_layout *const untouched = (qdr_layout *)(void *)&mark;

static void refused_axis(qdr_axis axis, qdr_status status, const char *word) {
    qdr_layout *layout = untouched;
    refused(qdr_layout_regular(1, &axis, NULL, &layout), status, word);
    assert_true(layout == untouched);
}

static void axes(void **state) {
    (void)state;
    const int64_t falling[] = {0, 6, 5, 10}, late[] = {1, 10}, early[] = {0, 9};
    refused_axis((qdr_axis){.extent = -1}, QDR_ERR_INVALID, "-1");
    refused_axis((qdr_axis){.extent = LARGE + 1}, QDR_ERR_RANGE, "2^62");
    refused_axis((qdr_axis){.extent = 10, .spread = (qdr_spread)7}, QDR_ERR_INVALID, "spread");
    refused_axis((qdr_axis){.extent = 10, .spread = (qdr_spread)-1}, QDR_ERR_INVALID, "spread");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_BLOCK, .parts = -2}, QDR_ERR_INVALID, "-2 parts");
    refused_axis((qdr_axis){.extent = 10, .parts = 2}, QDR_ERR_INVALID, "one part");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_CYCLIC, .block = -3}, QDR_ERR_INVALID, "-3");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_CUTS, .parts = 3}, QDR_ERR_INVALID, "NULL");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_CUTS, .parts = 3, .cut = falling}, QDR_ERR_INVALID,
                 "cut 2 is 5");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_CUTS, .parts = 1, .cut = late}, QDR_ERR_INVALID,
                 "from 1");
    refused_axis((qdr_axis){.extent = 10, .spread = QDR_CUTS, .parts = 1, .cut = early}, QDR_ERR_INVALID,
                 "to 9");
    refused_axis((qdr_axis){.extent = 10, .ghost_below = -1}, QDR_ERR_INVALID, "ghost");
    refused_axis((qdr_axis){.extent = 10, .ghost_below = LARGE, .ghost_above = LARGE}, QDR_ERR_RANGE, "2^62");
    refused_axis((qdr_axis){.extent = 10, .ghost_above = INT64_MAX}, QDR_ERR_RANGE, "2^62");
}

static void grids(void **state) {
    (void)state;
    qdr_layout *layout = untouched;
    qdr_axis many[] = {{.extent = 9, .spread = QDR_BLOCK, .parts = 1 << 16},
                       {.extent = 9, .spread = QDR_BLOCK, .parts = 1 << 16}};
    qdr_axis wide[] = {{.extent = LARGE}, {.extent = 2}};
    qdr_axis ghosts[] = {{.extent = 1, .ghost_below = INT64_C(1) << 32},
                         {.extent = 1, .ghost_below = INT64_C(1) << 32}};
    refused(qdr_layout_regular(2, many, NULL, &layout), QDR_ERR_RANGE, "grid");
    refused(qdr_layout_regular(2, wide, NULL, &layout), QDR_ERR_RANGE, "2^62");
    refused(qdr_layout_regular(2, ghosts, NULL, &layout), QDR_ERR_RANGE, "2^62");
    refused(qdr_layout_regular(0, wide, NULL, &layout), QDR_ERR_INVALID, "1 to 16");
    refused(qdr_layout_regular(17, wide, NULL, &layout), QDR_ERR_INVALID, "17");
    refused(qdr_layout_regular(-1, wide, NULL, &layout), QDR_ERR_INVALID, "-1");
    refused(qdr_layout_regular(1, NULL, NULL, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_regular(1, wide, NULL, NULL), QDR_ERR_INVALID, "NULL");
    assert_true(layout == untouched);
}

static void storages(void **state) {
    (void)state;
    qdr_layout *layout = untouched;
    qdr_axis axis[] = {{.extent = 6, .spread = QDR_BLOCK, .parts = 2}, {.extent = 5, .ghost_above = 1}};
    int64_t meeting[] = {5, 1}, right[] = {6, 1}, zero[] = {6, 0}, huge[] = {LARGE, 1}, swapped[] = {1, 3};
    int twice[] = {4, 4}, negative[] = {0, -1};
    qdr_storage storage = QDR_STORAGE;
    storage.size = 1;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_INVALID, "QDR_STORAGE");
    storage = (qdr_storage)QDR_STORAGE;
    storage.order = (qdr_order)2;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_INVALID, "order");
    storage = (qdr_storage)QDR_STORAGE;
    storage.offset = -1;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_RANGE, "-1");
    storage.offset = LARGE;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_RANGE, "offset");
    storage = (qdr_storage)QDR_STORAGE;
    storage.stride = meeting;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_INVALID, "overlap");
    storage.stride = zero;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_INVALID, "1 or more");
    storage.stride = huge;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_RANGE, "2^62");
    storage = (qdr_storage)QDR_STORAGE;
    storage.rank = twice;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_INVALID, "rank 4");
    storage.rank = negative;
    refused(qdr_layout_regular(2, axis, &storage, &layout), QDR_ERR_RANGE, "-1");
    assert_true(layout == untouched);
    storage.rank = NULL;
    storage.stride = right;
    assert_int_equal(qdr_layout_regular(2, axis, &storage, &layout), QDR_OK);
    qdr_layout_destroy(&layout);
    storage.stride = swapped; /* along the parts of the first dimension, three elements long, it fits */
    assert_int_equal(qdr_layout_regular(2, axis, &storage, &layout), QDR_OK);
    qdr_layout_destroy(&layout);
    qdr_layout_destroy(&layout);
    qdr_layout_destroy(NULL);
}

/* The largest arrays are no harder than small ones. */
static void large_ones(void **state) {
    (void)state;
    qdr_layout *layout;
    int64_t elements, room, place, index;
    int rank;
    for (int spread = QDR_WHOLE; spread <= QDR_CYCLIC; spread++)
        for (int shift = 0; shift < 63; shift++) {
            qdr_axis axis = {.extent = LARGE,
                             .spread = (qdr_spread)spread,
                             .parts = spread ? 2000000000 : 1,
                             .block = INT64_C(1) << shift};
            assert_int_equal(qdr_layout_regular(1, &axis, NULL, &layout), QDR_OK);
            for (int i = 0; i < 3; i++) {
                int64_t at = (int64_t[]){0, LARGE / 3, LARGE - 1}[i];
                assert_int_equal(qdr_layout_locate(layout, &at, &rank, &place), QDR_OK);
                assert_int_equal(qdr_layout_index(layout, rank, place, &index), QDR_OK);
                assert_true(index == at);
                assert_int_equal(qdr_layout_share(layout, rank, &elements, &room), QDR_OK);
                assert_true(elements > 0 && room == elements && place < room);
            }
            assert_int_equal(qdr_layout_share(layout, 1999999999, &elements, &room), QDR_OK);
            qdr_layout_destroy(&layout);
        }
}

static void boxes(void **state) {
    (void)state;
    qdr_layout *layout = untouched;
    const int64_t extent[] = {10, 10}, low[] = {2, 3}, high[] = {5, 6}, beyond[] = {5, 11},
                  meeting[] = {2, 1};
    const int64_t corner[] = {4, 5}, end[] = {10, 10}, below[] = {-1, 0};
    qdr_box wrong[] = {{high, low, NULL, 0},    {low, beyond, NULL, 0},  {below, high, NULL, 0},
                       {low, high, NULL, -1},   {low, high, meeting, 0}, {NULL, high, NULL, 0},
                       {low, high, NULL, LARGE}};
    const char *word[] = {"before it begins", "outside", "outside", "offset", "overlap", "NULL", "2^62"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        qdr_status status = qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, 1, wrong + i, &layout);
        refused(status, strstr("before overlap NULL", word[i]) || i == 0 ? QDR_ERR_INVALID : QDR_ERR_RANGE,
                word[i]);
    }
    qdr_box two[] = {{low, high, NULL, 0}, {corner, end, NULL, 9}};
    refused(qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, 2, two, &layout), QDR_ERR_INVALID, "(4, 5)");
    refused(qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, -1, two, &layout), QDR_ERR_INVALID, "-1");
    refused(qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, 1, NULL, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_boxes(2, NULL, QDR_ROW_MAJOR, 1, two, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_boxes(2, extent, (qdr_order)5, 1, two, &layout), QDR_ERR_INVALID, "order");
    assert_true(layout == untouched);
    assert_int_equal(qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, 0, NULL, &layout), QDR_OK);
    qdr_layout_destroy(&layout);
}

/* ---- joining ------------------------------------------------------------------------------------------- */

static qdr_status join_two(const int64_t *extent, qdr_order order, const qdr_box *other,
                           qdr_layout **joined) {
    const int64_t ten[] = {10, 10}, low[] = {2, 3}, high[] = {5, 6};
    const qdr_box box = {low, high, NULL, 0};
    qdr_layout *part[2];
    char bytes[400];
    int64_t start[3] = {0};
    assert_int_equal(qdr_layout_boxes(2, ten, QDR_ROW_MAJOR, 1, &box, part), QDR_OK);
    if (other)
        assert_int_equal(qdr_layout_boxes(2, extent, order, 1, other, part + 1), QDR_OK);
    else
        assert_int_equal(qdr_layout_runs(2, extent, 0, NULL, NULL, part + 1), QDR_OK);
    for (int r = 0; r < 2; r++) {
        void *written;
        int64_t size;
        assert_int_equal(qdri_layout_write(part[r], &written, &size), QDR_OK);
        memcpy(bytes + start[r], written, (size_t)size);
        start[r + 1] = start[r] + size;
        free(written);
        qdr_layout_destroy(part + r);
    }
    return qdri_layout_join(bytes, start, 2, joined);
}

static void joined_boxes(void **state) {
    (void)state;
    qdr_layout *joined = untouched;
    const int64_t ten[] = {10, 10}, eleven[] = {10, 11}, corner[] = {4, 5}, end[] = {10, 10},
                  apart[] = {5, 5};
    qdr_box meeting = {corner, end, NULL, 0}, beside = {apart, end, NULL, 0};
    refused(join_two(ten, QDR_ROW_MAJOR, &meeting, &joined), QDR_ERR_MISMATCH,
            "(4, 5) is in boxes of rank 0 and of rank 1");
    refused(join_two(eleven, QDR_ROW_MAJOR, &beside, &joined), QDR_ERR_MISMATCH, "rank 1 says 11");
    refused(join_two(ten, QDR_COLUMN_MAJOR, &beside, &joined), QDR_ERR_MISMATCH, "orders");
    refused(join_two(ten, QDR_ROW_MAJOR, NULL, &joined), QDR_ERR_MISMATCH, "rank 1 states no boxes");
    refused(qdri_layout_join(NULL, NULL, 0, &joined), QDR_ERR_INVALID, "0 ranks");
    assert_true(joined == untouched);
    assert_int_equal(join_two(ten, QDR_ROW_MAJOR, &beside, &joined), QDR_OK);
    assert_int_equal(qdri_layout_ranks(joined), 2);
    qdr_layout_destroy(&joined);
}

/* ---- explicit layouts and regions ---------------------------------------------------------------------- */

/* Knows everything when it has a context. */
static int ask(void *context, int64_t count, const int64_t *element, int *owner, int64_t *place) {
    for (int64_t i = 0; i < count; i++) {
        owner[i] = (int)(element[i] % 2);
        place[i] = element[i] / 2;
    }
    return context ? 0 : 3;
}

static void explicit_layouts(void **state) {
    (void)state;
    qdr_layout *layout = untouched;
    const int64_t extent[] = {10}, first[] = {3, 8}, count[] = {2, 3}, negative[] = {2, -1},
                  beyond[] = {3, 10};
    const int owner[] = {0, -1}, good[] = {0, 1};
    refused(qdr_layout_runs(1, extent, 2, first, count, &layout), QDR_ERR_RANGE, "run 1");
    refused(qdr_layout_runs(1, extent, 2, first, negative, &layout), QDR_ERR_INVALID, "run 1");
    refused(qdr_layout_runs(1, extent, 2, beyond, NULL, &layout), QDR_ERR_RANGE, "run 1");
    refused(qdr_layout_runs(1, extent, -2, beyond, NULL, &layout), QDR_ERR_INVALID, "-2");
    refused(qdr_layout_runs(1, extent, 2, NULL, NULL, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_entries(1, extent, 2, beyond, good, first, &layout), QDR_ERR_RANGE, "element 10");
    refused(qdr_layout_entries(1, extent, 2, first, owner, first, &layout), QDR_ERR_RANGE, "owner -1");
    refused(qdr_layout_entries(1, extent, 2, first, good, negative, &layout), QDR_ERR_RANGE, "place -1");
    refused(qdr_layout_entries(1, extent, 2, first, good, NULL, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_dereferenced(1, extent, 0, 4, ask, NULL, &layout), QDR_ERR_UNKNOWN, "returned 3");
    refused(qdr_layout_dereferenced(1, extent, 8, 4, ask, &layout, &layout), QDR_ERR_RANGE, "element 10");
    refused(qdr_layout_dereferenced(1, extent, 0, 4, NULL, NULL, &layout), QDR_ERR_INVALID, "NULL");
    refused(qdr_layout_dereferenced(1, extent, -1, 4, ask, &layout, &layout), QDR_ERR_INVALID, "elements -1");
    assert_true(layout == untouched);
}

static void regions(void **state) {
    (void)state;
    qdr_region *region = NULL, *user;
    const int64_t zero[] = {0, 0}, ten[] = {10, 10}, far[] = {LARGE, LARGE}, negative[] = {-1, 0},
                  beyond[] = {LARGE + 1, 1};
    const int64_t list[] = {20, 20, 21, 21, 20, 20}, outside[] = {0, LARGE}, steps[] = {0, 1};
    refused(qdr_region_create(0, QDR_ROW_MAJOR, &region), QDR_ERR_INVALID, "dimensions");
    refused(qdr_region_create(2, (qdr_order)3, &region), QDR_ERR_INVALID, "order");
    refused(qdr_region_create(2, QDR_ROW_MAJOR, NULL), QDR_ERR_INVALID, "NULL");
    assert_int_equal(qdr_region_create(2, QDR_ROW_MAJOR, &region), QDR_OK);
    refused(qdr_region_add_box(region, ten, zero, NULL), QDR_ERR_INVALID, "before it begins");
    refused(qdr_region_add_box(region, negative, ten, NULL), QDR_ERR_RANGE, "2^62");
    refused(qdr_region_add_box(region, zero, beyond, NULL), QDR_ERR_RANGE, "2^62");
    refused(qdr_region_add_box(region, zero, far, NULL), QDR_ERR_RANGE, "2^62");
    refused(qdr_region_add_box(region, zero, ten, steps), QDR_ERR_INVALID, "stride");
    refused(qdr_region_add_box(region, NULL, ten, NULL), QDR_ERR_INVALID, "NULL");
    refused(qdr_region_add_list(region, -1, list), QDR_ERR_INVALID, "-1");
    refused(qdr_region_add_list(region, 1, NULL), QDR_ERR_INVALID, "NULL");
    refused(qdr_region_add_list(region, 1, negative), QDR_ERR_RANGE, "-1");
    refused(qdr_region_add_list(region, 1, outside), QDR_ERR_RANGE, "dimension 1");
    refused(qdr_region_add_list(region, 3, list), QDR_ERR_INVALID, "(20, 20)");
    assert_int_equal(qdr_region_elements(region), 0);
    assert_int_equal(qdr_region_add_list(region, 2, list), QDR_OK); /* what was refused left nothing behind */
    assert_int_equal(qdr_region_add_box(region, zero, ten, NULL), QDR_OK);
    refused(qdr_region_add_box(region, zero, far, far), QDR_ERR_INVALID, "(0, 0)");
    user = qdri_region_retain(region);
    refused(qdr_region_add_list(region, 1, list + 2), QDR_ERR_BUSY, "in use");
    qdr_region_destroy(&user);
    assert_int_equal(qdr_region_elements(region), 102);
    qdr_region_destroy(&region);
    assert_int_equal(qdr_region_elements(NULL), 0);
}

/* Progressions of enormous strides that meet once, or never. */
static void far_apart(void **state) {
    (void)state;
    const int64_t p = INT64_C(1000000007), q = INT64_C(998244353), zero = 0, one = 1, end = LARGE;
    qdr_region *region;
    assert_int_equal(qdr_region_create(1, QDR_ROW_MAJOR, &region), QDR_OK);
    assert_int_equal(qdr_region_add_box(region, &zero, &end, &p), QDR_OK);
    refused(qdr_region_add_box(region, &one, &end, &q), QDR_ERR_INVALID, "already"); /* coprime: they meet */
    const int64_t before = 1 + q * 3, even = INT64_C(4) * p, shifted = 2 * p + 2;
    assert_int_equal(qdr_region_add_box(region, &one, &before, &q), QDR_OK);     /* too short to */
    assert_int_equal(qdr_region_add_box(region, &shifted, &end, &even), QDR_OK); /* never */
    qdr_region_destroy(&region);
}

static void sides(void **state) {
    (void)state;
    qdr_axis axis[] = {{.extent = 4}, {.extent = 4}};
    qdr_layout *flat, *square, *runs;
    qdr_region *line, *plane;
    qdri_places none = {0};
    int64_t hole;
    assert_int_equal(qdr_layout_regular(1, axis, NULL, &flat), QDR_OK);
    assert_int_equal(qdr_layout_regular(2, axis, NULL, &square), QDR_OK);
    assert_int_equal(qdr_layout_runs(1, &axis->extent, 0, NULL, NULL, &runs), QDR_OK);
    assert_int_equal(qdr_region_all(flat, QDR_ROW_MAJOR, &line), QDR_OK);
    assert_int_equal(qdr_region_all(square, QDR_ROW_MAJOR, &plane), QDR_OK);
    qdri_array_side a = {flat, line}, b = {square, plane}, mixed = {flat, plane}, stated = {runs, line};
    refused(qdri_match(&a, 0, &b, 0, &none, NULL), QDR_ERR_MISMATCH, "4 and 16");
    refused(qdri_match(&mixed, 0, &b, 0, &none, NULL), QDR_ERR_INVALID, "dimensions");
    refused(qdri_match(&stated, 0, &a, 0, &none, NULL), QDR_ERR_INVALID, "explicit");
    refused(qdri_side_hole(&stated, &hole), QDR_ERR_INVALID, "explicit");
    refused(qdri_side_stated(&a, NULL, NULL), QDR_ERR_INVALID, "compact");
    refused(qdri_region_fits(plane, flat), QDR_ERR_INVALID, "dimensions");
    assert_int_equal(none.count, 0);
    qdr_layout_destroy(&flat);
    qdr_layout_destroy(&square);
    qdr_layout_destroy(&runs);
    qdr_region_destroy(&line);
    qdr_region_destroy(&plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(axes),
                                       cmocka_unit_test(grids),
                                       cmocka_unit_test(storages),
                                       cmocka_unit_test(large_ones),
                                       cmocka_unit_test(boxes),
                                       cmocka_unit_test(joined_boxes),
                                       cmocka_unit_test(explicit_layouts),
                                       cmocka_unit_test(regions),
                                       cmocka_unit_test(far_apart),
                                       cmocka_unit_test(sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
