/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of callers that are older or newer than the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sized.h"

typedef struct known {
    size_t size;
    int64_t first, second;
} known;

typedef struct longer {
    known head;
    int64_t third;
} longer;

static void older_options_are_filled_up(void **state) {
    (void)state;
    struct {
        size_t size;
        int64_t first, behind;
    } older = {.size = offsetof(known, second), .first = 7, .behind = 9};
    known read;
    qdri_sized_read(&read, sizeof read, &older);
    assert_int_equal(read.size, sizeof read);
    assert_int_equal(read.first, 7);
    assert_int_equal(read.second, 0);
    assert_int_equal(qdri_sized_refuse("known", read.size, sizeof read), QDR_OK);
    qdri_sized_read(&read, sizeof read, NULL);
    assert_true(read.size == sizeof read && !read.first && !read.second);
}

static void later_options_are_taken_unless_something_is_asked_for(void **state) {
    (void)state;
    longer later = {.head = {sizeof later, 1, 2}};
    known read;
    qdri_sized_read(&read, sizeof read, &later);
    assert_true(read.size == sizeof read && read.first == 1 && read.second == 2);
    later.third = 1;
    qdri_sized_read(&read, sizeof read, &later);
    assert_true(read.size != sizeof read && !read.first && !read.second);
    assert_int_equal(qdri_sized_refuse("known", read.size, sizeof read), QDR_ERR_INVALID);
    assert_non_null(strstr(qdr_error_message(), "known: fields beyond its first 24 bytes are set"));
}

static void a_size_that_was_never_set_is_refused(void **state) {
    (void)state;
    static const size_t wrong[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        known read, given = {wrong[i], 5, 6};
        qdri_sized_read(&read, sizeof read, &given);
        assert_true(!read.first && !read.second);
        assert_int_equal(qdri_sized_refuse("known", read.size, sizeof read), QDR_ERR_INVALID);
        assert_non_null(strstr(qdr_error_message(), "initialise it with KNOWN"));
    }
}

static void elements_are_as_far_apart_as_the_caller_has_them(void **state) {
    (void)state;
    longer many[3] = {{.head = {1, 2, 3}}, {.head = {4, 5, 6}}, {.head = {7, 8, 9}, .third = 1}};
    known read;
    assert_int_equal(qdri_element_read("known", &read, sizeof read, many, sizeof *many, 1), QDR_OK);
    assert_true(read.size == 4 && read.first == 5 && read.second == 6);
    assert_int_equal(qdri_element_read("known", &read, sizeof read, many, sizeof *many, 2), QDR_ERR_INVALID);
    int64_t few[] = {1, 2, 3, 4};
    assert_int_equal(qdri_element_read("known", &read, sizeof read, few, 16, 1), QDR_OK);
    assert_true(read.size == 3 && read.first == 4 && read.second == 0);
    assert_int_equal(qdri_element_read("known", &read, sizeof read, few, 0, 0), QDR_ERR_INVALID);
}

static void no_more_is_filled_than_fits(void **state) {
    (void)state;
    known here = {1, 2, 3};
    int64_t few[] = {-1, -1, -1}, many[] = {-1, -1, -1, -1};
    qdri_sized_fill(few, 16, &here, sizeof here);
    assert_true(few[0] == 1 && few[1] == 2 && few[2] == -1);
    qdri_sized_fill(many, sizeof many, &here, sizeof here);
    assert_true(many[2] == 3 && many[3] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_options_are_filled_up),
        cmocka_unit_test(later_options_are_taken_unless_something_is_asked_for),
        cmocka_unit_test(a_size_that_was_never_set_is_refused),
        cmocka_unit_test(elements_are_as_far_apart_as_the_caller_has_them),
        cmocka_unit_test(no_more_is_filled_than_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
