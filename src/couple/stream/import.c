/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Importing. A request goes out, an answer comes back from one exporter, then the data from all that have
 * some, into the staging block, and from there into the arrays. Requests are answered in their order, so
 * the calls of a stream form a list, of which the first that is not over is the one that comes next.
 *
 * All ranks must ask for the same. While the request travels they vote on what they asked for; an import
 * ends when that is over, too, so that either all ranks come to a request or none does. Ranks whose call
 * is wrong vote as well.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "couple/stream/run.h"

void qdri_wanted_text(const qdri_wanted *request, char *text, size_t size) {
    int length = snprintf(text, size, "%s %g", qdri_match_name(request->match), request->time);
    if (request->match != QDR_EXACT && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", tolerance %g", request->tolerance);
}

void qdri_import_say(qdri_running *running, const qdri_ask *ask) {
    running->said++;
    for (int p = running->own; p < running->exporters; p += running->importers)
        qdri_notice_send(running, running->exporter_rank[p], QDRI_TAG_ASK, ask, sizeof *ask);
}

/* ---- whether all ask for the same ---------------------------------------------------------------------- */

/* What is compared; each word is followed by its complement, so that the maxima tell the extremes. Then the
 * highest rank whose call was refused; -1: none. */
enum { STATUS, TIME, MATCH, TOLERANCE, COMPARED, REFUSED = 2 * COMPARED };

/* `mine`: what this rank thinks of its own call. */
static qdr_status vote(qdri_import_call *call, qdr_status mine) {
    int64_t word[COMPARED] = {
        [STATUS] = mine,
        [TIME] = qdri_ordered(call->request.time),
        [MATCH] = call->request.match,
        [TOLERANCE] = qdri_ordered(call->request.tolerance),
    };
    qdri_ballot ballot;
    for (int i = 0; i < COMPARED; i++) {
        ballot.word[2 * i] = word[i];
        ballot.word[2 * i + 1] = ~word[i];
    }
    ballot.word[REFUSED] = mine ? call->running->own : -1;
    return qdri_vote_start(call->running, &ballot, &call->vote);
}

static qdr_status compare(const qdri_import_call *call) {
    const qdri_running *running = call->running;
    int64_t most[COMPARED], least[COMPARED];
    for (int i = 0; i < COMPARED; i++) {
        most[i] = call->vote->result.word[2 * i];
        least[i] = ~call->vote->result.word[2 * i + 1];
    }
    if (memcmp(most, least, sizeof most) == 0) return QDR_OK;
    const char *who = running->importer_name;
    if (most[TIME] != least[TIME])
        return qdri_fail(QDR_ERR_MISMATCH, "%s: the ranks of %s ask for different times, from %.17g to %.17g",
                         running->label, who, qdri_from_ordered(least[TIME]), qdri_from_ordered(most[TIME]));
    if (most[MATCH] != least[MATCH] && qdri_match_name(least[MATCH]) && qdri_match_name(most[MATCH]))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: the ranks of %s ask for different matches at %.17g: %s and %s", running->label,
                         who, call->request.time, qdri_match_name(least[MATCH]),
                         qdri_match_name(most[MATCH]));
    if (most[TOLERANCE] != least[TOLERANCE])
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: the ranks of %s ask with different tolerances at %.17g, from %g to %g",
                         running->label, who, call->request.time, qdri_from_ordered(least[TOLERANCE]),
                         qdri_from_ordered(most[TOLERANCE]));
    return qdri_fail(QDR_ERR_MISMATCH,
                     "%s: rank %d of %s was refused its import at %.17g (%s), others were not",
                     running->label, (int)call->vote->result.word[REFUSED], who, call->request.time,
                     qdr_status_text((qdr_status)most[STATUS]));
}

/* ---- steps --------------------------------------------------------------------------------------------- */

qdri_import_call *qdri_import_next(const qdri_running *running) {
    qdri_import_call *call = running->calls;
    while (call && call->over) call = call->next;
    return call;
}

static int are_unanswered(const qdri_running *running) {
    for (const qdri_import_call *call = running->calls; call; call = call->next)
        if (!call->over && call->verdict == QDRI_UNDECIDED) return 1;
    return 0;
}

/* `call` is the first without one; NULL: there is none. */
static qdr_status decode_answer(const qdri_running *running, qdri_teller sender, const qdri_import_call *call,
                                const qdri_answer *answer) {
    if (!call)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: rank %d of %s got an answer to import %" PRId64 " that it did not ask for",
                         running->label, running->own, running->importer_name, answer->number);
    QDRI_TRY(qdri_decode_word(sender, "number of an answer", answer->number, call->request.number,
                              call->request.number));
    QDRI_TRY(qdri_decode_word(sender, "an answer", answer->verdict, QDRI_MATCHED, QDRI_UNMATCHED));
    if (answer->verdict == QDRI_MATCHED && !qdri_wanted_suits(&call->request, answer->time))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: rank %d of %s answers with the export at %.17g, which does not match",
                         running->label, sender.rank, sender.program, answer->time);
    return QDR_OK;
}

/* Answers come in the order of requests. */
int qdri_import_answered(qdri_notice_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    const qdri_answer *answer = &body->answer;
    qdri_import_call *call = running->calls;
    while (call && (call->over || call->verdict != QDRI_UNDECIDED)) call = call->next;
    qdr_status status = decode_answer(running, qdri_box_sender(box), call, answer);
    if (status) {
        qdri_fault_raise(running, status);
        return 0;
    }
    call->verdict = (qdri_verdict)answer->verdict;
    call->time = answer->time;
    return are_unanswered(running);
}

void qdri_import_settle(qdri_running *running) {
    for (qdri_import_call *call = running->calls; call; call = call->next) {
        if (!running->failed && call->vote && call->vote->done) {
            qdr_status status = compare(call);
            if (status) qdri_fault_raise(running, status);
            qdri_vote_drop(&call->vote);
        }
        call->is_right |= !running->failed && call->over && !call->vote;
        call->finished = running->failed || call->is_right;
    }
}

/* ---- the end of a call --------------------------------------------------------------------------------- */

static void free_call(qdri_import_call *call) {
    qdri_vote_drop(&call->vote);
    free(call);
}

/* Nobody waits for it any more: it goes as soon as it has finished. */
static void let_go(qdri_import_call *call) {
    call->orphaned = 1;
    if (!call->finished) return;
    qdri_import_call **link = &call->running->calls;
    while (*link != call) link = &(*link)->next;
    *link = call->next;
    free_call(call);
}

static void drop_orphans(qdri_running *running) {
    for (qdri_import_call *call = running->calls, *next; call; call = next) {
        next = call->next;
        if (call->orphaned) let_go(call);
    }
}

int64_t qdri_import_held(const qdri_running *running) {
    int64_t held = 0;
    for (const qdri_import_call *call = running->calls; call; call = call->next) held += !call->orphaned;
    return held;
}

void qdri_import_close(qdri_running *running) {
    while (running->calls) {
        qdri_import_call *call = running->calls;
        running->calls = call->next;
        if (call->orphaned) {
            free_call(call);
            continue;
        }
        qdri_vote_drop(&call->vote);
        call->running = NULL;
        call->left = running->failed ? running->failed : QDR_ERR_GONE;
    }
}

/* The stream has failed, and was closed. */
static qdr_status conclude_without_stream(qdr_pending **handle) {
    qdr_status status = ((qdri_import_call *)*handle)->left;
    free(*handle);
    *handle = NULL;
    return qdri_fail(status, "the stream of this import failed, and was closed: %s", qdr_status_text(status));
}

/* The result of a call that has finished. */
static qdr_status conclude(qdr_pending **handle) {
    qdri_import_call *call = (qdri_import_call *)*handle;
    qdri_running *running = call->running;
    qdr_status status = QDR_OK;
    char text[100];
    qdri_wanted_text(&call->request, text, sizeof text);
    if (running->failed && !call->is_right)
        status = qdri_running_state(running);
    else if (call->verdict == QDRI_UNMATCHED)
        status = qdri_fail(QDR_ERR_UNMATCHED, "%s: no export matches %s", running->label, text);
    else if (call->matched)
        *call->matched = call->time;
    running->imported += !status;
    *handle = NULL;
    let_go(call);
    return status;
}

/* ---- the beginning ------------------------------------------------------------------------------------- */

static qdr_status check_request(const qdri_running *running, const qdri_wanted *request) {
    if (!qdri_match_name(request->match))
        return qdri_fail(QDR_ERR_INVALID, "%s: there is no match %d", running->label, (int)request->match);
    if (!isfinite(request->time) || isnan(request->tolerance) || request->tolerance < 0)
        return qdri_fail(QDR_ERR_INVALID,
                         "%s: an import at time %g with tolerance %g; expected a finite time, and a "
                         "tolerance of 0 or more",
                         running->label, request->time, request->tolerance);
    if (request->time < running->asked)
        return qdri_fail(QDR_ERR_INVALID,
                         "%s: the import at time %.17g is earlier than the one before, at %.17g",
                         running->label, request->time, running->asked);
    if (qdri_wanted_lowest(request) < running->spared)
        return qdri_fail(
            QDR_ERR_INVALID,
            "%s: the import at time %.17g could match an export before %.17g, which was promised "
            "not to be needed",
            running->label, request->time, running->spared);
    return QDR_OK;
}

uint64_t qdri_wanted_digest(const qdri_wanted *request) {
    uint64_t word = qdri_mix((uint64_t)qdri_ordered(request->time));
    word = qdri_mix(word ^ (uint64_t)qdri_ordered(request->tolerance));
    return qdri_mix(word ^ (uint64_t)request->match ^ (uint64_t)request->number << 8);
}

static qdr_status sort_data(const qdr_stream *stream, void *const *data, void **sorted) {
    if (!data) return qdri_fail(QDR_ERR_INVALID, "%s: the list of arrays is NULL", stream->running->label);
    for (int f = 0; f < stream->fields; f++) {
        int place = stream->imported[f];
        sorted[place] = data[f];
        if (!sorted[place] && stream->field[place].in.elements > 0)
            return qdri_fail(QDR_ERR_INVALID, "%s: the array of field '%s' is NULL", stream->running->label,
                             stream->field[place].name);
    }
    return QDR_OK;
}

/* Adds the call and asks. */
static void launch(qdri_running *running, qdri_import_call *call) {
    qdri_wanted *request = &call->request;
    qdri_import_call **link = &running->calls;
    int listens = are_unanswered(running);
    while (*link) link = &(*link)->next;
    *link = call;
    request->number = running->requests++;
    request->digest = qdri_wanted_digest(request);
    running->asked = request->time;
    qdri_import_say(running, &(qdri_ask){.kind = QDRI_ASK_REQUEST, .request = *request});
    if (!listens) qdri_box_post(&running->answer);
    qdri_running_step(running);
}

/* A rank whose call is wrong takes part in the vote: the others wait for it. */
static qdr_status start(qdri_running *running, qdri_import_call *call, void *const *data) {
    char sentence[QDRI_SENTENCE];
    drop_orphans(running);
    QDRI_TRY(qdri_running_state(running));
    qdr_status status = check_request(running, &call->request);
    if (!status) status = sort_data(running->stream, data, call->data);
    if (status) snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
    qdr_status voted = vote(call, status);
    if (voted) qdri_fault_raise(running, voted);
    if (status) return qdri_fail(status, "%s", sentence);
    if (voted) return voted;
    launch(running, call);
    return QDR_OK;
}

static const qdri_pending_kind import_kind;

qdr_status qdr_import_start(qdr_stream *stream, double time, qdr_match match, double tolerance,
                            void *const *data, double *matched, qdr_pending **pending) {
    if (!stream || !pending)
        return qdri_fail(QDR_ERR_INVALID, "qdr_import_start: the %s is NULL", stream ? "handle" : "stream");
    qdri_running *running = stream->running;
    if (!stream->imports)
        return qdri_fail(QDR_ERR_INVALID, "%s: %s exports it, and cannot import", running->label,
                         stream->coupling->program->name);
    size_t bytes = sizeof(qdri_import_call) + (size_t)stream->fields * sizeof(void *);
    qdri_import_call *made = qdri_alloc_zero(1, bytes);
    qdri_lock(running->wire);
    qdr_status status = QDR_OK;
    if (made) {
        made->pending.kind = &import_kind;
        made->matched = matched;
        made->running = running;
        made->request = (qdri_wanted){.time = time + 0.0,
                                      .match = (int64_t)match,
                                      .tolerance = match == QDR_EXACT ? 0 : tolerance + 0.0};
        status = start(running, made, data);
    } else { /* it cannot even vote */
        qdri_fault_raise(running, qdri_fail_memory());
        status = qdri_running_state(running);
    }
    if (made && status) free_call(made);
    if (!status) *pending = &made->pending;
    qdri_unlock(running->wire);
    return status;
}

/* ---- the interface of a call --------------------------------------------------------------------------- */

static qdr_status test(qdr_pending **pending, int *done) {
    qdri_import_call *call = (qdri_import_call *)*pending;
    qdri_running *running = call->running;
    if (!running) {
        *done = 1;
        return conclude_without_stream(pending);
    }
    qdri_lock(running->wire);
    qdri_progress(running->wire);
    qdri_running_step(running);
    qdri_running_state(running);
    qdri_import_settle(running);
    *done = call->finished;
    qdr_status status = *done ? conclude(pending) : QDR_OK;
    qdri_unlock(running->wire);
    return status;
}

static int has_finished(qdri_running *running, const void *context) {
    (void)running;
    return ((const qdri_import_call *)context)->finished;
}

static qdr_status wait_for(qdr_pending **handle) {
    qdri_import_call *call = (qdri_import_call *)*handle;
    qdri_running *running = call->running;
    char text[100];
    qdri_wait wait = {
        .kind = QDRI_WAIT_ANSWER, .number = call->request.number, .ready = has_finished, .context = call};
    qdri_wanted_text(&call->request, text, sizeof text);
    snprintf(wait.what, sizeof wait.what, "the export of stream '%s' by %s that matches %s",
             running->stream->name, running->exporter_name, text);
    qdr_status status = qdri_running_wait(running, &wait);
    if (status == QDR_ERR_STALLED && !running->failed) return status;
    qdri_import_settle(running);
    return conclude(handle);
}

static qdr_status wait(qdr_pending **pending) {
    qdri_running *running = ((qdri_import_call *)*pending)->running;
    if (!running) return conclude_without_stream(pending);
    qdri_wire *wire = running->wire;
    qdri_lock(wire);
    qdr_status status = wait_for(pending);
    qdri_unlock(wire);
    return status;
}

static const qdri_pending_kind import_kind = {test, wait};

/* After a deadline nobody has the handle: what comes for it is thrown away. */
qdr_status qdr_import(qdr_stream *stream, double time, qdr_match match, double tolerance, void *const *data,
                      double *matched) {
    qdr_pending *pending = NULL;
    QDRI_TRY(qdr_import_start(stream, time, match, tolerance, data, matched, &pending));
    qdr_status status = qdr_wait(&pending);
    if (pending) {
        qdri_import_call *call = (qdri_import_call *)pending;
        qdri_lock(call->running->wire);
        let_go(call);
        qdri_unlock(stream->running->wire);
    }
    return status;
}
