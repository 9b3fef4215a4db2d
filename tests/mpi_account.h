/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting what the library does behind one's back: allocations and collectives. For programs of one file
 * that are linked with --wrap for all these names (tests/CMakeLists.txt).
 */
#ifndef MPI_ACCOUNT_H
#define MPI_ACCOUNT_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "wire/council.h"
#include "wire/node.h"

static int64_t allocations, collectives;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    allocations++;
    return __real_realloc(block, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    allocations++;
    return __real_posix_memalign(block, alignment, size);
}

/* COUNTED(type, name, parameters, arguments): a collective that counts itself. */
#define COUNTED(type, name, parameters, arguments)                                                           \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters {                                                                          \
        collectives++;                                                                                       \
        return __real_##name arguments;                                                                      \
    }

COUNTED(int, PMPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
COUNTED(int, PMPI_Ialltoall,
        (const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
         MPI_Comm comm, MPI_Request *request),
        (out, count, type, in, in_count, in_type, comm, request))
COUNTED(int, PMPI_Ireduce_scatter_block,
        (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
         MPI_Request *request),
        (out, in, count, type, op, comm, request))
COUNTED(int, PMPI_Iexscan,
        (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
         MPI_Request *request),
        (out, in, count, type, op, comm, request))
COUNTED(int, PMPI_Iallgatherv,
        (const void *out, int count, MPI_Datatype type, void *in, const int counts[], const int places[],
         MPI_Datatype in_type, MPI_Comm comm, MPI_Request *request),
        (out, count, type, in, counts, places, in_type, comm, request))
COUNTED(int, PMPI_Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
COUNTED(qdr_status, qdri_board_show, (qdri_wire * wire, const char *call, uint64_t shape, double deadline),
        (wire, call, shape, deadline))
COUNTED(qdr_status, qdri_council_ask,
        (qdri_council * council, qdri_agreement *agreement, qdri_answered *answered),
        (council, agreement, answered))

#endif
