/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of plans that the library keeps with a communicator, for calls that have no plan of the caller's: all-to-all,
 * deliveries. Nobody else has the plan. So after an exchange that failed, or did not end in time, nobody could wait for it
 * again, and the ranks are out of step: the wire is broken then, and later calls say so.
 */
#ifndef QDRI_KEPT_H
#define QDRI_KEPT_H

#include "quadrille/pending.h"
#include "quadrille/plan.h"
#include "wire/wire.h"

/* Start and wait. Without buffers there is nothing to exchange. */
qdr_status qdri_kept_run(qdri_wire *wire, qdr_plan *plan, const qdr_buffers *buffers);

/* A handle of one that is started; NULL: no memory. Free() takes one that never was. */
typedef struct qdri_kept_exchange qdri_kept_exchange;
qdri_kept_exchange *qdri_kept_make(void);
/* The handle is its caller's then, and has the wire until its end; after a failure the caller still has both. */
qdr_status qdri_kept_start(qdri_kept_exchange *made, qdri_wire *wire, qdr_plan *plan,
                           const qdr_buffers *buffers, qdr_pending **pending);

#endif
