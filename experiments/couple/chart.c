/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines are told apart by colour and by the mark at their places, and named on the right, where they end. */
#include "chart.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 360, LEFT = 70, RIGHT = 240, TOP = 40, BOTTOM = 40 };

static const char *const colours[MOST_LINES] = {"#444444", "#0072b2", "#56b4e9", "#009e73", "#d55e00",
                                                "#e69f00", "#cc79a7", "#8b6f00", "#5d3fd3", "#999999"};

typedef struct frame {
    const chart *chart;
    double low, high; /* powers of ten */
    FILE *out;
} frame;

static double x_of(const frame *f, int place) {
    double step = (double)(WIDTH - LEFT - RIGHT) / f->chart->places;
    return LEFT + step * (place + 0.5);
}

static double y_of(const frame *f, double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(value) - f->low) / (f->high - f->low);
}

static void find_limits(frame *f) {
    f->low = INFINITY, f->high = -INFINITY;
    for (int i = 0; i < f->chart->lines; i++)
        for (int p = 0; p < f->chart->places; p++) {
            double value = f->chart->line[i].value[p];
            if (!(value > 0)) continue;
            f->low = fmin(f->low, floor(log10(value)));
            f->high = fmax(f->high, ceil(log10(value)));
        }
    if (!(f->low < f->high)) f->low = isfinite(f->low) ? f->low : 0, f->high = f->low + 1;
}

static void draw_axes(const frame *f) {
    for (double power = f->low; power <= f->high; power++) {
        double y = y_of(f, pow(10, power));
        fprintf(f->out, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#dddddd'/>\n", LEFT, y,
                WIDTH - RIGHT, y);
        fprintf(f->out, "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 8, y + 4,
                pow(10, power));
    }
    for (int p = 0; p < f->chart->places; p++)
        fprintf(f->out, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x_of(f, p),
                HEIGHT - BOTTOM + 20, f->chart->place[p]);
    fprintf(f->out, "<text x='%d' y='22' font-weight='bold'>%s</text>\n", LEFT, f->chart->title);
    fprintf(f->out, "<text x='16' y='%d' transform='rotate(-90 16 %d)' text-anchor='middle'>%s</text>\n",
            HEIGHT / 2, HEIGHT / 2, f->chart->unit);
}

static void draw_mark(const frame *f, int number, double x, double y) {
    const char *colour = colours[number];
    if (number % 2)
        fprintf(f->out, "<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'/>\n", x, y, colour);
    else
        fprintf(f->out, "<rect x='%.1f' y='%.1f' width='7' height='7' fill='%s'/>\n", x - 3.5, y - 3.5,
                colour);
}

static void draw_line(const frame *f, int number) {
    const double *value = f->chart->line[number].value;
    int key = TOP + 10 + 22 * number;
    fprintf(f->out, "<polyline fill='none' stroke-width='2' stroke='%s' points='", colours[number]);
    for (int p = 0; p < f->chart->places; p++)
        if (value[p] > 0) fprintf(f->out, "%.1f,%.1f ", x_of(f, p), y_of(f, value[p]));
    fputs("'/>\n", f->out);
    for (int p = 0; p < f->chart->places; p++)
        if (value[p] > 0) draw_mark(f, number, x_of(f, p), y_of(f, value[p]));
    draw_mark(f, number, WIDTH - RIGHT + 20, key);
    fprintf(f->out, "<text x='%d' y='%d'>%s</text>\n", WIDTH - RIGHT + 32, key + 4,
            f->chart->line[number].name);
}

int draw_chart(const chart *chart, const char *path) {
    frame f = {.chart = chart, .out = fopen(path, "w")};
    if (!f.out) return 0;
    find_limits(&f);
    fprintf(f.out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='13'>\n<rect width='%d' height='%d' fill='white'/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(&f);
    for (int i = 0; i < chart->lines; i++) draw_line(&f, i);
    fputs("</svg>\n", f.out);
    int failed = ferror(f.out);
    return !fclose(f.out) && !failed;
}
