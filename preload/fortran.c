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

#define EXPORTED __attribute__((visibility("default")))

/* Of all forms; those with one count for all have no displacements. */
typedef struct arguments {
    void *sendbuf;
    MPI_Fint *sendcount;
    void *sdispls;
    MPI_Fint *sendtype;
    void *recvbuf;
    MPI_Fint *recvcount;
    void *rdispls;
    MPI_Fint *recvtype, *comm, *ierror;
} arguments;

typedef void same_function(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                           MPI_Fint *);
typedef void each_function(void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *,
                           MPI_Fint *, MPI_Fint *);

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

/* [to neighbors][form] */
static const char *const names[2][QDRI_FORMS] = {
    {"mpi_alltoall_", "mpi_alltoallv_", "mpi_alltoallw_"},
    {"mpi_neighbor_alltoall_", "mpi_neighbor_alltoallv_", "mpi_neighbor_alltoallw_"},
};

static int plain(const qdri_call *call) {
    static uintptr_t known[2][QDRI_FORMS];
    const arguments *a = call->arguments;
    uintptr_t *next = &known[call->to_neighbors][call->form];
    if (!*next) *next = (uintptr_t)dlsym(RTLD_NEXT, names[call->to_neighbors][call->form]);
    if (call->form == QDRI_SAME)
        ((same_function *)*next)(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                                 a->comm, a->ierror);
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
    int is_in_place = !call.to_neighbors && is_one_of(a->sendbuf, in_place);
    call.comm = PMPI_Comm_f2c(*a->comm);
    call.arguments = a;
    /* Counts of another width than C's, or nothing that could be served: as they came. */
    if (sizeof(MPI_Fint) != sizeof(int) || is_in_place || call.comm == MPI_COMM_NULL) {
        plain(&call);
        return;
    }
    call.name = qdri_call_name(call.to_neighbors, call.form);
    call.out.base = base_of(a->sendbuf);
    call.in.base = base_of(a->recvbuf);
    call.plain = plain;
    if (!read_types(&call, a, made)) {
        qdri_preload_say("%s: too little memory", call.name);
        PMPI_Abort(call.comm, 1); /* the others go another way */
    }
    read_places(&call, a);
    *a->ierror = qdri_intercept(&call);
    free(made[0]);
    free(made[1]);
}

/* ---- entry points -------------------------------------------------------------------------------------- */

#define NAMED_AS(symbol, function, alias_name) EXPORTED function alias_name __attribute__((alias(#symbol)));

#define SAME_ENTRY(lower, UPPER, ...)                                                                        \
    EXPORTED same_function mpi_##lower##_;                                                                   \
    EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype, void *recvbuf,      \
                                 MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm,                    \
                                 MPI_Fint *ierror) {                                                         \
        arguments a = {                                                                                      \
            sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL, recvtype, comm, ierror};           \
        serve(&a, (qdri_call){.form = QDRI_SAME, QDRI_FROM_HERE, __VA_ARGS__});                              \
    }                                                                                                        \
    ALIASES(same_function, lower, UPPER)

#define EACH_ENTRY(lower, UPPER, ...)                                                                        \
    EXPORTED each_function mpi_##lower##_;                                                                   \
    EXPORTED void mpi_##lower##_(void *sendbuf, MPI_Fint *sendcounts, void *sdispls, MPI_Fint *sendtype,     \
                                 void *recvbuf, MPI_Fint *recvcounts, void *rdispls, MPI_Fint *recvtype,     \
                                 MPI_Fint *comm, MPI_Fint *ierror) {                                         \
        arguments a = {sendbuf,    sendcounts, sdispls,  sendtype, recvbuf,                                  \
                       recvcounts, rdispls,    recvtype, comm,     ierror};                                  \
        serve(&a, (qdri_call){QDRI_FROM_HERE, __VA_ARGS__});                                                 \
    }                                                                                                        \
    ALIASES(each_function, lower, UPPER)

#define ALIASES(function, lower, UPPER)                                                                      \
    NAMED_AS(mpi_##lower##_, function, mpi_##lower)                                                          \
    NAMED_AS(mpi_##lower##_, function, mpi_##lower##__)                                                      \
    NAMED_AS(mpi_##lower##_, function, MPI_##UPPER)                                                          \
    NAMED_AS(mpi_##lower##_, function, ompi_##lower##_f)

SAME_ENTRY(alltoall, ALLTOALL, .to_neighbors = 0)
EACH_ENTRY(alltoallv, ALLTOALLV, .form = QDRI_V)
EACH_ENTRY(alltoallw, ALLTOALLW, .form = QDRI_W)
SAME_ENTRY(neighbor_alltoall, NEIGHBOR_ALLTOALL, .to_neighbors = 1)
EACH_ENTRY(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, .form = QDRI_V, .to_neighbors = 1)
EACH_ENTRY(neighbor_alltoallw, NEIGHBOR_ALLTOALLW, .form = QDRI_W, .to_neighbors = 1)

#else
typedef int qdri_nothing_to_do; /* a file must not be empty */
#endif
