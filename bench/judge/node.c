/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge node: ranks of one node, from what scripts/bench-node measured. A line of the file is one figure:
 *
 *     config=plain|tuned mode=M [order=O] [pattern=P] P=RANKS [b=B] [k=K] [size=S] [entry=E] method=N kind=K us=T|bytes=N
 *
 * Mode, order and pattern make a table; ranks and sizes a column of it; methods its rows. In each configuration of MPI the
 * median over the runs counts. An opponent is taken from the better configuration, ours from the worse. (Overlap alone is
 * compared inside one and the same: there the computation has the length of the exchange.) The bars are in one table,
 * below.
 */
#include "node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* ---- bars ---------------------------------------------------------------------------------------------- */

typedef enum test {
    LEAST,
    MOST,
    MIDDLE
} test; /* at least in every cell; at most in every; at least in the median one */

typedef struct bar {
    const char *mode;
    test test;
    const char *above, *below; /* the ratio */
    double value;
    const char *what;
    const char *less;    /* what is subtracted from both: the work in between */
    int ranks;           /* 0: any number */
    int64_t least_bytes; /* cells of messages at least so large; 0: all */
} bar;

#define BEST "best opponent"

static const bar bars[] = {
    {"mesh", LEAST, BEST, "ours-incoming", 2, "halo", NULL, 0, 0},
    {"mesh", MIDDLE, BEST, "ours", 1.5, "halo", NULL, 0, 0},
    {"mesh", LEAST, BEST, "ours", 1, "halo", NULL, 0, 0},
    {"boxes", LEAST, BEST, "ours", 1.5, "boxes of a regular mesh", NULL, 0, 0},
    {"boxes", MOST, "ours", "ours-list", 1.03, "boxes and lists", NULL, 0, 0},
    {"all", LEAST, BEST, "ours", 1.3, "everybody to everybody", NULL, 0, 0},
    {"rewrite", LEAST, BEST, "ours", 1, "read and rewritten", NULL, 0, 0},
    {"rewrite", LEAST, BEST, "ours-incoming", 1, "read and rewritten", NULL, 0, 0},
    {"rewrite", LEAST, BEST, "ours-incoming", 2, "read and rewritten, without the time of that work",
     "no-exchange", 0, 0},
    {"rewrite", MIDDLE, BEST, "ours", 1.5, "read and rewritten, without the time of that work", "no-exchange",
     0, 0},
    {"rewrite", LEAST, BEST, "ours", 1, "read and rewritten, without the time of that work", "no-exchange", 0,
     0},
    {"reduce", LEAST, "petscsf", "ours", 1, "sums", NULL, 0, 0},
    {"reduce", LEAST, BEST, "ours", 1, "sums", NULL, 0, 0},
    {"setup", MOST, "ours", "petscsf", 3, "set-up, 8 ranks", NULL, 8, 0},
    {"discovery", MOST, "default", "best of ours", 1.1, "discovery", NULL, 0, 0},
    {"discovery", LEAST, "MPI_Alltoall", "default", 2, "discovery", NULL, 0, 0},
    /* Two figures that should be the same differ by this much from run to run. */
    {"overlap", MOST, "ours", "isend", 1.02, "overlap", NULL, 0, 0},
    {"overlap", MOST, "ours-progress", "isend-tested", 1.02, "overlap", NULL, 0, 0},
    {"directory", LEAST, "zoltan-dd", "ours", 8, "directory, insert and find", NULL, 0, 0},
    {"directory", LEAST, "rendezvous", "ours", 1.4, "directory, insert and find", NULL, 0, 0},
    {"plans", LEAST, BEST, "ours", 0.97, "messages that lie ready", NULL, 0, 0},
    {"maps", LEAST, BEST, "ours", 0.97, "messages of elements", NULL, 0, 0},
    {"maps", MIDDLE, BEST, "ours", 1.2, "messages of elements, of 64 KiB and more", NULL, 0, 65536},
    {"first-plans", MOST, "first", "second", 3, "first exchange", NULL, 0, 0},
    {"first-maps", MOST, "first", "second", 3, "first exchange", NULL, 0, 0},
    {"sort", LEAST, BEST, "ours", 0.97, "sample sort", NULL, 0, 0},
    {"transpose", LEAST, BEST, "ours", 0.97, "transposition", NULL, 0, 0},
};

enum { MOST_BYTES_OF_AN_ENTRY = 32 }; /* of a directory, beside its payload */

/* ---- rows of ratios under the tables --------------------------------------------------------------------- */

static const struct {
    const char *mode; /* NULL: all whose unit is microseconds and that are not named */
    const char *above, *below, *less;
} rows[] = {
    {"overlap", "ours", "isend", NULL},
    {"overlap", "ours-progress", "isend-tested", NULL},
    {"discovery", "MPI_Alltoall", "default", NULL},
    {"setup", "ours", "petscsf", NULL},
    {"setup", "ours-incoming", "petscsf", NULL},
    {"directory", "zoltan-dd", "ours", NULL},
    {"directory", "rendezvous", "ours", NULL},
    {NULL, BEST, "ours", NULL},
    {NULL, BEST, "ours-incoming", NULL},
    {NULL, BEST, "ours", "no-exchange"},
    {NULL, BEST, "ours-incoming", "no-exchange"},
    {NULL, "petscsf", "ours", NULL},
    {NULL, BEST, "ours-kept", NULL},
    {NULL, BEST, "ours-map", NULL},
    {NULL, "ours", "ours-list", NULL},
    {NULL, "ours", "copied-once", NULL},
    {NULL, "ours", "read-by-system", NULL},
    {NULL, "first", "second", NULL},
    {NULL, "ours", "limit-staged", NULL},
    {NULL, "ours-incoming", "limit-pushed", NULL},
};

static int has_rows_of_its_own(const table *table) {
    for (int i = 0; i < COUNT(rows); i++)
        if (rows[i].mode && !strcmp(rows[i].mode, table->mode)) return 1;
    return 0;
}

/* ---- figures ------------------------------------------------------------------------------------------- */

/* Ours at its worst, all others at their best. */
static double figure(const table *table, int column, int method) {
    double best = NAN;
    for (int config = 0; config < CONFIGS; config++) {
        double median = node_median(table, column, method, config);
        best = table->method[method].is_ours ? fmax(best, median) : fmin(best, median);
    }
    return best;
}

/* By name; also the best of all opponents, or of ours. */
static double named(const table *table, int column, const char *name) {
    int opponents = !strcmp(name, BEST), ours = !strcmp(name, "best of ours");
    double best = NAN;
    for (int m = 0; m < table->methods; m++) {
        const method *method = &table->method[m];
        if (opponents ? method->is_opponent : ours ? method->is_ours : !strcmp(method->name, name))
            best = fmin(best, figure(table, column, m));
    }
    return best;
}

/* The greatest ratio inside one configuration. */
static double ratio_inside(const table *table, int column, const char *above, const char *below) {
    int a = node_method(table, above), b = node_method(table, below);
    double most = NAN;
    for (int config = 0; a >= 0 && b >= 0 && config < CONFIGS; config++)
        most = fmax(most, node_median(table, column, a, config) / node_median(table, column, b, config));
    return most;
}

static double ratio(const table *table, int column, const char *above, const char *below, const char *less) {
    if (!strcmp(table->mode, "overlap")) return ratio_inside(table, column, above, below);
    double work = less ? named(table, column, less) : 0, a = named(table, column, above) - work,
           b = named(table, column, below) - work;
    return b > 0 ? a / b : NAN;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

/* Directories take long: milliseconds; and memory has no time at all. */
static int in_bytes(const table *table) {
    return strstr(table->mode, "-memory") != NULL;
}

static double scale_of(const table *table) {
    return !in_bytes(table) && !strncmp(table->mode, "directory", 9) ? 1e-3 : 1;
}

static void write_figure(double value) {
    if (isnan(value))
        printf("  |");
    else
        printf(" %.*f |", value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

static void write_ratios(const table *table, const char *above, const char *below, const char *less) {
    int any = 0;
    for (int c = 0; c < table->columns; c++) any |= !isnan(ratio(table, c, above, below, less));
    if (!any) return;
    printf("| *%s / %s%s* |", above, below, less ? ", without the work" : "");
    for (int c = 0; c < table->columns; c++) write_number(2, ratio(table, c, above, below, less));
    puts("");
}

static void write_table(const table *table) {
    printf("\n%s, %s\n\n| method |", table->name,
           in_bytes(table)       ? "bytes per entry"
           : scale_of(table) < 1 ? "milliseconds"
                                 : "microseconds");
    for (int c = 0; c < table->columns; c++) printf(" %s |", table->column[c].name);
    printf("\n|---|");
    for (int c = 0; c < table->columns; c++) printf("---:|");
    puts("");
    for (int m = 0; m < table->methods; m++)
        for (int config = 0; config < (in_bytes(table) ? 1 : CONFIGS); config++) {
            printf("| %s%s |", table->method[m].name, config ? ", tuned" : "");
            for (int c = 0; c < table->columns; c++)
                write_figure(scale_of(table) * node_median(table, c, m, config));
            puts("");
        }
    for (int i = 0; i < COUNT(rows) && !in_bytes(table); i++)
        if (rows[i].mode ? !strcmp(rows[i].mode, table->mode) : !has_rows_of_its_own(table))
            write_ratios(table, rows[i].above, rows[i].below, rows[i].less);
}

/* ---- the verdict --------------------------------------------------------------------------------------- */

/* Ratios of all cells that a bar speaks of. */
typedef struct survey {
    double *value;
    int count;
    double least, most;
    char *least_at, *most_at;
} survey;

static void note(survey *found, const table *table, int column, double value) {
    found->value = checked(realloc(found->value, (size_t)(found->count + 1) * sizeof *found->value));
    found->value[found->count++] = value;
    if (found->count == 1 || value < found->least) {
        free(found->least_at);
        found->least = value;
        found->least_at = print_text("%s, %s", table->name, table->column[column].name);
    }
    if (found->count == 1 || value > found->most) {
        free(found->most_at);
        found->most = value;
        found->most_at = print_text("%s, %s", table->name, table->column[column].name);
    }
}

static survey look(const measured *all, const bar *bar) {
    survey found = {.count = 0};
    for (int t = 0; t < all->tables; t++) {
        const table *table = &all->table[t];
        for (int c = 0; !strcmp(table->mode, bar->mode) && c < table->columns; c++) {
            if (bar->ranks && table->column[c].ranks != bar->ranks) continue;
            if (table->column[c].bytes < bar->least_bytes) continue;
            double value = ratio(table, c, bar->above, bar->below, bar->less);
            if (!isnan(value)) note(&found, table, c, value);
        }
    }
    return found;
}

static int judge_bar(const measured *all, const bar *bar) {
    survey found = look(all, bar);
    char *sentence = NULL, *detail = NULL;
    int reached = 1, missed = 0;
    if (found.count == 0) return 0;
    if (bar->test == MIDDLE) {
        double middle = median_of(found.value, found.count);
        reached = middle >= bar->value;
        sentence =
            print_text("%s / %s at least %.2f in the median cell: ", bar->above, bar->below, bar->value);
        detail = print_text("%.2f", middle);
    } else {
        int is_least = bar->test == LEAST;
        reached = is_least ? found.least >= bar->value : found.most <= bar->value;
        sentence = print_text("%s / %s at %s %.2f in every cell: ", bar->above, bar->below,
                              is_least ? "least" : "most", bar->value);
        detail = print_text("%.2f to %.2f (%s: %s)", found.least, found.most, is_least ? "least" : "most",
                            is_least ? found.least_at : found.most_at);
    }
    missed = say(reached, bar->what, sentence, detail);
    free(sentence);
    free(detail);
    free(found.value);
    free(found.least_at);
    free(found.most_at);
    return missed;
}

static int judge_memory(const measured *all) {
    double most = NAN;
    for (int t = 0; t < all->tables; t++)
        for (int c = 0; in_bytes(&all->table[t]) && c < all->table[t].columns; c++)
            most = fmax(most, named(&all->table[t], c, "ours"));
    if (isnan(most)) return 0;
    char *detail = print_text("%.1f", most),
         *sentence = print_text("at most %d bytes per entry beside its payload: ", MOST_BYTES_OF_AN_ENTRY);
    int missed = say(most <= MOST_BYTES_OF_AN_ENTRY, "directory", sentence, detail);
    free(detail);
    free(sentence);
    return missed;
}

int judge_node(int count, char **words) {
    measured all = {.tables = 0};
    int missed = 0;
    if (count != 1) return refuse("judge node", "expected one file");
    int code = node_read(words[0], &all);
    for (int t = 0; !code && t < all.tables; t++) write_table(&all.table[t]);
    if (!code) puts("");
    for (int i = 0; !code && i < COUNT(bars); i++) missed |= judge_bar(&all, &bars[i]);
    if (!code) missed |= judge_memory(&all);
    node_clear(&all);
    return code ? code : missed ? MISSED : REACHED;
}
