/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands that run under mpirun: the first rank speaks for all. */
#ifndef PARALLEL_H
#define PARALLEL_H

/* Whether a launcher has started this, before MPI can be asked. */
int in_parallel(void);
/* Before anything can be printed: ranks but the first are silent. */
void parallel_prepare(void);
void parallel_start(int *rank, int *ranks);
/* Also where it was not started. */
void parallel_end(void);

#endif
