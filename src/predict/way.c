/* SPDX-License-Identifier: BSD-3-Clause */
/* What an exchange takes the way a plan runs it: its schedule is played by the rule of its pacing (play.h, pace.h). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "predict/pace.h"
#include "predict/play.h"
#include "schedule/registry.h"
#include "schedule/schedule.h"

static qdr_status play(qdri_manner manner, const qdr_machine *machine, int64_t item_bytes,
                       const qdr_schedule *schedule, int64_t count, qdr_step *steps, double *seconds) {
    qdri_play how = {.machine = machine,
                     .item_bytes = item_bytes,
                     .packing = !schedule->direct,
                     .promises = schedule->promises,
                     .manner = manner};
    return qdri_play_steps(&how, count, steps, seconds);
}

static qdr_status pace(qdri_pacing pacing, const qdr_way *way, const qdr_machine *machine, int64_t item_bytes,
                       const qdr_schedule *schedule, int64_t count, qdr_step *steps, double *seconds) {
    qdri_pace how = {.machine = machine,
                     .item_bytes = item_bytes,
                     .packing = !schedule->direct,
                     .pacing = pacing,
                     .window = (double)way->window};
    return qdri_pace_steps(&how, count, steps, seconds);
}

static qdr_status predict(const qdri_algorithm *algorithm, const qdr_way *way, const qdr_machine *machine,
                          int64_t item_bytes, const qdr_schedule *schedule, int64_t count, qdr_step *steps,
                          double *seconds) {
    const char *pacing = way->pacing && *way->pacing ? way->pacing
                         : algorithm->pacing         ? algorithm->pacing
                                                     : "arrivals";
    if (way->barrier) return play(QDRI_BARRIER, machine, item_bytes, schedule, count, steps, seconds);
    int is_by_stages = !algorithm->at_run_time && algorithm->pacing && !strcmp(algorithm->pacing, "stages") &&
                       !strcmp(pacing, "stages");
    if (!strcmp(pacing, "free") || is_by_stages)
        return play(QDRI_FREE, machine, item_bytes, schedule, count, steps, seconds);
    if (!strcmp(pacing, "turns"))
        return play(QDRI_TURNS, machine, item_bytes, schedule, count, steps, seconds);
    if (!strcmp(pacing, "arrivals"))
        return pace(QDRI_BY_ARRIVALS, way, machine, item_bytes, schedule, count, steps, seconds);
    if (!strcmp(pacing, "grants") && algorithm->at_run_time)
        return pace(QDRI_BY_GRANTS, way, machine, item_bytes, schedule, count, steps, seconds);
    return qdri_fail(QDR_ERR_INVALID, "%s with pacing by '%.16s' is not predicted", algorithm->name, pacing);
}

/* What is scheduled at run time has all messages in one phase. */
static qdr_status make_steps(const qdr_pattern *pattern, const char *spec, const qdri_algorithm *algorithm,
                             const qdr_machine *machine, qdr_schedule **schedule, int64_t *count,
                             int64_t item_bytes, qdr_step **steps) {
    QDRI_TRY(qdr_schedule_create(pattern, algorithm->at_run_time ? "async" : spec, machine, schedule));
    QDRI_TRY(qdr_schedule_steps(*schedule, count, steps));
    if (algorithm->any_size) qdri_steps_by_distance(*count, *steps);
    return qdri_steps_check(*count, *steps, machine, item_bytes);
}

qdr_status qdr_way_predict_sized(const qdr_pattern *pattern, const qdr_way *way, size_t way_bytes,
                                 const qdr_machine *machine, int64_t item_bytes, double *seconds) {
    qdr_way own = {0};
    qdri_spec spec;
    const qdri_algorithm *algorithm;
    qdr_schedule *schedule = NULL;
    qdr_step *steps = NULL;
    int64_t count = 0;
    if (!pattern || !way || !machine || !seconds || item_bytes < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_way_predict: an argument is NULL or negative");
    QDRI_TRY(qdri_element_read("qdr_way", &own, sizeof own, way, way_bytes, 0));
    if (!own.algorithm || own.window < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_way_predict: the algorithm is NULL, or the window negative");
    QDRI_TRY(qdri_algorithm_read(own.algorithm, &spec, &algorithm));
    qdr_status status =
        make_steps(pattern, own.algorithm, algorithm, machine, &schedule, &count, item_bytes, &steps);
    if (!status) status = predict(algorithm, &own, machine, item_bytes, schedule, count, steps, seconds);
    free(steps);
    qdr_schedule_destroy(&schedule);
    return status;
}
