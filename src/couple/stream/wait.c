/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting. A call says what it waits for and when that is so; the poller of the stream looks at it after
 * each step. The first milliseconds are spent as everywhere in the library, looking and yielding; whoever
 * waits longer waits for a program that computes, and sleeps between looks, so that it gets the processor.
 * In between the roots look whether the two programs wait for each other.
 */
#include <stdio.h>
#include <time.h>

#include "couple/stream/run.h"

qdr_status qdri_running_state(qdri_running *running) {
    if (!running->failed) {
        qdr_status status = qdri_wire_state(running->wire);
        if (!status) return QDR_OK;
        char sentence[QDRI_SENTENCE];
        snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
        if (running->wait)
            qdri_fail(status, "%s, waiting for %s: %s", running->label, running->wait->what, sentence);
        else
            qdri_fail(status, "%s: %s", running->label, sentence);
        qdri_fault_raise(running, status);
    }
    return qdri_fail(running->failed, "%s", running->sentence);
}

static qdr_status stalled(const qdri_running *running) {
    const qdr_stream *stream = running->stream;
    return qdri_fail(QDR_ERR_STALLED, "%s: %s waited %g seconds for %s", running->label,
                     stream->coupling->program->name, stream->seconds, running->wait->what);
}

/* The other program has left. All that it had sent before is here, so one more step is enough; to end a
 * stream nobody is needed any more. */
static qdr_status deserted(qdri_running *running) {
    qdri_progress(running->wire);
    if (running->ready || running->wait->kind == QDRI_WAIT_CLOSE)
        return running->failed ? qdri_running_state(running) : QDR_OK;
    qdri_fault_raise(running,
                     qdri_fail(QDR_ERR_PEER, "%s: %s has left, while %s waited for %s", running->label,
                               running->stream->exports ? running->importer_name : running->exporter_name,
                               running->stream->coupling->program->name, running->wait->what));
    return qdri_running_state(running);
}

/* Whether other ranks of this program have something to say first. */
static int waits_for_its_own(const qdri_running *running) {
    return running->votes || (running->closes && !running->heard_last);
}

static void rest(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static qdr_status wait_for_it(qdri_running *running, double deadline) {
    const double patient = 0.01; /* seconds */
    qdri_wait_until(running->wire, &running->ready, running->waits_since + patient);
    while (!running->ready) {
        QDRI_TRY(qdri_running_state(running));
        qdri_deadlock_look(running);
        if (running->ready) break;
        if (deadline > 0 && qdri_seconds() > deadline) return stalled(running);
        if (qdri_wire_is_alone(running->wire) && !waits_for_its_own(running)) return deserted(running);
        rest();
        qdri_progress(running->wire);
    }
    return running->failed ? qdri_running_state(running) : QDR_OK;
}

/* Rises over all streams of the coupling, also those that were closed. (Waits that are told of last longer
 * than a tick.) */
static int64_t next_serial(void) {
    return (int64_t)(1e9 * qdri_seconds());
}

qdr_status qdri_running_wait(qdri_running *running, const qdri_wait *wait) {
    running->wait = wait;
    running->ready = 0;
    running->serial = next_serial();
    running->waits_since = qdri_seconds();
    qdri_running_step(running);
    qdr_status status = wait_for_it(running, qdri_deadline(running->stream->seconds));
    running->wait = NULL;
    return status;
}
