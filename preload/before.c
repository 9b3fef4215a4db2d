/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are left to MPI, before which something is done.
 *
 * A nonblocking call must not wait for others, but its plan is made by all ranks together. That is done in the next
 * blocking collective call on its communicator: an exchange, or one of the most usual others, which are here. A program
 * must be right whether such calls wait for all ranks or not, and all ranks make them in the same order. As long as
 * nothing is wanted, it costs a look at one number.
 *
 * Before a communicator goes, the nonblocking exchanges on it end.
 */
#include <dlfcn.h>

#include "before.h"
#include "preload.h"

typedef int barrier_function(MPI_Comm comm);
typedef int bcast_function(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
typedef int allreduce_function(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm);
typedef int free_function(MPI_Comm *comm);

static uintptr_t next_of(const char *name, uintptr_t own) {
    uintptr_t next = (uintptr_t)dlsym(RTLD_NEXT, name);
    return next ? next : own;
}

QDRI_EXPORTED int MPI_Barrier(MPI_Comm comm) {
    static barrier_function *next;
    if (!next) next = (barrier_function *)next_of("MPI_Barrier", (uintptr_t)PMPI_Barrier);
    qdri_before_collective(comm);
    return next(comm);
}

QDRI_EXPORTED int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    static bcast_function *next;
    if (!next) next = (bcast_function *)next_of("MPI_Bcast", (uintptr_t)PMPI_Bcast);
    qdri_before_collective(comm);
    return next(buffer, count, type, root, comm);
}

QDRI_EXPORTED int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm) {
    static allreduce_function *next;
    if (!next) next = (allreduce_function *)next_of("MPI_Allreduce", (uintptr_t)PMPI_Allreduce);
    qdri_before_collective(comm);
    return next(sendbuf, recvbuf, count, type, op, comm);
}

/* What the library keeps with it is taken apart then, where the hook must not come. */
QDRI_EXPORTED int MPI_Comm_free(MPI_Comm *comm) {
    static free_function *next;
    if (!next) next = (free_function *)next_of("MPI_Comm_free", (uintptr_t)PMPI_Comm_free);
    if (comm) qdri_before_free(*comm);
    qdri_enter();
    int code = next(comm);
    qdri_leave();
    return code;
}

QDRI_EXPORTED int MPI_Comm_disconnect(MPI_Comm *comm) {
    static free_function *next;
    if (!next) next = (free_function *)next_of("MPI_Comm_disconnect", (uintptr_t)PMPI_Comm_disconnect);
    if (comm) qdri_before_disconnect(*comm);
    qdri_enter();
    int code = next(comm);
    qdri_leave();
    return code;
}
