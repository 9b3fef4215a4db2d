/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of a partitioned mesh: on the left all of it, on the right the airfoil, one colour per part. Each
 * part is one path, so that the file stays small; triangles between parts are left white, which draws the
 * borders. A part that is large enough has its number on it, and below all of them are listed.
 */
#include "mesh_draw.h"

#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "quadrille-io.h"

enum {
    SIDE = 560,
    MARGIN = 20,
    LETTERS = 14,
    TITLE = 62,
    SWATCH = 48,
    LINE = 22,
    SCALE = 160,
    MOST_LISTED = 480
};

#define FILL "fill=\"%s\" fill-opacity=\"0.65\""

typedef struct view {
    double left, top, scale; /* world coordinates of the corner; pixels per chord */
    int column;
} view;

static int is_visible(const airfoil *mesh, const int *corner, const view *view) {
    double size = SIDE / view->scale;
    for (int i = 0; i < 3; i++) {
        double x = mesh->x[corner[i]] - view->left, y = view->top - mesh->y[corner[i]];
        if (x >= 0 && x <= size && y >= 0 && y <= size) return 1;
    }
    return 0;
}

static void draw_triangle(const airfoil *mesh, const int *corner, const view *view, qdr_picture *picture) {
    for (int i = 0; i < 3; i++) {
        double x = (mesh->x[corner[i]] - view->left) * view->scale,
               y = (view->top - mesh->y[corner[i]]) * view->scale;
        if (i == 0)
            qdr_picture_pen_move(picture, x, y);
        else
            qdr_picture_pen_line(picture, x, y);
    }
    qdr_picture_pen_close(picture);
}

/* Triangles by the part that has all three corners; those between parts come last. */
typedef struct grouping {
    int groups;
    int *start, *triangle;
} grouping;

static int group_of(const airfoil *mesh, const int *part, int parts, int triangle) {
    const int *corner = mesh->corner + 3 * (int64_t)triangle;
    int first = part[corner[0]];
    return first == part[corner[1]] && first == part[corner[2]] ? first : parts;
}

static grouping group_triangles(const airfoil *mesh, const int *part, int parts) {
    grouping groups = {parts + 1, ALLOCATE(int, (int64_t)parts + 3), ALLOCATE(int, mesh->triangles)};
    for (int i = 0; i < mesh->triangles; i++) groups.start[group_of(mesh, part, parts, i) + 2]++;
    for (int k = 2; k < parts + 3; k++) groups.start[k] += groups.start[k - 1];
    for (int i = 0; i < mesh->triangles; i++)
        groups.triangle[groups.start[group_of(mesh, part, parts, i) + 1]++] = i;
    return groups;
}

/* ---- one view ------------------------------------------------------------------------------------------ */

static void draw_part(const airfoil *mesh, const grouping *groups, int part, const view *view,
                      qdr_picture *picture) {
    char colour[QDR_COLOUR_TEXT], style[160];
    snprintf(style, sizeof style, FILL " stroke=\"#333\" stroke-width=\"0.3\" stroke-linejoin=\"round\"",
             part == groups->groups - 1 ? "#fff" : qdr_picture_colour(part, colour));
    qdr_picture_path(picture, style);
    for (int i = groups->start[part]; i < groups->start[part + 1]; i++) {
        const int *corner = mesh->corner + 3 * (int64_t)groups->triangle[i];
        if (is_visible(mesh, corner, view)) draw_triangle(mesh, corner, view, picture);
    }
    qdr_picture_path_end(picture, NULL);
}

/* The area of a triangle in square pixels, and its middle; 0 when it is not seen. */
static double measure_triangle(const airfoil *mesh, const int *corner, const view *view, double middle[2]) {
    double x[3], y[3];
    if (!is_visible(mesh, corner, view)) return 0;
    for (int i = 0; i < 3; i++) {
        x[i] = (mesh->x[corner[i]] - view->left) * view->scale;
        y[i] = (view->top - mesh->y[corner[i]]) * view->scale;
    }
    middle[0] = (x[0] + x[1] + x[2]) / 3;
    middle[1] = (y[0] + y[1] + y[2]) / 3;
    return fabs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2;
}

/* In the triangle next to the middle of what is seen of the part, so that it never stands in another one; nowhere if the
 * part is too small for it, or under the scale. */
static void write_number(const airfoil *mesh, const grouping *groups, int part, const view *view,
                         qdr_picture *picture) {
    const double least = 1200; /* square pixels */
    double area = 0, sum[2] = {0, 0}, best[2] = {0, 0}, nearest = INFINITY, at[2];
    for (int i = groups->start[part]; i < groups->start[part + 1]; i++) {
        double size = measure_triangle(mesh, mesh->corner + 3 * (int64_t)groups->triangle[i], view, at);
        if (size > 0) area += size, sum[0] += size * at[0], sum[1] += size * at[1];
    }
    if (area < least) return;
    for (int i = groups->start[part]; i < groups->start[part + 1]; i++) {
        if (measure_triangle(mesh, mesh->corner + 3 * (int64_t)groups->triangle[i], view, at) <= 0) continue;
        double far = hypot(at[0] - sum[0] / area, at[1] - sum[1] / area);
        if (far < nearest) nearest = far, best[0] = at[0], best[1] = at[1];
    }
    if (best[0] < SCALE && best[1] > SIDE - 2 * LINE) return;
    char label[16];
    snprintf(label, sizeof label, "%d", part);
    qdr_picture_text(
        picture, fmin(fmax(best[0], LETTERS), SIDE - LETTERS), fmin(fmax(best[1] + 5, LETTERS), SIDE - 6),
        "text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"", label);
}

/* How long a round number of chords is, in the lower left corner. */
static void draw_scale(const view *view, qdr_picture *picture) {
    double length = qdr_picture_tick(SIDE / view->scale), width = length * view->scale, y = SIDE - 14;
    char label[32];
    snprintf(label, sizeof label, "%g chord%s", length, length == 1 ? "" : "s");
    qdr_picture_rectangle(picture, 6, y - 20, fmax(width + 14, 7 * LETTERS), 28,
                          "fill=\"#fff\" fill-opacity=\"0.85\"", NULL);
    qdr_picture_line(picture, 12, y, 12 + width, y, "stroke=\"#222\" stroke-width=\"2\"");
    qdr_picture_text(picture, 12, y - 5, NULL, label);
}

static void draw_view(const airfoil *mesh, const grouping *groups, const view *view, qdr_picture *picture) {
    qdr_picture_window(picture, MARGIN + view->column * (SIDE + MARGIN), TITLE, SIDE, SIDE);
    for (int k = 0; k < groups->groups; k++) draw_part(mesh, groups, k, view, picture);
    for (int k = 0; k < groups->groups - 1; k++) write_number(mesh, groups, k, view, picture);
    draw_scale(view, picture);
    qdr_picture_rectangle(picture, 0, 0, SIDE, SIDE, "fill=\"none\" stroke=\"#999\"", NULL);
    qdr_picture_window_end(picture);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

enum { IN_A_LINE = (2 * SIDE + MARGIN - 40) / SWATCH };

static int listed_parts(int parts) {
    return parts < MOST_LISTED ? parts : MOST_LISTED;
}

static void draw_legend(int parts, qdr_picture *picture) {
    int listed = listed_parts(parts);
    double top = TITLE + SIDE + 14;
    char colour[QDR_COLOUR_TEXT], style[80], label[32];
    qdr_picture_text(picture, MARGIN, top + 11, NULL, "part");
    for (int k = 0; k < listed; k++) {
        double x = MARGIN + 40 + k % IN_A_LINE * SWATCH, y = top + k / IN_A_LINE * LINE;
        snprintf(style, sizeof style, FILL " stroke=\"#333\" stroke-width=\"0.3\"",
                 qdr_picture_colour(k, colour));
        qdr_picture_rectangle(picture, x, y, 12, 12, style, NULL);
        snprintf(label, sizeof label, k == listed - 1 && listed < parts ? "%d ..." : "%d", k);
        qdr_picture_text(picture, x + 16, y + 11, NULL, label);
    }
}

static void write_headings(const airfoil *mesh, int parts, const char *title, qdr_picture *picture) {
    char *heading = print_text("%s: %d points, %d triangles, %d on the airfoil, %d part%s", title,
                               mesh->points, mesh->triangles, mesh->surface, parts, parts == 1 ? "" : "s");
    qdr_picture_text(picture, MARGIN, 26, "font-size=\"16\"", heading);
    qdr_picture_text(picture, MARGIN, TITLE - 8, NULL, "all of it; triangles between parts are white");
    qdr_picture_text(picture, 2 * MARGIN + SIDE, TITLE - 8, NULL, "the airfoil, larger");
    free(heading);
}

int mesh_draw(const airfoil *mesh, const int *part, int parts, const char *title, FILE *out) {
    double width = 2.04 * mesh->radius;
    int lines = (listed_parts(parts) + IN_A_LINE - 1) / IN_A_LINE;
    view whole = {0.5 - width / 2, width / 2, SIDE / width, 0}, close = {-0.2, 0.7, SIDE / 1.4, 1};
    qdr_picture *picture;
    if (qdr_picture_create(out, 3 * MARGIN + 2 * SIDE, TITLE + SIDE + 14 + LINE * lines + 8, LETTERS,
                           &picture))
        return complain_library();
    grouping groups = group_triangles(mesh, part, parts);
    write_headings(mesh, parts, title, picture);
    draw_view(mesh, &groups, &whole, picture);
    draw_view(mesh, &groups, &close, picture);
    draw_legend(parts, picture);
    free(groups.start);
    free(groups.triangle);
    return qdr_picture_destroy(&picture) ? complain_library() : EXIT_GOOD;
}
