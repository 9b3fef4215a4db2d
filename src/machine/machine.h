/* SPDX-License-Identifier: BSD-3-Clause */
/* What the layers above may know of a machine beyond the public header. */
#ifndef QDRI_MACHINE_H
#define QDRI_MACHINE_H

#include "quadrille/machine.h"

/* One more owner of the same machine; each calls qdr_machine_destroy(). NULL gives NULL. Safe from any
 * thread. */
qdr_machine *qdri_machine_retain(const qdr_machine *machine);

/* Whether a link is the only way between the ranks on its two sides, as in a tree, or one of several that are: what a route puts on
 * them, no relay can carry round them. The first of them, and what all have together; -1: it can be gone round. */
int64_t qdri_machine_cut(const qdr_machine *machine, int64_t link, double *bandwidth);

/* Bytes per second of the narrowest of a port and the links between two different ranks. */
qdr_status qdri_machine_route_rate(const qdr_machine *machine, int from, int to, double *rate);

#endif
