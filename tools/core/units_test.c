/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts are read exactly or not at all; times get the unit that fits. */
#include "units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void counts_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t count;
    } good[] = {
        {"0", 0},        {"64", 64},          {"2K", 2000}, {"4Ki", 4096},
        {"3M", 3000000}, {"1Gi", 1073741824}, {"007", 7},   {"4611686018427387904", INT64_C(1) << 62}};
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.5",
                                      "0x10",
                                      "K",
                                      "1KB",
                                      "1e3",
                                      "1Kk",
                                      "--",
                                      "99999999999999999999",
                                      "9999999999G"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t count = -1;
        assert_true(units_read_count(good[i].text, &count));
        assert_true(count == good[i].count);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t count = -1;
        assert_false(units_read_count(bad[i], &count));
        assert_true(count == -1);
    }
}

static void rates_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double rate;
    } good[] = {{"50Mbit/s", 6.25e6}, {"20MB/s", 20e6},   {"1e6", 1e6},
                {"8bit/s", 1},        {"2.5GB/s", 2.5e9}, {".5", 0.5}};
    static const char *const bad[] = {"", "0", "-1", "50Mbit", "MB/s", "1 MB/s", "inf", "nan", "1e30", "1e"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double rate = -1;
        assert_true(units_read_rate(good[i].text, &rate));
        assert_true(rate == good[i].rate);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double rate = -1;
        assert_false(units_read_rate(bad[i], &rate));
        assert_true(rate == -1);
    }
}

static void times_are_printed(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 s"},
                 {1, "1 s"},
                 {0.5, "500 ms"},
                 {88e-6, "88 us"},
                 {1.23456e-3, "1.235 ms"},
                 {0.99999e-3, "1 ms"},
                 {128e-9, "128 ns"},
                 {1e-12, "0.001 ns"}};
    char text[UNITS_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(units_seconds(cases[i].seconds, text), cases[i].text);
    assert_string_equal(units_rate(7.8125e6, text), "7.812 MB/s");
}

static void a_column_has_one_unit(void **state) {
    (void)state;
    const double seconds[] = {0, 0.2, 3e-3, 5};
    assert_string_equal(units_for_column(seconds, 4).name, "ms");
    assert_string_equal(units_for_column(seconds, 1).name, "s");
    assert_string_equal(units_for_column(seconds, 0).name, "s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_read),
        cmocka_unit_test(rates_are_read),
        cmocka_unit_test(times_are_printed),
        cmocka_unit_test(a_column_has_one_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
