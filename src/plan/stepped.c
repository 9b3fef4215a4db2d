/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by nothing (`free`) and by one's own arrivals (`arrivals`).
 *
 * Every byte has a *position*: byte b of a transfer in phase p comes b after the beginning of the phase,
 * which is as long as the longest transfer that this rank has in it. A chunk may go when everything that this
 * rank receives up to a window before it has arrived; so a rank gets on as fast as it is served, and in a
 * complete exchange everybody is served at the speed of his own line. A send depends on receives with a
 * smaller (phase, byte) only, so nobody waits in a circle. A rank that receives little is held back by
 * little, and may run ahead: for skewed patterns use grants.
 *
 * `free` is the same with a window that nothing fills, and whole messages: everything at once, in the order
 * of the phases. With the option `barrier`, ranks meet after each phase, and positions beyond it wait.
 */
#include "plan/meet.h"

/* ---- positions ----------------------------------------------------------------------------------------- */

/* Sets the positions of the legs of one phase, of which *cursor is the first; returns the chunks of the
 * longest. */
static int64_t set_phase(const qdr_exchange *exchange, qdri_half *half, const qdri_side *side, int64_t phase,
                         int64_t position, int64_t *cursor) {
    int64_t longest = 0;
    for (; *cursor < side->stage_start[exchange->stage + 1] && side->leg[*cursor].phase == phase; ++*cursor) {
        half->flow[*cursor].position = position;
        if (half->flow[*cursor].bytes > longest) longest = half->flow[*cursor].bytes;
    }
    return longest;
}

static int64_t phase_at(const qdr_exchange *exchange, const qdri_side *side, int64_t cursor) {
    return cursor < side->stage_start[exchange->stage + 1] ? side->leg[cursor].phase : INT64_MAX;
}

static void set_positions(qdr_exchange *exchange) {
    const qdri_side *out = &exchange->program->out, *in = &exchange->program->in;
    int64_t s = out->stage_start[exchange->stage], r = in->stage_start[exchange->stage], position = 0;
    for (;;) {
        int64_t sends = phase_at(exchange, out, s), receives = phase_at(exchange, in, r);
        int64_t phase = sends < receives ? sends : receives;
        if (phase == INT64_MAX) return;
        int64_t longest_out = set_phase(exchange, &exchange->out, out, phase, position, &s);
        int64_t longest_in = set_phase(exchange, &exchange->in, in, phase, position, &r);
        position += longest_out > longest_in ? longest_out : longest_in;
    }
}

/* ---- cursors ------------------------------------------------------------------------------------------- */

typedef struct steps {
    int64_t send, receive,
        front; /* legs: the next to send of, to receive of; the first that has not arrived */
    qdri_meet meet;
} steps;

/* Moves a cursor over legs of which nothing is left; false at the end of the stage. */
static int skip(const qdri_half *half, const qdri_side *side, int stage, int64_t *cursor, int ended) {
    while (*cursor < side->stage_start[stage + 1]) {
        const qdri_flow *flow = &half->flow[*cursor];
        if ((ended ? flow->ended : flow->begun) < flow->bytes) return 1;
        ++*cursor;
    }
    return 0;
}

/* Begins the chunks of one half that lie before a position. */
static void begin(qdr_exchange *exchange, qdri_half *half, const qdri_side *side, int64_t *cursor,
                  int64_t limit, void (*start)(qdr_exchange *, int64_t, int64_t)) {
    const steps *at = exchange->state;
    if (!skip(half, side, exchange->stage, cursor, 0)) return;
    for (int64_t i = *cursor; i < side->stage_start[exchange->stage + 1]; i++) {
        const qdri_flow *flow = &half->flow[i];
        if (flow->position >= limit || !qdri_meet_open(exchange, &at->meet, &side->leg[i])) return;
        while (flow->begun < flow->bytes && flow->position + flow->begun < limit) {
            if (!qdri_chunk_possible(half) || exchange->failed) return;
            start(exchange, i, qdri_next_chunk(exchange, flow));
        }
    }
}

/* The first position that has not arrived. */
static int64_t find_front(const qdr_exchange *exchange, int64_t *cursor) {
    const qdri_side *side = &exchange->program->in;
    int64_t front = INT64_MAX;
    if (!skip(&exchange->in, side, exchange->stage, cursor, 1)) return front;
    for (int64_t i = *cursor;
         i < side->stage_start[exchange->stage + 1] && exchange->in.flow[i].position < front; i++) {
        const qdri_flow *flow = &exchange->in.flow[i];
        int64_t position = flow->position + flow->ended;
        if (flow->ended < flow->bytes && position < front) front = position;
    }
    return front;
}

static int64_t ahead_of(int64_t front, int64_t bytes) {
    return front < INT64_MAX - bytes ? front + bytes : INT64_MAX;
}

static void pump(qdr_exchange *exchange) {
    const qdri_program *program = exchange->program;
    steps *at = exchange->state;
    int64_t front = find_front(exchange, &at->front);
    /* Receives wait well ahead of what is expected next, so that nothing comes unexpected. */
    begin(exchange, &exchange->in, &program->in, &at->receive, ahead_of(front, 4 * exchange->window),
          qdri_chunk_receive);
    begin(exchange, &exchange->out, &program->out, &at->send, ahead_of(front, exchange->window),
          qdri_chunk_send);
}

static void stage(qdr_exchange *exchange) {
    steps *at = exchange->state;
    at->send = exchange->program->out.stage_start[exchange->stage];
    at->receive = at->front = exchange->program->in.stage_start[exchange->stage];
    set_positions(exchange);
    pump(exchange);
}

/* A phase has ended perhaps: meet, and begin what was waiting for that. */
static void go_on(qdr_exchange *exchange) {
    steps *at = exchange->state;
    pump(exchange);
    if (exchange->plan->barrier && qdri_meet_advance(exchange, &at->meet)) pump(exchange);
}

static void sent(qdr_exchange *exchange, int64_t leg) {
    (void)leg;
    go_on(exchange);
}

static void arrived(qdr_exchange *exchange, int64_t leg, int64_t bytes) {
    (void)leg, (void)bytes;
    go_on(exchange);
}

static void control(qdr_exchange *exchange, int from, const qdri_note *note) {
    steps *at = exchange->state;
    (void)from;
    qdri_meet_heard(exchange, &at->meet, note);
    go_on(exchange);
}

static void start(qdr_exchange *exchange) {
    steps *at = exchange->state;
    at->meet = (qdri_meet){0};
    exchange->held = exchange->plan->barrier;
}

/* What begins a barrier also when a rank has nothing to do in the first phases. */
static void begun(qdr_exchange *exchange) {
    if (exchange->plan->barrier) go_on(exchange);
}

static int64_t chunks_of(const qdr_exchange *exchange, int64_t bytes) {
    return (bytes + exchange->chunk - 1) / exchange->chunk;
}

static int awaits(const qdr_exchange *exchange, int64_t *phase) {
    const steps *at = exchange->state;
    return qdri_meet_awaits(exchange, &at->meet, phase);
}

static qdri_room room(const qdr_exchange *exchange) {
    enum { MOST = 4096, NOTES = 64 }; /* beyond, what is under way waits for what is done */
    qdri_room room = {.notes = exchange->plan->barrier ? NOTES : 1};
    for (int64_t i = 0; i < exchange->program->out.legs; i++)
        room.sends += chunks_of(exchange, exchange->out.flow[i].bytes);
    for (int64_t i = 0; i < exchange->program->in.legs; i++)
        room.receives += chunks_of(exchange, exchange->in.flow[i].bytes);
    if (room.sends > MOST) room.sends = MOST;
    if (room.receives > MOST) room.receives = MOST;
    return room;
}

const qdri_executor qdri_executor_free = {
    .pacing = "free",
    .meets = 1,
    .whole = 1,
    .chunk_share = 1,
    .window_share = 1,
    .state_bytes = sizeof(steps),
    .room = room,
    .start = start,
    .stage = stage,
    .begun = begun,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .awaits = awaits,
};

const qdri_executor qdri_executor_arrivals = {
    .pacing = "arrivals",
    .meets = 1,
    .chunk_share = 0.4,
    .window_share = 0.4,
    .state_bytes = sizeof(steps),
    .room = room,
    .start = start,
    .stage = stage,
    .begun = begun,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .awaits = awaits,
};
