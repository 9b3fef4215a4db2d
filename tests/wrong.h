/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of programs that are wrong: what a call said, which all ranks have to be told alike, and how long it took. */
#ifndef WRONG_H
#define WRONG_H

#include "mpi_check.h"

#include <string.h>

#include "quadrille/base.h"

typedef struct verdict {
    int call; /* 0: none was made */
    int status;
    char sentence[500];
} verdict;

static verdict verdict_of(int call, qdr_status status) {
    verdict made = {.call = call, .status = (int)status};
    if (status) snprintf(made.sentence, sizeof made.sentence, "%s", qdr_error_message());
    return made;
}

static int verdicts_are_alike(const verdict *one, const verdict *other) {
    return one->status == other->status && strcmp(one->sentence, other->sentence) == 0;
}

/* Nobody waits much longer than its deadline; but other work may keep a rank away for long. */
static void check_time(int64_t run, const char *call, double begin) {
    static const double slowest = 20;
    double took = MPI_Wtime() - begin;
    CHECK_SAYING(took < slowest, "run %lld: %s took %.1f s", (long long)run, call, took);
}

#endif
