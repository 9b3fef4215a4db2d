/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines are told apart by colour and by the mark at their places, and named on the right. Marks get smaller from line to line,
 * so that of lines which lie on each other all can be seen. */
#include "chart.h"

#include <math.h>
#include <quadrille-io.h>
#include <stdio.h>

enum { WIDTH = 800, HEIGHT = 380, LEFT = 70, RIGHT = 280, TOP = 40, BOTTOM = 60 };

static const char *const colours[MOST_LINES] = {"#444444", "#0072b2", "#56b4e9", "#009e73", "#d55e00",
                                                "#e69f00", "#cc79a7", "#8b6f00", "#5d3fd3", "#999999"};

typedef struct frame {
    const chart *chart;
    double low, high; /* powers of ten */
    qdr_picture *picture;
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
    char text[32];
    for (double power = f->low; power <= f->high; power++) {
        double y = y_of(f, pow(10, power));
        snprintf(text, sizeof text, "%g", pow(10, power));
        qdr_picture_line(f->picture, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#dddddd\"");
        qdr_picture_text(f->picture, LEFT - 8, y + 4, "text-anchor=\"end\"", text);
    }
    for (int p = 0; p < f->chart->places; p++)
        qdr_picture_text(f->picture, x_of(f, p), HEIGHT - BOTTOM + 20, "text-anchor=\"middle\"",
                         f->chart->place[p]);
    qdr_picture_text(f->picture, LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - BOTTOM + 42,
                     "text-anchor=\"middle\"", f->chart->along);
    qdr_picture_text(f->picture, LEFT, 22, "font-weight=\"bold\"", f->chart->title);
    char turned[80];
    snprintf(turned, sizeof turned, "transform=\"rotate(-90 16 %d)\" text-anchor=\"middle\"", HEIGHT / 2);
    qdr_picture_text(f->picture, 16, HEIGHT / 2, turned, f->chart->unit);
}

static void draw_mark(const frame *f, int number, double x, double y) {
    double half = 3 + 0.9 * (f->chart->lines - 1 - number);
    char style[32];
    snprintf(style, sizeof style, "fill=\"%s\"", colours[number]);
    if (number % 2)
        qdr_picture_circle(f->picture, x, y, half, style);
    else
        qdr_picture_rectangle(f->picture, x - half, y - half, 2 * half, 2 * half, style, NULL);
}

static void draw_line(const frame *f, int number) {
    const double *value = f->chart->line[number].value;
    int key = TOP + 10 + 22 * number, drawn = 0;
    char style[64];
    snprintf(style, sizeof style, "fill=\"none\" stroke-width=\"2\" stroke=\"%s\"", colours[number]);
    qdr_picture_path(f->picture, style);
    for (int p = 0; p < f->chart->places; p++)
        if (value[p] > 0)
            (drawn++ ? qdr_picture_pen_line : qdr_picture_pen_move)(f->picture, x_of(f, p),
                                                                    y_of(f, value[p]));
    qdr_picture_path_end(f->picture, NULL);
    for (int p = 0; p < f->chart->places; p++)
        if (value[p] > 0) draw_mark(f, number, x_of(f, p), y_of(f, value[p]));
    draw_mark(f, number, WIDTH - RIGHT + 20, key);
    qdr_picture_text(f->picture, WIDTH - RIGHT + 36, key + 4, NULL, f->chart->line[number].name);
}

int draw_chart(const chart *chart, const char *path) {
    frame f = {.chart = chart};
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    find_limits(&f);
    qdr_status status = qdr_picture_create(file, WIDTH, HEIGHT, 13, &f.picture);
    if (!status) {
        draw_axes(&f);
        for (int i = 0; i < chart->lines; i++) draw_line(&f, i);
        status = qdr_picture_destroy(&f.picture);
    }
    return !fclose(file) && !status;
}
