/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a node want of the port that they share. Each shows it in its status line, without any lock and as often as
 * it likes; others take what they see, which may be a little old, or of an exchange that some have not begun.
 */
#ifndef QDRI_DEMAND_H
#define QDRI_DEMAND_H

#include "wire/wire.h"

/* Bytes from and to other nodes, of the exchanges under way: in all, and what is left of them. */
typedef struct qdri_demand {
    int64_t in, in_left, out, out_left;
    int absent; /* members that are in no exchange, of which nobody knows what they will want */
} qdri_demand;

/* Local. This rank's own, for all to see; and that of all members, this one's included. Where nobody sees another, its own. */
void qdri_demand_show(qdri_wire *wire, qdri_demand own);
qdri_demand qdri_demand_of_node(qdri_wire *wire, qdri_demand own);

#endif
