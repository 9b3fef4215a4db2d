/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom: what is written is read again; what is not whole is not believed, whichever letter is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "choose/wisdom.h"

static qdri_wise line_of(uint64_t key, uint64_t signature, int size_class, const char *algorithm) {
    qdri_wise line = {.key = key,
                      .signature = signature,
                      .size_class = size_class,
                      .nanoseconds = 1234567,
                      .window = 40960,
                      .ceiling = 50000,
                      .rate = 6250000};
    snprintf(line.algorithm, sizeof line.algorithm, "%s", algorithm);
    return line;
}

static qdri_wisdom some(void) {
    qdri_wisdom wisdom = {NULL, 0, 0};
    qdri_wise line[] = {line_of(1, 2, 3, "paced"), line_of(UINT64_MAX, 0, 63, "pairwise"),
                        line_of(1, 2, 4, "async"), line_of(0xe, 0xe, 0, "random-link-split")};
    for (int i = 0; i < 4; i++) assert_int_equal(qdri_wisdom_learn(&wisdom, &line[i]), QDR_OK);
    return wisdom;
}

static void it_is_read_as_it_was_written(void **state) {
    qdri_wisdom wisdom = some(), again = {NULL, 0, 0};
    size_t bytes;
    (void)state;
    char *text = qdri_wisdom_write(&wisdom, &bytes);
    assert_int_equal(qdri_wisdom_read(&again, text, bytes), QDR_OK);
    assert_int_equal(again.count, wisdom.count);
    for (int i = 0; i < wisdom.count; i++) {
        const qdri_wise *line = &wisdom.line[i],
                        *found = qdri_wisdom_find(&again, line->key, line->signature, line->size_class);
        assert_non_null(found);
        assert_string_equal(found->algorithm, line->algorithm);
        assert_int_equal(found->nanoseconds, line->nanoseconds);
        assert_int_equal(found->window, line->window);
        assert_int_equal(found->ceiling, line->ceiling);
        assert_int_equal(found->rate, line->rate);
    }
    assert_null(qdri_wisdom_find(&again, 1, 2, 5));
    free(text);
    qdri_wisdom_free(&wisdom);
    qdri_wisdom_free(&again);
}

static void nothing_can_be_written_too(void **state) {
    qdri_wisdom none = {NULL, 0, 0}, again = {NULL, 0, 0};
    size_t bytes;
    (void)state;
    char *text = qdri_wisdom_write(&none, &bytes);
    assert_int_equal(qdri_wisdom_read(&again, text, bytes), QDR_OK);
    assert_int_equal(again.count, 0);
    free(text);
}

static void a_line_takes_the_place_of_its_elder(void **state) {
    qdri_wisdom wisdom = some();
    qdri_wise line = line_of(1, 2, 3, "coloring");
    (void)state;
    qdri_wisdom_learn(&wisdom, &line);
    assert_int_equal(wisdom.count, 4);
    assert_string_equal(qdri_wisdom_find(&wisdom, 1, 2, 3)->algorithm, "coloring");
    for (uint64_t i = 0; i < QDRI_WISDOM_MOST + 10; i++) {
        line = line_of(7, i, 0, "paced");
        qdri_wisdom_learn(&wisdom, &line);
    }
    assert_int_equal(wisdom.count, QDRI_WISDOM_MOST);
    assert_null(qdri_wisdom_find(&wisdom, 1, 2, 3));
    assert_non_null(qdri_wisdom_find(&wisdom, 7, QDRI_WISDOM_MOST + 9, 0));
    qdri_wisdom_free(&wisdom);
}

static void refuse(const char *text, size_t bytes) {
    qdri_wisdom wisdom = {NULL, 0, 0};
    char *copy = malloc(bytes + 1); /* its end is where memory ends */
    memcpy(copy, text, bytes);
    assert_int_equal(qdri_wisdom_read(&wisdom, copy, bytes), QDR_ERR_SYNTAX);
    assert_int_equal(wisdom.count, 0);
    free(copy);
}

static void what_is_damaged_is_not_believed(void **state) {
    qdri_wisdom wisdom = some();
    size_t bytes;
    (void)state;
    char *text = qdri_wisdom_write(&wisdom, &bytes);
    for (size_t i = 0; i < bytes; i++) refuse(text, i);
    for (size_t i = 0; i < bytes; i++)
        for (int bit = 0; bit < 8; bit++) {
            text[i] ^= (char)(1 << bit);
            refuse(text, bytes);
            text[i] ^= (char)(1 << bit);
        }
    char *longer = malloc(bytes + 1);
    memcpy(longer, text, bytes);
    longer[bytes] = '\n';
    refuse(longer, bytes + 1);
    free(longer);
    free(text);
    qdri_wisdom_free(&wisdom);
}

static void what_is_foreign_is_not_believed(void **state) {
    static const char *const text[] = {
        "",
        "quadrille",
        "quadrille wisdom 2\nend 0 0\n",
        "quadrille wisdom 3\nend 0 0\n",
        "quadrille wisdom 1\n1 2 3 paced 1 1 1\nend 1 0\n",
        "{\"wisdom\": []}",
        "quadrille wisdom 2\n1 2 3 paced 1 1 0 1\nend 1 0\n",
        "quadrille wisdom 2\n11111111111111111 2 3 paced 1 1 0 1\nend 1 0\n",
        "quadrille wisdom 2\n1 2 64 paced 1 1 0 1\nend 1 0\n",
        "quadrille wisdom 2\n1 2 3 ../paced 1 1 0 1\nend 1 0\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) refuse(text[i], strlen(text[i]));
    qdri_random random = qdri_random_seed(1);
    char noise[300];
    for (int i = 0; i < 2000; i++) {
        for (size_t k = 0; k < sizeof noise; k++) noise[k] = (char)qdri_random_below(&random, 256);
        memcpy(noise, "quadrille wisdom 2\n", i % 2 ? 19 : 0);
        refuse(noise, sizeof noise);
    }
}

static void names_are_plain(void **state) {
    (void)state;
    assert_true(qdri_wise_name_is_good("random-link-split"));
    assert_false(qdri_wise_name_is_good(""));
    assert_false(qdri_wise_name_is_good("paced:window=1"));
    assert_false(qdri_wise_name_is_good("a-name-that-is-longer-than-all"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_read_as_it_was_written),
        cmocka_unit_test(nothing_can_be_written_too),
        cmocka_unit_test(a_line_takes_the_place_of_its_elder),
        cmocka_unit_test(what_is_damaged_is_not_believed),
        cmocka_unit_test(what_is_foreign_is_not_believed),
        cmocka_unit_test(names_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
