/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mesh such as a solver of the Euler equations in three dimensions has (CM-5 paper, table 12): fine at a body, here a sphere,
 * and coarse in the far field.
 *
 * Points lie on shells around the body. The radius grows by a constant factor from shell to shell and all shells have equally
 * many points, so that the spacing grows with the distance, as much along a shell as across. A shell is a spiral from pole to
 * pole, each turn as far from the last as points in it are from each other. Random shifts, part of the spacing, make the
 * triangulation (Delaunay, by Qhull) unstructured; points on the two boundaries stay on them.
 *
 * A body is convex, so Delaunay would fill it with tetrahedra, in an order that rounding decides, since all its points are
 * equally far from its middle. One more point stands there while Qhull works: the tetrahedra with that corner are the body, and
 * are left out. Cost: O(points log points).
 */
#include "sphere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "delaunay.h"
#include "random.h"

static const double pi = 3.14159265358979323846, golden = 0.61803398874989484820;
static const double far_radius = 10, shift = 0.28;
/* The height of a layer of tetrahedra over the square root of the area of a point in it, as where spheres are packed. */
static const double layer = 0.877;

/* As many shells as make the spacing across what the spacing along allows. */
static int count_shells(int points) {
    int shells = 2;
    while (log(far_radius) / (shells - 1) > layer * sqrt(4 * pi * shells / points)) shells++;
    return shells;
}

static void place_shell(int count, double radius, int is_boundary, random_stream *random, double *at) {
    double turn = random_real(random), spacing = radius * sqrt(4 * pi / count);
    for (int i = 0; i < count; i++, at += 3) {
        double height = 1 - (2.0 * i + 1) / count, width = sqrt(1 - height * height),
               angle = 2 * pi * (turn + golden * i), length = 0;
        at[0] = radius * width * cos(angle);
        at[1] = radius * width * sin(angle);
        at[2] = radius * height;
        for (int d = 0; d < 3; d++) {
            at[d] += spacing * shift * (2 * random_real(random) - 1);
            length += at[d] * at[d];
        }
        for (int d = 0; is_boundary && d < 3; d++) at[d] *= radius / sqrt(length);
    }
}

/* Inner shells have one point more where the number does not divide. */
static void place_points(uint64_t seed, sphere *mesh) {
    random_stream random = random_seed(seed);
    int shells = count_shells(mesh->points), each = mesh->points / shells, more = mesh->points % shells;
    double *at = mesh->coordinate;
    for (int k = 0; k < shells; k++) {
        int count = each + (k < more), is_boundary = k == 0 || k == shells - 1;
        place_shell(count, pow(far_radius, (double)k / (shells - 1)), is_boundary, &random, at);
        at += 3 * count;
        if (k == 0) mesh->surface = count;
        mesh->far = count;
    }
}

/* ---- tetrahedra ---------------------------------------------------------------------------------------- */

double sphere_volume(const sphere *mesh, const int *corner) {
    double edge[3][3];
    const double *last = mesh->coordinate + 3 * (int64_t)corner[3];
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) edge[i][d] = mesh->coordinate[3 * (int64_t)corner[i] + d] - last[d];
    return edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
           edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
           edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
}

static void keep(sphere *mesh, const int *corner) {
    int *kept = mesh->corner + 4 * (int64_t)mesh->tetrahedra++;
    memmove(kept, corner, 4 * sizeof *corner);
    if (sphere_volume(mesh, kept) > 0) return;
    int first = kept[0];
    kept[0] = kept[1];
    kept[1] = first;
}

static int triangulate(sphere *mesh) {
    int all = 0, middle = mesh->points;
    int code = delaunay("mesh3d", 3, mesh->points + 1, mesh->coordinate, &mesh->corner, &all);
    for (int i = 0; !code && i < all; i++) {
        const int *corner = mesh->corner + 4 * (int64_t)i;
        if (corner[0] != middle && corner[1] != middle && corner[2] != middle && corner[3] != middle)
            keep(mesh, corner);
    }
    return code;
}

int sphere_create(int points, uint64_t seed, sphere *mesh) {
    memset(mesh, 0, sizeof *mesh);
    mesh->points = points;
    mesh->radius = far_radius;
    mesh->coordinate = ALLOCATE(double, 3 * ((int64_t)points + 1)); /* zero: the last is the middle */
    place_points(seed, mesh);
    int code = triangulate(mesh);
    if (code) sphere_destroy(mesh);
    return code;
}

void sphere_destroy(sphere *mesh) {
    free(mesh->coordinate);
    free(mesh->corner);
    memset(mesh, 0, sizeof *mesh);
}
