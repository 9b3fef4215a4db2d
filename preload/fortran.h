/* SPDX-License-Identifier: BSD-3-Clause */
/* The names under which compilers of Fortran know a function: what they make of it, and what the module mpi_f08 calls. */
#ifndef QDRI_FORTRAN_H
#define QDRI_FORTRAN_H

#define QDRI_NAMED_AS(symbol, function, alias_name)                                                          \
    QDRI_EXPORTED function alias_name __attribute__((alias(#symbol)));

/* Of mpi_NAME_, which is there already. */
#define QDRI_ALIASES(function, lower, UPPER)                                                                 \
    QDRI_NAMED_AS(mpi_##lower##_, function, mpi_##lower)                                                     \
    QDRI_NAMED_AS(mpi_##lower##_, function, mpi_##lower##__)                                                 \
    QDRI_NAMED_AS(mpi_##lower##_, function, MPI_##UPPER)                                                     \
    QDRI_NAMED_AS(mpi_##lower##_, function, ompi_##lower##_f)

#endif
