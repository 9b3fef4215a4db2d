/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that runs out under lists and sets: each allocation fails once, alone and with all that follow. What is not
 * given back is seen by the leak check of the sanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_memory.h"
#include "places/places.h"

typedef qdr_status operation(void);

enum { LISTS = 40, ENTRIES = 300 };

static qdri_places list[LISTS];

static qdr_status open_list(int64_t span) {
    static int64_t index[ENTRIES];
    for (int64_t k = 0; k < ENTRIES; k++) index[k] = k * 7919 % 307 * span + (span == 0 ? k + k / 30 : 0);
    qdri_places made, before;
    memset(&made, 0x5a, sizeof made);
    memcpy(&before, &made, sizeof made);
    qdr_status status = qdri_places_open(index, 0, ENTRIES, &made);
    if (status)
        assert_memory_equal(&made, &before, sizeof made);
    else
        qdri_places_close(&made);
    return status;
}

static qdr_status scattered(void) {
    return open_list(1);
}

static qdr_status long_runs(void) {
    return open_list(0);
}

static qdr_status far_apart(void) {
    return open_list(INT64_C(1) << 40);
}

static qdr_status twice(void) {
    int found = -1, list_a = -1, list_b = -1;
    int64_t element = -1;
    qdr_status status = qdri_places_twice(list, LISTS, &found, &element, &list_a, &list_b);
    if (status)
        assert_true(found == -1 && element == -1 && list_a == -1 && list_b == -1);
    else
        assert_true(found == 1 && list_a != list_b);
    return status;
}

static qdr_status meet(void) {
    int found = -1;
    int64_t element = -1;
    qdr_status status = qdri_places_intersect(list, LISTS / 2, list + LISTS / 2, LISTS / 2, &found, &element);
    if (status)
        assert_true(found == -1 && element == -1);
    else
        assert_int_equal(found, 1);
    return status;
}

/* Returns how many allocations there are to fail. */
static int64_t exhaust(operation *run) {
    int64_t failures = 0;
    for (lasting = 0; lasting < 2; lasting++)
        for (fatal = 1;; fatal++) {
            counted = 0;
            qdr_status status = run();
            if (counted < fatal) {
                assert_int_equal(status, QDR_OK);
                break;
            }
            failures++;
            assert_int_equal(status, QDR_ERR_MEMORY);
            assert_string_equal(qdr_error_message(), "out of memory");
        }
    fatal = 0;
    return failures;
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const int64_t strays[] = {20, 40, 600}; /* 40 stands in the list before, 600 in the first half */
    int64_t index[3];
    assert_true(exhaust(scattered) >= 2);
    assert_true(exhaust(long_runs) >= 2);
    assert_true(exhaust(far_apart) >= 2);
    for (int i = 0; i < LISTS; i++) { /* falling, so that their order takes memory, too; ranges overlap */
        for (int64_t k = 0; k < 3; k++) index[k] = (LISTS - i) * 20 + k * (k + 9);
        assert_int_equal(qdri_places_open(i < LISTS - 1 ? index : strays, 0, 3, list + i), QDR_OK);
    }
    assert_true(exhaust(twice) >= 2 * 5);
    assert_true(exhaust(meet) >= 2);
    for (int i = 0; i < LISTS; i++) qdri_places_close(list + i);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
