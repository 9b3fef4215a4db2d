/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * balanced: pairwise exchange of virtual ranks, virtual = rank + 1 mod n (BEX and BS of the CM-5 paper,
 * sections 3.4 and 4.3, figure 4). In pairwise exchange whole clusters of a fat tree talk to each other in
 * the same step and crowd the root; the shift by one mixes near and far partners in most steps. At n = 32 the
 * steps in which every pair crosses the root fall from 24 to 10.
 */
#include "schedule/algorithm.h"
#include "schedule/algorithms/pairing.h"

static int64_t phase(int ranks, int from, int to) {
    return qdri_meeting(ranks, (from + 1) % ranks, (to + 1) % ranks);
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    (void)request;
    return qdri_rows_from_function(schedule, phase);
}

const qdri_algorithm qdri_algorithm_balanced = {
    .name = "balanced",
    .aliases = "BEX BS",
    .summary = "pairwise with ranks shifted by one: near and far partners mixed in each step",
    .source = "CM-5 3.4, 4.3",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS,
    .build = build,
};
