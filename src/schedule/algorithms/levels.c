/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * levels: lg k stages of store and forward inside each node of k ranks, then lg h from node to node among ranks of the same place
 * (schedule/relay.h). A rank has (radix - 1) lg h / lg radix messages for other nodes; `bruck` has about as many for each
 * factor of two in k more, and `joined` (h - 1) / k: where there are far more nodes than ranks on each, `levels` has the fewest.
 *
 * A plan runs it without a schedule, as `bruck`: from own row and column, with sizes that may change at every call. Who shares
 * a node it finds out; the schedule that is made here takes it from the machine. Without one each rank is a node: that is `bruck`.
 */
#include "schedule/algorithms/passing.h"
#include "schedule/bruck.h"

/* The ranks of the smallest node: as many lanes are between nodes. */
static int lanes_of(const qdri_node_shape *shape) {
    return qdri_node_members_of(shape, shape->nodes - 1);
}

static int stages_inside(const qdri_node_shape *shape, const qdri_spec *options) {
    int members = qdri_node_members_of(shape, 0);
    return members > 1 ? qdri_bruck_stages(members, qdri_spec_integer(options, "inside")) : 0;
}

static int stages_between(const qdri_node_shape *shape, const qdri_spec *options) {
    return shape->nodes > 1 ? qdri_bruck_stages(shape->nodes, qdri_spec_integer(options, "radix")) : 0;
}

static int stages(const qdri_node_shape *shape, const qdri_spec *options) {
    int all =
        stages_inside(shape, options) + stages_between(shape, options) + (lanes_of(shape) < shape->size);
    return all > 0 ? all : 1;
}

static void walk(qdri_passing *passing) {
    const qdri_node_shape *shape = &passing->shape;
    int home = passing->at / shape->size, away = passing->end / shape->size;
    int goal = passing->end % shape->size, lanes = lanes_of(shape), lane = goal % lanes;
    qdri_pass_round(passing, &(qdri_passing_circle){.first = home * shape->size,
                                                    .apart = 1,
                                                    .count = qdri_node_members_of(shape, home),
                                                    .from = passing->at % shape->size,
                                                    .to = home == away ? goal : lane,
                                                    .radix = qdri_spec_integer(passing->options, "inside")});
    passing->stage = stages_inside(shape, passing->options);
    if (home == away) return;
    qdri_pass_round(passing, &(qdri_passing_circle){.first = lane,
                                                    .apart = shape->size,
                                                    .count = shape->nodes,
                                                    .from = home,
                                                    .to = away,
                                                    .radix = qdri_spec_integer(passing->options, "radix")});
    qdri_pass(passing, passing->stage + stages_between(shape, passing->options), goal / lanes - 1,
              passing->end);
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    return qdri_rows_from_passing(request, schedule, walk, stages);
}

static const qdri_option options[] = {
    {"radix", QDRI_INTEGER, "2", 2, 1 << 30, NULL,
     "between nodes: a larger one has more messages and fewer stages", 1},
    {"inside", QDRI_INTEGER, "2", 2, 1 << 30, NULL, "the same inside a node", 0},
    QDRI_PACE_OPTIONS,
};

const qdri_algorithm qdri_algorithm_levels = {
    .name = "levels",
    .aliases = "",
    .summary = "lg k stages inside nodes of k ranks, then lg h between h nodes, from place to place",
    .source = "Bruck on two levels; with sizes that differ: TuNA's hierarchical form",
    .knowledge = QDR_KNOWS_ROW_AND_COLUMN,
    .promises = QDR_PROMISES_PERMUTATION,
    .staged = 1,
    .by_nodes = 1,
    .pacing = "stages",
    QDRI_OPTIONS(options),
    .build = build,
};
