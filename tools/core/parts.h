/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo exchange of a mesh that is cut into parts. */
#ifndef PARTS_H
#define PARTS_H

#include <stdint.h>

#include "quadrille.h"

/* Points and the triangles or tetrahedra between them. */
typedef struct cells {
    const char *family; /* for messages */
    int points, corners, count;
    const int *corner; /* [corners * count], point numbers */
} cells;

typedef struct parts_request {
    int parts;
    int64_t bytes; /* of a point's value */
    int recursive; /* bisection, else k-way */
} parts_request;

/* Cuts the points into parts, part[point], and makes the pattern of their halo. part[] is zero before. Complains and returns
 * an exit code. */
int parts_pattern(const cells *cells, const parts_request *request, int *part, qdr_pattern **pattern);

#endif
