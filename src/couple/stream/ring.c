/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that nobody votes on. An export and a promise do not wait for the other ranks of their program. But
 * a rank whose call was refused (an array is NULL, a time is not higher) goes on without it; if the others
 * made it, the other program would wait for this rank's part for ever. A mistake that all ranks make alike
 * harms nobody.
 *
 * So each rank counts its calls, and tells the rank after it, in a ring, of those that are remarkable:
 * refused ones, and promises, whose times must be the same. Where all do the same, each hears what it did
 * itself. Where not, somewhere in the ring a rank hears what it did not do, or misses what it did, and the
 * stream fails with both by name. An export that is right costs nothing here. Calls that ended with
 * QDR_ERR_STALLED or QDR_ERR_FULL were not made, and do not count.
 *
 * The last note says that a rank closes the stream. Nobody leaves before it has heard it: then it has heard
 * all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/stream/run.h"

static int before(const qdri_running *running) {
    return (running->own + running->fellows - 1) % running->fellows;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

/* `note` is NULL where nothing was told of the call: an export, or the end. */
static void text_of(const qdri_call_note *note, int is_made, char *text, size_t size) {
    if (!note)
        snprintf(text, size, "%s", is_made ? "exported" : "closed the stream");
    else if (note->kind == QDRI_CALL_PROMISED)
        snprintf(text, size, "promised %.17g", note->time);
    else
        snprintf(text, size, "was refused (%.*s)", QDRI_WHAT - 1, note->what);
}

static void disagree(qdri_running *running, const qdri_call_note *theirs, int made_by_them,
                     const qdri_call_note *mine) {
    char other[QDRI_WHAT + 20], own[QDRI_WHAT + 20];
    int64_t number = theirs ? theirs->number : mine->number;
    text_of(theirs, made_by_them, other, sizeof other);
    text_of(mine, number < running->numbered, own, sizeof own);
    qdri_fault_raise(running, qdri_fail(QDR_ERR_MISMATCH,
                                        "%s: ranks %d and %d of %s disagree: in call %" PRId64
                                        " the one %s, the other %s",
                                        running->label, before(running), running->own, running->own_name,
                                        number + 1, other, own));
}

static void drop_first(qdri_call_notes *notes) {
    notes->count--;
    memmove(notes->note, notes->note + 1, (size_t)notes->count * sizeof *notes->note);
}

static int are_alike(const qdri_call_note *theirs, const qdri_call_note *mine) {
    return theirs->kind == mine->kind && (mine->kind != QDRI_CALL_PROMISED || theirs->time == mine->time);
}

/* What both ranks have come to. Numbers rise in both lists. */
static void compare(qdri_running *running) {
    qdri_call_notes *told = &running->calls_told, *heard = &running->calls_heard;
    while (heard->count > 0 && !running->failed) {
        const qdri_call_note *theirs = heard->note, *mine = told->count > 0 ? told->note : NULL;
        int is_last = theirs->kind == QDRI_CALL_LAST;
        if (mine && (is_last || mine->number < theirs->number)) {
            disagree(running, NULL, mine->number < theirs->number, mine);
        } else if (is_last) {
            running->heard_last = 1;
            return;
        } else if (theirs->number >= running->numbered && !running->closes) {
            return;
        } else if (!mine || mine->number > theirs->number) {
            disagree(running, theirs, 1, NULL);
        } else if (!are_alike(theirs, mine)) {
            disagree(running, theirs, 1, mine);
        } else {
            drop_first(told);
            drop_first(heard);
        }
    }
}

static void keep(qdri_running *running, qdri_call_notes *notes, const qdri_call_note *note) {
    if (!qdri_grow(&notes->note, &notes->capacity, notes->count + 1, sizeof *notes->note)) {
        qdri_fault_raise(running, qdri_fail_memory());
        return;
    }
    notes->note[notes->count++] = *note;
    compare(running);
}

static int came(qdri_notice_box *box, const qdri_body *body) {
    qdri_call_note note = body->call;
    note.what[QDRI_WHAT - 1] = 0;
    keep(box->running, &box->running->calls_heard, &note);
    return note.kind != QDRI_CALL_LAST;
}

/* ---- telling ------------------------------------------------------------------------------------------- */

static void tell(qdri_running *running, const qdri_call_note *note) {
    if (running->fellows == 1) return;
    int after = (running->own + 1) % running->fellows;
    qdri_notice_send(running, running->fellow_rank[after], QDRI_TAG_RING, note, sizeof *note);
    if (note->kind != QDRI_CALL_LAST) keep(running, &running->calls_told, note);
}

void qdri_ring_made(qdri_running *running) {
    running->numbered++;
    compare(running);
}

void qdri_ring_promised(qdri_running *running, double time) {
    tell(running, &(qdri_call_note){.number = running->numbered++, .kind = QDRI_CALL_PROMISED, .time = time});
}

qdr_status qdri_ring_refused(qdri_running *running, qdr_status status) {
    char sentence[QDRI_SENTENCE];
    qdri_call_note note = {.number = running->numbered++, .kind = QDRI_CALL_REFUSED};
    snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
    size_t label = strlen(running->label);
    int has_label = !strncmp(sentence, running->label, label) && !strncmp(sentence + label, ": ", 2);
    snprintf(note.what, sizeof note.what, "%.*s", QDRI_WHAT - 1, sentence + (has_label ? label + 2 : 0));
    tell(running, &note);
    return qdri_fail(status, "%s", sentence);
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

void qdri_ring_listen(qdri_running *running) {
    running->heard_last = running->fellows == 1;
    if (running->fellows == 1) return;
    running->ring = (qdri_notice_box){.running = running,
                                      .from = running->fellow_rank[before(running)],
                                      .tag = QDRI_TAG_RING,
                                      .bytes = sizeof(qdri_call_note),
                                      .came = came};
    qdri_box_post(&running->ring);
}

void qdri_ring_end(qdri_running *running) {
    if (running->closes) return;
    running->closes = 1;
    tell(running, &(qdri_call_note){.number = running->numbered, .kind = QDRI_CALL_LAST});
    compare(running);
}

void qdri_ring_close(qdri_running *running) {
    free(running->calls_told.note);
    free(running->calls_heard.note);
}
