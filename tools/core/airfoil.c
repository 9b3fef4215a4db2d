/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mesh such as the fluid dynamics codes of NICE (test set 2) use: fine where the flow changes, at the nose
 * and the trailing edge, coarse in the far field.
 *
 * Points are laid out in elliptic coordinates (u, v) around a slit inside the chord,
 *
 *     x = m + a cosh u cos v,   y = a sinh u sin v,
 *
 * a conformal map: an even spacing in (u, v) becomes a spacing that is smallest near the ends of the slit and
 * grows with the distance from the airfoil. Rings run from the surface (s = 0) to the far-field circle (s =
 * 1); the spacing in (u, v) widens by a constant factor in between. Points inside are shifted at random by a
 * part of the spacing, which makes the triangulation (Delaunay, by Qhull) unstructured; those of the first
 * ring only along it, so that every edge of the surface is an edge of the mesh. The base spacing is found by
 * bisection so that the rings hold at most the number of points asked for; the few that are left over go to
 * the innermost rings. Cost: O(points log points).
 */
#include "airfoil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "delaunay.h"
#include "random.h"

static const double pi = 3.14159265358979323846;
/* The slit runs from half the nose radius behind the nose to the trailing edge, where it must end: the
 * spacing has to vanish with the thickness, or the triangulation would reach through the airfoil. */
static const double slit_start = 0.008, slit_end = 1;
static const double far_radius = 10, widening = 2.5, shift = 0.28;

enum { SURFACE_SAMPLES = 4096, MOST_RINGS = 8192 };

/* Half the thickness of the airfoil at x; the last coefficient closes the trailing edge. */
static double half_thickness(double x) {
    if (x <= 0 || x >= 1) return 0;
    return 0.6 * (0.2969 * sqrt(x) + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - 0.1036 * x))));
}

static int inside(double x, double y) {
    return x > 0 && x < 1 && fabs(y) < half_thickness(x);
}

static void to_plane(double u, double v, double *x, double *y) {
    double half = (slit_end - slit_start) / 2;
    *x = (slit_start + slit_end) / 2 + half * cosh(u) * cos(v);
    *y = half * sinh(u) * sin(v);
}

/* Where the line of constant v crosses the surface. */
static double surface_u(double v) {
    double low = 0, high = 1, x, y;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        to_plane(middle, v, &x, &y);
        if (inside(x, y) || (fabs(y) < 1e-15 && x > 0 && x < 1))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Along the lines of constant v, the circle of radius far_radius around the middle of the chord. */
static double far_u(double v) {
    double low = 0, high = 6, x, y;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        to_plane(middle, v, &x, &y);
        if (hypot(x - 0.5, y) < far_radius)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- rings --------------------------------------------------------------------------------------------- */

typedef struct ring {
    double s;
    int points;
} ring;

typedef struct layout {
    int rings, points;
    ring ring[MOST_RINGS];
} layout;

/* Rings for one base spacing. The depth in u is nearly the same for all v: that of v = pi / 2 stands for it.
 */
static void lay_rings(double spacing, layout *layout) {
    double depth = far_u(pi / 2) - surface_u(pi / 2), s = 0;
    layout->rings = layout->points = 0;
    while (layout->rings < MOST_RINGS) {
        double local = spacing * (1 + (widening - 1) * s), step = 0.866 * local / depth;
        if (s + step / 2 > 1) s = 1;
        int points = (int)(2 * pi / local);
        layout->ring[layout->rings].s = s;
        layout->ring[layout->rings++].points = points < 8 ? 8 : points;
        layout->points += points < 8 ? 8 : points;
        if (s >= 1) break;
        s = fmin(1, s + step);
    }
}

static void fit_rings(int points, layout *layout) {
    double low = 1e-4, high = 4;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        lay_rings(middle, layout);
        if (layout->points > points)
            low = middle;
        else
            high = middle;
    }
    lay_rings(high, layout);
    for (int i = 0; layout->points < points; i = (i + 1) % layout->rings) {
        layout->ring[i].points++;
        layout->points++;
    }
}

/* ---- points -------------------------------------------------------------------------------------------- */

/* Angles at equal distances along the surface in the (u, v) plane, where the curve is not quite straight. */
static void surface_angles(int count, double *angle) {
    double *length = ALLOCATE(double, SURFACE_SAMPLES + 1), before = surface_u(0);
    for (int i = 1; i <= SURFACE_SAMPLES; i++) {
        double u = surface_u(2 * pi * i / SURFACE_SAMPLES);
        length[i] = length[i - 1] + hypot(u - before, 2 * pi / SURFACE_SAMPLES);
        before = u;
    }
    for (int i = 0, at = 0; i < count; i++) {
        double wanted = length[SURFACE_SAMPLES] * i / count;
        while (length[at + 1] < wanted) at++;
        angle[i] = 2 * pi * (at + (wanted - length[at]) / (length[at + 1] - length[at])) / SURFACE_SAMPLES;
    }
    free(length);
}

static void place_points(const layout *layout, uint64_t seed, airfoil *mesh) {
    random_stream random = random_seed(seed);
    double *angle = ALLOCATE(double, layout->ring[0].points);
    int point = 0;
    surface_angles(layout->ring[0].points, angle);
    for (int k = 0; k < layout->rings; k++) {
        const ring *ring = &layout->ring[k];
        int boundary = k == 0 || k == layout->rings - 1;
        double spacing = 2 * pi / ring->points, offset = boundary ? 0 : random_real(&random);
        double width = boundary ? 0 : (layout->ring[k + 1].s - layout->ring[k - 1].s) / 2;
        for (int i = 0; i < ring->points; i++, point++) {
            double across = k <= 1 || boundary ? 0 : shift * (2 * random_real(&random) - 1);
            double along = boundary ? 0 : shift * (2 * random_real(&random) - 1);
            double v = k == 0 ? angle[i] : (i + offset + along) * spacing, s = ring->s + across * width;
            double surface = surface_u(v);
            to_plane(surface + s * (far_u(v) - surface), v, &mesh->x[point], &mesh->y[point]);
        }
    }
    free(angle);
}

/* ---- triangles ----------------------------------------------------------------------------------------- */

static int is_outside(const airfoil *mesh, const int *corner) {
    double x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
        x += mesh->x[corner[i]] / 3;
        y += mesh->y[corner[i]] / 3;
    }
    return !inside(x, y);
}

static int triangulate(airfoil *mesh) {
    int all = 0;
    double *coordinate = ALLOCATE(double, 2 * (int64_t)mesh->points);
    for (int i = 0; i < mesh->points; i++) {
        coordinate[2 * i] = mesh->x[i];
        coordinate[2 * i + 1] = mesh->y[i];
    }
    int code = delaunay("mesh", 2, mesh->points, coordinate, &mesh->corner, &all);
    free(coordinate);
    for (int i = 0; !code && i < all; i++) {
        const int *corner = mesh->corner + 3 * (int64_t)i;
        if (is_outside(mesh, corner))
            memmove(mesh->corner + 3 * (int64_t)mesh->triangles++, corner, 3 * sizeof *corner);
    }
    return code;
}

int airfoil_create(int points, uint64_t seed, airfoil *mesh) {
    layout *layout = ALLOCATE(struct layout, 1);
    memset(mesh, 0, sizeof *mesh);
    fit_rings(points, layout);
    mesh->points = points;
    mesh->surface = layout->ring[0].points;
    mesh->radius = far_radius;
    mesh->x = ALLOCATE(double, points);
    mesh->y = ALLOCATE(double, points);
    place_points(layout, seed, mesh);
    free(layout);
    int code = triangulate(mesh);
    if (code) airfoil_destroy(mesh);
    return code;
}

void airfoil_destroy(airfoil *mesh) {
    free(mesh->x);
    free(mesh->y);
    free(mesh->corner);
    memset(mesh, 0, sizeof *mesh);
}
