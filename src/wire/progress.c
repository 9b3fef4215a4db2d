/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress: one list of wires for the process. Whoever waits for anything advances everything, because two
 * ranks may wait for two exchanges in different orders, and each needs the other's help with the one it is
 * not waiting for. Requests are tested together; callbacks run after the arrays have been brought in order,
 * so they may start operations freely.
 */
#include <stdio.h>
#include <time.h>

#include "wire/inside.h"

double qdri_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double qdri_seconds_about(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- one wire ------------------------------------------------------------------------------------------ */

/* What MPI says of a message, with the two ranks that it is between. */
static qdr_status fail_message(const qdri_wire *wire, const qdri_operation *operation, int code) {
    int kind = code, with = operation->partner;
    char what[80] = "a collective call";
    PMPI_Error_class(code, &kind);
    if (operation->receives && kind == MPI_ERR_TRUNCATE && with >= 0)
        return qdri_fail(
            QDR_MISMATCH,
            "rank %d sent more bytes than rank %d has room for: the two ranks have different ideas of "
            "the exchange",
            with, wire->rank);
    if (!operation->joined)
        snprintf(what, sizeof what, "a message from rank %d to rank %d",
                 operation->receives ? with : wire->rank, operation->receives ? wire->rank : with);
    return qdri_fail_mpi(code, what);
}

/* Takes one finished request's result into its operation. */
static void settle(const qdri_wire *wire, qdri_operation *operation, MPI_Status *status, int failed) {
    int is_wrong = failed && status->MPI_ERROR != MPI_SUCCESS && status->MPI_ERROR != MPI_ERR_PENDING;
    /* A receive from anyone learns here from whom it was. */
    if (is_wrong && operation->receives && operation->partner < 0 && status->MPI_SOURCE >= 0)
        operation->partner = status->MPI_SOURCE + wire->first;
    if (is_wrong) {
        operation->failed = fail_message(wire, operation, status->MPI_ERROR);
        operation->parts--;
        return;
    }
    /* Only receives have a source; what collectives and sends leave in a status is undefined. */
    if (operation->receives) {
        int bytes = 0;
        if (PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0) operation->bytes += bytes;
        operation->partner = status->MPI_SOURCE + wire->first;
    }
    operation->parts--;
}

/* Takes the `done` finished requests, whose places are in index[], out of the arrays. Returns how many
 * operations have ended; those are in finished[]. */
static int collect(qdri_wire *wire, int done, int failed) {
    int ended = 0;
    for (int i = 0; i < done; i++) {
        qdri_operation *operation = wire->operation[wire->index[i]];
        settle(wire, operation, &wire->status[i], failed);
        wire->operation[wire->index[i]] = NULL;
        if (operation->parts == 0) {
            wire->finished[ended].operation = operation;
            wire->finished[ended++].status = operation->failed;
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < wire->count; i++)
        if (wire->operation[i]) {
            wire->request[kept] = wire->request[i];
            wire->operation[kept++] = wire->operation[i];
        }
    wire->count = kept;
    return ended;
}

static int advance(qdri_wire *wire, int may_wait) {
    int done = 0, ended = 0;
    if (wire->gone || wire->busy) return 0;
    wire->busy = 1;
    if (wire->count > 0) {
        int code = qdri_look_for_done(wire, may_wait && !wire->pollers, &done);
        int failed = code != MPI_SUCCESS, kind = MPI_SUCCESS;
        if (failed) PMPI_Error_class(code, &kind);
        if (failed && kind != MPI_ERR_IN_STATUS)
            wire->failed = qdri_fail_mpi(code, "MPI_Testsome");
        else if (done != MPI_UNDEFINED && done > 0)
            ended = collect(wire, done, failed);
    }
    if (ended > 0) qdri_status_own(wire)->seen = qdri_seconds_about();
    /* finished[] may grow, and move, while callbacks start operations; its entries keep their places. */
    for (int i = 0; i < ended; i++) {
        qdri_operation *operation = wire->finished[i].operation;
        operation->done(operation, wire->finished[i].status);
    }
    for (qdri_poller *poller = wire->pollers, *next; poller; poller = next) {
        next = poller->next;
        poller->poll(poller);
    }
    ended += wire->stirred;
    wire->stirred = 0;
    wire->busy = 0;
    return ended;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Whether nothing but an operation of this wire can get the process on. */
static int is_alone(const qdri_wire *wire) {
    for (const qdri_wire *other = qdri_wires; other; other = other->next)
        if (other != wire && (other->count > 0 || other->pollers)) return 0;
    return 1;
}

/* `patient`: the caller has nothing else to do. */
static int progress(qdri_wire *held, int patient) {
    int ended = 0;
    if (!qdri_threads_multiple) {
        for (qdri_wire *wire = qdri_wires, *next; wire; wire = next) {
            next = wire->next;
            ended += advance(wire, patient && wire == held && is_alone(wire));
        }
        return ended;
    }
    if (held) ended += advance(held, 0);
    if (!qdri_wires_trylock()) return ended; /* another thread is just doing this */
    for (qdri_wire *wire = qdri_wires; wire; wire = wire->next)
        if (wire != held && pthread_mutex_trylock(&wire->lock) == 0) {
            ended += advance(wire, 0);
            pthread_mutex_unlock(&wire->lock);
        }
    qdri_wires_unlock();
    return ended;
}

int qdri_progress(qdri_wire *held) {
    return progress(held, 0);
}

qdr_status qdri_wait_until(qdri_wire *wire, const int *finished, double deadline) {
    enum { LOOKS_BEFORE_YIELDING = 20, LOOKS_BEFORE_RESTING = 2000 };
    /* The clock is looked at also while things happen: asking and being refused is no way to get on. On a busy machine
     * one yield may take a whole turn of others: then it is looked at more often. */
    enum { LOOKS_BETWEEN_CLOCKS = 64, YIELDS_BETWEEN_CLOCKS = 8 };
    for (unsigned looks = 1, idle = 0; !*finished; looks++) {
        idle = progress(wire, 1) ? 0 : idle + 1;
        if (*finished) break;
        if (wire->gone || wire->failed) return qdri_wire_state(wire);
        if (idle >= LOOKS_BEFORE_YIELDING) qdri_yield();
        /* Another program may be busy for long, and on the same processors. */
        if (idle >= LOOKS_BEFORE_RESTING && wire->far) wire->far->rest(wire);
        if (looks % (idle >= LOOKS_BEFORE_YIELDING ? YIELDS_BETWEEN_CLOCKS : LOOKS_BETWEEN_CLOCKS)) continue;
        double now = qdri_seconds();
        qdri_status_own(wire)->seen = now;
        if (deadline < 0) deadline = now - deadline;
        if (deadline > 0 && now > deadline)
            return qdri_fail(QDR_STALLED, "rank %d: the deadline passed", wire->rank);
    }
    return QDR_OK;
}

/* ---- pollers ------------------------------------------------------------------------------------------- */

void qdri_poller_add(qdri_wire *wire, qdri_poller *poller) {
    poller->next = wire->pollers;
    poller->link = &wire->pollers;
    if (poller->next) poller->next->link = &poller->next;
    wire->pollers = poller;
}

void qdri_poller_remove(qdri_wire *wire, qdri_poller *poller) {
    (void)wire;
    if (!poller->link) return;
    *poller->link = poller->next;
    if (poller->next) poller->next->link = poller->link;
    poller->link = NULL;
}
