/* SPDX-License-Identifier: BSD-3-Clause */
/* No text breaks out of a page, heat maps keep every byte, and phases are numbered and added up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/complain.h"
#include "page.h"
#include "report.h"

/* ---- pages --------------------------------------------------------------------------------------------- */

static char *page_of(const char *title, json_t *section) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    json_t *sections = json_array();
    json_add(sections, section);
    assert_int_equal(page_write(title, "", sections, stream), EXIT_GOOD);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static int occurrences(const char *text, const char *word) {
    int count = 0;
    while ((text = strstr(text, word))) {
        count++;
        text++;
    }
    return count;
}

static void texts_stay_in_their_place(void **state) {
    (void)state;
    const char hostile[] = "</script><!--<script></title>{{script}}";
    char *plain = page_of("plain", page_text("plain", "plain")),
         *attacked = page_of(hostile, page_text(hostile, hostile));
    assert_int_equal(occurrences(attacked, "</script"), occurrences(plain, "</script"));
    assert_int_equal(occurrences(attacked, "</title"), 1);
    assert_int_equal(occurrences(attacked, "<!--"), 0);
    assert_int_equal(occurrences(attacked, "\"use strict\""), 1);
    assert_int_equal(occurrences(plain, "{{"), 0);
    free(plain);
    free(attacked);
}

static void the_data_is_read_back(void **state) {
    (void)state;
    const char text[] = "a < b & \"c\" \\ \xc2\xb5s";
    char *page = page_of("title", page_text("heading", text)), *data = strstr(page, "id=\"data\">");
    assert_non_null(data);
    data += strlen("id=\"data\">");
    *strstr(data, "</script>") = '\0';
    json_t *root = json_loads(data, 0, NULL);
    assert_non_null(root);
    json_t *section = json_array_get(json_object_get(root, "sections"), 0);
    assert_string_equal(json_string_value(json_object_get(section, "text")), text);
    json_decref(root);
    free(page);
}

static void any_bytes_become_a_string(void **state) {
    (void)state;
    json_t *good = json_text("\xc2\xb5"), *bad = json_text("a\xff\xc2z");
    assert_string_equal(json_string_value(good), "\xc2\xb5");
    assert_string_equal(json_string_value(bad), "a??z");
    json_decref(good);
    json_decref(bad);
}

/* ---- heat maps ----------------------------------------------------------------------------------------- */

static json_int_t sum_of(const json_t *section, const char *key) {
    json_t *list = json_object_get(section, key), *value;
    size_t index;
    json_int_t sum = 0;
    json_array_foreach (list, index, value) sum += json_integer_value(value);
    return sum;
}

static void heat_maps_keep_every_byte(void **state) {
    (void)state;
    static const char *const specs[] = {"paper:P",
                                        "complete:n=1",
                                        "random:n=5,density=0",
                                        "random:n=512,density=0.01,bytes=3..70,seed=1",
                                        "random:n=513,density=0.01,bytes=3..70,seed=1",
                                        "random:n=1537,density=0.01,bytes=3..70,seed=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        qdr_pattern *pattern;
        qdr_pattern_statistics statistics;
        assert_int_equal(qdr_pattern_from_spec(specs[i], &pattern), QDR_OK);
        qdr_pattern_measure(pattern, &statistics);
        json_t *section = page_heat("heat", pattern);
        json_int_t size = json_integer_value(json_object_get(section, "size")),
                   block = json_integer_value(json_object_get(section, "block"));
        assert_in_range(size, 1, 512);
        assert_true(size * block >= statistics.ranks && (size - 1) * block < statistics.ranks);
        assert_int_equal(sum_of(section, "bytes"), statistics.items);
        assert_int_equal(sum_of(section, "messages"), statistics.messages);
        assert_int_equal(sum_of(section, "out"), statistics.items);
        assert_int_equal(sum_of(section, "in"), statistics.items);
        assert_int_equal(json_array_size(json_object_get(section, "out")), size);
        json_decref(section);
        qdr_pattern_destroy(&pattern);
    }
}

/* ---- phases -------------------------------------------------------------------------------------------- */

static void phases_are_numbered_and_added_up(void **state) {
    (void)state;
    report_bar bars[] = {{0, 1, 1, 0, 10, 4, 5},
                         {1, 0, 0, INT64_MAX, 20, 1, 3},
                         {2, 0, 0, INT64_MIN, 30, 0, 2},
                         {3, 0, 0, INT64_MAX, 40, 1, 2}};
    assert_int_equal(report_number_phases(NULL, 0), 0);
    assert_int_equal(report_number_phases(bars, 4), 3);
    assert_int_equal(bars[0].phase, 0);
    assert_int_equal(bars[0].bytes, 30);
    assert_int_equal(bars[2].phase, 1);
    assert_int_equal(bars[3].bytes, 10);
    assert_int_equal(bars[3].phase, 2);
    json_t *row = report_phases_row("name", bars, 4, 3, 5, 1), *end = json_object_get(row, "end");
    assert_int_equal(json_array_size(end), 3);
    assert_int_equal(json_integer_value(json_array_get(end, 0)), 400000);
    assert_int_equal(json_integer_value(json_array_get(end, 1)), 600000);
    assert_int_equal(json_integer_value(json_array_get(end, 2)), 1000000);
    assert_int_equal(sum_of(row, "transfers"), 4);
    assert_int_equal(sum_of(row, "bytes"), 100);
    json_decref(row);
}

static void numbers_are_for_people(void **state) {
    (void)state;
    char text[UNITS_TEXT];
    assert_string_equal(report_count(0, text), "0");
    assert_string_equal(report_count(999, text), "999");
    assert_string_equal(report_count(1000, text), "1,000");
    assert_string_equal(report_count(INT64_MIN, text), "-9,223,372,036,854,775,808");
    assert_string_equal(report_bytes(1, text), "1 byte");
    assert_string_equal(report_bytes(9999, text), "9,999 bytes");
    assert_string_equal(report_bytes(10000, text), "10 kB");
    assert_string_equal(report_seconds(12e-6, text), "12 \xc2\xb5s");
    assert_string_equal(report_seconds(1.5, text), "1.5 s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_in_their_place),        cmocka_unit_test(the_data_is_read_back),
        cmocka_unit_test(any_bytes_become_a_string),        cmocka_unit_test(heat_maps_keep_every_byte),
        cmocka_unit_test(phases_are_numbered_and_added_up), cmocka_unit_test(numbers_are_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
