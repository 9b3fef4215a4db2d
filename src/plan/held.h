/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges for callers that hold the wire's lock: protocols that run inside its progress, where nothing
 * may wait and the lock is taken. As the functions of quadrille/plan.h otherwise.
 */
#ifndef QDRI_HELD_H
#define QDRI_HELD_H

#include "quadrille/plan.h"

typedef struct qdri_exchange qdri_exchange;

qdr_status qdri_exchange_start_held(qdr_plan *plan, const qdr_buffers *buffers, qdri_exchange **exchange);

/* Whether it has ended, well or not. */
int qdri_exchange_over(const qdri_exchange *exchange);

/* Of one that has: its status; the handle is NULL then. */
qdr_status qdri_exchange_end_held(qdri_exchange **exchange);

/* The start of an exchange that is waited for at once, for callers that do not hold the lock. */
qdr_status qdri_exchange_start_waiting(qdr_plan *plan, const qdr_buffers *buffers, qdr_pending **pending);

/* It is given up: its plan can be destroyed, and its buffers must stay until MPI_Finalize. */
void qdri_exchange_abandon(qdri_exchange **exchange);

#endif
