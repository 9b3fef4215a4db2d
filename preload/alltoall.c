/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry points of C. The plain call goes to whoever comes next in the order of the dynamic linker: MPI
 * itself, or another tool that was preloaded behind this one.
 */
#include <dlfcn.h>

#include "preload.h"

#define EXPORTED __attribute__((visibility("default")))

#define SAME_ARGUMENTS                                                                                       \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,                 \
        MPI_Datatype recvtype, MPI_Comm comm
#define V_ARGUMENTS                                                                                          \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,  \
        const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define W_ARGUMENTS                                                                                          \
    const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],        \
        void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],          \
        MPI_Comm comm
#define NEIGHBOR_W_ARGUMENTS                                                                                 \
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],   \
        void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],     \
        MPI_Comm comm

#define SAME_CALL                                                                                            \
    .form = QDRI_SAME, .comm = comm, .out = {(uintptr_t)sendbuf, .same = sendcount, .type = sendtype},       \
    .in = {(uintptr_t)recvbuf, .same = recvcount, .type = recvtype}, QDRI_FROM_HERE
#define V_CALL                                                                                               \
    .form = QDRI_V, .comm = comm,                                                                            \
    .out = {(uintptr_t)sendbuf, sendcounts, .displacement = sdispls, .type = sendtype},                      \
    .in = {(uintptr_t)recvbuf, recvcounts, .displacement = rdispls, .type = recvtype}, QDRI_FROM_HERE
#define W_CALL                                                                                               \
    .form = QDRI_W, .comm = comm,                                                                            \
    .out = {(uintptr_t)sendbuf, sendcounts, .displacement = sdispls, .each_type = sendtypes},                \
    .in = {(uintptr_t)recvbuf, recvcounts, .displacement = rdispls, .each_type = recvtypes}, QDRI_FROM_HERE
#define NEIGHBOR_W_CALL                                                                                      \
    .form = QDRI_W, .to_neighbors = 1, .comm = comm,                                                         \
    .out = {(uintptr_t)sendbuf, sendcounts, .address = sdispls, .each_type = sendtypes},                     \
    .in = {(uintptr_t)recvbuf, recvcounts, .address = rdispls, .each_type = recvtypes}, QDRI_FROM_HERE

#define STARTS .starts = 1, .request = request

typedef int same_function(SAME_ARGUMENTS);
typedef int v_function(V_ARGUMENTS);
typedef int w_function(W_ARGUMENTS);
typedef int neighbor_w_function(NEIGHBOR_W_ARGUMENTS);
typedef int same_starter(SAME_ARGUMENTS, MPI_Request *request);
typedef int v_starter(V_ARGUMENTS, MPI_Request *request);
typedef int w_starter(W_ARGUMENTS, MPI_Request *request);
typedef int neighbor_w_starter(NEIGHBOR_W_ARGUMENTS, MPI_Request *request);

/* ---- the plain call ------------------------------------------------------------------------------------ */

/* [starts][to neighbors][form] */
static const char *const names[2][2][QDRI_FORMS] = {
    {{"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"},
     {"MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw"}},
    {{"MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw"},
     {"MPI_Ineighbor_alltoall", "MPI_Ineighbor_alltoallv", "MPI_Ineighbor_alltoallw"}},
};

const char *qdri_call_name(int starts, int to_neighbors, qdri_form form) {
    return names[starts][to_neighbors][form];
}

static uintptr_t own_of(int starts, int to_neighbors, qdri_form form) {
    const uintptr_t own[2][2][QDRI_FORMS] = {
        {{(uintptr_t)PMPI_Alltoall, (uintptr_t)PMPI_Alltoallv, (uintptr_t)PMPI_Alltoallw},
         {(uintptr_t)PMPI_Neighbor_alltoall, (uintptr_t)PMPI_Neighbor_alltoallv,
          (uintptr_t)PMPI_Neighbor_alltoallw}},
        {{(uintptr_t)PMPI_Ialltoall, (uintptr_t)PMPI_Ialltoallv, (uintptr_t)PMPI_Ialltoallw},
         {(uintptr_t)PMPI_Ineighbor_alltoall, (uintptr_t)PMPI_Ineighbor_alltoallv,
          (uintptr_t)PMPI_Ineighbor_alltoallw}},
    };
    return own[starts][to_neighbors][form];
}

/* The next function of its name, or MPI's own. */
static uintptr_t next_of(const qdri_call *call) {
    static uintptr_t known[2][2][QDRI_FORMS];
    uintptr_t *next = &known[call->starts][call->to_neighbors][call->form];
    if (!*next) *next = (uintptr_t)dlsym(RTLD_NEXT, call->name);
    if (!*next) *next = own_of(call->starts, call->to_neighbors, call->form);
    return *next;
}

static int plain(const qdri_call *call) {
    uintptr_t next = next_of(call);
    const qdri_given *out = &call->out, *in = &call->in;
    const void *from = (const void *)out->base;
    void *to = (void *)in->base;
    if (call->form == QDRI_SAME)
        return ((same_function *)next)(from, out->same, out->type, to, in->same, in->type, call->comm);
    if (call->form == QDRI_V)
        return ((v_function *)next)(from, out->count, out->displacement, out->type, to, in->count,
                                    in->displacement, in->type, call->comm);
    if (call->to_neighbors)
        return ((neighbor_w_function *)next)(from, out->count, out->address, out->each_type, to, in->count,
                                             in->address, in->each_type, call->comm);
    return ((w_function *)next)(from, out->count, out->displacement, out->each_type, to, in->count,
                                in->displacement, in->each_type, call->comm);
}

static int plain_start(const qdri_call *call) {
    uintptr_t next = next_of(call);
    const qdri_given *out = &call->out, *in = &call->in;
    const void *from = (const void *)out->base;
    void *to = (void *)in->base;
    if (call->form == QDRI_SAME)
        return ((same_starter *)next)(from, out->same, out->type, to, in->same, in->type, call->comm,
                                      call->request);
    if (call->form == QDRI_V)
        return ((v_starter *)next)(from, out->count, out->displacement, out->type, to, in->count,
                                   in->displacement, in->type, call->comm, call->request);
    if (call->to_neighbors)
        return ((neighbor_w_starter *)next)(from, out->count, out->address, out->each_type, to, in->count,
                                            in->address, in->each_type, call->comm, call->request);
    return ((w_starter *)next)(from, out->count, out->displacement, out->each_type, to, in->count,
                               in->displacement, in->each_type, call->comm, call->request);
}

/* ---- entry points -------------------------------------------------------------------------------------- */

/* Neighbors have no calls in place. */
static int serve(qdri_call call) {
    call.name = names[call.starts][call.to_neighbors][call.form];
    call.in_place = !call.to_neighbors && call.out.base == (uintptr_t)MPI_IN_PLACE;
    call.plain = call.starts ? plain_start : plain;
    return qdri_intercept(&call);
}

EXPORTED int MPI_Alltoall(SAME_ARGUMENTS) {
    return serve((qdri_call){SAME_CALL});
}

EXPORTED int MPI_Alltoallv(V_ARGUMENTS) {
    return serve((qdri_call){V_CALL});
}

EXPORTED int MPI_Alltoallw(W_ARGUMENTS) {
    return serve((qdri_call){W_CALL});
}

EXPORTED int MPI_Neighbor_alltoall(SAME_ARGUMENTS) {
    return serve((qdri_call){SAME_CALL, .to_neighbors = 1});
}

EXPORTED int MPI_Neighbor_alltoallv(V_ARGUMENTS) {
    return serve((qdri_call){V_CALL, .to_neighbors = 1});
}

EXPORTED int MPI_Neighbor_alltoallw(NEIGHBOR_W_ARGUMENTS) {
    return serve((qdri_call){NEIGHBOR_W_CALL});
}

EXPORTED int MPI_Ialltoall(SAME_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, SAME_CALL});
}

EXPORTED int MPI_Ialltoallv(V_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, V_CALL});
}

EXPORTED int MPI_Ialltoallw(W_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, W_CALL});
}

EXPORTED int MPI_Ineighbor_alltoall(SAME_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, SAME_CALL, .to_neighbors = 1});
}

EXPORTED int MPI_Ineighbor_alltoallv(V_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, V_CALL, .to_neighbors = 1});
}

EXPORTED int MPI_Ineighbor_alltoallw(NEIGHBOR_W_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, NEIGHBOR_W_CALL});
}
