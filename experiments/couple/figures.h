/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of the paper: what each varies, on which machine, as a table and as a chart. */
#ifndef COUPLE_FIGURES_H
#define COUPLE_FIGURES_H

#include "results.h"

/* What a figure varies: the receivers (with 4 senders), the senders (with 4 receivers), both, the part of
 * the elements (4 by 4). */
typedef enum series { RECEIVERS, SENDERS, SQUARE, PARTS } series;
enum { MOST_POINTS = 5 };

/* The points of a series at which something of this case was measured on the machine. */
int series_points(series along, const char *machine, int kind, point *points);

/* Machines come in setups: the names of one have the same ending. */
typedef struct setup {
    const char *ending, *title;
} setup;
const char *machine_of(const setup *setup, const char *name);

/* Tables on standard output; charts in the folder, unless it is NULL. 0: one could not be written. */
int print_figures(const setup *setup, const char *folder);
void print_balance(const setup *setup);
void print_counts(const setup *setup);

const char *way_title(int kind, int way);

#endif
