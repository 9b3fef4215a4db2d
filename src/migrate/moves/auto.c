/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * auto: no parking where it can be done without, else the better of two. Parking is a global matter (section
 * 3.2) and moves data twice, so `robust` is taken whenever it ends within two phases of the fewest there can be,
 * or within the phases that parking is certain to reach: the L + 2 of `relaxed` and the bound of `greedy`. Else
 * `greedy` and, where that needs more than L phases, `relaxed` are built, and the one with fewer phases, then
 * with less parked, is taken. L is at most ceil(T / M') where M' = M - 2 ranks is positive.
 *
 * Lack of memory is passed on, never answered by another choice: ranks that have less of it than others must
 * not end up with another schedule.
 */
#include "migrate/moves/relaxed.h"
#include "migrate/moves/robust.h"

static qdr_status try_robust(const qdri_moves_request *request, int64_t most, qdri_phases *phases,
                             int *ended) {
    int stuck;
    int64_t limit = phases->most;
    phases->most = qdri_least(most, limit);
    qdr_status status = qdri_robust_run(request, QDRI_FIRST_STARVED, 0, phases, &stuck);
    *ended = status == QDR_OK && stuck < 0;
    if (!*ended) qdri_phases_close(phases);
    phases->most = limit;
    return status == QDR_ERR_RANGE ? QDR_OK : status;
}

static int is_better(const qdri_phases *one, const qdri_phases *other, const qdr_pattern_view *view) {
    if (one->count != other->count) return one->count < other->count;
    return qdri_phases_parked(one, view) < qdri_phases_parked(other, view);
}

/* Takes relaxed if it can be had and is better than what is there. */
static qdr_status try_relaxed(qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    qdri_phases other;
    const char *name;
    qdri_phases_open(&other, request->budget);
    qdr_status status = qdri_request_build(request, "relaxed", &other, &name);
    if (status == QDR_OK && is_better(&other, phases, &request->view)) {
        qdri_phases kept = *phases;
        *phases = other;
        other = kept;
        *taken = name;
    }
    qdri_phases_close(&other);
    return status == QDR_ERR_RANGE ? QDR_OK : status;
}

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    int64_t steps = qdri_relaxed_steps(request);
    int64_t most = qdri_most(request->bound + 2, qdri_greedy_bound(request));
    int ended;
    QDRI_TRY(try_robust(request, steps ? qdri_least(most, steps + 2) : most, phases, &ended));
    if (ended) {
        *taken = "robust";
        return QDR_OK;
    }
    qdri_moves_request again = *request;
    QDRI_TRY(qdri_request_build(&again, "greedy", phases, taken));
    return steps > 0 && phases->count > steps ? try_relaxed(&again, phases, taken) : QDR_OK;
}

const qdri_moves_method qdri_moves_auto = {
    .name = "auto",
    .summary = "robust if that ends soon, else the better of greedy and relaxed",
    .promise = "at most ceil(T / (M - 2 ranks)) + 2 phases where M > 2 ranks; refuses only what cannot end",
    .parks = 1,
    .build = build,
};
