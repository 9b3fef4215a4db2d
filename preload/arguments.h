/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of each form in C, and the qdri_call that they become. */
#ifndef QDRI_ARGUMENTS_H
#define QDRI_ARGUMENTS_H

#define QDRI_SAME_ARGUMENTS                                                                                  \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,                 \
        MPI_Datatype recvtype, MPI_Comm comm
#define QDRI_V_ARGUMENTS                                                                                     \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,  \
        const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define QDRI_W_ARGUMENTS                                                                                     \
    const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],        \
        void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],          \
        MPI_Comm comm
#define QDRI_NEIGHBOR_W_ARGUMENTS                                                                            \
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],   \
        void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],     \
        MPI_Comm comm

#define QDRI_SAME_CALL                                                                                       \
    .form = QDRI_SAME, .comm = comm, .out = {(uintptr_t)sendbuf, .same = sendcount, .type = sendtype},       \
    .in = {(uintptr_t)recvbuf, .same = recvcount, .type = recvtype}, QDRI_FROM_HERE
#define QDRI_V_CALL                                                                                          \
    .form = QDRI_V, .comm = comm,                                                                            \
    .out = {(uintptr_t)sendbuf, sendcounts, .displacement = sdispls, .type = sendtype},                      \
    .in = {(uintptr_t)recvbuf, recvcounts, .displacement = rdispls, .type = recvtype}, QDRI_FROM_HERE
#define QDRI_W_CALL                                                                                          \
    .form = QDRI_W, .comm = comm,                                                                            \
    .out = {(uintptr_t)sendbuf, sendcounts, .displacement = sdispls, .each_type = sendtypes},                \
    .in = {(uintptr_t)recvbuf, recvcounts, .displacement = rdispls, .each_type = recvtypes}, QDRI_FROM_HERE
#define QDRI_NEIGHBOR_W_CALL                                                                                 \
    .form = QDRI_W, .to_neighbors = 1, .comm = comm,                                                         \
    .out = {(uintptr_t)sendbuf, sendcounts, .address = sdispls, .each_type = sendtypes},                     \
    .in = {(uintptr_t)recvbuf, recvcounts, .address = rdispls, .each_type = recvtypes}, QDRI_FROM_HERE

#endif
