/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress: one list of wires for the process. Whoever waits for anything advances everything, because two
 * ranks may wait for two exchanges in different orders, and each needs the other's help with the one it is
 * not waiting for.
 */
#include <time.h>

#include "base/aside.h"
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

/* Less is usual where processes wait for processors. */
static void be_present(qdri_wire *wire) {
    const double pause = 0.01;
    double now = qdri_seconds_about();
    if (now > wire->present + pause) wire->returned = qdri_seconds();
    wire->present = now;
}

double qdri_returned(const qdri_wire *wire) {
    return wire->returned;
}

static int advance(qdri_wire *wire, int pollers_alone, int may_wait) {
    if (wire->gone || wire->busy) return 0;
    wire->busy = 1;
    if (!pollers_alone) be_present(wire);
    int ended = pollers_alone ? 0 : wire->backend->advance(wire, may_wait && !wire->pollers);
    for (qdri_poller *poller = wire->pollers, *next; poller; poller = next) {
        next = poller->next;
        poller->poll(poller);
    }
    ended += wire->ended;
    wire->ended = 0;
    wire->busy = 0;
    return ended;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Whether nothing but an operation of this wire can get the process on. */
static int is_alone(const qdri_wire *wire) {
    for (const qdri_wire *other = qdri_wires; other; other = other->next)
        if (other != wire && (other->backend->is_busy(other) || other->pollers)) return 0;
    return 1;
}

/* `patient`: the caller has nothing else to do. */
static int progress(qdri_wire *held, int patient) {
    int ended = 0;
    if (!qdri_threads_multiple) {
        for (qdri_wire *wire = qdri_wires, *next; wire; wire = next) {
            next = wire->next;
            ended += advance(wire, 0, patient && wire == held && is_alone(wire));
        }
        qdri_aside();
        return ended;
    }
    if (held) ended += advance(held, 0, 0);
    if (!qdri_wires_trylock()) return ended; /* another thread is just doing this */
    for (qdri_wire *wire = qdri_wires; wire; wire = wire->next)
        if (wire != held && pthread_mutex_trylock(&wire->lock) == 0) {
            ended += advance(wire, 0, 0);
            pthread_mutex_unlock(&wire->lock);
        }
    qdri_wires_unlock();
    return ended;
}

int qdri_progress(qdri_wire *held) {
    return progress(held, 0);
}

void qdri_look_around(qdri_wire *wire, double now) {
    const double often = 0.002;
    if (now < wire->looked + often || wire->busy) return;
    wire->looked = now;
    (void)qdri_news_look(wire);
}

/* Ranks of a node may wait for each other's memory alone. To look at the network asks the system about every connection, and where ranks share
 * processors everyone waits meanwhile. */
static int waits_for_memory(const qdri_wire *wire) {
    for (const qdri_poller *poller = wire->pollers; poller; poller = poller->next)
        if (poller->is_awaited) return 1;
    return 0;
}

qdr_status qdri_wait_until(qdri_wire *wire, const int *finished, double deadline) {
    enum { LOOKS_BEFORE_YIELDING = 20, LOOKS_BEFORE_RESTING = 2000 };
    /* The clock is looked at also while things happen: asking and being refused is no way to get on. On a busy machine
     * one yield may take a whole turn of others: then it is looked at more often. */
    enum { LOOKS_BETWEEN_CLOCKS = 64, YIELDS_BETWEEN_CLOCKS = 8, LOOKS_BETWEEN_NETWORK = 32 };
    for (unsigned looks = 1, idle = 0; !*finished; looks++) {
        int memory_alone = looks % LOOKS_BETWEEN_NETWORK && waits_for_memory(wire);
        idle = (memory_alone ? advance(wire, 1, 0) : progress(wire, 1)) ? 0 : idle + 1;
        if (*finished) break;
        if (wire->gone || wire->failed) return qdri_wire_state(wire);
        if (idle >= LOOKS_BEFORE_YIELDING) wire->backend->yield();
        if (idle >= LOOKS_BEFORE_RESTING && wire->backend->rest) wire->backend->rest(wire);
        if (looks % (idle >= LOOKS_BEFORE_YIELDING ? YIELDS_BETWEEN_CLOCKS : LOOKS_BETWEEN_CLOCKS)) continue;
        double now = qdri_seconds();
        qdri_status_own(wire)->seen = now;
        qdri_look_around(wire, now);
        if (deadline < 0) deadline = now - deadline;
        if (deadline > 0 && now > deadline)
            return qdri_fail(QDR_ERR_STALLED, "rank %d: the deadline passed", wire->rank);
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
