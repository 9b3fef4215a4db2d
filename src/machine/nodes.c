/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of several ranks: see nodes.h. */
#include "nodes.h"

/* Of a node: the ways out of its cards, the ways in, the memory. */
static int64_t links_of_a_node(const qdri_nodes *nodes) {
    return 2 * nodes->cards + 1;
}

static int64_t card_of(const qdri_nodes *nodes, int rank) {
    return rank % nodes->k * nodes->cards / nodes->k;
}

qdr_status qdri_nodes_read(const qdri_spec *spec, qdri_frame *frame, qdri_nodes *nodes) {
    const qdri_value *card = qdri_spec_get(spec, "nic"), *memory = qdri_spec_get(spec, "memory");
    int64_t k = qdri_spec_integer(spec, "k");
    nodes->k = k;
    nodes->cards = qdri_spec_integer(spec, "cards");
    if (nodes->cards > k)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "a node of %lld ranks has no use for %lld cards",
                              (long long)k, (long long)nodes->cards);
    nodes->card = card->present ? card->real : frame->link;
    frame->link *= (double)nodes->cards;
    frame->width = (double)nodes->cards;
    nodes->memory = memory->present ? memory->real : (double)k * frame->port;
    frame->ranks = (int)((frame->ranks + k - 1) / k);
    frame->size = (int)((frame->size + k - 1) / k);
    frame->places = k > 1 ? "nodes" : "ranks";
    return QDR_OK;
}

void qdri_nodes_add(qdri_nodes *nodes, int ranks, qdri_frame *frame) {
    nodes->first_link = frame->links;
    if (nodes->k == 1) return;
    frame->links += frame->size * links_of_a_node(nodes);
    frame->route_limit = frame->ranks > 1 ? frame->route_limit + 2 : ranks > 1;
}

int qdri_nodes_route(const qdri_nodes *nodes, const qdri_topology *topology, const void *shape, int from,
                     int to, int64_t *route) {
    if (nodes->k == 1) return topology->route(shape, from, to, route);
    int source = qdri_node_at(nodes, from), target = qdri_node_at(nodes, to);
    int64_t home = nodes->first_link + source * links_of_a_node(nodes),
            away = nodes->first_link + target * links_of_a_node(nodes);
    if (source == target) return qdri_route_add(route, 0, home + 2 * nodes->cards);
    int length = qdri_route_add(route, 0, home + card_of(nodes, from));
    length += topology->route(shape, source, target, route ? route + length : NULL);
    return qdri_route_add(route, length, away + nodes->cards + card_of(nodes, to));
}

/* 0: out, 1: in, 2: the memory. */
static int64_t kind_of(const qdri_nodes *nodes, int64_t link) {
    return (link - nodes->first_link) % links_of_a_node(nodes) / nodes->cards;
}

double qdri_nodes_bandwidth(const qdri_nodes *nodes, int64_t link) {
    return kind_of(nodes, link) == 2 ? nodes->memory : nodes->card;
}

int64_t qdri_nodes_cut(const qdri_nodes *nodes, int64_t link, double *bandwidth) {
    if (kind_of(nodes, link) == 2) return -1;
    *bandwidth = nodes->card * (double)nodes->cards;
    return link - (link - nodes->first_link) % links_of_a_node(nodes) % nodes->cards;
}
