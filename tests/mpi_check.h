/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks for test programs that run under mpirun: nothing is printed as long as all goes well, a check that
 * fails prints one line with its rank and place, and the program's verdict is that of all ranks.
 */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

enum { MPI_CHECK_LINES = 20 };

static int mpi_check_failures;

/* Counts a failed check; beyond the first few it is silent. */
__attribute__((format(printf, 3, 4))) static inline void mpi_check_failed(const char *file, int line,
                                                                          const char *format, ...) {
    int rank = -1;
    char sentence[1400];
    va_list arguments;
    if (mpi_check_failures++ >= MPI_CHECK_LINES) return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s:%d: %s\n", rank, file, line, sentence);
}

/* CHECK(a == b), or CHECK_SAYING(a == b, "a is %d", a) */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) mpi_check_failed(__FILE__, __LINE__, "%s", #condition);                            \
    } while (0)
#define CHECK_SAYING(condition, ...)                                                                         \
    do {                                                                                                     \
        if (!(condition)) mpi_check_failed(__FILE__, __LINE__, __VA_ARGS__);                                 \
    } while (0)

/* Collective: what main() returns on every rank, 0 when no check failed anywhere. Before MPI_Finalize(). */
static inline int mpi_check_verdict(void) {
    int all = 0;
    MPI_Allreduce(&mpi_check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all > 0;
}

#endif
