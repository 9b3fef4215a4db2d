/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gossip: all ranks agree on something by small messages, without waiting, in ceil(lg ranks) steps.
 *
 * In step i a rank tells rank + 2^i all it knows, and hears from rank - 2^i. Telling somebody what he knows
 * already does no harm: everything here is a maximum, a union, or the first of a list. Unlike a collective of
 * MPI it may begin at any moment, in any order with others, for its messages have tags of their own. When it
 * ends, all ranks have begun it.
 */
#ifndef QDRI_GOSSIP_H
#define QDRI_GOSSIP_H

#include <stdint.h>

#include "discover/flight.h"
#include "quadrille/base.h"
#include "wire/wire.h"

enum { QDRI_GOSSIP_MAXIMA = 2, QDRI_GOSSIP_SENTENCE = 320, QDRI_GOSSIP_SET = 64, QDRI_GOSSIP_STEPS = 31 };

/* What is agreed on. */
typedef struct qdri_news {
    int64_t maximum[QDRI_GOSSIP_MAXIMA];
    uint64_t set[QDRI_GOSSIP_SET]; /* united */
    int64_t status;                /* 0, or the failure with the least key */
    int64_t key;
    char sentence[QDRI_GOSSIP_SENTENCE];
} qdri_news;

typedef struct qdri_gossip qdri_gossip;
struct qdri_gossip {
    qdri_news news; /* in: this rank's; at the end: of all */
    void (*ended)(qdri_gossip *gossip);
    void *context;

    /* private */
    qdri_flight *flight;
    int tag, step, steps;
    int told_to; /* the steps of which somebody was told */
    qdri_flight_leg *legs;
    qdri_news *told, *heard; /* [steps] */
    char *came;              /* [steps] */
};

/* Memory for it, of the flight, and its receives; NULL: none. */
qdri_gossip *qdri_gossip_prepare(qdri_flight *flight, int tag);

/* Begins it, with the news that are in it; a failure goes to the flight. */
void qdri_gossip_begin(qdri_gossip *gossip);

/* The rank whose news it waits for; -1: it has not begun, or has ended. */
int qdri_gossip_awaits(const qdri_gossip *gossip);

/* A deadline has passed, with this status: those who would still hear from this rank hear that, as its last
 * word, with the error message. Whoever hears so gives up too, and its flight fails. */
void qdri_gossip_give_up(qdri_gossip *gossip, qdr_status status);

/* Takes the error message as this rank's failure. */
void qdri_gossip_fail(qdri_news *news, qdr_status status, int64_t key);

#endif
