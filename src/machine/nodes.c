/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of several ranks: see nodes.h. */
#include "nodes.h"

enum { OUT, IN, MEMORY, LINKS_OF_A_NODE };

void qdri_nodes_read(const qdri_spec *spec, qdri_frame *frame, qdri_nodes *nodes) {
    const qdri_value *card = qdri_spec_get(spec, "nic"), *memory = qdri_spec_get(spec, "memory");
    int64_t k = qdri_spec_integer(spec, "k");
    nodes->k = k;
    nodes->card = card->present ? card->real : frame->link;
    nodes->memory = memory->present ? memory->real : (double)k * frame->port;
    frame->ranks = (int)((frame->ranks + k - 1) / k);
    frame->size = (int)((frame->size + k - 1) / k);
    frame->places = k > 1 ? "nodes" : "ranks";
}

void qdri_nodes_add(qdri_nodes *nodes, int ranks, qdri_frame *frame) {
    nodes->first_link = frame->links;
    if (nodes->k == 1) return;
    frame->links += (int64_t)frame->size * LINKS_OF_A_NODE;
    frame->route_limit = frame->ranks > 1 ? frame->route_limit + 2 : ranks > 1;
}

int qdri_nodes_route(const qdri_nodes *nodes, const qdri_topology *topology, const void *shape, int from,
                     int to, int64_t *route) {
    if (nodes->k == 1) return topology->route(shape, from, to, route);
    int source = qdri_node_at(nodes, from), target = qdri_node_at(nodes, to);
    int64_t home = nodes->first_link + (int64_t)source * LINKS_OF_A_NODE,
            away = nodes->first_link + (int64_t)target * LINKS_OF_A_NODE;
    if (source == target) return qdri_route_add(route, 0, home + MEMORY);
    int length = qdri_route_add(route, 0, home + OUT);
    length += topology->route(shape, source, target, route ? route + length : NULL);
    return qdri_route_add(route, length, away + IN);
}

double qdri_nodes_bandwidth(const qdri_nodes *nodes, int64_t link) {
    return (link - nodes->first_link) % LINKS_OF_A_NODE == MEMORY ? nodes->memory : nodes->card;
}

int qdri_nodes_is_cut(const qdri_nodes *nodes, int64_t link) {
    return (link - nodes->first_link) % LINKS_OF_A_NODE != MEMORY;
}
