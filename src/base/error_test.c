/* SPDX-License-Identifier: BSD-3-Clause */
/* The error message is one line, whatever it quotes, and belongs to its thread. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include <cmocka.h>

static void a_sentence(void **state) {
    (void)state;
    assert_string_equal(qdr_error_message(), ""); /* nothing has failed yet: this test runs first */
    assert_int_equal(qdri_fail(QDR_ERR_RANGE, "rank %d is not in 0..%d", 9, 7), QDR_ERR_RANGE);
    assert_string_equal(qdr_error_message(), "rank 9 is not in 0..7");
    assert_int_equal(qdri_fail(QDR_ERR_FILE, "%s", "100% of it"), QDR_ERR_FILE);
    assert_string_equal(qdr_error_message(), "100% of it");
    assert_int_equal(qdri_fail_memory(), QDR_ERR_MEMORY);
    assert_string_equal(qdr_error_message(), "out of memory");
}

static void one_line_whatever_it_quotes(void **state) {
    (void)state;
    qdri_fail(QDR_ERR_SYNTAX, "a\nb\r\nc\td\x1b[31m\x7f'%s'", "x\ny\x01");
    assert_string_equal(qdr_error_message(), "a?b??c?d?[31m?'x?y?'");
    qdri_fail(QDR_ERR_SYNTAX, "caf\xc3\xa9 stays");
    assert_string_equal(qdr_error_message(), "caf\xc3\xa9 stays");
}

static void long_sentences_are_cut(void **state) {
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    size_t longest = 0;
    for (size_t size = 1; size < sizeof text; size += 7) {
        qdri_fail(QDR_ERR_SYNTAX, "%.*s", (int)size, text);
        size_t length = strlen(qdr_error_message());
        assert_true(length == size || (length < size && length >= longest));
        if (length > longest) longest = length;
    }
    assert_true(longest > 500 && longest < sizeof text - 8);
    qdri_fail(QDR_ERR_SYNTAX, "short");
    assert_string_equal(qdr_error_message(), "short");
}

/* Wrapping the old sentence into another is how errors get their file names. */
static void the_old_message_as_argument(void **state) {
    (void)state;
    qdri_fail(QDR_ERR_SYNTAX, "line 3: no number");
    qdri_fail(QDR_ERR_SYNTAX, "file.mtx: %s", qdr_error_message());
    assert_string_equal(qdr_error_message(), "file.mtx: line 3: no number");
    for (int i = 0; i < 400; i++) qdri_fail(QDR_ERR_SYNTAX, "again: %s", qdr_error_message());
    assert_memory_equal(qdr_error_message(), "again: again: again: ", 21);
}

static int fail_elsewhere(void *old) {
    int was_empty = qdr_error_message()[0] == '\0', apart = qdr_error_message() != (const char *)old;
    qdri_fail(QDR_ERR_BROKEN, "in the other thread");
    return was_empty && apart && !strcmp(qdr_error_message(), "in the other thread");
}

static void threads_do_not_share(void **state) {
    (void)state;
    thrd_t thread;
    int result = 0;
    qdri_fail(QDR_ERR_RANGE, "in this thread");
    assert_int_equal(thrd_create(&thread, fail_elsewhere, (void *)qdr_error_message()), thrd_success);
    assert_int_equal(thrd_join(thread, &result), thrd_success);
    assert_int_equal(result, 1);
    assert_string_equal(qdr_error_message(), "in this thread");
}

static qdr_status tries(qdr_status status, int *reached) {
    QDRI_TRY(status);
    *reached = 1;
    return QDR_OK;
}

static void trying(void **state) {
    (void)state;
    int reached = 0;
    assert_int_equal(tries(QDR_ERR_UNKNOWN, &reached), QDR_ERR_UNKNOWN);
    assert_int_equal(reached, 0);
    assert_int_equal(tries(QDR_OK, &reached), QDR_OK);
    assert_int_equal(reached, 1);
}

static void every_status_has_a_text(void **state) {
    (void)state;
    static const qdr_status all[] = {QDR_OK,
#define LISTED(name, text) QDR_ERR_##name,
                                     QDR_ERROR_TABLE(LISTED)
#undef LISTED
    };
    int count = (int)(sizeof all / sizeof all[0]);
    assert_int_equal(QDR_OK, 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(all[i], i);
        assert_true(strlen(qdr_status_text(all[i])) > 3);
        for (int k = 0; k < i; k++) assert_string_not_equal(qdr_status_text(all[i]), qdr_status_text(all[k]));
    }
    assert_string_equal(qdr_status_text((qdr_status)count), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence),
        cmocka_unit_test(one_line_whatever_it_quotes),
        cmocka_unit_test(long_sentences_are_cut),
        cmocka_unit_test(the_old_message_as_argument),
        cmocka_unit_test(threads_do_not_share),
        cmocka_unit_test(trying),
        cmocka_unit_test(every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
