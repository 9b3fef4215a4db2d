/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers for people. One table per quantity; the first entry that makes the number at least one is taken.
 */
#include "units.h"

#include <ctype.h>
#include <math.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const time_unit time_units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
static const time_unit rate_units[] = {{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}};
enum { UNITS = 4 };

int units_read_count(const char *text, int64_t *count) {
    static const struct {
        const char *name;
        int64_t factor;
    } suffixes[] = {{"", 1},      {"K", 1000},  {"k", 1000},     {"M", 1000000},    {"G", 1000000000},
                    {"Ki", 1024}, {"ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}};
    const int64_t most = INT64_C(1) << 62;
    char *end;
    if (!isdigit((unsigned char)text[0])) return 0;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno) return 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(end, suffixes[i].name)) continue;
        if (value > most / suffixes[i].factor) return 0;
        *count = value * suffixes[i].factor;
        return 1;
    }
    return 0;
}

int units_read_rate(const char *text, double *bytes_per_second) {
    static const struct {
        const char *name;
        double factor;
    } suffixes[] = {
        {"", 1},          {"B/s", 1},          {"kB/s", 1e3},       {"MB/s", 1e6},      {"GB/s", 1e9},
        {"bit/s", 0.125}, {"kbit/s", 1e3 / 8}, {"Mbit/s", 1e6 / 8}, {"Gbit/s", 1e9 / 8}};
    char *end;
    if (!isdigit((unsigned char)text[0]) && text[0] != '.') return 0;
    double value = strtod(text, &end);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        double rate = value * suffixes[i].factor;
        if (strcmp(end, suffixes[i].name) || !(rate > 0 && rate < 1e18)) continue;
        *bytes_per_second = rate;
        return 1;
    }
    return 0;
}

static time_unit pick(const time_unit *units, double value) {
    int i = 0;
    while (i < UNITS - 1 && fabs(value) < units[i].seconds * 0.99995) i++;
    return units[i];
}

static const char *print(const time_unit *units, double value, char text[UNITS_TEXT]) {
    time_unit unit = value == 0 ? units[0] : pick(units, value);
    snprintf(text, UNITS_TEXT, "%.4g %s", value / unit.seconds, unit.name);
    return text;
}

const char *units_seconds(double seconds, char text[UNITS_TEXT]) {
    return print(time_units, seconds, text);
}

const char *units_rate(double bytes_per_second, char text[UNITS_TEXT]) {
    return print(rate_units, bytes_per_second, text);
}

time_unit units_for_column(const double *seconds, int64_t count) {
    double smallest = 0;
    for (int64_t i = 0; i < count; i++)
        if (seconds[i] > 0 && (smallest == 0 || seconds[i] < smallest)) smallest = seconds[i];
    return smallest == 0 ? time_units[0] : pick(time_units, smallest);
}
