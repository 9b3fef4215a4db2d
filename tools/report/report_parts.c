/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small parts of reports: lists, facts, cells, and numbers for people.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "report.h"

void report_add_number(json_t *list, double number) {
    json_add(list, isfinite(number) ? json_real(number) : json_null());
}

void report_add_count(json_t *list, int64_t number) {
    json_add(list, json_integer(number));
}

void report_fact(json_t *facts, const char *name, const char *note, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_add(facts, json_pack("{s:s, s:o, s:s}", "name", name, "text", json_text(text), "note", note));
}

void report_column(json_t *columns, int side, const char *name, const char *note) {
    json_t *column = json_pack("{s:s, s:s}", "name", name, "align", side == REPORT_RIGHT ? "right" : "left");
    if (note[0]) json_put(column, "note", json_string(note));
    json_add(columns, column);
}

json_t *report_bar_cell(const char *text, double value, double most, double mark) {
    json_t *cell = json_pack("{s:o, s:f}", "text", json_text(text), "bar", most > 0 ? value / most : 0);
    if (mark > 0 && mark <= most) json_put(cell, "mark", json_real(mark / most));
    return cell;
}

const char *report_count(int64_t number, char text[UNITS_TEXT]) {
    char digits[UNITS_TEXT];
    int length = snprintf(digits, sizeof digits, "%" PRId64, number), used = 0;
    for (int i = 0; i < length; i++) {
        text[used++] = digits[i];
        if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-') text[used++] = ',';
    }
    text[used] = '\0';
    return text;
}

const char *report_bytes(int64_t bytes, char text[UNITS_TEXT]) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 9999.5 && unit < 5) {
        value /= 1000;
        unit++;
    }
    if (unit == 0) {
        report_count(bytes, text);
        strcat(text, bytes == 1 ? " byte" : " bytes");
    } else
        snprintf(text, UNITS_TEXT, "%.4g %s", value, units[unit]);
    return text;
}

const char *report_seconds(double seconds, char text[UNITS_TEXT]) {
    units_seconds(seconds, text);
    char *unit = strstr(text, " us");
    if (unit) memcpy(unit, " \xc2\xb5s", 5);
    return text;
}
