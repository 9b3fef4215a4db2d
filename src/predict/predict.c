/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a schedule costs on a machine: it is played twice (play.h), loosely and with barriers, and the loads of its phases are
 * counted. Where sends are synchronous and ports go one way at a time, the first is in turns, for that is all ranks can do there.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "predict/play.h"
#include "schedule/schedule.h"

/* ---- loads of one phase -------------------------------------------------------------------------------- */

typedef struct link_load {
    int64_t phase, senders;
    int last_sender; /* steps come by sender */
} link_load;

typedef struct rank_load {
    int64_t phase, receives, incoming;
} rank_load;

typedef struct loads {
    const qdr_machine *machine;
    int64_t item_bytes, phase;
    rank_load *rank;
    link_load *link; /* NULL: no links */
    int64_t *route;
} loads;

static void load_route(loads *l, const qdr_step *step, qdr_prediction *result) {
    int length = l->link ? qdr_machine_route(l->machine, step->from, step->to, l->route) : 0;
    for (int i = 0; i < length; i++) {
        link_load *link = &l->link[l->route[i]];
        if (link->phase != l->phase) *link = (link_load){.phase = l->phase, .last_sender = -1};
        link->senders += link->last_sender != step->from;
        link->last_sender = step->from;
        double load = (double)link->senders / (double)qdr_machine_link_streams(l->machine, l->route[i]);
        if (load > result->max_link_load) result->max_link_load = load;
    }
}

static void load_receiver(loads *l, const qdr_step *step, qdr_prediction *result) {
    rank_load *to = &l->rank[step->to];
    int64_t bytes = step->items * l->item_bytes;
    if (to->phase != l->phase) *to = (rank_load){.phase = l->phase};
    to->incoming = bytes > INT64_MAX - to->incoming ? INT64_MAX : to->incoming + bytes;
    if (++to->receives > 1 && to->incoming > result->unconfirmed) result->unconfirmed = to->incoming;
}

static qdr_status count_loads(const qdr_step *steps, int64_t count, const qdr_machine *machine,
                              int64_t item_bytes, qdr_prediction *result) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    int64_t links = qdr_machine_links(machine);
    loads l = {.machine = machine, .item_bytes = item_bytes};
    l.rank = QDRI_ZERO_ARRAY(rank_load, p->ranks);
    l.route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine));
    l.link = links ? QDRI_ZERO_ARRAY(link_load, links) : NULL;
    int good = l.rank && l.route && (l.link || !links);
    for (int64_t first = 0, next; good && first < count; first = next) {
        next = qdri_phase_end(steps, count, first);
        l.phase++; /* from 1: no load has 0 */
        for (int64_t i = first; i < next; i++) {
            load_receiver(&l, &steps[i], result);
            load_route(&l, &steps[i], result);
        }
    }
    result->unsafe = p->sends == QDR_SENDS_BUFFERED && p->buffer > 0 && result->unconfirmed > p->buffer;
    free(l.rank);
    free(l.route);
    free(l.link);
    return good ? QDR_OK : qdri_fail_memory();
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static qdr_status predict(qdr_step *steps, int64_t count, const qdr_machine *machine, int64_t item_bytes,
                          int packing, unsigned promises, qdr_prediction *prediction) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    int in_turns = p->sends == QDR_SENDS_SYNCHRONOUS && p->ports == QDR_PORTS_HALF;
    qdr_prediction made = {0};
    qdri_play how = {.machine = machine,
                     .item_bytes = item_bytes,
                     .packing = packing,
                     .promises = promises,
                     .manner = QDRI_BARRIER};
    QDRI_TRY(count_loads(steps, count, machine, item_bytes, &made));
    int has_phases = count > 0 && qdri_phase_end(steps, count, 0) < count;
    if (has_phases) QDRI_TRY(qdri_play_steps(&how, count, steps, &made.barrier_seconds));
    how.manner = in_turns ? QDRI_TURNS : QDRI_LOOSE;
    QDRI_TRY(qdri_play_steps(&how, count, steps, &made.seconds)); /* the last to write start and end */
    if (!has_phases) made.barrier_seconds = made.seconds;
    *prediction = made;
    return QDR_OK;
}

qdr_status qdri_steps_check(int64_t count, const qdr_step *steps, const qdr_machine *machine,
                            int64_t item_bytes) {
    int ranks = qdr_machine_look(machine)->ranks;
    for (int64_t i = 0; i < count; i++) {
        if (steps[i].from < 0 || steps[i].from >= ranks || steps[i].to < 0 || steps[i].to >= ranks ||
            steps[i].items < 0)
            return qdri_fail(QDR_ERR_RANGE, "step %lld, %d->%d, does not fit on a machine of %d ranks",
                             (long long)i, steps[i].from, steps[i].to, ranks);
        if (steps[i].from == steps[i].to)
            return qdri_fail(QDR_ERR_RANGE, "step %lld goes from rank %d to itself", (long long)i,
                             steps[i].from);
        QDRI_TRY(qdri_check_bytes(steps[i].items, item_bytes));
    }
    return QDR_OK;
}

static void reverse(qdr_step *first, qdr_step *last) {
    for (; first < last; first++, last--) {
        qdr_step other = *first;
        *first = *last;
        *last = other;
    }
}

void qdri_steps_by_distance(int64_t count, qdr_step *steps) {
    for (int64_t first = 0, next; first < count; first = next) {
        int64_t lower = first; /* the end of those to lower ranks, which go behind the others */
        for (next = first; next < count && steps[next].from == steps[first].from; next++)
            lower += steps[next].to < steps[next].from;
        reverse(steps + first, steps + lower - 1);
        reverse(steps + lower, steps + next - 1);
        reverse(steps + first, steps + next - 1);
    }
}

qdr_status qdr_steps_predict_sized(int64_t count, qdr_step *steps, const qdr_machine *machine,
                                   int64_t item_bytes, qdr_prediction *prediction, size_t prediction_bytes) {
    qdr_prediction made;
    if ((!steps && count) || !machine || !prediction || item_bytes < 0 || count < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_steps_predict: an argument is NULL or negative");
    QDRI_TRY(qdri_steps_check(count, steps, machine, item_bytes));
    QDRI_TRY(predict(steps, count, machine, item_bytes, 0, 0, &made));
    qdri_sized_fill(prediction, prediction_bytes, &made, sizeof made);
    return QDR_OK;
}

qdr_status qdr_schedule_predict_sized(const qdr_schedule *schedule, const qdr_machine *machine,
                                      int64_t item_bytes, qdr_step *steps, qdr_prediction *prediction,
                                      size_t prediction_bytes) {
    qdr_prediction made;
    qdr_step *own = NULL;
    int64_t count = schedule ? schedule->transfers : 0;
    if (!schedule || !machine || !prediction || item_bytes < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_predict: an argument is NULL or negative");
    if (!steps) QDRI_TRY(qdr_schedule_steps(schedule, &count, &own));
    qdr_status status = qdri_steps_check(count, steps ? steps : own, machine, item_bytes);
    if (status == QDR_OK)
        status = predict(steps ? steps : own, count, machine, item_bytes, !schedule->direct,
                         schedule->promises, &made);
    if (status == QDR_OK) qdri_sized_fill(prediction, prediction_bytes, &made, sizeof made);
    free(own);
    return status;
}
