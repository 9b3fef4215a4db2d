/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangles around a NACA 0012 airfoil, and the cells around their corners. */
#ifndef MESH_H
#define MESH_H

#include <stddef.h>
#include <stdint.h>

typedef double vector[2];

/* A wall between the cells of two points. */
typedef struct edge {
    int64_t end[2]; /* the first is the smaller number */
    vector normal;  /* of the wall, out of the first cell into the second, as long as the wall is */
} edge;

/* Points 0 .. wall-1 are on the airfoil, the last `far` ones on the far circle. */
typedef struct mesh {
    int64_t points, wall, far, triangles, edges;
    vector *place;
    int64_t (*corner)[3]; /* anticlockwise */
    edge *edge;           /* by rising ends: an order that is the same wherever a part of the mesh is */
    double *volume;       /* of the cell around a point */
    vector *outward;      /* normal of what the cell has of the boundary; none inside */
} mesh;

enum { FEWEST_POINTS = 100, MOST_POINTS = 20000000 };

/* Exactly so many points. */
mesh make_mesh(int64_t points);
void free_mesh(mesh *all);

/* Memory, all zero. An example may give up when there is none. */
void *room(int64_t count, size_t bytes);

#endif
