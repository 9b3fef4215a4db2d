/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry points of Fortran. Those of Open MPI call MPI by its profiling names, so the C functions here
 * would never see them; those of MPICH call the C functions, and need nothing. Each has the names that the
 * compilers make of it, and the one that the module mpi_f08 calls. A call that MPI is to serve goes on to its
 * own Fortran function, with the arguments as they came.
 *
 * In place and bottom are addresses of variables there.
 */
#include "preload.h"

#if defined(OPEN_MPI)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fortran.h"

/* Of all forms; those with one count for all have no displacements. */
typedef struct arguments {
    void *sendbuf;
    MPI_Fint *sendcount;
    void *sdispls;
    MPI_Fint *sendtype;
    void *recvbuf;
    MPI_Fint *recvcount;
    void *rdispls;
    MPI_Fint *recvtype, *comm, *request, *ierror;
} arguments;

typedef void same_function(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                           MPI_Fint *);
typedef void each_function(void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *,
                           MPI_Fint *, MPI_Fint *);

typedef void same_starter(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                          MPI_Fint *, MPI_Fint *);
typedef void each_starter(void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *,
                          MPI_Fint *, MPI_Fint *, MPI_Fint *);

/* ---- Fortran's variables ------------------------------------------------------------------------------- */

/* Under the names that compilers make of them; looked up once, for that takes longer than many a call. */
enum { SPELLINGS = 4 };
static void *in_place[SPELLINGS], *bottom[SPELLINGS];

static void find_variables(void) {
    static const char *const in_place_name[SPELLINGS] = {"mpi_fortran_in_place_", "mpi_fortran_in_place",
                                                         "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"};
    static const char *const bottom_name[SPELLINGS] = {"mpi_fortran_bottom_", "mpi_fortran_bottom",
                                                       "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"};
    for (int i = 0; i < SPELLINGS; i++) {
        in_place[i] = dlsym(RTLD_DEFAULT, in_place_name[i]);
        bottom[i] = dlsym(RTLD_DEFAULT, bottom_name[i]);
    }
}

static int is_one_of(const void *address, void *const variable[SPELLINGS]) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_variables);
    for (int i = 0; i < SPELLINGS; i++)
        if (variable[i] && variable[i] == address) return 1;
    return 0;
}

static uintptr_t base_of(void *address) {
    return is_one_of(address, bottom) ? 0 : (uintptr_t)address;
}

/* ---- the plain call ------------------------------------------------------------------------------------ */

/* [starts][to neighbors][form] */
static const char *const names[2][2][QDRI_FORMS] = {
    {{"mpi_alltoall_", "mpi_alltoallv_", "mpi_alltoallw_"},
     {"mpi_neighbor_alltoall_", "mpi_neighbor_alltoallv_", "mpi_neighbor_alltoallw_"}},
    {{"mpi_ialltoall_", "mpi_ialltoallv_", "mpi_ialltoallw_"},
     {"mpi_ineighbor_alltoall_", "mpi_ineighbor_alltoallv_", "mpi_ineighbor_alltoallw_"}},
};

static int plain(const qdri_call *call) {
    static uintptr_t known[2][2][QDRI_FORMS];
    const arguments *a = call->arguments;
    uintptr_t *next = &known[call->starts][call->to_neighbors][call->form];
    if (!*next) *next = (uintptr_t)dlsym(RTLD_NEXT, names[call->starts][call->to_neighbors][call->form]);
    if (call->form == QDRI_SAME && call->starts)
        ((same_starter *)*next)(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                                a->comm, a->request, a->ierror);
    else if (call->form == QDRI_SAME)
        ((same_function *)*next)(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                                 a->comm, a->ierror);
    else if (call->starts)
        ((each_starter *)*next)(a->sendbuf, a->sendcount, a->sdispls, a->sendtype, a->recvbuf, a->recvcount,
                                a->rdispls, a->recvtype, a->comm, a->request, a->ierror);
    else
        ((each_function *)*next)(a->sendbuf, a->sendcount, a->sdispls, a->sendtype, a->recvbuf, a->recvcount,
                                 a->rdispls, a->recvtype, a->comm, a->ierror);
    return *a->ierror;
}

/* ---- served -------------------------------------------------------------------------------------------- */

static MPI_Datatype *types_of(const MPI_Fint *handle, int count) {
    MPI_Datatype *type = QDRI_ARRAY(MPI_Datatype, count);
    for (int i = 0; type && i < count; i++) type[i] = PMPI_Type_f2c(handle[i]);
    return type;
}

/* Handles of all messages, or of each, as those of C; false without memory. */
static int read_types(qdri_call *call, const arguments *a, MPI_Datatype *made[2]) {
    int outs = 0, ins = 0;
    if (call->form != QDRI_W) {
        call->out.type = PMPI_Type_f2c(*a->sendtype);
        call->in.type = PMPI_Type_f2c(*a->recvtype);
        return 1;
    }
    if (call->to_neighbors)
        qdri_neighbor_edges(call->comm, &outs, &ins);
    else
        PMPI_Comm_size(call->comm, &outs), ins = outs;
    call->out.each_type = made[0] = types_of(a->sendtype, outs);
    call->in.each_type = made[1] = types_of(a->recvtype, ins);
    return made[0] && made[1];
}

static void read_places(qdri_call *call, const arguments *a) {
    if (call->form == QDRI_SAME) {
        call->out.same = (int)*a->sendcount;
        call->in.same = (int)*a->recvcount;
        return;
    }
    call->out.count = (int *)a->sendcount;
    call->in.count = (int *)a->recvcount;
    if (call->form == QDRI_W && call->to_neighbors) {
        call->out.address = a->sdispls;
        call->in.address = a->rdispls;
    } else {
        call->out.displacement = a->sdispls;
        call->in.displacement = a->rdispls;
    }
}

static void serve(arguments *a, qdri_call call) {
    MPI_Datatype *made[2] = {NULL, NULL};
    MPI_Request request = MPI_REQUEST_NULL; /* stays so if MPI serves */
    int is_in_place = !call.to_neighbors && is_one_of(a->sendbuf, in_place);
    call.comm = PMPI_Comm_f2c(*a->comm);
    call.arguments = a;
    call.request = &request;
    /* Counts of another width than C's, or nothing that could be served: as they came. */
    if (sizeof(MPI_Fint) != sizeof(int) || is_in_place || call.comm == MPI_COMM_NULL) {
        plain(&call);
        return;
    }
    call.name = qdri_call_name(call.starts, call.to_neighbors, call.form);
    call.out.base = base_of(a->sendbuf);
    call.in.base = base_of(a->recvbuf);
    call.plain = plain;
    if (!read_types(&call, a, made)) {
        qdri_preload_say("%s: too little memory", call.name);
        PMPI_Abort(call.comm, 1); /* the others go another way */
    }
    read_places(&call, a);
    *a->ierror = qdri_intercept(&call);
    if (request != MPI_REQUEST_NULL) *a->request = PMPI_Request_c2f(request);
    free(made[0]);
    free(made[1]);
}

/* ---- entry points -------------------------------------------------------------------------------------- */

#define SAME_ENTRY(lower, UPPER, neighbors)                                                                  \
    QDRI_EXPORTED same_function mpi_##lower##_;                                                              \
    QDRI_EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf, \
                                      MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm,               \
                                      MPI_Fint *ierror) {                                                    \
        arguments a = {sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,                               \
                       NULL,    recvtype,  comm, NULL,     ierror};                                          \
        serve(&a, (qdri_call){.form = QDRI_SAME, .to_neighbors = neighbors, QDRI_FROM_HERE});                \
    }                                                                                                        \
    QDRI_ALIASES(same_function, lower, UPPER)

#define SAME_STARTER(lower, UPPER, neighbors)                                                                \
    QDRI_EXPORTED same_starter mpi_##lower##_;                                                               \
    QDRI_EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf, \
                                      MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm,               \
                                      MPI_Fint *request, MPI_Fint *ierror) {                                 \
        arguments a = {sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,                               \
                       NULL,    recvtype,  comm, request,  ierror};                                          \
        serve(&a, (qdri_call){.form = QDRI_SAME, .to_neighbors = neighbors, .starts = 1, QDRI_FROM_HERE});   \
    }                                                                                                        \
    QDRI_ALIASES(same_starter, lower, UPPER)

#define EACH_ENTRY(lower, UPPER, which, neighbors)                                                           \
    QDRI_EXPORTED each_function mpi_##lower##_;                                                              \
    QDRI_EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcount, void *sdispls, MPI_Fint *sendtype, \
                                      void *recvbuf, MPI_Fint *recvcount, void *rdispls, MPI_Fint *recvtype, \
                                      MPI_Fint *comm, MPI_Fint *ierror) {                                    \
        arguments a = {sendbuf, sendcount, sdispls, sendtype, recvbuf, recvcount,                            \
                       rdispls, recvtype,  comm,    NULL,     ierror};                                       \
        serve(&a, (qdri_call){.form = which, .to_neighbors = neighbors, QDRI_FROM_HERE});                    \
    }                                                                                                        \
    QDRI_ALIASES(each_function, lower, UPPER)

#define EACH_STARTER(lower, UPPER, which, neighbors)                                                         \
    QDRI_EXPORTED each_starter mpi_##lower##_;                                                               \
    QDRI_EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcount, void *sdispls, MPI_Fint *sendtype, \
                                      void *recvbuf, MPI_Fint *recvcount, void *rdispls, MPI_Fint *recvtype, \
                                      MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) {                 \
        arguments a = {sendbuf, sendcount, sdispls, sendtype, recvbuf, recvcount,                            \
                       rdispls, recvtype,  comm,    request,  ierror};                                       \
        serve(&a, (qdri_call){.form = which, .to_neighbors = neighbors, .starts = 1, QDRI_FROM_HERE});       \
    }                                                                                                        \
    QDRI_ALIASES(each_starter, lower, UPPER)

SAME_ENTRY(alltoall, ALLTOALL, 0)
EACH_ENTRY(alltoallv, ALLTOALLV, QDRI_V, 0)
EACH_ENTRY(alltoallw, ALLTOALLW, QDRI_W, 0)
SAME_ENTRY(neighbor_alltoall, NEIGHBOR_ALLTOALL, 1)
EACH_ENTRY(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, QDRI_V, 1)
EACH_ENTRY(neighbor_alltoallw, NEIGHBOR_ALLTOALLW, QDRI_W, 1)
SAME_STARTER(ialltoall, IALLTOALL, 0)
EACH_STARTER(ialltoallv, IALLTOALLV, QDRI_V, 0)
EACH_STARTER(ialltoallw, IALLTOALLW, QDRI_W, 0)
SAME_STARTER(ineighbor_alltoall, INEIGHBOR_ALLTOALL, 1)
EACH_STARTER(ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, QDRI_V, 1)
EACH_STARTER(ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, QDRI_W, 1)

#else
typedef int qdri_nothing_to_do; /* a file must not be empty */
#endif
