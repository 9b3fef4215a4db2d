/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of plans that are kept: see kept.h. */
#include "plan/collectives/kept.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/held.h"
#include "wire/pending.h"

struct qdri_kept_exchange {
    qdr_pending pending; /* first: handles convert */
    qdri_wire *wire;
    qdr_pending *exchange; /* NULL: there is nothing to exchange */
};

/* `left`: an exchange that has not ended; NULL: it has. */
static qdr_status give_up(qdri_wire *wire, qdri_exchange *left, qdr_status status) {
    qdri_lock(wire);
    qdri_exchange_abandon(&left);
    qdri_wire_break(wire, status);
    qdri_unlock(wire);
    return status;
}

qdr_status qdri_kept_run(qdri_wire *wire, qdr_plan *plan, const qdr_buffers *buffers) {
    qdr_pending *exchange = NULL;
    if (!buffers) return QDR_OK;
    QDRI_TRY(qdri_exchange_start_waiting(plan, buffers, &exchange));
    qdr_status status = qdr_wait(&exchange);
    return status ? give_up(wire, (qdri_exchange *)exchange, status) : QDR_OK;
}

static qdr_status end(qdr_pending **pending, qdr_status status) {
    qdri_kept_exchange *ended = (qdri_kept_exchange *)*pending;
    *pending = NULL;
    if (status) give_up(ended->wire, (qdri_exchange *)ended->exchange, status);
    qdri_wire_release(&ended->wire);
    free(ended);
    return status;
}

static qdr_status test(qdr_pending **pending, int *done) {
    qdr_status status = qdr_test(&((qdri_kept_exchange *)*pending)->exchange, done);
    return *done || status ? end(pending, status) : QDR_OK;
}

static qdr_status wait(qdr_pending **pending) {
    return end(pending, qdr_wait(&((qdri_kept_exchange *)*pending)->exchange));
}

static const qdri_pending_kind kept_kind = {test, wait};

qdri_kept_exchange *qdri_kept_make(void) {
    return QDRI_ZERO_ARRAY(qdri_kept_exchange, 1);
}

qdr_status qdri_kept_start(qdri_kept_exchange *made, qdri_wire *wire, qdr_plan *plan,
                           const qdr_buffers *buffers, qdr_pending **pending) {
    if (buffers) QDRI_TRY(qdr_plan_start(plan, buffers, &made->exchange));
    made->pending.kind = &kept_kind;
    made->wire = wire;
    *pending = &made->pending;
    return QDR_OK;
}
