/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of topologies: one line each, in the order in which they are listed. */
#include "topology.h"

extern const qdri_topology qdri_crossbar, qdri_hypercube, qdri_mesh, qdri_torus, qdri_fattree, qdri_dragonfly,
    qdri_node, qdri_grid;

const qdri_topology *const qdri_topologies[] = {
    &qdri_crossbar,  &qdri_hypercube, &qdri_mesh, &qdri_torus, &qdri_fattree,
    &qdri_dragonfly, &qdri_node,      &qdri_grid, NULL,
};
