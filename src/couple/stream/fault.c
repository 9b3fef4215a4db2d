/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults: what one rank finds out, all ranks of both programs must fail with. The ranks of the two
 * programs form a binary tree, in which each listens to its neighbours, three at most, as long as the
 * stream lives; whoever fails, or hears that another has, tells its other neighbours, once. So a sentence
 * is everywhere after a time that grows with the logarithm of the ranks, without a collective, which could
 * not be had where somebody is late. When several ranks fail at the same time each may hear of another
 * first; the stream has failed for all of them.
 *
 * A deadlock is another matter: it is known to some ranks while others are still in the call before, which ends well for
 * all. So it goes through the tree at once, but takes effect on a rank only when that comes to the wait that is stuck.
 *
 * The same tree carries one piece of good news: programs that both close what they export need not wait for
 * each other in that; all ranks learn it, and go on.
 *
 * An importer may leave a stream long before the exporter does. It then says goodbye to those neighbours that
 * export: nobody listens to a program that is gone.
 */
#include <stdio.h>
#include <string.h>

#include "couple/stream/run.h"

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Ranks of the first program, then those of the second. */
typedef struct node {
    int rank; /* on the wire */
    int side;
} node;

static int nodes(const qdri_space *space) {
    return space->is_self ? space->count[0] : space->count[0] + space->count[1];
}

static node node_at(const qdri_space *space, int place) {
    int side = place >= space->count[0];
    return (node){space->rank[side][place - side * space->count[0]], side};
}

static int own_place(const qdri_space *space) {
    return space->is_self || space->side == 0 ? space->own : space->count[0] + space->own;
}

static int neighbours(const qdri_space *space, node neighbour[3]) {
    int own = own_place(space), count = 0;
    if (own > 0) neighbour[count++] = node_at(space, (own - 1) / 2);
    for (int child = 2 * own + 1; child <= 2 * own + 2 && child < nodes(space); child++)
        neighbour[count++] = node_at(space, child);
    return count;
}

static int exports(const qdri_running *running, node neighbour) {
    const qdr_stream *stream = running->stream;
    return stream->coupling->space.is_self || neighbour.side == stream->exporter;
}

static int imports(const qdri_running *running, node neighbour) {
    const qdr_stream *stream = running->stream;
    return stream->coupling->space.is_self || neighbour.side != stream->exporter;
}

/* ---- telling ------------------------------------------------------------------------------------------- */

static void tell(qdri_running *running, int except, const qdri_fault_note *note) {
    for (int i = 0; i < running->faults; i++)
        if (running->fault[i].from != except && running->fault[i].bytes > 0)
            qdri_notice_send(running, running->fault[i].from, QDRI_TAG_FAULT, note, sizeof *note);
}

static void fail_now(qdri_running *running, const qdri_fault_note *note) {
    running->failed = (qdr_status)note->status;
    snprintf(running->sentence, sizeof running->sentence, "%.*s", QDRI_SENTENCE - 1, note->sentence);
    running->ready = 1;
}

static int is_deadlock(const qdri_fault_note *note) {
    return note->stuck[0].kind != QDRI_WAIT_OTHER;
}

static void fail_one(qdri_running *running, const qdri_fault_note *note, int from) {
    if (running->failed || (is_deadlock(note) && running->doom.status)) return;
    if (is_deadlock(note)) {
        running->doom = *note;
        running->doomed_since = qdri_seconds();
    } else {
        fail_now(running, note);
    }
    tell(running, from, note);
}

/* The stream that a note speaks of as well; NULL: none, or it is closed here. */
static qdri_running *the_other(const qdri_running *running, int64_t nonce) {
    qdri_running *other = nonce ? running->stream->coupling->runnings : NULL;
    while (other && other->nonce != nonce) other = other->next;
    return other;
}

/* Both streams have the same tree, but notes of their own, and either's may come first: each names the other
 * stream, so that whoever hears one knows of both. */
static void fail(qdri_running *running, const qdri_fault_note *note, int from) {
    qdri_running *other = the_other(running, note->also);
    fail_one(running, note, from);
    qdri_fault_note rest = *note;
    rest.also = running->nonce;
    if (other) fail_one(other, &rest, -1);
}

static qdri_fault_note note_of(qdr_status status) {
    qdri_fault_note note = {.status = status};
    snprintf(note.sentence, sizeof note.sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
    return note;
}

void qdri_fault_raise(qdri_running *running, qdr_status status) {
    qdri_fault_note note = note_of(status);
    fail(running, &note, -1);
}

void qdri_fault_raise_deadlock(qdri_running *running, qdri_running *other, const qdri_stuck stuck[2]) {
    qdri_fault_note note = note_of(QDR_ERR_DEADLOCK);
    note.also = other == running ? 0 : other->nonce;
    memcpy(note.stuck, stuck, sizeof note.stuck);
    fail(running, &note, -1);
}

void qdri_fault_strike(qdri_running *running) {
    qdri_running *other = the_other(running, running->doom.also);
    if (!qdri_deadlock_has_come(running) || (other && !qdri_deadlock_owes_nothing(other))) return;
    fail_now(running, &running->doom);
    if (other && !other->failed) fail_now(other, &running->doom);
}

/* ---- lingering ----------------------------------------------------------------------------------------- */

static void linger_one(qdri_running *running, int64_t also, int from) {
    if (running->lingers || running->failed) return;
    running->lingers = 1;
    qdri_fault_note note = {.status = QDRI_LINGER, .also = also};
    tell(running, from, &note);
    qdri_running_step(running);
}

static void linger(qdri_running *running, int64_t also, int from) {
    qdri_running *other = the_other(running, also);
    linger_one(running, also, from);
    if (other) linger_one(other, running->nonce, -1);
}

void qdri_fault_linger(qdri_running *running, qdri_running *other) {
    linger(running, other == running ? 0 : other->nonce, -1);
}

/* ---- hearing ------------------------------------------------------------------------------------------- */

static int heard(qdri_notice_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    if (body->fault.status == QDRI_GOODBYE) {
        running->goodbyes_due--;
        box->bytes = 0; /* it does not listen any more */
    } else if (body->fault.status == QDRI_LINGER) {
        linger(running, body->fault.also, box->from);
        return 1;
    } else if (qdri_decode_failure(qdri_box_sender(box), body->fault.status) ||
               qdri_decode_word(qdri_box_sender(box), "a wait that is stuck", body->fault.stuck[0].kind,
                                QDRI_WAIT_OTHER, QDRI_WAIT_CLOSE)) {
        qdri_fault_raise(running, QDR_ERR_MISMATCH);
    } else {
        qdri_fault_note note = body->fault;
        qdri_decode_text(note.sentence, sizeof note.sentence);
        fail(running, &note, box->from);
    }
    return 0;
}

void qdri_fault_listen(qdri_running *running) {
    node neighbour[3];
    running->faults = neighbours(&running->stream->coupling->space, neighbour);
    for (int i = 0; i < running->faults; i++) {
        running->fault[i] = (qdri_notice_box){.running = running,
                                              .from = neighbour[i].rank,
                                              .tag = QDRI_TAG_FAULT,
                                              .bytes = sizeof(qdri_fault_note),
                                              .came = heard};
        running->goodbyes_due += running->stream->exports && imports(running, neighbour[i]);
        qdri_box_post(&running->fault[i]);
    }
}

void qdri_fault_goodbye(qdri_running *running) {
    qdri_fault_note note = {.status = QDRI_GOODBYE};
    node neighbour[3];
    int count = neighbours(&running->stream->coupling->space, neighbour);
    for (int i = 0; i < count; i++)
        if (exports(running, neighbour[i]))
            qdri_notice_send(running, neighbour[i].rank, QDRI_TAG_FAULT, &note, sizeof note);
}
