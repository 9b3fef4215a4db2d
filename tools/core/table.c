/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables. Cells are kept as text until the table is written, because a column is as wide as its widest cell.
 */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

static void add(table *table, char *text) {
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 64;
        table->cell = reallocate(table->cell, table->capacity, sizeof *table->cell);
    }
    table->cell[table->count++] = text;
}

void table_open(table *table, const char *headings) {
    memset(table, 0, sizeof *table);
    while (*headings) {
        size_t span = strcspn(headings, "|");
        table->align[table->columns++] = headings[0];
        add(table, print_text("%.*s", (int)span - 1, headings + 1));
        headings += span + (headings[span] == '|');
    }
}

void table_cell(table *table, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(table, copy_text(text));
}

static void measure(const table *table, int *width) {
    for (int i = 0; i < table->columns; i++) width[i] = 0;
    for (int64_t i = 0; i < table->count; i++) {
        int length = (int)strlen(table->cell[i]), column = (int)(i % table->columns);
        if (length > width[column]) width[column] = length;
    }
}

static int first_row(const table *table) {
    for (int i = 0; i < table->columns; i++)
        if (table->cell[i][0]) return 0;
    return 1;
}

void table_write(const table *table, int indent, FILE *out) {
    int width[TABLE_COLUMNS];
    measure(table, width);
    for (int64_t row = first_row(table); row < table->count / table->columns; row++) {
        int blanks = indent; /* owed before the next visible character, so that no line ends in blanks */
        for (int column = 0; column < table->columns; column++) {
            const char *text = table->cell[row * table->columns + column];
            int length = (int)strlen(text), pad = width[column] - length;
            if (table->align[column] == '>') blanks += pad;
            if (length) {
                fprintf(out, "%*s%s", blanks, "", text);
                blanks = 0;
            } else
                blanks += length;
            if (table->align[column] == '<') blanks += pad;
            blanks += 2;
        }
        fputc('\n', out);
    }
}

static void write_markdown_text(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
}

void table_write_markdown(const table *table, FILE *out) {
    for (int64_t i = 0; i < table->count; i++) {
        int last = i % table->columns == table->columns - 1;
        fputs("| ", out);
        write_markdown_text(table->cell[i], out);
        fputs(last ? " |\n" : " ", out);
        if (i != table->columns - 1) continue;
        for (int column = 0; column < table->columns; column++)
            fputs(table->align[column] == '>' ? "|---:" : "|---", out);
        fputs("|\n", out);
    }
}

void table_close(table *table) {
    for (int64_t i = 0; i < table->count; i++) free(table->cell[i]);
    free(table->cell);
    memset(table, 0, sizeof *table);
}
