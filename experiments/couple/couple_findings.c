/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * couple_findings [--unjudged | --titles] [FOLDER]: tables, charts and verdicts of the experiment, from
 * what couple_ranks printed, on standard input. What Lee and Sussman found (numbers 51 to 64 here) is held
 * against the figures, claim by claim. Where a claim is known to fail, the reason stands with it. Exits
 * with 1 when one fails without such a reason, or when two ways gave different schedules; with 2 when the
 * input is not as expected.
 *
 * With --unjudged, for experiments too small to tell, only schedules are judged. --titles prints what the
 * fields of a line are, and that is all.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

enum { CONFIRMED = 0, NOT_CONFIRMED = 1, UNREADABLE = 2 };

static const setup setups[] = {
    {"", "As in the paper: processors of 650 MHz, 200 Mbit/s, 60 us"},
    {"-today", "Today: this machine's processor, 25 Gbit/s, 2 us"},
};
static const setup *here;
static int surprises;

/* ---- verdicts ------------------------------------------------------------------------------------------ */

/* A claim; `known` is why it fails, where that is known. */
static void judge(int number, int holds, const char *known, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void judge(int number, int holds, const char *known, const char *format, ...) {
    va_list values;
    va_start(values, format);
    printf("- %d **%s**: ", number, holds ? "confirmed" : "not confirmed");
    vprintf(format, values);
    if (!holds && known) printf(". Why: %s", known);
    putchar('\n');
    va_end(values);
    surprises += !holds && !known;
}

/* ---- times and ratios ---------------------------------------------------------------------------------- */

static double build_at(const char *machine, int kind, point at, int way) {
    return value_of(machine_of(here, machine), kind, at, way, BUILD);
}

static double cluster(int kind, int exporters, int importers, int way) {
    return build_at("cluster", kind, (point){exporters, importers, 2}, way);
}

static double grid(int kind, int exporters, int importers, int way) {
    return build_at("grid", kind, (point){exporters, importers, 2}, way);
}

static int points_of(series along, const char *machine, int kind, point *points) {
    return series_points(along, machine_of(here, machine), kind, points);
}

/* The ways of the paper: disjoint sets of processes, back as the case has it. */
static double best_at(const char *machine, int kind, point at) {
    static const int candidates[] = {BOTH, EXPORTER, IMPORTER, IMPORTER_ONE};
    double best = INFINITY;
    for (int i = 0; i < 4; i++) best = fmin(best, build_at(machine, kind, at, candidates[i]));
    return best;
}

/* Of the best way's time, or of one way's, to that of Deref: the least and the most of a series. */
typedef struct range {
    double least, most;
    int points, below; /* how many are below `limit` */
} range;

enum { BEST = -1 };

static range share_of_deref(const char *machine, int kind, int way, series along, double limit) {
    point points[MOST_POINTS];
    range all = {INFINITY, -INFINITY, points_of(along, machine, kind, points), 0};
    for (int p = 0; p < all.points; p++) {
        double took =
            way == BEST ? best_at(machine, kind, points[p]) : build_at(machine, kind, points[p], way);
        double share = took / build_at(machine, kind, points[p], DEREF);
        all.least = fmin(all.least, share);
        all.most = fmax(all.most, share);
        all.below += share < limit;
    }
    return all;
}

/* Of one way's times in a series: the most to the least, from the first point on with so many of what
 * varies. */
static double spread_from(const char *machine, int kind, int way, series along, int from) {
    point points[MOST_POINTS];
    double least = INFINITY, most = 0;
    int count = points_of(along, machine, kind, points);
    for (int p = 0; p < count; p++) {
        if ((along == RECEIVERS ? points[p].importers : points[p].exporters) < from) continue;
        least = fmin(least, build_at(machine, kind, points[p], way));
        most = fmax(most, build_at(machine, kind, points[p], way));
    }
    return most / least;
}

/* Never slower from one point to the next, but for 3%. */
static int falls(const char *machine, int kind, int way, series along) {
    point points[MOST_POINTS];
    int count = points_of(along, machine, kind, points);
    for (int p = 1; p < count; p++)
        if (build_at(machine, kind, points[p], way) > 1.03 * build_at(machine, kind, points[p - 1], way))
            return 0;
    return 1;
}

/* ---- schedules ----------------------------------------------------------------------------------------- */

/* The same everywhere: all ways, all machines. */
static void judge_schedules(void) {
    int compared = 0;
    for (int i = 0; i < result_count(); i++) {
        const result *one = result_at(i), *first = one;
        for (int k = 0; k < i && first == one; k++) {
            const result *other = result_at(k);
            if (other->kind == one->kind && !memcmp(&other->at, &one->at, sizeof one->at)) first = other;
        }
        compared += first != one;
        if (strcmp(one->digest, first->digest)) {
            judge(51, 0, NULL,
                  "%s on %s, %s, %d x %d, 1/%d of the elements, has another schedule than %s on %s",
                  way_names[one->way], one->machine, kind_names[one->kind], one->at.exporters,
                  one->at.importers, one->at.part, way_names[first->way], first->machine);
            return;
        }
    }
    judge(51, 1, NULL,
          "all ways give one schedule: %d compared with the first of their case, element by element",
          compared);
}

/* ---- a cluster ----------------------------------------------------------------------------------------- */

static const char *const closed_forms = "schedules of two compact arrays are found in closed form, whatever "
                                        "their size: what is left to time is messages, "
                                        "of which there are more with more ranks";

static const char *const both_parts = "at 4 x 4 it takes 26% of Deref's time for messages, but half of its "
                                      "time for computing, which is the larger part";
static const char *const telling = "each rank of the smaller program tells its share of the array, however "
                                   "many ranks the other has (see counts)";
static const char *const better_deref = "Deref has one letter for each pair of ranks here: with no time for "
                                        "computing it took 222 ms with 4 senders and "
                                        "221 with 16. Whether Meta-Chaos had more is not known";
static const char *const cheap_messages =
    "with more receivers each has less to tell, and that is more than what more messages cost";
static const char *const all_owned =
    "untested: perhaps because ranks look at all that they own, whatever the part";
static const char *const pieces = "what is computed is pieces, not elements (figure 11); how much of the "
                                  "time is the same for all is untested";
static const char *const little_left = "untested: perhaps because so little else is left to time";
static const char *const agreements = "after the descriptors comes an agreement, which makes errors the same "
                                      "everywhere: it takes 24 ms of the 49 at 4 x 4 "
                                      "(a second one made it 74)";
static const char *const fewer_bytes = "BothCom sends a third of Deref's bytes across; with no time for "
                                       "computing it took 130 ms at 4 x 4, Deref 270";
static const char *const run_to_run =
    "it differs from run to run by as much: of three, one had 3 of 30 times, by 6.4%, "
    "one 2, by 0.4%; the order was once another at 1 of 9 points, by 6.9%";
static const char *const through_one = "what goes through one process travels twice, and messages over the "
                                       "simulated link overlap, so that 95 of them cost "
                                       "no more than 14: with no time for computing, 125 ms against 119";

static void judge_compact(void) {
    range a = share_of_deref("cluster", COMPACT, BEST, RECEIVERS, 0),
          b = share_of_deref("cluster", COMPACT, BEST, SENDERS, 0);
    judge(52, a.most <= 0.25, NULL,
          "two compact, more receivers: the best takes %.1f to %.1f%% of Deref (15 to 25%%)", 100 * a.least,
          100 * a.most);
    judge(52, b.most <= 0.50, NULL,
          "two compact, more senders: the best takes %.1f to %.1f%% of Deref (25 to 50%%)", 100 * b.least,
          100 * b.most);
    double rest = spread_from("cluster", COMPACT, BOTH, RECEIVERS, 4);
    judge(53, cluster(COMPACT, 4, 1, BOTH) > cluster(COMPACT, 4, 4, BOTH) && rest <= 1.25, closed_forms,
          "BothCom is limited by the smaller program: %.2f ms with 1 receiver, %.2f with 4, %.2f with 16",
          1e3 * cluster(COMPACT, 4, 1, BOTH), 1e3 * cluster(COMPACT, 4, 4, BOTH),
          1e3 * cluster(COMPACT, 4, 16, BOTH));
    double flat = spread_from("cluster", COMPACT, EXPORTER, RECEIVERS, 1);
    judge(53, flat <= 1.25, closed_forms,
          "OneCom of the senders does not change with receivers: %.2f ms with 1, %.2f with 16, at most %.2f "
          "times",
          1e3 * cluster(COMPACT, 4, 1, EXPORTER), 1e3 * cluster(COMPACT, 4, 16, EXPORTER), flat);
}

static void judge_mixed_kind(int kind) {
    range a = share_of_deref("cluster", kind, BEST, RECEIVERS, 0.6),
          b = share_of_deref("cluster", kind, BEST, SENDERS, 0.6);
    judge(54, a.most < 1 && b.most < 1, NULL, "%s: the best takes %.0f to %.0f%% of Deref", kind_names[kind],
          100 * fmin(a.least, b.least), 100 * fmax(a.most, b.most));
    judge(54, 2 * (a.below + b.below) >= a.points + b.points, NULL, "%s: below 60%% at %d of %d points",
          kind_names[kind], a.below + b.below, a.points + b.points);
}

static void judge_mixed(void) {
    judge_mixed_kind(MIXED);
    double least = cluster(MIXED, 4, 4, BOTH), most = cluster(MIXED, 4, 16, BOTH);
    judge(55, most > least, cheap_messages,
          "BothCom gets worse beyond 4 receivers: %.1f ms with 4, %.1f with 16", 1e3 * least, 1e3 * most);
    judge(55, falls("cluster", MIXED, BOTH, SENDERS), telling,
          "BothCom improves with senders: %.1f ms with 1, %.1f with 16", 1e3 * cluster(MIXED, 1, 4, BOTH),
          1e3 * cluster(MIXED, 16, 4, BOTH));
}

static void judge_explicit(void) {
    static const struct {
        series along;
        double limit;
        const char *title, *paper;
    } figures[] = {{RECEIVERS, 0.30, "more receivers", "20 to 30"},
                   {SENDERS, 0.50, "more senders", "7 to 50"},
                   {SQUARE, 0.35, "more of both", "4 to 35"}};
    for (int i = 0; i < 3; i++) {
        range r = share_of_deref("cluster", EXPLICIT, BOTH, figures[i].along, figures[i].limit);
        judge(56, r.most <= figures[i].limit, both_parts, "two explicit, %s: %.0f to %.0f%% of Deref (%s%%)",
              figures[i].title, 100 * r.least, 100 * r.most, figures[i].paper);
    }
    judge(57, cluster(EXPLICIT, 16, 4, DEREF) > cluster(EXPLICIT, 1, 4, DEREF), better_deref,
          "Deref gets worse with senders: %.1f ms with 1, %.1f with 4, %.1f with 16",
          1e3 * cluster(EXPLICIT, 1, 4, DEREF), 1e3 * cluster(EXPLICIT, 4, 4, DEREF),
          1e3 * cluster(EXPLICIT, 16, 4, DEREF));
    judge(57, cluster(EXPLICIT, 16, 16, DEREF) > cluster(EXPLICIT, 4, 4, DEREF), better_deref,
          "Deref gets worse beyond 4 x 4: %.1f ms, at 16 x 16 %.1f", 1e3 * cluster(EXPLICIT, 4, 4, DEREF),
          1e3 * cluster(EXPLICIT, 16, 16, DEREF));
    judge(57, falls("cluster", EXPLICIT, BOTH, RECEIVERS) && falls("cluster", EXPLICIT, BOTH, SENDERS),
          telling, "InterComm improves with either side: 4 x 1 %.1f ms, 4 x 16 %.1f; 1 x 4 %.1f, 16 x 4 %.1f",
          1e3 * cluster(EXPLICIT, 4, 1, BOTH), 1e3 * cluster(EXPLICIT, 4, 16, BOTH),
          1e3 * cluster(EXPLICIT, 1, 4, BOTH), 1e3 * cluster(EXPLICIT, 16, 4, BOTH));
}

/* How well a straight line fits the times: 1 is exactly. */
static double straightness(int kind, int way, double *growth) {
    static const int parts[] = {8, 4, 2, 1};
    double x[4], y[4], mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < 4; i++) {
        x[i] = 1.0 / parts[i];
        y[i] = build_at("cluster", kind, (point){4, 4, parts[i]}, way);
        mean_x += x[i] / 4, mean_y += y[i] / 4;
    }
    for (int i = 0; i < 4; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    *growth = y[3] / y[0];
    return xy > 0 ? xy * xy / (xx * yy) : 0;
}

static void judge_elements(void) {
    for (int kind = 0; kind < MIXED_RANGE; kind++) /* what follows is a control */
        for (int way = DEREF; way <= BOTH; way++) {
            double growth, fit = straightness(kind, way, &growth);
            if (isnan(fit)) continue;
            judge(
                58, fit >= 0.95,
                way == DEREF      ? NULL
                : kind == COMPACT ? closed_forms
                                  : all_owned,
                "%s, %s: time is linear in elements: from 1/8 to all %.2f times, r2 of a straight line %.3f",
                kind_names[kind], way_title(kind, way), growth, fit);
        }
}

/* ---- balance ------------------------------------------------------------------------------------------- */

/* The most of a program's ranks to the mean; 1 for a single rank. */
static double imbalance(const double *value, int role) {
    return value[role ? MOST_1 : MOST_0] / value[role ? MEAN_1 : MEAN_0];
}

static double counted_imbalance(const result *r, int role) {
    double ranks = role ? r->at.importers : r->at.exporters;
    return r->value[role ? COMPUTED_MOST_1 : COMPUTED_MOST_0] * ranks /
           r->value[role ? COMPUTED_ALL_1 : COMPUTED_ALL_0];
}

static void judge_balance(void) {
    const char *machine = machine_of(here, "cluster");
    point points[MOST_POINTS];
    double least = INFINITY, most = 0, worst = 1, counted = 0;
    int count = series_points(SENDERS, machine, COMPACT, points);
    for (int p = 0; p < count; p++) {
        const result *r = find_result(machine, COMPACT, points[p], BOTH);
        double ratio = r->value[MEAN_0] / r->value[MEAN_1] * points[p].exporters / points[p].importers;
        worst = fmax(worst, fmax(ratio, 1 / ratio));
        for (int role = points[p].exporters == 1; role < 2; role++) {
            least = fmin(least, imbalance(r->value, role));
            most = fmax(most, imbalance(r->value, role));
            counted = fmax(counted, counted_imbalance(r, role));
        }
    }
    judge(59, least >= 1.10 && most <= 1.45, pieces,
          "two compact, BothCom: the slowest rank computes %.0f to %.0f%% more than the mean (15 to 40%%); "
          "pieces: up to "
          "%.0f%%",
          100 * (least - 1), 100 * (most - 1), 100 * (counted - 1));
    judge(
        59, worst <= 1.5, pieces,
        "two compact, BothCom: a sender computes n / m times as much as a receiver, but for a factor of %.2f",
        worst);
    count = series_points(SENDERS, machine, EXPLICIT, points);
    for (int p = 0, role; p < 2 * count; p++) {
        const result *r = find_result(machine, EXPLICIT, points[p / 2], BOTH);
        role = p % 2;
        if (p < 2) most = counted = 1;
        most = fmax(most, imbalance(r->value, role));
        counted = fmax(counted, counted_imbalance(r, role));
    }
    judge(59, counted <= 1.05 && most <= 1.15, NULL,
          "two explicit: balance is nearly perfect: elements %.2f%%, time %.0f%% above the mean at most",
          100 * (counted - 1), 100 * (most - 1));
}

/* ---- a grid -------------------------------------------------------------------------------------------- */

static void judge_grid_compact(void) {
    range a = share_of_deref("grid", COMPACT, BOTH, RECEIVERS, 0),
          b = share_of_deref("grid", COMPACT, BOTH, SENDERS, 0);
    judge(60, fmax(a.most, b.most) <= 0.18, agreements,
          "grid, two compact: BothCom takes %.1f to %.1f%% of Deref (12 to 18%%)",
          100 * fmin(a.least, b.least), 100 * fmax(a.most, b.most));
    point points[2 * MOST_POINTS];
    int count = points_of(RECEIVERS, "grid", COMPACT, points), wins = 0;
    count += points_of(SENDERS, "grid", COMPACT, points + count);
    for (int p = 0; p < count; p++)
        wins += build_at("grid", COMPACT, points[p], BOTH) <= 1.02 * best_at("grid", COMPACT, points[p]);
    judge(60, wins == count, agreements,
          "grid, two compact: BothCom is best at %d of %d points; 4 x 4: %.1f ms, OneCom %.1f", wins, count,
          1e3 * grid(COMPACT, 4, 4, BOTH),
          1e3 * fmin(grid(COMPACT, 4, 4, EXPORTER), grid(COMPACT, 4, 4, IMPORTER)));
}

static void judge_grid_mixed(void) {
    range both = share_of_deref("grid", MIXED, BOTH, RECEIVERS, 1),
          one = share_of_deref("grid", MIXED, IMPORTER, RECEIVERS, 1);
    range more = share_of_deref("grid", MIXED, BOTH, SENDERS, 1),
          less = share_of_deref("grid", MIXED, IMPORTER, SENDERS, 1);
    judge(61, both.least > 1 && more.least > 1, fewer_bytes,
          "grid, mixed: BothCom is worse than Deref: %.0f to %.0f%% of it",
          100 * fmin(both.least, more.least), 100 * fmax(both.most, more.most));
    judge(61, one.most < 1 && less.most < 1, NULL,
          "grid, mixed: OneCom is better than Deref: %.0f to %.0f%% of it", 100 * fmin(one.least, less.least),
          100 * fmax(one.most, less.most));
    double all = grid(MIXED, 16, 4, IMPORTER), through = grid(MIXED, 16, 4, IMPORTER_ONE);
    judge(62, through < all, through_one, "grid, 16 senders: OneBack beats AllBack: %.1f ms against %.1f",
          1e3 * through, 1e3 * all);
    all = cluster(MIXED, 16, 4, IMPORTER), through = cluster(MIXED, 16, 4, IMPORTER_ONE);
    judge(62, fabs(through / all - 1) <= 0.1, NULL,
          "cluster, 16 senders: they are equal: %.1f ms against %.1f", 1e3 * through, 1e3 * all);
}

/* How much further apart two times are than they should be, as a share; 0 if they are in order. */
static double out_of_order(double smaller, double larger) {
    return smaller < larger ? 0 : smaller / larger - 1;
}

static void judge_grid_explicit(void) {
    int points = 0, swapped = 0, faster = 0;
    double worst_swap = 0, worst_gain = 0;
    for (int along = RECEIVERS; along <= SQUARE; along++) {
        point list[MOST_POINTS];
        int count = points_of((series)along, "grid", EXPLICIT, list);
        for (int p = 0; p < count; p++, points++) {
            double far[2], near[2];
            for (int way = DEREF; way <= BOTH; way++) {
                far[way] = build_at("grid", EXPLICIT, list[p], way);
                near[way] = build_at("cluster", EXPLICIT, list[p], way);
                double gain = out_of_order(near[way], far[way]);
                faster += gain > 0;
                worst_gain = fmax(worst_gain, gain);
            }
            int first = near[BOTH] < near[DEREF] ? BOTH : DEREF, second = first == BOTH ? DEREF : BOTH;
            double swap = out_of_order(far[first], far[second]);
            swapped += swap > 0;
            worst_swap = fmax(worst_swap, swap);
        }
    }
    judge(63, swapped == 0, run_to_run,
          "grid, two explicit: InterComm and Deref in the order of figure 9, but for %d of %d points, by "
          "%.1f%% at most",
          swapped, points, 100 * worst_swap);
    judge(63, faster == 0, run_to_run,
          "grid, two explicit: slower than on the cluster, but for %d of %d times, by %.1f%% at most; 4 x 4: "
          "%.1f ms "
          "and %.1f against %.1f and %.1f",
          faster, 2 * points, 100 * worst_gain, 1e3 * grid(EXPLICIT, 4, 4, BOTH),
          1e3 * grid(EXPLICIT, 4, 4, DEREF), 1e3 * cluster(EXPLICIT, 4, 4, BOTH),
          1e3 * cluster(EXPLICIT, 4, 4, DEREF));
}

static void judge_descriptors(void) {
    point points[2 * MOST_POINTS];
    double most = 0;
    int count = points_of(RECEIVERS, "cluster", COMPACT, points);
    count += points_of(SENDERS, "cluster", COMPACT, points + count);
    for (int p = 0; p < count; p++)
        for (int i = 0; i < 2; i++) {
            double sets = build_at("cluster", COMPACT, points[p], i ? EXPORTER : BOTH),
                   one = build_at("cluster", COMPACT, points[p],
                                  i ? EXPORTER_REPRESENTATIVE : BOTH_REPRESENTATIVE);
            most = fmax(most, fabs(one / sets - 1));
        }
    judge(64, most <= 0.25, little_left,
          "disjoint sets and representative are about equal: they differ by %.0f%% at most; 4 x 4: %.2f ms "
          "and %.2f",
          100 * most, 1e3 * cluster(COMPACT, 4, 4, BOTH), 1e3 * cluster(COMPACT, 4, 4, BOTH_REPRESENTATIVE));
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* What `auto` takes of the best that was measured: so many cases, their mean, and the worst of them. */
typedef struct tally {
    int count, beyond; /* beyond: by more than a tenth */
    double sum, most;
    const result *worst;
} tally;

static void add(tally *to, const result *r, double share) {
    to->count++;
    to->sum += share;
    to->beyond += share > 1.1;
    if (share > to->most) to->most = share, to->worst = r;
}

static double best_of_ways(const result *r) {
    double best = INFINITY;
    for (int way = BOTH; way < AUTO; way++)
        best = fmin(best, value_of(r->machine, r->kind, r->at, way, BUILD));
    return best;
}

/* In what the way took that `auto` has chosen, when it was asked for: the choice without the noise of one more run. NAN: it
 * is not among those that were measured. */
static double chosen_of_ways(const result *r) {
    for (int way = BOTH; way < AUTO; way++) {
        const result *asked = find_result(r->machine, r->kind, r->at, way);
        if (asked && !strcmp(asked->built, r->built)) return asked->value[BUILD];
    }
    return NAN;
}

static void print_tally(const char *what, const tally *of) {
    if (of->worst)
        printf("- `auto`, %s: %.2f times the best on average, %.2f at most (%s, %s, %d x %d, 1/%d: %s); "
               "beyond 1.10: %d of "
               "%d\n",
               what, of->sum / of->count, of->most, of->worst->machine, kind_names[of->worst->kind],
               of->worst->at.exporters, of->worst->at.importers, of->worst->at.part, of->worst->built,
               of->beyond, of->count);
}

/* In all results of the setup. */
static void print_choices(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        tally all = {.count = 0};
        for (int i = 0; i < result_count(); i++) {
            const result *r = result_at(i);
            const char *ending = strchr(r->machine, '-');
            if (r->way != AUTO || r->kind != kind || strcmp(ending ? ending : "", here->ending)) continue;
            add(&all, r, r->value[BUILD] / best_of_ways(r));
        }
        print_tally(kind_names[kind], &all);
    }
}

/* In all there are. */
static void print_all_choices(void) {
    tally measured = {.count = 0}, chosen = {.count = 0};
    for (int i = 0; i < result_count(); i++) {
        const result *r = result_at(i);
        if (r->way != AUTO) continue;
        double best = best_of_ways(r), as_asked = chosen_of_ways(r);
        add(&measured, r, r->value[BUILD] / best);
        if (!isnan(as_asked)) add(&chosen, r, as_asked / best);
    }
    printf("\n## In all\n\n");
    print_tally("all cases", &measured);
    print_tally("all cases, the way it chose as it was when asked for", &chosen);
}

static void judge_all(void) {
    judge_compact();
    judge_mixed();
    judge_explicit();
    judge_elements();
    judge_balance();
    judge_grid_compact();
    judge_grid_mixed();
    judge_grid_explicit();
    judge_descriptors();
    print_choices();
}

int main(int count, char **words) {
    int unjudged = count > 1 && !strcmp(words[1], "--unjudged"), written = 1;
    if (count > 1 && !strcmp(words[1], "--titles")) return puts(LINE_TITLES) < 0 ? UNREADABLE : CONFIRMED;
    const char *folder = count > 1 + unjudged ? words[1 + unjudged] : NULL;
    read_results();
    judge_schedules();
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++) {
        here = &setups[i];
        if (!find_result(machine_of(here, "cluster"), COMPACT, (point){4, 4, 2}, DEREF)) continue;
        printf("\n## %s\n\n", here->title);
        if (!unjudged) judge_all();
        written &= print_figures(here, folder);
        print_balance(here);
        print_counts(here);
    }
    print_all_choices();
    if (!written) {
        fprintf(stderr, "couple_findings: a chart in %s could not be written\n", folder);
        return UNREADABLE;
    }
    return surprises ? NOT_CONFIRMED : CONFIRMED;
}
