/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: every rank writes a word for every other into a row of the node's shared memory, and reads its column.
 * The rows are shown together with what the first agreement of a round shows anyway, so that the search costs
 * nothing of its own, and a round of words no message at all.
 *
 * Cost: a word per pair of ranks, read once; all ranks must share a node.
 */
#include "discover/round.h"

const qdri_discovery qdri_discovery_node = {
    .name = "node",
    .summary = "a table in shared memory: the fastest by far, where all ranks share a node",
    .scratch = 2,
    .carries = 0,
    .bounded = 1,
    .at_once = 1,
    .start = qdri_words_fill,
    .poll = NULL,
    .learn = qdri_words_learn,
};
