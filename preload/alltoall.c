/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry points of C. The plain call goes to whoever comes next in the order of the dynamic linker: MPI
 * itself, or another tool that was preloaded behind this one.
 */
#include <dlfcn.h>

#include "arguments.h"
#include "preload.h"

#define STARTS .starts = 1, .request = request

typedef int same_function(QDRI_SAME_ARGUMENTS);
typedef int v_function(QDRI_V_ARGUMENTS);
typedef int w_function(QDRI_W_ARGUMENTS);
typedef int neighbor_w_function(QDRI_NEIGHBOR_W_ARGUMENTS);
typedef int same_starter(QDRI_SAME_ARGUMENTS, MPI_Request *request);
typedef int v_starter(QDRI_V_ARGUMENTS, MPI_Request *request);
typedef int w_starter(QDRI_W_ARGUMENTS, MPI_Request *request);
typedef int neighbor_w_starter(QDRI_NEIGHBOR_W_ARGUMENTS, MPI_Request *request);

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

QDRI_EXPORTED int MPI_Alltoall(QDRI_SAME_ARGUMENTS) {
    return serve((qdri_call){QDRI_SAME_CALL});
}

QDRI_EXPORTED int MPI_Alltoallv(QDRI_V_ARGUMENTS) {
    return serve((qdri_call){QDRI_V_CALL});
}

QDRI_EXPORTED int MPI_Alltoallw(QDRI_W_ARGUMENTS) {
    return serve((qdri_call){QDRI_W_CALL});
}

QDRI_EXPORTED int MPI_Neighbor_alltoall(QDRI_SAME_ARGUMENTS) {
    return serve((qdri_call){QDRI_SAME_CALL, .to_neighbors = 1});
}

QDRI_EXPORTED int MPI_Neighbor_alltoallv(QDRI_V_ARGUMENTS) {
    return serve((qdri_call){QDRI_V_CALL, .to_neighbors = 1});
}

QDRI_EXPORTED int MPI_Neighbor_alltoallw(QDRI_NEIGHBOR_W_ARGUMENTS) {
    return serve((qdri_call){QDRI_NEIGHBOR_W_CALL});
}

QDRI_EXPORTED int MPI_Ialltoall(QDRI_SAME_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_SAME_CALL});
}

QDRI_EXPORTED int MPI_Ialltoallv(QDRI_V_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_V_CALL});
}

QDRI_EXPORTED int MPI_Ialltoallw(QDRI_W_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_W_CALL});
}

QDRI_EXPORTED int MPI_Ineighbor_alltoall(QDRI_SAME_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_SAME_CALL, .to_neighbors = 1});
}

QDRI_EXPORTED int MPI_Ineighbor_alltoallv(QDRI_V_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_V_CALL, .to_neighbors = 1});
}

QDRI_EXPORTED int MPI_Ineighbor_alltoallw(QDRI_NEIGHBOR_W_ARGUMENTS, MPI_Request *request) {
    return serve((qdri_call){STARTS, QDRI_NEIGHBOR_W_CALL});
}
