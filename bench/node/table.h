/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured, as a table: a row for each method, a column for each case. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "measure.h"

enum { MOST_ROWS = 32, MOST_COLUMNS = 16 };

typedef struct table {
    const char *mode; /* one word for the lines of raw figures; they are printed if `raw` */
    int raw, ranks;
    int rows, columns;
    const char *name[MOST_ROWS];
    subject_kind kind[MOST_ROWS];
    char where[MOST_COLUMNS][64];
    double seconds[MOST_COLUMNS][MOST_ROWS], spread[MOST_COLUMNS][MOST_ROWS];
} table;

/* Adds a column; `where` is words like "order=grouped b=8". Each column has the same subjects. Prints, if the
 * table is raw, one line for each:
 *
 *     cell mode=M P=N WHERE method=NAME kind=KIND us=MEDIAN spread=QUARTILES
 */
void table_add(table *t, const char *where, const subject *subjects, int count);

/* Microseconds, and how far the quartiles are apart, in percent. */
void table_print(const table *t);

/* A line of ratios: of a name, of the "best opponent", or of the "best" of all but limits. Nothing if there
 * is no such row. */
void table_ratio(const table *t, const char *above, const char *below);

#endif
