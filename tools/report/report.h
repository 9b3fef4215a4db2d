/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of `quadrille report` share. A chapter is made from one operand; the functions that make one
 * complain by themselves and return an exit code.
 */
#ifndef REPORT_H
#define REPORT_H

#include "core/arguments.h"
#include "page.h"
#include "core/units.h"

typedef struct report_chapter {
    char *title, *text; /* what it is about, and the most important numbers of it */
    const char *kind;   /* one word: where they come from */
    json_t *sections;   /* an array */
} report_chapter;

int report_pattern(const arguments *arguments, const char *text, report_chapter *chapter);
int report_trace(const json_t *root, const char *name, report_chapter *chapter);
int report_bench(const arguments *arguments, const json_t *root, const char *name, report_chapter *chapter);

/* What a plan of it chooses by itself; `bound` is that of direct schedules. */
int report_choice(const qdr_pattern *pattern, const qdr_machine *machine, double bound, json_t **section);

/* ---- report_parts.c ------------------------------------------------------------------------------------ */

void report_add_number(json_t *list, double number);
void report_add_count(json_t *list, int64_t number);

/* One of the facts of page_facts(); `note` may be "". */
void report_fact(json_t *facts, const char *name, const char *note, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* One of the columns of page_table(), right or left. */
enum { REPORT_LEFT, REPORT_RIGHT };
void report_column(json_t *columns, int side, const char *name, const char *note);

/* A cell with a bar of `value` out of `most`, and a tick at `mark` unless that is not above 0. */
json_t *report_bar_cell(const char *text, double value, double most, double mark);

/* "1,024", "35 kB", and "12 us" with a proper micro sign. Return `text`. */
const char *report_count(int64_t number, char text[UNITS_TEXT]);
const char *report_bytes(int64_t bytes, char text[UNITS_TEXT]);
const char *report_seconds(double seconds, char text[UNITS_TEXT]);

/* ---- report_timeline.c --------------------------------------------------------------------------------- */

/* A time as a whole number of millionths of `whole`. */
int64_t report_tick(double seconds, double whole);

/* One transfer on a timeline. */
typedef struct report_bar {
    int from, to, stage;
    int64_t phase, bytes;
    double start, end; /* seconds */
} report_bar;

/* Gives the phases that occur, all stages together, the numbers 0, 1, ...; returns how many there are. */
int64_t report_number_phases(report_bar *bars, int64_t count);

typedef struct report_panel {
    const char *title, *note;
    report_bar *bars;
    int64_t count, phases;
    int stages;
    double seconds; /* from 0 to the last moment */
    double bound;   /* not above 0: none */
    const char *bound_name;
    json_t *more; /* further keys, or NULL; stolen */
} report_panel;

/* Panels on one time axis. `measured` ones were recorded, the others predicted. */
json_t *report_timeline(const char *heading, const char *text, int ranks, int measured, report_panel *panels,
                        int count);

/* One row of the chart of phases against the bound. */
json_t *report_phases_row(const char *name, const report_bar *bars, int64_t count, int64_t phases,
                          double seconds, double bound);

#endif
