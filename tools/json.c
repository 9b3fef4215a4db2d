/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of every JSON output. Jansson's setters accept the NULL of a failed constructor and fail in turn,
 * so a value is checked once, where it is printed.
 */
#include "json.h"

#include <math.h>

#include "complain.h"

json_t *json_number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

int json_print(json_t *value, FILE *out) {
    if (!value || json_dumpf(value, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9))) {
        json_decref(value);
        return complain("out of memory");
    }
    json_decref(value);
    fputc('\n', out);
    return EXIT_GOOD;
}
