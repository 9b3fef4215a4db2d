/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quadrille on MPI: all of quadrille.h, and what runs patterns on a communicator. Include this header for
 * everything, or one of the parts:
 *
 *     quadrille/pending.h       waiting for what was started
 *     quadrille/discover.h      learning who sends to whom
 *     quadrille/plan.h          plans and exchanges
 *     quadrille/map.h           plans at the level of elements: halos, sparse matrices, particles
 *     quadrille/collectives.h   all-to-all; broadcast
 *     quadrille/deliver.h       items to ranks that do not know what will come
 *     quadrille/directory.h     who owns what; from "I own these, I need those" to a map
 *     quadrille/migrate.h       moving items to their owners within a memory limit
 *     quadrille/couple.h        two parallel programs exchange parts of distributed arrays
 */
#ifndef QUADRILLE_MPI_H
#define QUADRILLE_MPI_H

#include "quadrille.h"
#include "quadrille/collectives.h"
#include "quadrille/couple.h"
#include "quadrille/deliver.h"
#include "quadrille/directory.h"
#include "quadrille/discover.h"
#include "quadrille/map.h"
#include "quadrille/migrate.h"
#include "quadrille/pending.h"
#include "quadrille/plan.h"

#endif
