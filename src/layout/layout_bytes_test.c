/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts, regions and selections as bytes: there and back, and what is not right is refused. */
#include <stdint.h>

#include "layout_testing.h"
#include "light.h"

#define ROUNDS light_or(2000, 6000)
enum { MUTATIONS = 25, LARGEST = 1 << 16 };

static array_case array;
static region_case region;

/* ---- there and back ------------------------------------------------------------------------------------ */

/* What is read writes the same bytes, and has the same digest. */
static void check_layout(const qdr_layout *layout, void **bytes, int64_t *size) {
    qdr_layout *copy;
    void *again;
    int64_t size_again;
    assert_int_equal(qdri_layout_write(layout, bytes, size), QDR_OK);
    assert_int_equal(qdri_layout_read(*bytes, *size, &copy), QDR_OK);
    assert_int_equal(qdri_layout_write(copy, &again, &size_again), QDR_OK);
    assert_int_equal(*size, size_again);
    assert_memory_equal(*bytes, again, (size_t)*size);
    assert_true(qdri_layout_digest(layout) == qdri_layout_digest(copy));
    assert_int_equal(qdri_layout_kind_of(layout), qdri_layout_kind_of(copy));
    assert_int_equal(qdri_layout_ranks(layout), qdri_layout_ranks(copy));
    free(again);
    qdr_layout_destroy(&copy);
}

static void check_region(const qdr_region *region, void **bytes, int64_t *size) {
    qdr_region *copy;
    void *again;
    int64_t size_again;
    assert_int_equal(qdri_region_write(region, bytes, size), QDR_OK);
    assert_int_equal(qdri_region_read(*bytes, *size, &copy), QDR_OK);
    assert_int_equal(qdri_region_write(copy, &again, &size_again), QDR_OK);
    assert_int_equal(*size, size_again);
    assert_memory_equal(*bytes, again, (size_t)*size);
    assert_true(qdri_region_digest(region) == qdri_region_digest(copy));
    assert_int_equal(qdr_region_elements(region), qdr_region_elements(copy));
    free(again);
    qdr_region_destroy(&copy);
}

static void check_places(const qdri_places *places, void **bytes, int64_t *size) {
    static int64_t before[CASE_ELEMENTS], after[CASE_ELEMENTS];
    qdri_places copy;
    assert_int_equal(qdri_places_write(places, bytes, size), QDR_OK);
    assert_int_equal(qdri_places_read(*bytes, *size, &copy), QDR_OK);
    assert_int_equal(places->count, copy.count);
    assert_int_equal(places->spans, copy.spans);
    qdri_places_expand(places, before);
    qdri_places_expand(&copy, after);
    assert_memory_equal(before, after, (size_t)copy.count * sizeof *after);
    qdri_places_close(&copy);
}

/* ---- bytes that are wrong ------------------------------------------------------------------------------ */

typedef qdr_status reader(const void *bytes, int64_t size);

static qdr_status read_layout(const void *bytes, int64_t size) {
    qdr_layout *layout = NULL;
    qdr_status status = qdri_layout_read(bytes, size, &layout);
    if (status == QDR_OK) { /* what is accepted can be used */
        qdr_region *all;
        int64_t elements, room;
        qdri_layout_digest(layout);
        qdr_layout_share(layout, 0, &elements, &room);
        if (qdr_region_all(layout, QDR_ROW_MAJOR, &all) == QDR_OK) {
            qdri_array_side side = {layout, all};
            qdri_places found[2] = {{0}, {0}};
            int64_t hole;
            if (qdri_layout_is_compact(layout) && qdr_region_elements(all) < 1 << 12) {
                qdri_side_hole(&side, &hole);
                qdri_match(&side, 0, &side, 1, found, found + 1);
            }
            for (int s = 0; s < 2; s++) qdri_places_close(found + s);
            qdr_region_destroy(&all);
        }
        qdr_layout_destroy(&layout);
    } else {
        assert_null(layout);
    }
    return status;
}

static qdr_status read_region(const void *bytes, int64_t size) {
    qdr_region *region = NULL;
    qdr_status status = qdri_region_read(bytes, size, &region);
    int64_t index[QDR_MOST_DIMENSIONS], number;
    if (status == QDR_OK && qdr_region_elements(region) > 0) {
        int64_t last = qdr_region_elements(region) - 1;
        assert_int_equal(qdr_region_index(region, last, index), QDR_OK);
        assert_int_equal(qdr_region_number(region, index, &number), QDR_OK);
        assert_true(number == last);
    }
    qdr_region_destroy(&region);
    return status;
}

static qdr_status read_places(const void *bytes, int64_t size) {
    qdri_places places = {0};
    qdr_status status = qdri_places_read(bytes, size, &places);
    assert_true(places.lowest >= 0 && places.highest <= INT64_C(1) << 62);
    if (places.count < 1 << 12) qdri_places_runs(&places);
    qdri_places_close(&places);
    return status;
}

/* Changes, takes and adds a few bytes; the copy has exactly their size, so that reading beyond is seen. */
static void mutate(qdri_random *random, const unsigned char *bytes, int64_t size, reader *read) {
    static unsigned char other[LARGEST];
    if (size > LARGEST - 8) return;
    memcpy(other, bytes, (size_t)size);
    for (int64_t changes = draw(random, 1, 4); changes > 0 && size > 0; changes--) {
        int64_t at = draw(random, 0, size - 1);
        switch (draw(random, 0, 4)) {
        case 0:
            size = at;
            break;
        case 1:
            memmove(other + at, other + at + 1, (size_t)(size - at - 1));
            size--;
            break;
        case 2:
            memmove(other + at + 1, other + at, (size_t)(size - at));
            size++;
            break;
        case 3:
            other[at] ^= (unsigned char)(1 << draw(random, 0, 7));
            break;
        default:
            other[at] = (unsigned char)draw(random, 0, 255);
        }
    }
    unsigned char *exact = malloc(size > 0 ? (size_t)size : 1);
    memcpy(exact, other, (size_t)size);
    qdr_status status = read(exact, size);
    assert_true(status == QDR_OK || status == QDR_ERR_SYNTAX);
    free(exact);
}

static void check_bytes(qdri_random *random, void *bytes, int64_t size, reader *read) {
    for (int64_t shorter = 0; shorter < size && shorter < 40; shorter++)
        assert_int_equal(read(bytes, shorter), QDR_ERR_SYNTAX);
    for (int i = 0; i < MUTATIONS; i++) mutate(random, bytes, size, read);
    unsigned char *longer = malloc((size_t)size + 1);
    memcpy(longer, bytes, (size_t)size);
    longer[size] = 0;
    assert_int_equal(read(longer, size + 1), QDR_ERR_SYNTAX);
    free(longer);
    free(bytes);
}

static void selection_of_all(const qdr_layout *layout, const qdr_region *region, qdri_places *places) {
    qdri_array_side side = {layout, region};
    int rank = qdri_layout_ranks(layout) / 2;
    assert_int_equal(qdri_match(&side, rank, &side, rank, places, NULL), QDR_OK);
}

static void there_and_back(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(21);
    for (int round = 0; round < ROUNDS; round++) {
        void *bytes;
        int64_t size;
        qdri_places places = {0};
        draw_compact(&random, &array);
        draw_region(&random, &array, CASE_ELEMENTS, &region);
        check_layout(array.layout, &bytes, &size);
        check_bytes(&random, bytes, size, read_layout);
        check_region(region.region, &bytes, &size);
        check_bytes(&random, bytes, size, read_region);
        selection_of_all(array.layout, region.region, &places);
        check_places(&places, &bytes, &size);
        check_bytes(&random, bytes, size, read_places);
        qdri_places_close(&places);
        qdr_region_destroy(&region.region);
        qdr_layout_destroy(&array.layout);
    }
}

/* Of explicit layouts the kind and the extent travel. */
static void explicit_ones(void **state) {
    (void)state;
    const int64_t extent[] = {5, 7}, element[] = {3, 30};
    const int owner[] = {2, 0};
    qdr_layout *layout, *copy;
    void *bytes;
    int64_t size, elements, room;
    assert_int_equal(qdr_layout_runs(2, extent, 2, element, NULL, &layout), QDR_OK);
    check_layout(layout, &bytes, &size);
    assert_int_equal(qdri_layout_read(bytes, size, &copy), QDR_OK);
    assert_int_equal(qdr_layout_share(copy, QDR_HERE, &elements, &room), QDR_OK);
    assert_true(elements == 0 && qdri_layout_kind_of(copy) == QDRI_RUNS_OF);
    assert_memory_equal(qdri_layout_extent(copy), extent, sizeof extent);
    free(bytes);
    qdr_layout_destroy(&copy);
    qdr_layout_destroy(&layout);
    assert_int_equal(qdr_layout_entries(2, extent, 2, element, owner, element, &layout), QDR_OK);
    assert_int_equal(qdri_layout_ranks(layout), 3);
    assert_int_equal(qdri_layout_write(layout, &bytes, &size), QDR_OK);
    assert_int_equal(qdri_layout_read(bytes, size, &copy), QDR_OK);
    assert_true(qdri_layout_kind_of(copy) == QDRI_ENTRIES && qdri_layout_ranks(copy) == 0);
    assert_true(qdri_layout_digest(layout) == qdri_layout_digest(copy));
    free(bytes);
    qdr_layout_destroy(&copy);
    qdr_layout_destroy(&layout);
}

/* Random bytes, and bytes that claim more than they hold. */
static void garbage(void **state) {
    (void)state;
    qdri_random random = qdri_random_seed(23);
    unsigned char bytes[64];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t size = draw(&random, 0, sizeof bytes);
        for (int64_t i = 0; i < size; i++) bytes[i] = (unsigned char)draw(&random, 0, 255);
        assert_int_equal(read_layout(bytes, size), QDR_ERR_SYNTAX);
        assert_int_equal(read_region(bytes, size), QDR_ERR_SYNTAX);
        assert_int_equal(read_places(bytes, size), QDR_ERR_SYNTAX);
    }
}

/* A number has one spelling: zero with a byte more is none. */
static void one_spelling(void **state) {
    (void)state;
    const int64_t extent = 5;
    enum { KIND = 4 }; /* behind the format */
    qdr_layout *layout;
    void *bytes;
    unsigned char longer[64];
    int64_t size;
    assert_int_equal(qdr_layout_runs(1, &extent, 0, NULL, NULL, &layout), QDR_OK);
    assert_int_equal(qdri_layout_write(layout, &bytes, &size), QDR_OK);
    assert_true(size > KIND && size < (int64_t)sizeof longer);
    memcpy(longer, bytes, KIND + 1);
    longer[KIND] |= 0x80;
    longer[KIND + 1] = 0;
    memcpy(longer + KIND + 2, (unsigned char *)bytes + KIND + 1, (size_t)size - KIND - 1);
    assert_int_equal(read_layout(bytes, size), QDR_OK);
    assert_int_equal(read_layout(longer, size + 1), QDR_ERR_SYNTAX);
    free(bytes);
    qdr_layout_destroy(&layout);
}

static void digests_differ(void **state) {
    (void)state;
    qdr_axis axis = {.extent = 100, .spread = QDR_CYCLIC, .block = 3, .parts = 4};
    const int64_t stride[] = {2};
    uint64_t digest[8];
    for (int i = 0; i < 8; i++) {
        qdr_axis other = axis;
        qdr_storage storage = QDR_STORAGE;
        qdr_layout *layout;
        if (i == 1) other.extent = 101;
        if (i == 2) other.block = 4;
        if (i == 3) other.parts = 5;
        if (i == 4) other.ghost_below = 1;
        if (i == 5) other.ghost_above = 1;
        if (i == 6) storage.offset = 1;
        if (i == 7) storage.stride = stride;
        assert_int_equal(qdr_layout_regular(1, &other, &storage, &layout), QDR_OK);
        digest[i] = qdri_layout_digest(layout);
        for (int k = 0; k < i; k++) assert_true(digest[k] != digest[i]);
        qdr_layout_destroy(&layout);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(explicit_ones),
                                       cmocka_unit_test(garbage), cmocka_unit_test(one_spelling),
                                       cmocka_unit_test(digests_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
