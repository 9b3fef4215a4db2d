/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes: k consecutive ranks share one network card and one memory, whatever the network between the cards. A message to
 * another node takes the card's way out, the links of the topology, and the other card's way in; one that stays takes the
 * memory. That is a link too, because a copy through a memory bus is contended just as a card is; unless its rate is given, it
 * carries all k ranks at full speed and thus never delays a permutation. mu belongs to one rank alone: it is the rate at
 * which a single rank can drive the card.
 *
 * Links of node v come behind those of the topology: 3 v out, 3 v + 1 in, 3 v + 2 memory. Where k is 1 there are none: a rank
 * is a node, and its card its port.
 */
#ifndef QDRI_NODES_H
#define QDRI_NODES_H

#include "topology.h"

typedef struct qdri_nodes {
    int64_t k;
    int64_t first_link; /* of all nodes: as many as the topology has */
    double card, memory;
} qdri_nodes;

static inline int qdri_node_at(const qdri_nodes *nodes, int rank) {
    return (int)(rank / nodes->k);
}

/* Before the topology is formed: its places are nodes. */
void qdri_nodes_read(const qdri_spec *spec, qdri_frame *frame, qdri_nodes *nodes);

/* Afterwards: the links of nodes come behind the topology's, and each route has two more. */
void qdri_nodes_add(qdri_nodes *nodes, int ranks, qdri_frame *frame);

/* Two different ranks. `route` may be NULL. */
int qdri_nodes_route(const qdri_nodes *nodes, const qdri_topology *topology, const void *shape, int from,
                     int to, int64_t *route);
double qdri_nodes_bandwidth(const qdri_nodes *nodes, int64_t link);

/* Whether all that goes between two sides has to pass this link: cards are such links, a memory can be gone round. */
int qdri_nodes_is_cut(const qdri_nodes *nodes, int64_t link);

#endif
