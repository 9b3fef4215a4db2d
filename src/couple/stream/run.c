/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream runs, from its opening to its end. A step moves everything that can move: answers go out, an
 * exchange that is over is unpacked and makes room, the next begins when both the request and its answer
 * are there. An exporter begins an exchange when it has decided, an importer when it has heard so; a
 * program that is coupled with itself, when both.
 *
 * The end. All ranks of a program come to it. An exporter that closes will export no more, which decides all
 * requests; it stays until the importer has said that it asks no more, and has what it asked for. An importer
 * that closes says so and leaves, after what it started has ended. After a failure nobody waits for anybody.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/stream/run.h"
#include "discover/partners.h"
#include "plan/held.h"

/* ---- steps --------------------------------------------------------------------------------------------- */

/* The request that is next is through. */
static void pass(qdri_running *running) {
    if (running->stream->exports) qdri_timeline_serve(&running->timeline);
    if (running->stream->imports) qdri_import_next(running)->over = 1;
}

static qdr_status end_exchange(qdri_running *running) {
    qdr_status status = qdri_exchange_end_held(&running->exchange);
    running->lost = status != QDR_OK;
    QDRI_TRY(status);
    qdri_import_call *call = qdri_import_next(running);
    if (running->stream->imports && !call->orphaned) QDRI_TRY(qdri_transfer_unpack(running, call));
    pass(running);
    return QDR_OK;
}

/* Begins what is next; *begun says whether anything was. */
static qdr_status begin_next(qdri_running *running, int *begun) {
    const qdr_stream *stream = running->stream;
    const qdri_asked *asked = stream->exports ? qdri_timeline_next(&running->timeline) : NULL;
    const qdri_import_call *call = stream->imports ? qdri_import_next(running) : NULL;
    if ((stream->exports && !asked) || (stream->imports && (!call || call->verdict == QDRI_UNDECIDED)))
        return QDR_OK;
    *begun = 1;
    if ((asked ? asked->verdict : call->verdict) == QDRI_MATCHED)
        return qdri_transfer_start(running, asked ? &asked->request : &call->request,
                                   asked ? asked->slot : -1);
    pass(running);
    return QDR_OK;
}

static int move(qdri_running *running) {
    qdr_status status = QDR_OK;
    int moved = 0;
    if (!running->exchange) {
        status = begin_next(running, &moved);
    } else if (qdri_exchange_over(running->exchange)) {
        status = end_exchange(running);
        moved = 1;
    }
    if (status) qdri_fault_raise(running, status);
    return moved;
}

void qdri_running_step(qdri_running *running) {
    int moved = 1;
    while (moved && !running->failed) {
        moved = qdri_export_announce(running) > 0;
        moved |= !running->failed && move(running);
    }
    qdri_import_settle(running);
    if (running->wait && !running->ready)
        running->ready = running->failed || running->wait->ready(running, running->wait->context);
    if (running->wait && !running->ready && running->doom.status) qdri_fault_strike(running);
}

static void poll(qdri_poller *poller) {
    qdri_running_step((qdri_running *)((char *)poller - offsetof(qdri_running, poller)));
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static void describe(qdri_running *running) {
    const qdr_stream *stream = running->stream;
    const qdri_space *space = &stream->coupling->space;
    int from = stream->exporter, to = 1 - from;
    running->own = space->own;
    running->exporters = space->count[from];
    running->importers = space->count[to];
    running->exporter_rank = space->rank[from];
    running->importer_rank = space->rank[to];
    running->exporter_name = space->name[from];
    running->importer_name = space->name[to];
    running->fellows = stream->exports ? running->exporters : running->importers;
    running->fellow_rank = stream->exports ? running->exporter_rank : running->importer_rank;
    running->own_name = stream->exports ? running->exporter_name : running->importer_name;
    snprintf(running->label, sizeof running->label, "stream '%s' from %s to %s", stream->name,
             running->exporter_name, running->importer_name);
}

/* The most bytes that a part has in the importer's type, where that is another than the exporter's. */
static int64_t converted_bytes(const qdri_running *running) {
    int64_t most = 0;
    for (int i = 0; i < running->in.first[running->in.count]; i++) {
        const qdri_field_part *part = &running->in.part[i];
        const qdri_field *field = &running->stream->field[part->field];
        int64_t bytes = part->route->places.count * field->width * qdr_type_bytes(field->type[1]);
        if (field->type[0] != field->type[1] && bytes > most) most = bytes;
    }
    return most;
}

/* All memory but that of snapshots. */
static qdr_status make_memory(qdri_running *running) {
    QDRI_TRY(qdri_messages_open(running->stream, 1, &running->out));
    QDRI_TRY(qdri_messages_open(running->stream, 0, &running->in));
    running->outgoing = QDRI_ZERO_ARRAY(const void *, running->out.count);
    running->incoming = QDRI_ZERO_ARRAY(void *, running->in.count);
    running->converted = QDRI_ARRAY(char, converted_bytes(running));
    if (!running->outgoing || !running->incoming || !running->converted) return qdri_fail_memory();
    const qdri_messages *out = &running->out, *in = &running->in;
    return qdri_partners_on(running->wire, out->count, out->rank, out->bytes, in->count, in->rank, in->bytes,
                            &running->partners);
}

static void prepare_box(qdri_running *running, qdri_notice_box *box, int from, int tag, int64_t bytes,
                        int (*came)(qdri_notice_box *box, const qdri_body *body)) {
    *box = (qdri_notice_box){.running = running, .from = from, .tag = tag, .bytes = bytes, .came = came};
}

/* The answer's is posted with the first request. */
static void listen_to_others(qdri_running *running) {
    const qdr_stream *stream = running->stream;
    int own = running->own;
    if (stream->exports) {
        prepare_box(running, &running->ask, running->importer_rank[own % running->importers], QDRI_TAG_ASK,
                    sizeof(qdri_ask), qdri_export_asked);
        qdri_box_post(&running->ask);
    }
    if (stream->exports && running->exporters > 1) {
        prepare_box(running, &running->compare,
                    running->exporter_rank[(own + running->exporters - 1) % running->exporters],
                    QDRI_TAG_COMPARE, sizeof(qdri_answer), qdri_export_compared);
        qdri_box_post(&running->compare);
    }
    if (stream->imports)
        prepare_box(running, &running->answer, running->exporter_rank[own % running->exporters],
                    QDRI_TAG_ANSWER, sizeof(qdri_answer), qdri_import_answered);
    qdri_deadlock_listen(running);
    qdri_ring_listen(running);
    qdri_fault_listen(running);
}

static void link_running(qdri_running *running) {
    qdr_coupling *coupling = running->stream->coupling;
    running->next = coupling->runnings;
    coupling->runnings = running;
    running->poller.poll = poll;
    qdri_poller_add(running->wire, &running->poller);
}

static void unlink_running(qdri_running *running) {
    qdri_poller_remove(running->wire, &running->poller);
    for (qdri_running **link = &running->stream->coupling->runnings; *link; link = &(*link)->next)
        if (*link == running) {
            *link = running->next;
            return;
        }
}

/* `stays`: something of it is still under way. */
static void dispose(qdri_running *running, int stays) {
    qdri_import_close(running);
    qdri_ring_close(running);
    qdri_transfer_close(running);
    qdri_timeline_close(&running->timeline);
    free(running->mine);
    free(running->theirs);
    qdri_wire_release(&running->wire);
    if (!stays) free(running);
}

/* Whether all have their memory; tags, a number for the stream, who has wishes for the plan; and what the caller has to
 * ask. */
static qdr_status agree_to_begin(qdri_running *running, qdr_status status, qdri_term *asked, int count) {
    enum { TERMS = 3 };
    const qdr_stream *stream = running->stream;
    int wishes = stream->options.plan != NULL;
    qdri_term term[QDRI_TERMS] = {
        QDRI_IS_MOST("number of a stream", (int64_t)(1e9 * qdri_seconds()), 0, INT64_MAX),
        QDRI_IS_MOST("whether there are wishes for the plan", wishes, 0, 1),
        QDRI_IS_MOST("whether the exporter has wishes for the plan", wishes && stream->exports, 0, 1),
    };
    qdri_agreement agreement = {.call = "qdr_stream_create",
                                .status = status,
                                .term = term,
                                .terms = TERMS + count,
                                .wants_tags = 1,
                                .deadline = qdri_deadline(stream->seconds)};
    memcpy(term + TERMS, asked, (size_t)count * sizeof *term);
    qdri_lock(running->wire);
    status = qdri_agree(running->wire, &agreement);
    qdri_unlock(running->wire);
    memcpy(asked, term + TERMS, (size_t)count * sizeof *term);
    running->first_tag = agreement.first_tag;
    running->nonce = term[0].value;
    running->plan_is_wished = (int)term[1].value;
    running->plan_wished_by_exporter = (int)term[2].value;
    return status;
}

static qdr_status agree_to_run(qdri_running *running, qdr_status status) {
    qdri_lock(running->wire);
    status = qdri_agree_status(running->wire, "qdr_stream_create", status,
                               qdri_deadline(running->stream->seconds));
    qdri_unlock(running->wire);
    return status;
}

/* Returns what the receives came to. */
static qdr_status begin(qdri_running *running) {
    qdri_lock(running->wire);
    link_running(running);
    qdr_status status = qdri_vote_open(running);
    if (!status) listen_to_others(running);
    if (!status && running->failed) status = qdri_running_state(running);
    qdri_unlock(running->wire);
    return status;
}

static void give_up(qdri_running *running, int has_tags) {
    qdri_lock(running->wire);
    unlink_running(running);
    int stays = qdri_memos_cancel(running) | !qdri_vote_close(running);
    if (has_tags && !stays) qdri_wire_return_tags(running->wire, running->first_tag);
    if (has_tags) qdri_wire_leave_messages(running->wire);
    qdri_unlock(running->wire);
    dispose(running, stays);
}

qdr_status qdri_running_open(qdr_stream *stream, qdri_term *asked, int count) {
    qdri_running *running = QDRI_ZERO_ARRAY(qdri_running, 1);
    if (!running) return qdri_fail_memory(); /* the others wait for it, up to their deadline */
    running->stream = stream;
    running->wire = qdri_wire_retain(stream->coupling->space.wire);
    running->asked = running->spared = -INFINITY;
    qdri_timeline_open(stream->options.queue > 0 ? stream->options.queue : 8, &running->timeline);
    describe(running);
    int has_tags = 0;
    qdr_status status = agree_to_begin(running, make_memory(running), asked, count);
    if (!status) {
        has_tags = 1;
        status = qdri_plan_open(running);
    }
    if (!status) status = agree_to_run(running, begin(running));
    if (status) {
        char sentence[QDRI_SENTENCE];
        snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
        give_up(running, has_tags);
        return qdri_fail(status, "%s", sentence);
    }
    stream->running = running;
    return QDR_OK;
}

/* ---- closing ------------------------------------------------------------------------------------------- */

static int imports_have_ended(qdri_running *running, const void *context) {
    (void)context;
    for (const qdri_import_call *call = running->calls; call; call = call->next)
        if (!call->finished) return 0;
    return !running->votes && running->heard_last;
}

static int has_left(const qdri_running *running) {
    return running->no_more_asks && running->goodbyes_due == 0 && !running->exchange && running->mines == 0 &&
           running->their == 0 && !running->votes && running->heard_last &&
           !qdri_timeline_next(&running->timeline) && !qdri_timeline_undecided(&running->timeline);
}

static int may_go(qdri_running *running, const void *context) {
    (void)context;
    return running->lingers || has_left(running);
}

static qdr_status close_imports(qdri_running *running) {
    qdri_wait wait = {.kind = QDRI_WAIT_OTHER, .ready = imports_have_ended};
    snprintf(wait.what, sizeof wait.what,
             "all its ranks to close stream '%s', and the imports that they started", running->stream->name);
    QDRI_TRY(qdri_running_wait(running, &wait));
    qdri_import_say(running, &(qdri_ask){.kind = QDRI_ASK_NO_MORE, .request = {.time = INFINITY}});
    qdri_fault_goodbye(running);
    qdri_deadlock_goodbye(running);
    return QDR_OK;
}

static qdr_status close_exports(qdri_running *running) {
    qdri_wait wait = {.kind = QDRI_WAIT_CLOSE, .ready = may_go};
    snprintf(wait.what, sizeof wait.what, "%s to close stream '%s'", running->importer_name,
             running->stream->name);
    return qdri_running_wait(running, &wait);
}

/* Notices are short, and leave unless somebody is gone; those that do not go on by themselves. After a failure
 * somebody may well be gone. */
static void wait_for_notices(qdri_running *running) {
    const double patience = running->failed ? 0.02 : 1; /* seconds */
    double deadline = qdri_seconds() + patience;
    while (running->notices_under_way > 0 && qdri_wire_usable(running->wire) && qdri_seconds() < deadline)
        qdri_progress(running->wire);
}

qdr_status qdri_running_may_close(const qdr_stream *stream) {
    qdri_running *running = stream->running;
    if (!running) return QDR_OK;
    qdri_lock(running->wire);
    int64_t imports = qdri_running_state(running) ? 0 : qdri_import_held(running);
    qdri_unlock(running->wire);
    if (imports == 0) return QDR_OK;
    return qdri_fail(QDR_ERR_BUSY,
                     "%s: %" PRId64 " imports were started and not waited for; wait for them first",
                     running->label, imports);
}

/* Exports end first: that decides what the imports of the same program wait for. */
static qdr_status finish(qdri_running *running) {
    const qdr_stream *stream = running->stream;
    QDRI_TRY(qdri_running_state(running));
    if (stream->exports) qdri_timeline_promise(&running->timeline, INFINITY);
    qdri_ring_end(running);
    if (stream->imports) QDRI_TRY(close_imports(running));
    if (stream->exports) QDRI_TRY(close_exports(running));
    return QDR_OK;
}

qdr_status qdri_running_close(qdr_stream *stream, int for_good) {
    qdri_running *running = stream->running;
    if (!running) return QDR_OK;
    char sentence[QDRI_SENTENCE] = "";
    qdri_lock(running->wire);
    if (for_good) running->lingers = 0;
    qdr_status status = finish(running);
    if (!status && running->lingers && stream->exports && !has_left(running)) {
        qdri_unlock(running->wire);
        return QDR_OK;
    }
    if (status) {
        snprintf(sentence, sizeof sentence, "%.*s", QDRI_SENTENCE - 1, qdr_error_message());
        qdri_fault_raise(running, status); /* whoever still waits for this rank does so in vain */
    }
    wait_for_notices(running);
    unlink_running(running);
    int stays = qdri_memos_cancel(running) | !qdri_vote_close(running);
    /* Who has to receive a notice that still goes holds the tags until then. After a failure nobody has to. */
    if (!running->failed && !stays)
        qdri_wire_return_tags(running->wire, running->first_tag);
    else
        qdri_wire_leave_messages(running->wire);
    qdri_unlock(running->wire);
    dispose(running, stays);
    stream->running = NULL;
    return status ? qdri_fail(status, "%s", sentence) : QDR_OK;
}

/* ---- looking ------------------------------------------------------------------------------------------- */

void qdri_running_look(const qdr_stream *stream, qdr_stream_view *view) {
    const qdri_running *running = stream->running;
    if (!running) return;
    view->messages_out = running->out.count;
    view->messages_in = running->in.count;
    view->bytes_out = qdri_messages_total(&running->out);
    view->bytes_in = qdri_messages_total(&running->in);
    view->exports = running->exported;
    view->imports = running->imported;
    view->queued = running->timeline.kept;
    view->queue_bytes = running->timeline.kept * running->out.at[running->out.count];
}
