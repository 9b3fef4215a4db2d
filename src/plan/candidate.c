/* SPDX-License-Identifier: BSD-3-Clause */
/* One way to run a plan, made: see candidate.h. */
#include "plan/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "discover/partners.h"
#include "plan/near/near.h"
#include "plan/rehearse.h"
#include "schedule/registry.h"
#include "schedule/schedule.h"
#include "wire/node.h"

/* ---- its program --------------------------------------------------------------------------------------- */

/* Options that plans take from the spec. */
static void read_options(qdri_candidate *candidate, const qdri_spec *spec) {
    if (qdri_spec_given(spec, "chunk")) candidate->chunk = qdri_spec_integer(spec, "chunk");
    if (qdri_spec_given(spec, "window")) candidate->window = qdri_spec_integer(spec, "window");
}

static int is_left_out(const qdr_plan *plan, int rank, int partner, int way) {
    const char *is_near = plan->near->is_near;
    return (is_near && is_near[partner] & way) || (partner == rank && plan->near->active);
}

/* A pattern of which only this rank's row and column are filled: enough for algorithms that need no more. What stays on a node is not in it. */
static qdr_status own_cross(const qdr_plan *plan, qdr_pattern **pattern) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    qdr_message *message = QDRI_ARRAY(qdr_message, (int64_t)view.sends + view.receives);
    int64_t count = 0;
    if (!message) return qdri_fail_memory();
    for (int i = 0; i < view.sends; i++)
        if (!is_left_out(plan, view.rank, view.destination[i], QDRI_NEAR_OUT))
            message[count++] = (qdr_message){view.rank, view.destination[i], view.send_items[i]};
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] != view.rank && !is_left_out(plan, view.rank, view.source[i], QDRI_NEAR_IN))
            message[count++] = (qdr_message){view.source[i], view.rank, view.receive_items[i]};
    qdr_status status = qdr_pattern_create(view.ranks, count, message, pattern);
    free(message);
    return status;
}

/* The pattern without the messages that stay on a node. */
static qdr_status leave_out_nodes(const qdri_wire *wire, qdr_pattern **pattern) {
    qdr_pattern_view view = qdr_pattern_look(*pattern);
    qdr_message *message = QDRI_ARRAY(qdr_message, view.messages);
    int64_t count = 0;
    if (!message) return qdri_fail_memory();
    for (int64_t i = 0; i < view.messages; i++)
        if (!qdri_node_shared(wire, view.origin[i], view.destination[i]))
            message[count++] = (qdr_message){view.origin[i], view.destination[i], view.items[i]};
    qdr_pattern *rest = NULL;
    qdr_status status = qdr_pattern_create(view.ranks, count, message, &rest);
    free(message);
    if (!status) {
        qdr_pattern_destroy(pattern);
        *pattern = rest;
    }
    return status;
}

/* By a rule of ranks alone: each comes to know its own row. */
static qdr_status from_rehearsal(const qdr_plan *plan, qdri_candidate *candidate,
                                 const qdri_algorithm *algorithm, const qdri_spec *spec,
                                 const qdr_machine *machine, double deadline) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    const char *is_near = plan->near->is_near;
    qdr_pattern *cross = NULL;
    qdr_status status = own_cross(plan, &cross);
    const qdri_rehearsing play = {.wire = plan->wire,
                                  .algorithm = algorithm,
                                  .text = candidate->spec,
                                  .spec = spec,
                                  .machine = machine,
                                  .own = cross,
                                  .deadline = deadline};
    candidate->ordered = 1;
    candidate->promises = algorithm->promises;
    status = qdri_rehearse(&play, status, &candidate->rows);
    qdr_pattern_destroy(&cross);
    return status ? status : qdri_program_from_schedule(candidate->rows, view, is_near, &candidate->program);
}

/* Hosts as a machine has its nodes, for algorithms that look at them: consecutive ranks, and the last may have fewer; figures are those of a
 * fast cluster. Where hosts are not so, or are not known, none is made. */
static qdr_status hosts_as_nodes(const qdri_wire *wire, qdr_machine **machine) {
    char spec[32];
    int ranks = qdri_wire_ranks(wire), size = 1;
    while (size < ranks && qdri_node_of(wire, size) == 0) size++;
    for (int rank = 0; rank < ranks; rank++)
        if (qdri_node_of(wire, rank) != rank / size * size) return QDR_OK;
    snprintf(spec, sizeof spec, "node:k=%d", size);
    return qdr_machine_create(spec, ranks, machine);
}

static qdr_status from_algorithm(const qdr_plan *plan, qdri_candidate *candidate,
                                 const qdri_algorithm *algorithm, const qdr_machine *machine,
                                 const qdr_pattern *matrix) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    const char *is_near = plan->near->is_near;
    qdr_pattern *cross = NULL;
    int runs_by_itself = candidate->executor->runs_by_itself;
    candidate->any_size = algorithm->any_size || runs_by_itself;
    candidate->ordered = !algorithm->at_run_time && !runs_by_itself;
    candidate->promises = algorithm->promises;
    if (candidate->any_size) return qdri_program_from_partners(view, is_near, &candidate->program);
    if (!matrix) QDRI_TRY(own_cross(plan, &cross));
    qdr_schedule *schedule = NULL;
    qdr_machine *nodes = NULL;
    qdr_status status = algorithm->by_nodes && !machine ? hosts_as_nodes(plan->wire, &nodes) : QDR_OK;
    if (!status)
        status =
            qdr_schedule_create(matrix ? matrix : cross, candidate->spec, nodes ? nodes : machine, &schedule);
    qdr_machine_destroy(&nodes);
    qdr_pattern_destroy(&cross);
    if (!status) candidate->promises = schedule->promises;
    if (!status) status = qdri_program_from_schedule(schedule, view, is_near, &candidate->program);
    if (!status && matrix) candidate->schedule = qdri_schedule_retain(schedule);
    /* Where the rule takes pairs, there is a hop for every message that can come, and it is a whole one. */
    candidate->any_size |= plan->is_by_rule && !matrix;
    qdr_schedule_destroy(&schedule);
    return status;
}

/* ---- its sizes ------------------------------------------------------------------------------------------ */

/* Where no port says it: what a shallow switch holds. And the least that is worth a message by arrivals, until the
 * receivers know better. */
enum { USUAL_WINDOW = 40 << 10 };

static double all_unless_said(double share) {
    return share > 0 ? share : 1;
}

/* What nobody asked for exactly, by what suits the executor. */
static void set_sizes(const qdr_plan *plan, qdri_candidate *candidate, const qdri_settings *settings) {
    int by_grants = candidate->executor == &qdri_executor_grants && !candidate->ordered,
        by_arrivals = candidate->executor == &qdri_executor_arrivals && !plan->barrier;
    double window_share = all_unless_said(candidate->executor->window_share),
           chunk_share = all_unless_said(candidate->executor->chunk_share);
    int finds_itself = !candidate->window && !settings->window && (by_grants || by_arrivals);
    candidate->port = finds_itself ? plan->port : NULL;
    candidate->unasked = plan->unasked;
    if (!candidate->window) {
        candidate->window = settings->window ? settings->window : USUAL_WINDOW;
        if (!settings->window_exact)
            candidate->window = (int64_t)((double)candidate->window * window_share / (double)plan->sharing);
    }
    if (candidate->window < 1) candidate->window = 1;
    if (!candidate->port) candidate->unasked = candidate->window;
    if (!candidate->chunk) candidate->chunk = settings->chunk;
    candidate->chunk_is_told = !candidate->chunk && candidate->port && by_arrivals;
    if (!candidate->chunk && candidate->port)
        candidate->chunk = by_grants ? QDRI_GRANTED_CHUNK : QDRI_FIRST_CHUNK / plan->sharing;
    else if (!candidate->chunk)
        candidate->chunk = (int64_t)((double)candidate->window * chunk_share / window_share);
    if (candidate->chunk < 1) candidate->chunk = 1;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Both ends of a transfer contribute the same word, so over all ranks they cancel out, if they have the
 * same idea of it. */
static uint64_t side_parity(const qdri_program *program, const qdri_side *side, int receives) {
    uint64_t parity = 0;
    for (int64_t i = 0; i < side->hops; i++) {
        const qdri_hop *hop = &side->hop[i];
        if (hop->items == 0) continue; /* one end may know of an empty message, and the other not */
        uint64_t from = (uint64_t)(receives ? hop->partner : program->rank);
        uint64_t to = (uint64_t)(receives ? program->rank : hop->partner);
        uint64_t word = qdri_mix(from << 32 | to);
        word = qdri_mix(word ^ (uint64_t)hop->stage);
        word = qdri_mix(word ^ (uint64_t)hop->phase);
        parity ^= qdri_mix(word ^ (uint64_t)hop->items);
    }
    return parity;
}

static int64_t last_phase(const qdri_program *program) {
    int64_t last = 0;
    for (int64_t i = 0; i < program->out.hops; i++)
        if (program->out.hop[i].phase > last) last = program->out.hop[i].phase;
    return last;
}

static qdr_status from_schedule(const qdr_plan *plan, qdri_candidate *candidate,
                                const qdr_schedule *schedule) {
    candidate->schedule = qdri_schedule_retain(schedule);
    candidate->ordered = 1;
    candidate->promises = schedule->promises;
    return qdri_program_from_schedule(schedule, qdr_partners_look(plan->partners), NULL, &candidate->program);
}

/* What is passed on has to be known, unless the executor finds it out, or there is a rule for it. */
static int is_rehearsed(const qdri_algorithm *algorithm, const qdri_executor *executor) {
    return algorithm->handing && !executor->runs_by_itself;
}

static int needs_matrix(const qdri_algorithm *algorithm, const qdri_executor *executor) {
    return algorithm->knowledge == QDR_KNOWS_MATRIX || (algorithm->staged && !executor->runs_by_itself);
}

/* The whole where it has to be known, else this rank's row and column. */
static qdr_status from_pattern(const qdr_plan *plan, qdri_candidate *candidate,
                               const qdri_algorithm *algorithm, const qdr_machine *machine) {
    qdr_pattern *matrix = NULL;
    qdr_status status = QDR_OK;
    if (needs_matrix(algorithm, candidate->executor)) QDRI_TRY(qdri_partners_gather(plan->partners, &matrix));
    if (matrix && plan->near->active) status = leave_out_nodes(plan->wire, &matrix);
    if (!status) status = from_algorithm(plan, candidate, algorithm, machine, matrix);
    qdr_pattern_destroy(&matrix);
    return status;
}

qdr_status qdri_candidate_build(qdr_plan *plan, qdri_candidate *candidate, const qdri_settings *settings,
                                const qdr_machine *machine, const qdr_schedule *schedule, double deadline) {
    static const qdri_algorithm loaded = {.name = "loaded"};
    const qdri_algorithm *algorithm = &loaded;
    qdri_spec spec;
    qdr_status status = QDR_OK;
    qdri_trust_init(&candidate->trust);
    if (schedule) {
        QDRI_TRY(qdri_executor_find(settings->pacing, algorithm, &candidate->executor));
        status = from_schedule(plan, candidate, schedule);
    } else {
        /* The same name, the same verdict everywhere. */
        QDRI_TRY(qdri_algorithm_read(candidate->spec, &spec, &algorithm));
        QDRI_TRY(qdri_executor_find(settings->pacing, algorithm, &candidate->executor));
        read_options(candidate, &spec);
        if (algorithm->at_run_time || candidate->executor->runs_by_itself)
            if (candidate->executor->read) candidate->executor->read(candidate, &spec);
        if (is_rehearsed(algorithm, candidate->executor))
            status = from_rehearsal(plan, candidate, algorithm, &spec, machine, deadline);
        else
            status = from_pattern(plan, candidate, algorithm, machine);
    }
    if (plan->is_by_rule && settings->reuse) candidate->any_size = 0; /* as was said, whoever runs */
    candidate->algorithm = algorithm->name;
    if (!status) set_sizes(plan, candidate, settings);
    candidate->sources = candidate->ordered && candidate->program.ranks > 1 ? candidate->program.ranks - 1
                         : candidate->ordered                               ? 1
                                                                            : plan->sources;
    if (!status && plan->barrier && !candidate->executor->has_barrier)
        status = qdri_fail(QDR_ERR_INVALID,
                           "a barrier after each phase goes with pacing free or arrivals, not with %s",
                           candidate->executor->pacing);
    /* Who passes on takes part wherever anybody has something to pass on. */
    int has_part = !status && candidate->executor->runs_by_itself
                       ? plan->has_far
                       : candidate->program.out.hops + candidate->program.in.hops > 0;
    candidate->is_far = !status && (plan->barrier || has_part);
    candidate->last_phase = status ? 0 : last_phase(&candidate->program);
    return status;
}

uint64_t qdri_candidate_parity(const qdri_candidate *candidate) {
    const qdri_program *program = &candidate->program;
    return side_parity(program, &program->out, 0) ^ side_parity(program, &program->in, 1);
}

void qdri_candidate_free(qdri_candidate *candidate) {
    qdri_program_free(&candidate->program);
    qdr_schedule_destroy(&candidate->schedule);
    qdr_schedule_destroy(&candidate->rows);
}

/* ---- looking ------------------------------------------------------------------------------------------- */

/* Where the algorithm needs no matrix, a schedule of this rank's own row and column. Whoever asks gets it made; to run it
 * is not needed. */
static qdr_schedule *make_rows(const qdr_plan *plan, const qdri_candidate *candidate) {
    qdr_pattern *cross = NULL;
    qdr_schedule *rows = NULL;
    if (own_cross(plan, &cross)) return NULL;
    qdr_status status = qdr_schedule_create(cross, candidate->spec, NULL, &rows);
    qdr_pattern_destroy(&cross);
    return status ? NULL : rows;
}

const qdr_schedule *qdri_candidate_schedule(const qdr_plan *plan, qdri_candidate *candidate) {
    if (candidate->schedule || !candidate->ordered) return candidate->schedule;
    if (!candidate->rows) candidate->rows = make_rows(plan, candidate);
    return candidate->rows;
}
