/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a schedule: see play.h.
 *
 * A transfer stands in two lines (player.h), its sender's and its receiver's. It may begin when both are ready for it: all earlier phases in the line have ended, and nothing of it is under way. Senders take theirs in order; one
 * that has to wait for its receiver is *parked* there, and looked at again when something ends at that rank.
 *
 * Where sends are buffered and ports are full, a startup is the sender's alone, and needs neither line: a rank *prepares* its next
 * transfer while the last is on its way. One that is prepared flows when both lines are ready for it.
 *
 * With circuit switching a transfer holds the links of its route; one that finds a link held is *blocked*.
 */
#include "predict/play.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "predict/player.h"

enum { NONE = -1 };

/* What happens, and to which step: its sender's startup is over; it is prepared; its bytes begin to flow; it has ended. Or, to no
 * step: a phase has opened. */
enum { RELEASE, PREPARED, FLOW, END, OPEN, KINDS };

/* ---- who may begin ------------------------------------------------------------------------------------- */

static int line_is_ready(const qdri_player *play, const qdri_play_line *line, int32_t step) {
    if (line->busy != NONE) return 0;
    if (line->first == line->end) return 1;
    int32_t first = play->listed[line->first];
    if (play->how->manner == QDRI_TURNS) return first == step;
    return play->phase[first] >= play->phase[step];
}

/* Whether a rank may begin a step that it sends, or receives. */
static int rank_is_ready(qdri_player *play, int32_t step, int is_in) {
    int rank = is_in ? play->step[step].to : play->step[step].from;
    if (!line_is_ready(play, qdri_line_at(play, rank, is_in), step)) return 0;
    return !qdri_takes_both_ways(play, step) || line_is_ready(play, qdri_line_at(play, rank, !is_in), step);
}

/* Whether a rank has all that it is to forward in a stage. */
static int stage_is_ready(qdri_player *play, int rank, int stage) {
    qdri_play_actor *actor = &play->actor[rank];
    while (actor->receive < actor->receives && play->ended[play->received[actor->receive]]) actor->receive++;
    return actor->receive == actor->receives || play->step[play->received[actor->receive]].stage >= stage;
}

static int sender_is_ready(qdri_player *play, int32_t step) {
    const qdr_step *s = &play->step[step];
    if (play->how->manner == QDRI_BARRIER && play->phase[step] > play->open) return 0;
    if (s->stage > 0 && !stage_is_ready(play, s->from, s->stage)) return 0;
    if (!play->overlaps[step] && !play->prepares) return rank_is_ready(play, step, 0);
    if (play->actor[s->from].is_starting || play->actor[s->from].ahead != NONE) return 0;
    if (!play->overlaps[step]) return 1;
    if (play->how->manner == QDRI_FREE) return 1;
    const qdri_play_line *line = qdri_line_at(play, s->from, 0);
    return play->phase[play->listed[line->first]] >= play->phase[step];
}

static int receiver_is_ready(qdri_player *play, int32_t step) {
    return play->overlaps[step] || play->prepares || rank_is_ready(play, step, 1);
}

static int holds_circuit(const qdri_player *play, int64_t link) {
    return qdr_machine_link_streams(play->how->machine, link) == 1;
}

/* With circuits: whether the route is free; or takes it, or gives it back. */
static int route_is_free(qdri_player *play, int32_t step) {
    if (!play->is_held) return 1;
    int length =
        qdr_machine_route(play->how->machine, play->step[step].from, play->step[step].to, play->route);
    for (int i = 0; i < length; i++)
        if (play->is_held[play->route[i]]) return 0;
    return 1;
}

static void hold_route(qdri_player *play, int32_t step, int held) {
    if (!play->is_held) return;
    int length =
        qdr_machine_route(play->how->machine, play->step[step].from, play->step[step].to, play->route);
    for (int i = 0; i < length; i++)
        if (holds_circuit(play, play->route[i])) play->is_held[play->route[i]] = (char)held;
}

/* ---- a transfer ---------------------------------------------------------------------------------------- */

static void at(qdri_player *play, double time, int32_t step, int kind) {
    if (!qdri_heap_add(&play->events, &play->events_room, time, (int64_t)step * KINDS + kind))
        play->failed = qdri_fail_memory();
}

static void occupy(qdri_player *play, int32_t step) {
    qdri_play_line *lines[4];
    int count = qdri_lines_of(play, step, lines);
    for (int i = 0; i < count; i++) lines[i]->busy = step;
}

static void begin(qdri_player *play, int32_t step) {
    qdr_step *s = &play->step[step];
    double packing = play->how->packing ? play->p->copy * (double)(s->items * play->how->item_bytes) : 0;
    double latency = qdr_machine_latency(play->how->machine, s->from, s->to);
    int prepares = play->prepares && !play->overlaps[step];
    s->start = play->now;
    if (prepares || play->overlaps[step]) {
        play->actor[s->from].is_starting = 1;
        at(play, play->now + qdri_startup_holds(play->p) + packing, step, RELEASE);
    } else {
        occupy(play, step);
        hold_route(play, step, 1);
    }
    if (prepares) play->actor[s->from].ahead = step;
    at(play, play->now + play->p->tau + latency + 2 * packing, step, prepares ? PREPARED : FLOW);
}

static double circuit_rate(qdri_player *play, int32_t step) {
    double rate = 1 / play->p->mu;
    int length = play->is_held ? qdr_machine_route(play->how->machine, play->step[step].from,
                                                   play->step[step].to, play->route)
                               : 0;
    for (int i = 0; i < length; i++)
        rate = fmin(rate, qdr_machine_link_bandwidth(play->how->machine, play->route[i]));
    return rate;
}

static int64_t header_of(const qdri_player *play, int64_t data) {
    return play->how->header + (data <= play->how->carrying ? play->how->mark : 0);
}

static void flow(qdri_player *play, int32_t step) {
    const qdr_step *s = &play->step[step];
    int64_t data = s->items * play->how->item_bytes;
    double bytes = (double)qdr_machine_wire_bytes(play->how->machine, data + header_of(play, data));
    if (play->overlaps[step]) bytes = qdri_incast_pass(&play->incast, step, s, bytes);
    if (!play->network || bytes == 0)
        at(play, play->now + bytes / circuit_rate(play, step), step, END);
    else
        play->failed = qdri_network_begin(play->network, step, s->from, s->to, bytes, play->now);
}

/* ---- getting on ---------------------------------------------------------------------------------------- */

static void park(qdri_player *play, int32_t step) {
    qdri_play_actor *to = &play->actor[play->step[step].to];
    play->actor[play->step[step].from].is_parked = 1;
    play->next_parked[step] = NONE;
    if (to->first_parked == NONE)
        to->first_parked = step;
    else
        play->next_parked[to->last_parked] = step;
    to->last_parked = step;
}

static void try_sender(qdri_player *play, int rank);

/* Lets what a rank has prepared flow, if it may. */
static void try_prepared(qdri_player *play, int rank) {
    qdri_play_actor *actor = &play->actor[rank];
    int32_t step = actor->prepared;
    if (step == NONE || !rank_is_ready(play, step, 0)) return;
    if (!rank_is_ready(play, step, 1)) {
        if (!actor->is_parked) park(play, step);
        return;
    }
    actor->prepared = actor->ahead = NONE;
    actor->is_parked = 0;
    play->step[step].start = fmax(play->step[step].start, qdri_line_at(play, rank, 0)->since);
    occupy(play, step);
    flow(play, step);
    try_sender(play, rank);
}

/* Begins what a rank may send. */
static void try_sender(qdri_player *play, int rank) {
    qdri_play_actor *actor = &play->actor[rank];
    while (actor->send < actor->sends && !actor->is_parked && !play->failed) {
        int32_t step = play->sent[actor->send];
        if (!sender_is_ready(play, step)) return;
        if (!receiver_is_ready(play, step)) {
            park(play, step);
        } else if (!route_is_free(play, step)) {
            actor->is_parked = 1;
            play->blocked[play->blocked_count++] = step;
        } else {
            actor->send++;
            begin(play, step);
        }
    }
}

/* Takes those that wait for a rank from its list, in the order in which they came, and lets them try again. */
static void try_parked(qdri_player *play, int rank) {
    qdri_play_actor *actor = &play->actor[rank];
    int32_t step = actor->first_parked, last = actor->last_parked, next;
    actor->first_parked = actor->last_parked = NONE;
    for (; step != NONE; step = next) {
        int from = play->step[step].from;
        next = step == last ? NONE : play->next_parked[step];
        if (play->prepares && play->actor[from].prepared != step) continue; /* it has gone */
        play->actor[from].is_parked = 0;
        if (play->prepares)
            try_prepared(play, from);
        else
            try_sender(play, from);
    }
}

static void try_blocked(qdri_player *play) {
    int32_t count = play->blocked_count;
    play->blocked_count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t step = play->blocked[i];
        play->actor[play->step[step].from].is_parked = 0;
        try_sender(play, play->step[step].from);
    }
}

static void advance(qdri_player *play, qdri_play_line *line, int32_t step) {
    if (line->busy == step) {
        line->busy = NONE;
        line->since = play->now;
    }
    while (line->first < line->end && play->ended[play->listed[line->first]]) line->first++;
}

/* A phase has ended. */
static void meet(qdri_player *play, int32_t phase) {
    if (play->how->manner != QDRI_BARRIER || phase + 1 == play->phases) return;
    int64_t barriers = play->meeting[phase + 1] - play->meeting[phase];
    at(play, play->now + play->p->barrier * (double)barriers, phase, OPEN);
}

static void end(qdri_player *play, int32_t step) {
    qdr_step *s = &play->step[step];
    s->end = play->now;
    play->last = fmax(play->last, play->now);
    play->ended[step] = 1;
    qdri_play_line *lines[4];
    int count = qdri_lines_of(play, step, lines);
    for (int i = 0; i < count; i++) advance(play, lines[i], step);
    hold_route(play, step, 0);
    if (--play->left[play->phase[step]] == 0) meet(play, play->phase[step]);
    try_parked(play, s->to);
    try_parked(play, s->from);
    try_prepared(play, s->from);
    try_sender(play, s->from);
    try_sender(play, s->to);
    if (play->is_held) try_blocked(play);
}

/* What the network had of a step is through. */
static void flowed(qdri_player *play, int32_t step) {
    if (play->overlaps[step] && qdri_incast_passed(&play->incast, step, &play->step[step]))
        at(play, play->now + play->p->timeout, step, FLOW);
    else
        end(play, step);
}

static void happen(qdri_player *play, int32_t step, int kind) {
    switch (kind) {
    case RELEASE:
        play->actor[play->step[step].from].is_starting = 0;
        try_sender(play, play->step[step].from);
        break;
    case PREPARED:
        play->actor[play->step[step].from].prepared = step;
        try_prepared(play, play->step[step].from);
        break;
    case FLOW:
        flow(play, step);
        break;
    case END:
        end(play, step);
        break;
    default:
        play->open = step + 1;
        for (int rank = 0; rank < play->p->ranks; rank++) try_sender(play, rank);
    }
}

static void run(qdri_player *play) {
    if (play->how->manner == QDRI_BARRIER && play->phases > 0)
        play->now = play->p->barrier * (double)play->meeting[0];
    for (int rank = 0; rank < play->p->ranks; rank++) try_sender(play, rank);
    while (!play->failed) {
        double flows = play->network ? qdri_network_next(play->network, play->now) : HUGE_VAL;
        double other = play->events.count ? play->events.entry[0].key : HUGE_VAL;
        int64_t id;
        if (flows == HUGE_VAL && other == HUGE_VAL) return;
        play->now = fmax(play->now, fmin(flows, other));
        double until = play->now * (1 + 1e-12);
        while (play->network && qdri_network_ended(play->network, until, &id)) flowed(play, (int32_t)id);
        while (play->events.count && play->events.entry[0].key <= until && !play->failed) {
            id = qdri_heap_pop(&play->events).id;
            happen(play, (int32_t)(id / KINDS), (int)(id % KINDS));
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Whether transfers can hold each other up on their way, or at their ends. */
static int is_shared(const qdri_player *play) {
    if (play->p->switching == QDR_SWITCHING_CIRCUIT) return 0;
    if (qdr_machine_links(play->how->machine) > 0) return 1;
    for (int32_t i = 0; i < play->count; i++)
        if (play->overlaps[i]) return 1;
    return 0;
}

static qdr_status prepare(qdri_player *play) {
    int64_t links = qdr_machine_links(play->how->machine);
    int circuits = play->p->switching == QDR_SWITCHING_CIRCUIT && links > 0;
    int in_turns = play->how->manner == QDRI_TURNS, paired = play->p->ports == QDR_PORTS_PAIRED && !in_turns;
    play->lines = play->p->ports == QDR_PORTS_HALF || in_turns ? 1 : 2;
    play->prepares = play->p->ports == QDR_PORTS_FULL && play->p->sends == QDR_SENDS_BUFFERED &&
                     play->p->switching == QDR_SWITCHING_PACKET && !in_turns;
    play->actor = QDRI_ARRAY(qdri_play_actor, play->p->ranks);
    play->phase = QDRI_ARRAY(int32_t, play->count);
    play->left = QDRI_ARRAY(int32_t, play->count);
    play->meeting = QDRI_ARRAY(int64_t, play->count);
    play->overlaps = QDRI_ZERO_ARRAY(char, play->count);
    play->ended = QDRI_ZERO_ARRAY(char, play->count);
    play->listed = QDRI_ARRAY(int32_t, (paired ? 4 : 2) * (int64_t)play->count);
    play->sent = QDRI_ARRAY(int32_t, play->count);
    play->received = QDRI_ARRAY(int32_t, play->count);
    play->next_parked = QDRI_ARRAY(int32_t, play->count);
    play->route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(play->how->machine));
    play->blocked = QDRI_ARRAY(int32_t, play->p->ranks);
    if (circuits) play->is_held = QDRI_ZERO_ARRAY(char, links);
    if (paired) play->exchanges = QDRI_ZERO_ARRAY(char, play->count);
    if (!play->actor || !play->phase || !play->left || !play->meeting || !play->overlaps || !play->ended ||
        !play->listed || !play->sent || !play->received || !play->next_parked || !play->route ||
        !play->blocked || (circuits && !play->is_held) || (paired && !play->exchanges))
        return qdri_fail_memory();
    QDRI_TRY(
        qdri_incast_open(&play->incast, play->how->machine, play->count, play->step, play->how->item_bytes));
    QDRI_TRY(qdri_player_list(play));
    if (is_shared(play) && !(play->network = qdri_network_open(play->how->machine, play->count)))
        return qdri_fail_memory();
    return QDR_OK;
}

static void release(qdri_player *play) {
    free(play->actor);
    free(play->phase);
    free(play->left);
    free(play->meeting);
    free(play->overlaps);
    free(play->ended);
    free(play->exchanges);
    free(play->listed);
    free(play->sent);
    free(play->received);
    free(play->next_parked);
    free(play->route);
    free(play->blocked);
    free(play->is_held);
    qdri_incast_close(&play->incast);
    free(play->events.entry);
    qdri_network_close(play->network);
}

qdr_status qdri_play_steps(const qdri_play *how, int64_t count, qdr_step *steps, double *seconds) {
    qdri_player play = {
        .how = how, .p = qdr_machine_look(how->machine), .step = steps, .count = (int32_t)count};
    if (count > INT32_MAX / KINDS)
        return qdri_fail(QDR_ERR_RANGE, "%lld transfers are more than can be predicted", (long long)count);
    play.failed = prepare(&play);
    if (!play.failed) run(&play);
    release(&play);
    *seconds = play.last;
    return play.failed;
}
