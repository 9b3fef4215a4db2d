/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands under mpirun: see parallel.h. */
#include "parallel.h"

#include <mpi.h>
#include <stdlib.h>

#include "core/complain.h"

static int launched_rank(void) { /* counted from 1; 0: there is none */
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank) return 1 + atoi(rank);
    }
    return 0;
}

int in_parallel(void) {
    return launched_rank() > 0;
}

void parallel_prepare(void) {
    if (launched_rank() > 1) set_silent(1);
}

/* Alone, Open MPI would start a daemon that it does not need here, and fail where that cannot be. */
void parallel_start(int *rank, int *ranks) {
    int level;
    if (!in_parallel()) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    set_silent(*rank != 0);
}

void parallel_end(void) {
    int started = 0;
    MPI_Initialized(&started);
    if (started) MPI_Finalize();
}
