/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a schedule: on the left the pattern as a heat map (row = origin, column = destination, darker = more
 * items, logarithmic, with a scale below), on the right time: one lane per rank, its sends above, its receives below, the
 * bar's colour naming the partner, which has the same colour beside its number. Lanes and map share the vertical axis, so
 * that a rank is one line through both. White space in a lane is a rank that waits.
 */
#include <math.h>

#include "base/error.h"
#include "io/picture.h"
#include "schedule/schedule.h"

enum { MAP_LEFT = 60, GAP = 80, TIME_WIDTH = 640, RIGHT = 40, BARS_LIMIT = 100000, MAP_LIMIT = 512 };

#define AT_END    "text-anchor=\"end\""
#define IN_MIDDLE "text-anchor=\"middle\""

typedef struct canvas {
    qdr_picture *picture;
    qdr_pattern_view pattern;
    const qdr_step *steps;
    int64_t count;
    double bound;
    const char *title;
    int ranks;
    double letters, top, lane, map, time_left, width, seconds; /* pixels; seconds of the whole */
} canvas;

/* ---- the map ------------------------------------------------------------------------------------------- */

/* The largest is the darkest. Sizes that are nearly equal have nearly equal colours, for the scale covers a factor of 16 at
 * least. Messages without items look like those of one. */
static void write_shade(char *style, size_t size, double items, double least, double most) {
    double low = fmax(least, 1), high = fmax(most, 1), range = log(fmax(high / low, 16)),
           shade = 1 - log(high / fmax(items, 1)) / range;
    snprintf(style, size, "fill=\"hsl(%.0f,75%%,%.0f%%)\"", 200 + 40 * shade, 78 - 52 * shade);
}

static void draw_scale(const canvas *c, double least, double most) {
    enum { SHADES = 5 };
    double y = c->top + c->map + 1.9 * c->letters, side = 1.1 * c->letters;
    double ratio = fmax(least, 1) / fmax(most, 1);
    int shades = most > least ? SHADES : 1;
    char style[48], label[64];
    for (int i = 0; i < shades; i++) {
        write_shade(style, sizeof style, most * pow(ratio, (double)(shades - 1 - i) / (SHADES - 1)), least,
                    most);
        qdr_picture_rectangle(c->picture, MAP_LEFT + i * side, y, side, 0.8 * c->letters, style, NULL);
    }
    if (most > least)
        snprintf(label, sizeof label, "%.0f to %.0f items", least, most);
    else
        snprintf(label, sizeof label, "%.0f items each", most);
    qdr_picture_text(c->picture, MAP_LEFT, y + 2 * c->letters, NULL, label);
}

/* Every so many ranks have a number, so that there is room for each. */
static int numbered(const canvas *c, double room) {
    static const int steps[] = {1, 2, 5, 10, 20, 50, 100, 200};
    int i = 0;
    while (i < 7 && c->lane * steps[i] < room) i++;
    return steps[i];
}

static void draw_cells(const canvas *c, double least, double most) {
    const qdr_pattern_view *view = &c->pattern;
    double cell = c->map / c->ranks;
    for (int64_t m = 0; m < view->messages; m++) {
        char style[48], title[64];
        write_shade(style, sizeof style, (double)view->items[m], least, most);
        snprintf(title, sizeof title, "%d to %d: %lld", view->origin[m], view->destination[m],
                 (long long)view->items[m]);
        qdr_picture_rectangle(c->picture, MAP_LEFT + cell * view->destination[m],
                              c->top + cell * view->origin[m], cell, cell, style, title);
    }
}

static void draw_map(const canvas *c) {
    const qdr_pattern_view *view = &c->pattern;
    int every = numbered(c, (c->ranks > 100 ? 2.2 : 1.6) * c->letters);
    double most = 0, least = INFINITY;
    for (int64_t m = 0; m < view->messages; m++) {
        most = fmax(most, (double)view->items[m]);
        least = fmin(least, (double)view->items[m]);
    }
    qdr_picture_rectangle(c->picture, MAP_LEFT, c->top, c->map, c->map, "fill=\"#f7f7f7\" stroke=\"#999\"",
                          NULL);
    draw_cells(c, least, most);
    if (view->messages > 0) draw_scale(c, least, most);
    for (int rank = 0; rank < c->ranks; rank += every) {
        char label[16];
        snprintf(label, sizeof label, "%d", rank);
        qdr_picture_text(c->picture, MAP_LEFT + c->lane * (rank + 0.5), c->top + c->map + 1.2 * c->letters,
                         IN_MIDDLE, label);
    }
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* The number of a rank, before the map and before its lane; there with the colour that bars of its partners have. */
static void draw_rank(const canvas *c, int rank, int has_number) {
    char label[16], colour[QDR_COLOUR_TEXT], style[48];
    double letters = fmin(c->letters, fmax(c->lane * 0.95, c->letters * 0.9)), side = fmin(c->lane * 0.7, 12),
           middle = c->top + c->lane * (rank + 0.5);
    snprintf(style, sizeof style, "fill=\"%s\"", qdr_picture_colour(rank, colour));
    qdr_picture_rectangle(c->picture, c->time_left - 4 - side, middle - side * 0.5, side, side, style, NULL);
    if (!has_number) return;
    snprintf(label, sizeof label, "%d", rank);
    snprintf(style, sizeof style, AT_END " font-size=\"%.1f\"", letters);
    qdr_picture_text(c->picture, c->time_left - 20, middle + letters * 0.36, style, label);
    qdr_picture_text(c->picture, MAP_LEFT - 6, middle + letters * 0.36, style, label);
}

static void draw_lanes(const canvas *c) {
    int every = numbered(c, 0.95 * c->letters);
    for (int rank = 0; rank < c->ranks; rank++) {
        if (rank % 2 == 0)
            qdr_picture_rectangle(c->picture, c->time_left, c->top + c->lane * rank, TIME_WIDTH, c->lane,
                                  "fill=\"#f6f6f6\"", NULL);
        draw_rank(c, rank, rank % every == 0);
    }
}

static void draw_bar(const canvas *c, const qdr_step *step, int rank, int partner, int below) {
    char colour[QDR_COLOUR_TEXT], style[48], title[192];
    double scale = c->seconds > 0 ? TIME_WIDTH / c->seconds : 0;
    snprintf(style, sizeof style, "fill=\"%s\"", qdr_picture_colour(partner, colour));
    snprintf(title, sizeof title, "%d to %d: %lld items, stage %d phase %lld, %.4g to %.4g ms", step->from,
             step->to, (long long)step->items, step->stage + 1, (long long)step->phase + 1, step->start * 1e3,
             step->end * 1e3);
    qdr_picture_rectangle(c->picture, c->time_left + step->start * scale,
                          c->top + c->lane * (rank + (below ? 0.5 : 0.06)),
                          fmax((step->end - step->start) * scale, 0.3), c->lane * 0.44, style, title);
}

static void write_time(char *text, size_t size, double seconds, double scale) {
    if (seconds == 0)
        snprintf(text, size, "0");
    else if (scale >= 1)
        snprintf(text, size, "%.4g s", seconds);
    else if (scale >= 1e-3)
        snprintf(text, size, "%.4g ms", seconds * 1e3);
    else
        snprintf(text, size, "%.4g us", seconds * 1e6);
}

/* On the side of its line that has room. */
static void draw_bound(const canvas *c, double bottom) {
    double x = c->time_left + TIME_WIDTH * c->bound / c->seconds;
    int is_left = x - c->time_left < TIME_WIDTH * 0.55;
    char label[128], time[64];
    qdr_picture_line(c->picture, x, c->top - 6, x, bottom + 5,
                     "stroke=\"#c00\" stroke-width=\"1.5\" stroke-dasharray=\"5,3\"");
    write_time(time, sizeof time, c->bound, c->bound);
    snprintf(label, sizeof label, "bound %s; this takes %.2f times as long", time, c->seconds / c->bound);
    qdr_picture_text(c->picture, x, bottom + 2.7 * c->letters,
                     is_left ? "fill=\"#c00\"" : "fill=\"#c00\" " AT_END, label);
}

static void draw_time_axis(const canvas *c) {
    double bottom = c->top + c->map, part = c->seconds > 0 ? qdr_picture_tick(c->seconds) : 0;
    char label[64];
    qdr_picture_line(c->picture, c->time_left, bottom, c->time_left + TIME_WIDTH, bottom, "stroke=\"#333\"");
    for (int tick = 0; part > 0 && tick * part <= c->seconds * (1 + 1e-9); tick++) {
        double x = c->time_left + TIME_WIDTH * tick * part / c->seconds;
        write_time(label, sizeof label, tick * part, c->seconds);
        qdr_picture_line(c->picture, x, bottom, x, bottom + 5, "stroke=\"#333\"");
        qdr_picture_text(c->picture, x, bottom + 5 + c->letters, IN_MIDDLE, label);
    }
    if (c->bound > 0 && c->bound <= c->seconds * (1 + 1e-9)) draw_bound(c, bottom);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Beside the map of few ranks there is still room for what is written above and below it. */
static void measure(canvas *c) {
    int ranks = c->ranks = c->pattern.ranks;
    c->lane = ranks <= 16 ? 26 : ranks <= 40 ? 16 : ranks <= 100 ? 9 : 900.0 / ranks;
    c->map = c->lane * ranks;
    c->letters = qdri_picture_letters(MAP_LEFT + c->map + GAP + TIME_WIDTH + RIGHT);
    c->time_left = MAP_LEFT + fmax(c->map, 11 * c->letters) + GAP;
    c->width = c->time_left + TIME_WIDTH + RIGHT;
    c->top = 30 + 4.3 * c->letters;
    for (int64_t i = 0; i < c->count; i++) c->seconds = fmax(c->seconds, c->steps[i].end);
}

static void draw_headings(const canvas *c) {
    double above = c->top - 0.9 * c->letters;
    char style[32];
    snprintf(style, sizeof style, "font-size=\"%.1f\"", 1.2 * c->letters);
    qdr_picture_text(c->picture, MAP_LEFT, 10 + 1.2 * c->letters, style, c->title);
    qdr_picture_text(c->picture, MAP_LEFT, above - 1.3 * c->letters, NULL, "from (down),");
    qdr_picture_text(c->picture, MAP_LEFT, above, NULL, "to (across)");
    qdr_picture_text(c->picture, c->time_left, above - 1.3 * c->letters, NULL,
                     "what each rank does: sends above, receives below;");
    qdr_picture_text(c->picture, c->time_left, above, NULL,
                     "a bar has its partner's colour, the square at the number");
}

static void draw(void *context) {
    const canvas *c = context;
    draw_headings(c);
    draw_map(c);
    draw_lanes(c);
    for (int64_t i = 0; i < c->count; i++) {
        const qdr_step *step = &c->steps[i];
        draw_bar(c, step, step->from, step->to, 0);
        draw_bar(c, step, step->to, step->from, 1);
    }
    draw_time_axis(c);
}

qdr_status qdr_schedule_write_svg(const qdr_schedule *schedule, int64_t count, const qdr_step *steps,
                                  double bound, const char *title, FILE *stream) {
    if (!schedule || (!steps && count) || !title || !stream)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_write_svg: an argument is NULL");
    canvas c = {.pattern = qdr_pattern_look(schedule->pattern),
                .steps = steps,
                .count = count,
                .bound = bound,
                .title = title};
    if (c.pattern.ranks > MAP_LIMIT || count > BARS_LIMIT)
        return qdri_fail(QDR_ERR_RANGE,
                         "%d ranks and %lld transfers are too many for a picture; at most %d and %d",
                         c.pattern.ranks, (long long)count, MAP_LIMIT, BARS_LIMIT);
    measure(&c);
    return qdri_picture_write(stream, c.width, c.top + c.map + 4.6 * c.letters, draw, &c, &c.picture);
}
