/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * auto: the fewest phases that any method finds, and of those the way that parks least. Parking is a global matter (section
 * 3.2) and moves data twice; so `robust`, which never parks, is taken where it ends in the fewest phases there can be, or in no more
 * than `greedy`. Where both take more than the fewest, `relaxed` is built too. Where all of them take more than twice the fewest,
 * which happens to very few instances, `greedy` parks more, and in other orders.
 *
 * Lack of memory is passed on, never answered by another choice: ranks that have less of it than others must
 * not end up with another schedule.
 */
#include "migrate/moves/robust.h"

/* By robust, if it ends in at most so many phases. */
static qdr_status build_robust(const qdri_moves_request *request, int64_t most, qdri_phases *phases,
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

/* Takes the other if it is better, and leaves the one that is not wanted there. */
static void take_better(const qdri_moves_request *request, const char *name, qdri_phases *other,
                        qdri_phases *phases, const char **taken) {
    if (!is_better(other, phases, &request->view)) return;
    qdri_phases kept = *phases;
    *phases = *other;
    *other = kept;
    *taken = name;
}

static qdr_status try_robust(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    qdri_phases other;
    int ended;
    qdri_phases_open(&other, request->budget);
    qdr_status status = build_robust(request, phases->count, &other, &ended);
    if (status == QDR_OK && ended) take_better(request, "robust", &other, phases, taken);
    qdri_phases_close(&other);
    return status;
}

/* A method that may refuse. */
static qdr_status try_method(qdri_moves_request *request, const char *method, qdri_phases *phases,
                             const char **taken) {
    qdri_phases other;
    const char *name;
    qdri_phases_open(&other, request->budget);
    qdr_status status = qdri_request_build(request, method, &other, &name);
    if (status == QDR_OK) take_better(request, name, &other, phases, taken);
    qdri_phases_close(&other);
    return status == QDR_ERR_RANGE ? QDR_OK : status;
}

static qdr_status build(const qdri_moves_request *request, qdri_phases *phases, const char **taken) {
    static const char *const orders[] = {"greedy:most=all", "greedy:most=all,first=largest",
                                         "greedy:most=all,park=largest", "greedy:most=all,park=rank"};
    int ended;
    QDRI_TRY(build_robust(request, request->bound, phases, &ended));
    if (ended) {
        *taken = "robust";
        return QDR_OK;
    }
    qdri_moves_request again = *request;
    QDRI_TRY(qdri_request_build(&again, "greedy", phases, taken));
    QDRI_TRY(try_robust(request, phases, taken));
    if (phases->count > request->bound) QDRI_TRY(try_method(&again, "relaxed", phases, taken));
    for (size_t i = 0; i < sizeof orders / sizeof *orders && phases->count > 2 * request->bound; i++)
        QDRI_TRY(try_method(&again, orders[i], phases, taken));
    return QDR_OK;
}

const qdri_moves_method qdri_moves_auto = {
    .name = "auto",
    .summary = "the fewest phases of robust, greedy and relaxed, and of equals the one that parks least",
    .promise = "no more phases than robust, greedy or relaxed alone; refuses only what cannot end",
    .parks = 1,
    .build = build,
};
