/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/environment.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static qdri_setting good(qdri_variable which, const char *value) {
    qdri_setting setting;
    setenv(qdri_environment_name(which), value, 1);
    if (qdri_environment_read(which, &setting)) fail_msg("%s: %s", value, qdr_error_message());
    unsetenv(qdri_environment_name(which));
    assert_int_equal(setting.given, 1);
    return setting;
}

/* The sentence names the variable, the value and what is expected, and nothing of the value is taken. */
static void bad(qdri_variable which, const char *value) {
    qdri_setting setting = {.given = 1, .integer = 7, .seconds = 7};
    const qdr_environment_info *info;
    setenv(qdri_environment_name(which), value, 1);
    if (qdri_environment_read(which, &setting) != QDR_ERR_INVALID)
        fail_msg("%s=%s was taken", qdri_environment_name(which), value);
    unsetenv(qdri_environment_name(which));
    assert_non_null(info = qdr_environment(which));
    if (!strstr(qdr_error_message(), info->name) || !strstr(qdr_error_message(), info->expected) ||
        (strlen(value) < 50 && !strstr(qdr_error_message(), value)))
        fail_msg("%s=%s: %s", info->name, value, qdr_error_message());
    assert_true(!setting.given && setting.integer == 0 && setting.seconds == 0 && !setting.text);
}

static void seconds(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } fine[] = {{"0", 0},      {"0.5", 0.5}, {"1e-3", 1e-3}, {"30", 30},   {"30s", 30},  {"500ms", 0.5},
                {"7us", 7e-6}, {"1m", 60},   {"1.5min", 90}, {"2h", 7200}, {"1e9", 1e9}, {"1/4", 0.25}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        double read = good(QDRI_ENV_DEADLINE, fine[i].text).seconds;
        assert_true(fabs(read - fine[i].seconds) <= 1e-12 * fine[i].seconds);
    }
    static const char *const refused[] = {"",         "abc",   "0,5", "-3",  "nan",   "-nan", "inf",
                                          "infinity", "1e400", "2e9", "1d",  "1 s",   " 1",   "1 ",
                                          "0x10",     "1..",   "+1",  "5 m", "1M",    "--1",  "1e9h",
                                          "1ss",      "1.2.3", "1e",  "m",   "1m30s", "-0.1"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) bad(QDRI_ENV_DEADLINE, refused[i]);
}

/* The program's locale, where the system has one with a comma, has no say. */
static void decimal_commas(void **state) {
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    double half = good(QDRI_ENV_DEADLINE, "0.5").seconds;
    assert_true(half > 0.49 && half < 0.51);
    bad(QDRI_ENV_DEADLINE, "0,5");
    setlocale(LC_NUMERIC, "C");
}

static void bytes_and_counts(void **state) {
    (void)state;
    assert_int_equal(good(QDRI_ENV_WINDOW, "40Ki").integer, 40960);
    assert_int_equal(good(QDRI_ENV_WINDOW, "1").integer, 1);
    assert_int_equal(good(QDRI_ENV_CHUNK, "0").integer, 0);
    assert_int_equal(good(QDRI_ENV_CHUNK, "1000000000000000").integer, 1000000000000000);
    assert_int_equal(good(QDRI_ENV_NODE_RANKS, "2147483647").integer, 2147483647);
    static const char *const refused[] = {
        "", "0", "-1", "40 Ki", "40KiB", "x", "1.5", "99999999999999999999", "1e16", "2,5K"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bad(QDRI_ENV_WINDOW, refused[i]);
        bad(QDRI_ENV_NODE_RANKS, refused[i]);
        if (i != 1) bad(QDRI_ENV_CHUNK, refused[i]);
    }
    bad(QDRI_ENV_NODE_RANKS, "2147483648");
}

static void words_names_and_flags(void **state) {
    (void)state;
    char name[300];
    memset(name, 'x', sizeof name);
    assert_string_equal(good(QDRI_ENV_TRANSPORT, "net").text, "net");
    bad(QDRI_ENV_TRANSPORT, "");
    bad(QDRI_ENV_TRANSPORT, "NET");
    bad(QDRI_ENV_TRANSPORT, "node net");
    bad(QDRI_ENV_TRANSPORT, "nod");
    assert_int_equal(good(QDRI_ENV_EXPLAIN, "1").integer, 1);
    assert_int_equal(good(QDRI_ENV_EXPLAIN, "Yes").integer, 1);
    assert_int_equal(good(QDRI_ENV_EXPLAIN, "off").integer, 0);
    bad(QDRI_ENV_EXPLAIN, "");
    bad(QDRI_ENV_EXPLAIN, "2");
    bad(QDRI_ENV_EXPLAIN, "1 yes");
    name[255] = '\0';
    assert_int_equal(strlen(good(QDRI_ENV_ALGORITHM, name).text), 255);
    name[255] = 'x', name[256] = '\0';
    bad(QDRI_ENV_ALGORITHM, name);
    bad(QDRI_ENV_COUPLE_DIRECTORY, "");
}

static void options_come_first(void **state) {
    (void)state;
    const char *text = "";
    setenv("QDR_TRANSPORT", "nowhere", 1);
    assert_int_equal(qdri_environment_or("node", QDRI_ENV_TRANSPORT, &text), QDR_OK);
    assert_string_equal(text, "node");
    assert_int_equal(qdri_environment_or(NULL, QDRI_ENV_TRANSPORT, &text), QDR_ERR_INVALID);
    unsetenv("QDR_TRANSPORT");
    assert_int_equal(qdri_environment_or(NULL, QDRI_ENV_TRANSPORT, &text), QDR_OK);
    assert_null(text);
}

static void the_table(void **state) {
    (void)state;
    const qdr_environment_info *info;
    int count = 0;
    for (; (info = qdr_environment(count)); count++) {
        assert_string_equal(info->name, qdri_environment_name((qdri_variable)count));
        assert_int_equal(strncmp(info->name, "QDR_", 4), 0);
        assert_true(*info->kind && *info->expected && *info->standard && *info->reader && *info->meaning);
        unsetenv(info->name);
    }
    assert_int_equal(count, QDRI_VARIABLES);
    assert_null(qdr_environment(-1));
    assert_null(qdr_environment(count));
}

static void strangers(void **state) {
    (void)state;
    char sentence[200];
    assert_int_equal(qdri_environment_stranger(0, sentence, sizeof sentence), 0);
    setenv("QDR_DEADLINE", "1", 1);
    assert_int_equal(qdri_environment_stranger(0, sentence, sizeof sentence), 0);
    setenv("QDR_DEADLIN", "1", 1);
    assert_int_equal(qdri_environment_stranger(0, sentence, sizeof sentence), 1);
    assert_string_equal(sentence, "QDR_DEADLIN is not a variable of Quadrille; did you mean QDR_DEADLINE?");
    assert_int_equal(qdri_environment_stranger(1, sentence, sizeof sentence), 0);
    unsetenv("QDR_DEADLIN");
    setenv("QDR_SOMETHING_QUITE_DIFFERENT", "1", 1);
    assert_int_equal(qdri_environment_stranger(0, sentence, sizeof sentence), 1);
    assert_string_equal(sentence, "QDR_SOMETHING_QUITE_DIFFERENT is not a variable of Quadrille");
    unsetenv("QDR_SOMETHING_QUITE_DIFFERENT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test(seconds),
        cmocka_unit_test(decimal_commas),
        cmocka_unit_test(bytes_and_counts),
        cmocka_unit_test(words_names_and_flags),
        cmocka_unit_test(options_come_first),
        cmocka_unit_test(strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
