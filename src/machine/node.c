/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes at one switch: a crossbar joins the cards that ranks share (nodes.h). It has no links of its own.
 */
#include "topology.h"

#define LIST(X) QDRI_COMMON_OPTIONS(X, "4", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

const qdri_topology qdri_node = {
    .name = "node",
    .summary = "k ranks share a network card and a memory; a crossbar between the nodes",
    .example = "node:k=8,rate=10GB/s,nic=25GB/s",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .form = qdri_crossbar_form,
    .route = qdri_crossbar_route,
};
