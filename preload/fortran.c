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

/* All four have ten arguments, of which only the seventh ones differ in kind. */
typedef struct arguments {
    void *sendbuf;
    MPI_Fint *sendcounts;
    void *sdispls;
    MPI_Fint *sendtype;
    void *recvbuf;
    MPI_Fint *recvcounts;
    void *rdispls;
    MPI_Fint *recvtype, *comm, *ierror;
} arguments;

typedef void fortran_function(void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *, void *, MPI_Fint *,
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

enum { V, W, NEIGHBOR_V, NEIGHBOR_W, KINDS };
static const char *const c_name[] = {"MPI_Alltoallv", "MPI_Alltoallw", "MPI_Neighbor_alltoallv",
                                     "MPI_Neighbor_alltoallw"};
static const char *const fortran_name[] = {"mpi_alltoallv_", "mpi_alltoallw_", "mpi_neighbor_alltoallv_",
                                           "mpi_neighbor_alltoallw_"};

static void plain_of(int kind, const arguments *a) {
    static fortran_function *next[KINDS];
    if (!next[kind]) next[kind] = (fortran_function *)(uintptr_t)dlsym(RTLD_NEXT, fortran_name[kind]);
    next[kind](a->sendbuf, a->sendcounts, a->sdispls, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls,
               a->recvtype, a->comm, a->ierror);
}

static int plain_v(const qdri_call *call) {
    const arguments *a = call->arguments;
    plain_of(call->to_neighbors ? NEIGHBOR_V : V, a);
    return *a->ierror;
}

static int plain_w(const qdri_call *call) {
    const arguments *a = call->arguments;
    plain_of(call->to_neighbors ? NEIGHBOR_W : W, a);
    return *a->ierror;
}

/* ---- served -------------------------------------------------------------------------------------------- */

static MPI_Datatype *types_of(const MPI_Fint *handle, int count) {
    MPI_Datatype *type = QDRI_ARRAY(MPI_Datatype, count);
    for (int i = 0; type && i < count; i++) type[i] = PMPI_Type_f2c(handle[i]);
    return type;
}

static void serve(int kind, arguments *a, qdri_call call) {
    int is_neighbor = kind == NEIGHBOR_V || kind == NEIGHBOR_W, is_each = kind == W || kind == NEIGHBOR_W;
    int is_in_place = !is_neighbor && is_one_of(a->sendbuf, in_place);
    MPI_Comm comm = PMPI_Comm_f2c(*a->comm);
    /* Counts of another width than C's, or nothing that could be served: as they came. */
    if (sizeof(MPI_Fint) != sizeof(int) || is_in_place || comm == MPI_COMM_NULL) {
        plain_of(kind, a);
        return;
    }
    call.name = c_name[kind];
    call.to_neighbors = is_neighbor;
    call.comm = comm;
    call.out.base = base_of(a->sendbuf);
    call.in.base = base_of(a->recvbuf);
    call.out.count = (int *)a->sendcounts;
    call.in.count = (int *)a->recvcounts;
    call.plain = is_each ? plain_w : plain_v;
    call.arguments = a;
    MPI_Datatype *out_type = NULL, *in_type = NULL;
    if (is_each) {
        int outs = 0, ins = 0;
        if (is_neighbor)
            qdri_neighbor_edges(comm, &outs, &ins);
        else
            PMPI_Comm_size(comm, &outs), ins = outs;
        call.out.each_type = out_type = types_of(a->sendtype, outs);
        call.in.each_type = in_type = types_of(a->recvtype, ins);
    } else {
        call.out.type = PMPI_Type_f2c(*a->sendtype);
        call.in.type = PMPI_Type_f2c(*a->recvtype);
    }
    if (kind == NEIGHBOR_W) {
        call.out.address = a->sdispls;
        call.in.address = a->rdispls;
    } else {
        call.out.displacement = a->sdispls;
        call.in.displacement = a->rdispls;
    }
    *a->ierror = qdri_intercept(&call);
    free(out_type);
    free(in_type);
}

#define NAMED_AS(symbol, alias_name) EXPORTED fortran_function alias_name __attribute__((alias(#symbol)));

#define ENTRY(symbol, kind)                                                                                  \
    EXPORTED void symbol(void *sendbuf, MPI_Fint *sendcounts, void *sdispls, MPI_Fint *sendtype,             \
                         void *recvbuf, MPI_Fint *recvcounts, void *rdispls, MPI_Fint *recvtype,             \
                         MPI_Fint *comm, MPI_Fint *ierror) {                                                 \
        arguments a = {sendbuf,    sendcounts, sdispls,  sendtype, recvbuf,                                  \
                       recvcounts, rdispls,    recvtype, comm,     ierror};                                  \
        serve(kind, &a, (qdri_call){QDRI_FROM_HERE});                                                        \
    }

EXPORTED fortran_function mpi_alltoallv_, mpi_alltoallw_, mpi_neighbor_alltoallv_, mpi_neighbor_alltoallw_;
ENTRY(mpi_alltoallv_, V)
ENTRY(mpi_alltoallw_, W)
ENTRY(mpi_neighbor_alltoallv_, NEIGHBOR_V)
ENTRY(mpi_neighbor_alltoallw_, NEIGHBOR_W)
NAMED_AS(mpi_alltoallv_, mpi_alltoallv)
NAMED_AS(mpi_alltoallv_, mpi_alltoallv__)
NAMED_AS(mpi_alltoallv_, MPI_ALLTOALLV)
NAMED_AS(mpi_alltoallv_, ompi_alltoallv_f)
NAMED_AS(mpi_alltoallw_, mpi_alltoallw)
NAMED_AS(mpi_alltoallw_, mpi_alltoallw__)
NAMED_AS(mpi_alltoallw_, MPI_ALLTOALLW)
NAMED_AS(mpi_alltoallw_, ompi_alltoallw_f)
NAMED_AS(mpi_neighbor_alltoallv_, mpi_neighbor_alltoallv)
NAMED_AS(mpi_neighbor_alltoallv_, mpi_neighbor_alltoallv__)
NAMED_AS(mpi_neighbor_alltoallv_, MPI_NEIGHBOR_ALLTOALLV)
NAMED_AS(mpi_neighbor_alltoallv_, ompi_neighbor_alltoallv_f)
NAMED_AS(mpi_neighbor_alltoallw_, mpi_neighbor_alltoallw)
NAMED_AS(mpi_neighbor_alltoallw_, mpi_neighbor_alltoallw__)
NAMED_AS(mpi_neighbor_alltoallw_, MPI_NEIGHBOR_ALLTOALLW)
NAMED_AS(mpi_neighbor_alltoallw_, ompi_neighbor_alltoallw_f)

#else
typedef int qdri_nothing_to_do; /* a file must not be empty */
#endif
