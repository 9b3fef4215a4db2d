/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people: counts with K, M, Ki, Mi; seconds with a unit that fits. */
#ifndef UNITS_H
#define UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Reads 64, 2K, 4Ki, 1Mi from the whole text; 0 when it is not a count, or is above 2^62. */
int units_read_count(const char *text, int64_t *count);

/* Reads 50Mbit/s, 20MB/s, 1e6 (bytes per second); 0 when it is not a rate above 0. */
int units_read_rate(const char *text, double *bytes_per_second);

enum { UNITS_TEXT = 48 };

/* "88 us", "1.5 ms"; four significant digits. Returns `text`. */
const char *units_seconds(double seconds, char text[UNITS_TEXT]);

/* "20 MB/s". */
const char *units_rate(double bytes_per_second, char text[UNITS_TEXT]);

/* One unit for a column of times: the largest in which the smallest time that is not zero is at least one. */
typedef struct time_unit {
    const char *name;
    double seconds;
} time_unit;

time_unit units_for_column(const double *seconds, int64_t count);

#endif
