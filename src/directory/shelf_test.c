/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shelves against a plain list: random puts, erasures and lookups, in small arrays where chains of full lines
 * go round the end, with ids that all begin in one line, and with parts that were never cleared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "directory/shelf.h"

enum { IDS = 400 };

static int64_t seek_in(qdri_shelf *shelf, int64_t id) {
    return qdri_shelf_seek(shelf, id, qdri_home(qdri_scatter(id, shelf->spread), shelf->capacity));
}

static void put(qdri_shelf *shelf, int64_t id, uint64_t word) {
    char payload[8];
    memcpy(payload, &word, sizeof payload);
    assert_true(qdri_shelf_reserve(shelf, 1));
    int64_t place = seek_in(shelf, id);
    assert_true(shelf->entry[place].word == 0);
    qdri_shelf_put(shelf, place, (qdri_entry){id, word}, payload);
}

static void check(const qdri_shelf *shelf, const int64_t *id, const uint64_t *word) {
    int64_t count = 0;
    for (int i = 0; i < IDS; i++) {
        int64_t place = qdri_shelf_find(shelf, id[i]);
        if (!word[i]) {
            assert_int_equal(place, -1);
            continue;
        }
        assert_true(place >= 0 && shelf->entry[place].word == word[i]);
        if (shelf->payload_bytes)
            assert_memory_equal(shelf->payload + place * shelf->payload_bytes, &word[i], 8);
        count++;
    }
    assert_int_equal(count, shelf->count);
}

/* All in one line at first: the ids whose hash begins with the same bits. */
static void adverse_ids(int64_t *id) {
    int found = 0;
    for (int64_t i = 0; found < IDS; i++)
        if (qdri_scatter(i, 1) >> 22 == 1023) id[found++] = i;
}

static void against_a_list(int64_t payload_bytes, int adverse, uint64_t seed) {
    qdri_random random = qdri_random_seed(seed);
    qdri_shelf shelf = {.spread = adverse ? 1 : 3, .payload_bytes = payload_bytes};
    int64_t id[IDS];
    uint64_t word[IDS] = {0};
    if (adverse) adverse_ids(id);
    for (int i = 0; !adverse && i < IDS; i++) id[i] = i < 3 ? i : (int64_t)qdri_random_next(&random);
    for (int step = 0; step < 4000; step++) {
        int i = (int)qdri_random_below(&random, (uint64_t)(step % 1000 < 500 ? IDS : IDS / 8));
        if (word[i]) {
            qdri_shelf_erase(&shelf, qdri_shelf_find(&shelf, id[i]));
            word[i] = 0;
            qdri_shelf_trim(&shelf);
        } else {
            word[i] = qdri_random_next(&random) | 1;
            put(&shelf, id[i], word[i]);
        }
        if (step % 97 == 0) check(&shelf, id, word);
    }
    check(&shelf, id, word);
    qdri_shelf_close(&shelf);
}

static void random_steps(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        against_a_list(0, 0, seed);
        against_a_list(8, 0, seed);
        against_a_list(8, 1, seed);
    }
}

/* What was never cleared is never looked at, though the ids lie in the worst order, and at the very end. */
static void bare_memory(void **state) {
    (void)state;
    int64_t id[IDS];
    adverse_ids(id);
    qdri_shelf shelf = {.spread = 1};
    assert_true(qdri_shelf_reserve_bare(&shelf, IDS));
    memset(shelf.entry, 0x5a, (size_t)shelf.capacity * sizeof *shelf.entry); /* whatever was there */
    for (int i = 0; i < IDS; i++) {
        int64_t home = qdri_home(qdri_scatter(id[i], 1), shelf.capacity);
        qdri_shelf_clear_to(&shelf, home + QDRI_LINE);
        qdri_shelf_put(&shelf, qdri_shelf_seek(&shelf, id[i], home), (qdri_entry){id[i], (uint64_t)i + 1},
                       NULL);
    }
    qdri_shelf_trim(&shelf);
    for (int i = 0; i < IDS; i++) {
        int64_t place = qdri_shelf_find(&shelf, id[i]);
        assert_true(place >= 0 && shelf.entry[place].word == (uint64_t)i + 1);
    }
    qdri_shelf_close(&shelf);
}

static void memory_per_entry(void **state) {
    (void)state;
    static const int64_t payloads[] = {0, 8, 16, 24};
    for (int p = 0; p < 4; p++) {
        qdri_shelf shelf = {.spread = 1, .payload_bytes = payloads[p]};
        for (int64_t i = 1; i <= 20000; i++) {
            assert_true(qdri_shelf_reserve(&shelf, 1));
            qdri_shelf_put(&shelf, seek_in(&shelf, i), (qdri_entry){i, 1}, NULL);
            if (i > 500) assert_true(qdri_shelf_bytes(&shelf) <= (32 + payloads[p]) * shelf.count);
        }
        for (int64_t i = 1; i <= 19000; i++) {
            qdri_shelf_erase(&shelf, qdri_shelf_find(&shelf, i));
            qdri_shelf_trim(&shelf);
            assert_true(qdri_shelf_bytes(&shelf) <= (33 + payloads[p]) * shelf.count);
        }
        qdri_shelf_close(&shelf);
    }
}

static void refuses_what_cannot_be(void **state) {
    (void)state;
    qdri_shelf shelf = {.spread = 1, .payload_bytes = 1 << 28};
    assert_false(qdri_shelf_reserve(&shelf, INT64_MAX));
    assert_false(qdri_shelf_reserve(&shelf, INT64_C(1) << 31));
    assert_int_equal(shelf.capacity, 0);
    assert_int_equal(qdri_shelf_find(&shelf, 5), -1);
    qdri_shelf_close(&shelf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps),
        cmocka_unit_test(bare_memory),
        cmocka_unit_test(memory_per_entry),
        cmocka_unit_test(refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
