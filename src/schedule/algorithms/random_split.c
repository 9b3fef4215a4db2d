/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random-split: random permutations in which long messages send only part of what they have left (RS_NH), for
 * sizes that vary much. A lower limit gives more phases of less variance: the command's `schedule --curve`
 * prints the trade.
 */
#include "schedule/algorithms/random_phases.h"

static const qdri_option options[] = {QDRI_SEED_OPTION, QDRI_SPLIT_OPTIONS, QDRI_PACE_OPTIONS};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_random_build(request, QDRI_RANDOM_SPLIT, schedule);
}

const qdri_algorithm qdri_algorithm_random_split = {
    .name = "random-split",
    .aliases = "RS_NH",
    .summary = "random permutations, long messages cut at a limit per phase",
    .source = "NICE 3.3",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_LIMIT,
    QDRI_OPTIONS(options),
    .build = build,
};
