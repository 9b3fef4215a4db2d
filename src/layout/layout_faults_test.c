/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that runs out: each allocation of each operation fails once, alone and with all that follow. Whatever
 * failed says so and writes no output; what is not given back is seen by the leak check of the sanitizer.
 */
#include "layout_testing.h"

#include "failing_memory.h"

typedef qdr_status operation(void);

static char mark;
#define UNTOUCHED(type) ((type *)(void *)&mark)

/* ---- what the operations work on ----------------------------------------------------------------------- */

static qdr_layout *regular, *joined, *runs, *entries;
static qdr_region *boxed, *listed, *strip;
static void *bytes[3], *piece;
static int64_t size[3], start[3], piece_size;
static qdri_places places;

static const int64_t extent[] = {12, 10}, cut[] = {0, 3, 3, 12};
static const qdr_axis axis[] = {{.extent = 12, .spread = QDR_CUTS, .parts = 3, .cut = cut},
                                {.extent = 10, .spread = QDR_CYCLIC, .block = 2, .parts = 2}};

static qdr_status make_layout(qdr_layout *layout, qdr_status status) {
    if (status)
        assert_true(layout == UNTOUCHED(qdr_layout));
    else
        qdr_layout_destroy(&layout);
    return status;
}

static qdr_status make_regular(void) {
    const int rank[] = {5, 4, 3, 2, 1, 0};
    qdr_storage storage = QDR_STORAGE;
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    storage.rank = rank;
    qdr_status status = qdr_layout_regular(2, axis, &storage, &layout);
    return make_layout(layout, status);
}

static qdr_status box_layout(int rank, qdr_layout **layout) {
    const int64_t bound[] = {0, 0, 12, 3, 0, 3, 12, 6, 0, 6, 12, 8, 0, 8, 12, 10};
    const qdr_box box[] = {{bound + 4 * rank, bound + 4 * rank + 2, NULL, 0},
                           {bound + 4 * rank + 8, bound + 4 * rank + 10, NULL, 100}};
    return qdr_layout_boxes(2, extent, QDR_ROW_MAJOR, 2, box, layout);
}

static qdr_status make_boxes(void) {
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    qdr_status status = box_layout(0, &layout);
    return make_layout(layout, status);
}

static qdr_status make_joined(void) {
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    qdr_status status = qdri_layout_join(piece, start, 2, &layout);
    return make_layout(layout, status);
}

static qdr_status make_runs(void) {
    const int64_t first[] = {70, 7, 30}, count[] = {4, 3, 9}, index[] = {3, 5};
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    int64_t place;
    int rank;
    qdr_status status = qdr_layout_runs(2, extent, 3, first, count, &layout);
    if (status) return make_layout(layout, status);
    status = qdr_layout_locate(layout, index, &rank, &place);
    if (status == QDR_OK) assert_true(rank == QDR_HERE && place == 12);
    qdr_layout_destroy(&layout);
    return status;
}

static qdr_status make_entries(void) {
    const int64_t element[] = {70, 7, 35}, local[] = {4, 3, 9};
    const int owner[] = {1, 1, 2};
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    int64_t place, index[] = {3, 5};
    int rank;
    qdr_status status = qdr_layout_entries(2, extent, 3, element, owner, local, &layout);
    if (status) return make_layout(layout, status);
    status = qdr_layout_locate(layout, index, &rank, &place);
    if (status == QDR_OK) status = qdr_layout_index(layout, 2, 9, index);
    if (status == QDR_OK) assert_true(rank == 2 && place == 9 && index[0] == 3 && index[1] == 5);
    qdr_layout_destroy(&layout);
    return status;
}

static qdr_status make_region(void) {
    qdr_region *region;
    int64_t lower[] = {0, 0}, upper[] = {1, 10}, list[2 * 20], before = 0;
    qdr_status status = qdr_region_create(2, QDR_ROW_MAJOR, &region);
    if (status) return status;
    for (int64_t i = 0; i < 20; i++) list[2 * i] = 3 + i % 2, list[2 * i + 1] = i / 2;
    for (int i = 0; i < 3 && !status; i++, lower[0]++, upper[0]++) {
        before = qdr_region_elements(region);
        status = qdr_region_add_box(region, lower, upper, NULL);
        if (!status) before = qdr_region_elements(region);
        if (!status) status = qdr_region_add_list(region, i == 2 ? 0 : 10, list + 20 * (i % 2));
    }
    if (status) assert_int_equal(qdr_region_elements(region), before);
    qdr_region_destroy(&region);
    return status;
}

/* ---- the operations ------------------------------------------------------------------------------------ */

static qdr_status match(const qdr_layout *layout_a, const qdr_region *region_a, const qdr_layout *layout_b,
                        const qdr_region *region_b) {
    const qdri_array_side a = {layout_a, region_a}, b = {layout_b, region_b};
    qdri_places in_a = {.count = -7}, in_b = {.count = -7};
    qdr_status status = qdri_match(&a, 1, &b, 1, &in_a, &in_b);
    if (status) {
        assert_true(in_a.count == -7 && in_b.count == -7);
        return status;
    }
    assert_true(in_a.count > 0 && in_a.count == in_b.count);
    qdri_places_close(&in_a);
    qdri_places_close(&in_b);
    return QDR_OK;
}

static qdr_status match_closed(void) {
    return match(regular, boxed, regular, boxed);
}

static qdr_status match_apart(void) {
    return match(joined, strip, regular, strip);
}

static qdr_status match_interleaved(void) {
    return match(joined, boxed, joined, boxed);
}

static qdr_status match_runs(void) {
    return match(regular, listed, joined, boxed);
}

static qdr_status nothing(void *context, int64_t number, int64_t count, int rank, int64_t place,
                          int64_t step) {
    (void)context, (void)number, (void)count, (void)rank, (void)place, (void)step;
    return QDR_OK;
}

static qdr_status walk(void) {
    const qdri_array_side side = {joined, listed};
    int64_t hole = -7;
    qdr_status status = qdri_side_walk(&side, 0, qdr_region_elements(listed), nothing, NULL);
    if (!status) status = qdri_side_hole(&side, &hole);
    assert_int_equal(hole, status ? -7 : -1);
    return status;
}

static qdr_status state_all(void) {
    const qdri_array_side a = {runs, listed}, b = {entries, boxed};
    qdr_status status = qdri_side_stated(&a, nothing, NULL);
    return status ? status : qdri_side_stated(&b, nothing, NULL);
}

static qdr_status write_all(void) {
    void *written = UNTOUCHED(void);
    int64_t length = -7;
    qdr_status status = qdri_layout_write(regular, &written, &length);
    if (status) {
        assert_true(written == UNTOUCHED(void) && length == -7);
        return status;
    }
    free(written);
    status = qdri_region_write(listed, &written, &length);
    if (status) return status;
    free(written);
    status = qdri_places_write(&places, &written, &length);
    if (!status) free(written);
    return status;
}

static qdr_status read_layout(void) {
    qdr_layout *layout = UNTOUCHED(qdr_layout);
    qdr_status status = qdri_layout_read(bytes[0], size[0], &layout);
    return make_layout(layout, status);
}

static qdr_status read_others(void) {
    qdr_region *region = NULL;
    qdri_places read = {0};
    qdr_status status = qdri_region_read(bytes[1], size[1], &region);
    if (!status) status = qdri_places_read(bytes[2], size[2], &read);
    qdr_region_destroy(&region);
    qdri_places_close(&read);
    return status;
}

/* ---- every allocation of each -------------------------------------------------------------------------- */

/* At least `least` allocations are needed; `spare` more can be done without. */
static void exhaust(operation *run, int64_t least, int64_t spare) {
    int64_t failures = 0, spared = 0;
    for (lasting = 0; lasting < 2; lasting++)
        for (fatal = 1;; fatal++) {
            counted = 0;
            qdr_status status = run();
            if (counted < fatal) {
                assert_int_equal(status, QDR_OK);
                break;
            }
            if (status == QDR_OK && ++spared <= 2 * spare) continue;
            failures++;
            assert_int_equal(status, QDR_ERR_MEMORY);
            assert_string_equal(qdr_error_message(), "out of memory");
        }
    fatal = 0;
    assert_true(failures >= 2 * least);
}

static void prepare(void) {
    const int64_t lower[] = {1, 1}, upper[] = {9, 9}, none[] = {0, 0}, element[] = {12, 13, 50, 51};
    const int owner[] = {0, 1, 0, 1};
    int64_t list[2 * 64], row[] = {1, 10};
    qdr_layout *part;
    assert_int_equal(qdr_layout_regular(2, axis, NULL, &regular), QDR_OK);
    for (int r = 0; r < 2; r++) {
        void *written;
        assert_int_equal(box_layout(r, &part), QDR_OK);
        assert_int_equal(qdri_layout_write(part, &written, size), QDR_OK);
        piece = realloc(piece, (size_t)(piece_size + size[0]));
        memcpy((char *)piece + piece_size, written, (size_t)size[0]);
        start[r + 1] = piece_size += size[0];
        free(written);
        qdr_layout_destroy(&part);
    }
    assert_int_equal(qdri_layout_join(piece, start, 2, &joined), QDR_OK);
    assert_int_equal(qdr_layout_runs(2, extent, 4, element, NULL, &runs), QDR_OK);
    assert_int_equal(qdr_layout_entries(2, extent, 4, element, owner, element, &entries), QDR_OK);
    assert_int_equal(qdr_region_create(2, QDR_ROW_MAJOR, &boxed), QDR_OK);
    assert_int_equal(qdr_region_add_box(boxed, lower, upper, NULL), QDR_OK);
    assert_int_equal(qdr_region_create(2, QDR_ROW_MAJOR, &strip), QDR_OK);
    assert_int_equal(qdr_region_add_box(strip, none, row, NULL), QDR_OK);
    assert_int_equal(qdr_region_create(2, QDR_COLUMN_MAJOR, &listed), QDR_OK);
    for (int i = 0; i < 64; i++) list[2 * i] = i * 5 % 12, list[2 * i + 1] = i % 10;
    for (int i = 0; i < 60; i++) assert_int_equal(qdr_region_add_list(listed, 1, list + 2 * i), QDR_OK);
    for (int64_t i = 60; i < 64; i++) { /* as many as the boxes have */
        int64_t index[] = {i - 60, 0}, number;
        while (qdr_region_number(listed, index, &number) == QDR_OK) index[1]++;
        assert_int_equal(qdr_region_add_list(listed, 1, index), QDR_OK);
    }
    const qdri_array_side side = {joined, boxed};
    assert_int_equal(qdri_match(&side, 1, &side, 1, &places, NULL), QDR_OK);
    assert_int_equal(qdri_layout_write(regular, bytes, size), QDR_OK);
    assert_int_equal(qdri_region_write(listed, bytes + 1, size + 1), QDR_OK);
    assert_int_equal(qdri_places_write(&places, bytes + 2, size + 2), QDR_OK);
}

static void every_allocation_fails(void **state) {
    (void)state;
    prepare();
    exhaust(make_regular, 4, 0);
    exhaust(make_boxes, 6, 0);
    exhaust(make_joined, 12, 0);
    exhaust(make_runs, 4, 0);
    exhaust(make_entries, 6, 0);
    exhaust(make_region, 6, 2);
    exhaust(match_closed, 4, 0);
    exhaust(match_apart, 6, 0);
    exhaust(match_interleaved, 8, 0);
    exhaust(match_runs, 8, 0);
    exhaust(walk, 4, 0);
    exhaust(state_all, 2, 0);
    exhaust(write_all, 6, 0);
    exhaust(read_layout, 3, 0);
    exhaust(read_others, 6, 1);
    for (int i = 0; i < 3; i++) free(bytes[i]);
    free(piece);
    qdri_places_close(&places);
    qdr_layout_destroy(&regular);
    qdr_layout_destroy(&joined);
    qdr_layout_destroy(&runs);
    qdr_layout_destroy(&entries);
    qdr_region_destroy(&boxed);
    qdr_region_destroy(&listed);
    qdr_region_destroy(&strip);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
