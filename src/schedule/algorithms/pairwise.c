/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairwise: in step k rank i exchanges with rank i xor k (PEX and PS of the CM-5 paper, sections 3.2 and 4.2;
 * LP of NICE, section 3.2). That needs a power of two. For other n the round-robin tournament keeps the
 * property that matters, disjoint pairs in every step: for odd n, i and j meet in step (i + j) mod n, and
 * each rank rests once; for even n, the ranks below n - 1 play the tournament of n - 1, and rank n - 1 takes
 * the one that would rest, i with 2i = step mod n - 1. So n - 1 steps, or n for odd n. On a sparse pattern
 * the steps that hold no message vanish.
 */
#include "schedule/algorithm.h"
#include "schedule/algorithms/pairing.h"

int64_t qdri_meeting(int ranks, int one, int other) {
    int64_t players = ranks % 2 ? ranks : ranks - 1;
    if ((ranks & (ranks - 1)) == 0) return one ^ other;
    if (ranks % 2) return ((int64_t)one + other) % players;
    int64_t first = one == players ? other : one, second = other == players ? first : other;
    int64_t step = (first + second) % players;
    return step ? step : players;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    (void)request;
    return qdri_rows_from_function(schedule, qdri_meeting);
}

const qdri_algorithm qdri_algorithm_pairwise = {
    .name = "pairwise",
    .aliases = "LP PEX PS",
    .spellings = "linear-permutation",
    .summary = "step k: exchange with rank xor k; a round-robin tournament for other n",
    .source = "CM-5 3.2, 4.2; NICE 3.2",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS,
    .build = build,
};
