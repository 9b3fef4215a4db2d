/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh of triangles around an airfoil, for the examples that need one: mesh.c. */
#ifndef MESH_H
#define MESH_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t ends[2];

typedef struct point {
    double place[2];
    int64_t number; /* its own */
} point;

typedef struct mesh {
    int64_t points, edges;
    point *point;
    ends *edge; /* the numbers of the two points */
} mesh;

enum { FEWEST_POINTS = 14, MOST_POINTS = 100000000 };

/* Of so many points, or a few less. */
mesh make_mesh(int64_t points);

/* The owner of each point: parts of equal size, cut along straight lines. */
int *deal_out(const mesh *all, int ranks);

/* A number between 0 and 1 that looks like chance, and is the same everywhere. */
double noise(int64_t number);

/* Memory, all zero. An example may give up when there is none. */
void *room(int64_t count, size_t bytes);

#endif
