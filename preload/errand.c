/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An errand: an exchange that a nonblocking call has asked for. The program has a generalized request for it, which
 * MPI's own functions test, wait for and free, alone or among others; when the exchange has ended, the request is
 * completed.
 *
 * Errands of a path begin in the order of their calls, which is the same on all ranks; so the n-th of one rank meets
 * the n-th of the others. A plan has room for a few at once. Whether it has is different on each rank, for they end at
 * different times; so nothing is decided from it: an errand that finds no room waits in a queue, whoever makes progress
 * starts it, and the call has long returned. It is always MPI or always this, by what all ranks know.
 *
 * What a blocking call, a plan that is made and MPI_Comm_free need is that no errand of their communicator is left.
 * They wait for that, as they may: all ranks have asked for these errands before they come there too.
 *
 * The program may free the types, and the communicator, while an errand is under way.
 *
 * A persistent request runs the same errand again and again (persistent.c).
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/aside.h"
#include "base/memory.h"
#include "preload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* with threads only */
static qdri_errand *first, **last = &first;
static atomic_int active;

int qdri_errands_active(void) {
    return atomic_load_explicit(&active, memory_order_relaxed);
}

static void hold(void) {
    if (qdri_driver_has_threads()) pthread_mutex_lock(&lock);
}

static void let_go(void) {
    if (qdri_driver_has_threads()) pthread_mutex_unlock(&lock);
}

/* ---- for MPI ------------------------------------------------------------------------------------------- */

static int query(void *state, MPI_Status *status) {
    const qdri_errand *asked = state;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return asked->code;
}

/* MPI calls it when the request is gone, which is after it was completed. */
static int release(void *state) {
    free(state);
    return MPI_SUCCESS;
}

/* A collective operation cannot be cancelled. */
static int refuse_cancel(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/* ---- its end ------------------------------------------------------------------------------------------- */

static void drop(qdri_errand *dropped) {
    qdri_lanes_close(&dropped->out);
    qdri_lanes_close(&dropped->in);
    qdri_landings_close(&dropped->landings);
}

/* The last that is touched of it is the request: then the program, in another thread, may free it. */
static void finish(qdri_errand *ended, qdr_status status) {
    qdri_communicator *communicator = ended->communicator;
    if (!status) status = qdri_landings_unpack(&ended->landings, ended->comm);
    if (status) {
        qdri_preload_say("%s, rank %d of %d: %s", ended->name, communicator->rank, communicator->ranks,
                         qdr_error_message());
        ended->code = MPI_ERR_OTHER;
    }
    *ended->link = ended->next;
    if (ended->next) ended->next->link = ended->link;
    if (last == &ended->next) last = ended->link;
    communicator->errands--;
    atomic_fetch_sub(&active, 1);
    ended->complete(ended);
}

/* Of one that failed MPI may still use the memory. */
static void complete_once(qdri_errand *ended) {
    if (!ended->code) drop(ended);
    PMPI_Grequest_complete(ended->request);
}

/* ---- progress ------------------------------------------------------------------------------------------ */

static void begin(qdri_errand *begun) {
    qdr_buffers buffers = qdri_lanes_buffers(&begun->out, &begun->in, begun->path->is_alike);
    qdr_status status = qdr_plan_start(begun->path->plan, &buffers, &begun->pending);
    if (status == QDR_ERR_BUSY) return;
    begun->is_started = 1;
    begun->path->errands_started++;
    if (status) finish(begun, status);
}

static void look_at_all(void) {
    for (qdri_errand *looked = first, *next; looked; looked = next) {
        int done = 0;
        next = looked->next;
        if (!looked->is_started) {
            if (looked->number == looked->path->errands_started) begin(looked);
            continue;
        }
        qdr_status status = qdr_test(&looked->pending, &done);
        if (done || status) finish(looked, status);
    }
}

/* Without threads the library itself looks at all, here and wherever else it waits. */
void qdri_errands_advance(void) {
    if (!qdri_driver_has_threads()) {
        qdri_enter();
        qdr_progress();
        qdri_leave();
    } else if (pthread_mutex_trylock(&lock) == 0) {
        look_at_all();
        pthread_mutex_unlock(&lock);
    }
}

void qdri_errands_finish(const qdri_communicator *communicator) {
    for (;;) {
        hold();
        int64_t left = communicator->errands;
        let_go();
        if (left == 0) return;
        qdri_errands_advance();
        sched_yield();
    }
}

/* ---- its beginning ------------------------------------------------------------------------------------- */

void qdri_errand_start(qdri_errand *queued) {
    static int is_aside;
    queued->is_started = queued->code = 0;
    queued->pending = NULL;
    queued->next = NULL;
    hold();
    if (!is_aside++ && !qdri_driver_has_threads()) qdri_aside_set(look_at_all);
    queued->number = queued->path->errands_asked++;
    queued->communicator->errands++;
    queued->link = last;
    *last = queued;
    last = &queued->next;
    atomic_fetch_add(&active, 1);
    let_go();
    qdri_driver_wake();
    qdri_errands_advance();
}

static int give_up(const qdri_call *call) {
    qdri_preload_say("%s: too little memory", call->name);
    PMPI_Abort(call->comm, 1); /* the others count on this rank */
    return MPI_ERR_OTHER;
}

int qdri_errand_run(qdri_communicator *communicator, qdri_path *path, const qdri_call *call) {
    qdri_errand *made = QDRI_ZERO_ARRAY(qdri_errand, 1);
    if (!made || !qdri_lanes_like(&made->out, &path->out) || !qdri_lanes_like(&made->in, &path->in))
        return give_up(call);
    made->communicator = communicator;
    made->path = path;
    made->comm = call->comm;
    made->name = call->name;
    made->complete = complete_once;
    if (!qdri_lanes_read(&made->out, &made->in, call)) { /* MPI says what is wrong */
        drop(made);
        free(made);
        return call->plain(call);
    }
    if (!qdri_landings_open(&made->landings, &made->in, &call->in) || qdri_lanes_pack(&made->out, call) ||
        PMPI_Grequest_start(query, release, refuse_cancel, made, &made->request))
        return give_up(call);
    *call->request = made->request;
    qdri_errand_start(made);
    return MPI_SUCCESS;
}
