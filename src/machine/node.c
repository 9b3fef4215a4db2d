/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes: k consecutive ranks share one network card, and a crossbar joins the cards. A message to another
 * node takes the card's way out and the other card's way in; one that stays takes the memory of the node. The
 * memory is a link too, shared by the k ranks, because a copy through a memory bus is contended just as a
 * card is; unless its rate is given it carries all k ranks at full speed and thus never delays a permutation.
 * mu belongs to one rank alone: give the rate at which a single rank can drive the card.
 *
 * Links of node v: 3 v out, 3 v + 1 in, 3 v + 2 memory.
 */
#include "topology.h"

enum { OUT, IN, MEMORY, LINKS_OF_A_NODE };

typedef struct nodes {
    int64_t k;
    double card, memory;
} nodes;

#define LIST(X)                                                                                              \
    X("k", INTEGER, "4", 1, QDRI_MACHINE_RANKS, NULL, "ranks of a node")                                     \
    X("nic", RATE, "", 1e-3, 1e15, NULL, "a node's card, each way; absent: link")                            \
    X("memory", RATE, "", 1e-3, 1e15, NULL, "a node's memory, all its ranks together; absent: k/mu")         \
    QDRI_COMMON_OPTIONS(X, "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    nodes *self = shape;
    const qdri_value *card = qdri_spec_get(spec, "nic"), *memory = qdri_spec_get(spec, "memory");
    self->k = qdri_spec_integer(spec, "k");
    self->card = card->present ? card->real : frame->link;
    self->memory = memory->present ? memory->real : (double)self->k * frame->port;
    frame->links = (frame->size + self->k - 1) / self->k * LINKS_OF_A_NODE;
    frame->route_limit = frame->ranks > self->k ? 2 : frame->ranks > 1;
    return QDR_OK;
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const nodes *self = shape;
    int64_t source = from / self->k * LINKS_OF_A_NODE, target = to / self->k * LINKS_OF_A_NODE;
    if (source == target) return qdri_route_add(list, 0, source + MEMORY);
    int length = qdri_route_add(list, 0, source + OUT);
    return qdri_route_add(list, length, target + IN);
}

static double bandwidth(const void *shape, int64_t link) {
    const nodes *self = shape;
    return link % LINKS_OF_A_NODE == MEMORY ? self->memory : self->card;
}

const qdri_topology qdri_node = {
    .name = "node",
    .summary = "k ranks share a network card and a memory; a crossbar between the nodes",
    .example = "node:k=8,rate=10GB/s,nic=25GB/s",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(nodes),
    .form = form,
    .route = route,
    .bandwidth = bandwidth,
};
