/* SPDX-License-Identifier: BSD-3-Clause */
/* What scripts/bench-node has measured, as tables: node_read.c. */
#ifndef NODE_H
#define NODE_H

#include <stdint.h>

enum { CONFIGS = 2 }; /* plain, tuned */

typedef struct method {
    char *name;
    int is_ours, is_opponent;
} method;

typedef struct column {
    char *name;
    int ranks;
    int64_t bytes; /* of messages; 0: it does not say */
} column;

/* The runs of one cell. */
typedef struct runs {
    int column, method, config, count;
    double *value;
} runs;

typedef struct table {
    char *name, *mode;
    column *column;
    int columns;
    method *method;
    int methods;
    runs *runs;
    int cells;
} table;

typedef struct measured {
    table *table;
    int tables;
} measured;

/* Complains and returns an exit code of judge.h. */
int node_read(const char *path, measured *all);
void node_clear(measured *all);

/* By name; -1: none. */
int node_method(const table *table, const char *name);

/* The median of a cell's runs; NAN: there are none. */
double node_median(const table *table, int column, int method, int config);

#endif
