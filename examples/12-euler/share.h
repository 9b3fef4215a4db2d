/* SPDX-License-Identifier: BSD-3-Clause */
/* What one rank has of the mesh, and the map that brings it what it needs of the others. */
#ifndef SHARE_H
#define SHARE_H

#include "gas.h"
#include "mesh.h"
#include "quadrille-mpi.h"

/* Own points first, then neighbours of own points, then neighbours of these; each of the three by rising number. Edges
 * name points by their place there. */
typedef struct share {
    MPI_Comm comm;
    int rank, ranks;
    int64_t points, near, places; /* the ends of the three */
    int64_t *number;              /* [places]: in the mesh */
    int64_t edges;
    edge *edge;     /* all edges of the points before `near`, in the order of the mesh */
    vector *across; /* [edges]: from the first end to the second */
    qdr_map *map;   /* of the ghosts */
} share;

/* Collective. `layers` of ghosts: 1 or 2; with 1, `near` is `places`. */
qdr_status take_share(MPI_Comm comm, const mesh *all, int layers, share *own);
void release(share *own);

/* Collective. What all ranks have, as one number. */
double in_all(double value, MPI_Op operation, const share *own);

/* Collective. Brings what own points have to rank 0, in the order of the mesh; elsewhere `everything` is NULL. */
qdr_status collect(const share *own, const mesh *all, state *u, state *everything);

/* Collective. Who sends how many bytes to whom when ghosts are brought. */
qdr_status find_pattern(const share *own, qdr_pattern **pattern);

#endif
