/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry points of persistent exchanges in C, under both names that Open MPI has given them: its own in 4.1, and those of
 * MPI 4.0 later. Their arguments are those of alltoall.c. With MPICH they are left to MPI (persistent.c says why).
 */
#include "preload.h"

#if defined(OPEN_MPI)

#include <dlfcn.h>

#include "arguments.h"

typedef int same_function(QDRI_SAME_ARGUMENTS, MPI_Info info, MPI_Request *request);
typedef int v_function(QDRI_V_ARGUMENTS, MPI_Info info, MPI_Request *request);
typedef int w_function(QDRI_W_ARGUMENTS, MPI_Info info, MPI_Request *request);
typedef int neighbor_w_function(QDRI_NEIGHBOR_W_ARGUMENTS, MPI_Info info, MPI_Request *request);

/* [of MPI 4.0][to neighbors][form] */
static const char *const names[2][2][QDRI_FORMS] = {
    {{"MPIX_Alltoall_init", "MPIX_Alltoallv_init", "MPIX_Alltoallw_init"},
     {"MPIX_Neighbor_alltoall_init", "MPIX_Neighbor_alltoallv_init", "MPIX_Neighbor_alltoallw_init"}},
    {{"MPI_Alltoall_init", "MPI_Alltoallv_init", "MPI_Alltoallw_init"},
     {"MPI_Neighbor_alltoall_init", "MPI_Neighbor_alltoallv_init", "MPI_Neighbor_alltoallw_init"}},
};

/* The program has called a function of this name, so MPI has one. */
static int plain(const qdri_call *call) {
    static uintptr_t known[2][2][QDRI_FORMS];
    int standard = call->name == names[1][call->to_neighbors][call->form];
    uintptr_t *next = &known[standard][call->to_neighbors][call->form];
    if (!*next) *next = (uintptr_t)dlsym(RTLD_NEXT, call->name);
    const qdri_given *out = &call->out, *in = &call->in;
    const void *from = (const void *)out->base;
    void *to = (void *)in->base;
    if (call->form == QDRI_SAME)
        return ((same_function *)*next)(from, out->same, out->type, to, in->same, in->type, call->comm,
                                        call->info, call->request);
    if (call->form == QDRI_V)
        return ((v_function *)*next)(from, out->count, out->displacement, out->type, to, in->count,
                                     in->displacement, in->type, call->comm, call->info, call->request);
    if (call->to_neighbors)
        return ((neighbor_w_function *)*next)(from, out->count, out->address, out->each_type, to, in->count,
                                              in->address, in->each_type, call->comm, call->info,
                                              call->request);
    return ((w_function *)*next)(from, out->count, out->displacement, out->each_type, to, in->count,
                                 in->displacement, in->each_type, call->comm, call->info, call->request);
}

static int serve(int standard, qdri_call call) {
    call.name = names[standard][call.to_neighbors][call.form];
    call.in_place = !call.to_neighbors && call.out.base == (uintptr_t)MPI_IN_PLACE;
    call.plain = plain;
    call.prepares = 1;
    return qdri_intercept(&call);
}

#define ENTRY(standard, function, name, ARGUMENTS, CALL, neighbors)                                          \
    QDRI_EXPORTED function name;                                                                             \
    QDRI_EXPORTED int name(ARGUMENTS, MPI_Info info, MPI_Request *request) {                                 \
        qdri_call call = {CALL, .info = info, .request = request};                                           \
        call.to_neighbors = neighbors;                                                                       \
        return serve(standard, call);                                                                        \
    }

#define ENTRIES(standard, PREFIX)                                                                            \
    ENTRY(standard, same_function, PREFIX##_Alltoall_init, QDRI_SAME_ARGUMENTS, QDRI_SAME_CALL, 0)           \
    ENTRY(standard, v_function, PREFIX##_Alltoallv_init, QDRI_V_ARGUMENTS, QDRI_V_CALL, 0)                   \
    ENTRY(standard, w_function, PREFIX##_Alltoallw_init, QDRI_W_ARGUMENTS, QDRI_W_CALL, 0)                   \
    ENTRY(standard, same_function, PREFIX##_Neighbor_alltoall_init, QDRI_SAME_ARGUMENTS, QDRI_SAME_CALL, 1)  \
    ENTRY(standard, v_function, PREFIX##_Neighbor_alltoallv_init, QDRI_V_ARGUMENTS, QDRI_V_CALL, 1)          \
    ENTRY(standard, neighbor_w_function, PREFIX##_Neighbor_alltoallw_init, QDRI_NEIGHBOR_W_ARGUMENTS,        \
          QDRI_NEIGHBOR_W_CALL, 1)

ENTRIES(0, MPIX)
ENTRIES(1, MPI)

#else
typedef int qdri_nothing_to_initialize; /* a file must not be empty */
#endif
