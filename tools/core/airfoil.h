/* SPDX-License-Identifier: BSD-3-Clause */
/* An unstructured triangular mesh around a NACA 0012 airfoil. */
#ifndef AIRFOIL_H
#define AIRFOIL_H

#include <stdint.h>

enum { AIRFOIL_FEWEST_POINTS = 100, AIRFOIL_MOST_POINTS = 4000000 };

typedef struct airfoil {
    int points;
    double *x, *y; /* chord from (0, 0) to (1, 0) */
    int triangles;
    int *corner;   /* 3 per triangle, point numbers */
    int surface;   /* points 0..surface-1 lie on the airfoil, in order */
    double radius; /* of the far-field circle around (0.5, 0) */
} airfoil;

/* Exactly `points` points; the same mesh for the same arguments. Complains and returns an exit code. */
int airfoil_create(int points, uint64_t seed, airfoil *mesh);
void airfoil_destroy(airfoil *mesh);

#endif
