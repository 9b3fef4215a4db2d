/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regular exchanges of the CM-5 paper, on MPI: all-to-all, and broadcast.
 */
#ifndef QUADRILLE_COLLECTIVES_H
#define QUADRILLE_COLLECTIVES_H

#include <mpi.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/pending.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. As MPI_Alltoall: block r of this rank's `outgoing`, bytes r*bytes to (r+1)*bytes, goes to rank r, into
 * the block of `incoming` that belongs to this rank. The two buffers must not overlap. `algorithm` NULL chooses: the
 * node's memory where all ranks share a node, else PEX. Or it is LEX, PEX, REX, BEX or another name of the table that
 * needs no machine, with options if wanted. `algorithm` and `bytes` are the same on all ranks; `bytes` may change
 * from call to call.
 *
 * The first call with an algorithm makes a plan, O(ranks), which is kept with the communicator until that is freed.
 * All ranks return the same status from this call. Later calls agree on nothing, and from the second of the same size
 * on they allocate nothing. If the deadline (QDR_DEADLINE) passes in a call, the communicator is unfit for further
 * ones, and the buffers must stay until it is freed. */
qdr_status qdr_alltoall(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                        void *incoming);

/* Collective. The same without waiting for the end (quadrille/pending.h). Only the first call with an algorithm
 * waits, for its plan. Two exchanges of an algorithm may be under way; a third start returns QDR_ERR_BUSY. After
 * QDR_ERR_STALLED the handle is NULL. */
qdr_status qdr_alltoall_start(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                              void *incoming, qdr_pending **pending);

/* Collective over the ranks of `group` alone, which all give the same list and number of bytes; no communicator is
 * made for them. group[0] has the data, the others get it. "linear" (LIB): group[0] sends to one after the other.
 * "recursive" (REB): ranks that have the data pass it on, in lg count steps. NULL is "recursive". Groups may overlap:
 * ranks that share several broadcasts call them in the same order, as with all collective calls.
 *
 * The communicator must be prepared, by qdr_prepare() or by any earlier collective call of the library on it;
 * otherwise the call is refused. Allocates O(count). The ranks agree on nothing, so each returns its own status. The
 * deadline is as above. */
qdr_status qdr_broadcast(MPI_Comm comm, const char *algorithm, int count, const int *group, void *data,
                         int64_t bytes);

/* Collective. Makes what the library keeps with a communicator, so that later calls by a few of its ranks can do
 * without the others. Every call over the whole communicator does this by itself. Doing it again is local and costs
 * nothing. */
qdr_status qdr_prepare(MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
