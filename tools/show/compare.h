/* SPDX-License-Identifier: BSD-3-Clause */
/* What `quadrille compare` found, and the two ways of writing it. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdint.h>
#include <stdio.h>

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
    int measures, checks, asked;
    compare_row *row; /* sorted; those that were refused come last */
    int64_t rows, kept, refused;
} comparison;

int compare_write_text(const comparison *comparison, FILE *out);
int compare_write_json(const comparison *comparison, FILE *out);

#endif
