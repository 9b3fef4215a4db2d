/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 7 to 10 and 12 to 14 are times of building, in milliseconds; figure 11 is how the computing is
 * balanced. */
#include "figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"

typedef struct figure {
    const char *name, *machine;
    int kind;
    series along;
} figure;

static const figure figures[] = {
    {"7a", "cluster", COMPACT, RECEIVERS},  {"7b", "cluster", COMPACT, SENDERS},
    {"8a", "cluster", MIXED, RECEIVERS},    {"8b", "cluster", MIXED, SENDERS},
    {"9a", "cluster", EXPLICIT, RECEIVERS}, {"9b", "cluster", EXPLICIT, SENDERS},
    {"9c", "cluster", EXPLICIT, SQUARE},    {"10a", "cluster", COMPACT, PARTS},
    {"10b", "cluster", MIXED, PARTS},       {"10c", "cluster", EXPLICIT, PARTS},
    {"10d", "cluster", MIXED_LIST, PARTS},  {"10e", "cluster", EXPLICIT_LIST, PARTS},
    {"10f", "cluster", MIXED_RANGE, PARTS}, {"10g", "cluster", EXPLICIT_RANGE, PARTS},
    {"10a-grid", "grid", COMPACT, PARTS},   {"10b-grid", "grid", MIXED, PARTS},
    {"10c-grid", "grid", EXPLICIT, PARTS},  {"12a", "grid", COMPACT, RECEIVERS},
    {"12b", "grid", COMPACT, SENDERS},      {"13a", "grid", MIXED, RECEIVERS},
    {"13b", "grid", MIXED, SENDERS},        {"14a", "grid", EXPLICIT, RECEIVERS},
    {"14b", "grid", EXPLICIT, SENDERS},     {"14c", "grid", EXPLICIT, SQUARE},
};

static const char *const kind_titles[KINDS] = {
    [COMPACT] = "two compact arrays",
    [MIXED] = "compact to explicit",
    [EXPLICIT] = "two explicit arrays",
    [MIXED_LIST] = "compact to explicit, a list of elements",
    [EXPLICIT_LIST] = "two explicit arrays, lists of elements",
    [MIXED_RANGE] = "compact to explicit, a range of elements",
    [EXPLICIT_RANGE] = "two explicit arrays, ranges of elements",
};
static const char *const series_titles[] = {
    [RECEIVERS] = "more receivers",
    [SENDERS] = "more senders",
    [SQUARE] = "more of both",
    [PARTS] = "more elements, 4 x 4",
};

const char *way_title(int kind, int way) {
    static const char *const titles[WAYS] = {
        [DEREF] = "Deref",
        [BOTH] = "BothCom",
        [BOTH_REPRESENTATIVE] = "BothCom, representative",
        [BOTH_ONE] = "InterComm, OneBack",
        [EXPORTER] = "OneCom, senders",
        [EXPORTER_REPRESENTATIVE] = "OneCom, senders, representative",
        [IMPORTER] = "OneCom, receivers",
        [IMPORTER_ONE] = "OneCom/OneBack",
        [AUTO] = "auto",
    };
    if (way == IMPORTER && kind != COMPACT) return "OneCom/AllBack";
    if (way == BOTH && (kind == EXPLICIT || kind == EXPLICIT_LIST || kind == EXPLICIT_RANGE))
        return "InterComm";
    return titles[way];
}

const char *machine_of(const setup *setup, const char *name) {
    static char both[2][32];
    static int turn;
    turn = !turn;
    snprintf(both[turn], sizeof both[turn], "%s%s", name, setup->ending);
    return both[turn];
}

int series_points(series along, const char *machine, int kind, point *points) {
    int count = 0;
    for (int i = 0; i < MOST_POINTS; i++) {
        int many = 1 << i, part = 8 >> i;
        const point at[] = {[RECEIVERS] = {4, many, 2},
                            [SENDERS] = {many, 4, 2},
                            [SQUARE] = {many, many, 2},
                            [PARTS] = {4, 4, part}};
        if (find_result(machine, kind, at[along], DEREF)) points[count++] = at[along];
    }
    return count;
}

/* ---- one figure ---------------------------------------------------------------------------------------- */

static void name_place(series along, point at, char *name, size_t size) {
    if (along != PARTS)
        snprintf(name, size, "%d x %d", at.exporters, at.importers);
    else
        snprintf(name, size, at.part == 1 ? "all" : "1/%d", at.part);
}

static void collect(const figure *figure, const char *machine, chart *chart) {
    point points[MOST_POINTS];
    chart->unit = "simulated ms";
    chart->along = figure->along == PARTS ? "part of the elements" : "ranks that send x ranks that receive";
    chart->places = series_points(figure->along, machine, figure->kind, points);
    for (int p = 0; p < chart->places; p++)
        name_place(figure->along, points[p], chart->place[p], sizeof chart->place[p]);
    for (int way = 0; way < WAYS && chart->places > 0; way++) {
        if (!find_result(machine, figure->kind, points[0], way)) continue;
        chart->line[chart->lines].name = way_title(figure->kind, way);
        for (int p = 0; p < chart->places; p++)
            chart->line[chart->lines].value[p] = 1e3 * value_of(machine, figure->kind, points[p], way, BUILD);
        chart->lines++;
    }
}

static void print_chart(const chart *chart) {
    printf("\n%s (ms):\n\n| |", chart->title);
    for (int p = 0; p < chart->places; p++) printf(" %s |", chart->place[p]);
    printf("\n|---|");
    for (int p = 0; p < chart->places; p++) printf("---:|");
    for (int i = 0; i < chart->lines; i++) {
        printf("\n| %s |", chart->line[i].name);
        for (int p = 0; p < chart->places; p++)
            printf(" %.*f |", chart->line[i].value[p] < 1 ? 3 : 1, chart->line[i].value[p]);
    }
    putchar('\n');
}

int print_figures(const setup *setup, const char *folder) {
    int written = 1;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const figure *figure = &figures[i];
        char title[128], path[4096];
        chart chart = {.title = title};
        const char *machine = machine_of(setup, figure->machine);
        collect(figure, machine, &chart);
        if (chart.places < 2) continue;
        snprintf(title, sizeof title, "Figure %s, %s: %s, %s", figure->name, machine,
                 kind_titles[figure->kind], series_titles[figure->along]);
        print_chart(&chart);
        if (!folder) continue;
        snprintf(path, sizeof path, "%s/figure-%s%s.svg", folder, figure->name, setup->ending);
        written &= draw_chart(&chart, path);
    }
    return written;
}

/* ---- other tables -------------------------------------------------------------------------------------- */

void print_balance(const setup *setup) {
    const char *machine = machine_of(setup, "cluster");
    point points[MOST_POINTS];
    int count = series_points(SENDERS, machine, COMPACT, points);
    if (count == 0) return;
    printf("\nFigure 11, %s: two compact arrays, BothCom, computing of each program (us):\n\n"
           "| | senders, most | mean | pieces, most | mean | receivers, most | mean | pieces, most | mean |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
           machine);
    for (int p = 0; p < count; p++) {
        const result *r = find_result(machine, COMPACT, points[p], BOTH);
        const double *v = r->value;
        printf("| %d x %d | %.1f | %.1f | %.0f | %.1f | %.1f | %.1f | %.0f | %.1f |\n", points[p].exporters,
               points[p].importers, 1e6 * v[MOST_0], 1e6 * v[MEAN_0], v[COMPUTED_MOST_0],
               v[COMPUTED_ALL_0] / points[p].exporters, 1e6 * v[MOST_1], 1e6 * v[MEAN_1], v[COMPUTED_MOST_1],
               v[COMPUTED_ALL_1] / points[p].importers);
    }
}

static void print_counts_at(const char *machine, int kind, point at) {
    for (int way = 0; way < WAYS; way++) {
        const result *r = find_result(machine, kind, at, way);
        if (!r) continue;
        const double *v = r->value;
        printf("| %s, %d x %d | %s | %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | "
               "%.0f |\n",
               kind_names[kind], at.exporters, at.importers, way_title(kind, way), r->built, 1e3 * v[OPEN],
               1e3 * v[BUILD], 1e3 * v[MOST_0], 1e3 * v[MOST_1], v[COMPUTED_MOST_0], v[COMPUTED_MOST_1],
               v[INSIDE_MESSAGES], v[INSIDE_BYTES], v[ACROSS_MESSAGES], v[ACROSS_BYTES]);
    }
}

void print_counts(const setup *setup) {
    static const point at[] = {{4, 4, 2}, {16, 16, 2}};
    static const char *const names[] = {"cluster", "grid"};
    for (int m = 0; m < 2; m++) {
        const char *machine = machine_of(setup, names[m]);
        if (!find_result(machine, COMPACT, at[0], DEREF)) continue;
        printf(
            "\nCounted, %s; half of the elements. Milliseconds of opening, building, computing (most of a "
            "sender and of a "
            "receiver); elements or pieces computed (likewise); messages and bytes of both programs:\n\n"
            "| case | way | built as | open | build | send | receive | computed | computed | inside | bytes "
            "| across | bytes |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            machine);
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < 2; i++) print_counts_at(machine, kind, at[i]);
    }
}
