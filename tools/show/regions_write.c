/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions as a grid of letters, as JSON, and as a picture: one colour for each algorithm, paler where another is close. */
#include <ctype.h>
#include <math.h>
#include <quadrille-io.h>
#include <string.h>

#include "core/complain.h"
#include "core/json.h"
#include "core/units.h"
#include "regions.h"

/* ---- text ---------------------------------------------------------------------------------------------- */

static int letter_of(int algorithm) {
    return algorithm < 26 ? 'A' + algorithm : '?';
}

static int widest(const axis *axis) {
    char text[AXIS_TEXT];
    int width = (int)strlen(axis->key);
    for (int i = 0; i < axis->steps; i++) {
        int length = (int)strlen(axis_label(axis, i, text));
        if (length > width) width = length;
    }
    return width;
}

static void write_grid(const regions *regions, FILE *out) {
    char text[AXIS_TEXT];
    int margin = widest(&regions->y), width = widest(&regions->x) + 2;
    fprintf(out, "%*s\n", margin, regions->y.key);
    for (int y = regions->y.steps - 1; y >= 0; y--) {
        fprintf(out, "%*s", margin, axis_label(&regions->y, y, text));
        for (int x = 0; x < regions->x.steps; x++) {
            const region_cell *cell = &regions->cell[y][x];
            int letter = letter_of(cell->winner);
            fprintf(out, "%*c", width, region_is_clear(cell) ? letter : tolower(letter));
        }
        fputs("\n", out);
    }
    fprintf(out, "%*s", margin, "");
    for (int x = 0; x < regions->x.steps; x++) fprintf(out, "%*s", width, axis_label(&regions->x, x, text));
    fprintf(out, "  %s\n\n", regions->x.key);
}

/* How far ahead an algorithm is of the next at most. */
static double largest_lead(const regions *regions, int algorithm) {
    double lead = 1;
    for (int y = 0; y < regions->y.steps; y++)
        for (int x = 0; x < regions->x.steps; x++) {
            const region_cell *cell = &regions->cell[y][x];
            if (cell->winner == algorithm && cell->next >= 0 && cell->seconds > 0)
                lead = fmax(lead, cell->other / cell->seconds);
        }
    return lead;
}

int regions_write_text(const regions *regions, FILE *out) {
    fprintf(out, "# %s on %s: which algorithm takes least\n", regions->pattern, regions->machine);
    write_grid(regions, out);
    for (int i = 0; i < regions->algorithms; i++) {
        int won = regions_won(regions, i);
        if (won == 0) continue;
        fprintf(out, "%c  %-18s %3d cell%s the next takes up to %.2f times as long\n", letter_of(i),
                regions->algorithm[i], won, won == 1 ? ", " : "s,", largest_lead(regions, i));
    }
    return EXIT_GOOD;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *json_axis(const axis *axis) {
    json_t *values = json_array();
    for (int i = 0; i < axis->steps; i++) json_add(values, json_real(axis->value[i]));
    return json_pack("{s:s, s:o}", "key", axis->key, "values", values);
}

static json_t *json_cell(const regions *regions, const region_cell *cell) {
    json_t *object = json_pack("{s:o, s:f}", "algorithm", json_text(regions->algorithm[cell->winner]),
                               "seconds", cell->seconds);
    if (cell->next >= 0) {
        json_put(object, "next", json_text(regions->algorithm[cell->next]));
        json_put(object, "next_seconds", json_real(cell->other));
    }
    return object;
}

int regions_write_json(const regions *regions, FILE *out) {
    json_t *rows = json_array();
    for (int y = 0; y < regions->y.steps; y++) {
        json_t *row = json_array();
        for (int x = 0; x < regions->x.steps; x++) json_add(row, json_cell(regions, &regions->cell[y][x]));
        json_add(rows, row);
    }
    return json_print(json_pack("{s:o, s:o, s:o, s:o, s:o}", "pattern", json_text(regions->pattern),
                                "machine", json_text(regions->machine), "x", json_axis(&regions->x), "y",
                                json_axis(&regions->y), "rows", rows),
                      out);
}

/* ---- a picture ----------------------------------------------------------------------------------------- */

enum { LEFT = 90, TOP = 56, CELL = 52, ROW = 34, KEY = 230, BOTTOM = 56, LINE = 20 };

static void draw_cell(qdr_picture *picture, const regions *regions, int y, int x) {
    const region_cell *cell = &regions->cell[y][x];
    char colour[QDR_COLOUR_TEXT], took[UNITS_TEXT], other[UNITS_TEXT], x_text[AXIS_TEXT], y_text[AXIS_TEXT];
    double lead = cell->next < 0 || cell->seconds == 0 ? 2 : cell->other / cell->seconds;
    char *style = print_text("fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"white\"",
                             qdr_picture_colour(cell->winner, colour), fmin(1, 0.35 + 1.3 * (lead - 1)));
    char *title =
        print_text("%s=%s, %s=%s: %s %s%s%s%s%s", regions->x.key, axis_label(&regions->x, x, x_text),
                   regions->y.key, axis_label(&regions->y, y, y_text), regions->algorithm[cell->winner],
                   units_seconds(cell->seconds, took), cell->next < 0 ? "" : ", ",
                   cell->next < 0 ? "" : regions->algorithm[cell->next], cell->next < 0 ? "" : " ",
                   cell->next < 0 ? "" : units_seconds(cell->other, other));
    char letter[2] = {
        (char)(region_is_clear(cell) ? letter_of(cell->winner) : tolower(letter_of(cell->winner))), 0};
    double left = LEFT + x * CELL, top = TOP + (regions->y.steps - 1 - y) * ROW;
    qdr_picture_rectangle(picture, left, top, CELL, ROW, style, title);
    qdr_picture_text(picture, left + CELL / 2.0, top + ROW / 2.0 + 5,
                     "text-anchor=\"middle\" pointer-events=\"none\"", letter);
    free(style);
    free(title);
}

static void draw_axes(qdr_picture *picture, const regions *regions) {
    char text[AXIS_TEXT];
    double bottom = TOP + regions->y.steps * ROW;
    for (int y = 0; y < regions->y.steps; y++)
        qdr_picture_text(picture, LEFT - 8, bottom - y * ROW - ROW / 2.0 + 5, "text-anchor=\"end\"",
                         axis_label(&regions->y, y, text));
    for (int x = 0; x < regions->x.steps; x++)
        qdr_picture_text(picture, LEFT + x * CELL + CELL / 2.0, bottom + 18, "text-anchor=\"middle\"",
                         axis_label(&regions->x, x, text));
    qdr_picture_text(picture, LEFT + regions->x.steps * CELL / 2.0, bottom + 40, "text-anchor=\"middle\"",
                     regions->x.key);
    qdr_picture_text(picture, LEFT - 8, TOP - 8, "text-anchor=\"end\"", regions->y.key);
}

static void draw_key(qdr_picture *picture, const regions *regions) {
    double left = LEFT + regions->x.steps * CELL + 20, top = TOP;
    for (int i = 0; i < regions->algorithms; i++) {
        char colour[QDR_COLOUR_TEXT];
        int won = regions_won(regions, i);
        if (won == 0) continue;
        char *style = print_text("fill=\"%s\"", qdr_picture_colour(i, colour));
        char *text =
            print_text("%c  %s, %d cell%s", letter_of(i), regions->algorithm[i], won, won == 1 ? "" : "s");
        qdr_picture_rectangle(picture, left, top, 14, 14, style, NULL);
        qdr_picture_text(picture, left + 20, top + 12, NULL, text);
        top += LINE;
        free(style);
        free(text);
    }
    qdr_picture_text(picture, left, top + 14, NULL, "pale, small letter: others");
    qdr_picture_text(picture, left, top + 14 + LINE - 3, NULL, "come within a twentieth");
}

/* As high as the grid, or as the key. */
int regions_write_svg(const regions *regions, FILE *out) {
    qdr_picture *picture;
    int shown = 2;
    for (int i = 0; i < regions->algorithms; i++) shown += regions_won(regions, i) > 0;
    double grid = regions->y.steps * ROW, key = (shown + 1) * LINE;
    char *title = print_text("%s on %s: which algorithm takes least", regions->pattern, regions->machine);
    double width = LEFT + regions->x.steps * CELL + KEY, wide = 12 + 6.5 * (double)strlen(title);
    if (qdr_picture_create(out, fmax(width, wide), TOP + fmax(grid + BOTTOM, key), 12, &picture)) {
        free(title);
        return complain_library();
    }
    qdr_picture_text(picture, 12, 22, "font-weight=\"bold\"", title);
    for (int y = 0; y < regions->y.steps; y++)
        for (int x = 0; x < regions->x.steps; x++) draw_cell(picture, regions, y, x);
    draw_axes(picture, regions);
    draw_key(picture, regions);
    free(title);
    return qdr_picture_destroy(&picture) ? complain_library() : EXIT_GOOD;
}
