/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * distributed: random scheduling at run time (section 6 of the transportation paper). A sender asks a
 * destination; a busy one answers for how long, a free one says go. There is no schedule beforehand; the line
 * in the table says so, and the work is done by the executor of plans (plan/executors/requests.c).
 */
#include "schedule/algorithm.h"

static const qdri_option options[] = {
    {"seed", QDRI_INTEGER, "1", 0, 9e18, NULL, "of the order in which destinations are asked", 0},
    {"busy-for", QDRI_FLAG, "yes", 0, 0, NULL, "a busy receiver says how long it will be: first improvement",
     0},
    {"ahead", QDRI_FLAG, "yes", 0, 0, NULL, "it says go when it is nearly free: second improvement", 0},
    QDRI_PACE_OPTIONS,
};

const qdri_algorithm qdri_algorithm_distributed = {
    .name = "distributed",
    .aliases = "DRS",
    .summary = "senders ask, busy receivers say how long they will be: random order at run time",
    .source = "Transportation 6",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .at_run_time = 1,
    .any_size = 1,
    .pacing = "requests",
    QDRI_OPTIONS(options),
};
