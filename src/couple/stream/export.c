/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exporting. An export is packed into a snapshot and the exporter goes on; what becomes of it is the
 * timeline's to say. If the queue is full, the call waits; nothing will be exported before its time
 * meanwhile, which is a promise that may decide requests and so give the room that it waits for.
 *
 * Each rank decides requests by itself, and all must come to the same. So each compares its answers with
 * those of the rank before it, in the order of requests: where two neighbours never differ, nobody does,
 * and where they do, both are known by name.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "couple/stream/run.h"

/* ---- what the importer says ---------------------------------------------------------------------------- */

/* Requests come one after the other, and never ask for an earlier time. */
static qdr_status decode_request(const qdri_running *running, qdri_teller sender,
                                 const qdri_wanted *request) {
    QDRI_TRY(qdri_decode_word(sender, "number of a request", request->number, running->asked_for,
                              running->asked_for));
    QDRI_TRY(qdri_decode_word(sender, "a match", request->match, QDR_EXACT, QDR_NEAREST));
    if (!isfinite(request->time) || !(request->tolerance >= 0) || request->time < running->timeline.asked ||
        request->digest != qdri_wanted_digest(request))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s: what rank %d of %s asks for makes no sense: time %.17g after %.17g, tolerance "
                         "%.17g, or the digest of these",
                         running->label, sender.rank, sender.program, request->time, running->timeline.asked,
                         request->tolerance);
    return QDR_OK;
}

static qdr_status take_ask(qdri_running *running, qdri_teller sender, const qdri_ask *ask) {
    const qdri_wanted *request = &ask->request;
    QDRI_TRY(qdri_decode_word(sender, "the kind of a notice", ask->kind, QDRI_ASK_REQUEST, QDRI_ASK_NO_MORE));
    if (ask->kind == QDRI_ASK_REQUEST) {
        QDRI_TRY(decode_request(running, sender, request));
        running->asked_for++;
        return qdri_timeline_ask(&running->timeline, request);
    }
    if (isnan(request->time))
        return qdri_fail(QDR_ERR_MISMATCH, "%s: rank %d of %s promises time %g", running->label, sender.rank,
                         sender.program, request->time);
    qdri_timeline_spare(&running->timeline, request->time);
    return QDR_OK;
}

int qdri_export_asked(qdri_notice_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    running->asks++;
    qdr_status status = take_ask(running, qdri_box_sender(box), &body->ask);
    if (status) qdri_fault_raise(running, status);
    running->no_more_asks = body->ask.kind == QDRI_ASK_NO_MORE;
    return !status && !running->no_more_asks;
}

/* ---- answers ------------------------------------------------------------------------------------------- */

static void answer_text(const qdri_answer *answer, char *text, size_t size) {
    if (answer->verdict == QDRI_MATCHED)
        snprintf(text, size, "the export at time %.17g", answer->time);
    else
        snprintf(text, size, "no export");
}

static qdr_status compare(const qdri_running *running, const qdri_answer *mine, const qdri_answer *theirs) {
    char own[80], other[80];
    if (mine->number == theirs->number && mine->verdict == theirs->verdict &&
        (mine->verdict == QDRI_UNMATCHED || mine->time == theirs->time))
        return QDR_OK;
    answer_text(mine, own, sizeof own);
    answer_text(theirs, other, sizeof other);
    int before = (running->own + running->exporters - 1) % running->exporters;
    return qdri_fail(QDR_ERR_MISMATCH,
                     "%s: ranks %d and %d of %s disagree: import %" PRId64
                     " gets %s from the one, %s from the other",
                     running->label, before, running->own, running->exporter_name, mine->number, other, own);
}

/* Compares what both have. Answers come in order, so the shorter list is used up. */
static void compare_all(qdri_running *running) {
    int64_t both = running->mines < running->their ? running->mines : running->their;
    for (int64_t i = 0; i < both && !running->failed; i++) {
        qdr_status status = compare(running, &running->mine[i], &running->theirs[i]);
        if (status) qdri_fault_raise(running, status);
    }
    running->mines -= both;
    running->their -= both;
    memmove(running->mine, running->mine + both, (size_t)running->mines * sizeof *running->mine);
    memmove(running->theirs, running->theirs + both, (size_t)running->their * sizeof *running->theirs);
}

static void note(qdri_running *running, qdri_answer **list, int64_t *count, int64_t *capacity,
                 const qdri_answer *answer) {
    if (!qdri_grow(list, capacity, *count + 1, sizeof **list)) {
        qdri_fault_raise(running, qdri_fail_memory());
        return;
    }
    (*list)[(*count)++] = *answer;
    if (running->mines > 0 && running->their > 0) compare_all(running);
}

int qdri_export_compared(qdri_notice_box *box, const qdri_body *body) {
    qdri_running *running = box->running;
    note(running, &running->theirs, &running->their, &running->their_capacity, &body->answer);
    return 1;
}

static void announce(qdri_running *running, const qdri_asked *asked) {
    qdri_answer answer = {asked->request.number, asked->verdict, asked->time};
    for (int j = running->own; j < running->importers; j += running->exporters)
        qdri_notice_send(running, running->importer_rank[j], QDRI_TAG_ANSWER, &answer, sizeof answer);
    if (running->exporters == 1) return;
    int after = (running->own + 1) % running->exporters;
    qdri_notice_send(running, running->exporter_rank[after], QDRI_TAG_COMPARE, &answer, sizeof answer);
    note(running, &running->mine, &running->mines, &running->mine_capacity, &answer);
}

int qdri_export_announce(qdri_running *running) {
    const qdri_asked *asked;
    int announced = 0;
    if (!running->stream->exports) return 0;
    for (; !running->failed && (asked = qdri_timeline_announce(&running->timeline)); announced++)
        announce(running, asked);
    return announced;
}

/* ---- room ---------------------------------------------------------------------------------------------- */

/* "1, 2, 3 wait; the importer asked last for 0.5". */
static void queue_text(const qdri_running *running, char *text, size_t size) {
    const qdri_timeline *timeline = &running->timeline;
    size_t at = 0;
    for (int i = 0; i < timeline->kept && at + 120 < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%g", i ? ", " : "", timeline->stamp[i].time);
    if (isfinite(timeline->asked))
        snprintf(text + at, size - at, " wait; %s asked last for %g", running->importer_name,
                 timeline->asked);
    else
        snprintf(text + at, size - at, " wait; %s asked for nothing yet", running->importer_name);
}

static int has_room(qdri_running *running, const void *context) {
    const double *time = context;
    return qdri_timeline_room(&running->timeline, *time) != QDRI_FULL;
}

static qdr_status wait_for_room(qdri_running *running, double time) {
    if (has_room(running, &time)) return QDR_OK;
    char queue[240];
    queue_text(running, queue, sizeof queue);
    qdri_wait wait = {.kind = QDRI_WAIT_ROOM, .ready = has_room, .context = &time};
    snprintf(wait.what, sizeof wait.what, "room for the export at %g in the queue of stream '%s' (%s)", time,
             running->stream->name, queue);
    qdri_timeline_promise(&running->timeline, time);
    return qdri_running_wait(running, &wait);
}

static int is_voted(qdri_running *running, const void *context) {
    (void)running;
    return ((const qdri_vote *)context)->done;
}

static qdr_status wait_for_vote(qdri_running *running, const qdri_vote *vote, double time) {
    qdri_wait wait = {.kind = QDRI_WAIT_OTHER, .ready = is_voted, .context = vote};
    snprintf(wait.what, sizeof wait.what, "all its ranks to come to the export of stream '%s' at %g",
             running->stream->name, time);
    return qdri_running_wait(running, &wait);
}

/* Requests come to ranks at different times, so whether the queue is full is voted on. A rank whose call
 * is wrong takes part: the others wait for it. */
static qdr_status vote_on_room(qdri_running *running, double time, qdr_status mine) {
    char sentence[QDRI_SENTENCE] = "", queue[240];
    if (mine) snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
    qdri_ballot ballot = {{!mine && !has_room(running, &time), qdri_ordered(time), ~qdri_ordered(time), mine,
                           mine ? running->own : -1}};
    qdri_vote *vote = NULL;
    qdr_status status = qdri_vote_start(running, &ballot, &vote);
    if (!status && !mine) status = wait_for_vote(running, vote, time);
    if (vote) ballot = vote->result;
    qdri_vote_drop(&vote);
    if (mine) {
        qdri_ring_made(running);
        return qdri_fail(mine, "%s", sentence);
    }
    if (!status && ballot.word[3])
        status = qdri_fail(QDR_ERR_MISMATCH,
                           "%s: rank %d of %s was refused its export (%s), others were not, at %.17g",
                           running->label, (int)ballot.word[4], running->exporter_name,
                           qdr_status_text((qdr_status)ballot.word[3]), time);
    if (!status && ballot.word[1] != ~ballot.word[2])
        status =
            qdri_fail(QDR_ERR_MISMATCH, "%s: the ranks of %s export at different times, from %.17g to %.17g",
                      running->label, running->exporter_name, qdri_from_ordered(~ballot.word[2]),
                      qdri_from_ordered(ballot.word[1]));
    if (status) qdri_fault_raise(running, status);
    if (status || !ballot.word[0]) return status;
    queue_text(running, queue, sizeof queue);
    return qdri_fail(QDR_ERR_FULL, "%s: no room for the export at %g in the queue of %d: %s", running->label,
                     time, running->timeline.queue, queue);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static qdr_status check_time(const qdri_running *running, double time) {
    const qdri_timeline *timeline = &running->timeline;
    if (!isfinite(time))
        return qdri_fail(QDR_ERR_INVALID, "%s: the time of an export is %g; expected a finite number",
                         running->label, time);
    if (time <= timeline->last)
        return qdri_fail(QDR_ERR_INVALID,
                         "%s: the export at time %.17g is not later than the one before, at %.17g",
                         running->label, time, timeline->last);
    if (time < timeline->promised)
        return qdri_fail(QDR_ERR_INVALID,
                         "%s: the export at time %.17g comes before what was promised, %.17g", running->label,
                         time, timeline->promised);
    return QDR_OK;
}

/* In the order of stream->field. */
static qdr_status sort_data(const qdri_running *running, const void *const *data, const void **sorted) {
    const qdr_stream *stream = running->stream;
    if (!data) return qdri_fail(QDR_ERR_INVALID, "%s: the list of arrays is NULL", running->label);
    for (int f = 0; f < stream->fields; f++) {
        int place = stream->exported[f];
        sorted[place] = data[f];
        if (!sorted[place] && stream->field[place].out.elements > 0)
            return qdri_fail(QDR_ERR_INVALID, "%s: the array of field '%s' is NULL", running->label,
                             stream->field[place].name);
    }
    return QDR_OK;
}

/* The block of a slot, made with its first use; NULL: no memory. */
static char *snapshot_in(qdri_running *running, int slot) {
    int64_t had = running->snapshots;
    if (!qdri_grow(&running->snapshot, &running->snapshots, slot + INT64_C(1), sizeof *running->snapshot))
        return NULL;
    for (int64_t i = had; i < running->snapshots; i++) running->snapshot[i] = NULL;
    if (!running->snapshot[slot])
        running->snapshot[slot] = QDRI_ARRAY(char, running->out.at[running->out.count]);
    return running->snapshot[slot];
}

static qdr_status keep(qdri_running *running, double time, const void *const *data) {
    int slot = qdri_timeline_export(&running->timeline, time);
    running->exported++;
    if (slot < 0) return QDR_OK;
    char *block = snapshot_in(running, slot);
    if (!block) {
        qdri_fault_raise(running, qdri_fail_memory());
        return qdri_running_state(running);
    }
    qdri_transfer_pack(running, data, time, block);
    return QDR_OK;
}

static qdr_status do_export(qdri_running *running, double time, const void *const *data) {
    const void *sorted[QDR_MOST_COUPLED];
    qdri_progress(running->wire); /* what the importer said meanwhile */
    QDRI_TRY(qdri_running_state(running));
    qdr_status status = check_time(running, time);
    if (!status) status = sort_data(running, data, sorted);
    if (!status) status = qdri_timeline_reserve(&running->timeline);
    if (running->stream->options.fails_when_full)
        QDRI_TRY(vote_on_room(running, time, status));
    else if (status)
        return qdri_ring_refused(running, status);
    QDRI_TRY(wait_for_room(running, time));
    QDRI_TRY(keep(running, time, sorted));
    qdri_ring_made(running);
    qdri_running_step(running);
    return running->failed ? qdri_running_state(running) : QDR_OK;
}

qdr_status qdr_export(qdr_stream *stream, double time, const void *const *data) {
    if (!stream) return qdri_fail(QDR_ERR_INVALID, "qdr_export: the stream is NULL");
    qdri_running *running = stream->running;
    if (!stream->exports)
        return qdri_fail(QDR_ERR_INVALID, "%s: %s imports it, and cannot export", running->label,
                         stream->coupling->program->name);
    qdri_lock(running->wire);
    qdr_status status = do_export(running, time + 0.0, data);
    qdri_unlock(running->wire);
    return status;
}

/* A program that is coupled with itself promises as an exporter. */
static qdr_status do_promise(qdri_running *running, double time) {
    QDRI_TRY(qdri_running_state(running));
    if (isnan(time))
        return qdri_ring_refused(running, qdri_fail(QDR_ERR_INVALID,
                                                    "%s: the time of a promise is %g; expected a number",
                                                    running->label, time));
    if (running->stream->exports) {
        qdri_timeline_promise(&running->timeline, time);
    } else if (time > running->spared) {
        running->spared = time;
        qdri_import_say(running, &(qdri_ask){.kind = QDRI_ASK_PROMISE, .request = {.time = time}});
    }
    qdri_ring_promised(running, time);
    qdri_progress(running->wire);
    qdri_running_step(running);
    return running->failed ? qdri_running_state(running) : QDR_OK;
}

qdr_status qdr_stream_promise(qdr_stream *stream, double time) {
    if (!stream) return qdri_fail(QDR_ERR_INVALID, "qdr_stream_promise: the stream is NULL");
    qdri_running *running = stream->running;
    qdri_lock(running->wire);
    qdr_status status = do_promise(running, time + 0.0);
    qdri_unlock(running->wire);
    return status;
}
