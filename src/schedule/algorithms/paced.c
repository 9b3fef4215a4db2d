/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * paced: no schedule beforehand. Each rank knows its own row and column; a receiver grants its senders chunks,
 * in proportion to what is left of their messages, and no more than a window of bytes at a time; so sizes may
 * change at every exchange without any agreement. The line in the table says so; the work is done by the
 * executor of plans (plan/executors/grants.c).
 */
#include "schedule/algorithm.h"

const qdri_algorithm qdri_algorithm_paced = {
    .name = "paced",
    .aliases = "",
    .summary = "receivers grant chunks, in proportion to what is left of the messages",
    .source = "receiver-driven pacing; compare Transportation 6, second improvement",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .at_run_time = 1,
    .any_size = 1,
    .pacing = "grants",
};
