/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry points of C. The plain call goes to whoever comes next in the order of the dynamic linker: MPI
 * itself, or another tool that was preloaded behind this one.
 */
#include <dlfcn.h>

#include "preload.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int v_function(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
                       MPI_Datatype, MPI_Comm);
typedef int w_function(const void *, const int *, const int *, const MPI_Datatype *, void *, const int *,
                       const int *, const MPI_Datatype *, MPI_Comm);
typedef int neighbor_w_function(const void *, const int *, const MPI_Aint *, const MPI_Datatype *, void *,
                                const int *, const MPI_Aint *, const MPI_Datatype *, MPI_Comm);

/* The next function of this name, or MPI's own. */
static uintptr_t next_of(const char *name, uintptr_t own) {
    void *next = dlsym(RTLD_NEXT, name);
    return next ? (uintptr_t)next : own;
}

static int plain_v(const qdri_call *call) {
    static v_function *known[2];
    v_function **next = &known[call->to_neighbors];
    if (!*next)
        *next = (v_function *)next_of(call->name, call->to_neighbors ? (uintptr_t)PMPI_Neighbor_alltoallv
                                                                     : (uintptr_t)PMPI_Alltoallv);
    const qdri_given *out = &call->out, *in = &call->in;
    return (*next)((const void *)out->base, out->count, out->displacement, out->type, (void *)in->base,
                   in->count, in->displacement, in->type, call->comm);
}

static int plain_w(const qdri_call *call) {
    static w_function *next;
    if (!next) next = (w_function *)next_of(call->name, (uintptr_t)PMPI_Alltoallw);
    const qdri_given *out = &call->out, *in = &call->in;
    return next((const void *)out->base, out->count, out->displacement, out->each_type, (void *)in->base,
                in->count, in->displacement, in->each_type, call->comm);
}

static int plain_neighbor_w(const qdri_call *call) {
    static neighbor_w_function *next;
    if (!next) next = (neighbor_w_function *)next_of(call->name, (uintptr_t)PMPI_Neighbor_alltoallw);
    const qdri_given *out = &call->out, *in = &call->in;
    return next((const void *)out->base, out->count, out->address, out->each_type, (void *)in->base,
                in->count, in->address, in->each_type, call->comm);
}

EXPORTED int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm) {
    qdri_call call = {.name = "MPI_Alltoallv",
                      .comm = comm,
                      .out = {(uintptr_t)sendbuf, sendcounts, sdispls, .type = sendtype},
                      .in = {(uintptr_t)recvbuf, recvcounts, rdispls, .type = recvtype},
                      .in_place = sendbuf == MPI_IN_PLACE,
                      .plain = plain_v,
                      QDRI_FROM_HERE};
    return qdri_intercept(&call);
}

EXPORTED int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                    MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    qdri_call call = {.name = "MPI_Neighbor_alltoallv",
                      .to_neighbors = 1,
                      .comm = comm,
                      .out = {(uintptr_t)sendbuf, sendcounts, sdispls, .type = sendtype},
                      .in = {(uintptr_t)recvbuf, recvcounts, rdispls, .type = recvtype},
                      .plain = plain_v,
                      QDRI_FROM_HERE};
    return qdri_intercept(&call);
}

EXPORTED int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                           const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    qdri_call call = {.name = "MPI_Alltoallw",
                      .comm = comm,
                      .out = {(uintptr_t)sendbuf, sendcounts, sdispls, .each_type = sendtypes},
                      .in = {(uintptr_t)recvbuf, recvcounts, rdispls, .each_type = recvtypes},
                      .in_place = sendbuf == MPI_IN_PLACE,
                      .plain = plain_w,
                      QDRI_FROM_HERE};
    return qdri_intercept(&call);
}

EXPORTED int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    qdri_call call = {
        .name = "MPI_Neighbor_alltoallw",
        .to_neighbors = 1,
        .comm = comm,
        .out = {(uintptr_t)sendbuf, sendcounts, .address = sdispls, .each_type = sendtypes},
        .in = {(uintptr_t)recvbuf, recvcounts, .address = rdispls, .each_type = recvtypes},
        .plain = plain_neighbor_w,
        QDRI_FROM_HERE,
    };
    return qdri_intercept(&call);
}
