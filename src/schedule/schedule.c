/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule object: a request is matched with a line of the algorithm table, the builder gives the object
 * its rows, and what the builder did not count is counted here by reading them once.
 */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/machine.h"
#include "pattern/pattern.h"
#include "schedule/algorithm.h"
#include "schedule/registry.h"

qdr_status qdri_schedule_open(const qdr_pattern *pattern, const qdr_machine *machine, const char *algorithm,
                              const char *spec, qdr_schedule **schedule) {
    if (machine && qdr_machine_look(machine)->ranks < qdr_pattern_look(pattern).ranks)
        return qdri_fail(QDR_ERR_RANGE, "the machine has %d ranks, the pattern %d",
                         qdr_machine_look(machine)->ranks, qdr_pattern_look(pattern).ranks);
    qdr_schedule *made = QDRI_ZERO_ARRAY(qdr_schedule, 1);
    char *copy = qdri_copy_string(spec);
    if (!made || !copy) {
        free(made);
        free(copy);
        return qdri_fail_memory();
    }
    qdri_owned_open(&made->owned);
    made->algorithm = algorithm;
    made->spec = copy;
    made->pattern = qdri_pattern_retain(pattern);
    made->machine = machine ? qdri_machine_retain(machine) : NULL;
    made->direct = made->stages = 1;
    made->phases = made->transfers = -1;
    *schedule = made;
    return QDR_OK;
}

qdr_schedule *qdri_schedule_retain(const qdr_schedule *schedule) {
    qdri_owned_keep(&schedule->owned);
    return (qdr_schedule *)schedule;
}

void qdr_schedule_destroy(qdr_schedule **schedule) {
    if (!schedule || !*schedule) return;
    qdr_schedule *gone = *schedule;
    *schedule = NULL;
    if (!qdri_owned_leave(&gone->owned)) return;
    if (gone->rows) gone->rows->release(gone->state);
    qdr_pattern_destroy(&gone->pattern);
    qdr_machine_destroy(&gone->machine);
    free(gone->limit);
    free(gone->spec);
    free(gone);
}

qdr_status qdri_schedule_move_diagonal(qdr_schedule *schedule) {
    qdr_pattern *whole = NULL;
    QDRI_TRY(qdri_pattern_with_diagonal(schedule->pattern, &whole));
    qdr_pattern_destroy(&schedule->pattern);
    schedule->pattern = whole;
    return QDR_OK;
}

qdr_status qdri_schedule_close(qdr_schedule *schedule) {
    qdr_step *steps;
    int64_t count, phases = 0;
    if (schedule->phases >= 0 && schedule->transfers >= 0) return QDR_OK;
    QDRI_TRY(qdr_schedule_steps(schedule, &count, &steps));
    for (int64_t i = 0; i < count; i = qdri_phase_end(steps, count, i)) phases++;
    free(steps);
    schedule->phases = phases;
    schedule->transfers = count;
    return QDR_OK;
}

static qdr_status build(const qdri_algorithm *algorithm, const qdri_spec *options, qdr_schedule *schedule) {
    qdri_request request = {qdr_pattern_look(schedule->pattern), schedule->machine, options};
    schedule->promises = algorithm->promises;
    schedule->direct = !algorithm->staged;
    QDRI_TRY(algorithm->build(&request, schedule));
    return qdri_schedule_close(schedule);
}

qdr_status qdr_schedule_create(const qdr_pattern *pattern, const char *algorithm, const qdr_machine *machine,
                               qdr_schedule **schedule) {
    const qdri_algorithm *found;
    qdri_spec options;
    qdr_schedule *made;
    if (!pattern || !algorithm || !schedule)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_create: an argument is NULL");
    QDRI_TRY(qdri_algorithm_read(algorithm, &options, &found));
    if (found->at_run_time)
        return qdri_fail(QDR_ERR_RUNTIME,
                         "algorithm '%s' decides while the exchange runs; it has no schedule beforehand",
                         found->name);
    if (found->needs_machine && !machine)
        return qdri_fail(QDR_ERR_INVALID, "algorithm '%s' avoids link contention: it needs a machine",
                         found->name);
    QDRI_TRY(qdri_schedule_open(pattern, machine, found->name, algorithm, &made));
    qdr_status status = build(found, &options, made);
    if (status != QDR_OK) {
        qdr_schedule_destroy(&made);
        return status;
    }
    *schedule = made;
    return QDR_OK;
}

qdr_status qdr_schedule_look_sized(const qdr_schedule *schedule, qdr_schedule_info *info, size_t info_bytes) {
    if (!schedule || !info) return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_look: an argument is NULL");
    qdr_schedule_info known = {
        .algorithm = schedule->algorithm,
        .spec = schedule->spec,
        .promises = schedule->promises,
        .ranks = qdr_pattern_look(schedule->pattern).ranks,
        .stages = schedule->stages,
        .phases = schedule->phases,
        .transfers = schedule->transfers,
        .direct = schedule->direct,
    };
    qdri_sized_fill(info, info_bytes, &known, sizeof known);
    return QDR_OK;
}

const qdr_pattern *qdr_schedule_pattern(const qdr_schedule *schedule) {
    return schedule->pattern;
}

qdr_status qdri_check_bytes(int64_t items, int64_t item_bytes) {
    if (items == 0 || item_bytes <= INT64_MAX / items) return QDR_OK;
    return qdri_fail(QDR_ERR_RANGE, "%lld items of %lld bytes each are more than 2^63 bytes",
                     (long long)items, (long long)item_bytes);
}

/* ---- steps --------------------------------------------------------------------------------------------- */

int64_t qdri_phase_end(const qdr_step *steps, int64_t count, int64_t first) {
    int64_t end = first;
    while (end < count && steps[end].phase == steps[first].phase && steps[end].stage == steps[first].stage)
        end++;
    return end;
}

typedef struct step_list {
    qdr_step *step;
    int64_t count, capacity;
} step_list;

static qdr_status add_row(const qdr_row *row, step_list *list) {
    if (!qdri_grow(&list->step, &list->capacity, list->count + row->sends, sizeof *list->step))
        return qdri_fail_memory();
    for (int64_t i = 0; i < row->sends; i++)
        list->step[list->count++] = (qdr_step){
            .stage = row->stage,
            .from = row->rank,
            .to = row->send[i].partner,
            .phase = row->send[i].phase,
            .items = row->send[i].items,
        };
    return QDR_OK;
}

/* Rows come rank by rank; a stable sort of one stage by phase keeps them so inside each phase. */
static qdr_status sort_stage(qdr_step *step, int64_t count) {
    int64_t *key = QDRI_ARRAY(int64_t, count), *order = QDRI_ARRAY(int64_t, count);
    qdr_step *sorted = QDRI_ARRAY(qdr_step, count);
    int good = key && order && sorted;
    for (int64_t i = 0; good && i < count; i++) key[i] = step[i].phase;
    good = good && qdri_sort_order(key, count, order);
    for (int64_t i = 0; good && i < count; i++) sorted[i] = step[order[i]];
    for (int64_t i = 0; good && i < count; i++) step[i] = sorted[i];
    free(key);
    free(order);
    free(sorted);
    return good ? QDR_OK : qdri_fail_memory();
}

static qdr_status collect(const qdr_schedule *schedule, qdr_row_reader *reader, step_list *list) {
    int ranks = qdr_pattern_look(schedule->pattern).ranks;
    for (int stage = 0; stage < schedule->stages; stage++) {
        int64_t begin = list->count;
        for (int rank = 0; rank < ranks; rank++) {
            qdr_row row;
            QDRI_TRY(qdr_row_read(reader, rank, stage, &row));
            QDRI_TRY(add_row(&row, list));
        }
        QDRI_TRY(sort_stage(list->step + begin, list->count - begin));
    }
    return QDR_OK;
}

qdr_status qdr_schedule_steps(const qdr_schedule *schedule, int64_t *count, qdr_step **steps) {
    step_list list = {NULL, 0, 0};
    qdr_row_reader *reader;
    if (!schedule || !steps || !count)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_steps: an argument is NULL");
    QDRI_TRY(qdri_row_reader_open(schedule, QDRI_WANT_SENDS, &reader));
    qdr_status status = qdri_grow(&list.step, &list.capacity, 1, sizeof *list.step)
                            ? collect(schedule, reader, &list)
                            : qdri_fail_memory();
    qdr_row_reader_destroy(&reader);
    if (status != QDR_OK) {
        free(list.step);
        return status;
    }
    *steps = list.step;
    *count = list.count;
    return QDR_OK;
}
