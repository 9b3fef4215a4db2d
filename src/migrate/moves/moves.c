/* SPDX-License-Identifier: BSD-3-Clause */
/* The object: made by a method of the table, looked at, destroyed. */
#include "migrate/moves/moves.h"
#include "base/sized.h"

#include "pattern/pattern.h"

static qdr_status build(qdr_moves *moves, qdri_moves_request *request, const char *method) {
    QDRI_TRY(qdri_request_build(request, method ? method : "auto", &moves->phases, &moves->method));
    moves->total = request->total;
    moves->room = request->free;
    moves->bound = request->bound;
    moves->parked = qdri_phases_parked(&moves->phases, &request->view);
    return QDR_OK;
}

static qdr_status make(const qdr_pattern *pattern, qdri_moves_request *request, const char *method,
                       qdr_moves **moves) {
    qdr_moves *made = QDRI_BUDGET_ZERO_ARRAY(request->budget, qdr_moves, 1);
    if (!made) return qdri_fail_memory();
    made->budget = request->budget;
    made->pattern = qdri_pattern_retain(pattern);
    qdri_phases_open(&made->phases, request->budget);
    qdr_status status = build(made, request, method);
    if (status == QDR_OK)
        *moves = made;
    else
        qdr_moves_destroy(&made);
    return status;
}

qdr_status qdri_moves_create(const qdr_pattern *pattern, const int64_t *room, const char *method,
                             qdri_budget *budget, qdr_moves **moves) {
    qdri_moves_request request;
    QDRI_TRY(qdri_request_open(&request, pattern, room, budget));
    qdr_status status = make(pattern, &request, method, moves);
    qdri_request_close(&request);
    return status;
}

qdr_status qdr_moves_create(const qdr_pattern *pattern, const int64_t *room, const char *method,
                            qdr_moves **moves) {
    if (!pattern || !room || !moves)
        return qdri_fail(QDR_ERR_INVALID, "qdr_moves_create: an argument is NULL");
    return qdri_moves_create(pattern, room, method, NULL, moves);
}

void qdr_moves_destroy(qdr_moves **moves) {
    if (!moves || !*moves) return;
    qdri_budget *budget = (*moves)->budget;
    qdri_phases_close(&(*moves)->phases);
    qdr_pattern_destroy(&(*moves)->pattern);
    qdri_budget_free(budget, *moves);
    *moves = NULL;
}

void qdr_moves_look_sized(const qdr_moves *moves, qdr_moves_view *view, size_t view_bytes) {
    static const int64_t nothing[1] = {0};
    qdr_moves_view known = {
        .method = moves->method,
        .ranks = qdr_pattern_look(moves->pattern).ranks,
        .phases = moves->phases.count,
        .phase_start = moves->phases.count ? moves->phases.start : nothing,
        .move = moves->phases.move,
        .total = moves->total,
        .room = moves->room,
        .bound = moves->bound,
        .parked = moves->parked,
    };
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}
