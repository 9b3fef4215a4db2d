/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meeting after each phase (the option `barrier`): what the modified linear permutation of the transportation
 * paper does, section 5. MPI's own barrier will not do, for several exchanges may be under way, and started
 * in different orders on different ranks. So it is a dissemination barrier of control messages: in round k a
 * rank tells the one 2^k above it, and waits for the one 2^k below; log2(ranks) rounds. Messages of a round
 * come from one sender, in order, so counting them tells which meeting they belong to.
 */
#ifndef QDRI_PLAN_BARRIER_H
#define QDRI_PLAN_BARRIER_H

#include "plan/plan.h"

enum { QDRI_BARRIER_ROUNDS = 32 };

typedef struct qdri_phase_barrier {
    int64_t open;                       /* phases beyond this one wait; counted over all stages */
    int round;                          /* of the meeting that ends it */
    int telling;                        /* this rank has said its word of this round */
    int64_t heard[QDRI_BARRIER_ROUNDS]; /* messages of each round, all meetings together */
    int64_t out_front, in_front;        /* hops before these have ended */
} qdri_phase_barrier;

/* Whether this hop's phase may begin. */
int qdri_phase_barrier_open(const qdri_exchange *exchange, const qdri_phase_barrier *barrier,
                            const qdri_hop *hop);

/* Goes as far as it can; true when further phases were opened. */
int qdri_phase_barrier_advance(qdri_exchange *exchange, qdri_phase_barrier *barrier);

/* The rank whose word this one waits for, having said its own, and in which phase; -1: none. */
int qdri_phase_barrier_awaits(const qdri_exchange *exchange, const qdri_phase_barrier *barrier,
                              int64_t *phase);

/* A control message of a meeting. */
void qdri_phase_barrier_heard(qdri_exchange *exchange, qdri_phase_barrier *barrier, const qdri_note *note);

#endif
