/* SPDX-License-Identifier: BSD-3-Clause */
#include "problems.h"

static void run(void *self, void *problem) {
    (void)self;
    fft *f = problem;
    int bytes = (int)f->block_bytes;
    MPI_Alltoall(f->packed, bytes, MPI_BYTE, f->came, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

const exchanger fft_mpi = {0, run, 0};
