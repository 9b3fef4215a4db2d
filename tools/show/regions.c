/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille regions: which algorithm takes least over two parameters of a pattern, as in figures 16 and 17 of NICE. Each cell is a
 * comparison (compare.h) of a pattern with two more keys: S/R + C, the cost of building spread over the exchanges, plus the
 * predicted time of one.
 */
#include "regions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "core/arguments.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/units.h"

/* ---- axes ---------------------------------------------------------------------------------------------- */

const char *axis_spec(const axis *axis, int step, char text[AXIS_TEXT]) {
    snprintf(text, AXIS_TEXT, axis->is_whole ? "%.0f" : "%.4g", axis->value[step]);
    return text;
}

const char *axis_label(const axis *axis, int step, char text[AXIS_TEXT]) {
    const double kibi = 1024, mebi = kibi * kibi;
    double value = axis->value[step];
    if (!axis->is_whole || value < kibi || fmod(value, kibi) != 0) return axis_spec(axis, step, text);
    if (fmod(value, mebi) == 0)
        snprintf(text, AXIS_TEXT, "%.0fMi", value / mebi);
    else
        snprintf(text, AXIS_TEXT, "%.0fKi", value / kibi);
    return text;
}

static int read_number(const char *text, double *number, int *is_whole) {
    int64_t count;
    char *end;
    if (units_read_count(text, &count)) {
        *number = (double)count;
        return 1;
    }
    *is_whole = 0;
    *number = strtod(text, &end);
    return end != text && !*end && *number > 0;
}

/* In equal steps; in equal ratios where the last is many times the first, and whole numbers then in powers of two if those are
 * powers of two. */
static void set_values(axis *axis, double low, double high) {
    const double many = 12;
    int has_ratios = low > 0 && high / low >= many;
    for (int i = 0; i < axis->steps; i++) {
        double part = axis->steps > 1 ? (double)i / (axis->steps - 1) : 0;
        double value = has_ratios ? low * pow(high / low, part) : low + part * (high - low);
        axis->value[i] = axis->is_whole ? round(value) : value;
    }
}

/* "KEY=LOW..HIGH" */
static int read_axis(const char *text, int64_t steps, axis *axis) {
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
    char low_text[64] = "";
    double low, high;
    *axis = (struct axis){.is_whole = 1, .steps = (int)steps};
    if (!dots || equals == text || (size_t)(equals - text) >= sizeof axis->key ||
        (size_t)(dots - equals) > sizeof low_text)
        return complain("'%s' is not an axis; expected KEY=LOW..HIGH, such as bytes=64..1Mi", text);
    memcpy(axis->key, text, (size_t)(equals - text));
    memcpy(low_text, equals + 1, (size_t)(dots - equals - 1));
    if (!read_number(low_text, &low, &axis->is_whole) || !read_number(dots + 2, &high, &axis->is_whole) ||
        low >= high)
        return complain("'%s' is not an axis; expected two numbers, the second larger, such as bytes=64..1Mi",
                        text);
    set_values(axis, low, high);
    return EXIT_GOOD;
}

/* ---- cells --------------------------------------------------------------------------------------------- */

int regions_number_of(regions *regions, const char *algorithm) {
    for (int i = 0; i < regions->algorithms; i++)
        if (!strcmp(regions->algorithm[i], algorithm)) return i;
    regions->algorithm = reallocate(regions->algorithm, regions->algorithms + 1, sizeof *regions->algorithm);
    regions->algorithm[regions->algorithms] = copy_text(algorithm);
    return regions->algorithms++;
}

static int fill_cell(const arguments *arguments, regions *regions, int y, int x) {
    comparison comparison = {0};
    char *spec = regions_cell_spec(regions, y, x);
    comparison.text = spec;
    int code = compare_read(arguments, &comparison);
    if (!code) code = input_pattern(arguments, spec, &comparison.pattern);
    if (!code)
        code =
            input_machine(arguments, NULL, qdr_pattern_look(comparison.pattern).ranks, &comparison.machine);
    if (!code) code = compare_all(arguments, &comparison);
    if (!code && comparison.kept == 0) code = complain("no algorithm takes the pattern %s", spec);
    if (!code) {
        region_cell *cell = &regions->cell[y][x];
        *cell = (region_cell){.next = -1};
        cell->winner = regions_number_of(regions, comparison.row[0].spec);
        cell->seconds = comparison.row[0].total;
        if (comparison.kept > 1) {
            cell->next = regions_number_of(regions, comparison.row[1].spec);
            cell->other = comparison.row[1].total;
        }
    }
    compare_close(&comparison);
    free(spec);
    return code;
}

int regions_won(const regions *regions, int algorithm) {
    int won = 0;
    for (int y = 0; y < regions->y.steps; y++)
        for (int x = 0; x < regions->x.steps; x++) won += regions->cell[y][x].winner == algorithm;
    return won;
}

int region_is_clear(const region_cell *cell) {
    const double clearly = 1.05;
    return cell->next < 0 || cell->other >= clearly * cell->seconds;
}

/* Puts those first that win most. */
static void rank_algorithms(regions *regions) {
    for (int i = 0; i < regions->algorithms; i++) {
        int most = i;
        for (int j = i + 1; j < regions->algorithms; j++)
            if (regions_won(regions, j) > regions_won(regions, most)) most = j;
        char *name = regions->algorithm[i];
        regions->algorithm[i] = regions->algorithm[most];
        regions->algorithm[most] = name;
        for (int y = 0; y < regions->y.steps && most != i; y++)
            for (int x = 0; x < regions->x.steps; x++) {
                region_cell *cell = &regions->cell[y][x];
                cell->winner = cell->winner == i ? most : cell->winner == most ? i : cell->winner;
                cell->next = cell->next == i ? most : cell->next == most ? i : cell->next;
            }
    }
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int read(const arguments *arguments, regions *regions) {
    const char *x = argument(arguments, "x"), *y = argument(arguments, "y");
    int64_t columns = 9, rows = 7;
    int code = argument_count(arguments, "columns", 2, MOST_STEPS, &columns);
    if (!code) code = argument_count(arguments, "rows", 2, MOST_STEPS, &rows);
    if (!code) code = read_axis(x ? x : "bytes=16..1Mi", columns, &regions->x);
    if (!code) code = read_axis(y ? y : "density=0.1..1", rows, &regions->y);
    if (!code && !strcmp(regions->x.key, regions->y.key))
        code = complain("both axes are '%s'", regions->x.key);
    int ways =
        !!argument(arguments, "machine") + !!argument(arguments, "measured") + !!argument(arguments, "cells");
    if (!code && ways != 1) code = complain("expected one of --machine, --measured and --cells");
    return code;
}

static int fill(const arguments *arguments, regions *regions) {
    const char *folder = argument(arguments, "measured");
    int code = EXIT_GOOD;
    for (int y = 0; !code && y < regions->y.steps; y++)
        for (int x = 0; !code && x < regions->x.steps; x++) {
            progress_say("%d of %d cells", y * regions->x.steps + x + 1, regions->x.steps * regions->y.steps);
            code = folder ? regions_read_cell(folder, regions, y, x) : fill_cell(arguments, regions, y, x);
        }
    if (!code) rank_algorithms(regions);
    return code;
}

static int write(const arguments *arguments, const regions *regions, FILE *out) {
    if (argument(arguments, "cells")) return regions_write_cells(regions, out);
    const char *svg = argument(arguments, "svg");
    int code = svg ? regions_write_svg(regions, output_open(svg)) : EXIT_GOOD;
    if (code) return code;
    return argument(arguments, "json") ? regions_write_json(regions, out) : regions_write_text(regions, out);
}

static int run(const arguments *arguments, FILE *out) {
    regions *made = ALLOCATE(regions, 1);
    *made = (regions){.pattern = arguments->operand[0], .machine = argument(arguments, "machine")};
    if (!made->machine) made->machine = argument(arguments, "measured");
    int code = input_is_file(made->pattern)
                   ? complain("'%s' is a file; regions are of a family", made->pattern)
                   : read(arguments, made);
    if (!code && !argument(arguments, "cells")) code = fill(arguments, made);
    if (!code) code = write(arguments, made, out);
    for (int i = 0; i < made->algorithms; i++) free(made->algorithm[i]);
    free(made->algorithm);
    free(made);
    return code;
}

static const option options[] = {
    {'m', "machine", "MACHINE", "the machine to predict on", OPTION_ONCE},
    {0, "measured", "FOLDER", "what 'quadrille bench --json' has measured, a file for each cell",
     OPTION_ONCE},
    {0, "cells", NULL, "print the file and the pattern of each cell, to be measured", OPTION_ONCE},
    {'x', "x", "KEY=LOW..HIGH", "a key of the pattern (default bytes=16..1Mi)", OPTION_ONCE},
    {'y', "y", "KEY=LOW..HIGH", "another (default density=0.1..1)", OPTION_ONCE},
    {0, "columns", "N", "values of the first key (default 9)", OPTION_ONCE},
    {0, "rows", "N", "values of the second (default 7)", OPTION_ONCE},
    OPTIONS_OF_COMPARISON,
    {0, "svg", "FILE", "also draw it", OPTION_ONCE},
    OPTION_JSON,
    OPTION_BYTES,
    OPTIONS_END,
};

const command regions_command = {
    .name = "regions",
    .summary = "which algorithm takes least, over two parameters of a pattern",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description =
        "PATTERN is a spec of a family without the two keys. Each cell is a comparison of all\n"
        "algorithms by S/R + C, as 'quadrille compare' makes it. A capital letter is a winner that\n"
        "is ahead of all others by at least 5%; a small one is nearly met by another.\n"
        "\n"
        "Values are in equal steps, or in equal ratios where the last is many times the first.\n"
        "\n"
        "With --measured each cell is what 'quadrille bench --json' has left in a folder. --cells lists\n"
        "the files and their patterns, for a loop that measures them.\n",
    .examples = "quadrille regions random:n=64,seed=1 -m ipsc860 -y degree=2..62 --svg regions.svg\n"
                "quadrille regions zipf:n=32 -m crossbar:tau=100us,rate=50Mbit/s,queue=48K --pacing own\n"
                "quadrille regions random:n=16 -x bytes=1Ki..64Ki --columns 4 --rows 3 --cells\n",
    .run = run,
};
