/* SPDX-License-Identifier: BSD-3-Clause */
/* Random scheduling, the four variants of NICE section 3.3 in one engine. */
#ifndef QDRI_RANDOM_PHASES_H
#define QDRI_RANDOM_PHASES_H

#include "schedule/algorithm.h"

enum { QDRI_RANDOM_LINKS = 1, QDRI_RANDOM_SPLIT = 2 };

/* `options` of the request must hold seed, and for SPLIT limit and items. */
qdr_status qdri_random_build(const qdri_request *request, int variant, qdr_schedule *schedule);

#define QDRI_SPLIT_OPTIONS                                                                                   \
    {"limit",                                                                                                \
     QDRI_REAL,                                                                                              \
     "0.5",                                                                                                  \
     0,                                                                                                      \
     1,                                                                                                      \
     NULL,                                                                                                   \
     "a phase's limit: this quantile of the sizes in it (1: nothing is cut)",                                \
     0},                                                                                                     \
    {                                                                                                        \
        "items", QDRI_INTEGER, "", 1, 4e18, NULL, "the same limit for every phase, in items", 0              \
    }

#endif
