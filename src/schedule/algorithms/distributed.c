/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * distributed: random scheduling at run time (section 6 of the transportation paper). A sender asks a
 * destination; a busy one answers for how long, a free one says go. There is no schedule beforehand; the line
 * in the table says so, and the work is done by the executors of plans.
 */
#include "schedule/algorithm.h"

const qdri_algorithm qdri_algorithm_distributed = {
    .name = "distributed",
    .aliases = "DRS",
    .summary = "senders ask, busy receivers answer for how long: random order at run time",
    .source = "Transportation 6",
    .knowledge = QDR_KNOWS_ROW,
    .at_run_time = 1,
};
