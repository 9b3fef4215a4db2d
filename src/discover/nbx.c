/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nbx: the non-blocking consensus of Hoefler, Siebert and Lumsdaine (PPoPP 2010). Each envelope is sent so
 * that its sender learns when it is taken. A rank whose envelopes have all been taken enters a barrier, and
 * goes on taking those of others until the barrier is over: then everybody's have been taken, so none is
 * left.
 *
 * A rank that is through may begin the next round while a slow one is still looking for envelopes of this
 * one; with one tag for all rounds that one could take the wrong envelope. So the tag is the round's own.
 *
 * Cost: a message and its acknowledgement per partner, a barrier of O(log ranks). Nothing grows with the
 * number of ranks, neither memory nor traffic.
 */
#include "discover/round.h"

static void met(qdri_flight_leg *leg) {
    leg->flight->expects_more = 0;
}

/* `open` counts the envelopes that have not been taken. */
static void enter_barrier_if_taken(qdri_round *round) {
    qdri_flight_leg *leg = &round->legs[round->count];
    if (round->open > 0) return;
    leg->landing = met;
    qdri_flight_note(leg, qdri_barrier(round->wire, &leg->operation));
}

static void taken(qdri_flight_leg *leg) {
    qdri_round *round = leg->context;
    round->open--;
    enter_barrier_if_taken(round);
}

static void start(qdri_round *round) {
    round->flight->expects_more = 1;
    round->open = round->count;
    qdri_envelopes_send(round, 1, taken);
    enter_barrier_if_taken(round);
}

static void poll(qdri_round *round) {
    (void)qdri_envelopes_take(round);
}

const qdri_discovery qdri_discovery_nbx = {
    .name = "nbx",
    .summary = "acknowledged messages and a barrier: cost by partners, not by ranks",
    .scratch = 0,
    .carries = 4096,
    .by_envelopes = 1,
    .start = start,
    .poll = poll,
    .learn = qdri_envelopes_learn,
};
