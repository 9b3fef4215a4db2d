/* SPDX-License-Identifier: BSD-3-Clause */
/* Dealing flows out over phases, so that in each of them every rank sends as much as it receives. */
#ifndef QDRI_MOVES_EVEN_H
#define QDRI_MOVES_EVEN_H

#include "migrate/moves/moves.h"

/* The most units that may be left over when flows are divided; deciding where they go takes about 52 bytes
 * for each. */
#define QDRI_EVEN_LIMIT (INT64_C(1) << 25)

/* Appends `steps` phases that carry out all flows: ranges of messages, from rank to rank, sorted by sender; in
 * all each rank sends exactly as many units x as it receives. In each phase it then also does, and no more than
 * ceil(x / steps). QDR_ERR_RANGE beyond the limit above. Cost: O(moves + R log steps) where the divisions leave R
 * units over. */
qdr_status qdri_deal_evenly(const qdri_moves_request *request, const qdr_move *flow, int64_t flows,
                            int64_t steps, qdri_phases *phases);

#endif
