/* SPDX-License-Identifier: BSD-3-Clause */
/* Failing with a sentence: `return qdri_fail(QDR_ERR_RANGE, "rank %d is not in 0..%d", rank, last);` */
#ifndef QDRI_ERROR_H
#define QDRI_ERROR_H

#include "quadrille/base.h"

/* Formats this thread's error message and returns the status given. */
qdr_status qdri_fail(qdr_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The message of every failed allocation. */
qdr_status qdri_fail_memory(void);

/* One line to whoever set a log; where nobody did, to standard error if that was asked for, else nowhere. */
void qdri_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether anybody set one. */
int qdri_log_wanted(void);
/* QDR_EXPLAIN asks for it: the one way in which the library prints. */
void qdri_log_to_stderr(void);

/* Passes a failure on: `QDRI_TRY(qdri_thing(...));` for functions that own nothing yet. */
#define QDRI_TRY(call)                                                                                       \
    do {                                                                                                     \
        qdr_status qdri_try_ = (call);                                                                       \
        if (qdri_try_ != QDR_OK) return qdri_try_;                                                           \
    } while (0)

#endif
