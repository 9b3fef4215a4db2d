/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit tests of what another process sent: bounds are exact, sentences are whole, nothing overflows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* */
#include <cmocka.h>

#include "base/decode.h"
#include "base/number.h"

static const qdri_teller third = {NULL, 3}, ocean = {"ocean", 1};

static void test_bounds_are_exact(void **state) {
    (void)state;
    assert_int_equal(qdri_decode_word(third, "it", 1, 1, 8), QDR_OK);
    assert_int_equal(qdri_decode_word(third, "it", 8, 1, 8), QDR_OK);
    assert_int_equal(qdri_decode_word(third, "it", 0, 1, 8), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_decode_word(third, "it", 9, 1, 8), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_decode_word(third, "it", INT64_MIN, INT64_MIN, INT64_MAX), QDR_OK);
    assert_int_equal(qdri_decode_word(third, "it", INT64_MAX, INT64_MIN, INT64_MAX), QDR_OK);
    assert_int_equal(qdri_decode_word(third, "it", INT64_MIN, 0, INT64_MAX), QDR_ERR_MISMATCH);
}

static void test_sentences(void **state) {
    (void)state;
    qdri_decode_word(third, "number of ranks", 17, 1, 8);
    assert_string_equal(qdr_error_message(), "rank 3 sent 17 as number of ranks; expected 1 to 8");
    qdri_decode_word(ocean, "number of the request", 2, 5, 5);
    assert_string_equal(qdr_error_message(), "rank 1 of ocean sent 2 as number of the request; expected 5");
    qdri_decode_word((qdri_teller){"ocean", -1}, "it", 2, 5, 5);
    assert_string_equal(qdr_error_message(), "ocean sent 2 as it; expected 5");
    qdri_decode_word(QDRI_SOMEBODY, "it", 2, 5, 5);
    assert_string_equal(qdr_error_message(), "some rank sent 2 as it; expected 5");
    qdri_decode_length(ocean, "an answer", 7, 24);
    assert_string_equal(qdr_error_message(), "rank 1 of ocean sent 7 bytes as an answer; expected 24");
}

typedef struct message {
    char text[8];
    int64_t kind, count;
} message;

static void test_tables(void **state) {
    static const qdri_expected table[] = {QDRI_MEMBER(message, kind, "kind", 0, 2),
                                          QDRI_MEMBER(message, count, "count", -1, 1)};
    static const qdri_expected places[] = {QDRI_PLACE(1, "the second", 20, 20)};
    const int64_t word[] = {10, 20, 30};
    message one = {"", 2, -1};
    (void)state;
    assert_int_equal(qdri_decode(third, table, 2, &one), QDR_OK);
    one.count = 2;
    assert_int_equal(qdri_decode(third, table, 2, &one), QDR_ERR_MISMATCH);
    assert_non_null(strstr(qdr_error_message(), "sent 2 as count; expected -1 to 1"));
    one.kind = INT64_MIN;
    assert_int_equal(qdri_decode(third, table, 2, &one), QDR_ERR_MISMATCH);
    assert_non_null(strstr(qdr_error_message(), "as kind"));
    assert_int_equal(qdri_decode(third, places, 1, word), QDR_OK);
    assert_int_equal(qdri_decode(third, places, 1, word + 1), QDR_ERR_MISMATCH);
}

static void test_failures_exist(void **state) {
    (void)state;
    assert_int_equal(qdri_decode_failure(third, QDR_ERR_INVALID), QDR_OK);
    assert_int_equal(qdri_decode_failure(third, QDR_ERR_FULL), QDR_OK);
    assert_int_equal(qdri_decode_failure(third, QDR_OK), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_decode_failure(third, QDR_ERR_FULL + 1), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_decode_failure(third, INT64_C(1) << 32 | QDR_ERR_INVALID), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_decode_failure(third, -1), QDR_ERR_MISMATCH);
}

static void test_texts_end(void **state) {
    char text[4] = {'a', '\n', 'c', 'd'};
    (void)state;
    qdri_decode_text(text, sizeof text);
    assert_string_equal(text, "a?c");
    text[0] = '\0';
    qdri_decode_text(text, sizeof text);
    assert_string_equal(text, "");
}

static void test_alike(void **state) {
    const int64_t value[] = {0, 5, -5, INT64_MIN, INT64_MAX};
    (void)state;
    for (int i = 0; i < 5; i++) {
        int64_t pair[2], other[2];
        qdri_alike_put(pair, value[i]);
        assert_false(qdri_alike_differ(pair));
        assert_int_equal(qdri_alike_lowest(pair), value[i]);
        for (int k = 0; k < 5; k++) {
            qdri_alike_put(other, value[k]);
            for (int w = 0; w < 2; w++) other[w] = other[w] > pair[w] ? other[w] : pair[w];
            assert_int_equal(qdri_alike_differ(other), i != k);
            assert_int_equal(other[0], value[i] > value[k] ? value[i] : value[k]);
            assert_int_equal(qdri_alike_lowest(other), value[i] < value[k] ? value[i] : value[k]);
        }
    }
}

static void test_cursor(void **state) {
    const char letter[] = "0123456789abcdef";
    const char *begin;
    char head[4];
    qdri_cursor cursor = {ocean, "a letter", letter, 16};
    (void)state;
    assert_int_equal(qdri_cursor_copy(&cursor, "its head", head, sizeof head), QDR_OK);
    assert_memory_equal(head, "0123", 4);
    assert_int_equal(qdri_cursor_take(&cursor, "words", 3, 2, &begin), QDR_OK);
    assert_ptr_equal(begin, letter + 4);
    assert_int_equal(qdri_cursor_end(&cursor), QDR_ERR_MISMATCH);
    assert_string_equal(qdr_error_message(), "rank 1 of ocean sent a letter with 6 bytes behind its end");
    assert_int_equal(qdri_cursor_take(&cursor, "words", 4, 2, &begin), QDR_ERR_MISMATCH);
    assert_string_equal(qdr_error_message(),
                        "rank 1 of ocean sent a letter with 4 times 2 bytes as words; 6 were left");
    assert_int_equal(cursor.left, 6);
    const int64_t hostile[][2] = {{-1, 1}, {1, -1}, {INT64_MAX, 8}, {INT64_C(1) << 61, 8}, {INT64_MIN, 2}};
    for (int i = 0; i < 5; i++)
        assert_int_equal(qdri_cursor_take(&cursor, "words", hostile[i][0], hostile[i][1], &begin),
                         QDR_ERR_MISMATCH);
    assert_int_equal(qdri_cursor_take(&cursor, "the rest", 6, 1, &begin), QDR_OK);
    assert_int_equal(qdri_cursor_take(&cursor, "nothing", 0, 8, &begin), QDR_OK);
    assert_int_equal(qdri_cursor_copy(&cursor, "a byte", head, 1), QDR_ERR_MISMATCH);
    assert_int_equal(qdri_cursor_end(&cursor), QDR_OK);
}

/* Each has one spelling, of one to ten bytes. */
static void test_numbers(void **state) {
    const uint64_t number[] = {0, 1, 127, 128, 16383, 16384, UINT64_C(1) << 62, INT64_MAX};
    const struct {
        unsigned char byte[12];
        int count;
    } none[] = {{{0}, 0},          {{0x80}, 1},    {{0x80, 0}, 2},
                {{0xff, 0x80}, 2}, {{1, 0x80}, 0}, {{255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, 10}};
    (void)state;
    for (int i = 0; i < 8; i++) {
        unsigned char bytes[QDRI_LONGEST_NUMBER];
        int64_t read = -1, size = qdri_number_write(number[i], bytes);
        qdri_cursor cursor = {ocean, "a letter", (const char *)bytes, size};
        assert_int_equal(qdri_cursor_number(&cursor, "a word", 0, INT64_MAX, &read), QDR_OK);
        assert_true((uint64_t)read == number[i] && cursor.left == 0);
        cursor = (qdri_cursor){ocean, "a letter", (const char *)bytes, size};
        if (i > 0)
            assert_int_equal(qdri_cursor_number(&cursor, "a word", 0, read - 1, &read), QDR_ERR_MISMATCH);
    }
    for (int i = 0; i < 6; i++) {
        int64_t read = -1;
        qdri_cursor cursor = {ocean, "a letter", (const char *)none[i].byte, none[i].count};
        assert_int_equal(qdri_cursor_number(&cursor, "a word", 0, INT64_MAX, &read), QDR_ERR_MISMATCH);
        assert_string_equal(
            qdr_error_message(),
            "rank 1 of ocean sent a letter that ends, or has no number, in the place of a word");
        assert_int_equal(read, -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_exact), cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_tables),           cmocka_unit_test(test_failures_exist),
        cmocka_unit_test(test_texts_end),        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_cursor),           cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
