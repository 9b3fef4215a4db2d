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

enum { SIDE = 560, MARGIN = 20, TITLE = 34 };

typedef struct view {
    double left, top, scale; /* world coordinates of the corner; pixels per chord */
    int column;
} view;

/* Neighbouring parts have neighbouring numbers; steps of the golden angle keep their colours apart. */
static int hue_of(int part) {
    return (int)fmod(part * 137.508, 360);
}

static int is_visible(const airfoil *mesh, const int *corner, const view *view) {
    double size = SIDE / view->scale;
    for (int i = 0; i < 3; i++) {
        double x = mesh->x[corner[i]] - view->left, y = view->top - mesh->y[corner[i]];
        if (x >= 0 && x <= size && y >= 0 && y <= size) return 1;
    }
    return 0;
}

static void draw_triangle(const airfoil *mesh, const int *corner, const view *view, FILE *out) {
    for (int i = 0; i < 3; i++)
        fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', (mesh->x[corner[i]] - view->left) * view->scale,
                (view->top - mesh->y[corner[i]]) * view->scale);
    fputc('Z', out);
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

static void draw_view(const airfoil *mesh, const grouping *groups, const view *view, FILE *out) {
    fprintf(out, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n",
            MARGIN + view->column * (SIDE + MARGIN), TITLE, SIDE, SIDE);
    for (int k = 0; k < groups->groups; k++) {
        if (k == groups->groups - 1)
            fputs("<path fill=\"#fff\"", out);
        else
            fprintf(out, "<path fill=\"hsl(%d,65%%,%d%%)\"", hue_of(k), k % 2 ? 62 : 74);
        fputs(" stroke=\"#333\" stroke-width=\"0.3\" stroke-linejoin=\"round\" d=\"", out);
        for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
            const int *corner = mesh->corner + 3 * (int64_t)groups->triangle[i];
            if (is_visible(mesh, corner, view)) draw_triangle(mesh, corner, view, out);
        }
        fputs("\"/>\n", out);
    }
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n</svg>\n", SIDE, SIDE);
}

void mesh_draw(const airfoil *mesh, const int *part, int parts, const char *title, FILE *out) {
    double width = 2.04 * mesh->radius;
    view whole = {0.5 - width / 2, width / 2, SIDE / width, 0}, close = {-0.2, 0.7, SIDE / 1.4, 1};
    grouping groups = group_triangles(mesh, part, parts);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
        "font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"%d\" y=\"22\">%s: %d points, %d triangles, %d on the airfoil, %d parts; triangles between "
        "parts are white</text>\n",
        3 * MARGIN + 2 * SIDE, TITLE + SIDE + MARGIN, MARGIN, title, mesh->points, mesh->triangles,
        mesh->surface, parts);
    draw_view(mesh, &groups, &whole, out);
    draw_view(mesh, &groups, &close, out);
    fputs("</svg>\n", out);
    free(groups.start);
    free(groups.triangle);
}
