/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random-link: random permutations whose routes on the machine share no link beyond its streams (RS_NL). Made
 * for circuit switching, where a blocked path waits; on the CM-5, whose routes are random, a level's total
 * capacity counts.
 */
#include "schedule/algorithms/random_phases.h"

static const qdri_option options[] = {QDRI_SEED_OPTION, QDRI_PACE_OPTIONS};

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_random_build(request, QDRI_RANDOM_LINKS, schedule);
}

const qdri_algorithm qdri_algorithm_random_link = {
    .name = "random-link",
    .aliases = "RS_NL",
    .summary = "random permutations in which no link carries more than it can",
    .source = "NICE 3.3",
    .knowledge = QDR_KNOWS_MATRIX,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_LINKS,
    .needs_machine = 1,
    QDRI_OPTIONS(options),
    .build = build,
};
