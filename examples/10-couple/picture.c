/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plate as rectangles around its nodes, the mesh as triangles. Shapes of one colour are one path, and neighbours of
 * one colour in a row one rectangle: that keeps the file small.
 */
#include "picture.h"

#include <math.h>

enum { WIDTH = 560, HEIGHT = 280, MARGIN = 16, CAPTION = 26, COLOURS = 64 };

/* A colour for each node of the plate and each triangle of the mesh. */
typedef struct colours {
    int plate[NODES], mesh[TRIANGLES];
} colours;

static double within(double low, double value, double high) {
    return fmin(fmax(value, low), high);
}

static double across(double x) {
    return MARGIN + x * WIDTH / 2;
}

static double down(int panel, double y) {
    return (panel + 1) * (CAPTION + HEIGHT) - y * HEIGHT;
}

/* The edge between two columns, or rows, of the plate; those at its border have half the width. */
static double edge(int before) {
    return within(0, (before - 0.5) * SPACING, 1);
}

/* Columns first .. end-1 of a row. */
static void draw_nodes(qdr_picture *picture, int panel, int row, int first, int end) {
    double left = across(edge(first)), top = down(panel, edge(row + 1));
    qdr_picture_pen_box(picture, left, top, across(edge(end)) - left, down(panel, edge(row)) - top);
}

static void draw_row(qdr_picture *picture, int panel, const int *colour_of, int row, int colour) {
    for (int first = 0, end; first < SIDE; first = end) {
        for (end = first + 1; end < SIDE && colour_of[end] == colour_of[first];) end++;
        if (colour_of[first] == colour) draw_nodes(picture, panel, row, first, end);
    }
}

static void draw_triangle(qdr_picture *picture, int panel, const scene *all, int triangle) {
    for (int k = 0; k < 3; k++) {
        const double *place = all->place[all->corner[triangle][k]];
        (k == 0 ? qdr_picture_pen_move : qdr_picture_pen_line)(picture, across(place[0]),
                                                               down(panel, place[1]));
    }
    qdr_picture_pen_close(picture);
}

static void draw_colour(qdr_picture *picture, int panel, const scene *all, const colours *of, int colour,
                        const char *fill) {
    char style[80];
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"%s\" stroke-width=\"0.75\"", fill, fill);
    qdr_picture_path(picture, style);
    for (int row = 0; row < SIDE; row++) draw_row(picture, panel, of->plate + row * SIDE, row, colour);
    for (int triangle = 0; triangle < TRIANGLES; triangle++)
        if (of->mesh[triangle] == colour) draw_triangle(picture, panel, all, triangle);
    qdr_picture_path_end(picture, NULL);
}

/* A frame, which covers what sticks out, and the interface. */
static void draw_lines(qdr_picture *picture, int panel) {
    qdr_picture_rectangle(picture, MARGIN, down(panel, 1), WIDTH, HEIGHT,
                          "fill=\"none\" stroke=\"#999\" stroke-width=\"1.5\"", NULL);
    qdr_picture_line(picture, across(1), down(panel, 0), across(1), down(panel, 1),
                     "stroke=\"#fff\" stroke-dasharray=\"3\"");
}

/* What has the first colour need not be drawn then. */
static void draw_background(qdr_picture *picture, int panel, const char *fill) {
    char style[40];
    snprintf(style, sizeof style, "fill=\"%s\"", fill);
    qdr_picture_rectangle(picture, MARGIN, down(panel, 1), WIDTH, HEIGHT, style, NULL);
}

static void write_caption(qdr_picture *picture, int panel, const char *text) {
    qdr_picture_text(picture, MARGIN, down(panel, 1) - 7, NULL, text);
}

/* ---- heat ---------------------------------------------------------------------------------------------- */

/* From nearly black over red to nearly white. */
static const char *glow(int colour, char *text, size_t bytes) {
    double warmth = (double)colour / (COLOURS - 1);
    int red = (int)(255 * within(0.08, 2.2 * warmth + 0.08, 1)),
        green = (int)(255 * within(0.06, 1.8 * warmth - 0.55, 0.97)),
        blue = (int)(255 * within(0, fmax(0.3 - fabs(warmth - 0.2), 3 * warmth - 2.1), 0.85));
    snprintf(text, bytes, "#%02x%02x%02x", (unsigned)red, (unsigned)green, (unsigned)blue);
    return text;
}

static int shade(double value, double hottest) {
    return (int)within(0, value / hottest * COLOURS, COLOURS - 1);
}

/* What the colours mean, at the right end of the caption: from 0 to the hottest. */
static void draw_scale(qdr_picture *picture, int panel, double hottest) {
    enum { SCALE = 120, THICK = 8, LABEL = 44 };
    char text[120];
    double x = MARGIN + WIDTH - SCALE - LABEL, y = down(panel, 1) - 7 - THICK;
    qdr_picture_text(picture, x - 12, y + THICK, NULL, "0");
    for (int colour = 0; colour < COLOURS; colour++) {
        char style[60];
        snprintf(style, sizeof style, "fill=\"%s\"", glow(colour, text, sizeof text));
        qdr_picture_rectangle(picture, x + (double)SCALE * colour / COLOURS, y, (double)SCALE / COLOURS + 0.5,
                              THICK, style, NULL);
    }
    snprintf(text, sizeof text, "%.3f", hottest);
    qdr_picture_text(picture, x + SCALE + 6, y + THICK, NULL, text);
}

void picture_heat(qdr_picture *picture, int panel, const scene *all, int tick) {
    double hottest = 1e-300;
    colours of;
    char text[120];
    for (int node = 0; node < NODES; node++) hottest = fmax(hottest, fmax(all->plate[node], all->mesh[node]));
    for (int node = 0; node < NODES; node++) of.plate[node] = shade(all->plate[node], hottest);
    for (int t = 0; t < TRIANGLES; t++) {
        const int32_t *corner = all->corner[t];
        double mean = (all->mesh[corner[0]] + all->mesh[corner[1]] + all->mesh[corner[2]]) / 3;
        of.mesh[t] = shade(mean, hottest);
    }
    snprintf(text, sizeof text, "heat of plate and mesh at tick %d", tick);
    write_caption(picture, panel, text);
    draw_scale(picture, panel, hottest);
    draw_background(picture, panel, glow(0, text, sizeof text));
    for (int colour = 1; colour < COLOURS; colour++)
        draw_colour(picture, panel, all, &of, colour, glow(colour, text, sizeof text));
    draw_lines(picture, panel);
}

/* ---- owners -------------------------------------------------------------------------------------------- */

static const char *tint(int rank, int ranks, char *text, size_t bytes) {
    snprintf(text, bytes, "hsl(%d,45%%,%d%%)", rank * 360 / ranks, rank % 2 ? 50 : 65);
    return text;
}

/* Which colour is whose, at the right end of the caption: the ranks of one program after its name. */
static void draw_key(qdr_picture *picture, int panel, int plate_ranks, int mesh_ranks) {
    enum { STEP = 24, SIDE_OF_KEY = 9, NAME = 38, MOST = 14 };
    char text[40], style[60];
    int ranks = plate_ranks + mesh_ranks;
    double x = MARGIN + WIDTH - ranks * STEP - 2 * NAME, y = down(panel, 1) - 7;
    if (ranks > MOST) return;
    for (int rank = 0; rank < ranks; rank++, x += STEP) {
        if (rank == 0 || rank == plate_ranks) {
            qdr_picture_text(picture, x, y, NULL, rank == 0 ? "plate" : "mesh");
            x += NAME;
        }
        snprintf(style, sizeof style, "fill=\"%s\"", tint(rank, ranks, text, sizeof text));
        qdr_picture_rectangle(picture, x, y - SIDE_OF_KEY + 1, SIDE_OF_KEY, SIDE_OF_KEY, style, NULL);
        snprintf(text, sizeof text, "%d", rank < plate_ranks ? rank : rank - plate_ranks);
        qdr_picture_text(picture, x + SIDE_OF_KEY + 2, y, NULL, text);
    }
}

void picture_owners(qdr_picture *picture, int panel, const scene *all, int plate_ranks, int mesh_ranks) {
    colours of;
    char text[40];
    for (int node = 0; node < NODES; node++) of.plate[node] = all->plate_owner[node];
    for (int t = 0; t < TRIANGLES; t++) of.mesh[t] = plate_ranks + all->mesh_owner[all->corner[t][0]];
    write_caption(picture, panel, "which rank owns what");
    draw_key(picture, panel, plate_ranks, mesh_ranks);
    for (int rank = 0; rank < plate_ranks + mesh_ranks; rank++)
        draw_colour(picture, panel, all, &of, rank, tint(rank, plate_ranks + mesh_ranks, text, sizeof text));
    draw_lines(picture, panel);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

qdr_status picture_open(FILE *file, qdr_picture **picture) {
    return qdr_picture_create(file, WIDTH + 2 * MARGIN, PANELS * (CAPTION + HEIGHT) + MARGIN, 12, picture);
}
