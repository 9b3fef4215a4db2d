/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's piece of a sparse system (piece.c), and how the system is solved (solver.c). */
#ifndef SOLVER_H
#define SOLVER_H

#include "matrix.h"
#include "quadrille-mpi.h"

typedef struct piece {
    MPI_Comm comm;
    int rank, ranks;
    int64_t first, rows, ghosts;
    entry *entry;   /* row: from `first`; column: in own x, or among the ghosts of one owner */
    int64_t *begin; /* [ranks + 1]: where the entries in an owner's columns begin */
    qdr_map *map;
} piece;

/* The rows of this rank, which are its elements of every vector; still without ghosts and map. */
piece take_rows(const matrix *all, MPI_Comm comm);
void release(piece *own);

/* Collective. Lists the ghosts, gives the entries in their columns new names, and makes the map of them. */
qdr_status make_map(const matrix *all, piece *own);

/* Element `row` of b. */
double right_hand_side(int64_t row);

/* Collective. Solves A x = b, from x = 0 down to 1e-10 of the first residual, in so many iterations at most. */
qdr_status solve(const piece *own, int64_t most, double *x, int64_t *iterations);

#endif
