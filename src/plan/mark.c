/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of streams: see mark.h. */
#include "plan/mark.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct mark {
    int64_t plan; /* and that it is a mark */
    int64_t exchange;
    int64_t bytes;  /* of the stream */
    int64_t before; /* streams of this lane before it */
} mark;

_Static_assert(sizeof(mark) == QDRI_MARK, "a mark is four words");

/* A mark begins with this and the number of its plan, so that stray data is not taken for one. */
static int64_t first_word(const qdri_exchange *exchange) {
    return INT64_C(0x5144520000000000) ^ exchange->plan->number;
}

char *qdri_mark_place(const qdri_half *half, int lane) {
    return half->first + lane * (int64_t)QDRI_MARK_ROOM;
}

static void number_half(qdri_half *half, qdri_streams *past, int lanes, int64_t block) {
    for (int i = 0; i < lanes; i++) {
        qdri_lane_flow *lane = &half->lane[i];
        if (lane->bytes == 0) continue;
        lane->before = past[i].count++;
        lane->is_marked = lane->bytes > QDRI_CARRIED && past[i].block <= block;
        if (lane->is_marked) past[i].block = block + 1;
    }
}

void qdri_marks_number(qdri_exchange *exchange) {
    const qdri_candidate *candidate = exchange->candidate;
    int64_t block = exchange->number / candidate->bulk_tags;
    number_half(&exchange->out, candidate->past_out, exchange->program->out.lanes, block);
    number_half(&exchange->in, candidate->past_in, exchange->program->in.lanes, block);
}

void qdri_mark_write(const qdri_exchange *exchange, int lane) {
    const qdri_lane_flow *flow = &exchange->out.lane[lane];
    mark own = {first_word(exchange), exchange->number, flow->bytes, flow->before};
    memcpy(qdri_mark_place(&exchange->out, lane), &own, sizeof own);
}

qdr_status qdri_marks_sweep(qdr_plan *plan) {
    int sender = QDRI_ANYONE, anyone = QDRI_ANYONE;
    int64_t found = 0;
    if (!qdri_is_there(plan->wire, &anyone, QDRI_ANY_TAG, &found))
        return QDR_OK; /* mostly there is nothing at all */
    for (int i = 0; i < QDRI_SLOT_TAGS + QDRI_BULK_TAGS; i++) {
        int from = QDRI_ANYONE, tag = plan->first_tag + i, gone = 1;
        for (int64_t bytes; gone && qdri_is_there(plan->wire, &from, tag, &bytes); from = QDRI_ANYONE) {
            if (sender == QDRI_ANYONE) found = bytes;
            if (sender == QDRI_ANYONE) sender = from;
            gone = qdri_discard(plan->wire, from, tag, bytes);
        }
    }
    if (sender == QDRI_ANYONE) return QDR_OK;
    return qdri_fail(QDR_ERR_MISMATCH,
                     "rank %d sent rank %d %lld bytes in an exchange of an earlier plan, and they were never "
                     "expected: the two had different ideas of it; another plan can be made",
                     sender, qdri_wire_rank(plan->wire), (long long)found);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

static qdr_status fail_stray(const qdri_exchange *exchange, int partner, int64_t came) {
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d sent rank %d a message of %lld bytes that belongs to no exchange of this plan: the "
        "two have different ideas of an earlier one",
        partner, exchange->program->rank, (long long)came);
}

static qdr_status fail_left_behind(const qdri_exchange *exchange, int partner, int64_t bytes, int64_t where,
                                   int64_t expected) {
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d sent rank %d %lld bytes in exchange %lld, which were not expected there; they came in "
        "exchange %lld, where %lld bytes were expected, and are not delivered",
        partner, exchange->program->rank, (long long)bytes, (long long)where, (long long)exchange->number,
        (long long)expected);
}

/* More or fewer streams than here went before this one. What was left behind may still be there. */
static qdr_status fail_count(const qdri_exchange *exchange, int lane, int64_t before) {
    int partner = exchange->program->in.lane[lane].partner;
    const qdri_lane_flow *flow = &exchange->in.lane[lane];
    int tags = exchange->candidate->bulk_tags;
    for (int64_t i = 1; i <= tags && i <= exchange->number; i++) {
        int64_t number = exchange->number - i, bytes = 0;
        int tag = exchange->candidate->first_bulk_tag + (int)(number % tags);
        if (i < tags && qdri_is_there(exchange->wire, &partner, tag, &bytes))
            return fail_left_behind(exchange, partner, bytes, number, flow->bytes);
    }
    return qdri_fail(
        QDR_ERR_MISMATCH,
        "rank %d sent rank %d %lld messages before exchange %lld of this plan, but %lld were expected: the "
        "two have different ideas of an earlier exchange",
        partner, exchange->program->rank, (long long)before, (long long)exchange->number,
        (long long)flow->before);
}

qdr_status qdri_mark_check(const qdri_exchange *exchange, int lane, int64_t came) {
    int partner = exchange->program->in.lane[lane].partner;
    const qdri_lane_flow *flow = &exchange->in.lane[lane];
    mark its;
    if (came < QDRI_MARK) return fail_stray(exchange, partner, came);
    memcpy(&its, qdri_mark_place(&exchange->in, lane), sizeof its);
    if (its.plan != first_word(exchange) || its.exchange < 0 || its.bytes < 1 || its.before < 0)
        return fail_stray(exchange, partner, came);
    if (its.exchange < exchange->number)
        return fail_left_behind(exchange, partner, its.bytes, its.exchange, flow->bytes);
    if (its.exchange > exchange->number)
        return qdri_fail(
            QDR_ERR_MISMATCH,
            "rank %d expects %lld bytes of rank %d in exchange %lld, but it sent none there, and is in "
            "exchange %lld with %lld bytes",
            exchange->program->rank, (long long)flow->bytes, partner, (long long)exchange->number,
            (long long)its.exchange, (long long)its.bytes);
    if (its.bytes != flow->bytes) return qdri_fail_bytes(partner, its.bytes, flow->bytes);
    return its.before == flow->before ? QDR_OK : fail_count(exchange, lane, its.before);
}
