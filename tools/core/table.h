/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables with aligned columns, for people or as Markdown. */
#ifndef TABLE_H
#define TABLE_H

#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 16 };

typedef struct table {
    int columns;
    char align[TABLE_COLUMNS]; /* '<' or '>' */
    char **cell;               /* by rows; the first row is the heading */
    int64_t count, capacity;
} table;

/* Headings are separated by '|', each with its alignment before it: "<algorithm|>phases". */
void table_open(table *table, const char *headings);

/* The next cell, row by row from left to right. */
void table_cell(table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each line begins with `indent` blanks and ends without any. A table whose headings are all empty has no
 * heading line. */
void table_write(const table *table, int indent, FILE *out);
void table_write_markdown(const table *table, FILE *out);

void table_close(table *table);

#endif
