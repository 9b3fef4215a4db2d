/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/likeness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char algorithms[] = "async, linear, pairwise, random, random-link, paced";

static void letters(void **state) {
    (void)state;
    assert_int_equal(qdri_likeness("paced", 5, "paced", 5), 0);
    assert_int_equal(qdri_likeness("pacd", 4, "paced", 5), 1);
    assert_int_equal(qdri_likeness("Paced", 5, "pAced", 5), 0);
    assert_int_equal(qdri_likeness("", 0, "abc", 3), 3);
    assert_int_equal(qdri_likeness("abc", 3, "", 0), 3);
    assert_int_equal(qdri_likeness("kitten", 6, "sitting", 7), 3);
}

static void what_was_meant(void **state) {
    static const struct {
        const char *word, *begin;
    } cases[] = {
        {"pacd", "did you mean paced? There are "},
        {"liner", "did you mean linear? There are "},
        {"rand", "did you mean random? There are "},
        {"random_link", "did you mean random-link? There are "},
        {"PAIRWIES", "did you mean pairwise? There are "},
        {"swift", "there are "},
        {"", "there are "},
        {"p", "there are "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(qdri_did_you_mean(cases[i].word, algorithms), cases[i].begin);
    assert_string_equal(qdri_did_you_mean("paced", ""), "there are ");
    char longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(qdri_did_you_mean(longest, algorithms), "there are ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(letters), cmocka_unit_test(what_was_meant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
