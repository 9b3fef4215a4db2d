/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a schedule: see play.h.
 *
 * Each rank stands in *lines*: lists of its transfers by phase. With full ports it has one for what it sends and one for what it
 * receives, else one for both. A transfer stands in two lines, its sender's and its receiver's. It may begin when both are
 * ready for it: all earlier phases in the line have ended, and nothing of it is under way. Senders take theirs in order; one
 * that has to wait for its receiver is *parked* there, and looked at again when something ends at that rank.
 *
 * Where sends are buffered and ports are full, a startup is the sender's alone, and needs neither line: a rank *prepares* its next
 * transfer while the last is on its way. One that is prepared flows when both lines are ready for it.
 *
 * With circuit switching a transfer holds the links of its route; one that finds a link held is *blocked*.
 */
#include "schedule/play.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "schedule/network.h"
#include "schedule/schedule.h"
#include "schedule/turns.h"

enum { NONE = -1 };

/* What happens, and to which step: its sender's startup is over; it is prepared; its bytes begin to flow; it has ended. Or, to no
 * step: a phase has opened. */
enum { RELEASE, PREPARED, FLOW, END, OPEN, KINDS };

typedef struct line {
    int32_t first, end; /* in `listed`: the first that has not ended; the end */
    int32_t busy;       /* a step that is under way; NONE */
    double since;       /* when the last one ended */
} line;

typedef struct actor {
    line line[2];              /* out, in; with one line for both, the first */
    int32_t send, sends;       /* in `sent`: the next to begin; the end */
    int32_t receive, receives; /* in `received`: the first that has not ended; the end */
    int32_t first_parked, last_parked;
    int is_starting, is_parked; /* a startup of it is under way; its next send is parked or blocked */
    int32_t ahead,
        prepared; /* a step whose startup has begun and which does not flow yet; if it could; NONE */
} actor;

typedef struct player {
    const qdri_play *how;
    const qdr_machine_parameters *p;
    qdr_step *step;
    int32_t count, phases;
    int lines; /* of a rank: 1 or 2 */
    int prepares;
    actor *actor;
    int32_t *phase;                    /* [count]: the number of its (stage, phase) */
    char *overlaps, *ended;            /* [count] */
    char *exchanges;                   /* [count]: with paired ports, whether it has a way back; else NULL */
    int32_t *listed, *sent, *received; /* the steps of all lines; those that ranks send, and receive */
    int32_t *next_parked;              /* [count] */
    int32_t *left;                     /* [phases]: transfers that have not ended */
    int64_t *meeting; /* [phases]: with barriers, how many come before it; those of empty phases count */
    int32_t open;     /* with barriers: the last phase that may begin */
    char *is_held;    /* [links]: by circuits; NULL: there are none */
    int64_t *route;
    int32_t *blocked; /* [ranks] */
    int32_t blocked_count;
    qdri_network *network; /* NULL: nothing is shared */
    qdri_heap events;
    int64_t events_room;
    double now, last;
    qdr_status failed;
} player;

/* ---- lines --------------------------------------------------------------------------------------------- */

static line *line_at(player *play, int rank, int is_in) {
    return &play->actor[rank].line[is_in && play->lines == 2];
}

/* Paired ports go both ways at once only where two ranks exchange; else a transfer takes both. */
static int takes_both_ways(const player *play, int32_t step) {
    return play->exchanges && !play->exchanges[step];
}

/* The lines that a step takes, its own first. */
static int lines_of(player *play, int32_t step, line *lines[4]) {
    const qdr_step *s = &play->step[step];
    lines[0] = line_at(play, s->from, 0);
    lines[1] = line_at(play, s->to, 1);
    if (!takes_both_ways(play, step)) return 2;
    lines[2] = line_at(play, s->from, 1);
    lines[3] = line_at(play, s->to, 0);
    return 4;
}

static void number_phases(player *play) {
    int64_t last = 0;
    for (int64_t i = 0; i < play->count; i++)
        if (play->step[i].phase > last) last = play->step[i].phase;
    play->phases = 0;
    for (int64_t first = 0, next; first < play->count; first = next, play->phases++) {
        next = qdri_phase_end(play->step, play->count, first);
        play->meeting[play->phases] = play->step[first].stage * (last + 1) + play->step[first].phase;
        play->left[play->phases] = (int32_t)(next - first);
        for (int64_t i = first; i < next; i++) play->phase[i] = play->phases;
    }
}

/* In phases in which somebody sends or receives twice, buffered sends do not hold their ends. */
static void find_overlaps(player *play) {
    int may = play->p->sends == QDR_SENDS_BUFFERED && play->p->switching == QDR_SWITCHING_PACKET &&
              play->how->manner != QDRI_TURNS;
    for (int rank = 0; rank < play->p->ranks; rank++) play->actor[rank].send = play->actor[rank].sends = NONE;
    for (int64_t first = 0, next; first < play->count; first = next) {
        int twice = play->how->manner == QDRI_FREE;
        next = qdri_phase_end(play->step, play->count, first);
        for (int64_t i = first; i < next; i++) {
            actor *from = &play->actor[play->step[i].from], *to = &play->actor[play->step[i].to];
            twice |= from->send == play->phase[i] || to->sends == play->phase[i];
            from->send = to->sends = play->phase[i];
        }
        for (int64_t i = first; i < next; i++) play->overlaps[i] = (char)(may && twice);
    }
}

/* Which steps have a way back in their phase, as far as each rank sends once in it. */
static void find_exchanges(player *play) {
    for (int rank = 0; rank < play->p->ranks; rank++) play->actor[rank].send = NONE;
    for (int64_t first = 0, next; first < play->count; first = next) {
        next = qdri_phase_end(play->step, play->count, first);
        for (int64_t i = first; i < next; i++) play->actor[play->step[i].from].send = (int32_t)i;
        for (int64_t i = first; i < next; i++) {
            int32_t back = play->actor[play->step[i].to].send;
            play->exchanges[i] = back >= first && play->step[back].from == play->step[i].to &&
                                 play->step[back].to == play->step[i].from;
        }
    }
}

/* Where the lists of each rank begin; they are filled from there. */
static void lay_lists(player *play) {
    int32_t listed = 0, sent = 0, received = 0;
    for (int rank = 0; rank < play->p->ranks; rank++)
        play->actor[rank] =
            (actor){.first_parked = NONE, .last_parked = NONE, .ahead = NONE, .prepared = NONE};
    for (int32_t i = 0; i < play->count; i++) {
        line *lines[4];
        int count = lines_of(play, i, lines);
        for (int l = 0; l < count; l++) lines[l]->end++;
        play->actor[play->step[i].from].sends++;
        play->actor[play->step[i].to].receives++;
    }
    for (int rank = 0; rank < play->p->ranks; rank++) {
        actor *actor = &play->actor[rank];
        for (int l = 0; l < 2; l++) {
            int32_t length = actor->line[l].end;
            actor->line[l] = (line){listed, listed, NONE, 0};
            listed += length;
        }
        int32_t sends = actor->sends, receives = actor->receives;
        actor->send = actor->sends = sent;
        actor->receive = actor->receives = received;
        sent += sends;
        received += receives;
    }
}

static qdr_status order_turns(player *play, int rank) {
    const line *line = &play->actor[rank].line[0];
    int32_t *listed = play->listed + line->first, count = line->end - line->first, sent = 0;
    qdri_turn *turns = QDRI_ARRAY(qdri_turn, count);
    if (!turns) return qdri_fail_memory();
    for (int32_t i = 0; i < count; i++) {
        const qdr_step *step = &play->step[listed[i]];
        turns[i] = (qdri_turn){.stage = step->stage,
                               .from = step->from,
                               .to = step->to,
                               .phase = step->phase,
                               .number = listed[i]};
    }
    qdri_turns_sort(play->p->ranks, play->how->promises, count, turns);
    for (int32_t i = 0; i < count; i++) {
        listed[i] = (int32_t)turns[i].number;
        if (turns[i].from == rank) play->sent[play->actor[rank].send + sent++] = listed[i];
    }
    free(turns);
    return QDR_OK;
}

static qdr_status fill_lists(player *play) {
    lay_lists(play);
    for (int32_t i = 0; i < play->count; i++) {
        line *lines[4];
        int count = lines_of(play, i, lines);
        for (int l = 0; l < count; l++) play->listed[lines[l]->end++] = i;
        play->sent[play->actor[play->step[i].from].sends++] = i;
        play->received[play->actor[play->step[i].to].receives++] = i;
    }
    for (int rank = 0; play->how->manner == QDRI_TURNS && rank < play->p->ranks; rank++)
        QDRI_TRY(order_turns(play, rank));
    return QDR_OK;
}

/* ---- who may begin ------------------------------------------------------------------------------------- */

static int line_is_ready(const player *play, const line *line, int32_t step) {
    if (line->busy != NONE) return 0;
    if (line->first == line->end) return 1;
    int32_t first = play->listed[line->first];
    if (play->how->manner == QDRI_TURNS) return first == step;
    return play->phase[first] >= play->phase[step];
}

/* Whether a rank may begin a step that it sends, or receives. */
static int rank_is_ready(player *play, int32_t step, int is_in) {
    int rank = is_in ? play->step[step].to : play->step[step].from;
    if (!line_is_ready(play, line_at(play, rank, is_in), step)) return 0;
    return !takes_both_ways(play, step) || line_is_ready(play, line_at(play, rank, !is_in), step);
}

/* Whether a rank has all that it is to forward in a stage. */
static int stage_is_ready(player *play, int rank, int stage) {
    actor *actor = &play->actor[rank];
    while (actor->receive < actor->receives && play->ended[play->received[actor->receive]]) actor->receive++;
    return actor->receive == actor->receives || play->step[play->received[actor->receive]].stage >= stage;
}

static int sender_is_ready(player *play, int32_t step) {
    const qdr_step *s = &play->step[step];
    if (play->how->manner == QDRI_BARRIER && play->phase[step] > play->open) return 0;
    if (s->stage > 0 && !stage_is_ready(play, s->from, s->stage)) return 0;
    if (!play->overlaps[step] && !play->prepares) return rank_is_ready(play, step, 0);
    if (play->actor[s->from].is_starting || play->actor[s->from].ahead != NONE) return 0;
    if (!play->overlaps[step]) return 1;
    if (play->how->manner == QDRI_FREE) return 1;
    const line *line = line_at(play, s->from, 0);
    return play->phase[play->listed[line->first]] >= play->phase[step];
}

static int receiver_is_ready(player *play, int32_t step) {
    return play->overlaps[step] || play->prepares || rank_is_ready(play, step, 1);
}

static int holds_circuit(const player *play, int64_t link) {
    return qdr_machine_link_streams(play->how->machine, link) == 1;
}

/* With circuits: whether the route is free; or takes it, or gives it back. */
static int route_is_free(player *play, int32_t step) {
    if (!play->is_held) return 1;
    int length =
        qdr_machine_route(play->how->machine, play->step[step].from, play->step[step].to, play->route);
    for (int i = 0; i < length; i++)
        if (play->is_held[play->route[i]]) return 0;
    return 1;
}

static void hold_route(player *play, int32_t step, int held) {
    if (!play->is_held) return;
    int length =
        qdr_machine_route(play->how->machine, play->step[step].from, play->step[step].to, play->route);
    for (int i = 0; i < length; i++)
        if (holds_circuit(play, play->route[i])) play->is_held[play->route[i]] = (char)held;
}

/* ---- a transfer ---------------------------------------------------------------------------------------- */

static void at(player *play, double time, int32_t step, int kind) {
    if (play->events.count == play->events_room &&
        !qdri_grow(&play->events.entry, &play->events_room, play->events.count + 1,
                   sizeof *play->events.entry)) {
        play->failed = qdri_fail_memory();
        return;
    }
    qdri_heap_push(&play->events, time, (int64_t)step * KINDS + kind);
}

static void occupy(player *play, int32_t step) {
    line *lines[4];
    int count = lines_of(play, step, lines);
    for (int i = 0; i < count; i++) lines[i]->busy = step;
}

static void begin(player *play, int32_t step) {
    qdr_step *s = &play->step[step];
    double packing = play->how->packing ? play->p->copy * (double)(s->items * play->how->item_bytes) : 0;
    double latency = qdr_machine_latency(play->how->machine, s->from, s->to);
    int prepares = play->prepares && !play->overlaps[step];
    s->start = play->now;
    if (prepares || play->overlaps[step]) {
        play->actor[s->from].is_starting = 1;
        at(play, play->now + play->p->tau + packing, step, RELEASE);
    } else {
        occupy(play, step);
        hold_route(play, step, 1);
    }
    if (prepares) play->actor[s->from].ahead = step;
    at(play, play->now + play->p->tau + latency + 2 * packing, step, prepares ? PREPARED : FLOW);
}

static double circuit_rate(player *play, int32_t step) {
    double rate = 1 / play->p->mu;
    int length = play->is_held ? qdr_machine_route(play->how->machine, play->step[step].from,
                                                   play->step[step].to, play->route)
                               : 0;
    for (int i = 0; i < length; i++)
        rate = fmin(rate, qdr_machine_link_bandwidth(play->how->machine, play->route[i]));
    return rate;
}

static int64_t header_of(const player *play, int64_t data) {
    return play->how->header + (data <= play->how->carrying ? play->how->mark : 0);
}

static void flow(player *play, int32_t step) {
    const qdr_step *s = &play->step[step];
    int64_t data = s->items * play->how->item_bytes;
    double bytes = (double)qdr_machine_wire_bytes(play->how->machine, data + header_of(play, data));
    if (!play->network || bytes == 0)
        at(play, play->now + bytes / circuit_rate(play, step), step, END);
    else
        play->failed = qdri_network_begin(play->network, step, s->from, s->to, bytes, play->now);
}

/* ---- getting on ---------------------------------------------------------------------------------------- */

static void park(player *play, int32_t step) {
    actor *to = &play->actor[play->step[step].to];
    play->actor[play->step[step].from].is_parked = 1;
    play->next_parked[step] = NONE;
    if (to->first_parked == NONE)
        to->first_parked = step;
    else
        play->next_parked[to->last_parked] = step;
    to->last_parked = step;
}

static void try_sender(player *play, int rank);

/* Lets what a rank has prepared flow, if it may. */
static void try_prepared(player *play, int rank) {
    actor *actor = &play->actor[rank];
    int32_t step = actor->prepared;
    if (step == NONE || !rank_is_ready(play, step, 0)) return;
    if (!rank_is_ready(play, step, 1)) {
        if (!actor->is_parked) park(play, step);
        return;
    }
    actor->prepared = actor->ahead = NONE;
    actor->is_parked = 0;
    play->step[step].start = fmax(play->step[step].start, line_at(play, rank, 0)->since);
    occupy(play, step);
    flow(play, step);
    try_sender(play, rank);
}

/* Begins what a rank may send. */
static void try_sender(player *play, int rank) {
    actor *actor = &play->actor[rank];
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
static void try_parked(player *play, int rank) {
    actor *actor = &play->actor[rank];
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

static void try_blocked(player *play) {
    int32_t count = play->blocked_count;
    play->blocked_count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t step = play->blocked[i];
        play->actor[play->step[step].from].is_parked = 0;
        try_sender(play, play->step[step].from);
    }
}

static void advance(player *play, line *line, int32_t step) {
    if (line->busy == step) {
        line->busy = NONE;
        line->since = play->now;
    }
    while (line->first < line->end && play->ended[play->listed[line->first]]) line->first++;
}

/* A phase has ended. */
static void meet(player *play, int32_t phase) {
    if (play->how->manner != QDRI_BARRIER || phase + 1 == play->phases) return;
    int64_t barriers = play->meeting[phase + 1] - play->meeting[phase];
    at(play, play->now + play->p->barrier * (double)barriers, phase, OPEN);
}

static void end(player *play, int32_t step) {
    qdr_step *s = &play->step[step];
    s->end = play->now;
    play->last = fmax(play->last, play->now);
    play->ended[step] = 1;
    line *lines[4];
    int count = lines_of(play, step, lines);
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

static void happen(player *play, int32_t step, int kind) {
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

static void run(player *play) {
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
        while (play->network && qdri_network_ended(play->network, until, &id)) end(play, (int32_t)id);
        while (play->events.count && play->events.entry[0].key <= until && !play->failed) {
            id = qdri_heap_pop(&play->events).id;
            happen(play, (int32_t)(id / KINDS), (int)(id % KINDS));
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Whether transfers can hold each other up on their way, or at their ends. */
static int is_shared(const player *play) {
    if (play->p->switching == QDR_SWITCHING_CIRCUIT) return 0;
    if (qdr_machine_links(play->how->machine) > 0) return 1;
    for (int32_t i = 0; i < play->count; i++)
        if (play->overlaps[i]) return 1;
    return 0;
}

static qdr_status prepare(player *play) {
    int64_t links = qdr_machine_links(play->how->machine);
    int circuits = play->p->switching == QDR_SWITCHING_CIRCUIT && links > 0;
    int in_turns = play->how->manner == QDRI_TURNS, paired = play->p->ports == QDR_PORTS_PAIRED && !in_turns;
    play->lines = play->p->ports == QDR_PORTS_HALF || in_turns ? 1 : 2;
    play->prepares = play->p->ports == QDR_PORTS_FULL && play->p->sends == QDR_SENDS_BUFFERED &&
                     play->p->switching == QDR_SWITCHING_PACKET && !in_turns;
    play->actor = QDRI_ARRAY(actor, play->p->ranks);
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
    number_phases(play);
    find_overlaps(play);
    if (paired) find_exchanges(play);
    QDRI_TRY(fill_lists(play));
    if (is_shared(play) && !(play->network = qdri_network_open(play->how->machine, play->count)))
        return qdri_fail_memory();
    return QDR_OK;
}

static void release(player *play) {
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
    free(play->events.entry);
    qdri_network_close(play->network);
}

qdr_status qdri_play_steps(const qdri_play *how, int64_t count, qdr_step *steps, double *seconds) {
    player play = {.how = how, .p = qdr_machine_look(how->machine), .step = steps, .count = (int32_t)count};
    if (count > INT32_MAX / KINDS)
        return qdri_fail(QDR_ERR_RANGE, "%lld transfers are more than can be predicted", (long long)count);
    play.failed = prepare(&play);
    if (!play.failed) run(&play);
    release(&play);
    *seconds = play.last;
    return play.failed;
}
