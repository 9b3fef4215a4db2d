/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of one network, in Markdown. A row is a cell; ratios above 1 say that ours is slower.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "networks.h"

/* Whether the cell belongs into the network's table, and any of these methods was measured in it. */
static int belongs(const cell *cell, const char *network, int steady, int begin, int end) {
    int there = 0;
    for (int method = begin; method < end; method++) there |= !isnan(settled_median(cell, method));
    return there && !strcmp(cell->network, network) && is_steady(cell) == steady;
}

/* The network as it is without exceptions is that of its first cell. */
static const cell *first_cell(const measured *all, const char *network) {
    int i = 0;
    while (strcmp(all->cell[i].network, network)) i++;
    return &all->cell[i];
}

static void write_label(const measured *all, const cell *cell) {
    printf("| `%s`", cell->pattern);
    if (cell->hosts != first_cell(all, cell->network)->hosts) printf(" (%d hosts)", cell->hosts);
    printf(" |");
}

static void write_interval(interval i) {
    if (isnan(i.value))
        printf(" - |");
    else
        printf(" %.3f (%.2f..%.2f) |", i.value, i.low, i.high);
}

/* What `paced` found, beside the best of the fixed windows. */
static void write_found(const cell *cell) {
    int best = best_window(cell);
    write_number(1, 1e3 * cell->bound);
    write_number(1, 1e3 * settled_median(cell, PACED));
    write_number(2, settled_median(cell, PACED) / cell->bound);
    if (best < 0) {
        printf(" - | - | - |\n");
        return;
    }
    write_number(2, settled_median(cell, best) / cell->bound);
    printf(" %s |", strchr(method_names[best], '-') + 1);
    write_interval(cell->found);
    printf("\n");
}

static void write_windows(const measured *all, const char *network, int steady) {
    int rows = 0;
    for (int i = 0; i < all->cells; i++) {
        const cell *cell = &all->cell[i];
        if (!belongs(cell, network, steady, PACED, DEFAULT)) continue;
        if (rows++ == 0)
            printf("%s\n\n%s| pattern | wire bound [ms] | `paced` [ms] | `paced` / bound | best fixed / "
                   "bound | of the port | `paced` / best fixed (95%%) "
                   "|\n%s|---|---:|---:|---:|---:|---:|---:|\n",
                   steady ? "### The window that it found" : "### While something changes",
                   steady ? "" : "| scenario ", steady ? "" : "|---");
        if (!steady) printf("| %s ", cell->scenario);
        write_label(all, cell);
        write_found(cell);
    }
    if (rows) printf("\n");
}

static void write_opponents(const measured *all, const char *network) {
    int rows = 0;
    for (int i = 0; i < all->cells; i++) {
        const cell *cell = &all->cell[i];
        if (!belongs(cell, network, 1, DEFAULT, METHODS)) continue;
        if (rows++ == 0) {
            printf("### The default / each opponent\n\n| pattern | `default` / bound |");
            for (int m = FIRST_OPPONENT; m < METHODS; m++) printf(" `%s` |", method_names[m]);
            printf(" first exchange, cold / `isend` |\n|---|---:|");
            for (int m = FIRST_OPPONENT; m <= METHODS; m++) printf("---:|");
            printf("\n");
        }
        write_label(all, cell);
        write_number(2, settled_median(cell, DEFAULT) / cell->bound);
        for (int m = FIRST_OPPONENT; m < METHODS; m++) write_interval(cell->against[m]);
        write_number(2, first_ratio(cell, DEFAULT, ISEND));
        printf("\n");
    }
    if (rows) printf("\n");
}

void write_network(const measured *all, const char *network) {
    printf("## %s: %s\n\n", network, first_cell(all, network)->setting);
    write_windows(all, network, 1);
    write_opponents(all, network);
    write_windows(all, network, 0);
}
