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

enum { MAP_LEFT = 60, TOP = 70, GAP = 90, TIME_WIDTH = 900, BARS_LIMIT = 100000, MAP_LIMIT = 512 };

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
    double lane, map, time_left, seconds; /* heights and widths in pixels; seconds of the whole */
} canvas;

/* The largest is the darkest. Sizes that are nearly equal have nearly equal colours, for the scale covers a factor of 16 at
 * least. */
static void write_shade(char *style, size_t size, double items, double least, double most) {
    double range = log(fmax(most / least, 16)), shade = 1 - log(most / items) / range;
    snprintf(style, size, "fill=\"hsl(%.0f,75%%,%.0f%%)\"", 200 + 40 * shade, 78 - 52 * shade);
}

static void draw_scale(const canvas *c, double least, double most) {
    enum { SHADES = 5, WIDTH = 9, HEIGHT = 8 };
    double y = TOP + c->map + 12;
    char style[48], label[64];
    for (int i = 0; i < SHADES; i++) {
        write_shade(style, sizeof style, least * pow(most / least, (double)i / (SHADES - 1)), least, most);
        qdr_picture_rectangle(c->picture, MAP_LEFT + i * WIDTH, y, WIDTH, HEIGHT, style, NULL);
    }
    if (most > least)
        snprintf(label, sizeof label, "%.0f to %.0f items", least, most);
    else
        snprintf(label, sizeof label, "%.0f items", most);
    qdr_picture_text(c->picture, MAP_LEFT, y + HEIGHT + 12, NULL, label);
}

static void draw_map(const canvas *c) {
    const qdr_pattern_view *view = &c->pattern;
    double cell = c->map / c->ranks, most = 0, least = INFINITY;
    for (int64_t m = 0; m < view->messages; m++) {
        most = fmax(most, (double)view->items[m]);
        least = fmin(least, (double)view->items[m]);
    }
    if (view->messages > 0) draw_scale(c, least, most);
    qdr_picture_rectangle(c->picture, MAP_LEFT, TOP, c->map, c->map, "fill=\"#f7f7f7\" stroke=\"#999\"",
                          NULL);
    for (int64_t m = 0; m < view->messages; m++) {
        char style[48], title[64];
        write_shade(style, sizeof style, (double)view->items[m], least, most);
        snprintf(title, sizeof title, "%d to %d: %lld", view->origin[m], view->destination[m],
                 (long long)view->items[m]);
        qdr_picture_rectangle(c->picture, MAP_LEFT + cell * view->destination[m],
                              TOP + cell * view->origin[m], cell, cell, style, title);
    }
}

static void draw_lanes(const canvas *c) {
    int every = c->ranks <= 64 ? 1 : (c->ranks + 63) / 64;
    for (int rank = 0; rank < c->ranks; rank++) {
        char label[16], colour[QDR_COLOUR_TEXT], style[48];
        double y = TOP + c->lane * rank, side = fmin(c->lane * 0.7, 10);
        if (rank % 2 == 0)
            qdr_picture_rectangle(c->picture, c->time_left, y, TIME_WIDTH, c->lane, "fill=\"#f6f6f6\"", NULL);
        snprintf(style, sizeof style, "fill=\"%s\"", qdr_picture_colour(rank, colour));
        qdr_picture_rectangle(c->picture, c->time_left - 4 - side, y + (c->lane - side) * 0.5, side, side,
                              style, NULL);
        if (rank % every) continue;
        snprintf(label, sizeof label, "%d", rank);
        qdr_picture_text(c->picture, c->time_left - 18, y + c->lane * 0.5 + 3, AT_END, label);
        qdr_picture_text(c->picture, MAP_LEFT - 6, y + c->lane * 0.5 + 3, AT_END, label);
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
                          TOP + c->lane * (rank + (below ? 0.5 : 0.06)),
                          fmax((step->end - step->start) * scale, 0.3), c->lane * 0.44, style, title);
}

static void write_time(char *text, size_t size, double seconds, double scale) {
    if (scale >= 1)
        snprintf(text, size, "%.6g s", seconds);
    else if (scale >= 1e-3)
        snprintf(text, size, "%.6g ms", seconds * 1e3);
    else
        snprintf(text, size, "%.6g us", seconds * 1e6);
}

static void draw_time_axis(const canvas *c) {
    double bottom = TOP + c->map, part = c->seconds > 0 ? qdr_picture_tick(c->seconds) : 0;
    char label[64];
    qdr_picture_line(c->picture, c->time_left, bottom, c->time_left + TIME_WIDTH, bottom, "stroke=\"#333\"");
    for (int tick = 0; part > 0 && tick * part <= c->seconds * (1 + 1e-9); tick++) {
        double x = c->time_left + TIME_WIDTH * tick * part / c->seconds;
        write_time(label, sizeof label, tick * part, c->seconds);
        qdr_picture_line(c->picture, x, bottom, x, bottom + 5, "stroke=\"#333\"");
        qdr_picture_text(c->picture, x, bottom + 18, IN_MIDDLE, label);
    }
    if (c->bound <= 0 || c->bound > c->seconds * (1 + 1e-9)) return;
    double x = c->time_left + TIME_WIDTH * c->bound / c->seconds;
    qdr_picture_line(c->picture, x, TOP - 6, x, bottom + 24,
                     "stroke=\"#c00\" stroke-width=\"1.5\" stroke-dasharray=\"5,3\"");
    snprintf(label, sizeof label, "bound; this takes %.3g times as long", c->seconds / c->bound);
    qdr_picture_text(c->picture, x, bottom + 36, AT_END, label);
}

static void measure(canvas *c) {
    int ranks = c->ranks = c->pattern.ranks;
    c->lane = ranks <= 16 ? 26 : ranks <= 40 ? 16 : ranks <= 128 ? 9 : 1152.0 / ranks;
    c->map = c->lane * ranks;
    c->time_left = MAP_LEFT + c->map + GAP;
    for (int64_t i = 0; i < c->count; i++) c->seconds = fmax(c->seconds, c->steps[i].end);
}

static void draw_headings(const canvas *c) {
    qdr_picture_text(c->picture, MAP_LEFT, 26, "font-size=\"15\"", c->title);
    qdr_picture_group(c->picture, "font-size=\"12\"");
    qdr_picture_text(c->picture, MAP_LEFT, 54, NULL, "from (down), to (across)");
    qdr_picture_text(c->picture, c->time_left, 54, NULL,
                     "each rank's sends (above) and receives (below), in the colour of its partner");
    qdr_picture_group_end(c->picture);
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
    return qdri_picture_write(stream, c.time_left + TIME_WIDTH + 40, TOP + c.map + 50, draw, &c, &c.picture);
}
