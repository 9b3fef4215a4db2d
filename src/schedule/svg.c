/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a schedule: on the left the pattern as a heat map (row = origin, column = destination,
 * darker = more items, logarithmic between the smallest and the largest), on the right time: one lane per
 * rank, its sends above, its receives below, the bar's colour naming the partner. Lanes and map share the
 * vertical axis, so that a rank is one line through both. White space in a lane is a rank that waits.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "schedule/schedule.h"

enum { MAP_LEFT = 60, TOP = 70, GAP = 90, TIME_WIDTH = 900, BARS_LIMIT = 100000, MAP_LIMIT = 512 };

typedef struct canvas {
    qdri_printer *stream;
    int ranks;
    double lane, map, time_left, seconds; /* heights and widths in pixels; seconds of the whole */
} canvas;

/* Partners get hues far apart from those of their neighbours: multiples of the golden angle. */
static void write_colour(qdri_printer *stream, int partner) {
    double hue = fmod(partner * 137.508, 360);
    qdri_print(stream, "hsl(%.0f,%d%%,%d%%)", hue, partner % 2 ? 70 : 55, partner % 3 ? 48 : 60);
}

static void write_text_at(qdri_printer *stream, double x, double y, const char *anchor, const char *text) {
    qdri_print(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text; text++) {
        switch (*text) {
        case '<':
            qdri_print_text(stream, "&lt;");
            break;
        case '>':
            qdri_print_text(stream, "&gt;");
            break;
        case '&':
            qdri_print_text(stream, "&amp;");
            break;
        default: /* XML has no control characters */
            qdri_print_letter(stream, (unsigned char)*text < ' ' ? '?' : *text);
        }
    }
    qdri_print_text(stream, "</text>\n");
}

static void write_map(const canvas *c, const qdr_pattern_view *view) {
    double cell = c->map / c->ranks, most = 0, least = INFINITY;
    for (int64_t m = 0; m < view->messages; m++) {
        most = fmax(most, (double)view->items[m]);
        least = fmin(least, (double)view->items[m]);
    }
    qdri_print(c->stream,
               "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"#f7f7f7\" stroke=\"#999\"/>\n",
               MAP_LEFT, TOP, c->map, c->map);
    for (int64_t m = 0; m < view->messages; m++) {
        double shade = most > least ? log((double)view->items[m] / least) / log(most / least) : 1;
        qdri_print(
            c->stream,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(%.0f,75%%,%.0f%%)\">",
            MAP_LEFT + cell * view->destination[m], TOP + cell * view->origin[m], cell, cell,
            200 + 40 * shade, 78 - 52 * shade);
        qdri_print(c->stream, "<title>%d to %d: %lld</title></rect>\n", view->origin[m], view->destination[m],
                   (long long)view->items[m]);
    }
}

static void write_lanes(const canvas *c) {
    int every = c->ranks <= 64 ? 1 : (c->ranks + 63) / 64;
    for (int rank = 0; rank < c->ranks; rank++) {
        char label[16];
        double y = TOP + c->lane * rank;
        if (rank % 2 == 0)
            qdri_print(c->stream,
                       "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#f6f6f6\"/>\n",
                       c->time_left, y, TIME_WIDTH, c->lane);
        if (rank % every) continue;
        snprintf(label, sizeof label, "%d", rank);
        write_text_at(c->stream, c->time_left - 6, y + c->lane * 0.5 + 3, "end", label);
        write_text_at(c->stream, MAP_LEFT - 6, y + c->lane * 0.5 + 3, "end", label);
    }
}

static void write_bar(const canvas *c, const qdr_step *step, int rank, int partner, int below) {
    double scale = c->seconds > 0 ? TIME_WIDTH / c->seconds : 0;
    double width = (step->end - step->start) * scale;
    qdri_print(c->stream, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
               c->time_left + step->start * scale, TOP + c->lane * (rank + (below ? 0.5 : 0.06)),
               width < 0.3 ? 0.3 : width, c->lane * 0.44);
    write_colour(c->stream, partner);
    qdri_print(c->stream,
               "\"><title>%d to %d: %lld items, stage %d phase %lld, %.4g to %.4g ms</title></rect>\n",
               step->from, step->to, (long long)step->items, step->stage + 1, (long long)step->phase + 1,
               step->start * 1e3, step->end * 1e3);
}

/* The round number, 1, 2 or 5 times a power of ten, that cuts `whole` into 4 to 9 parts. */
static double round_part(double whole) {
    double power = pow(10, floor(log10(whole / 4)));
    double digit = whole / 4 / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void write_time(char *text, size_t size, double seconds, double scale) {
    if (scale >= 1)
        snprintf(text, size, "%.6g s", seconds);
    else if (scale >= 1e-3)
        snprintf(text, size, "%.6g ms", seconds * 1e3);
    else
        snprintf(text, size, "%.6g us", seconds * 1e6);
}

static void write_line(const canvas *c, double x1, double y1, double x2, double y2, const char *style) {
    qdri_print(c->stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
               style);
}

static void write_time_axis(const canvas *c, double bound) {
    double bottom = TOP + c->map, part = c->seconds > 0 ? round_part(c->seconds) : 0;
    char label[64];
    write_line(c, c->time_left, bottom, c->time_left + TIME_WIDTH, bottom, "stroke=\"#333\"");
    for (int tick = 0; part > 0 && tick * part <= c->seconds * (1 + 1e-9); tick++) {
        double x = c->time_left + TIME_WIDTH * tick * part / c->seconds;
        write_time(label, sizeof label, tick * part, c->seconds);
        write_line(c, x, bottom, x, bottom + 5, "stroke=\"#333\"");
        write_text_at(c->stream, x, bottom + 18, "middle", label);
    }
    if (bound <= 0 || bound > c->seconds * (1 + 1e-9)) return;
    double x = c->time_left + TIME_WIDTH * bound / c->seconds;
    write_line(c, x, TOP - 6, x, bottom + 24,
               "stroke=\"#c00\" stroke-width=\"1.5\" stroke-dasharray=\"5,3\"");
    snprintf(label, sizeof label, "bound; this takes %.3g times as long", c->seconds / bound);
    write_text_at(c->stream, x, bottom + 36, "end", label);
}

static canvas open_canvas(int ranks, const qdr_step *steps, int64_t count, qdri_printer *stream) {
    canvas c = {.stream = stream, .ranks = ranks};
    c.lane = ranks <= 16 ? 26 : ranks <= 40 ? 16 : ranks <= 128 ? 9 : 1152.0 / ranks;
    c.map = c.lane * ranks;
    c.time_left = MAP_LEFT + c.map + GAP;
    for (int64_t i = 0; i < count; i++)
        if (steps[i].end > c.seconds) c.seconds = steps[i].end;
    return c;
}

static void write_frame(const canvas *c, const char *title) {
    double width = c->time_left + TIME_WIDTH + 40, height = TOP + c->map + 50;
    qdri_print(
        c->stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"sans-serif\" font-size=\"10\" fill=\"#222\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<g font-size=\"15\">\n",
        width, height, width, height);
    write_text_at(c->stream, MAP_LEFT, 26, "start", title);
    qdri_print_text(c->stream, "</g>\n<g font-size=\"12\">\n");
    write_text_at(c->stream, MAP_LEFT, 54, "start", "from (down), to (across)");
    write_text_at(c->stream, c->time_left, 54, "start",
                  "each rank's sends (above) and receives (below), coloured by partner");
    qdri_print_text(c->stream, "</g>\n");
}

qdr_status qdr_schedule_write_svg(const qdr_schedule *schedule, const qdr_step *steps, int64_t count,
                                  double bound, const char *title, FILE *stream) {
    if (!schedule || (!steps && count) || !title || !stream)
        return qdri_fail(QDR_INVALID, "qdr_schedule_write_svg: an argument is NULL");
    qdr_pattern_view view = qdr_pattern_look(schedule->pattern);
    if (view.ranks > MAP_LIMIT || count > BARS_LIMIT)
        return qdri_fail(QDR_RANGE,
                         "%d ranks and %lld transfers are too many for a picture; at most %d and %d",
                         view.ranks, (long long)count, MAP_LIMIT, BARS_LIMIT);
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* the program's may write 1,5 */
    if (!plain) return qdri_fail_memory();
    locale_t kept = uselocale(plain);
    qdri_printer printer = {stream, 0};
    canvas c = open_canvas(view.ranks, steps, count, &printer);
    write_frame(&c, title);
    write_map(&c, &view);
    write_lanes(&c);
    for (int64_t i = 0; i < count; i++) {
        write_bar(&c, &steps[i], steps[i].from, steps[i].to, 0);
        write_bar(&c, &steps[i], steps[i].to, steps[i].from, 1);
    }
    write_time_axis(&c, bound);
    qdri_print_text(&printer, "</svg>\n");
    uselocale(kept);
    freelocale(plain);
    return qdri_print_end(&printer, "the picture");
}
