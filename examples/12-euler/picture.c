/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Mach number around the airfoil in bands of colour, and below it the pressure on the airfoil (pressure.c): what an
 * engineer would look at first. Rank 0 draws it from the states of all points (collect() in share.c).
 *
 * Inside a triangle the value changes evenly, so what is above a level is a polygon of at most four corners. Bands are
 * painted from the lowest to the highest, each as one path over those before.
 */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "drawing.h"

static const double left_end = -0.3, top_end = 0.5, scale = 400; /* of the part that is shown; per chord */

double across(double x) {
    return AXIS + (x - left_end) * scale;
}

static double down(double y) {
    return CAPTION + (top_end - y) * scale;
}

/* From dark blue over pale yellow to dark red. */
static const char *colour(double part, char *text, size_t bytes) {
    static const double anchor[][3] = {{32, 42, 104},   {44, 110, 176}, {110, 190, 200}, {210, 236, 190},
                                       {254, 224, 130}, {240, 120, 66}, {158, 8, 40}};
    int last = (int)(sizeof anchor / sizeof *anchor) - 1, k = (int)(part * last);
    k = k < 0 ? 0 : k >= last ? last - 1 : k;
    double rest = fmin(fmax(part * last - k, 0), 1);
    unsigned mix[3];
    for (int c = 0; c < 3; c++) mix[c] = (unsigned)((1 - rest) * anchor[k][c] + rest * anchor[k + 1][c]);
    snprintf(text, bytes, "#%02x%02x%02x", mix[0], mix[1], mix[2]);
    return text;
}

static const char *band_colour(const drawing *on, int band, char *text, size_t bytes) {
    return colour((band + 0.5) / on->bands, text, bytes);
}

/* ---- the flow ------------------------------------------------------------------------------------------ */

static int is_shown(const drawing *on, const int64_t *corner) {
    vector low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        double x = across(on->all->place[corner[i]][0]), y = down(on->all->place[corner[i]][1]);
        low[0] = fmin(low[0], x), high[0] = fmax(high[0], x);
        low[1] = fmin(low[1], y), high[1] = fmax(high[1], y);
    }
    return high[0] > AXIS && low[0] < AXIS + WIDTH && high[1] > CAPTION && low[1] < CAPTION + HEIGHT;
}

/* The place on the line between two points, a part of the way; the pen moves there first, then draws. */
static void go(const drawing *on, int64_t from, int64_t to, double part, int *drawn) {
    const double *a = on->all->place[from], *b = on->all->place[to];
    fprintf(on->file, "%s%.1f %.1f", (*drawn)++ ? "L" : "M", across(a[0] + part * (b[0] - a[0])),
            down(a[1] + part * (b[1] - a[1])));
}

static void draw_above(const drawing *on, const int64_t *corner, double level) {
    int drawn = 0;
    for (int i = 0; i < 3; i++) {
        int64_t from = corner[i], to = corner[(i + 1) % 3];
        double a = on->value[from], b = on->value[to];
        if (a >= level) go(on, from, from, 0, &drawn);
        if ((a >= level) != (b >= level)) go(on, from, to, (level - a) / (b - a), &drawn);
    }
    if (drawn) fputs("z", on->file);
}

static void draw_line(const drawing *on, const int64_t *corner, double level) {
    int drawn = 0;
    for (int i = 0; i < 3; i++) {
        int64_t from = corner[i], to = corner[(i + 1) % 3];
        double a = on->value[from], b = on->value[to];
        if ((a >= level) != (b >= level)) go(on, from, to, (level - a) / (b - a), &drawn);
    }
}

/* A triangle that the next band covers whole is left to that one. */
static void draw_band(const drawing *on, int band) {
    char text[8];
    const char *fill = band_colour(on, band, text, sizeof text);
    double level = band * on->step, next = band + 1 < on->bands ? level + on->step : INFINITY;
    fprintf(on->file, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.5\" d=\"", fill, fill);
    for (int64_t t = 0; t < on->all->triangles; t++) {
        const int64_t *corner = on->all->corner[t];
        double lowest = INFINITY;
        for (int i = 0; i < 3; i++) lowest = fmin(lowest, on->value[corner[i]]);
        if (lowest < next && is_shown(on, corner)) draw_above(on, corner, level);
    }
    fputs("\"/>\n", on->file);
}

static void draw_field(const drawing *on) {
    fprintf(on->file,
            "<clipPath id=\"shown\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n"
            "<g clip-path=\"url(#shown)\">\n",
            AXIS, CAPTION, WIDTH, HEIGHT);
    for (int band = 0; band < on->bands; band++) draw_band(on, band);
    fputs("<path fill=\"none\" stroke=\"#222\" stroke-dasharray=\"4 2\" d=\"", on->file);
    for (int64_t t = 0; t < on->all->triangles; t++)
        if (is_shown(on, on->all->corner[t])) draw_line(on, on->all->corner[t], 1);
    fputs("\"/>\n<path fill=\"#fff\" stroke=\"#222\" d=\"", on->file);
    for (int64_t p = 0, drawn = 0; p < on->all->wall; p++) {
        int is_drawn = drawn++ > 0;
        go(on, p, p, 0, &is_drawn);
    }
    fputs("z\"/>\n</g>\n", on->file);
}

static void draw_legend(const drawing *on) {
    char text[8];
    double x = AXIS + WIDTH + 14, tall = (double)HEIGHT / on->bands;
    int every = on->bands > 40 ? 10 : 4;
    for (int band = 0; band <= on->bands; band++) {
        double y = CAPTION + HEIGHT - band * tall;
        if (band < on->bands)
            fprintf(on->file, "<rect x=\"%.1f\" y=\"%.2f\" width=\"12\" height=\"%.2f\" fill=\"%s\"/>\n", x,
                    y - tall, tall + 0.3, band_colour(on, band, text, sizeof text));
        if (band % every == 0)
            fprintf(on->file, "<text x=\"%.1f\" y=\"%.1f\">%.1f</text>\n", x + 16, y + 4, band * on->step);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

int draw_flow(const char *path, const mesh *all, state *u, double mach, double alpha) {
    drawing on = {.file = fopen(path, "w"), .all = all, .value = room(all->points, sizeof *on.value)};
    double most = 0.5; /* Mach number */
    int width = AXIS + WIDTH + LEGEND, height = 2 * CAPTION + HEIGHT + CURVES + MARGIN;
    for (int64_t p = 0; p < all->points; p++) most = fmax(most, on.value[p] = mach_number(u[p]));
    on.step = most > 2.5 ? 0.1 : 0.05;
    on.bands = (int)fmin(ceil(most / on.step), 100);
    int is_written = on.file != NULL;
    if (is_written) {
        fprintf(on.file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
                "<title>Flow around a NACA 0012 airfoil</title>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                "<text x=\"%d\" y=\"19\">Mach number around a NACA 0012 airfoil; the flow comes with Mach "
                "%.2f at "
                "%.2f degrees; dashed: Mach 1</text>\n",
                width, height, width, height, AXIS, mach, alpha);
        draw_field(&on);
        draw_legend(&on);
        draw_pressure(&on, u, mach);
        fputs("</svg>\n", on.file);
        is_written = !ferror(on.file);
        is_written = !fclose(on.file) && is_written;
    }
    free(on.value);
    return is_written;
}
