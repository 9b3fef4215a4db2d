/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joined: all that the ranks of one node have for those of another goes as one message (schedule/relay.h). On each node every rank
 * leads for some of the other nodes: it collects what the others of its node have for them, hands it over to the rank that
 * leads at the other end, and that one hands it out. With k ranks on each of h nodes, a rank hands over about (h - 1) / k messages
 * to other nodes where it would send k (h - 1).
 *
 * A plan runs it without a schedule, as `bruck`: from own row and column, with sizes that may change at every call. Who shares
 * a node it finds out; the schedule that is made here takes it from the machine. Without one each rank is a node, and sends directly.
 */
#include "schedule/algorithms/passing.h"

/* Who leads on a node for another. */
static int leader(const qdri_node_shape *shape, int node, int other) {
    int distance = (other - node + shape->nodes) % shape->nodes;
    return node * shape->size + (distance - 1) % qdri_node_members_of(shape, node);
}

/* To a rank of the same node. */
static void pass_inside(qdri_passing *passing, int stage, int node, int to) {
    int members = qdri_node_members_of(&passing->shape, node);
    qdri_pass(passing, stage, (to - passing->at + members) % members - 1, to);
}

enum { COLLECT, HAND_OVER, HAND_OUT, STAGES };

/* To another node. Where each rank is one, that is all. */
static void pass_over(qdri_passing *passing, int home, int away) {
    const qdri_node_shape *shape = &passing->shape;
    qdri_pass(passing, shape->size > 1 ? HAND_OVER : 0, (away - home + shape->nodes) % shape->nodes - 1,
              leader(shape, away, home));
}

static void walk(qdri_passing *passing) {
    const qdri_node_shape *shape = &passing->shape;
    int home = passing->at / shape->size, away = passing->end / shape->size;
    if (home == away) {
        pass_inside(passing, COLLECT, home, passing->end);
        return;
    }
    pass_inside(passing, COLLECT, home, leader(shape, home, away));
    pass_over(passing, home, away);
    pass_inside(passing, HAND_OUT, away, passing->end);
}

static int stages(const qdri_node_shape *shape, const qdri_spec *options) {
    (void)options;
    return shape->size > 1 ? STAGES : 1;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_rows_from_passing(request, schedule, walk, stages);
}

static const qdri_option options[] = {QDRI_PACE_OPTIONS};

const qdri_algorithm qdri_algorithm_joined = {
    .name = "joined",
    .aliases = "",
    .summary = "all that one node has for another as one message: collect, hand over, hand out",
    .source = "three-step aggregation; every rank leads for some nodes",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION,
    .staged = 1,
    .by_nodes = 1,
    .pacing = "stages",
    QDRI_OPTIONS(options),
    .build = build,
};
