/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep over the edges of a mesh in two steps: the inspector looks once, the executor runs often. */
#ifndef SWEEP_H
#define SWEEP_H

#include "mesh.h"
#include "quadrille-mpi.h"

enum { VARIABLES = 4 };
typedef double values[VARIABLES]; /* what one point has */

/* What the inspector makes and the executor needs: a rank's share of the mesh, own points first, then the ghosts, as
 * edges happen to need them. Edges name points by their place there. */
typedef struct share {
    int64_t points, ghosts, edges;
    int64_t *number; /* [points + ghosts]: in the mesh */
    ends *edge;
    double *speed; /* of the wind along the edge, from the second end to the first */
    qdr_map *map;  /* owners to ghosts; in reverse, ghosts to owners */
} share;

/* Collective. Release what it made, also after a failure. */
qdr_status inspector(MPI_Comm comm, const mesh *all, const int *owner, share *own);
void release(share *own);

/* Runs so many sweeps over x, which has a place for each own point and each ghost; ends with the values of own points.
 * Adds the time in exchanges, waiting for others included. */
qdr_status executor(const share *own, int sweeps, values *x, double *seconds);

#endif
