/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linear: in step i everybody sends to rank i (LEX and LS of the CM-5 paper, sections 3.1 and 4.1). The
 * plainest loop a programmer writes, and the worst: each step is an incast. It stands here to be compared
 * with.
 */
#include "schedule/algorithm.h"

static int64_t phase(int ranks, int from, int to) {
    (void)ranks, (void)from;
    return to;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    (void)request;
    return qdri_rows_from_function(schedule, phase);
}

const qdri_algorithm qdri_algorithm_linear = {
    .name = "linear",
    .aliases = "LEX LS",
    .summary = "step i: everybody sends to rank i",
    .source = "CM-5 3.1, 4.1",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .build = build,
};
