/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge builds: two builds of the library, launched in pairs by scripts/bench-builds. A line of the file is one figure,
 *
 *     PAIR SIDE KIND MICROSECONDS NAME OF THE CELL
 *
 * where side 0 is the build before and 1 the one after, and the kind is `ours` or another. A cell's figure is the ratio of a
 * pair, after / before; what is not ours is the same in both builds, and shows what the machine makes of nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { MOST_PAIRS = 99 };
static const double bar = 1.03;

typedef struct cell {
    char *name;
    int is_ours;
    double us[MOST_PAIRS][2]; /* NAN: not measured */
} cell;

typedef struct measured {
    cell *cell;
    int cells;
} measured;

/* What came of the cells of one kind. */
typedef struct summary {
    double *median;
    int cells, slow, surely_slow, faster, slower;
} summary;

static cell *find_cell(measured *all, const char *name, int is_ours) {
    for (int i = 0; i < all->cells; i++)
        if (!strcmp(all->cell[i].name, name)) return &all->cell[i];
    all->cell = checked(realloc(all->cell, (size_t)(all->cells + 1) * sizeof *all->cell));
    cell *added = &all->cell[all->cells++];
    *added = (cell){.name = print_text("%s", name), .is_ours = is_ours};
    for (int pair = 0; pair < MOST_PAIRS; pair++) added->us[pair][0] = added->us[pair][1] = NAN;
    return added;
}

static int read_cells(const char *path, measured *all) {
    char line[1024], kind[32];
    int pair, side, at, code = REACHED;
    double us;
    FILE *file = fopen(path, "r");
    if (!file) return refuse(path, "cannot be read");
    while (!code && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%d %d %31s %lf %n", &pair, &side, kind, &us, &at) < 4 || pair < 1 ||
            pair > MOST_PAIRS || side < 0 || side > 1)
            code = refuse(path, "expected lines PAIR SIDE KIND MICROSECONDS NAME");
        else
            find_cell(all, line + at, !strcmp(kind, "ours"))->us[pair - 1][side] = us;
    }
    fclose(file);
    return code;
}

static void write_cell(const cell *cell, summary *kind) {
    double ratio[MOST_PAIRS], before[MOST_PAIRS];
    int pairs = 0;
    for (int pair = 0; pair < MOST_PAIRS; pair++) {
        const double *us = cell->us[pair];
        if (!(us[0] > 0) || isnan(us[1])) continue;
        before[pairs] = us[0];
        ratio[pairs++] = us[1] / us[0];
    }
    if (pairs == 0) return;
    interval found = median_interval(ratio, pairs);
    int is_slow = cell->is_ours && found.value > bar;
    const char *mark = is_slow ? "**" : "";
    printf("| %s%s | %.4g | %s%.3f%s | %.3f..%.3f |\n", cell->name, cell->is_ours ? "" : " (opponent)",
           median_of(before, pairs), mark, found.value, mark, found.low, found.high);
    kind->median[kind->cells++] = found.value;
    kind->slow += is_slow;
    kind->surely_slow += is_slow && found.low > bar;
    kind->faster += found.high < 1;
    kind->slower += found.low > 1;
}

static void write_summary(const summary *kind, const char *whose) {
    if (kind->cells == 0) return;
    double middle = median_of(kind->median, kind->cells);
    int last = kind->cells - 1;
    printf("- %d cells of %s: after / before %.3f at the least, %.3f at 5%%, %.3f in the median, %.3f at "
           "95%%, %.3f at the "
           "most\n",
           kind->cells, whose, kind->median[0], kind->median[(int)(0.05 * last)], middle,
           kind->median[(int)(0.95 * last + 0.5)], kind->median[last]);
}

int judge_builds(int count, char **words) {
    measured all = {.cells = 0};
    if (count != 1) return refuse("judge builds", "expected one file");
    int code = read_cells(words[0], &all);
    if (code) return code;
    summary kind[2] = {{checked(calloc((size_t)all.cells + 1, sizeof(double))), 0, 0, 0, 0, 0},
                       {checked(calloc((size_t)all.cells + 1, sizeof(double))), 0, 0, 0, 0, 0}};
    puts("| cell | before [us] | after / before | 95% |\n|---|---:|---:|---|");
    for (int i = 0; i < all.cells; i++) write_cell(&all.cell[i], &kind[all.cell[i].is_ours]);
    puts("");
    write_summary(&kind[1], "ours");
    write_summary(&kind[0], "opponents, which are the same");
    printf("- of ours surely faster (the whole interval below 1): %d; surely slower: %d\n", kind[1].faster,
           kind[1].slower);
    char *detail =
        print_text("%d cells are in the median, %d of them surely", kind[1].slow, kind[1].surely_slow);
    int missed = say(kind[1].slow == 0, NULL, "nothing more than 3% slower: ", detail);
    for (int i = 0; i < all.cells; i++) free(all.cell[i].name);
    free(all.cell);
    free(kind[0].median);
    free(kind[1].median);
    free(detail);
    return missed ? MISSED : REACHED;
}
