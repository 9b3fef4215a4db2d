/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regular exchanges of the CM-5 paper, on MPI: complete exchange and broadcast.
 */
#ifndef QUADRILLE_COLLECTIVES_H
#define QUADRILLE_COLLECTIVES_H

#include <mpi.h>
#include <stdint.h>

#include "quadrille/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. Rank r's bytes r*bytes .. (r+1)*bytes of `outgoing` come to it, at the sender's place of its
 * `incoming`, as MPI_Alltoall does. `algorithm` is LEX, PEX, REX or BEX, or another name of the table; NULL is
 * PEX. The plan is kept with the communicator, so only the first call of an algorithm builds anything. */
qdr_status qdr_complete_exchange(MPI_Comm comm, const char *algorithm, const void *outgoing, void *incoming,
                                 int64_t bytes);

/* Collective over the ranks of `group` alone, which all give the same list; no communicator is made. group[0]
 * has the data, the others get it. "linear" (LIB): one after the other; "recursive" (REB): doubling; NULL is
 * recursive. A communicator on which nothing of the library was used before must be prepared first. */
qdr_status qdr_broadcast(MPI_Comm comm, const char *algorithm, int count, const int *group, void *data,
                         int64_t bytes);

/* Collective. Makes what the library keeps with a communicator, so that later calls by a few of its ranks can
 * do without the others. Other calls do it by themselves. */
qdr_status qdr_prepare(MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
