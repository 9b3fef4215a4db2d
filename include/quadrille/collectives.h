/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regular exchanges of the CM-5 paper, on MPI: from all to all, and broadcast.
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

/* Collective. Block r of this rank's `outgoing`, the bytes r*bytes to (r+1)*bytes, comes to rank r and there to the place
 * of this rank in `incoming`, as with MPI_Alltoall; the two must not overlap. `algorithm` is NULL for what suits: the
 * node's memory where all ranks share a node, else PEX. Or it is LEX, PEX, REX or BEX, or another name of the table that
 * needs no machine, with options if wanted. It and `bytes` are the same on all ranks; `bytes` may be another at every call.
 *
 * The first call of an algorithm makes a plan, O(ranks), which is kept with the communicator until that is freed; all
 * ranks get the same status then. Later calls agree on nothing, and from the second of the same size on they allocate
 * nothing. A call in which the deadline (QDR_DEADLINE) passes leaves the communicator unfit for further ones, and its
 * memory must stay until the communicator is freed. */
qdr_status qdr_alltoall(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                        void *incoming);

/* Collective. The same without waiting for the end (quadrille/pending.h); only the first call of an algorithm waits, for
 * its plan. Two of an algorithm may be under way: QDR_ERR_BUSY for a third. After QDR_ERR_STALLED the handle is NULL. */
qdr_status qdr_alltoall_start(MPI_Comm comm, const char *algorithm, int64_t bytes, const void *outgoing,
                              void *incoming, qdr_pending **pending);

/* Collective over the ranks of `group` alone, which all give the same list and number of bytes; no
 * communicator is made for them. group[0] has the data, the others get it. "linear" (LIB): to one after the
 * other; "recursive" (REB): those who have it pass it on, in lg count steps; NULL is recursive. Groups may
 * overlap: ranks that share several broadcasts call them in the same order, as with all collective calls.
 *
 * The communicator must be prepared: by qdr_prepare(), or by any earlier collective call of the library on
 * it. Otherwise the call is refused. Allocates O(count). Nothing is agreed, so each rank returns its own
 * status. The deadline is as above. */
qdr_status qdr_broadcast(MPI_Comm comm, const char *algorithm, int count, const int *group, void *data,
                         int64_t bytes);

/* Collective. Makes what the library keeps with a communicator, so that later calls by a few of its ranks can
 * do without the others. All calls over the whole communicator do it by themselves; doing it again is local
 * and costs nothing. */
qdr_status qdr_prepare(MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
