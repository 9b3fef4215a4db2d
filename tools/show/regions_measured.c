/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of what was measured: each cell is a file of `quadrille bench --json`, whose name says which cell it is. `--cells` lists
 * names and patterns, so that a loop of a shell can measure them wherever mpirun works (experiments/regions/run).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "core/input.h"
#include "core/json.h"
#include "regions.h"

char *regions_cell_spec(const regions *regions, int y, int x) {
    char x_text[AXIS_TEXT], y_text[AXIS_TEXT];
    return print_text("%s%c%s=%s,%s=%s", regions->pattern, strchr(regions->pattern, ':') ? ',' : ':',
                      regions->x.key, axis_spec(&regions->x, x, x_text), regions->y.key,
                      axis_spec(&regions->y, y, y_text));
}

static char *file_of(const regions *regions, int y, int x) {
    char x_text[AXIS_TEXT], y_text[AXIS_TEXT];
    return print_text("%s=%s,%s=%s.json", regions->x.key, axis_spec(&regions->x, x, x_text), regions->y.key,
                      axis_spec(&regions->y, y, y_text));
}

int regions_write_cells(const regions *regions, FILE *out) {
    for (int y = 0; y < regions->y.steps; y++)
        for (int x = 0; x < regions->x.steps; x++) {
            char *file = file_of(regions, y, x), *spec = regions_cell_spec(regions, y, x);
            fprintf(out, "%s %s\n", file, spec);
            free(file);
            free(spec);
        }
    return EXIT_GOOD;
}

/* The two methods with the least medians. */
static int take_methods(const char *path, const json_t *methods, regions *regions, region_cell *cell) {
    size_t index;
    json_t *method;
    *cell = (region_cell){.winner = -1, .next = -1, .seconds = INFINITY, .other = INFINITY};
    json_array_foreach (methods, index, method) {
        const char *name = json_string_value(json_object_get(method, "method"));
        double seconds = json_number_value(json_object_get(method, "median_seconds"));
        if (!name || !(seconds > 0))
            return complain("%s: methods[%d]: expected method and median_seconds", path, (int)index);
        int number = regions_number_of(regions, name);
        if (seconds < cell->seconds) {
            cell->next = cell->winner;
            cell->other = cell->seconds;
            cell->winner = number;
            cell->seconds = seconds;
        } else if (seconds < cell->other) {
            cell->next = number;
            cell->other = seconds;
        }
    }
    return cell->winner < 0 ? complain("%s: no methods", path) : EXIT_GOOD;
}

int regions_read_cell(const char *folder, regions *regions, int y, int x) {
    char *file = file_of(regions, y, x), *path = print_text("%s/%s", folder, file);
    FILE *stream;
    const char *name;
    json_error_t error;
    json_t *root = NULL;
    int code = input_open(path, &stream, &name);
    if (!code) {
        root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
        input_close(stream);
        if (!root) code = complain("%s:%d: %s", path, error.line > 0 ? error.line : 1, error.text);
    }
    if (!code) code = take_methods(path, json_object_get(root, "methods"), regions, &regions->cell[y][x]);
    json_decref(root);
    free(path);
    free(file);
    return code;
}
