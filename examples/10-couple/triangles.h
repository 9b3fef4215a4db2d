/* SPDX-License-Identifier: BSD-3-Clause */
/* An unstructured mesh of the right-hand square, and who owns it. */
#ifndef TRIANGLES_H
#define TRIANGLES_H

#include <stdint.h>

#include "common.h"

typedef struct triangles {
    double place[NODES][2];
    int32_t corner[TRIANGLES][3];
    int64_t interface[SIDE]; /* the vertices at x = 1, by rising y */
    int32_t owner[NODES];
} triangles;

triangles *make_triangles(int ranks);

/* Of the angle at corner k of a triangle. */
double cotangent(const triangles *mesh, int triangle, int k);
double area(const triangles *mesh, int triangle);

#endif
