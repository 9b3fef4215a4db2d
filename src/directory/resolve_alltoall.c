/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolving in one step: every rank gets the lists of all, and takes out what it owns. The other end of the
 * tori: one step, and memory for everything.
 */
#include <inttypes.h>

#include "base/error.h"
#include "directory/resolve_lists.h"

typedef struct gathering {
    qdri_query *query;
    qdri_flight *flight;
    qdri_flight_leg *legs;
    qdri_answer_list answers;
    int64_t *count, *start; /* [ranks + 1], in bytes */
    qdri_question *own, *all;
} gathering;

static qdr_status wait_for(gathering *g, int leg, qdr_status started) {
    qdri_flight_note(&g->legs[leg], started);
    return qdri_flight_wait_midway(g->flight);
}

static qdr_status learn_counts(gathering *g) {
    qdri_query *query = g->query;
    qdri_flight *flight = g->flight;
    if (flight) {
        g->legs = qdri_flight_legs(flight, 2);
        g->count = QDRI_FLIGHT_ARRAY(flight, int64_t, (int64_t)query->ranks + 1);
        g->start = QDRI_FLIGHT_ARRAY(flight, int64_t, (int64_t)query->ranks + 1);
        g->own = QDRI_FLIGHT_ARRAY(flight, qdri_question, qdri_questions_count(query));
    }
    qdr_status status = qdri_answers_open(query, &g->answers);
    if (!flight || !g->legs || !g->count || !g->start || !g->own) status = qdri_fail_memory();
    QDRI_TRY(qdri_flight_agree(query->wire, flight, "qdr_resolve", status));
    for (int r = 0; r <= query->ranks; r++) g->start[r] = r * (int64_t)sizeof *g->count;
    g->count[query->ranks] = qdri_questions_count(query) * (int64_t)sizeof *g->own;
    return wait_for(g, 0,
                    qdri_gather_all(query->wire, &g->legs[0].operation, &g->count[query->ranks],
                                    sizeof *g->count, g->count, g->start));
}

static qdr_status run(gathering *g) {
    qdri_query *query = g->query;
    QDRI_TRY(learn_counts(g));
    int64_t own = g->count[query->ranks], sum = 0;
    for (int r = 0; r <= query->ranks; r++) {
        g->start[r] = sum;
        if (r == query->ranks) continue;
        QDRI_TRY(qdri_decode_word((qdri_teller){NULL, r}, "bytes of its list", g->count[r], 0,
                                  (INT64_C(1) << 62) / query->ranks));
        sum += g->count[r];
    }
    if (sum / (int64_t)sizeof(int64_t) > INT32_MAX)
        return qdri_fail(QDR_ERR_RANGE,
                         "lists of %" PRId64 " bytes are more than MPI gathers; use the method 'directory'",
                         sum);
    g->all = qdri_flight_alloc(g->flight, sum, 1);
    qdri_report_memory(query, qdri_shelf_bytes(&g->answers.own) + own + sum);
    QDRI_TRY(qdri_flight_agree(query->wire, g->flight, "qdr_resolve", g->all ? QDR_OK : qdri_fail_memory()));
    qdri_questions_list(query, g->own);
    QDRI_TRY(
        wait_for(g, 1, qdri_gather_all(query->wire, &g->legs[1].operation, g->own, own, g->all, g->start)));
    (void)qdri_answers_take(&g->answers, g->all, sum / (int64_t)sizeof *g->all);
    query->report.steps = query->ranks > 1;
    query->report.lists = query->ranks - 1;
    query->report.sent = (query->ranks - 1) * own;
    qdri_report_memory(query,
                       query->report.memory + 2 * g->answers.count * (int64_t)sizeof(qdri_answer_note));
    return qdri_answers_deliver(&g->answers);
}

static qdr_status by_all(qdri_query *query) {
    gathering g = {.query = query, .flight = qdri_flight_create(query->wire, "gathering of lists")};
    qdr_status status = run(&g);
    qdri_answers_close(&g.answers);
    qdri_flight_end(&g.flight);
    return status;
}

const qdri_resolution qdri_resolve_alltoall = {
    .name = "alltoall",
    .summary = "every rank gets the lists of all, in one step",
    .memory = "the lists of all ranks, and an index of what it owns",
    .run = by_all,
};
