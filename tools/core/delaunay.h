/* SPDX-License-Identifier: BSD-3-Clause */
/* The Delaunay triangulation of points in the plane and in space, by Qhull. */
#ifndef DELAUNAY_H
#define DELAUNAY_H

#include <stdint.h>

/* Coordinate d of point p is coordinate[dimensions * p + d]; a simplex has dimensions + 1 corners, in any order. The caller
 * frees *corner. `family` stands for the mesh in messages. Complains and returns an exit code. */
int delaunay(const char *family, int dimensions, int points, const double *coordinate, int **corner,
             int *simplices);

#endif
