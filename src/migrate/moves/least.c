/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least room, the same for all ranks. With parking it is a formula: what each rank has at the end must fit,
 * and somebody must have room for one unit. Without, it is found by trying `robust` without writing anything
 * down: the largest in(p) always does, in one phase, and a bisection goes down from there. More room is not
 * always better for a method that decides as it goes, so what is promised is a room with which `robust`
 * succeeds, not that it fails with every smaller one. A trial that takes too long counts as a failure.
 */
#include "migrate/moves/least.h"

#include "migrate/moves/robust.h"

/* Rounds times messages of one trial. */
enum { WORK_LIMIT = 1 << 21, FEWEST_ROUNDS = 256 };

static qdr_status try_room(qdri_moves_request *request, int64_t *room, int64_t each, int *succeeded) {
    const qdr_pattern_view *view = &request->view;
    qdri_phases phases;
    int stuck = -1;
    for (int rank = 0; rank < view->ranks; rank++) room[rank] = qdri_least(each, request->total);
    qdri_phases_open(&phases, request->budget);
    phases.counts_only = 1;
    phases.most = qdri_most(FEWEST_ROUNDS, WORK_LIMIT / (view->messages + view->ranks));
    qdr_status status = qdri_robust_run(request, QDRI_FIRST_STARVED, 0, &phases, &stuck);
    qdri_phases_close(&phases);
    *succeeded = status == QDR_OK && stuck < 0;
    return status == QDR_ERR_RANGE ? QDR_OK : status;
}

static qdr_status bisect(qdri_moves_request *request, int64_t *room, int64_t fails, int64_t *succeeds) {
    while (*succeeds - fails > 1) {
        int64_t middle = fails + (*succeeds - fails) / 2;
        int succeeded;
        QDRI_TRY(try_room(request, room, middle, &succeeded));
        if (succeeded)
            *succeeds = middle;
        else
            fails = middle;
    }
    return QDR_OK;
}

qdr_status qdri_least_rooms(const qdri_moves_request *request, int64_t *with_parking, int64_t *without) {
    int64_t parking = request->total > 0, most = 0;
    for (int rank = 0; rank < request->view.ranks; rank++) {
        parking = qdri_most(parking, request->in[rank] - request->out[rank]);
        most = qdri_most(most, request->in[rank]);
    }
    qdri_moves_request trial = *request;
    int64_t *room = QDRI_BUDGET_ARRAY(request->budget, int64_t, request->view.ranks);
    if (!room) return qdri_fail_memory();
    trial.room = room;
    qdr_status status = bisect(&trial, room, parking - 1, &most);
    qdri_budget_free(request->budget, room);
    QDRI_TRY(status);
    *with_parking = parking;
    *without = most;
    return QDR_OK;
}

qdr_status qdr_moves_least_room(const qdr_pattern *pattern, int64_t *with_parking, int64_t *without) {
    qdri_moves_request request;
    if (!pattern || !with_parking || !without)
        return qdri_fail(QDR_ERR_INVALID, "qdr_moves_least_room: an argument is NULL");
    QDRI_TRY(qdri_request_open(&request, pattern, NULL, NULL));
    qdr_status status = qdri_least_rooms(&request, with_parking, without);
    qdri_request_close(&request);
    return status;
}
