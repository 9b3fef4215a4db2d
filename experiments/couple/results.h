/* SPDX-License-Identifier: BSD-3-Clause */
/* All lines of couple_ranks, to be looked up. */
#ifndef COUPLE_RESULTS_H
#define COUPLE_RESULTS_H

#include "lines.h"

enum {
    OPEN,
    BUILD,
    MOST_0,
    MEAN_0,
    MOST_1,
    MEAN_1,
    COMPUTED_MOST_0,
    COMPUTED_ALL_0,
    COMPUTED_MOST_1,
    COMPUTED_ALL_1,
    INSIDE_MESSAGES,
    INSIDE_BYTES,
    ACROSS_MESSAGES,
    ACROSS_BYTES,
    LATENCY,
    COLUMNS
};

typedef struct point {
    int exporters, importers, part;
} point;

typedef struct result {
    char machine[32], built[64], digest[24];
    int kind, way;
    point at;
    double elements, value[COLUMNS];
} result;

/* From standard input; lines that begin with # are passed on. Exits with 2 when a line is not as expected. */
void read_results(void);
int result_count(void);
const result *result_at(int number);

/* NULL: it was not measured. */
const result *find_result(const char *machine, int kind, point at, int way);
/* NAN: it was not measured. */
double value_of(const char *machine, int kind, point at, int way, int column);

#endif
