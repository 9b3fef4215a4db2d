/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at a plan: what it runs, and why; its candidates; its schedule. */
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "discover/partners.h"
#include "plan/candidate.h"
#include "plan/near/near.h"

static int64_t others(int count, const int *partner, const int64_t *items, int rank) {
    int64_t messages = 0;
    for (int i = 0; i < count; i++) messages += partner[i] != rank && items[i] > 0;
    return messages;
}

static const qdri_chooser_class *shown(const qdr_plan *plan) {
    return plan->referee ? qdri_referee_shown(plan) : NULL;
}

/* What trials have shown, if there were any, else the rule's sentence. */
const char *qdri_plan_why(const qdr_plan *plan) {
    const qdri_chooser_class *known = shown(plan);
    char *text = ((qdr_plan *)plan)->why;
    if (!plan->is_by_rule) return "asked for";
    if ((!known || !known->is_tried) && plan->is_foreseen) return "predicted for the machine that was given";
    if (!known || !known->is_tried) {
        qdri_rule(&plan->facts, text, sizeof plan->why);
        return text;
    }
    size_t used = (size_t)snprintf(text, sizeof plan->why, "the fastest of those that were tried:");
    for (int i = 0; i < plan->candidates && used < sizeof plan->why; i++)
        if (known->seconds[i] > 0)
            used += (size_t)snprintf(text + used, sizeof plan->why - used, "%s %s %.3g ms",
                                     text[used - 1] == ':' ? "" : ",", plan->candidate[i].algorithm,
                                     1e3 * known->seconds[i]);
    return text;
}

/* What runs the exchanges that are no trials; of several sizes, those of the last. */
static const qdri_candidate *in_use(const qdr_plan *plan) {
    return &plan->candidate[plan->referee ? qdri_referee_best(plan) : 0];
}

qdr_status qdr_plan_look_sized(const qdr_plan *plan, qdr_plan_info *info, size_t info_bytes) {
    if (!plan || !info) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_look: an argument is NULL");
    qdr_partners_view view = qdr_partners_look(plan->partners);
    const qdri_candidate *runs = in_use(plan);
    qdr_schedule_info schedule = {.phases = 0};
    if (runs->schedule) QDRI_TRY(qdr_schedule_look(runs->schedule, &schedule));
    qdr_plan_info known = {
        .algorithm = runs->algorithm,
        .pacing = runs->executor->pacing,
        .transport = plan->near->active ? "node" : "net",
        .why = qdri_plan_why(plan),
        .chunk = runs->chunk,
        .window = runs->port ? (int64_t)runs->port->window : runs->window,
        .stages = runs->program.stages,
        .phases = runs->schedule  ? schedule.phases
                  : runs->ordered ? runs->program.stages * (runs->last_phase + 1)
                                  : 0,
        .messages_out = others(view.sends, view.destination, view.send_items, view.rank),
        .messages_in = others(view.receives, view.source, view.receive_items, view.rank),
        .near_out = plan->near->sends,
        .near_in = plan->near->receives,
        .items_out = plan->items_out,
        .items_in = plan->items_in,
        .in_flight = plan->in_flight,
        .exchanges = plan->done,
        .staging_items = runs->program.staging_items,
        .build_seconds = plan->build_seconds,
    };
    qdri_sized_fill(info, info_bytes, &known, sizeof known);
    return QDR_OK;
}

int64_t qdri_plan_started(const qdr_plan *plan) {
    return plan->started;
}

int64_t qdri_plan_ended(const qdr_plan *plan) {
    return plan->ended;
}

int qdri_plan_busy(const qdr_plan *plan) {
    int next = 0;
    return qdri_slots_busy(plan, &next) != NULL;
}

int qdri_plan_any_size(const qdr_plan *plan) {
    for (int i = 0; i < plan->candidates; i++)
        if (!plan->candidate[i].any_size) return 0;
    return 1;
}

const qdr_schedule *qdr_plan_schedule(const qdr_plan *plan) {
    return plan ? qdri_candidate_schedule(plan, (qdri_candidate *)in_use(plan)) : NULL;
}

qdr_status qdr_plan_candidate_sized(const qdr_plan *plan, int index, qdr_candidate *candidate,
                                    size_t candidate_bytes) {
    if (!plan || !candidate) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_candidate: an argument is NULL");
    if (index < 0 || index >= plan->candidates)
        return qdri_fail(QDR_ERR_RANGE, "qdr_plan_candidate: there is no candidate %d; the plan has %d",
                         index, plan->candidates);
    const qdri_chooser_class *known = shown(plan);
    const qdri_candidate *it = &plan->candidate[index];
    qdr_candidate about = {
        .algorithm = it->algorithm,
        .pacing = it->executor->pacing,
        .seconds = known ? known->seconds[index] : 0,
        .tries = known ? known->tries[index] : 0,
        .in_use = it == in_use(plan),
    };
    qdri_sized_fill(candidate, candidate_bytes, &about, sizeof about);
    return QDR_OK;
}

qdr_status qdr_plan_tune(qdr_plan *plan) {
    if (!plan) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_tune: the plan is NULL");
    if (!plan->referee) return QDR_OK;
    qdri_lock(plan->wire);
    qdri_chooser_restart(&plan->referee->chooser);
    qdri_unlock(plan->wire);
    return QDR_OK;
}
