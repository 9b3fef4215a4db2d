/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mini-language: every kind with its units, defaults, bare values, flags, overriding, and each error by
 * its sentence. Whatever the text, the reader ends with values inside their ranges or with one line.
 */
#include "base/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static const qdri_option options[] = {
    {"n", QDRI_INTEGER, NULL, 1, 4096, NULL, "number of ranks", 0},
    {"bytes", QDRI_RANGE, "64..1K", 0, 0x1p40, NULL, "message sizes", 0},
    {"density", QDRI_REAL, "0.25", 0, 1, NULL, "filled part", 0},
    {"tau", QDRI_TIME, "5us", 0, 100, NULL, "startup", 0},
    {"rate", QDRI_RATE, "", 1, 1e15, NULL, "of a port", 0},
    {"ports", QDRI_WORD, "full", 0, 0, "full half paired", "what a port does", 1},
    {"wrap", QDRI_FLAG, "no", 0, 0, NULL, "periodic", 0},
    {"seed", QDRI_INTEGER, "1", 0, 0, NULL, "any number", 0},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static qdr_status read_text(const char *text, qdri_spec *spec) {
    qdr_status status = qdri_spec_open(text, "pattern", spec);
    return status ? status : qdri_spec_read(spec, options, OPTIONS);
}

static qdri_spec good(const char *text) {
    qdri_spec spec;
    if (read_text(text, &spec)) fail_msg("'%s' is refused: %s", text, qdr_error_message());
    return spec;
}

static void bad(const char *text, qdr_status expected, const char *sentence) {
    qdri_spec spec;
    qdr_status status = read_text(text, &spec);
    if (status != expected)
        fail_msg("'%s': status %d (%s), expected %d", text, status, qdr_error_message(), expected);
    char whole[1200];
    snprintf(whole, sizeof whole, "pattern '%.200s': %s", text, sentence);
    assert_string_equal(qdr_error_message(), whole);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static void defaults(void **state) {
    (void)state;
    qdri_spec spec = good("random:n=8");
    assert_string_equal(spec.name, "random");
    assert_int_equal(qdri_spec_integer(&spec, "n"), 8);
    assert_int_equal(qdri_spec_get(&spec, "bytes")->integer, 64);
    assert_int_equal(qdri_spec_get(&spec, "bytes")->high, 1000);
    assert_true(qdri_spec_real(&spec, "density") == 0.25);
    assert_true(fabs(qdri_spec_real(&spec, "tau") - 5e-6) < 1e-18);
    assert_int_equal(qdri_spec_get(&spec, "rate")->present, 0);
    assert_true(qdri_spec_is(&spec, "ports", "full"));
    assert_int_equal(qdri_spec_flag(&spec, "wrap"), 0);
    assert_int_equal(qdri_spec_given(&spec, "n"), 1);
    assert_int_equal(qdri_spec_given(&spec, "bytes"), 0);
    assert_int_equal(qdri_spec_get(&spec, "bytes")->present, 1);
}

static void integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"007", 7},
        {"2K", 2000},
        {"2k", 2000},
        {"3M", 3000000},
        {"4G", INT64_C(4000000000)},
        {"2Ki", 2048},
        {"2ki", 2048},
        {"1Mi", 1048576},
        {"1Gi", 1073741824},
        {"1.5K", 1500},
        {"1e3", 1000},
        {"-5", -5},
        {"-2Ki", -2048},
        {"6/3", 2},
        {"9007199254740993", INT64_C(9007199254740993)}, /* no double */
        {"9223372036854775807", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "x:n=1,seed=%s", cases[i].text);
        qdri_spec spec = good(text);
        if (qdri_spec_integer(&spec, "seed") != cases[i].value)
            fail_msg("%s is read as %lld", text, (long long)qdri_spec_integer(&spec, "seed"));
        assert_true(qdri_spec_get(&spec, "seed")->high == cases[i].value);
    }
}

static void numbers_with_units(void **state) {
    (void)state;
    static const struct {
        const char *key, *text;
        double value;
    } cases[] = {
        {"density", "1/32", 1.0 / 32},
        {"density", ".5", 0.5},
        {"density", "1e-3", 1e-3},
        {"density", "1", 1},
        {"density", "0", 0},
        {"tau", "2", 2},
        {"tau", "2s", 2},
        {"tau", "1.5ms", 1.5e-3},
        {"tau", "88us", 88e-6},
        {"tau", "7ns", 7e-9},
        {"tau", "9ps", 9e-12},
        {"tau", "1/4ms", 0.25e-3},
        {"rate", "20", 20},
        {"rate", "20B/s", 20},
        {"rate", "3kB/s", 3e3},
        {"rate", "20MB/s", 20e6},
        {"rate", "1.5GB/s", 1.5e9},
        {"rate", "8kbit/s", 1e3},
        {"rate", "8Mbit/s", 1e6},
        {"rate", "1Gbit/s", 125e6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "x:n=1,%s=%s", cases[i].key, cases[i].text);
        qdri_spec spec = good(text);
        double value = qdri_spec_real(&spec, cases[i].key);
        if (fabs(value - cases[i].value) > 1e-12 * cases[i].value) fail_msg("%s is read as %g", text, value);
    }
}

static void ranges_words_and_flags(void **state) {
    (void)state;
    qdri_spec spec = good("x:n=1,bytes=2K..200K,half,wrap");
    assert_int_equal(qdri_spec_get(&spec, "bytes")->integer, 2000);
    assert_int_equal(qdri_spec_get(&spec, "bytes")->high, 200000);
    assert_true(qdri_spec_is(&spec, "ports", "half") && !qdri_spec_is(&spec, "ports", "full"));
    assert_int_equal(qdri_spec_flag(&spec, "wrap"), 1);
    spec = good("x:paired,n=1,bytes=7,wrap=yes");
    assert_true(qdri_spec_get(&spec, "bytes")->integer == 7 && qdri_spec_get(&spec, "bytes")->high == 7);
    assert_true(qdri_spec_is(&spec, "ports", "paired"));
    assert_int_equal(qdri_spec_flag(&spec, "wrap"), 1);
    spec = good("x:n=1,bytes=5..5,ports=full,wrap=no");
    assert_int_equal(qdri_spec_get(&spec, "bytes")->high, 5);
    assert_int_equal(qdri_spec_flag(&spec, "wrap"), 0);
    assert_int_equal(qdri_spec_given(&spec, "wrap"), 1);
}

static void overriding(void **state) {
    (void)state;
    qdri_spec spec = good("x:n=4,tau=1ms,wrap");
    assert_int_equal(qdri_spec_override(&spec, "n=16,wrap=no"), QDR_OK);
    assert_int_equal(qdri_spec_integer(&spec, "n"), 16);
    assert_int_equal(qdri_spec_flag(&spec, "wrap"), 0);
    assert_true(fabs(qdri_spec_real(&spec, "tau") - 1e-3) < 1e-15);
    assert_int_equal(qdri_spec_override(&spec, ""), QDR_OK);
    assert_int_equal(qdri_spec_override(&spec, "n=17,n=18"), QDR_ERR_SYNTAX);
    assert_int_equal(qdri_spec_override(&spec, "speed=1"), QDR_ERR_SYNTAX);
    assert_int_equal(qdri_spec_override(&spec, "n=0"), QDR_ERR_RANGE);
}

/* ---- errors -------------------------------------------------------------------------------------------- */

static void sentences(void **state) {
    (void)state;
    bad("", QDR_ERR_SYNTAX, "expected NAME or NAME:KEY=VALUE,...");
    bad(":n=3", QDR_ERR_SYNTAX, "expected NAME or NAME:KEY=VALUE,...");
    bad("averyveryveryveryveryveryveryverylongnameoffortyeight", QDR_ERR_UNKNOWN,
        "the name is too long; expected at most 47 characters");
    bad("x", QDR_ERR_SYNTAX, "'n' is missing (number of ranks)");
    bad("x:", QDR_ERR_SYNTAX, "nothing follows the colon");
    bad("x:wrap", QDR_ERR_SYNTAX, "'n' is missing (number of ranks)");
    bad("x:n=1,", QDR_ERR_SYNTAX, "a comma with nothing beside it");
    bad("x:,n=1", QDR_ERR_SYNTAX, "a comma with nothing beside it");
    bad("x:n=1,,wrap", QDR_ERR_SYNTAX, "a comma with nothing beside it");
    bad("x:n=1,n=2", QDR_ERR_SYNTAX, "'n' is given twice");
    bad("x:n=1,half,ports=full", QDR_ERR_SYNTAX, "'ports' is given twice");
    bad("x:n=1,wrap,wrap=no", QDR_ERR_SYNTAX, "'wrap' is given twice");
    bad("x:n=1,speed=3", QDR_ERR_SYNTAX,
        "'speed' is not a key; x takes n, bytes, density, tau, rate, ports, wrap, seed");
    bad("x:n=1,=3", QDR_ERR_SYNTAX,
        "'' is not a key; x takes n, bytes, density, tau, rate, ports, wrap, seed");
    bad("x:n=0", QDR_ERR_RANGE, "'n=0' is out of range; expected 1 to 4096");
    bad("x:n=4097", QDR_ERR_RANGE, "'n=4097' is out of range; expected 1 to 4096");
    bad("x:n=-1", QDR_ERR_RANGE, "'n=-1' is out of range; expected 1 to 4096");
    bad("x:n=99999999999999999999", QDR_ERR_RANGE,
        "'n=99999999999999999999' is out of range; expected at most 4096");
    bad("x:n=1e30", QDR_ERR_RANGE, "'n=1e30' is out of range; expected at most 4096");
    bad("x:n=1,seed=9223372036854775808", QDR_ERR_RANGE,
        "'seed=9223372036854775808' is out of range; expected at most 4.61168601842739e+18");
    bad("x:n=1,density=1.5", QDR_ERR_RANGE, "'density=1.5' is out of range; expected 0 to 1");
    bad("x:n=1,bytes=-3..5", QDR_ERR_RANGE, "'bytes=-3..5' is out of range; expected 0 to 1099511627776");
}

static void bad_value(const char *key, const char *value, const char *expected) {
    char text[128], sentence[256];
    snprintf(text, sizeof text, "x:n=1,%s=%s", key, value);
    snprintf(sentence, sizeof sentence, "'%s=%s' is not valid; expected %s", key, value, expected);
    bad(text, QDR_ERR_SYNTAX, sentence);
}

static void values_that_are_none(void **state) {
    (void)state;
    static const char *const no_number[] = {"",      "x",    "0x10", "-0x10", "1/0x2", "nan",    "-nan",
                                            "inf",   "-inf", "1/0",  "1/",    "1e400", "1e-400", "1/1e400",
                                            "--1",   "+1",   " 1",   "1 ",    "1..",   ".",      "-",
                                            "1.2.3", "1 K",  "1KB",  "1/-2"};
    for (size_t i = 0; i < sizeof no_number / sizeof no_number[0]; i++) {
        bad_value("seed", no_number[i], "an integer such as 64 or 2Ki");
        bad_value("density", no_number[i], "a number such as 0.25 or 1/32");
        bad_value("tau", no_number[i], "a time such as 88us or 1.5ms");
        bad_value("rate", no_number[i], "a rate such as 20MB/s or 1Gbit/s");
        bad_value("bytes", no_number[i], "an integer or a range such as 2K..200K");
    }
    static const char *const no_integer[] = {"1.5", "1/3", "1s"};
    for (size_t i = 0; i < sizeof no_integer / sizeof no_integer[0]; i++)
        bad_value("seed", no_integer[i], "an integer such as 64 or 2Ki");
    static const char *const no_range[] = {"5..3", "..3", "3..", "1..2..3", "1...3", "a..b", ".."};
    for (size_t i = 0; i < sizeof no_range / sizeof no_range[0]; i++)
        bad_value("bytes", no_range[i], "an integer or a range such as 2K..200K");
    bad_value("tau", "1m", "a time such as 88us or 1.5ms");
    bad_value("tau", "1 us", "a time such as 88us or 1.5ms");
    bad_value("rate", "1us", "a rate such as 20MB/s or 1Gbit/s");
    bad_value("density", "1us", "a number such as 0.25 or 1/32");
    bad_value("ports", "FULL", "one of full half paired");
    bad_value("ports", "ful", "one of full half paired");
    bad_value("ports", "", "one of full half paired");
    bad_value("ports", "full half", "one of full half paired");
    bad_value("wrap", "1", "yes or no");
    bad_value("wrap", "", "yes or no");
    bad("x:n=1,quarter", QDR_ERR_SYNTAX, "'ports=quarter' is not valid; expected one of full half paired");
}

static void lengths(void **state) {
    (void)state;
    char text[2000] = "x:n=1,seed=";
    memset(text + 11, '0', 200);
    strcpy(text + 211, "7");
    qdri_spec spec = good(text);
    assert_int_equal(qdri_spec_integer(&spec, "seed"), 7);
    memset(text + 11, '0', 1500);
    strcpy(text + 1511, "7");
    bad(text, QDR_ERR_SYNTAX, "a value is too long; expected at most 255 characters");
    memset(text + 1, 'y', 1000);
    text[1001] = '\0';
    bad(text, QDR_ERR_UNKNOWN, "the name is too long; expected at most 47 characters");
    qdri_spec none;
    assert_int_equal(qdri_spec_open("x:y=1", "machine", &none), QDR_OK);
    assert_int_equal(qdri_spec_read(&none, NULL, 0), QDR_ERR_SYNTAX);
    assert_string_equal(qdr_error_message(), "machine 'x:y=1': 'y' is not a key; x takes no keys");
}

static void help(void **state) {
    (void)state;
    const char *text = qdri_options_text(options, OPTIONS);
    assert_non_null(strstr(text, "n=REQUIRED  number of ranks\n"));
    assert_non_null(strstr(text, "bytes=64..1K  message sizes\n"));
    assert_non_null(strstr(text, "rate=  of a port\n"));
    assert_non_null(strstr(text, "ports=full  what a port does (full half paired)\n"));
    assert_string_equal(qdri_options_text(options, 0), "");
}

/* ---- any text ------------------------------------------------------------------------------------------ */

static void check_ranges(const qdri_spec *spec, const char *text) {
    for (int i = 0; i < OPTIONS; i++) {
        const qdri_value *value = &spec->value[i];
        double high = options[i].kind == QDRI_RANGE ? (double)value->high : value->real;
        if (!value->present || options[i].lowest == options[i].highest) continue;
        if (!(value->real >= options[i].lowest && high <= options[i].highest && isfinite(value->real)))
            fail_msg("'%s': %s is %g", text, options[i].key, value->real);
    }
    assert_in_range(qdri_spec_integer(spec, "ports"), 0, 2);
    assert_in_range(qdri_spec_integer(spec, "wrap"), 0, 1);
}

static void garbage(void **state) {
    (void)state;
    static const char *const parts[] = {"x",      ":",    ",",          "=",      "n=4",   "n",
                                        "bytes=", "1..9", "density=",   "0.5",    "tau=",  "5us",
                                        "-",      "/",    "1",          "9e99",   "K",     "ports=",
                                        "half",   "wrap", "yes",        "\n",     "%s",    "..",
                                        "seed=",  "0x1",  "rate=1GB/s", ".",      "1e308", "\xff",
                                        " ",      "Ki",   "inf",        "\x1b[m", ",n=4,", ":n=4,"};
    qdri_random random = qdri_random_seed(2024);
    int accepted = 0;
    for (int round = 0; round < 40000; round++) {
        char text[512] = "";
        qdri_spec spec;
        if (round % 2) strcpy(text, "x:n=4,");
        for (int k = (int)qdri_random_below(&random, 9); k >= 0; k--)
            strcat(text, parts[qdri_random_below(&random, sizeof parts / sizeof parts[0])]);
        if (read_text(text, &spec) == QDR_OK) {
            check_ranges(&spec, text);
            accepted++;
        } else if (!qdr_error_message()[0] || strpbrk(qdr_error_message(), "\n\r\x1b")) {
            fail_msg("'%s' is refused with '%s'", text, qdr_error_message());
        }
    }
    assert_true(accepted > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(integers),
        cmocka_unit_test(numbers_with_units),
        cmocka_unit_test(ranges_words_and_flags),
        cmocka_unit_test(overriding),
        cmocka_unit_test(sentences),
        cmocka_unit_test(values_that_are_none),
        cmocka_unit_test(lengths),
        cmocka_unit_test(help),
        cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
