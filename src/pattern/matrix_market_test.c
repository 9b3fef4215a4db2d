/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market: what is read, what is written, and the line that each mistake gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/pattern.h"

#define GENERAL   "%%MatrixMarket matrix coordinate integer general\n"
#define REAL      "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate integer symmetric\n"
#define VALUELESS "%%MatrixMarket matrix coordinate pattern general\n"

static qdr_status read_bytes(const char *bytes, size_t size, int64_t pattern_items, qdr_pattern **pattern) {
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    rewind(stream);
    qdr_status status = qdr_pattern_read(stream, "a.mtx", pattern_items, pattern);
    fclose(stream);
    return status;
}

static qdr_pattern *read_text(const char *text, int64_t pattern_items) {
    qdr_pattern *pattern = NULL;
    if (read_bytes(text, strlen(text), pattern_items, &pattern) != QDR_OK)
        fail_msg("%s", qdr_error_message());
    return pattern;
}

static int64_t entry(const qdr_pattern *pattern, int origin, int destination) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    if (origin == destination) return view.local[origin];
    for (int64_t m = view.row_start[origin]; m < view.row_start[origin + 1]; m++)
        if (view.destination[m] == destination) return view.items[m];
    return 0;
}

static void assert_value(const char *text, int64_t expected) {
    qdr_pattern *pattern = read_text(text, 0);
    assert_int_equal(entry(pattern, 0, 1), expected);
    qdr_pattern_destroy(&pattern);
}

static void all_kinds_are_read(void **state) {
    (void)state;
    assert_value(GENERAL "2 2 1\n1 2 7\n", 7);
    assert_value(GENERAL "2 2 1\n1 2 7", 7);
    assert_value("%%MatrixMarket MATRIX Coordinate INTEGER General\r\n2 2 1\r\n1 2 7\r\n", 7);
    assert_value(GENERAL "% a comment\n%\n\n 2\t2  1 \n\n  1 2 7\n\n \n", 7);
    assert_value(GENERAL "2 2 1\n1 2 4611686018427387904\n", INT64_C(1) << 62);
    assert_value(GENERAL "2 2 1\n01 002 0\n", 0);
    assert_value(REAL "2 2 1\n1 2 7\n", 7);
    assert_value(REAL "2 2 1\n1 2 7.000e+00\n", 7);
    assert_value(REAL "2 2 1\n1 2 1.25E2\n", 125);
    assert_value(REAL "2 2 1\n1 2 12500e-2\n", 125);
    assert_value(REAL "2 2 1\n1 2 .5e1\n", 5);
    assert_value(REAL "2 2 1\n1 2 0.000e-99\n", 0);
    assert_value(REAL "2 2 1\n1 2 4.611686018427387904e18\n", INT64_C(1) << 62);
    qdr_pattern *valueless = read_text(VALUELESS "2 2 2\n2 1\n1 2\n", 12);
    assert_int_equal(entry(valueless, 0, 1), 12);
    assert_int_equal(entry(valueless, 1, 0), 12);
    qdr_pattern_destroy(&valueless);
}

static void symmetric_files_are_mirrored(void **state) {
    (void)state;
    qdr_pattern *pattern = read_text(SYMMETRIC "3 3 3\n3 1 5\n2 2 4\n2 1 6\n", 0);
    assert_int_equal(entry(pattern, 2, 0), 5);
    assert_int_equal(entry(pattern, 0, 2), 5);
    assert_int_equal(entry(pattern, 0, 1), 6);
    assert_int_equal(entry(pattern, 1, 0), 6);
    assert_int_equal(entry(pattern, 1, 1), 4);
    assert_int_equal(qdr_pattern_look(pattern).messages, 4);
    qdr_pattern_destroy(&pattern);
}

typedef struct mistake {
    const char *text;
    qdr_status status;
    const char *message;
} mistake;

static const mistake mistakes[] = {
    {"", QDR_ERR_SYNTAX, "a.mtx:1: found the end of the file; expected the banner %%MatrixMarket"},
    {"1 2 3\n", QDR_ERR_SYNTAX, "a.mtx:1: found '1'; expected the banner %%MatrixMarket"},
    {"%%MatrixMarket tensor", QDR_ERR_SYNTAX, "a.mtx:1: found 'tensor'; expected the word matrix"},
    {"%%MatrixMarket matrix array", QDR_ERR_SYNTAX,
     "found 'array'; expected the word coordinate (a list of entries)"},
    {"%%MatrixMarket matrix coordinate complex", QDR_ERR_SYNTAX,
     "found 'complex'; expected integer, real or pattern"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric", QDR_ERR_SYNTAX,
     "found 'skew-symmetric'; expected general or symmetric"},
    {"%%MatrixMarket matrix coordinate real\n", QDR_ERR_SYNTAX,
     "found the end of the line; expected general or symmetric"},
    {"%%MatrixMarket matrix coordinate real general x\n", QDR_ERR_SYNTAX,
     "found 'x'; expected the end of the line"},
    {VALUELESS "2 2 1\n1 2\n", QDR_ERR_VALUELESS,
     "a.mtx:1: found a file without values (pattern); expected integer or real"},
    {GENERAL, QDR_ERR_SYNTAX,
     "a.mtx:2: found the end of the file; expected the number of rows, a whole number from 1 to"},
    {GENERAL "% c\n0 0 0\n", QDR_ERR_RANGE,
     "a.mtx:3: found '0'; expected the number of rows, a whole number from 1 to"},
    {GENERAL "2 3 1\n", QDR_ERR_RANGE,
     "a.mtx:2: found 2 rows and 3 columns; expected as many columns as rows"},
    {GENERAL "1099511627776 1099511627776 1\n", QDR_ERR_RANGE,
     "found '1099511627776'; expected the number of rows"},
    {GENERAL "2000000000 2000000000 0\n", QDR_ERR_RANGE, "whole number from 1 to 16777216"},
    {GENERAL "2 2 1000000000000000000\n", QDR_ERR_RANGE,
     "expected the number of entries, a whole number from 0 to 4"},
    {SYMMETRIC "2 2 4\n", QDR_ERR_RANGE, "expected the number of entries, a whole number from 0 to 3"},
    {GENERAL "2 2 99999999999999999999999\n", QDR_ERR_RANGE, "expected the number of entries"},
    {GENERAL "2 2\n", QDR_ERR_SYNTAX, "found the end of the line; expected the number of entries"},
    {GENERAL "2 2 1 1\n", QDR_ERR_SYNTAX, "a.mtx:2: found '1'; expected the end of the line"},
    {GENERAL "4000 4000 16000000\n1 2 3\n", QDR_ERR_SYNTAX,
     "a.mtx:4: found the end of the file after 1 entries; expected 16000000"},
    {GENERAL "2 2 1\n3 1 1\n", QDR_ERR_RANGE,
     "a.mtx:3: found '3'; expected a row, a whole number from 1 to 2"},
    {GENERAL "2 2 1\n1 0 1\n", QDR_ERR_RANGE,
     "a.mtx:3: found '0'; expected a column, a whole number from 1 to 2"},
    {GENERAL "2 2 1\n1 x2 1\n", QDR_ERR_SYNTAX, "a.mtx:3: found 'x2'; expected a column"},
    {GENERAL "2 2 1\n1 2\n", QDR_ERR_SYNTAX, "a.mtx:3: found the end of the line; expected a value"},
    {GENERAL "2 2 1\n1 2 -4\n", QDR_ERR_SYNTAX,
     "a.mtx:3: found '-4'; expected a value, a whole number from 0 to"},
    {GENERAL "2 2 1\n1 2 4.0\n", QDR_ERR_SYNTAX, "a.mtx:3: found '4.0'; expected a value"},
    {GENERAL "2 2 1\n1 2 4611686018427387905\n", QDR_ERR_RANGE,
     "expected a value, a whole number from 0 to 46116860184273"},
    {REAL "2 2 1\n1 2 4.5\n", QDR_ERR_RANGE, "a.mtx:3: found '4.5'; expected a value, a whole number"},
    {REAL "2 2 1\n1 2 1e300\n", QDR_ERR_RANGE, "a.mtx:3: found '1e300'; expected a value"},
    {REAL "2 2 1\n1 2 1e\n", QDR_ERR_SYNTAX, "a.mtx:3: found '1e'; expected a value"},
    {REAL "2 2 1\n1 2 1.0.0\n", QDR_ERR_SYNTAX, "a.mtx:3: found '1.0.0'; expected a value"},
    {REAL "2 2 1\n1 2 .\n", QDR_ERR_SYNTAX, "a.mtx:3: found '.'; expected a value"},
    {REAL "2 2 1\n1 2 nan\n", QDR_ERR_SYNTAX, "a.mtx:3: found 'nan'; expected a value"},
    {REAL "2 2 1\n1 2 0x10\n", QDR_ERR_SYNTAX, "a.mtx:3: found '0x10'; expected a value"},
    {GENERAL "2 2 1\n1 2 3 4\n", QDR_ERR_SYNTAX, "a.mtx:3: found '4'; expected the end of the line"},
    {GENERAL "2 2 1\n1 2 3\n\n2 1 3\n", QDR_ERR_SYNTAX, "a.mtx:5: found '2'; expected the end of the file"},
    {GENERAL "2 2 1\n% late\n1 2 3\n", QDR_ERR_SYNTAX, "a.mtx:3: found '%'; expected a row"},
    {SYMMETRIC "2 2 1\n1 2 3\n", QDR_ERR_RANGE,
     "a.mtx:3: found row 1, column 2 above the diagonal of a symmetric file"},
    {GENERAL "3 3 4\n1 2 3\n\n2 1 3\n\n\n1 2 4\n3 1 1\n", QDR_ERR_INVALID,
     "a.mtx:8: found row 1, column 2 for the second time; expected each entry once"},
    {GENERAL "3 3 3\n2 2 3\n1 3 3\n2 2 1\n", QDR_ERR_INVALID,
     "a.mtx:5: found row 2, column 2 for the second time"},
    {SYMMETRIC "3 3 3\n3 1 3\n2 2 3\n3 1 1\n", QDR_ERR_INVALID,
     "a.mtx:5: found row 3, column 1 for the second time"},
    {GENERAL "2 2 2\n1 2 4611686018427387904\n2 1 1\n", QDR_ERR_RANGE,
     "a.mtx:4: found the value 1 that takes the total past 2^62"},
    {SYMMETRIC "2 2 1\n2 1 4611686018427387904\n", QDR_ERR_RANGE,
     "a.mtx:3: found the value 4611686018427387904 that takes"},
};

static void mistakes_get_their_line(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        qdr_pattern *pattern = NULL;
        qdr_status status = read_bytes(mistakes[i].text, strlen(mistakes[i].text), 0, &pattern);
        if (status == QDR_OK || !strstr(qdr_error_message(), mistakes[i].message))
            fail_msg("'%s' is not '%s'", qdr_error_message(), mistakes[i].message);
        assert_int_equal(status, mistakes[i].status);
        assert_null(strchr(qdr_error_message(), '\n'));
        assert_null(pattern);
    }
}

static void strange_bytes_are_refused(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    const char zero[] = GENERAL "2 2 1\n1 2 3\0\n",
               word[] = "%%MatrixMarket matrix\0 coordinate integer general\n";
    assert_int_equal(read_bytes(zero, sizeof zero - 1, 0, &pattern), QDR_ERR_SYNTAX);
    assert_string_equal(qdr_error_message(),
                        "a.mtx:3: found the byte 0x00; expected a value, a whole number from 0 to "
                        "4611686018427387904");
    assert_int_equal(read_bytes(word, sizeof word - 1, 0, &pattern), QDR_ERR_SYNTAX);
    assert_string_equal(qdr_error_message(), "a.mtx:1: found the byte 0x00; expected the word matrix");
}

static void long_lines_do_not_matter(void **state) {
    (void)state;
    enum { LENGTH = 100000 };
    char *text = malloc(3 * LENGTH), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%s%%", GENERAL);
    memset(end, 'c', LENGTH);
    end += LENGTH;
    end += sprintf(end, "\n2 2 1\n1 2");
    memset(end, ' ', LENGTH);
    end += LENGTH;
    strcpy(end, "7\n");
    assert_value(text, 7);
    memset(end, '9', LENGTH / 2);
    strcpy(end + LENGTH / 2, "\n");
    qdr_pattern *pattern = NULL;
    assert_int_equal(read_bytes(text, strlen(text), 0, &pattern), QDR_ERR_SYNTAX);
    assert_non_null(strstr(qdr_error_message(),
                           "a.mtx:4: found '9999999999999999999999999999999999999999...'; expected"));
    free(text);
}

static void arguments_are_checked(void **state) {
    (void)state;
    qdr_pattern *pattern = NULL;
    assert_int_equal(qdr_pattern_read(NULL, "x", 0, &pattern), QDR_ERR_INVALID);
    assert_int_equal(qdr_pattern_read(stdin, "x", 0, NULL), QDR_ERR_INVALID);
    assert_int_equal(qdr_pattern_read(stdin, "x", -1, &pattern), QDR_ERR_RANGE);
    assert_int_equal(qdr_pattern_write(NULL, stdout), QDR_ERR_INVALID);
    FILE *unreadable = fopen("/dev/null", "w");
    assert_non_null(unreadable);
    assert_int_equal(qdr_pattern_read(unreadable, "null", 0, &pattern), QDR_ERR_FILE);
    assert_string_equal(qdr_error_message(),
                        "null:1: the file cannot be read further; expected no input error");
    fclose(unreadable);
}

static void a_full_disk_is_noticed(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) return;
    qdr_pattern *pattern = read_text(GENERAL "2 2 1\n1 2 7\n", 0);
    assert_int_equal(qdr_pattern_write(pattern, full), QDR_ERR_FILE);
    assert_non_null(strstr(qdr_error_message(), "2 ranks and 1 entries cannot be written: "));
    fclose(full);
    qdr_pattern_destroy(&pattern);
}

static void what_is_written(void **state) {
    (void)state;
    char text[256] = "";
    qdr_pattern *pattern = read_text(SYMMETRIC "3 3 3\n3 1 5\n2 2 4\n3 2 6\n", 0);
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(qdr_pattern_write(pattern, stream), QDR_OK);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_string_equal(text, GENERAL "% row = origin, column = destination\n3 3 5\n"
                                      "1 3 5\n2 2 4\n2 3 6\n3 1 5\n3 2 6\n");
    qdr_pattern_destroy(&pattern);
}

/* An entry of zero, which is no message when it is read. */
static void messages_without_items_are_zeros(void **state) {
    (void)state;
    char text[256] = "";
    qdr_pattern *pattern = NULL;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(qdr_pattern_from_spec("shift:n=2,bytes=0", &pattern), QDR_OK);
    assert_int_equal(qdr_pattern_write(pattern, stream), QDR_OK);
    qdr_pattern_destroy(&pattern);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_string_equal(text, GENERAL "% row = origin, column = destination\n2 2 2\n1 2 0\n2 1 0\n");
    pattern = read_text(text, 0);
    assert_int_equal(qdr_pattern_look(pattern).messages, 0);
    qdr_pattern_destroy(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_read),
        cmocka_unit_test(symmetric_files_are_mirrored),
        cmocka_unit_test(mistakes_get_their_line),
        cmocka_unit_test(strange_bytes_are_refused),
        cmocka_unit_test(long_lines_do_not_matter),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(messages_without_items_are_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
