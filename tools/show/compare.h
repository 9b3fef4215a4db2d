/* SPDX-License-Identifier: BSD-3-Clause */
/* What `quadrille compare` found, and the two ways of writing it. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdint.h>
#include <stdio.h>

#include "core/arguments.h"
#include "quadrille.h"

typedef struct compare_row {
    char *spec;            /* as asked for */
    const char *algorithm; /* the table's name */
    const char *aliases;   /* names in the papers */
    int order;             /* in the table of algorithms, or on the command line */
    int direct, stages;
    int64_t phases, transfers;
    double build, total, ratio;
    qdr_prediction prediction;
    char *refusal; /* why there is no schedule; NULL: there is one */
    char *broken;  /* the checker's sentence; NULL: it passed, or was not asked */
} compare_row;

typedef struct comparison {
    const char *text; /* the pattern, as given */
    qdr_pattern *pattern;
    qdr_machine *machine;
    qdr_pattern_statistics statistics;
    qdr_bounds bounds;
    int64_t reuse;
    int64_t promised; /* the same, if it was asked for; else 0 */
    int measures, checks, asked;
    const char *pacing; /* as plans run it; "": what suits each; NULL: what its phases allow */
    compare_row *row;   /* sorted; those that were refused come last */
    int64_t rows, kept, refused;
} comparison;

/* What all that compare take, word for word. */
#define OPTIONS_OF_COMPARISON                                                                                \
    {'a', "algorithm", "NAMES", "only these: A,B,C, or one with options: random:seed=7,...",                 \
     OPTION_REPEATS},                                                                                        \
        {0, "pacing", "WORD", "as plans run it: 'own' (what suits each), free, arrivals, grants or turns",   \
         OPTION_ONCE},                                                                                       \
        {0, "reuse", "R", "exchanges that use a schedule once it is built (default 1000)", OPTION_ONCE}, {   \
        0, "no-build-time", NULL, "leave out the measured S, so that the output is always the same",         \
            OPTION_ONCE                                                                                      \
    }

/* What --reuse, --no-build-time and --pacing say. */
int compare_read(const arguments *arguments, comparison *comparison);

/* Evaluates the algorithms of --algorithm, or all, on the pattern and the machine that are there, and sorts them. */
int compare_all(const arguments *arguments, comparison *comparison);
void compare_close(comparison *comparison);

int compare_write_text(const comparison *comparison, FILE *out);
int compare_write_json(const comparison *comparison, FILE *out);

#endif
