/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void adding(void **state) {
    (void)state;
    qdri_text text = QDRI_TEXT_EMPTY;
    char *string = NULL;
    qdri_text_add(&text, "%d%s", 12, "ab");
    assert_string_equal(text.bytes, "12ab");
    qdri_text_add(&text, "%s", "");
    qdri_text_add(&text, "%c", 'z');
    assert_int_equal(text.length, 5);
    assert_int_equal(qdri_text_take(&text, &string), QDR_OK);
    assert_string_equal(string, "12abz");
    assert_null(text.bytes);
    assert_true(text.length == 0 && text.capacity == 0 && text.failed == 0);
    free(string);
}

/* Lengths on both sides of every capacity: nothing is cut, nothing is lost. */
static void growing(void **state) {
    (void)state;
    for (int step = 1; step < 70; step++) {
        qdri_text text = QDRI_TEXT_EMPTY;
        char *string = NULL;
        int total = 0;
        for (int i = 0; i < 40; i++, total += step) qdri_text_add(&text, "%*d", step, i % 10);
        assert_int_equal(qdri_text_take(&text, &string), QDR_OK);
        assert_int_equal(strlen(string), total);
        for (int i = 0; i < 40; i++) assert_int_equal(string[i * step + step - 1], '0' + i % 10);
        free(string);
    }
}

static void one_long_piece(void **state) {
    (void)state;
    qdri_text text = QDRI_TEXT_EMPTY;
    char *string = NULL;
    qdri_text_add(&text, "%100000d", 7);
    assert_int_equal(qdri_text_take(&text, &string), QDR_OK);
    assert_int_equal(strlen(string), 100000);
    assert_int_equal(string[99999], '7');
    free(string);
}

static void taking_nothing_gives_an_empty_string(void **state) {
    (void)state;
    qdri_text text = QDRI_TEXT_EMPTY;
    char *string = NULL;
    assert_int_equal(qdri_text_take(&text, &string), QDR_OK);
    assert_string_equal(string, "");
    free(string);
    qdri_text_free(&text); /* twice, and of nothing, is legal */
    qdri_text_free(&text);
}

static void failure_shows_when_taken(void **state) {
    (void)state;
    qdri_text text = QDRI_TEXT_EMPTY;
    char mark, *string = &mark;
    qdri_text_add(&text, "abc");
    text.failed = 1;
    qdri_text_add(&text, "lost");
    assert_string_equal(text.bytes, "abc");
    assert_int_equal(qdri_text_take(&text, &string), QDR_ERR_MEMORY);
    assert_ptr_equal(string, &mark);
    assert_true(!text.bytes && !text.failed);
}

static void copying(void **state) {
    (void)state;
    static const char *const strings[] = {"", "a", "a longer one\nwith lines"};
    for (int i = 0; i < 3; i++) {
        char *copy = qdri_copy_string(strings[i]);
        assert_string_equal(copy, strings[i]);
        assert_ptr_not_equal(copy, strings[i]);
        free(copy);
    }
}

static void words_in_lists(void **state) {
    (void)state;
    static const struct {
        const char *word, *list;
        int found;
    } cases[] = {
        {"RS_NH", "RS_N RS_NH RS_NLH", 1},
        {"rs-nh", "RS_N RS_NH RS_NLH", 1},
        {"rs_nlh", "RS_N RS_NH RS_NLH", 1},
        {"Random-Split", "random_split", 1},
        {"RS", "RS_N RS_NH", 0},
        {"RS_NHX", "RS_N RS_NH", 0},
        {"S_N", "RS_N", 0},
        {"", "a b", 0},
        {"", "", 0},
        {"a", "", 0},
        {"a b", "a b", 0},
        {"b", "a  b", 1},
        {"", "a  b", 0},
        {"b", "a b ", 1},
        {"\xe9", "\xe9", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (qdri_word_in(cases[i].word, cases[i].list) != cases[i].found)
            fail_msg("'%s' in '%s': expected %d", cases[i].word, cases[i].list, cases[i].found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding),
        cmocka_unit_test(growing),
        cmocka_unit_test(one_long_piece),
        cmocka_unit_test(taking_nothing_gives_an_empty_string),
        cmocka_unit_test(failure_shows_when_taken),
        cmocka_unit_test(copying),
        cmocka_unit_test(words_in_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
