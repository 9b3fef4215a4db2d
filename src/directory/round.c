/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds: from a call to its end. Arguments are checked at the start, on each rank; what is wrong on one is
 * the status of the round on all. The first round of the queue is under way; the end of one begins the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "directory/inside.h"
#include "base/sized.h"

/* ---- arguments ----------------------------------------------------------------------------------------- */

static qdr_status check_places(const qdr_directory *directory, const qdr_directory_call *call) {
    const qdr_directory_options *options = &directory->options;
    for (int64_t i = 0; options->placement == QDR_PLACE_BLOCK && i < call->count; i++)
        if (call->id[i] < 0 || call->id[i] >= options->limit)
            return qdri_fail(QDR_ERR_RANGE, "id[%" PRId64 "] is %" PRId64 "; expected 0 to %" PRId64, i,
                             call->id[i], options->limit - 1);
    for (int64_t i = 0; options->placement == QDR_PLACE_FUNCTION && i < call->count; i++) {
        int place = options->place(options->context, call->id[i]);
        if (place < 0 || place >= directory->ranks)
            return qdri_fail(QDR_ERR_RANGE,
                             "the place of id %" PRId64 " is rank %d; expected the function to give 0 to %d",
                             call->id[i], place, directory->ranks - 1);
    }
    return QDR_OK;
}

static qdr_status check_words(const qdr_directory *directory, const qdr_directory_call *call) {
    int64_t most = INT64_MAX >> directory->owner_bits;
    for (int64_t i = 0; call->owner && i < call->count; i++)
        if (call->owner[i] < 0 || call->owner[i] >= directory->ranks)
            return qdri_fail(QDR_ERR_RANGE, "the owner of id %" PRId64 " is rank %d; expected 0 to %d",
                             call->id[i], call->owner[i], directory->ranks - 1);
    for (int64_t i = 0; call->place && i < call->count; i++)
        if (call->place[i] < 0 || call->place[i] > most)
            return qdri_fail(QDR_ERR_RANGE,
                             "the place of id %" PRId64 " at its owner is %" PRId64
                             "; expected 0 to %" PRId64,
                             call->id[i], call->place[i], most);
    return QDR_OK;
}

static qdr_status check(const qdr_directory *directory, const qdr_directory_call *call) {
    int says = call->verb == QDR_DIRECTORY_INSERT || call->verb == QDR_DIRECTORY_UPDATE;
    if (call->verb < QDR_DIRECTORY_INSERT || call->verb > QDR_DIRECTORY_FIND)
        return qdri_fail(QDR_ERR_INVALID,
                         "the verb of a directory's call is %d; expected one of qdr_directory_verb",
                         (int)call->verb);
    int64_t most = INT64_MAX / (64 + directory->options.payload_bytes);
    if (call->count < 0 || call->count > most)
        return qdri_fail(QDR_ERR_RANGE, "%" PRId64 " ids; expected 0 to %" PRId64, call->count, most);
    if (call->count > 0 && !call->id)
        return qdri_fail(QDR_ERR_INVALID, "%" PRId64 " ids, but the list of them is NULL", call->count);
    QDRI_TRY(check_places(directory, call));
    return says ? check_words(directory, call) : QDR_OK;
}

/* ---- the queue ----------------------------------------------------------------------------------------- */

void qdri_round_fail(qdri_directory_round *round, qdr_status status) {
    round->status = status;
    snprintf(round->sentence, sizeof round->sentence, "%s", qdr_error_message());
}

static void begin(qdri_directory_round *round) {
    round->number = round->directory->number + 1;
    if (round->directory->is_shared)
        qdri_shared_begin(round);
    else
        qdri_messages_begin(round);
}

/* Rounds that will never end: all that are left end with this. */
static void give_up(qdr_directory *directory, qdr_status status) {
    while (directory->first) {
        qdri_directory_round *round = directory->first;
        qdri_messages_abandon(round);
        qdri_round_fail(round, status);
        qdri_round_end(round);
    }
}

static void advance(qdr_directory *directory) {
    qdri_directory_round *round = directory->first;
    if (round && round->traffic) {
        qdri_messages_advance(round);
        if (round->ended && round->status == QDR_ERR_STALLED) /* somebody else gave up */
            give_up(directory, qdri_fail(QDR_ERR_STALLED, "%s", round->sentence));
    } else if (round && round->state != QDRI_QUEUED) {
        qdri_shared_advance(round);
        qdr_status verdict = round->ended ? QDR_OK : qdri_board_verdict(directory->wire);
        if (verdict) give_up(directory, verdict);
    }
    while (directory->first && directory->first->state == QDRI_QUEUED) {
        qdr_status status = qdri_wire_state(directory->wire);
        if (status)
            give_up(directory, status);
        else
            begin(directory->first);
    }
}

void qdri_round_rest(qdr_directory *directory) {
    if (directory->polls) qdri_poller_remove(directory->wire, &directory->poller);
    directory->polls = 0;
}

static void poll(qdri_poller *poller) {
    qdr_directory *directory = (qdr_directory *)((char *)poller - offsetof(qdr_directory, poller));
    advance(directory);
    if (!directory->first) qdri_round_rest(directory);
}

/* Out of the queue; nobody reads its box any more. */
void qdri_round_end(qdri_directory_round *round) {
    qdr_directory *directory = round->directory;
    directory->first = round->next;
    if (!directory->first) directory->last = &directory->first;
    if (qdri_wire_usable(directory->wire)) qdri_arena_give(directory->wire, round->box_offset);
    free(round->box.place);
    round->box_offset = 0;
    round->box.place = NULL;
    round->state = QDRI_ENDED;
    round->ended = 1;
}

/* ---- start, test, wait --------------------------------------------------------------------------------- */

static qdr_status enqueue(qdr_directory *directory, const qdr_directory_call *call,
                          qdri_directory_round **made) {
    QDRI_TRY(qdri_wire_state(directory->wire));
    qdri_directory_round *round = QDRI_ZERO_ARRAY(qdri_directory_round, 1);
    if (!round) {
        qdri_wire_break(directory->wire,
                        qdri_fail_memory()); /* the others come to a round that this rank cannot join */
        return QDR_ERR_MEMORY;
    }
    round->pending.kind = &qdri_pending_round;
    round->directory = directory;
    round->call = *call;
    if (call->verb == QDR_DIRECTORY_REMOVE || call->verb == QDR_DIRECTORY_FIND) {
        round->call.owner = NULL;
        round->call.place = NULL;
        round->call.payload = NULL;
    }
    qdr_status status = check(directory, call);
    if (status) {
        qdri_round_fail(round, status);
        round->call.count = 0;
    }
    *directory->last = round;
    directory->last = &round->next;
    if (directory->first == round) begin(round);
    if (directory->first && !directory->polls) {
        directory->poller.poll = poll;
        qdri_poller_add(directory->wire, &directory->poller);
        directory->polls = 1;
    }
    directory->outstanding++;
    *made = round;
    return QDR_OK;
}

qdr_status qdr_directory_start_sized(qdr_directory *directory, const qdr_directory_call *call,
                                     size_t call_bytes, qdr_pending **pending) {
    qdr_directory_call known;
    qdri_directory_round *round;
    if (!directory || !call || !pending)
        return qdri_fail(QDR_ERR_INVALID, "directory, call or the place for the handle is NULL");
    QDRI_TRY(qdri_element_read("qdr_directory_call", &known, sizeof known, call, call_bytes, 0));
    qdri_lock(directory->wire);
    qdr_status status = enqueue(directory, &known, &round);
    qdri_unlock(directory->wire);
    if (!status) *pending = &round->pending;
    return status;
}

/* Those who wait for somebody who waits himself hear from him whom he misses, if they give him a moment. */
static void linger(qdr_directory *directory, const qdri_directory_round *first) {
    const double moment = 1; /* seconds */
    double half = 0.5 * qdri_patience(directory->options.deadline),
           seconds = qdri_messages_moment(first, half < moment ? half : moment);
    if (seconds > 0) (void)qdri_wait_until(directory->wire, &first->ended, qdri_seconds() + seconds);
}

/* QDR_OK: the round has ended meanwhile. */
static qdr_status stalled(qdr_directory *directory, const qdri_directory_round *round) {
    char absent[200] = "";
    qdri_directory_round *first = directory->first;
    if (first && first->traffic) linger(directory, first);
    if (round->ended) return QDR_OK;
    first = directory->first;
    if (first && first->traffic)
        qdri_messages_absent(first, absent, sizeof absent);
    else
        qdri_shared_absent(directory, first ? first->number : round->number, absent, sizeof absent);
    qdr_status status =
        qdri_fail(QDR_ERR_STALLED, "rank %d: a call of a directory did not end before the deadline%s",
                  directory->rank, absent);
    if (first) qdri_messages_last_word(first, status);
    qdri_wire_break(directory->wire, status);
    return status;
}

static qdr_status take_result(qdr_pending **pending) {
    qdri_directory_round *ended = (qdri_directory_round *)*pending;
    int64_t *unknown = ended->call.unknown;
    *pending = NULL;
    ended->directory->outstanding--;
    qdr_status status = ended->status ? qdri_fail(ended->status, "%s", ended->sentence) : QDR_OK;
    if (!status && unknown) *unknown = ended->unknown;
    free(ended);
    return status;
}

/* Whatever there is to do; and if the deadline has passed, or nothing can get on any more, the end. */
static void look_after(qdri_directory_round *round, int waits) {
    qdr_directory *directory = round->directory;
    qdr_status status = qdri_wire_state(directory->wire);
    if (status == QDR_OK && waits) {
        status = qdri_wait_until(directory->wire, &round->ended, qdri_deadline(directory->options.deadline));
    } else if (status == QDR_OK) {
        qdri_progress(directory->wire);
        if (!round->deadline) round->deadline = qdri_deadline(directory->options.deadline);
        if (!round->ended && round->deadline > 0 && qdri_seconds() > round->deadline)
            status = QDR_ERR_STALLED;
    }
    if (round->ended) return;
    if (status == QDR_ERR_STALLED) status = stalled(directory, round);
    if (status) {
        give_up(directory, status);
        qdri_round_rest(directory);
    }
}

static qdr_status wait(qdr_pending **pending) {
    qdri_directory_round *round = (qdri_directory_round *)*pending;
    qdri_wire *wire = round->directory->wire;
    qdri_lock(wire);
    if (!round->ended) look_after(round, 1);
    qdr_status status = take_result(pending);
    qdri_unlock(wire);
    return status;
}

static qdr_status test(qdr_pending **pending, int *done) {
    qdri_directory_round *round = (qdri_directory_round *)*pending;
    qdri_wire *wire = round->directory->wire;
    qdri_lock(wire);
    if (!round->ended) look_after(round, 0);
    *done = round->ended;
    qdr_status status = *done ? take_result(pending) : QDR_OK;
    qdri_unlock(wire);
    return status;
}

const qdri_pending_kind qdri_pending_round = {test, wait};
