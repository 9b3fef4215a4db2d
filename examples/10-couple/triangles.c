/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mesh generator and a partitioner would do, made small: vertices of a grid that were pushed about,
 * joined to triangles by the better diagonal, and numbered without any order; a rank owns what is nearest to
 * one of three places of its own. Every rank makes all of it, as it would read a file.
 */
#include "triangles.h"

#include <math.h>

/* A number between 0 and 1 that looks like chance, and is the same everywhere. */
static double noise(int64_t number) {
    uint64_t bits = ((uint64_t)number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((bits ^ (bits >> 29)) >> 11) / 9007199254740992.0;
}

/* Neighbours in the square are far apart in number: 647 and NODES have no common divisor. */
static int32_t number(int row, int column) {
    return (int32_t)((((int64_t)row * SIDE + column) * 647 + 123) % NODES);
}

/* Vertices on a wall stay on it; those at the interface stay where they are: the plate has nodes there. */
static void set_place(triangles *mesh, int row, int column) {
    int32_t vertex = number(row, column);
    int is_free_x = column > 0 && column<SIDE - 1, is_free_y = row> 0 && row < SIDE - 1 && column > 0;
    double push_x = is_free_x ? 0.6 * noise(2 * vertex) - 0.3 : 0;
    double push_y = is_free_y ? 0.6 * noise(2 * vertex + 1) - 0.3 : 0;
    mesh->place[vertex][0] = 1 + (column + push_x) * SPACING;
    mesh->place[vertex][1] = (row + push_y) * SPACING;
}

/* ---- triangles ----------------------------------------------------------------------------------------- */

static double cross(const triangles *mesh, const int32_t *corner, int k, double *dot) {
    const double *at = mesh->place[corner[k]], *one = mesh->place[corner[(k + 1) % 3]],
                 *two = mesh->place[corner[(k + 2) % 3]];
    double a[2] = {one[0] - at[0], one[1] - at[1]}, b[2] = {two[0] - at[0], two[1] - at[1]};
    *dot = a[0] * b[0] + a[1] * b[1];
    return a[0] * b[1] - a[1] * b[0];
}

double cotangent(const triangles *mesh, int triangle, int k) {
    double dot, twice_area = cross(mesh, mesh->corner[triangle], k, &dot);
    return dot / twice_area;
}

double area(const triangles *mesh, int triangle) {
    double dot;
    return cross(mesh, mesh->corner[triangle], 0, &dot) / 2;
}

static void set_corners(triangles *mesh, int triangle, int32_t a, int32_t b, int32_t c) {
    mesh->corner[triangle][0] = a;
    mesh->corner[triangle][1] = b;
    mesh->corner[triangle][2] = c;
}

/* Delaunay's rule: of the two diagonals the one whose opposite angles add up to less than half a turn. */
static void cut_quadrangle(triangles *mesh, int triangle, int row, int column) {
    int32_t a = number(row, column), b = number(row, column + 1), c = number(row + 1, column + 1),
            d = number(row + 1, column);
    set_corners(mesh, triangle, b, c, a);
    set_corners(mesh, triangle + 1, d, a, c);
    if (cotangent(mesh, triangle, 0) + cotangent(mesh, triangle + 1, 0) >= 0) return;
    set_corners(mesh, triangle, a, b, d);
    set_corners(mesh, triangle + 1, c, d, b);
}

/* ---- owners -------------------------------------------------------------------------------------------- */

static int32_t nearest(const double *place, int ranks) {
    int32_t found = 0;
    double least = INFINITY;
    for (int seed = 0; seed < 3 * ranks; seed++) {
        double distance = hypot(place[0] - 1 - noise(5150 + 2 * seed), place[1] - noise(5151 + 2 * seed));
        if (distance >= least) continue;
        least = distance;
        found = seed % ranks;
    }
    return found;
}

triangles *make_triangles(int ranks) {
    triangles *mesh = room(1, sizeof *mesh);
    for (int row = 0; row < SIDE; row++) {
        mesh->interface[row] = number(row, 0);
        for (int column = 0; column < SIDE; column++) set_place(mesh, row, column);
    }
    for (int row = 0; row < SIDE - 1; row++)
        for (int column = 0; column < SIDE - 1; column++)
            cut_quadrangle(mesh, 2 * (row * (SIDE - 1) + column), row, column);
    for (int vertex = 0; vertex < NODES; vertex++) mesh->owner[vertex] = nearest(mesh->place[vertex], ranks);
    return mesh;
}
