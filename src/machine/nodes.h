/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes: k consecutive ranks share one memory and c network cards, mostly one, whatever the network between the cards. A message
 * to another node takes the way out of its origin's card, the links of the topology, and the way in of its destination's card; one
 * that stays takes the memory. That is a link too, because a copy through a memory bus is contended just as a card is; unless its
 * rate is given, it carries all k ranks at full speed and thus never delays a permutation. mu belongs to one rank alone: it is the
 * rate at which a single rank can drive its card, or reach the memory.
 *
 * With several cards consecutive ranks of a node share one: member m has card m c / k, rounded down. The network is as many times
 * as wide, and carries what each card can; which of its wires lead to which card is not told apart.
 *
 * Links of node v come behind those of the topology: (2 c + 1) v and c - 1 more out, c more in, then the memory. Where k is 1
 * there are none: a rank is a node, and its card its port.
 */
#ifndef QDRI_NODES_H
#define QDRI_NODES_H

#include "topology.h"

typedef struct qdri_nodes {
    int64_t k, cards;
    int64_t first_link; /* of all nodes: as many as the topology has */
    double card, memory;
} qdri_nodes;

static inline int qdri_node_at(const qdri_nodes *nodes, int rank) {
    return (int)(rank / nodes->k);
}

/* Before the topology is formed: its places are nodes. */
qdr_status qdri_nodes_read(const qdri_spec *spec, qdri_frame *frame, qdri_nodes *nodes);

/* Afterwards: the links of nodes come behind the topology's, and each route has two more. */
void qdri_nodes_add(qdri_nodes *nodes, int ranks, qdri_frame *frame);

/* Two different ranks. `route` may be NULL. */
int qdri_nodes_route(const qdri_nodes *nodes, const qdri_topology *topology, const void *shape, int from,
                     int to, int64_t *route);
double qdri_nodes_bandwidth(const qdri_nodes *nodes, int64_t link);

/* The links that all that goes between two sides has to pass are the cards of a node, one way: the first of them, for any; and what they
 * have together. -1: it can be gone round, as a memory can. */
int64_t qdri_nodes_cut(const qdri_nodes *nodes, int64_t link, double *bandwidth);

#endif
