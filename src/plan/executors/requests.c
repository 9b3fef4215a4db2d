/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pacing by requests: distributed random scheduling (section 6 of the transportation paper), where the
 * test-and-set of a remote lock is a message and its answer. A sender asks one destination at a time, drawn
 * at random from those that it still has something for. One that is free says *go*, and the whole transfer
 * follows; one that is receiving says *busy*. Both improvements of the paper are here, and each can be
 * switched off:
 *
 *     busy-for   the answer carries how long the receiver will be busy, by what is left of its transfer and
 *     the rate
 *                at which it comes; it is not asked again before, and a sender whose destinations are all
 *                busy sleeps for the smallest of these times
 *     ahead      a receiver says go already when the current transfer is about to end: no more than a chunk
 *     is left
 *
 * Control messages are listened for while this rank has asked, or while something is still to be asked of it:
 * then one is certain to come. A rank that is asked about a stage that it has not reached is busy, for a
 * little while.
 */
#include "plan/plan.h"

#include "base/random.h"

enum { ASK, GO, BUSY };

static const double short_while = 1e-3; /* seconds, when nothing better is known */

typedef struct requests {
    qdri_poller poller; /* first: callbacks convert */
    qdri_exchange *exchange;
    qdri_random random;
    int asked;       /* the lane that was asked and has not answered; -1: none */
    double wake;     /* when the sleep is over; 0: awake */
    int64_t unasked; /* bytes that this rank receives and has not said go to */
    int64_t coming;  /* bytes that it said go to, and that have not arrived */
    double rate;     /* bytes per second of what came; 0: unknown */
    double since;    /* when the current transfer was let go */
    int64_t since_bytes;
    int waiting; /* is in the wire's list */
} requests;

static void keep_listening(qdri_exchange *exchange) {
    const requests *state = exchange->state;
    if (state->asked >= 0 || state->unasked > 0) qdri_control_listen(exchange);
}

/* ---- sending ------------------------------------------------------------------------------------------- */

/* Until when the destination of a lane has said that it is busy. */
static double *busy_until(const qdri_exchange *exchange, int lane) {
    return (double *)exchange->out.lane_own + lane;
}

/* Draws a destination that is not known to be busy; without one, says until when to sleep. */
static int draw(qdri_exchange *exchange, double now, double *wake) {
    const qdri_side *side = &exchange->program->out;
    requests *state = exchange->state;
    int drawn = -1;
    int64_t free_ones = 0;
    *wake = 0;
    for (int i = 0; i < side->lanes; i++) {
        const qdri_lane_flow *lane = &exchange->out.lane[i];
        if (lane->begun < lane->granted || qdri_lane_next(exchange, &exchange->out, side, i) < 0) continue;
        double until = *busy_until(exchange, i);
        if (until > now) {
            if (*wake == 0 || until < *wake) *wake = until;
        } else if (qdri_random_below(&state->random, (uint64_t)++free_ones) == 0) {
            drawn = i; /* each of those seen so far with the same chance */
        }
    }
    return drawn;
}

/* Only a sleeper has to be looked at: where MPI is simulated, whoever is not waits inside it. */
static void set_waiting(requests *state, int waits) {
    if (waits == state->waiting) return;
    if (waits)
        qdri_poller_add(state->exchange->wire, &state->poller);
    else
        qdri_poller_remove(state->exchange->wire, &state->poller);
    state->waiting = waits;
}

static void ask(qdri_exchange *exchange) {
    requests *state = exchange->state;
    if (state->asked >= 0 || exchange->failed) return;
    int lane = draw(exchange, qdri_seconds(), &state->wake);
    set_waiting(state, lane < 0 && state->wake > 0);
    if (lane < 0) return;
    state->wake = 0;
    state->asked = lane;
    qdri_control_send(exchange, exchange->program->out.lane[lane].partner, &(qdri_note){.kind = ASK});
    keep_listening(exchange);
}

static void sent(qdri_exchange *exchange, int64_t hop) {
    const qdri_lane_flow *lane = &exchange->out.lane[exchange->program->out.hop[hop].lane];
    qdri_lanes_send(exchange, hop, 0);
    if (!exchange->starved && lane->begun == lane->granted) ask(exchange);
}

static void answered(qdri_exchange *exchange, int number, const qdri_note *note) {
    requests *state = exchange->state;
    qdri_lane_flow *lane = &exchange->out.lane[number];
    int64_t hop = qdri_lane_next(exchange, &exchange->out, &exchange->program->out, number);
    state->asked = -1;
    lane->last = exchange->last;
    if (note->kind == BUSY) {
        *busy_until(exchange, number) = qdri_seconds() + 1e-9 * (double)note->bytes;
        ask(exchange);
    } else if (hop >= 0 && note->bytes == exchange->out.flow[hop].bytes) {
        lane->granted += note->bytes;
        qdri_lane_send(exchange, number, 0);
    } else {
        int64_t bytes = hop < 0 ? 0 : exchange->out.flow[hop].bytes;
        qdri_exchange_fail(exchange, qdri_fail(QDR_ERR_MISMATCH,
                                               "rank %d expects %lld bytes, but this rank has %lld for it",
                                               exchange->program->out.lane[number].partner,
                                               (long long)note->bytes, (long long)bytes));
    }
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

static void post(qdri_exchange *exchange) {
    const qdri_side *side = &exchange->program->in;
    for (int i = 0; i < side->lanes; i++) {
        qdri_lane_flow *lane = &exchange->in.lane[i];
        while (!exchange->failed && lane->begun < lane->granted && qdri_chunk_possible(&exchange->in)) {
            int64_t hop = qdri_lane_next(exchange, &exchange->in, side, i);
            if (hop < 0) break;
            qdri_chunk_receive(exchange, hop, qdri_next_chunk(exchange, &exchange->in.flow[hop]));
        }
    }
}

/* Nanoseconds until what is coming will have come. */
static int64_t busy_for(const qdri_exchange *exchange) {
    const requests *state = exchange->state;
    int64_t left = state->coming - (exchange->candidate->goes_ahead ? exchange->chunk : 0);
    double seconds = state->rate > 0 && left > 0 ? (double)left / state->rate : short_while;
    return (int64_t)(1e9 * (seconds < 10 ? seconds : 10));
}

static void was_asked(qdri_exchange *exchange, int from) {
    requests *state = exchange->state;
    const qdri_side *side = &exchange->program->in;
    int number = side->lane_of[from];
    qdri_lane_flow *lane = number < 0 ? NULL : &exchange->in.lane[number];
    int64_t hop = lane ? qdri_lane_next(exchange, &exchange->in, side, number) : -1;
    int free_now = state->coming <= (exchange->candidate->goes_ahead ? exchange->chunk : 0);
    if (!lane || lane->granted == lane->bytes) {
        qdri_exchange_fail(
            exchange, qdri_fail(QDR_ERR_MISMATCH, "rank %d wants to send more than this rank expects", from));
        return;
    }
    lane->last = exchange->last;
    if (hop < 0 || !free_now || lane->begun < lane->granted) {
        int64_t pause = hop < 0 ? (int64_t)(1e9 * short_while) : busy_for(exchange);
        qdri_control_send(
            exchange, from,
            &(qdri_note){.kind = BUSY, .bytes = exchange->candidate->tells_how_busy ? pause : 0});
        return;
    }
    int64_t bytes = exchange->in.flow[hop].bytes;
    if (state->coming == 0) {
        state->since = qdri_seconds();
        state->since_bytes = 0;
    }
    lane->granted += bytes;
    state->coming += bytes;
    state->unasked -= bytes;
    qdri_trace(exchange, QDR_EVENT_GRANT, from, side->hop[hop].phase, 0, bytes);
    post(exchange);
    if (!exchange->failed) qdri_control_send(exchange, from, &(qdri_note){.kind = GO, .bytes = bytes});
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *chunk) {
    requests *state = exchange->state;
    state->coming -= chunk->bytes;
    state->since_bytes += chunk->bytes;
    double now = qdri_seconds();
    if (now > state->since) state->rate = (double)state->since_bytes / (now - state->since);
    post(exchange);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static void control(qdri_exchange *exchange, int from, const qdri_note *note) {
    const requests *state = exchange->state;
    if (note->kind == ASK)
        was_asked(exchange, from);
    else if (state->asked >= 0 && exchange->program->out.lane[state->asked].partner == from)
        answered(exchange, state->asked, note);
    else
        qdri_exchange_fail(exchange, qdri_fail(QDR_ERR_MISMATCH, "rank %d answers what was not asked", from));
    if (!exchange->failed) keep_listening(exchange);
}

static void wake_up(qdri_poller *poller) {
    requests *state = (requests *)poller;
    if (state->wake > 0 && qdri_seconds() >= state->wake) ask(state->exchange);
}

static void read_options(qdri_candidate *candidate, const qdri_spec *spec) {
    candidate->seed = qdri_spec_integer(spec, "seed");
    candidate->tells_how_busy = qdri_spec_flag(spec, "busy-for");
    candidate->goes_ahead = qdri_spec_flag(spec, "ahead");
}

static void start(qdri_exchange *exchange) {
    requests *state = exchange->state;
    *state = (requests){.poller = {.poll = wake_up}, .exchange = exchange, .asked = -1};
    state->random =
        qdri_random_seed(qdri_mix((uint64_t)exchange->candidate->seed) ^ (uint64_t)exchange->program->rank);
    state->unasked = exchange->in.bytes;
    keep_listening(exchange);
}

static void stage(qdri_exchange *exchange) {
    for (int i = 0; i < exchange->program->out.lanes; i++) *busy_until(exchange, i) = 0;
    ask(exchange);
}

static void leave(qdri_exchange *exchange) {
    requests *state = exchange->state;
    set_waiting(state, 0);
}

static qdri_room room(const qdri_exchange *exchange) {
    enum { MOST = 4096, SPARE = 64 };
    const qdri_program *program = exchange->program;
    qdri_room room = {
        .sends = exchange->out.bytes / exchange->chunk + program->out.hops + 1,
        .receives = exchange->in.bytes / exchange->chunk + program->in.hops + 1,
        .notes = program->out.lanes + program->in.lanes + SPARE, /* one question each way, and answers */
    };
    if (room.sends > MOST) room.sends = MOST;
    if (room.receives > MOST) room.receives = MOST;
    return room;
}

const qdri_executor qdri_executor_requests = {
    .pacing = "requests",
    .summary = "when its sender has asked, and the receiver is free",
    .chunk_share = 0.4,
    .state_bytes = sizeof(requests),
    .lane_bytes = sizeof(double),
    .read = read_options,
    .room = room,
    .start = start,
    .stage = stage,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .leave = leave,
};
