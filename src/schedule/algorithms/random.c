/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random: random permutations without node contention (RS_N; the engine and its essay: random_phases.c).
 * Whole messages, one seed for all ranks.
 */
#include "schedule/algorithms/random_phases.h"

static const qdri_option options[] = {QDRI_SEED_OPTION, QDRI_PACE_OPTIONS};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_random_build(request, 0, schedule);
}

const qdri_algorithm qdri_algorithm_random = {
    .name = "random",
    .aliases = "RS_N",
    .summary = "random permutations without node contention, about d + log d phases",
    .source = "NICE 3.3",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION,
    QDRI_OPTIONS(options),
    .build = build,
};
