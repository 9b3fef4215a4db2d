/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the judge of scripts/bench-networks share.
 *
 * A *cell* is one pattern on one network in one scenario. It was measured in rounds; in each, every method
 * has a launch of its own, so that nobody inherits the congestion that another one has left. A launch begins
 * cold, and its samples are in the order in which they ran.
 */
#ifndef NETWORKS_H
#define NETWORKS_H

#include <jansson.h>

#include "judge.h"

enum { METHODS = 14, MOST_ROUNDS = 8 };

typedef struct launch {
    double first; /* seconds of the very first exchange */
    double *sample;
    int samples; /* 0: there was no such launch */
} launch;

typedef struct cell {
    const char *network, *setting, *scenario,
        *pattern; /* the scenario is "steady" unless something changes */
    double bound; /* seconds; NAN: there is none */
    int hosts, wrong, failed;
    launch launch[METHODS][MOST_ROUNDS];
    interval found;            /* `paced` to the best fixed window */
    interval against[METHODS]; /* the default to each opponent */
} cell;

typedef struct measured {
    cell *cell;
    int cells;
    const char **network; /* in the order of the files */
    int networks;
    const char *build; /* which the first file is of */
    int builds_differ;
    json_t *files; /* owns the texts */
} measured;

/* ---- methods, in the order of columns ------------------------------------------------------------------ */

enum { PACED, FIRST_WINDOW, DEFAULT = 7, FIRST_OPPONENT, ISEND = 10 };
extern const char *const method_names[METHODS];

/* ---- networks_read.c ----------------------------------------------------------------------------------- */

/* Complains and returns an exit code of judge.h. */
int networks_read(const char *path, measured *all);
void networks_clear(measured *all);

int is_steady(const cell *cell);

/* ---- networks_ratio.c ---------------------------------------------------------------------------------- */

/* The median of what a method took once it had settled, over all its launches; NAN: there are none. */
double settled_median(const cell *cell, int method);

/* The least of that. */
double settled_least(const cell *cell, int method);

/* Fills in `found` and `against`: one median over the other, from rounds in which both ran, with the 95%
 * interval of a bootstrap. */
void networks_compare(measured *all);

/* The same of first exchanges, without an interval. */
double first_ratio(const cell *cell, int method, int other);

/* The fixed window with the least median; -1: none was measured. */
int best_window(const cell *cell);

/* ---- networks_tables.c --------------------------------------------------------------------------------- */

void write_network(const measured *all, const char *network);

#endif
