/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/aside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int done;

static void once(void) {
    done++;
    qdri_aside(); /* as whoever waits inside would */
}

static void is_done_but_not_within_itself(void **state) {
    (void)state;
    qdri_aside();
    assert_int_equal(done, 0);
    qdri_aside_set(once);
    qdri_aside();
    qdri_aside();
    assert_int_equal(done, 2);
    qdri_aside_set(NULL);
    qdri_aside();
    assert_int_equal(done, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_done_but_not_within_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
