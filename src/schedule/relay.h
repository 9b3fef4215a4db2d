/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relays: how messages are passed on by third ranks, where that follows from ranks and hosts alone and not from who sends how much
 * to whom. A relay is one rank's part of it.
 *
 * A rank has *places* for messages. At first its own lie there, one for each destination, empty or not. In each stage it hands on what
 * lies in some of them, to each of a few ranks as one *haul*; what comes to it with the hauls of that stage takes other
 * places, or has reached its end. Both ends of a haul list its messages in the same order.
 */
#ifndef QDRI_RELAY_H
#define QDRI_RELAY_H

#include <stdint.h>

#include "quadrille/base.h"

typedef struct qdri_haul {
    int stage, partner;
    int64_t first, messages; /* of the relay's lists */
} qdri_haul;

typedef struct qdri_relay {
    int stages, places;
    int *own;            /* [ranks]: the place of the message for each rank; -1: this rank itself */
    qdri_haul *out, *in; /* by rising stages */
    int outs, ins;
    int *place;  /* the messages of hauls, one after the other */
    int *origin; /* beside them: whose message ends here, when it comes with a haul in; -1: it goes on */
    int64_t listed, capacity;
} qdri_relay;

/* Bruck's (bruck.h), with this radix. */
qdr_status qdri_relay_bruck(int rank, int ranks, int64_t radix, qdri_relay *relay);

/* Messages between two hosts joined: all that one host has for another goes as one haul. Each of its ranks leads for some of the
 * others: it collects, hands over to the one that leads at the other end, and that one hands out. `node` has a number for each rank, the same
 * for ranks of one host: the lowest of them. */
qdr_status qdri_relay_joined(int rank, int ranks, const int *node, qdri_relay *relay);

/* Two levels of Bruck's: first inside each host, with one radix, until a message is at the rank that has its destination's place on
 * that host (modulo the members of the smallest host); then from host to host among ranks of the same place, with another radix. Where
 * hosts are of different sizes, a last stage inside them ends it. */
qdr_status qdri_relay_levels(int rank, int ranks, const int *node, int64_t inside, int64_t between,
                             qdri_relay *relay);

void qdri_relay_free(qdri_relay *relay);

#endif
