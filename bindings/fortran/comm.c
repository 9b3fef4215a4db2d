/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of Fortran are numbers, and in C they are what the MPI likes. It ends programs that ask when it is not there. */
#include <mpi.h>

MPI_Comm qdr_fortran_comm_in(MPI_Fint comm);
MPI_Fint qdr_fortran_comm_out(MPI_Comm comm);

MPI_Comm qdr_fortran_comm_in(MPI_Fint comm) {
    int has_begun = 0, has_ended = 0;
    MPI_Initialized(&has_begun);
    MPI_Finalized(&has_ended);
    return has_begun && !has_ended ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

MPI_Fint qdr_fortran_comm_out(MPI_Comm comm) {
    return MPI_Comm_c2f(comm);
}
