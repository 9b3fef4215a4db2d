/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * async: everything at once (AC of NICE, section 3.1). Receives are posted, all sends go out in the order of
 * their destinations, nobody waits. No scheduling cost, and no protection: many senders may hit one receiver,
 * and what they push at it must fit into its buffers (qdr_prediction.unsafe says when it may not).
 */
#include "schedule/algorithm.h"

static int64_t phase(int ranks, int from, int to) {
    (void)ranks, (void)from, (void)to;
    return 0;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    (void)request;
    return qdri_rows_from_function(schedule, phase);
}

const qdri_algorithm qdri_algorithm_async = {
    .name = "async",
    .aliases = "AC",
    .summary = "all sends at once, in one phase",
    .source = "NICE 3.1",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .any_size = 1,
    .pacing = "free",
    .build = build,
};
