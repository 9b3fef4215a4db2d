/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of streams: see mark.h. */
#include "plan/mark.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct mark {
    int64_t plan; /* and that it is a mark */
    int64_t exchange;
    int64_t bytes; /* of the lane */
} mark;

static const int64_t mark_bytes = QDRI_MARK;
_Static_assert(sizeof(mark) == QDRI_MARK, "a mark is three words");

/* A mark begins with this and the number of its plan, so that stray data is not taken for one. */
static int64_t first_word(const qdr_exchange *exchange) {
    return INT64_C(0x5144520000000000) ^ exchange->plan->number;
}

int64_t qdri_mark_limit(int64_t sources) {
    enum { FEW = 64, LEAST = 256 }; /* beyond a few, the memory for all of them stays about the same */
    int64_t limit = qdri_copy_limit();
    if (sources > FEW) limit = limit * FEW / sources;
    return limit < LEAST ? LEAST : limit;
}

qdr_status qdri_marks_open(qdri_half *half, const qdri_side *side, int64_t limit) {
    half->first_room = mark_bytes + (limit + 7) / 8 * 8;
    half->first = qdri_alloc(side->lanes, (size_t)half->first_room);
    half->alone = QDRI_ZERO_ARRAY(qdri_chunk, side->lanes);
    return half->first && half->alone ? QDR_OK : qdri_fail_memory();
}

void qdri_marks_close(qdri_half *half) {
    free(half->first);
    free(half->alone);
}

char *qdri_mark_place(const qdri_half *half, int lane) {
    return half->first + lane * half->first_room;
}

int64_t qdri_mark_room(const qdri_half *half) {
    return half->first_room;
}

int qdri_mark_carries(const qdri_half *half, int64_t bytes) {
    return bytes <= half->first_room - mark_bytes;
}

void qdri_mark_write(const qdr_exchange *exchange, int lane) {
    mark own = {first_word(exchange), exchange->number, exchange->out.lane[lane].bytes};
    memcpy(qdri_mark_place(&exchange->out, lane), &own, sizeof own);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

static qdr_status fail_stray(const qdr_exchange *exchange, int partner, int64_t came) {
    return qdri_fail(
        QDR_MISMATCH,
        "rank %d sent rank %d a message of %lld bytes that belongs to no exchange of this plan: the "
        "two have different ideas of an earlier one",
        partner, exchange->program->rank, (long long)came);
}

/* The bytes of a mark that is right in itself, of this plan, but of an exchange that was before or comes later. */
static qdr_status fail_other(const qdr_exchange *exchange, int partner, const mark *its, int64_t expected) {
    long long sent = (long long)its->bytes, other = (long long)its->exchange;
    long long wanted = (long long)expected, this = (long long)exchange->number;
    int own = exchange->program->rank;
    if (its->exchange < exchange->number)
        return qdri_fail(
            QDR_MISMATCH,
            "rank %d sent rank %d %lld bytes in exchange %lld, which were not expected there; they "
            "came in exchange %lld, where %lld bytes were expected, and are not delivered",
            partner, own, sent, other, this, wanted);
    return qdri_fail(
        QDR_MISMATCH,
        "rank %d expects %lld bytes of rank %d in exchange %lld, but it sent none there, and is in "
        "exchange %lld with %lld bytes",
        own, wanted, partner, this, other, sent);
}

qdr_status qdri_mark_check(const qdr_exchange *exchange, int lane, int64_t came) {
    int partner = exchange->program->in.lane[lane].partner;
    int64_t expected = exchange->in.lane[lane].bytes;
    mark its;
    if (came < mark_bytes) return fail_stray(exchange, partner, came);
    memcpy(&its, qdri_mark_place(&exchange->in, lane), sizeof its);
    if (its.plan != first_word(exchange) || its.exchange < 0 || its.bytes < 1)
        return fail_stray(exchange, partner, came);
    if (its.exchange != exchange->number) return fail_other(exchange, partner, &its, expected);
    return its.bytes == expected ? QDR_OK : qdri_fail_bytes(partner, its.bytes, expected);
}
