/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network as a fluid: every transfer flows at a rate, and the rates are max-min fair. A flow passes its sender's way out, the
 * links of its route and its receiver's way in. It gets its share of the tightest of them; what it cannot use because it is
 * held back elsewhere is shared by the others. This is what a packet network with fair queues tends to, and what simulators of
 * networks compute. Ports are the rate at which a rank can send or receive, so that no flow is ever faster.
 *
 * Flows come and go; after each change those that share something with it, directly or through others, get new rates. Whatever
 * is wide enough for all its flows at full rate holds nobody back and is not looked at, so that where nothing is shared a flow
 * costs no more than its route.
 */
#ifndef QDRI_NETWORK_H
#define QDRI_NETWORK_H

#include <stdint.h>

#include "quadrille/machine.h"

typedef struct qdri_network qdri_network;

/* For about so many flows in all. NULL: out of memory. */
qdri_network *qdri_network_open(const qdr_machine *machine, int64_t flows);
void qdri_network_close(qdri_network *network);

/* A flow of so many bytes on the wire, more than 0, begins. `id` is the caller's. Calls come with rising time. */
qdr_status qdri_network_begin(qdri_network *network, int64_t id, int from, int to, double bytes, double now);

/* When the first of the flows will end if nothing else happens; HUGE_VAL: there is none. */
double qdri_network_next(qdri_network *network, double now);

/* Ends one of the flows that end no later than `until`, and says which; 0: there is none. What has begun since the last
 * qdri_network_next() is not among them. */
int qdri_network_ended(qdri_network *network, double until, int64_t *id);

#endif
