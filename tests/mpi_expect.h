/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls of the library should return, in tests under mpirun: success, or a status with a word of its sentence. */
#ifndef MPI_EXPECT_H
#define MPI_EXPECT_H

#include <string.h>

#include "mpi_check.h"
#include "quadrille/base.h"

static inline void expect_at(const char *file, int line, qdr_status status, qdr_status wanted,
                             const char *word) {
    if (status != wanted)
        mpi_check_failed(file, line, "'%s' where '%s' (%s) was expected: %s", qdr_status_text(status),
                         qdr_status_text(wanted), word, status ? qdr_error_message() : "");
    else if (status && !strstr(qdr_error_message(), word))
        mpi_check_failed(file, line, "'%s' is not in: %s", word, qdr_error_message());
}

#define EXPECT(call, wanted, word)                                                                           \
    do {                                                                                                     \
        qdr_status got = (call);                                                                             \
        expect_at(__FILE__, __LINE__, got, wanted, word);                                                    \
    } while (0)
#define FINE(call) CHECK_SAYING((call) == QDR_OK, "%s: %s", #call, qdr_error_message())

#endif
