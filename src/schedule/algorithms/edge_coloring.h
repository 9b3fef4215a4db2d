/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact edge colouring of bipartite multigraphs: as many colours as the largest degree (Koenig 1916). */
#ifndef QDRI_EDGE_COLORING_H
#define QDRI_EDGE_COLORING_H

#include <stdint.h>

#include "quadrille/base.h"

/* Edge e joins left[e] and right[e], both in 0..vertices-1; edges stand by rising left end. Writes the colour
 * of each edge, 0..*colours-1, such that edges with a common end differ; *colours is the largest degree.
 * Cost: O(edges * log degree) time, 20 to 40 bytes per edge. */
qdr_status qdri_edge_coloring(int vertices, int64_t edges, const int *left, const int *right, int32_t *colour,
                              int32_t *colours);

#endif
