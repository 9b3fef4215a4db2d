/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rails: where ranks of a node have network cards of their own, one that has far more to send, or to receive, than the others
 * keeps its card busy while theirs rest. So what a node has for another goes in equal parts over all its ranks:
 *
 *     even out    inside nodes, who has more than its part gives the rest to others
 *     hand over   rank i of a node sends its part to rank i of the other, in phases in which a node has one partner each way
 *     hand out    inside nodes, what came goes to whom it is for
 *
 * A rank has at most one message for each other node. Where nodes have much for each other, all ranks of a node have the same to
 * send, and the same to receive: the slowest card is done when the bytes of its node are, over all cards. What that costs is
 * memory, which should be much faster than a card: where nodes have one card for all, there is nothing to gain.
 *
 * The phases between nodes are those of `split`, which cuts nothing here, for the pattern of the nodes. They go in *waves*, one behind
 * the other: while a wave is between nodes, the next is evened out and the one before is handed out. Wave w has stages w, w + 1 and w + 2. What
 * moves inside nodes shares the phases of what moves between them, for memory and cards do not hinder each other, and messages
 * that stay inside go with the first wave between nodes. Each wave is some startups more inside nodes, and has to be worth them.
 *
 * As little as possible moves inside nodes. Of what one node has for another, first what is for the rank of the same place stays
 * where it is, up to that rank's part; then other bytes of its own; then bytes go to the place that they are for, and the rest to
 * whoever has room. The last node may have fewer ranks: then so many parts are between it and others. And little goes in fewer parts,
 * or in one, each of `least` items and more, over ranks that differ from one pair of nodes to the next: by default what a card sends
 * during a startup, an item being taken for a byte.
 *
 * Cost: O(messages), k for each two nodes that have something for each other, and `split` for the nodes. Nodes are the machine's;
 * without one each rank is a node, and sends directly, in the order of distances.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "pattern/pattern.h"
#include "schedule/algorithms/passing.h"

enum { EVEN_OUT, HAND_OVER, HAND_OUT, STAGES };
enum { USUAL_WAVES = 8 };

/* What is left of a message between two nodes. */
typedef struct rest {
    int64_t message, offset, items;
} rest;

typedef struct rails {
    qdri_passing passing; /* whose entries these become */
    const qdr_pattern_view *view;
    int64_t *next; /* [ranks]: the first message of a rank that is not for an earlier node */
    int home, away;
    int rails;  /* between these two: the ranks that both have */
    rest *left; /* between these two nodes, by rising origins and destinations */
    int64_t lefts, left_capacity;
    int64_t *room;   /* [ranks of a node]: what its rank of that place may still carry to the other node */
    int64_t least;   /* items of a part */
    int64_t startup; /* items that go between two nodes meanwhile */
    int scale;       /* of items there: bits that are left out */
    qdri_pattern_builder nodes; /* their pattern: the items of the largest part */
    int64_t pairs;              /* of nodes that have something for each other, by rising home and away */
    int32_t *phase;             /* [pairs]; NULL: in the order of distances */
    int64_t phases, waves;      /* these are among so many */
    int64_t at;                 /* of these pairs */
} rails;

/* ---- all two nodes ------------------------------------------------------------------------------------- */

/* The messages of a node for another. Both are walked in order, so each message is looked at once. */
static int64_t collect(rails *at) {
    const qdri_node_shape *shape = &at->passing.shape;
    int first = at->home * shape->size;
    int64_t sum = 0;
    at->lefts = 0;
    for (int rank = first; rank < first + qdri_node_members_of(shape, at->home); rank++)
        for (int64_t *m = &at->next[rank];
             *m < at->view->row_start[rank + 1] && at->view->destination[*m] / shape->size == at->away;
             ++*m) {
            at->passing.failed |= !qdri_grow(&at->left, &at->left_capacity, at->lefts + 1, sizeof *at->left);
            if (at->passing.failed) return 0;
            at->left[at->lefts++] = (rest){*m, 0, at->view->items[*m]};
            sum += at->view->items[*m];
        }
    int home = qdri_node_members_of(shape, at->home), away = qdri_node_members_of(shape, at->away);
    at->rails = home < away ? home : away;
    return sum;
}

/* The next node for which this one has something; beyond the last: the number of nodes. */
static int next_away(const rails *at) {
    const qdri_node_shape *shape = &at->passing.shape;
    int first = at->home * shape->size, away = shape->nodes;
    for (int rank = first; rank < first + qdri_node_members_of(shape, at->home); rank++) {
        if (at->next[rank] == at->view->row_start[rank + 1]) continue;
        int node = at->view->destination[at->next[rank]] / shape->size;
        if (node < away) away = node;
    }
    return away;
}

static void each_two_nodes(rails *at, void (*visit)(rails *at)) {
    for (int rank = 0; rank < at->view->ranks; rank++) at->next[rank] = at->view->row_start[rank];
    for (at->home = 0; at->home < at->passing.shape.nodes; at->home++)
        for (at->away = next_away(at); at->away < at->passing.shape.nodes && !at->passing.failed;
             at->away = next_away(at))
            visit(at);
}

/* ---- phases between nodes ------------------------------------------------------------------------------ */

static int64_t parts_of(const rails *at, int64_t sum) {
    int64_t parts = sum / at->least;
    return parts < 1 ? 1 : parts < at->rails ? parts : at->rails;
}

static void note(rails *at) {
    int64_t sum = collect(at), parts = parts_of(at, sum);
    if (at->home == at->away) return;
    qdri_pattern_add(&at->nodes, at->home, at->away, (sum / parts + (sum % parts > 0)) >> at->scale);
    at->pairs++;
}

static qdr_status read_phases(rails *at, const qdr_pattern *nodes, const qdr_schedule *schedule) {
    qdr_pattern_view view = qdr_pattern_look(nodes);
    qdr_step *step = NULL;
    int64_t steps = 0;
    QDRI_TRY(qdr_schedule_steps(schedule, &steps, &step));
    at->phase = QDRI_ZERO_ARRAY(int32_t, at->pairs);
    for (int64_t i = 0; at->phase && i < steps; i++) {
        at->phase[qdri_pattern_position(&view, step[i].from, step[i].to)] = (int32_t)step[i].phase;
        if (step[i].phase >= at->phases) at->phases = step[i].phase + 1;
    }
    free(step);
    return at->phase ? QDR_OK : qdri_fail_memory();
}

/* While a wave is between nodes, a rank of these begins to send to all others of its node twice. That should take no more than half of the time. */
static void choose_waves(rails *at, const qdr_pattern *nodes) {
    qdr_pattern_statistics between;
    qdr_pattern_measure(nodes, &between);
    double inside = 2 * (at->passing.shape.size - 1) * (double)at->startup;
    double worth = ldexp((double)between.traffic, at->scale) / (2 * inside);
    if (at->waves == 0) at->waves = worth < USUAL_WAVES ? (int64_t)worth : USUAL_WAVES;
    if (at->waves > at->phases) at->waves = at->phases;
    if (at->waves < 1) at->waves = 1;
}

/* `split` counts time in items, and up to 2^52 of them. */
static int scale_of(const qdr_pattern_view *view) {
    int64_t sum = 0;
    int scale = 0;
    for (int64_t m = 0; m < view->messages; m++) sum += view->items[m];
    while (sum >> scale > INT64_C(1) << 50) scale++;
    return scale;
}

/* Nodes that have only messages without items for each other are a pair, too. */
static qdr_status schedule_nodes(rails *at) {
    qdr_pattern *nodes = NULL;
    qdr_schedule *schedule = NULL;
    char split[64];
    at->scale = scale_of(at->view);
    snprintf(split, sizeof split, "split:cut=no,tau=%lld", (long long)at->startup >> at->scale);
    qdri_pattern_begin(&at->nodes, at->passing.shape.nodes, at->passing.shape.nodes);
    each_two_nodes(at, note);
    at->nodes.failed |= at->passing.failed;
    QDRI_TRY(qdri_pattern_finish(&at->nodes, &nodes));
    qdr_status status = qdr_schedule_create(nodes, split, NULL, &schedule);
    if (!status) status = read_phases(at, nodes, schedule);
    if (!status) choose_waves(at, nodes);
    qdr_schedule_destroy(&schedule);
    qdr_pattern_destroy(&nodes);
    return status;
}

/* ---- parts --------------------------------------------------------------------------------------------- */

/* To a rank of the same node. If there are several waves, each is `width` phases or fewer. */
static void pass_inside(rails *at, int64_t stage, int to) {
    qdri_passing *passing = &at->passing;
    int node = passing->at / passing->shape.size, members = qdri_node_members_of(&passing->shape, node);
    int64_t phase = (to - passing->at + members) % members - 1,
            width = (at->phases + at->waves - 1) / at->waves;
    qdri_pass(passing, (int)stage, at->waves > 1 ? phase % width : phase, to);
}

static void take(rails *at, rest *left, int64_t items) {
    qdri_passing *passing = &at->passing;
    passing->at = at->view->origin[left->message];
    passing->end = at->view->destination[left->message];
    passing->piece = (qdr_piece){passing->at, passing->end, left->offset, items};
    left->offset += items;
    left->items -= items;
}

/* Where each rank is a node. */
static void carry_directly(rails *at, rest *left, int64_t items) {
    int nodes = at->passing.shape.nodes;
    take(at, left, items);
    qdri_pass(&at->passing, 0, (at->away - at->home + nodes) % nodes - 1, at->away);
}

/* So many items of a message go over a rail. */
static void carry(rails *at, rest *left, int rail, int64_t items) {
    if (!at->phase) {
        carry_directly(at, left, items);
        return;
    }
    int64_t phase = at->phase[at->at], wave = phase * at->waves / at->phases,
            first = (wave * at->phases + at->waves - 1) / at->waves;
    take(at, left, items);
    pass_inside(at, wave + EVEN_OUT, at->home * at->passing.shape.size + rail);
    qdri_pass(&at->passing, (int)wave + HAND_OVER, phase - first, at->away * at->passing.shape.size + rail);
    pass_inside(at, wave + HAND_OUT, at->passing.end);
}

/* As much as there is room for. */
static void fill(rails *at, rest *left, int rail) {
    int64_t items = left->items < at->room[rail] ? left->items : at->room[rail];
    if (items == 0) return;
    at->room[rail] -= items;
    carry(at, left, rail, items);
}

static int place_of(const rails *at, int rank) {
    return rank % at->passing.shape.size;
}

/* The first of the rails that carry something. */
static int first_rail(const rails *at) {
    return (at->home + at->away) % at->rails;
}

/* Parts differ by one item. */
static void share_out(rails *at, int64_t sum) {
    int64_t parts = parts_of(at, sum);
    for (int i = 0; i < at->rails; i++)
        at->room[(i + first_rail(at)) % at->rails] = i < parts ? sum / parts + (i < sum % parts) : 0;
}

static void between_nodes(rails *at) {
    enum { SAME_PLACE, OWN, ITS, PREFERENCES };
    for (int64_t i = 0; i < at->lefts; i++)
        if (at->left[i].items == 0) carry(at, &at->left[i], first_rail(at), 0);
    for (int preference = 0; preference < PREFERENCES; preference++)
        for (int64_t i = 0; i < at->lefts; i++) {
            int own = place_of(at, at->view->origin[at->left[i].message]),
                its = place_of(at, at->view->destination[at->left[i].message]),
                rail = preference == ITS ? its : own;
            if ((preference != SAME_PLACE || own == its) && rail < at->rails) fill(at, &at->left[i], rail);
        }
    for (int64_t i = 0, rail = 0; i < at->lefts; i++)
        for (; at->left[i].items > 0; rail += at->left[i].items > 0) fill(at, &at->left[i], (int)rail);
    at->at++;
}

static void spread(rails *at) {
    int64_t sum = collect(at);
    if (at->passing.failed) return;
    if (at->home != at->away) {
        share_out(at, sum);
        between_nodes(at);
        return;
    }
    for (int64_t i = 0; i < at->lefts; i++) {
        take(at, &at->left[i], at->left[i].items);
        pass_inside(at, at->waves > 1 ? HAND_OVER : EVEN_OUT,
                    at->passing.end); /* one wave is a permutation */
    }
}

/* What is sent between two nodes during a startup. That is the least part, unless something else was asked for. */
static qdr_status find_startup(const qdri_request *request, rails *at) {
    const qdri_value *least = qdri_spec_get(request->options, "least");
    double rate, items = 1;
    if (at->passing.shape.nodes > 1 && request->machine) {
        QDRI_TRY(qdri_machine_route_rate(request->machine, 0, at->passing.shape.size, &rate));
        items = rate * qdr_machine_look(request->machine)->tau;
    }
    at->startup = items < 1 ? 1 : items < 1e15 ? (int64_t)items : (int64_t)1e15;
    at->least = least->given ? least->integer : at->startup;
    return QDR_OK;
}

static qdr_status build(const qdri_request *request, qdr_schedule *schedule) {
    rails at = {.passing = {.shape = qdri_node_shape_of(request)}, .view = &request->view};
    int has_nodes = at.passing.shape.size > 1;
    at.waves = qdri_spec_get(request->options, "waves")->integer;
    at.next = QDRI_ARRAY(int64_t, request->view.ranks);
    at.room = QDRI_ARRAY(int64_t, qdri_node_members_of(&at.passing.shape, 0));
    qdr_status status = at.next && at.room ? QDR_OK : qdri_fail_memory();
    if (!status) status = find_startup(request, &at);
    if (!status && has_nodes) status = schedule_nodes(&at);
    if (!status) {
        each_two_nodes(&at, spread);
        schedule->stages = has_nodes ? STAGES + (int)at.waves - 1 : 1;
        /* Waves are between nodes and inside them at once. */
        if (!has_nodes || at.waves == 1) schedule->promises = QDR_PROMISES_PERMUTATION;
        status = qdri_rows_from_passed(&at.passing, schedule);
    }
    free(at.next);
    free(at.room);
    free(at.left);
    free(at.phase);
    return status;
}

static const qdri_option options[] = {
    {"least", QDRI_INTEGER, "1", 1, 1e15, NULL,
     "items of a part; by default what goes between two nodes of the machine during a startup", 0},
    {"waves", QDRI_INTEGER, "0", 0, 1000, NULL,
     "behind one another, one between nodes while others are inside; 0: up to eight", 0},
    QDRI_PACE_OPTIONS,
};

const qdri_algorithm qdri_algorithm_rails = {
    .name = "rails",
    .aliases = "",
    .summary = "what one node has for another in equal parts over all its ranks, and their cards",
    .source = "FAST (arXiv 2505.09764): balanced inside nodes first, then between ranks of the same place",
    .knowledge = QDR_KNOWS_MATRIX,
    .staged = 1,
    .by_nodes = 1,
    QDRI_OPTIONS(options),
    .build = build,
};
