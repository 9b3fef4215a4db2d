/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that wait for each other. Each may wait for an answer of the other (an export that decides its
 * request), for room in a queue (a request of the other), or for the other's end of a stream that it
 * closes. When both wait, each for something that only the other can do, neither ever will.
 *
 * Only the roots talk about it, for all calls of a program are collective. A root that has waited for a
 * while states its wait to the other, with a serial number that rises. Who hears a statement can see
 * whether the wait is in vain so far: he is the one who has to act. If he waits himself he states his own
 * wait, and that he knows of the other's. Whoever hears that of the wait that he is still in, and sees
 * that the other's is in vain too, knows: I did not act since I stated my wait, and will not, and he will
 * not before I do. An import that was started and is not waited for is no wait, and is not stated.
 *
 * A program that is coupled with itself sees all of it alone.
 */
#include <stdio.h>
#include <string.h>

#include "couple/stream/run.h"

/* ---- in vain? ------------------------------------------------------------------------------------------ */

/* Whether this rank, which exports, has the request and cannot answer it. */
static int is_undecided(const qdri_running *running, int64_t number) {
    const qdri_timeline *timeline = &running->timeline;
    const qdri_asked *first = qdri_timeline_undecided(timeline);
    return first && first->request.number <= number &&
           timeline->request[timeline->requests - 1].request.number >= number;
}

/* Whether nothing is under way that would give room, or end a stream, by itself. */
static int is_still(const qdri_running *running) {
    return !running->exchange && !qdri_timeline_next(&running->timeline);
}

/* Whether this program has not yet done what the other waits for. */
static int is_in_vain(const qdri_running *running, const qdri_wait_note *other) {
    switch (other->kind) {
    case QDRI_WAIT_ANSWER:
        return running->stream->exports && is_undecided(running, other->number);
    case QDRI_WAIT_ROOM:
    case QDRI_WAIT_CLOSE:
        return running->stream->imports && running->said == other->number;
    default:
        return 0;
    }
}

/* Whether this rank's own wait depends on the other program alone. */
static int depends_on_other(const qdri_running *running) {
    switch (running->wait->kind) {
    case QDRI_WAIT_ANSWER:
        return 1;
    case QDRI_WAIT_ROOM:
        return is_still(running);
    case QDRI_WAIT_CLOSE:
        return is_still(running) && !running->no_more_asks;
    default:
        return 0;
    }
}

static int64_t number_of(const qdri_running *running) {
    return running->wait->kind == QDRI_WAIT_ANSWER ? running->wait->number : running->asks;
}

static qdri_stuck own_wait(const qdri_running *running) {
    return (qdri_stuck){running->nonce, running->wait->kind, number_of(running)};
}

int qdri_deadlock_owes_nothing(const qdri_running *running) {
    return !running->stream->exports || is_still(running);
}

/* A rank that does not do what the others of its program do never comes to it: it is told in the end. */
int qdri_deadlock_has_come(const qdri_running *running) {
    const double latest = 5; /* seconds */
    qdri_stuck own = own_wait(running);
    if (qdri_seconds() > running->doomed_since + latest) return 1;
    for (int i = 0; i < 2; i++) {
        const qdri_stuck *stuck = &running->doom.stuck[i];
        if (stuck->stream == own.stream && stuck->kind == own.kind && own.number >= stuck->number)
            return qdri_deadlock_owes_nothing(running);
    }
    return 0;
}

/* ---- with itself --------------------------------------------------------------------------------------- */

static void look_at_oneself(qdri_running *running) {
    qdri_wait_note own = {.kind = running->wait->kind, .number = number_of(running)};
    if (own.kind == QDRI_WAIT_CLOSE || !depends_on_other(running) || !is_in_vain(running, &own)) return;
    qdri_fail(QDR_ERR_DEADLOCK, "%s: %s waits for %s, which is itself", running->label,
              running->exporter_name, running->wait->what);
    qdri_fault_raise_deadlock(running, running, (qdri_stuck[2]){own_wait(running)});
}

/* ---- with another -------------------------------------------------------------------------------------- */

static void send_statement(qdri_running *running, qdri_wait_note *statement) {
    int root = running->stream->exports ? running->importer_rank[0] : running->exporter_rank[0];
    statement->stream = running->nonce;
    qdri_notice_send(running, root, QDRI_TAG_WAITS, statement, sizeof *statement);
}

static void state(qdri_running *running, int64_t knows_tag, int64_t knows_serial) {
    qdri_wait_note *told = &running->told;
    *told = (qdri_wait_note){.serial = running->serial,
                             .kind = running->wait->kind,
                             .number = number_of(running),
                             .knows_tag = knows_tag,
                             .knows_serial = knows_serial};
    memcpy(told->what, running->wait->what, sizeof told->what);
    send_statement(running, told);
}

/* What the other said of an earlier stream may have come after that was closed. */
static int heard(qdri_notice_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    if (body->statement.stream != running->nonce) return 1;
    if (body->statement.kind == QDRI_GOODBYE) {
        running->goodbyes_due--;
        running->heard.serial = 0; /* it waits here no more */
        return 0;
    }
    if (qdri_decode_word(qdri_box_sender(box), "what is waited for", body->statement.kind, QDRI_WAIT_OTHER,
                         QDRI_WAIT_CLOSE)) {
        qdri_fault_raise(running, QDR_ERR_MISMATCH);
        return 0;
    }
    running->heard = body->statement;
    qdri_decode_text(running->heard.what, sizeof running->heard.what);
    return 1;
}

void qdri_deadlock_listen(qdri_running *running) {
    const qdr_stream *stream = running->stream;
    if (!qdri_running_is_root(running) || stream->coupling->space.is_self) return;
    running->waits =
        (qdri_notice_box){.running = running,
                          .from = stream->exports ? running->importer_rank[0] : running->exporter_rank[0],
                          .tag = QDRI_TAG_WAITS,
                          .bytes = sizeof(qdri_wait_note),
                          .came = heard};
    running->goodbyes_due += stream->exports;
    qdri_box_post(&running->waits);
}

void qdri_deadlock_goodbye(qdri_running *running) {
    if (!qdri_running_is_root(running) || running->stream->coupling->space.is_self) return;
    send_statement(running, &(qdri_wait_note){.kind = QDRI_GOODBYE});
}

/* Both roots may come here; their sentences are the same. Where both close what they export, each has said
 * all that it had to say: neither has to wait. */
static void report(qdri_running *own, qdri_running *other) {
    if (own->wait->kind == QDRI_WAIT_CLOSE && other->heard.kind == QDRI_WAIT_CLOSE) {
        qdri_fault_linger(own, other);
        return;
    }
    const qdri_space *space = &own->stream->coupling->space;
    const char *what[2];
    what[space->side] = own->wait->what;
    what[1 - space->side] = other->heard.what;
    qdri_fail(QDR_ERR_DEADLOCK, "%s waits for %s, and %s waits for %s", space->name[0], what[0],
              space->name[1], what[1]);
    qdri_fault_raise_deadlock(
        own, other, (qdri_stuck[2]){own_wait(own), {other->nonce, other->heard.kind, other->heard.number}});
}

/* What the other root said last, on whichever stream; NULL: nothing. */
static qdri_running *latest(const qdr_coupling *coupling) {
    qdri_running *latest = NULL;
    for (qdri_running *other = coupling->runnings; other; other = other->next)
        if (other->heard.serial > (latest ? latest->heard.serial : 0)) latest = other;
    return latest;
}

void qdri_deadlock_look(qdri_running *running) {
    const double patience = 0.02; /* seconds */
    const qdr_coupling *coupling = running->stream->coupling;
    if (running->failed) return;
    if (coupling->space.is_self) {
        look_at_oneself(running);
        return;
    }
    if (!qdri_running_is_root(running) || running->doom.status) return;
    if (qdri_seconds() < running->waits_since + patience || !depends_on_other(running)) return;
    if (running->told.serial != running->serial) state(running, 0, 0);
    qdri_running *other = latest(coupling);
    if (!other || other->failed || other->doom.status || !is_in_vain(other, &other->heard)) return;
    const qdri_wait_note *heard = &other->heard, *told = &running->told;
    if (heard->knows_tag == running->first_tag && heard->knows_serial == running->serial)
        report(running, other);
    else if (told->knows_tag != other->first_tag || told->knows_serial != heard->serial)
        state(running, other->first_tag, heard->serial);
}
