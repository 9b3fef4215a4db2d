/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of Fortran are numbers, and in C they are what the MPI likes. */
#include <mpi.h>

MPI_Comm qdr_fortran_comm_in(MPI_Fint comm);
MPI_Fint qdr_fortran_comm_out(MPI_Comm comm);

MPI_Comm qdr_fortran_comm_in(MPI_Fint comm) {
    return MPI_Comm_f2c(comm);
}

MPI_Fint qdr_fortran_comm_out(MPI_Comm comm) {
    return MPI_Comm_c2f(comm);
}
