/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole matrix on every rank, for the algorithms that need it: first how many messages each rank has,
 * then the messages, which arrive as the list that a pattern is made from. Done once; the pattern stays with
 * the partners.
 *
 * Cost: two gathers, 16 bytes per message and 8 per rank to every rank, and three agreements: on being there,
 * on the memory for the list, and on the pattern.
 */
#include "base/error.h"
#include "wire/flight.h"
#include "discover/partners.h"
#include "pattern/pattern.h"

/* What a gather works on; memory of the flight. */
typedef struct gathering {
    qdri_flight *flight;
    int ranks;
    qdri_flight_leg *legs; /* [2] */
    int64_t *own;          /* [1]: messages of this rank */
    qdr_message *row;      /* [own] */
    int64_t *count;        /* [ranks] */
    int64_t *start;        /* [ranks + 1], in bytes */
    qdr_message *message;  /* all of them */
} gathering;

static qdr_status prepare(gathering *work, const qdr_partners_view *view) {
    if (!work->flight) return qdri_fail_memory();
    work->ranks = view->ranks;
    work->legs = qdri_flight_legs(work->flight, 2);
    work->own = QDRI_FLIGHT_ARRAY(work->flight, int64_t, 1);
    work->row = QDRI_FLIGHT_ARRAY(work->flight, qdr_message, view->sends);
    work->count = QDRI_FLIGHT_ARRAY(work->flight, int64_t, view->ranks);
    work->start = QDRI_FLIGHT_ARRAY(work->flight, int64_t, (int64_t)view->ranks + 1);
    if (!work->legs || !work->own || !work->row || !work->count || !work->start) return qdri_fail_memory();
    for (int i = 0; i < view->sends; i++)
        if (view->send_items[i] > 0)
            work->row[(*work->own)++] = (qdr_message){view->rank, view->destination[i], view->send_items[i]};
    return QDR_OK;
}

static qdr_status gather(gathering *work, qdri_flight_leg *leg, const void *out, int64_t bytes, void *in) {
    qdri_flight_note(leg, qdri_gather_all(work->flight->wire, &leg->operation, out, bytes, in, work->start));
    return qdri_flight_wait_midway(work->flight);
}

static qdr_status gather_counts(gathering *work) {
    for (int rank = 0; rank <= work->ranks; rank++) work->start[rank] = rank * (int64_t)sizeof(int64_t);
    return gather(work, &work->legs[0], work->own, sizeof *work->own, work->count);
}

/* start[0] is 0 and stays so. No rank has more messages than there are ranks. */
static qdr_status lay_out(gathering *work, int64_t *messages) {
    for (int rank = 0; rank < work->ranks; rank++) {
        QDRI_TRY(qdri_decode_word((qdri_teller){NULL, rank}, "number of messages", work->count[rank], 0,
                                  work->ranks));
        work->start[rank + 1] = work->start[rank] + work->count[rank] * (int64_t)sizeof(qdr_message);
    }
    *messages = work->start[work->ranks] / (int64_t)sizeof(qdr_message);
    return QDR_OK;
}

static qdr_status gather_all(qdri_wire *wire, gathering *work, qdr_status status, qdr_pattern **pattern) {
    QDRI_TRY(qdri_flight_agree(wire, work->flight, "qdr_partners_gather", status));
    QDRI_TRY(gather_counts(work));
    int64_t messages = 0;
    status = lay_out(work, &messages);
    if (!status) work->message = QDRI_FLIGHT_ARRAY(work->flight, qdr_message, messages);
    if (!status && !work->message) status = qdri_fail_memory();
    QDRI_TRY(qdri_flight_agree(wire, work->flight, "qdr_partners_gather", status));
    QDRI_TRY(gather(work, &work->legs[1], work->row, *work->own * (int64_t)sizeof *work->row, work->message));
    status = qdr_pattern_create(work->ranks, messages, work->message, pattern);
    return qdri_flight_agree(wire, work->flight, "qdr_partners_gather", status);
}

static qdr_status gather_once(qdr_partners *partners, qdr_status status) {
    qdri_wire *wire = qdri_partners_wire(partners);
    qdr_partners_view view = qdr_partners_look(partners);
    qdr_pattern *made = NULL;
    gathering work = {.flight = qdri_flight_create(wire, "gathering of the matrix")};
    if (status == QDR_OK) status = prepare(&work, &view);
    status = gather_all(wire, &work, status, &made);
    qdri_flight_end(&work.flight);
    if (status == QDR_OK)
        qdri_partners_remember(partners, made);
    else
        qdr_pattern_destroy(&made);
    return status;
}

qdr_status qdr_partners_gather(qdr_partners *partners, qdr_pattern **pattern) {
    if (!partners) return qdri_fail(QDR_ERR_INVALID, "the partners are NULL");
    qdri_lock(qdri_partners_wire(partners));
    qdr_status status = qdri_partners_gather(partners, pattern);
    qdri_unlock(qdri_partners_wire(partners));
    return status;
}

qdr_status qdri_partners_gather(qdr_partners *partners, qdr_pattern **pattern) {
    qdr_status status = QDR_OK;
    if (!pattern)
        status =
            qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the pattern; expected a handle, not NULL");
    if (!qdri_partners_pattern(partners)) status = gather_once(partners, status);
    if (status == QDR_OK) *pattern = qdri_pattern_retain(qdri_partners_pattern(partners));
    return status;
}
