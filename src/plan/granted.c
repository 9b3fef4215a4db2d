/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by grants: the receiver decides. It lets at most a window of bytes be under way to itself, counted
 * from the grant to the arrival, so whatever the senders do, the port of the switch in front of it never
 * holds more, and nothing is dropped. A grant is a small message (offset, length); the sender answers with
 * the bytes.
 *
 * With a schedule, chunks are granted in its order. Without one (`paced`), every receiver finds its own
 * order, from its own column alone. Why that can come close to the bound T of the whole exchange: if every
 * message went at the constant rate (its size / T), each would end at T and no port would ever be overloaded,
 * neither at a sender nor at a receiver. So receivers aim at that.
 *
 *     Between its senders, a receiver divides its window in proportion to what is left of their messages: the
 *     next chunk goes to the lane with the largest (bytes left) / (bytes under way + one chunk), which is
 *     d'Hondt's method. Senders that answer late keep no more than their share of the window waiting.
 *
 *     Between receivers, a sender serves grants as they come, so a receiver with little to get would push
 *     aside one with much. Therefore grants carry a rumour: the load of the most loaded rank that is known,
 *     and how much of it is left. A receiver that is ahead of that rank keeps only its share of the window,
 *     (its load / that load); one that is behind uses all of it.
 *
 * The first window / sources bytes of a message are not granted but sent at once, `sources` being the most
 * that any rank receives from: all of them together are no more than a window, and an exchange of small
 * messages needs no grants at all. Both ends know the sizes, so they agree without a word. By schedule, where
 * partners may be relays, the same holds for whole lanes of no more than window / ranks bytes in a stage.
 */
#include "plan/plan.h"

typedef struct grants {
    int64_t outstanding; /* bytes granted to others, not arrived */
    int64_t cursor;      /* the leg to grant next, by schedule */
    int next_lane;       /* where the search of `paced` begins */
    int64_t load;        /* rumour: the bytes of the most loaded rank, and how many of them are left */
    int64_t load_left;
    int64_t ungranted; /* bytes of which this rank's receivers have not spoken */
    int64_t promise;   /* of bytes that may come unasked in the slot's next exchange, from each rank */
    int is_at_port;    /* is in the list of those that have the port's window together */
    qdr_exchange *next;
} grants;

/* Notes that MPI has taken, but not yet reported as sent. */
enum { SPARE = 64 };

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- lanes by stage ------------------------------------------------------------------------------------ */

/* Sums the bytes of each lane in one stage. */
static void sum_stage(qdri_half *half, const qdri_side *side, int stage) {
    for (int i = 0; i < side->lanes; i++) half->lane[i].stage_bytes = 0;
    for (int64_t i = side->stage_start[stage]; i < side->stage_start[stage + 1]; i++)
        half->lane[side->leg[i].lane].stage_bytes += half->flow[i].bytes;
}

/* How much of a lane goes without a grant in this stage. */
static int64_t unasked(const qdr_exchange *exchange, const qdri_half *half, int number) {
    const qdri_lane_flow *lane = &half->lane[number];
    int64_t bytes = lane->stage_bytes, limit = exchange->window / exchange->program->ranks;
    if (exchange->plan->ordered) return bytes <= limit ? bytes : 0;
    if (exchange->plan->port) return qdri_port_unasked_of(half->promised[number], bytes);
    return smaller(bytes, half->promised[number]);
}

/* The window of this rank, whatever it leaves to others. */
static int64_t whole_window(const qdr_exchange *exchange) {
    const qdri_port *port = exchange->plan->port;
    return port ? (int64_t)port->window : exchange->window;
}

/* The least that is worth a message. */
static int64_t least_chunk(const qdr_exchange *exchange) {
    const qdri_port *port = exchange->plan->port;
    return port ? larger(exchange->chunk, (int64_t)port->window / 10) : exchange->chunk;
}

/* ---- sending ------------------------------------------------------------------------------------------- */

/* By schedule, both ends cut legs into chunks from their beginning, because a grant may come before its
 * stage; `paced` has no stages, and answers each grant with one message. */
static void pump_lane(qdr_exchange *exchange, int lane) {
    qdri_lane_send(exchange, lane, !exchange->plan->ordered);
}

/* Grants are heard one by one, and only while there is a chunk to answer with: two may not become one
 * message. */
static void listen(qdr_exchange *exchange) {
    const grants *state = exchange->state;
    if (state->ungranted > 0 && qdri_chunk_possible(&exchange->out)) qdri_control_listen(exchange);
}

static void sent(qdr_exchange *exchange, int64_t leg) {
    qdri_lanes_send(exchange, leg, !exchange->plan->ordered);
    listen(exchange);
}

static void hear(grants *state, int64_t load, int64_t left) {
    if (load > state->load || (load == state->load && left < state->load_left)) {
        state->load = load;
        state->load_left = left;
    }
}

static void control(qdr_exchange *exchange, int from, const qdri_note *note) {
    grants *state = exchange->state;
    int number = exchange->program->out.lane_of[from];
    qdri_lane_flow *lane = number < 0 ? NULL : &exchange->out.lane[number];
    if (!lane || note->offset != lane->granted || note->bytes <= 0 || note->promise < 0 ||
        note->promise > INT64_MAX / 2 || note->bytes > lane->bytes - lane->granted) {
        qdri_exchange_fail(exchange,
                           qdri_fail(QDR_MISMATCH,
                                     "rank %d grants bytes %lld to %lld, but this rank has %lld "
                                     "for it: the two have different ideas of the exchange",
                                     from, (long long)note->offset, (long long)(note->offset + note->bytes),
                                     (long long)(lane ? lane->bytes : 0)));
        return;
    }
    hear(state, note->load, note->load_left);
    if (exchange->plan->port) qdri_port_told(exchange->plan->port, note->word);
    exchange->out.promised[number] = note->promise;
    lane->granted += note->bytes;
    lane->last = exchange->last;
    state->ungranted -= note->bytes;
    pump_lane(exchange, number);
    listen(exchange);
}

/* ---- whom to grant next -------------------------------------------------------------------------------- */

/* The next leg by schedule; -1: none. */
static int64_t scheduled_leg(qdr_exchange *exchange, grants *state, int64_t *bytes) {
    const qdri_side *side = &exchange->program->in;
    for (; state->cursor < side->stage_start[exchange->stage + 1]; state->cursor++) {
        const qdri_flow *flow = &exchange->in.flow[state->cursor];
        if (flow->begun == flow->bytes) continue;
        *bytes = qdri_next_chunk(exchange, flow);
        return state->cursor;
    }
    return -1;
}

/* The next leg of `paced`; -1: none. Where few lanes are left, messages are larger, two to a lane's share
 * of the window: a chunk is small only to be fair to many. */
static int64_t proportional_leg(qdr_exchange *exchange, grants *state, int64_t window, int64_t *bytes) {
    const qdri_side *side = &exchange->program->in;
    int best = -1, waiting = 0;
    double best_claim = 0;
    int64_t chunk = least_chunk(exchange);
    for (int i = 0; i < side->lanes; i++) {
        int number = (state->next_lane + i) % side->lanes;
        const qdri_lane_flow *lane = &exchange->in.lane[number];
        if (lane->begun == lane->bytes) continue;
        waiting++;
        double claim = (double)(lane->bytes - lane->begun) / (double)(lane->begun - lane->ended + chunk);
        if (claim <= best_claim) continue;
        best = number;
        best_claim = claim;
    }
    if (best < 0) return -1;
    const qdri_lane_flow *lane = &exchange->in.lane[best];
    state->next_lane = (best + 1) % side->lanes;
    *bytes = smaller(lane->bytes - lane->begun, larger(chunk, window / (2 * waiting)));
    return qdri_lane_next(exchange, &exchange->in, side, best);
}

/* Whether no rank is known that is further behind. */
static int is_critical(const qdr_exchange *exchange, const grants *state, double margin) {
    const qdri_half *in = &exchange->in;
    double left = (double)(in->bytes - in->ended) / (double)in->bytes,
           load_left = (double)state->load_left / (double)state->load;
    return left >= margin * load_left;
}

/* How much may be under way to this rank. */
static int64_t own_window(const qdr_exchange *exchange, grants *state) {
    const qdri_half *in = &exchange->in, *out = &exchange->out;
    int64_t window = whole_window(exchange);
    if (exchange->plan->ordered) return window;
    hear(state, larger(in->bytes, out->bytes), larger(in->bytes - in->ended, out->bytes - out->ended));
    if (is_critical(exchange, state, 1)) return window;
    return larger(2 * least_chunk(exchange),
                  (int64_t)((double)window * ((double)in->bytes / (double)state->load)));
}

/* Bytes under way to this rank: of one exchange, or of all that have a window together. */
static int64_t outstanding(const qdr_exchange *exchange) {
    const grants *state = exchange->state;
    return exchange->plan->port ? exchange->plan->port->under_way : state->outstanding;
}

static void count_outstanding(qdr_exchange *exchange, int64_t bytes) {
    grants *state = exchange->state;
    state->outstanding += bytes;
    if (exchange->plan->port) exchange->plan->port->under_way += bytes;
}

/* Whether so many bytes more may be under way. One grant of an exchange may always be: ranks may wait for exchanges in
 * different orders, so none may depend on another. */
static int fits(const qdr_exchange *exchange, int64_t window, int64_t bytes) {
    const grants *state = exchange->state;
    return state->outstanding == 0 || outstanding(exchange) + bytes <= window;
}

static void grant_one(qdr_exchange *exchange) {
    grants *state = exchange->state;
    const qdri_port *port = exchange->plan->port;
    if (exchange->in.ended == exchange->in.bytes) return;
    int64_t window = own_window(exchange, state);
    while (!exchange->failed && fits(exchange, window, 1) && qdri_chunk_possible(&exchange->in)) {
        int64_t bytes = 0;
        int64_t number = exchange->plan->ordered ? scheduled_leg(exchange, state, &bytes)
                                                 : proportional_leg(exchange, state, window, &bytes);
        if (number < 0) return;
        const qdri_leg *leg = &exchange->program->in.leg[number];
        qdri_note note = {.offset = exchange->in.lane[leg->lane].begun,
                          .bytes = bytes,
                          .load = state->load,
                          .load_left = state->load_left,
                          .promise = state->promise};
        if (!fits(exchange, window, bytes)) return;
        count_outstanding(exchange, bytes);
        double now = 0;
        if (port) {
            note.word = qdri_port_tell(port);
            now = qdri_seconds();
        }
        exchange->in.promised[leg->lane] = state->promise;
        qdri_trace(exchange, QDR_EVENT_GRANT, leg->partner, leg->phase, exchange->in.flow[number].begun,
                   bytes);
        qdri_chunk_receive_granted(exchange, number, bytes, now);
        if (!exchange->failed) qdri_control_send(exchange, leg->partner, &note);
    }
}

/* ---- exchanges with one window ------------------------------------------------------------------------- */

static void join(qdri_port *port, qdr_exchange *exchange) {
    qdr_exchange **place = (qdr_exchange **)&port->first;
    while (*place) place = &((grants *)(*place)->state)->next;
    *place = exchange;
    ((grants *)exchange->state)->next = NULL;
}

static void part(qdri_port *port, qdr_exchange *exchange) {
    qdr_exchange **place = (qdr_exchange **)&port->first;
    while (*place && *place != exchange) place = &((grants *)(*place)->state)->next;
    if (*place) *place = ((grants *)exchange->state)->next;
}

/* Whoever has just been served comes last. */
static void grant(qdr_exchange *exchange) {
    qdri_port *port = exchange->plan->port;
    if (!port) {
        grant_one(exchange);
        return;
    }
    if (port->first != exchange || ((grants *)exchange->state)->next) {
        part(port, exchange);
        join(port, exchange);
    }
    for (qdr_exchange *one = port->first, *next; one; one = next) {
        next = ((grants *)one->state)->next;
        grant_one(one);
    }
}

static void arrived(qdr_exchange *exchange, const qdri_chunk *chunk) {
    const grants *state = exchange->state;
    qdri_port *port = exchange->plan->port;
    count_outstanding(exchange, -chunk->bytes);
    if (port) {
        const qdri_lane_flow *lane = &exchange->in.lane[exchange->program->in.leg[chunk->leg].lane];
        int64_t before = (int64_t)port->window;
        qdri_port_arrived(port, chunk->bytes, chunk->granted, lane->ended > chunk->bytes,
                          state->load > 0 && is_critical(exchange, state, 0.95), qdri_seconds());
        if ((int64_t)port->window != before)
            qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, (int64_t)port->window);
    }
    grant(exchange);
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

static void leave(qdr_exchange *exchange) {
    grants *state = exchange->state;
    if (!state->is_at_port) return;
    qdri_port *port = exchange->plan->port;
    state->is_at_port = 0;
    part(port, exchange);
    port->under_way -= state->outstanding;
    qdri_port_leave(port, qdri_seconds());
    if (port->first) grant(port->first);
}

static void start(qdr_exchange *exchange) {
    grants *state = exchange->state;
    qdri_port *port = exchange->plan->port;
    *state =
        (grants){.promise = (port ? qdri_port_unasked(port) : exchange->window) / exchange->plan->sources,
                 .is_at_port = port != NULL};
    if (port) {
        join(port, exchange);
        qdri_port_enter(port, qdri_seconds());
        qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, (int64_t)port->window);
    }
    for (int stage = 0; stage < exchange->program->stages; stage++) {
        sum_stage(&exchange->out, &exchange->program->out, stage);
        for (int i = 0; i < exchange->program->out.lanes; i++)
            state->ungranted += exchange->out.lane[i].stage_bytes - unasked(exchange, &exchange->out, i);
    }
    listen(exchange);
}

/* Receives wait for what comes without a grant. */
static void expect_unasked(qdr_exchange *exchange) {
    const qdri_side *side = &exchange->program->in;
    for (int i = 0; i < side->lanes; i++) {
        int64_t left = unasked(exchange, &exchange->in, i);
        count_outstanding(exchange, left);
        while (left > 0 && !exchange->failed) {
            int64_t leg = qdri_lane_next(exchange, &exchange->in, side, i);
            int64_t bytes =
                exchange->plan->ordered ? qdri_next_chunk(exchange, &exchange->in.flow[leg]) : left;
            qdri_chunk_receive(exchange, leg, bytes);
            left -= bytes;
        }
    }
}

static void stage(qdr_exchange *exchange) {
    grants *state = exchange->state;
    const qdri_program *program = exchange->program;
    sum_stage(&exchange->in, &program->in, exchange->stage);
    sum_stage(&exchange->out, &program->out, exchange->stage);
    state->cursor = program->in.stage_start[exchange->stage];
    expect_unasked(exchange);
    for (int i = 0; i < program->out.lanes; i++) {
        exchange->out.lane[i].granted += unasked(exchange, &exchange->out, i);
        pump_lane(exchange, i);
    }
    grant(exchange);
}

/* ---- room ---------------------------------------------------------------------------------------------- */

/* Chunks are at least a tenth of a window that finds itself; with those that are left over, so many. */
enum { AT_ONCE = 12 };

/* Of a lane, the chunks that a window holds; one more for each leg's end. */
static int64_t chunks_at_once(const qdr_exchange *exchange, int64_t bytes, int64_t legs) {
    int64_t most = exchange->plan->port ? AT_ONCE : exchange->window / exchange->chunk;
    return smaller(bytes / exchange->chunk, most) + legs + 2;
}

static qdri_room room(const qdr_exchange *exchange) {
    const qdri_program *program = exchange->program;
    int64_t unasked_chunks =
        exchange->plan->ordered ? exchange->window / exchange->plan->sources / exchange->chunk + 1 : 1;
    qdri_room room = {.sends = 0};
    for (int i = 0; i < program->out.lanes; i++)
        room.sends += chunks_at_once(exchange, exchange->out.lane[i].bytes, program->out.lane[i].legs);
    /* The window, and what comes without a grant. */
    room.receives =
        chunks_at_once(exchange, exchange->in.bytes, program->in.legs) + program->in.lanes * unasked_chunks;
    room.notes = room.receives + SPARE;
    return room;
}

const qdri_executor qdri_executor_grants = {
    .pacing = "grants",
    .chunk_share = 0.1,
    .window_share = 1,
    .state_bytes = sizeof(grants),
    .room = room,
    .start = start,
    .stage = stage,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .leave = leave,
};
