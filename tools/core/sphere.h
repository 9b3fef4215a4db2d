/* SPDX-License-Identifier: BSD-3-Clause */
/* An unstructured tetrahedral mesh between a sphere of radius 1 and the far field around it. */
#ifndef SPHERE_H
#define SPHERE_H

#include <stdint.h>

enum { SPHERE_FEWEST_POINTS = 100, SPHERE_MOST_POINTS = 1000000 };

typedef struct sphere {
    int points;
    double *coordinate; /* 3 per point */
    int tetrahedra;
    int *corner;   /* 4 per tetrahedron, point numbers; seen from the fourth, the others run clockwise */
    int surface;   /* points 0..surface-1 lie on the sphere */
    int far;       /* the last `far` points lie in the far field */
    double radius; /* of the far field */
} sphere;

/* Exactly `points` points; the same mesh for the same arguments. Complains and returns an exit code. */
int sphere_create(int points, uint64_t seed, sphere *mesh);
void sphere_destroy(sphere *mesh);

/* Six times the volume of a tetrahedron with these corners, positive if they are in the order above. */
double sphere_volume(const sphere *mesh, const int *corner);

#endif
