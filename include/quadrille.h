/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quadrille: irregular communication on distributed-memory machines.
 *
 * Each rank has messages of different sizes for some of the others. A *pattern* says who sends how much to whom. A
 * *machine* says what the network can do. A *schedule* cuts the pattern into phases in which no rank is in another's
 * way. Include this header for all of it, or one of the parts:
 *
 *     quadrille/base.h       results and error texts
 *     quadrille/places.h     types, operations and the order of elements
 *     quadrille/layout.h     how an array lies on the ranks; regions of it
 *     quadrille/pattern.h    the sparse matrix of messages
 *     quadrille/machine.h    the network and its cost
 *     quadrille/schedule.h   from a pattern to phases; the checker; the prediction
 *     quadrille/moves.h      phases of a migration when memory is short
 *
 * None of it needs MPI. quadrille-mpi.h adds what runs exchanges on MPI.
 */
#ifndef QUADRILLE_H
#define QUADRILLE_H

#include "quadrille/base.h"
#include "quadrille/layout.h"
#include "quadrille/machine.h"
#include "quadrille/moves.h"
#include "quadrille/pattern.h"
#include "quadrille/places.h"
#include "quadrille/schedule.h"

#endif
