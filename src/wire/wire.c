/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a wire, whatever it stands on: who owns it, what is kept with it, and its end. It is gone when the user
 * frees his communicator, or with MPI_Finalize; what still holds it can only be destroyed then, and the memory goes with
 * the last owner. What is kept with a communicator owns the wire in its turn; that is no cycle, because the communicator
 * is what holds it, and lets go of it before it gives up its own share of the wire. How it begins: mpi/communicator.c,
 * tcp/joined.c.
 */
#include "wire/wire.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/council.h"
#include "wire/inside.h"

qdri_wire *qdri_wires;
int qdri_threads_multiple;
static pthread_mutex_t wires_lock = PTHREAD_MUTEX_INITIALIZER;

void qdri_wires_lock(void) {
    if (qdri_threads_multiple) pthread_mutex_lock(&wires_lock);
}

int qdri_wires_trylock(void) {
    return pthread_mutex_trylock(&wires_lock) == 0;
}

void qdri_wires_unlock(void) {
    if (qdri_threads_multiple) pthread_mutex_unlock(&wires_lock);
}

void qdri_lock(qdri_wire *wire) {
    if (qdri_threads_multiple) pthread_mutex_lock(&wire->lock);
}

void qdri_unlock(qdri_wire *wire) {
    if (qdri_threads_multiple) pthread_mutex_unlock(&wire->lock);
}

int qdri_wire_rank(const qdri_wire *wire) {
    return wire->rank;
}

int qdri_wire_ranks(const qdri_wire *wire) {
    return wire->ranks;
}

int qdri_wire_next_round(qdri_wire *wire) {
    return wire->round++;
}

static void break_with(qdri_wire *wire, qdr_status status, int is_midway) {
    if (wire->broken) return;
    wire->broken = 1;
    if (!wire->failed) snprintf(wire->failure, sizeof wire->failure, "%s", qdr_error_message());
    qdri_board_end(wire, status, is_midway);
    if (wire->council) qdri_council_appeal(wire->council, status, is_midway);
}

void qdri_wire_break(qdri_wire *wire, qdr_status status) {
    break_with(wire, status, 0);
}

void qdri_wire_break_midway(qdri_wire *wire, qdr_status status) {
    break_with(wire, status, 1);
}

void qdri_wire_leave_messages(qdri_wire *wire) {
    wire->has_leftovers = 1;
}

int qdri_wire_is_alone(const qdri_wire *wire) {
    return wire->backend->is_alone && wire->backend->is_alone(wire);
}

int qdri_wire_joins_programs(const qdri_wire *wire) {
    return wire->backend->joins_programs;
}

int qdri_wire_connects_late(const qdri_wire *wire) {
    return wire->backend->connects_late;
}

void qdri_wire_fail(qdri_wire *wire, qdr_status status) {
    if (wire->failed) return;
    if (!wire->broken) snprintf(wire->failure, sizeof wire->failure, "%s", qdr_error_message());
    wire->failed = status;
}

int qdri_wire_usable(const qdri_wire *wire) {
    return !wire->gone && !wire->failed && !wire->broken;
}

/* One count for all wires: a freed communicator's messages may come to the next one that MPI makes. */
static _Atomic int64_t plans;

int64_t qdri_wire_next_plan(const qdri_wire *wire) {
    (void)wire;
    return atomic_fetch_add(&plans, 1);
}

void qdri_wire_plan_agreed(const qdri_wire *wire, int64_t number) {
    int64_t known = atomic_load(&plans);
    if (wire->backend->joins_programs) return; /* another program counts for itself, and may say anything */
    while (known <= number && !atomic_compare_exchange_weak(&plans, &known, number + 1)) {
    }
}

qdr_status qdri_wire_state(const qdri_wire *wire) {
    if (wire->gone)
        return qdri_fail(
            QDR_ERR_GONE,
            "the communicator was freed, or MPI is finalised; objects on it can only be destroyed");
    if (wire->broken)
        return qdri_fail(
            QDR_ERR_LOST,
            "this communicator cannot be used for further collective calls, since one has failed: %s",
            wire->failure);
    return wire->failed ? qdri_fail(wire->failed, "%s", wire->failure) : QDR_OK;
}

/* ---- keepsakes ----------------------------------------------------------------------------------------- */

void qdri_wire_keep(qdri_wire *wire, qdri_keepsake *keepsake) {
    keepsake->next = wire->keepsakes;
    wire->keepsakes = keepsake;
}

qdri_keepsake *qdri_wire_kept(const qdri_wire *wire, qdri_release *kind, const char *name) {
    for (qdri_keepsake *keepsake = wire->keepsakes; keepsake; keepsake = keepsake->next)
        if (keepsake->release == kind && strcmp(keepsake->name, name) == 0) return keepsake;
    return NULL;
}

void *qdri_wire_kept_or_made(qdri_wire *wire, qdri_release *kind, const char *name, int64_t bytes) {
    qdri_keepsake *found = qdri_wire_kept(wire, kind, name);
    if (found) return found;
    found = qdri_alloc_zero(bytes, 1);
    if (!found) return NULL;
    *found = (qdri_keepsake){.release = kind, .name = name};
    qdri_wire_keep(wire, found);
    return found;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

qdri_wire *qdri_wire_make(void) {
    qdri_wire *made = QDRI_ZERO_ARRAY(qdri_wire, 1);
    if (!made) return NULL;
    pthread_mutex_init(&made->lock, NULL);
    made->owners = 1;
    made->own_line = (qdri_status_line){.plan = -1, .exchange = -1, .waits_for = -1, .pid = getpid()};
    return made;
}

void qdri_wire_enlist(qdri_wire *wire) {
    qdri_wires_lock();
    wire->next = qdri_wires;
    qdri_wires = wire;
    qdri_wires_unlock();
}

static void unlist(const qdri_wire *wire) {
    for (qdri_wire **link = &qdri_wires; *link; link = &(*link)->next)
        if (*link == wire) {
            *link = wire->next;
            return;
        }
}

qdri_wire *qdri_wire_retain(qdri_wire *wire) {
    qdri_wires_lock();
    wire->owners++;
    qdri_wires_unlock();
    return wire;
}

void qdri_wire_release(qdri_wire **wire) {
    qdri_wire *released = *wire;
    if (!released) return;
    *wire = NULL;
    qdri_wires_lock();
    int last = --released->owners == 0;
    if (last) unlist(released);
    qdri_wires_unlock();
    if (!last) return;
    qdri_node_leave(released);
    if (!released->backend->close(released)) return;
    qdri_node_close(released);
    pthread_mutex_destroy(&released->lock);
    free(released);
}

void qdri_wire_part(qdri_wire *wire) {
    qdri_lock(wire);
    if (!wire->gone) {
        if (!qdri_council_close(&wire->council)) wire->broken = 1;
        if (!qdri_news_close(wire)) wire->broken = 1;
        wire->backend->leave(wire);
    }
    wire->gone = 1;
    qdri_unlock(wire);
}

void qdri_wire_release_keepsakes(qdri_wire *wire) {
    while (wire->keepsakes && !wire->broken) {
        qdri_keepsake *keepsake = wire->keepsakes;
        wire->keepsakes = keepsake->next;
        keepsake->release(keepsake);
    }
}
