/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables and the verdict of `make bench-networks`, from what scripts/bench-networks has measured.
 *
 *     networks FILE.json ...
 *     networks --undecided FILE.json ...     which methods of one pattern are worth another round
 *
 * Each bar is one number over all cells (networks_read.c), the median or the worst. A cell where ours is
 * slower than an opponent counts by what the interval is sure of; what the medians alone say is printed
 * beside it. Exits with 1 when a bar is missed, with 2 when a file is not as expected.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "networks.h"

static const char home[] = "slow";

/* ---- one number per cell ------------------------------------------------------------------------------- */

/* NAN: it should have been measured, and was not. */
typedef double measure(const cell *cell);
typedef int choice(const cell *cell);

typedef struct spread {
    double median, worst;
    const cell *at;
    int cells;
} spread;

static spread spread_over(const measured *all, choice *applies, measure *measure) {
    double *value = checked(calloc((size_t)all->cells + 1, sizeof *value));
    spread s = {.worst = -INFINITY};
    for (int i = 0; i < all->cells; i++) {
        const cell *cell = &all->cell[i];
        if (!applies(cell)) continue;
        double found = value[s.cells++] = measure(cell);
        if (isnan(s.worst) || found <= s.worst) continue; /* what was not measured is the worst */
        s.worst = found;
        s.at = cell;
    }
    s.median = isnan(s.worst) ? NAN : median_of(value, s.cells);
    free(value);
    return s;
}

static double found_to_best(const cell *cell) {
    return cell->found.value;
}

static double default_to_bound(const cell *cell) {
    return settled_median(cell, DEFAULT) / cell->bound;
}

static double first_to_plain(const cell *cell) {
    return first_ratio(cell, DEFAULT, ISEND);
}

/* ---- which cells --------------------------------------------------------------------------------------- */

/* At home there is a pattern on half of the hosts, for the bound alone. */
static int is_half(const cell *cell) {
    return !strcmp(cell->network, home) && cell->hosts == 8;
}

static int is_home(const cell *cell) {
    return is_steady(cell) && !strcmp(cell->network, home) && !is_half(cell) && !isnan(cell->bound);
}

static int is_compared(const cell *cell) {
    return is_steady(cell) && !is_half(cell);
}

static int is_complete(const cell *cell) {
    return is_home(cell) && !strncmp(cell->pattern, "complete", 8);
}

static int is_irregular(const cell *cell) {
    return is_home(cell) && strncmp(cell->pattern, "complete", 8);
}

static int is_changing(const cell *cell) {
    return !is_steady(cell);
}

static int has_home(const measured *all) {
    int there = 0;
    for (int i = 0; i < all->cells; i++)
        there |= is_steady(&all->cell[i]) && !strcmp(all->cell[i].network, home);
    return there;
}

/* ---- bars ---------------------------------------------------------------------------------------------- */

typedef struct bar {
    const char *where, *sentence;
    choice *applies;
    measure *measure;
    double limit;
    int median; /* the median must reach the limit, else the worst */
} bar;

static const bar bars[] = {
    {"all networks", "`paced` takes at most 1.05 of the best fixed window, in the median", is_compared,
     found_to_best, 1.05, 1},
    {"all networks", "`paced` takes at most 1.15 of the best fixed window", is_compared, found_to_best, 1.15,
     0},
    {"at home", "the default takes at most 1.08 of the wire bound, complete", is_complete, default_to_bound,
     1.08, 0},
    {"at home", "the default takes at most 1.10 of the wire bound, irregular", is_irregular, default_to_bound,
     1.10, 0},
    {"at home", "the default takes at most 1.12 of the wire bound, mesh on 8 hosts", is_half,
     default_to_bound, 1.12, 0},
    {"all networks", "the first exchange takes at most 1.15 of the plain one, in the median", is_compared,
     first_to_plain, 1.15, 1},
    {"all networks", "the first exchange takes at most 1.5 of the plain one", is_compared, first_to_plain,
     1.5, 0},
    {"while something changes", "`paced` takes at most 1.15 of the best fixed window", is_changing,
     found_to_best, 1.15, 0},
};

static char *describe(const cell *cell) {
    return print_text("%s%s%s, `%s`", cell->network, is_steady(cell) ? "" : ", ",
                      is_steady(cell) ? "" : cell->scenario, cell->pattern);
}

/* A bar about home says nothing where home was not asked for; one about all networks is about those that are
 * there. */
static int judge_bar(const measured *all, const bar *bar) {
    spread s = spread_over(all, bar->applies, bar->measure);
    int of_home = !strcmp(bar->where, "at home") && has_home(all);
    if (s.cells == 0) return of_home ? say(0, bar->where, bar->sentence, "; not measured") : 0;
    double value = bar->median ? s.median : s.worst;
    char *at = describe(s.at);
    char *detail = isnan(value)  ? print_text("; not measured: %s", at)
                   : bar->median ? print_text("; of %d: %.3f", s.cells, value)
                                 : print_text("; worst of %d: %.3f, %s", s.cells, value, at);
    int missed = say(value <= bar->limit, bar->where, bar->sentence, detail);
    free(detail);
    free(at);
    return missed;
}

typedef struct slower {
    int cells, strict, sure;
    interval worst; /* by its low end */
    int opponent;
    const cell *at;
} slower;

/* Cells in which any opponent is faster by more than the limit. */
static slower count_slower(const measured *all, double limit) {
    slower s = {.worst = {NAN, -INFINITY, NAN}};
    for (int i = 0; i < all->cells; i++) {
        const cell *cell = &all->cell[i];
        int strict = 0, sure = 0, there = 0;
        if (!is_compared(cell)) continue;
        for (int method = FIRST_OPPONENT; method < METHODS; method++) {
            interval ratio = cell->against[method];
            if (isnan(ratio.value)) continue;
            there = 1;
            strict |= ratio.value > limit;
            sure |= ratio.low > limit;
            if (ratio.low <= s.worst.low) continue;
            s.worst = ratio;
            s.opponent = method;
            s.at = cell;
        }
        s.cells += there;
        s.strict += strict;
        s.sure += sure;
    }
    return s;
}

static int judge_slower(const measured *all, double limit, double share, const char *sentence) {
    slower s = count_slower(all, limit);
    if (s.cells == 0) return 0;
    char *at = describe(s.at);
    char *detail = print_text(
        "; surely in %d of %d cells, by the medians alone in %d; worst %.3f (%.2f..%.2f) of `%s`, "
        "%s",
        s.sure, s.cells, s.strict, s.worst.value, s.worst.low, s.worst.high, method_names[s.opponent], at);
    int missed = say(s.sure <= share * s.cells, "all networks", sentence, detail);
    free(detail);
    free(at);
    return missed;
}

static int judge_contents(const measured *all) {
    int missed = 0;
    for (int i = 0; i < all->cells; i++) {
        char *at = describe(&all->cell[i]);
        if (all->cell[i].wrong) missed += say(0, at, "contents were wrong", "");
        if (all->cell[i].failed) missed += say(0, at, "a launch failed", "");
        free(at);
    }
    return missed;
}

/* ---- another round ------------------------------------------------------------------------------------- */

/* Whoever was never within a quarter of what it is held against will not be decided otherwise by more
 * launches. What other bars speak of gets its second launch in any case. */
static int is_undecided(const cell *cell, int method) {
    int best = best_window(cell), window = method >= FIRST_WINDOW && method < DEFAULT;
    if (method == PACED || method == DEFAULT || method == ISEND) return 1;
    double against = window ? best < 0 ? NAN : settled_median(cell, best) : settled_median(cell, DEFAULT);
    return !(settled_least(cell, method) > 1.25 * against);
}

static void list_undecided(const cell *cell) {
    for (int method = 0; method < METHODS; method++)
        if (cell->launch[method][0].samples > 0 && is_undecided(cell, method)) puts(method_names[method]);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static int report(const measured *all) {
    int missed = 0;
    for (int i = 0; i < all->networks; i++) write_network(all, all->network[i]);
    printf("## Bars\n\n");
    for (int i = 0; i < COUNT(bars); i++) {
        missed += judge_bar(all, &bars[i]);
        if (i != 1) continue;
        missed +=
            judge_slower(all, 1.02, 0.05,
                         "the default is slower than an opponent by more than 2% in at most 5% of the cells");
        missed +=
            judge_slower(all, 1.10, 0, "the default is slower than an opponent by more than 10% in no cell");
    }
    missed += judge_contents(all);
    if (all->builds_differ) printf("\nThese were measured with different builds of the command.\n");
    return missed ? MISSED : REACHED;
}

int judge_networks(int count, char **words) {
    measured all = {.files = json_array()};
    int undecided = count > 0 && !strcmp(words[0], "--undecided"), first = undecided;
    int code = count > first ? REACHED : refuse("no file", "expected those of scripts/bench-networks");
    for (int i = first; i < count && !code; i++) code = networks_read(words[i], &all);
    if (!code && undecided && all.cells != 1) code = refuse(words[first], "expected launches of one pattern");
    if (!code && undecided) list_undecided(&all.cell[0]);
    if (!code && !undecided) networks_compare(&all);
    if (!code && !undecided) code = report(&all);
    networks_clear(&all);
    return code;
}
