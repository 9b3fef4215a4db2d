/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry points of Fortran of calls that are left to MPI (before.c), where those of C do not see them. */
#include "preload.h"

#if defined(OPEN_MPI)

#include <dlfcn.h>

#include "before.h"
#include "fortran.h"
#include "persistent.h"

typedef void barrier_function(MPI_Fint *comm, MPI_Fint *ierror);
typedef void bcast_function(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm,
                            MPI_Fint *ierror);
typedef void allreduce_function(void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                                MPI_Fint *comm, MPI_Fint *ierror);
typedef void free_function(MPI_Fint *comm, MPI_Fint *ierror);

static uintptr_t next_of(const char *name) {
    return (uintptr_t)dlsym(RTLD_NEXT, name);
}

QDRI_EXPORTED barrier_function mpi_barrier_;
QDRI_EXPORTED void mpi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) {
    static barrier_function *next;
    if (!next) next = (barrier_function *)next_of("mpi_barrier_");
    qdri_before_collective(PMPI_Comm_f2c(*comm));
    next(comm, ierror);
}
QDRI_ALIASES(barrier_function, barrier, BARRIER)

QDRI_EXPORTED bcast_function mpi_bcast_;
QDRI_EXPORTED void mpi_bcast_(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm,
                              MPI_Fint *ierror) {
    static bcast_function *next;
    if (!next) next = (bcast_function *)next_of("mpi_bcast_");
    qdri_before_collective(PMPI_Comm_f2c(*comm));
    next(buffer, count, type, root, comm, ierror);
}
QDRI_ALIASES(bcast_function, bcast, BCAST)

QDRI_EXPORTED allreduce_function mpi_allreduce_;
QDRI_EXPORTED void mpi_allreduce_(void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                                  MPI_Fint *comm, MPI_Fint *ierror) {
    static allreduce_function *next;
    if (!next) next = (allreduce_function *)next_of("mpi_allreduce_");
    qdri_before_collective(PMPI_Comm_f2c(*comm));
    next(sendbuf, recvbuf, count, type, op, comm, ierror);
}
QDRI_ALIASES(allreduce_function, allreduce, ALLREDUCE)

/* As in C. */
QDRI_EXPORTED free_function mpi_comm_free_;
QDRI_EXPORTED void mpi_comm_free_(MPI_Fint *comm, MPI_Fint *ierror) {
    static free_function *next;
    if (!next) next = (free_function *)next_of("mpi_comm_free_");
    qdri_before_free(PMPI_Comm_f2c(*comm));
    qdri_enter();
    next(comm, ierror);
    qdri_leave();
}
QDRI_ALIASES(free_function, comm_free, COMM_FREE)

QDRI_EXPORTED free_function mpi_comm_disconnect_;
QDRI_EXPORTED void mpi_comm_disconnect_(MPI_Fint *comm, MPI_Fint *ierror) {
    static free_function *next;
    if (!next) next = (free_function *)next_of("mpi_comm_disconnect_");
    qdri_before_disconnect(PMPI_Comm_f2c(*comm));
    qdri_enter();
    next(comm, ierror);
    qdri_leave();
}
QDRI_ALIASES(free_function, comm_disconnect, COMM_DISCONNECT)

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Persistent exchanges are initialized in C; Fortran may start and free them. */
typedef void request_function(MPI_Fint *request, MPI_Fint *ierror);
typedef void requests_function(MPI_Fint *count, MPI_Fint *request, MPI_Fint *ierror);

static int is_ours(MPI_Fint request) {
    return qdri_persistents && qdri_persistent_is(PMPI_Request_f2c(request));
}

QDRI_EXPORTED request_function mpi_start_;
QDRI_EXPORTED void mpi_start_(MPI_Fint *request, MPI_Fint *ierror) {
    static request_function *next;
    if (!next) next = (request_function *)next_of("mpi_start_");
    if (is_ours(*request))
        *ierror = qdri_persistent_start(PMPI_Request_f2c(*request));
    else
        next(request, ierror);
}
QDRI_ALIASES(request_function, start, START)

QDRI_EXPORTED requests_function mpi_startall_;
QDRI_EXPORTED void mpi_startall_(MPI_Fint *count, MPI_Fint *request, MPI_Fint *ierror) {
    static requests_function *next;
    int ours = 0;
    if (!next) next = (requests_function *)next_of("mpi_startall_");
    for (MPI_Fint i = 0; qdri_persistents && i < *count; i++) ours += is_ours(request[i]);
    *ierror = MPI_SUCCESS;
    if (!ours) next(count, request, ierror);
    for (MPI_Fint i = 0; ours && i < *count && *ierror == MPI_SUCCESS; i++) mpi_start_(&request[i], ierror);
}
QDRI_ALIASES(requests_function, startall, STARTALL)

QDRI_EXPORTED request_function mpi_request_free_;
QDRI_EXPORTED void mpi_request_free_(MPI_Fint *request, MPI_Fint *ierror) {
    static request_function *next;
    if (!next) next = (request_function *)next_of("mpi_request_free_");
    if (is_ours(*request)) qdri_persistent_free(PMPI_Request_f2c(*request));
    next(request, ierror);
}
QDRI_ALIASES(request_function, request_free, REQUEST_FREE)

#else
typedef int qdri_nothing_before; /* a file must not be empty */
#endif
