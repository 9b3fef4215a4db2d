/* SPDX-License-Identifier: BSD-3-Clause */
/* See table.h. Only one rank prints: others do not call this. */
#include "table.h"

#include <stdio.h>
#include <string.h>

void table_add(table *t, const char *where, const subject *subjects, int count) {
    if (t->columns == MOST_COLUMNS || count > MOST_ROWS)
        give_up("a table has %d columns and %d rows at most", MOST_COLUMNS, MOST_ROWS);
    int column = t->columns++;
    t->rows = count;
    snprintf(t->where[column], sizeof t->where[column], "%s", where);
    for (int i = 0; i < count; i++) {
        t->name[i] = subjects[i].name;
        t->kind[i] = subjects[i].kind;
        t->seconds[column][i] = subjects[i].median;
        t->spread[column][i] = spread(&subjects[i]);
        if (t->raw)
            printf("cell mode=%s P=%d %s method=%s kind=%s us=%.4f spread=%.3f\n", t->mode, t->ranks, where,
                   subjects[i].name, kind_name(subjects[i].kind), 1e6 * subjects[i].median,
                   spread(&subjects[i]));
    }
    fflush(stdout);
}

static int digits(double value) {
    return value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
}

void table_print(const table *t) {
    printf("\n%s, %d ranks, microseconds (distance of the quartiles)\n\n| method |", t->mode, t->ranks);
    for (int c = 0; c < t->columns; c++) printf(" %s |", t->where[c]);
    printf("\n|---|");
    for (int c = 0; c < t->columns; c++) printf("---:|");
    for (int i = 0; i < t->rows; i++) {
        printf("\n| %s |", t->name[i]);
        for (int c = 0; c < t->columns; c++)
            printf(" %.*f (%.0f%%) |", digits(1e6 * t->seconds[c][i]), 1e6 * t->seconds[c][i],
                   100 * t->spread[c][i]);
    }
    printf("\n");
}

static double find(const table *t, int column, const char *name) {
    double best = 0;
    for (int i = 0; i < t->rows; i++) {
        int wanted = !strcmp(name, t->name[i]) ||
                     (!strcmp(name, "best opponent") && t->kind[i] == OPPONENT) ||
                     (!strcmp(name, "best") && t->kind[i] != LIMIT);
        if (wanted && (best == 0 || t->seconds[column][i] < best)) best = t->seconds[column][i];
    }
    return best;
}

void table_ratio(const table *t, const char *above, const char *below) {
    if (t->columns == 0 || find(t, 0, above) == 0 || find(t, 0, below) == 0) return;
    printf("| *%s / %s* |", above, below);
    for (int c = 0; c < t->columns; c++) printf(" %.2f |", find(t, c, above) / find(t, c, below));
    printf("\n");
}
