/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a plan. Three collective steps, each of which all ranks leave with the same status: rank 0 tells its
 * settings, and everyone compares his own; facts and tags are agreed, and the algorithm is chosen; everyone
 * builds his share, the whole matrix being gathered only if the algorithm must know it, and all agree that it
 * worked; where it follows a rule of ranks alone, its share is rehearsed (rehearse.h). Mostly nobody asks for anything: ranks that share a node begin with the second step in that hope, and with
 * the first only where somebody does ask.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"
#include "discover/partners.h"
#include "choose/rule.h"
#include "plan/candidate.h"
#include "plan/foresee.h"
#include "plan/knock.h"
#include "plan/lore.h"
#include "plan/mark.h"
#include "plan/near/near.h"
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
        (options->in_flight && options->in_flight != agreed->in_flight) || options->reuse != agreed->reuse ||
        (options->item_bytes && options->item_bytes != agreed->item_bytes))
        return qdri_fail(
            QDR_ERR_MISMATCH,
            "asks for another chunk, window, barrier, in_flight, reuse or item_bytes than rank 0");
    return QDR_OK;
}

/* ---- destroying ---------------------------------------------------------------------------------------- */

static void free_plan(qdr_plan *plan) {
    qdri_lock(plan->wire);
    qdri_lore_keep(plan);
    qdri_listener_remove(plan->wire, &plan->listener);
    qdri_referee_close(plan);
    qdri_slots_close(plan);
    qdri_near_close(plan);
    qdri_port_release(plan->port);
    qdri_unlock(plan->wire);
    free(plan->near);
    for (int i = 0; i < plan->candidates; i++) qdri_candidate_free(&plan->candidate[i]);
    qdr_partners_destroy(&plan->partners);
    qdri_wire_release(&plan->wire);
    free(plan);
}

qdr_status qdri_plan_check_idle(const qdr_plan *plan) {
    int next = 0;
    for (const qdri_exchange *slot; (slot = qdri_slots_busy(plan, &next));)
        if (!slot->failed && !slot->stalled && qdri_wire_state(plan->wire) != QDR_ERR_GONE)
            return qdri_fail(QDR_ERR_BUSY, "exchange %lld is under way; wait for it first",
                             (long long)slot->number);
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

/* Both ends of a message that stays on the node contribute the same word, as those of a transfer do. */
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

static void explain(const qdr_plan *plan) {
    char window[64];
    if (!qdri_explains(plan->wire)) return;
    const qdri_candidate *first = &plan->candidate[0];
    if (!first->port)
        snprintf(window, sizeof window, "%lld", (long long)first->window);
    else if (plan->port->latency > 0)
        snprintf(window, sizeof window, "found by measuring (round trip %.1f us)", 1e6 * plan->port->latency);
    else
        snprintf(window, sizeof window, "found by measuring");
    qdri_explain(plan->wire, "plan %lld of %d ranks: %s, pacing %s, chunk %lld, window %s, transport %s: %s",
                 (long long)plan->number, qdri_wire_ranks(plan->wire), first->algorithm,
                 first->executor->pacing, (long long)first->chunk, window,
                 plan->near->active ? "node" : "net", qdri_plan_why(plan));
    for (int i = 1; i < plan->candidates; i++)
        qdri_explain(plan->wire, "plan %lld: %s, pacing %s, will be tried too", (long long)plan->number,
                     plan->candidate[i].algorithm, plan->candidate[i].executor->pacing);
}

/* What the ranks find out together. */
enum {
    FAN_IN,
    LEAST_FAN_IN,
    LARGEST,
    SMALLEST,
    SOURCES,
    NUMBER,
    REFUSED,
    SHARING,
    UNASKED,
    HOSTS,
    IDLE,
    ASKING,
    CARDS,
    FAR,
    FACTS
};

/* Within these bounds; only who wanted the memory of nodes may have been refused it. */
static void find_facts(const qdr_plan *plan, int refused, int wants_near, int cards, qdri_term *fact) {
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
    fact[FAR] = QDRI_IS_MOST("whether a rank has partners on other nodes",
                             plan->near->far_ins + plan->near->far_outs > 0, 0, 1);
    fact[NUMBER] = QDRI_IS_MOST("number of the plan", plan->number, 0, INT64_MAX);
    fact[REFUSED] = QDRI_IS_MOST("whether a node has no memory", refused, 0, wants_near);
    fact[SHARING] = QDRI_IS_MOST("ranks that share a node", sharing, 0, ranks);
    fact[UNASKED] = QDRI_IS_LEAST("bytes that may come unasked",
                                  plan->port ? qdri_port_unasked(plan->port) : 1, 1, INT64_MAX);
    fact[IDLE] = QDRI_IS_MOST("whether a rank has no partner", view.sends + view.receives == 0, 0, 1);
    fact[CARDS] = QDRI_IS_LEAST("fewest cards of a node of the machine", cards, 0, INT32_MAX);
    fact[ASKING] = QDRI_IS_MOST("whether a rank asks for something", 0, 0, 1);
    /* One host needs no name; and terms of which the most counts are cheaper. */
    fact[HOSTS] = qdri_wire_one_host(plan->wire) ? QDRI_IS_MOST("digest of all hosts", 0, 0, 0)
                                                 : QDRI_IS_SUM("digest of all hosts", qdri_lore_host());
}

/* Where all share a node, whoever asks for an algorithm wants to see it run. */
static int wants_node(const qdr_plan *plan, const qdri_settings *settings) {
    if (settings->scheduled) return 0;
    if (*settings->transport) return strcmp(settings->transport, "node") == 0;
    return !(qdri_wire_one_node(plan->wire) && !qdri_settings_are_open(settings));
}

static void count_items(qdr_plan *plan, qdr_partners_view view) {
    for (int i = 0; i < view.sends; i++)
        if (view.destination[i] != view.rank) plan->items_out += view.send_items[i];
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] != view.rank) plan->items_in += view.receive_items[i];
}

static qdr_status agree_on_facts(qdr_plan *plan, qdr_status mine, int64_t *words, double deadline,
                                 qdri_term *fact) {
    qdri_agreement agreement = {.call = "qdr_plan_create",
                                .status = mine,
                                .term = fact,
                                .terms = FACTS,
                                .word_for = words,
                                .word_from = words ? words + qdri_wire_ranks(plan->wire) : NULL,
                                .wants_tags = 1,
                                .deadline = deadline};
    QDRI_TRY(qdri_agree(plan->wire, &agreement));
    plan->first_tag = agreement.first_tag;
    return QDR_OK;
}

/* What was agreed on is not used. */
static void spare_tags(qdr_plan *plan) {
    qdri_wire_spare_tags(plan->wire, plan->first_tag);
    plan->first_tag = 0;
}

/* Neighbors, facts and tags. Where a node has no memory for its channels, all is found out again without. */
static qdr_status find_out(qdr_plan *plan, qdr_status mine, int wants_near, int cards, double deadline,
                           qdri_term *fact) {
    int refused = 0;
    qdr_status opened = qdri_near_open(plan, wants_near, deadline, &refused);
    if (!qdri_wire_usable(plan->wire)) return opened;
    find_facts(plan, refused, wants_near, cards, fact);
    QDRI_TRY(agree_on_facts(plan, mine ? mine : opened, NULL, deadline, fact));
    plan->near->active = wants_near && qdri_node_members(plan->wire) > 0;
    if (!fact[REFUSED].value) return QDR_OK;
    qdri_explain(plan->wire, "plan %lld: some node has no shared memory for it; MPI instead",
                 (long long)plan->number);
    spare_tags(plan);
    return find_out(plan, QDR_OK, 0, cards, deadline, fact);
}

/* Where all share a node, in the hope that nobody asks for anything: the words by which channels are opened go along. False: it
 * was in vain. */
static qdr_status hope(qdr_plan *plan, int asks, double deadline, qdri_term *fact, int *has_come_true) {
    int64_t *words = qdri_board_words(plan->wire);
    int wants_near = qdri_node_members(plan->wire) > 1, refused = 0;
    qdr_status opened = qdri_near_offer(plan, wants_near && !asks, words, &refused);
    if (asks) memset(words, 0, (size_t)qdri_wire_ranks(plan->wire) * sizeof *words);
    find_facts(plan, refused, 1, 0, fact);
    fact[ASKING].value = asks;
    QDRI_TRY(agree_on_facts(plan, asks ? QDR_OK : opened, words, deadline, fact));
    *has_come_true = !fact[ASKING].value && !fact[REFUSED].value;
    plan->near->active = *has_come_true && wants_near;
    if (*has_come_true)
        qdri_near_connect(plan, words + qdri_wire_ranks(plan->wire));
    else
        spare_tags(plan);
    return QDR_OK;
}

/* Rank 0 tells its settings, and everyone compares his own; who makes no sense of them, or has asked for something else, comes to
 * the agreement, where all hear of it. */
static qdr_status hear_settings(const qdr_plan *plan, const qdr_plan_options *options,
                                qdri_settings *settings, double deadline, qdr_status *mine) {
    int64_t scheduled = settings->scheduled;
    QDRI_TRY(qdri_agree(plan->wire, &(qdri_agreement){.call = "qdr_plan_create",
                                                      .told = settings,
                                                      .told_bytes = (int)sizeof *settings,
                                                      .deadline = deadline}));
    if (qdri_settings_decode(settings)) {
        *mine = QDR_ERR_MISMATCH;
        *settings = (qdri_settings){.in_flight = 1};
    }
    if (!*mine) *mine = compare(options, (int)scheduled, settings);
    return QDR_OK;
}

/* The algorithms to be tried, or the one that was asked for. */
static void list_candidates(qdr_plan *plan, const qdri_settings *settings, const qdri_rule_result *rule) {
    plan->candidates = rule->count;
    plan->care = rule->care;
    for (int i = 0; i < plan->candidates; i++) {
        qdri_candidate *candidate = &plan->candidate[i];
        strcpy(candidate->spec, rule->algorithm[i]); /* as long as those of settings */
        candidate->first_slot_tag = plan->first_tag + QDRI_TAGS_OF_SLOT * i * (int)settings->in_flight;
        candidate->bulk_tags = QDRI_BULK_TAGS / plan->candidates;
        candidate->first_bulk_tag = plan->first_tag + QDRI_SLOT_TAGS + i * candidate->bulk_tags;
    }
}

/* Ranks, and sizes by powers of two: plans with the same are thought to want the same. */
static uint64_t signature_of(const qdr_plan *plan, const qdri_traits *facts) {
    const int64_t word[] = {facts->ranks,
                            plan->sharing,
                            facts->fan_in,
                            qdri_rule_is_even(facts),
                            qdri_chooser_class_of(facts->largest),
                            qdri_chooser_class_of(facts->smallest),
                            qdri_chooser_class_of(facts->least_fan_in)};
    uint64_t signature = 5;
    for (int i = 0; i < QDRI_COUNT_OF(word); i++) signature = qdri_mix(signature ^ (uint64_t)word[i]);
    return signature;
}

/* Trials are for exchanges that run as they please, between ranks of one program. (Who has no partner at all may leave out the
 * exchanges, and would be waited for in vain.) */
static int most_candidates(const qdr_plan *plan, const qdri_settings *settings) {
    if (*settings->pacing || settings->barrier || qdri_wire_joins_programs(plan->wire)) return 1;
    int most = QDRI_SLOT_TAGS / QDRI_TAGS_OF_SLOT / plan->in_flight;
    return most < QDRI_MOST_CANDIDATES ? most : QDRI_MOST_CANDIDATES;
}

/* Of a node of the machine that is known; 0: none is. */
static int cards_of(const qdr_machine *machine) {
    return machine ? qdr_machine_look(machine)->node_cards : 0;
}

/* The first two steps. */
static qdr_status settle(qdr_plan *plan, qdr_status mine, const qdr_plan_options *options,
                         qdri_settings *settings, double deadline, qdri_term *fact) {
    int is_settled = 0;
    plan->in_flight = QDRI_USUAL_IN_FLIGHT;
    if (qdri_wire_one_node(plan->wire))
        QDRI_TRY(hope(plan, mine || options->machine || !qdri_settings_are_plain(settings), deadline, fact,
                      &is_settled));
    if (is_settled) return QDR_OK;
    QDRI_TRY(hear_settings(plan, options, settings, deadline, &mine));
    plan->in_flight = (int)settings->in_flight;
    return find_out(plan, mine, wants_node(plan, settings), cards_of(options->machine), deadline, fact);
}

/* By the rule; where all have a machine, in the order of what it predicts; and no more than may be tried. */
static qdr_status choose(qdr_plan *plan, const qdri_settings *settings, const qdr_machine *machine, int most,
                         double deadline, qdri_rule_result *rule, qdr_status *mine) {
    *rule = qdri_rule(&plan->facts, NULL, 0);
    if (machine && rule->count > 1) {
        QDRI_TRY(qdri_foresee(plan, settings, machine, deadline, rule, mine));
        plan->is_foreseen = 1;
    }
    if (rule->count > most) rule->count = most;
    return QDR_OK;
}

/* Which algorithms. *mine is this rank's own failure: in, of its arguments; out, of what it was told. */
static qdr_status decide(qdr_plan *plan, qdr_status *mine, const qdr_plan_options *options,
                         qdri_settings *settings, double deadline) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    qdri_term fact[FACTS];
    QDRI_TRY(settle(plan, *mine, options, settings, deadline, fact));
    *mine = QDR_OK;
    plan->number = fact[NUMBER].value;
    qdri_wire_plan_agreed(plan->wire, plan->number);
    plan->sharing = fact[SHARING].value > 1 ? fact[SHARING].value : 1;
    plan->port->sharing = (int)plan->sharing; /* who has none, has said so to all */
    if (plan->port->users == 0) qdri_port_set_part(plan->port, 1.0 / (double)plan->sharing);
    plan->unasked = fact[UNASKED].value;
    plan->has_far = fact[FAR].value != 0;
    plan->sources = fact[SOURCES].value > 0 ? fact[SOURCES].value : 1;
    count_items(plan, view);
    qdri_rule_result rule = {.algorithm = {settings->algorithm}, .count = 1};
    if (qdri_settings_are_open(settings)) {
        plan->facts = (qdri_traits){
            .ranks = view.ranks,
            .one_host = qdri_wire_one_host(plan->wire),
            .sharing = plan->sharing,
            .fan_in = fact[FAN_IN].value,
            .least_fan_in = fact[LEAST_FAN_IN].value,
            .largest = fact[LARGEST].value,
            .smallest = fact[SMALLEST].value,
            .reuse = settings->reuse,
            .item_bytes = settings->item_bytes,
            .is_idle = fact[IDLE].value != 0,
            .cards = fact[CARDS].value,
        };
        QDRI_TRY(choose(plan, settings, fact[CARDS].value ? options->machine : NULL,
                        fact[IDLE].value ? 1 : most_candidates(plan, settings), deadline, &rule, mine));
        plan->is_by_rule = 1;
        plan->hosts = fact[HOSTS].value;
        plan->signature = signature_of(plan, &plan->facts);
    }
    list_candidates(plan, settings, &rule);
    return QDR_OK;
}

/* All candidates, as far as this rank can. */
static qdr_status build_all(qdr_plan *plan, const qdri_settings *settings, const qdr_plan_options *options,
                            const qdr_schedule *schedule, double deadline) {
    qdr_status status = QDR_OK;
    int uses_port = 0, is_far = 0;
    for (int i = 0; i < plan->candidates && !status; i++) {
        status =
            qdri_candidate_build(plan, &plan->candidate[i], settings, options->machine, schedule, deadline);
        uses_port |= plan->candidate[i].port != NULL;
        is_far |= plan->candidate[i].is_far;
    }
    if (!status && uses_port) status = qdri_port_sound(plan->port, plan->wire, plan->first_tag, deadline);
    if (!status) status = qdri_slots_open(plan);
    if (!status && is_far) status = qdri_marks_sweep(plan);
    return status;
}

/* The third: everyone builds, all agree. */
static qdr_status build(qdr_plan *plan, qdr_status mine, const qdri_settings *settings,
                        const qdr_plan_options *options, const qdr_schedule *schedule, double deadline) {
    plan->barrier = (int)settings->barrier;
    qdr_status status = mine ? mine : build_all(plan, settings, options, schedule, deadline);
    uint64_t parity = status ? 0 : near_parity(plan);
    enum { PARITY, LATENCY, PHASES };
    qdri_term field[PHASES + QDRI_MOST_CANDIDATES];
    for (int i = 0; i < plan->candidates; i++) {
        if (!status) parity ^= qdri_candidate_parity(&plan->candidate[i]);
        field[PHASES + i] =
            QDRI_IS_MOST("number of the last phase", plan->candidate[i].last_phase, 0, INT64_C(1) << 40);
    }
    field[PARITY] = QDRI_IS_PARITY("parity of all transfers", (int64_t)parity);
    field[LATENCY] =
        QDRI_IS_MOST("latency in nanoseconds", (int64_t)fmin(1e9 * plan->port->latency, 1e18), 0, INT64_MAX);
    qdri_hint hint;
    qdri_lore_hint(plan, &hint);
    QDRI_TRY(
        qdri_agree(plan->wire, &(qdri_agreement){.call = "qdr_plan_create",
                                                 .status = status,
                                                 .term = field,
                                                 .terms = PHASES + plan->candidates,
                                                 .told = plan->candidates > 1 ? &hint : NULL,
                                                 .told_bytes = plan->candidates > 1 ? (int)sizeof hint : 0,
                                                 .deadline = deadline}));
    for (int i = 0; i < plan->candidates; i++) plan->candidate[i].last_phase = field[PHASES + i].value;
    if (field[PARITY].value != 0)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "the two ends of some transfers have different ideas of them: the ranks have "
                         "different schedules");
    qdri_slots_trust(plan, 1e-9 * (double)field[LATENCY].value);
    QDRI_TRY(qdri_slots_connect(plan, deadline));
    QDRI_TRY(qdri_referee_open(plan));
    qdri_lore_follow(plan, &hint);
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
    qdr_status mine = qdri_settings_resolve(options, qdri_wire_rank(made->wire) == 0, &settings);
    settings.scheduled = scheduled;
    if (!made->port)
        mine = qdri_fail_memory();
    else if (!plan)
        mine = qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the plan; expected a handle, not NULL");
    else if (scheduled && !schedule)
        mine = qdri_fail(QDR_ERR_INVALID, "qdr_plan_create_scheduled: the schedule is NULL");
    made->number = qdri_wire_next_plan(made->wire);
    made->ended = -1;
    qdr_status status = decide(made, &mine, options, &settings, deadline);
    if (!status) qdri_plan_listen(made);
    if (!status) status = build(made, mine, &settings, options, schedule, deadline);
    if (!status) qdri_plan_knock(made, deadline);
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
