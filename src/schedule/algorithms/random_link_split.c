/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random-link-split: both restrictions, no shared link and a size limit per phase (RS_NLH).
 */
#include "schedule/algorithms/random_phases.h"

static const qdri_option options[] = {QDRI_SEED_OPTION, QDRI_SPLIT_OPTIONS, QDRI_PACE_OPTIONS};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_random_build(request, QDRI_RANDOM_LINKS | QDRI_RANDOM_SPLIT, schedule);
}

const qdri_algorithm qdri_algorithm_random_link_split = {
    .name = "random-link-split",
    .aliases = "RS_NLH",
    .summary = "random permutations, no link overloaded and long messages cut",
    .source = "NICE 3.3",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_LINKS | QDR_PROMISES_LIMIT,
    .needs_machine = 1,
    QDRI_OPTIONS(options),
    .build = build,
};
