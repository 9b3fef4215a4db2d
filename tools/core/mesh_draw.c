/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of a partitioned mesh: on the left all of it, on the right the airfoil, one colour per part. Each
 * part is one path, so that the file stays small; triangles between parts are left white, which draws the
 * borders.
 */
#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "mesh.h"
#include "quadrille-io.h"

enum { SIDE = 560, MARGIN = 20, TITLE = 34 };

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

static void draw_view(const airfoil *mesh, const grouping *groups, const view *view, qdr_picture *picture) {
    char colour[QDR_COLOUR_TEXT], style[160];
    qdr_picture_window(picture, MARGIN + view->column * (SIDE + MARGIN), TITLE, SIDE, SIDE);
    for (int k = 0; k < groups->groups; k++) {
        snprintf(style, sizeof style,
                 "fill=\"%s\" fill-opacity=\"0.65\" stroke=\"#333\" stroke-width=\"0.3\" "
                 "stroke-linejoin=\"round\"",
                 k == groups->groups - 1 ? "#fff" : qdr_picture_colour(k, colour));
        qdr_picture_path(picture, style);
        for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
            const int *corner = mesh->corner + 3 * (int64_t)groups->triangle[i];
            if (is_visible(mesh, corner, view)) draw_triangle(mesh, corner, view, picture);
        }
        qdr_picture_path_end(picture, NULL);
    }
    qdr_picture_rectangle(picture, 0, 0, SIDE, SIDE, "fill=\"none\" stroke=\"#999\"", NULL);
    qdr_picture_window_end(picture);
}

int mesh_draw(const airfoil *mesh, const int *part, int parts, const char *title, FILE *out) {
    double width = 2.04 * mesh->radius;
    view whole = {0.5 - width / 2, width / 2, SIDE / width, 0}, close = {-0.2, 0.7, SIDE / 1.4, 1};
    qdr_picture *picture;
    if (qdr_picture_create(out, 3 * MARGIN + 2 * SIDE, TITLE + SIDE + MARGIN, 14, &picture))
        return complain_library();
    grouping groups = group_triangles(mesh, part, parts);
    char *heading = print_text(
        "%s: %d points, %d triangles, %d on the airfoil, %d parts; triangles between parts are white", title,
        mesh->points, mesh->triangles, mesh->surface, parts);
    qdr_picture_text(picture, MARGIN, 22, NULL, heading);
    draw_view(mesh, &groups, &whole, picture);
    draw_view(mesh, &groups, &close, picture);
    free(heading);
    free(groups.start);
    free(groups.triangle);
    return qdr_picture_destroy(&picture) ? complain_library() : EXIT_GOOD;
}
