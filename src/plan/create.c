/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a plan. Three collective steps, each of which all ranks leave with the same status: rank 0 tells its
 * settings, and everyone compares his own; facts and tags are agreed, and the algorithm is chosen; everyone
 * builds his share, the whole matrix being gathered only if the algorithm must know it, and all agree that it
 * worked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/spec.h"
#include "discover/partners.h"
#include "plan/mark.h"
#include "plan/near/near.h"
#include "plan/settings.h"
#include "schedule/registry.h"
#include "schedule/schedule.h"
#include "wire/agree.h"
#include "wire/node.h"

/* ---- settings ------------------------------------------------------------------------------------------ */

/* What this rank asked for must be what rank 0 decided, where this rank asked for anything. */
static qdr_status compare(const qdr_plan_options *options, int scheduled, const qdri_settings *agreed) {
    static const char *const creation[] = {"qdr_plan_create", "qdr_plan_create_scheduled"};
    if (scheduled != agreed->scheduled)
        return qdri_fail(QDR_ERR_MISMATCH, "is in %s, but rank 0 in %s", creation[scheduled],
                         creation[agreed->scheduled]);
    if ((options->algorithm && strcmp(options->algorithm, agreed->algorithm) != 0) ||
        (options->pacing && strcmp(options->pacing, agreed->pacing) != 0))
        return qdri_fail(QDR_ERR_MISMATCH, "asks for '%.60s%s%.16s', but rank 0 for '%.60s%s%.16s'",
                         options->algorithm ? options->algorithm : "", options->pacing ? " " : "",
                         options->pacing ? options->pacing : "", agreed->algorithm,
                         agreed->pacing[0] ? " " : "", agreed->pacing);
    if (options->transport && strcmp(options->transport, agreed->transport) != 0)
        return qdri_fail(QDR_ERR_MISMATCH, "asks for transport '%.16s', but rank 0 for '%.16s'",
                         options->transport, agreed->transport);
    if ((options->chunk && options->chunk != agreed->chunk) ||
        (options->window && options->window != agreed->window) || !options->barrier != !agreed->barrier ||
        (options->in_flight && options->in_flight != agreed->in_flight))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "asks for another chunk, window, barrier or in_flight than rank 0");
    return QDR_OK;
}

/* ---- the algorithm ------------------------------------------------------------------------------------- */

/* Options that plans take from the spec. */
static void read_options(qdr_plan *plan, const qdri_spec *spec) {
    if (qdri_spec_given(spec, "chunk")) plan->chunk = qdri_spec_integer(spec, "chunk");
    if (qdri_spec_given(spec, "window")) plan->window = qdri_spec_integer(spec, "window");
}

/* A pattern of which only this rank's row and column are filled: enough for algorithms that need no more. */
static qdr_status own_cross(qdr_partners_view view, const char *is_near, qdr_pattern **pattern) {
    qdr_message *message = QDRI_ARRAY(qdr_message, (int64_t)view.sends + view.receives);
    int64_t count = 0;
    if (!message) return qdri_fail_memory();
    for (int i = 0; i < view.sends; i++)
        if (!is_near || !(is_near[view.destination[i]] & QDRI_NEAR_OUT))
            message[count++] = (qdr_message){view.rank, view.destination[i], view.send_items[i]};
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] != view.rank && (!is_near || !(is_near[view.source[i]] & QDRI_NEAR_IN)))
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

static qdr_status build_program(qdr_plan *plan, const char *spec, const qdri_algorithm *algorithm,
                                const qdr_machine *machine, const qdr_pattern *matrix) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    const char *is_near = plan->near->is_near;
    qdr_pattern *cross = NULL;
    plan->any_size = algorithm->any_size;
    plan->ordered = !algorithm->at_run_time;
    plan->promises = algorithm->promises;
    if (plan->any_size) return qdri_program_from_partners(view, is_near, &plan->program);
    if (!matrix) QDRI_TRY(own_cross(view, is_near, &cross));
    qdr_schedule *schedule = NULL;
    qdr_status status = qdr_schedule_create(matrix ? matrix : cross, spec, machine, &schedule);
    qdr_pattern_destroy(&cross);
    if (!status) status = qdri_program_from_schedule(schedule, view, is_near, &plan->program);
    if (!status && matrix) plan->schedule = qdri_schedule_retain(schedule);
    /* Where the rule takes pairs, every rank has a hop to and from every other, and it is a whole message. */
    plan->any_size |= plan->is_by_rule;
    qdr_schedule_destroy(&schedule);
    return status;
}

/* ---- destroying ---------------------------------------------------------------------------------------- */

static void free_plan(qdr_plan *plan) {
    qdri_lock(plan->wire);
    qdri_listener_remove(plan->wire, &plan->listener);
    qdri_slots_close(plan);
    qdri_near_close(plan);
    qdri_port_release(plan->port);
    qdri_unlock(plan->wire);
    free(plan->near);
    qdri_program_free(&plan->program);
    qdr_schedule_destroy(&plan->schedule);
    qdr_schedule_destroy(&plan->rows);
    qdr_partners_destroy(&plan->partners);
    qdri_wire_release(&plan->wire);
    free(plan);
}

qdr_status qdri_plan_check_idle(const qdr_plan *plan) {
    for (int i = 0; i < plan->in_flight; i++) {
        const qdri_exchange *slot = &plan->slot[i];
        if (slot->under_way && !slot->failed && !slot->stalled && qdri_wire_state(plan->wire) != QDR_ERR_GONE)
            return qdri_fail(QDR_ERR_BUSY, "exchange %lld is under way; wait for it first",
                             (long long)slot->number);
    }
    return QDR_OK;
}

qdr_status qdr_plan_destroy(qdr_plan **plan) {
    if (!plan || !*plan) return QDR_OK;
    QDRI_TRY(qdri_plan_check_idle(*plan));
    free_plan(*plan);
    *plan = NULL;
    return QDR_OK;
}

/* ---- creating ------------------------------------------------------------------------------------------ */

static int64_t others(int count, const int *partner, const int64_t *items, int rank) {
    int64_t messages = 0;
    for (int i = 0; i < count; i++) messages += partner[i] != rank && items[i] > 0;
    return messages;
}

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

/* The same for what stays on the node. */
static uint64_t near_parity(const qdr_plan *plan) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    uint64_t parity = 0, own = (uint64_t)view.rank;
    for (int i = 0; i < plan->near->neighbors; i++) {
        const qdri_neighbor *neighbor = &plan->near->neighbor[i];
        uint64_t other = (uint64_t)neighbor->rank;
        int64_t out = neighbor->destination < 0 ? 0 : view.send_items[neighbor->destination];
        int64_t in = neighbor->source < 0 ? 0 : view.receive_items[neighbor->source];
        if (out > 0) parity ^= qdri_mix(qdri_mix(own << 32 | other) ^ (uint64_t)out);
        if (in > 0) parity ^= qdri_mix(qdri_mix(other << 32 | own) ^ (uint64_t)in);
    }
    return parity;
}

static int64_t last_phase(const qdri_program *program) {
    int64_t last = 0;
    for (int64_t i = 0; i < program->out.hops; i++)
        if (program->out.hop[i].phase > last) last = program->out.hop[i].phase;
    return last;
}

static void explain(const qdr_plan *plan) {
    char window[32] = "found by measuring";
    if (!plan->port) snprintf(window, sizeof window, "%lld", (long long)plan->window);
    qdri_explain(plan->wire, "plan %lld of %d ranks: %s, pacing %s, chunk %lld, window %s, transport %s: %s",
                 (long long)plan->number, qdri_wire_ranks(plan->wire), plan->algorithm,
                 plan->executor->pacing, (long long)plan->chunk, window, plan->near->active ? "node" : "net",
                 plan->why);
}

/* What the ranks find out together. */
enum { FAN_IN, LEAST_FAN_IN, LARGEST, SMALLEST, SOURCES, NUMBER, REFUSED, SHARING, UNASKED, FACTS };

/* Within these bounds; only who wanted the memory of nodes may have been refused it. */
static void find_facts(const qdr_plan *plan, int refused, int wants_near, qdri_term *fact) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    int64_t ranks = qdri_wire_ranks(plan->wire), fan_in = 0, largest = 0, smallest = INT64_MAX;
    int64_t sharing = qdri_wire_one_node(plan->wire) ? 1 : qdri_node_members(plan->wire);
    for (int i = 0; i < plan->near->far_ins; i++) {
        int64_t items = view.receive_items[plan->near->far_in[i]];
        fan_in += items > 0;
        if (items > largest) largest = items;
        if (items < smallest) smallest = items;
    }
    fact[FAN_IN] = QDRI_IS_MOST("most sources of a rank with items", fan_in, 0, ranks);
    fact[LEAST_FAN_IN] = QDRI_IS_LEAST("fewest sources of a rank with items", fan_in, 0, ranks);
    fact[LARGEST] = QDRI_IS_MOST("items of the largest message", largest, 0, INT64_MAX);
    fact[SMALLEST] = QDRI_IS_LEAST("items of the smallest message", smallest, 0, INT64_MAX);
    fact[SOURCES] = QDRI_IS_MOST("most sources of a rank", plan->near->far_ins, 0, ranks);
    fact[NUMBER] = QDRI_IS_MOST("number of the plan", plan->number, 0, INT64_MAX);
    fact[REFUSED] = QDRI_IS_MOST("whether a node has no memory", refused, 0, wants_near);
    fact[SHARING] = QDRI_IS_MOST("ranks that share a node", sharing, 0, ranks);
    fact[UNASKED] = QDRI_IS_LEAST("bytes that may come unasked",
                                  plan->port ? qdri_port_unasked(plan->port) : 1, 1, INT64_MAX);
}

/* Where all share a node, whoever asks for an algorithm wants to see it run. */
static int wants_node(const qdr_plan *plan, const qdri_settings *settings) {
    if (settings->scheduled) return 0;
    if (*settings->transport) return strcmp(settings->transport, "node") == 0;
    return !(qdri_wire_one_node(plan->wire) && *settings->algorithm);
}

static void count_items(qdr_plan *plan, qdr_partners_view view) {
    for (int i = 0; i < view.sends; i++)
        if (view.destination[i] != view.rank) plan->items_out += view.send_items[i];
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] != view.rank) plan->items_in += view.receive_items[i];
}

static qdr_status agree_on_facts(qdr_plan *plan, qdr_status mine, double deadline, qdri_term *fact) {
    qdri_agreement agreement = {.call = "qdr_plan_create",
                                .status = mine,
                                .term = fact,
                                .terms = FACTS,
                                .wants_tags = 1,
                                .deadline = deadline};
    QDRI_TRY(qdri_agree(plan->wire, &agreement));
    plan->first_tag = agreement.first_tag;
    return QDR_OK;
}

/* Neighbors, facts and tags. Where a node has no memory for its channels, all is found out again without. */
static qdr_status find_out(qdr_plan *plan, qdr_status mine, int wants_near, double deadline,
                           qdri_term *fact) {
    int refused = 0;
    qdr_status opened = qdri_near_open(plan, wants_near, deadline, &refused);
    if (!qdri_wire_usable(plan->wire)) return opened;
    find_facts(plan, refused, wants_near, fact);
    QDRI_TRY(agree_on_facts(plan, mine ? mine : opened, deadline, fact));
    plan->near->active = wants_near && qdri_node_members(plan->wire) > 0;
    if (!fact[REFUSED].value) return QDR_OK;
    qdri_explain(plan->wire, "plan %lld: some node has no shared memory for it; MPI instead",
                 (long long)plan->number);
    qdri_wire_return_tags(plan->wire, plan->first_tag);
    return find_out(plan, QDR_OK, 0, deadline, fact);
}

/* Whether a phase of both ends at about the same time for all: where they differ by more, pairs wait for each other as long as
 * grants cost (docs/performance.md). */
static int about_equal(int64_t smallest, int64_t largest) {
    enum { PART = 10 };
    return smallest >= largest - largest / PART;
}

/* The second step: facts and tags; which algorithm. */
static qdr_status decide(qdr_plan *plan, qdr_status mine, qdri_settings *settings, double deadline) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    qdri_term fact[FACTS];
    plan->in_flight = (int)settings->in_flight;
    QDRI_TRY(find_out(plan, mine, wants_node(plan, settings), deadline, fact));
    plan->number = fact[NUMBER].value;
    qdri_wire_plan_agreed(plan->wire, plan->number);
    plan->sharing = fact[SHARING].value > 1 ? fact[SHARING].value : 1;
    plan->port->sharing = (int)plan->sharing; /* who has none, has said so to all */
    plan->unasked = fact[UNASKED].value;
    plan->sources = fact[SOURCES].value > 0 ? fact[SOURCES].value : 1;
    count_items(plan, view);
    if (*settings->algorithm) {
        snprintf(plan->why, sizeof plan->why, "asked for");
    } else {
        qdri_traits facts = {view.ranks, qdri_wire_one_host(plan->wire), fact[FAN_IN].value,
                             fact[LEAST_FAN_IN].value == view.ranks - 1 && fact[SMALLEST].value > 0 &&
                                 about_equal(fact[SMALLEST].value, fact[LARGEST].value)};
        strcpy(settings->algorithm, qdri_rule(&facts, plan->why, sizeof plan->why));
        plan->is_by_rule = 1;
    }
    return QDR_OK;
}

/* Where no port says it: what a shallow switch holds. And the least that is worth a message by arrivals, until the
 * receivers know better. */
enum { USUAL_WINDOW = 40 << 10 };

static double all_unless_said(double share) {
    return share > 0 ? share : 1;
}

/* What nobody asked for exactly, by what suits the executor. */
static void set_sizes(qdr_plan *plan, const qdri_settings *settings) {
    int by_grants = plan->executor == &qdri_executor_grants && !plan->ordered,
        by_arrivals = plan->executor == &qdri_executor_arrivals && !plan->barrier;
    double window_share = all_unless_said(plan->executor->window_share),
           chunk_share = all_unless_said(plan->executor->chunk_share);
    int finds_itself = !plan->window && !settings->window && (by_grants || by_arrivals);
    if (!finds_itself) {
        qdri_port_release(plan->port);
        plan->port = NULL;
    }
    if (!plan->window) {
        plan->window = settings->window ? settings->window : USUAL_WINDOW;
        if (!settings->window_exact)
            plan->window = (int64_t)((double)plan->window * window_share / (double)plan->sharing);
    }
    if (plan->window < 1) plan->window = 1;
    if (!plan->port) plan->unasked = plan->window;
    if (!plan->chunk) plan->chunk = settings->chunk;
    plan->chunk_is_told = !plan->chunk && plan->port && by_arrivals;
    if (!plan->chunk && plan->port)
        plan->chunk = by_grants ? QDRI_GRANTED_CHUNK : QDRI_FIRST_CHUNK / plan->sharing;
    else if (!plan->chunk)
        plan->chunk = (int64_t)((double)plan->window * chunk_share / window_share);
    if (plan->chunk < 1) plan->chunk = 1;
}

/* The third: everyone builds, all agree. */
static qdr_status build(qdr_plan *plan, const qdri_settings *settings, const qdr_plan_options *options,
                        const qdr_schedule *schedule, double deadline) {
    const qdri_algorithm *algorithm = NULL;
    qdri_spec spec;
    qdr_pattern *matrix = NULL;
    qdr_status status = QDR_OK;
    const qdr_machine *machine = options ? options->machine : NULL;
    plan->barrier = (int)settings->barrier;
    if (schedule) {
        static const qdri_algorithm loaded = {.name = "loaded"};
        algorithm = &loaded;
        plan->schedule = qdri_schedule_retain(schedule);
        plan->ordered = 1;
        plan->promises = schedule->promises;
        status =
            qdri_program_from_schedule(schedule, qdr_partners_look(plan->partners), NULL, &plan->program);
    } else {
        /* The same name, the same verdict everywhere. */
        QDRI_TRY(qdri_algorithm_read(settings->algorithm, &spec, &algorithm));
        read_options(plan, &spec);
        if (algorithm->knowledge == QDR_KNOWS_MATRIX) QDRI_TRY(qdri_partners_gather(plan->partners, &matrix));
        if (matrix && plan->near->active) status = leave_out_nodes(plan->wire, &matrix);
        if (!status) status = build_program(plan, settings->algorithm, algorithm, machine, matrix);
        qdr_pattern_destroy(&matrix);
    }
    snprintf(plan->algorithm, sizeof plan->algorithm, "%s", algorithm->name);
    snprintf(plan->spec, sizeof plan->spec, "%s", settings->algorithm);
    if (!status) status = qdri_executor_find(settings->pacing, algorithm, &plan->executor);
    if (!status && algorithm->at_run_time && plan->executor->read) plan->executor->read(plan, &spec);
    if (!status) set_sizes(plan, settings);
    if (plan->ordered) plan->sources = plan->program.ranks > 1 ? plan->program.ranks - 1 : 1;
    if (!status && plan->barrier && !plan->executor->has_barrier)
        status = qdri_fail(QDR_ERR_INVALID,
                           "a barrier after each phase goes with pacing free or arrivals, not with %s",
                           plan->executor->pacing);
    if (!status && plan->port) status = qdri_port_sound(plan->port, plan->wire, plan->first_tag, deadline);
    if (!status) status = qdri_slots_open(plan);
    plan->is_far = !status && (plan->barrier || plan->program.out.hops + plan->program.in.hops > 0);
    if (plan->is_far) status = qdri_marks_sweep(plan);
    plan->last_phase = status ? 0 : last_phase(&plan->program);
    uint64_t parity = status ? 0
                             : side_parity(&plan->program, &plan->program.out, 0) ^
                                   side_parity(&plan->program, &plan->program.in, 1) ^ near_parity(plan);
    qdri_term field[] = {
        QDRI_IS_MOST("number of the last phase", plan->last_phase, 0, INT64_C(1) << 40),
        QDRI_IS_PARITY("parity of all transfers", (int64_t)parity),
    };
    QDRI_TRY(qdri_agree(plan->wire, &(qdri_agreement){.call = "qdr_plan_create",
                                                      .status = status,
                                                      .term = field,
                                                      .terms = QDRI_COUNT_OF(field),
                                                      .deadline = deadline}));
    plan->last_phase = field[0].value;
    if (field[1].value != 0)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "the two ends of some transfers have different ideas of them: the ranks have "
                         "different schedules");
    return QDR_OK;
}

static qdr_status create(qdr_partners *partners, int scheduled, const qdr_schedule *schedule,
                         const qdr_plan_options *given, qdr_plan **plan) {
    if (!partners) return qdri_fail(QDR_ERR_INVALID, "the partners are NULL");
    qdr_plan_options known, *options = &known;
    qdri_sized_read(&known, sizeof known, given);
    double begin = qdri_seconds(), deadline = qdri_deadline(options->deadline);
    qdri_settings settings;
    qdr_plan *made = QDRI_ZERO_ARRAY(qdr_plan, 1);
    qdri_near *near = QDRI_ZERO_ARRAY(qdri_near, 1);
    if (!made || !near) { /* the others will hear of it by their deadline */
        free(made);
        free(near);
        return qdri_fail_memory();
    }
    made->near = near;
    made->wire = qdri_wire_retain(qdri_partners_wire(partners));
    made->partners = qdri_partners_retain(partners);
    qdri_lock(made->wire);
    made->port = qdri_port_of(made->wire);
    qdri_trust_init(&made->trust);
    qdr_status mine = qdri_settings_resolve(options, qdri_wire_rank(made->wire) == 0, &settings);
    settings.scheduled = scheduled;
    if (!made->port)
        mine = qdri_fail_memory();
    else if (!plan)
        mine = qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the plan; expected a handle, not NULL");
    else if (scheduled && !schedule)
        mine = qdri_fail(QDR_ERR_INVALID, "qdr_plan_create_scheduled: the schedule is NULL");
    qdr_status status = qdri_agree(made->wire, &(qdri_agreement){.call = "qdr_plan_create",
                                                                 .told = &settings,
                                                                 .told_bytes = (int)sizeof settings,
                                                                 .deadline = deadline});
    /* Who makes no sense of them comes to the agreement, where all hear of it. */
    if (!status && qdri_settings_decode(&settings)) {
        mine = QDR_ERR_MISMATCH;
        settings = (qdri_settings){.in_flight = 1};
    }
    if (!status && !mine) mine = compare(options, scheduled, &settings);
    made->number = qdri_wire_next_plan(made->wire);
    made->ended = -1;
    if (!status) status = decide(made, mine, &settings, deadline);
    if (!status) qdri_plan_listen(made);
    if (!status) status = build(made, &settings, options, schedule, deadline);
    if (!status) qdri_near_warm(made);
    qdri_unlock(made->wire);
    if (status) {
        free_plan(made);
        return status;
    }
    made->trace = options->trace;
    made->trace_context = options->trace_context;
    made->deadline = options->deadline;
    made->build_seconds = qdri_seconds() - begin;
    explain(made);
    *plan = made;
    return QDR_OK;
}

qdr_status qdr_plan_create(qdr_partners *partners, const qdr_plan_options *options, qdr_plan **plan) {
    return create(partners, 0, NULL, options, plan);
}

qdr_status qdr_plan_create_scheduled(qdr_partners *partners, const qdr_schedule *schedule,
                                     const qdr_plan_options *options, qdr_plan **plan) {
    return create(partners, 1, schedule, options, plan);
}

/* ---- looking ------------------------------------------------------------------------------------------- */

qdr_status qdr_plan_look_sized(const qdr_plan *plan, qdr_plan_info *info, size_t info_bytes) {
    if (!plan || !info) return qdri_fail(QDR_ERR_INVALID, "qdr_plan_look: an argument is NULL");
    qdr_partners_view view = qdr_partners_look(plan->partners);
    qdr_schedule_info schedule = {.phases = 0};
    if (plan->schedule) QDRI_TRY(qdr_schedule_look(plan->schedule, &schedule));
    qdr_plan_info known = {
        .algorithm = plan->algorithm,
        .pacing = plan->executor->pacing,
        .transport = plan->near->active ? "node" : "net",
        .why = plan->why,
        .chunk = plan->chunk,
        .window = plan->port ? (int64_t)plan->port->window : plan->window,
        .stages = plan->program.stages,
        .phases = plan->schedule  ? schedule.phases
                  : plan->ordered ? plan->last_phase + 1
                                  : 0,
        .messages_out = others(view.sends, view.destination, view.send_items, view.rank),
        .messages_in = others(view.receives, view.source, view.receive_items, view.rank),
        .near_out = plan->near->sends,
        .near_in = plan->near->receives,
        .items_out = plan->items_out,
        .items_in = plan->items_in,
        .in_flight = plan->in_flight,
        .exchanges = plan->done,
        .staging_items = plan->program.staging_items,
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
    for (int i = 0; i < plan->in_flight; i++)
        if (plan->slot[i].under_way) return 1;
    return 0;
}

int qdri_plan_any_size(const qdr_plan *plan) {
    return plan->any_size;
}

/* Where the algorithm needs no matrix, a schedule of this rank's own row and column. Whoever asks gets it made; to run it
 * is not needed. */
static qdr_schedule *make_rows(const qdr_plan *plan) {
    qdr_pattern *cross = NULL;
    qdr_schedule *rows = NULL;
    if (own_cross(qdr_partners_look(plan->partners), plan->near->is_near, &cross)) return NULL;
    qdr_status status = qdr_schedule_create(cross, plan->spec, NULL, &rows);
    qdr_pattern_destroy(&cross);
    return status ? NULL : rows;
}

const qdr_schedule *qdr_plan_schedule(const qdr_plan *plan) {
    if (!plan || plan->schedule || !plan->ordered) return plan ? plan->schedule : NULL;
    qdr_plan *self = (qdr_plan *)plan;
    if (!self->rows) self->rows = make_rows(plan);
    return self->rows;
}
