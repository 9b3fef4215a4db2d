/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of the mini-language (spec.h). A text is cut at commas into pairs, each pair at its first '='.
 * Numbers are read by one function per kind; each consumes the whole value or fails.
 */
#include "spec.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "text.h"

qdr_status qdri_spec_fail(const qdri_spec *spec, qdr_status status, const char *format, ...) {
    char sentence[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return qdri_fail(status, "%s '%.200s': %s", spec->what, spec->text, sentence);
}

/* ---- numbers and units --------------------------------------------------------------------------------- */

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit integer_units[] = {
    {"", 1},      {"K", 1e3},   {"k", 1e3},        {"M", 1e6},           {"G", 1e9},
    {"Ki", 1024}, {"ki", 1024}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {NULL, 0}};
static const unit plain_units[] = {{"", 1}, {NULL, 0}};
static const unit time_units[] = {{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                  {"ns", 1e-9}, {"ps", 1e-12}, {NULL, 0}};
/* How long people wait. */
static const unit duration_units[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                                      {"m", 60}, {"min", 60}, {"h", 3600},  {NULL, 0}};
static const unit rate_units[] = {{"", 1},           {"B/s", 1},        {"kB/s", 1e3},
                                  {"MB/s", 1e6},     {"GB/s", 1e9},     {"kbit/s", 125},
                                  {"Mbit/s", 125e3}, {"Gbit/s", 125e6}, {NULL, 0}};

/* Reads a decimal number from the beginning of `text`; 0 when there is none. strtod() also takes blanks,
 * words and hexadecimal digits, which are no numbers here, and wants the program's decimal point, which
 * may be a comma. */
static int read_decimal(const char *text, double *number, const char **end) {
    char copy[64], *rest;
    size_t length = strspn(text, "-.0123456789eE");
    if (length >= sizeof copy || !isdigit((unsigned char)text[text[0] == '-' || text[0] == '.'])) return 0;
    for (size_t i = 0; i < length; i++) copy[i] = text[i] == '.' ? localeconv()->decimal_point[0] : text[i];
    copy[length] = '\0';
    errno = 0;
    *number = strtod(copy, &rest);
    *end = text + (rest - copy);
    return errno != ERANGE && rest != copy && isfinite(*number);
}

/* Reads a number with its unit from the whole of `text`; 0 when it is not one. */
static int read_number(const char *text, const unit *units, double *number) {
    const char *end;
    double value, divisor;
    if (!read_decimal(text, &value, &end)) return 0;
    if (*end == '/' && isdigit((unsigned char)end[1])) { /* a fraction: 1/32 */
        if (!read_decimal(end + 1, &divisor, &end) || divisor <= 0) return 0;
        value /= divisor;
    }
    for (; units->name; units++)
        if (!strcmp(end, units->name)) {
            *number = value * units->factor;
            return isfinite(*number);
        }
    return 0;
}

/* An integer that no variable can hold is one all the same: whoever writes it is told the most. */
typedef enum reading { NO_INTEGER, INTEGER_READ, INTEGER_TOO_LARGE } reading;

static reading read_integer(const char *text, int64_t *integer) {
    double number;
    if (strspn(text, "0123456789") == strlen(text) && text[0]) { /* exact, also beyond 2^53 */
        errno = 0;
        *integer = strtoll(text, NULL, 10);
        return errno == 0 ? INTEGER_READ : INTEGER_TOO_LARGE;
    }
    if (!read_number(text, integer_units, &number) || number != floor(number)) return NO_INTEGER;
    if (fabs(number) > 0x1p62) return INTEGER_TOO_LARGE;
    *integer = (int64_t)number;
    return INTEGER_READ;
}

int qdri_read_integer(const char *text, int64_t *integer) {
    return read_integer(text, integer) == INTEGER_READ;
}

int qdri_read_duration(const char *text, double *seconds) {
    return read_number(text, duration_units, seconds);
}

static int read_range(const char *text, int64_t *low, int64_t *high) {
    char first[64];
    const char *dots = strstr(text, "..");
    if (!dots) return qdri_read_integer(text, low) && ((*high = *low), 1);
    if ((size_t)(dots - text) >= sizeof first) return 0;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    return qdri_read_integer(first, low) && qdri_read_integer(dots + 2, high) && *low <= *high;
}

static int word_position(const char *word, const char *list, int64_t *position) {
    for (*position = 0; *list; ++*position) {
        size_t span = strcspn(list, " ");
        if (span == strlen(word) && !strncmp(word, list, span)) return 1;
        list += span + (list[span] == ' ');
    }
    return 0;
}

static const char *kind_example(const qdri_option *option) {
    switch (option->kind) {
    case QDRI_INTEGER:
        return "an integer such as 64 or 2Ki";
    case QDRI_RANGE:
        return "an integer or a range such as 2K..200K";
    case QDRI_REAL:
        return "a number such as 0.25 or 1/32";
    case QDRI_TIME:
        return "a time such as 88us or 1.5ms";
    case QDRI_RATE:
        return "a rate such as 20MB/s or 1Gbit/s";
    case QDRI_WORD:
        return option->words;
    case QDRI_FLAG:
        return "yes or no";
    }
    return "";
}

static int is_too_large(const qdri_option *option, const char *text) {
    int64_t integer;
    return option->kind == QDRI_INTEGER && read_integer(text, &integer) == INTEGER_TOO_LARGE;
}

static int read_value(const qdri_option *option, const char *text, qdri_value *value) {
    int good = 0;
    switch (option->kind) {
    case QDRI_INTEGER:
        good = qdri_read_integer(text, &value->integer);
        value->high = value->integer;
        value->real = (double)value->integer;
        break;
    case QDRI_RANGE:
        good = read_range(text, &value->integer, &value->high);
        value->real = (double)value->integer;
        break;
    case QDRI_REAL:
        good = read_number(text, plain_units, &value->real);
        break;
    case QDRI_TIME:
        good = read_number(text, time_units, &value->real);
        break;
    case QDRI_RATE:
        good = read_number(text, rate_units, &value->real);
        break;
    case QDRI_WORD:
        return word_position(text, option->words, &value->integer);
    case QDRI_FLAG:
        value->integer = !strcmp(text, "yes");
        return value->integer || !strcmp(text, "no");
    }
    return good;
}

static int in_range(const qdri_option *option, const qdri_value *value) {
    double top = option->kind == QDRI_RANGE ? (double)value->high : value->real;
    return option->kind == QDRI_WORD || option->kind == QDRI_FLAG || option->lowest == option->highest ||
           (value->real >= option->lowest && top <= option->highest);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static void list_keys(const qdri_spec *spec, char *list, size_t size) {
    list[0] = '\0';
    for (int i = 0; i < spec->option_count; i++) qdri_list_add(list, size, spec->options[i].key);
    if (!spec->option_count) snprintf(list, size, "no keys");
}

static int find_key(const qdri_spec *spec, const char *key) {
    for (int i = 0; i < spec->option_count; i++)
        if (!strcmp(spec->options[i].key, key)) return i;
    return -1;
}

static int find_bare(const qdri_spec *spec) {
    for (int i = 0; i < spec->option_count; i++)
        if (spec->options[i].bare) return i;
    return -1;
}

static qdr_status take_pair(qdri_spec *spec, char *pair, unsigned char *seen) {
    char keys[512];
    char *equals = strchr(pair, '=');
    int index;
    const char *text;
    if (equals) {
        *equals = '\0';
        text = equals + 1;
        index = find_key(spec, pair);
    } else {
        index = find_key(spec, pair);
        text = index >= 0 && spec->options[index].kind == QDRI_FLAG ? "yes" : pair;
        if (text == pair) index = find_bare(spec);
    }
    if (index < 0) {
        list_keys(spec, keys, sizeof keys);
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "'%.60s' is not a key; %s takes %s", pair, spec->name,
                              keys);
    }
    const qdri_option *option = &spec->options[index];
    qdri_value value = {.given = 1, .present = 1};
    if (seen[index]) return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "'%s' is given twice", option->key);
    if (is_too_large(option, text))
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "'%s=%.60s' is out of range; expected at most %.15g",
                              option->key, text,
                              option->lowest == option->highest ? 0x1p62 : option->highest);
    if (!read_value(option, text, &value))
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "'%s=%.60s' is not valid; expected %s%s", option->key,
                              text, option->kind == QDRI_WORD ? "one of " : "", kind_example(option));
    if (!in_range(option, &value))
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "'%s=%.60s' is out of range; expected %.15g to %.15g",
                              option->key, text, option->lowest, option->highest);
    seen[index] = 1;
    spec->value[index] = value;
    return QDR_OK;
}

qdr_status qdri_spec_override(qdri_spec *spec, const char *pairs) {
    unsigned char seen[QDRI_SPEC_OPTIONS] = {0};
    while (*pairs) {
        char pair[256];
        size_t span = strcspn(pairs, ",");
        if (span == 0 || (pairs[span] == ',' && !pairs[span + 1]))
            return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "a comma with nothing beside it");
        if (span >= sizeof pair)
            return qdri_spec_fail(spec, QDR_ERR_SYNTAX,
                                  "a value is too long; expected at most %zu characters", sizeof pair - 1);
        snprintf(pair, sizeof pair, "%.*s", (int)span, pairs);
        QDRI_TRY(take_pair(spec, pair, seen));
        pairs += span + (pairs[span] == ',');
    }
    return QDR_OK;
}

qdr_status qdri_spec_open(const char *text, const char *what, qdri_spec *spec) {
    size_t span = strcspn(text, ":");
    memset(spec, 0, sizeof *spec);
    spec->text = text;
    spec->what = what;
    if (span == 0) return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "expected NAME or NAME:KEY=VALUE,...");
    if (span >= sizeof spec->name)
        return qdri_spec_fail(spec, QDR_ERR_UNKNOWN, "the name is too long; expected at most %zu characters",
                              sizeof spec->name - 1);
    memcpy(spec->name, text, span);
    return QDR_OK;
}

qdr_status qdri_spec_read(qdri_spec *spec, const qdri_option *options, int option_count) {
    const char *colon = strchr(spec->text, ':');
    assert(option_count <= QDRI_SPEC_OPTIONS);
    spec->options = options;
    spec->option_count = option_count;
    for (int i = 0; i < option_count; i++) {
        spec->value[i] = (qdri_value){0};
        if (!options[i].standard || !options[i].standard[0]) continue;
        int good = read_value(&options[i], options[i].standard, &spec->value[i]);
        assert(good);
        (void)good;
        spec->value[i].present = 1;
    }
    if (colon) {
        if (!colon[1]) return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "nothing follows the colon");
        QDRI_TRY(qdri_spec_override(spec, colon + 1));
    }
    for (int i = 0; i < option_count; i++)
        if (!options[i].standard && !spec->value[i].present)
            return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "'%s' is missing (%s)", options[i].key,
                                  options[i].meaning);
    return QDR_OK;
}

/* ---- getters ------------------------------------------------------------------------------------------- */

const qdri_value *qdri_spec_get(const qdri_spec *spec, const char *key) {
    int index = find_key(spec, key);
    assert(index >= 0);
    return &spec->value[index];
}

int64_t qdri_spec_integer(const qdri_spec *spec, const char *key) {
    return qdri_spec_get(spec, key)->integer;
}

double qdri_spec_real(const qdri_spec *spec, const char *key) {
    return qdri_spec_get(spec, key)->real;
}

int qdri_spec_flag(const qdri_spec *spec, const char *key) {
    return qdri_spec_get(spec, key)->integer != 0;
}

int qdri_spec_given(const qdri_spec *spec, const char *key) {
    return qdri_spec_get(spec, key)->given;
}

int qdri_spec_is(const qdri_spec *spec, const char *key, const char *word) {
    int index = find_key(spec, key);
    int64_t position = -1;
    assert(index >= 0 && spec->options[index].kind == QDRI_WORD);
    int known = word_position(word, spec->options[index].words, &position);
    assert(known);
    return known && spec->value[index].integer == position;
}

const char *qdri_options_text(const qdri_option *options, int option_count) {
    static _Thread_local char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < option_count && used < sizeof text; i++) {
        const qdri_option *option = &options[i];
        const char *standard = option->standard ? option->standard : "REQUIRED";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s  %s%s%s%s\n", option->key, standard,
                                 option->meaning, option->words ? " (" : "",
                                 option->words ? option->words : "", option->words ? ")" : "");
    }
    return text;
}
