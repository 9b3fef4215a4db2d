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
 * That keeps step only while all do. A rank that was held up would find the first chunks of every later phase
 * on its port at once, lose some, and fall back further; and one whose port others use as well would be sent
 * more than it can take. So a transfer waits to be *invited*: its receiver does that a little before it gets
 * there, in the order of phases, and a few windows at a time, so no more than that can meet. The beginnings of
 * transfers of the first phase, and small ones, go uninvited; both ends know which. An invitation depends on
 * arrivals at smaller positions only.
 *
 * Where the window is the port's (port.h), tiny transfers wait for nothing at all, and small ones for their turn alone:
 * those of all ranks together may come unasked. What is small, and into which chunks the rest is cut, receivers say in
 * their invitations, for the slot's next exchange. There they also say whether some of the next exchanges may do without
 * invitations (trust.h). A rank that has heard of all others in an exchange, and then finds that nothing comes for long,
 * takes it for a loss; before, somebody may just be late.
 *
 * `free` is the same with a window that nothing fills, and whole messages: everything at once, in the order
 * of the phases. With the option `barrier`, ranks meet after each phase, and positions beyond it wait.
 */
#include <math.h>

#include "base/order.h"
#include "plan/executors/barrier.h"

enum { INVITATION = -1 }; /* the kind of a note; those of meetings are not negative */

/* A hop while it runs, beyond what all executors know of it. */
typedef struct step {
    int64_t position;         /* of its first byte */
    int64_t base;             /* bytes before it in its lane */
    int64_t chunk;            /* bytes of its chunks */
    int64_t unasked, invited; /* bytes that may go without an invitation; up to which it was invited */
    int is_small, is_open;
} step;

static step *step_of(const qdri_half *half, int64_t hop) {
    return (step *)half->flow_own + hop;
}

/* A lane, likewise. */
typedef struct row {
    int64_t bytes; /* of the hops so far, while they are numbered */
    int is_heard;  /* its rank was heard of in this exchange */
} row;

static row *row_of(const qdri_half *half, int lane) {
    return (row *)half->lane_own + lane;
}

/* ---- positions ----------------------------------------------------------------------------------------- */

/* Sets the positions of the hops of one phase, of which *cursor is the first; returns the chunks of the
 * longest. */
static int64_t set_phase(const qdri_exchange *exchange, qdri_half *half, const qdri_side *side, int64_t phase,
                         int64_t position, int64_t *cursor) {
    int64_t longest = 0;
    for (; *cursor < side->stage_start[exchange->stage + 1] && side->hop[*cursor].phase == phase; ++*cursor) {
        step_of(half, *cursor)->position = position;
        if (half->flow[*cursor].bytes > longest) longest = half->flow[*cursor].bytes;
    }
    return longest;
}

static int64_t phase_at(const qdri_exchange *exchange, const qdri_side *side, int64_t cursor) {
    return cursor < side->stage_start[exchange->stage + 1] ? side->hop[cursor].phase : INT64_MAX;
}

static void set_positions(qdri_exchange *exchange) {
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
    int64_t send, receive, invite; /* hops: the next to send of, to receive of, to invite */
    int64_t front;                 /* the first hop that has not arrived */
    int64_t uninvited;             /* bytes of this rank that wait for an invitation, of all stages */
    int heard;                     /* ranks that were heard of */
    double last;                   /* when something came; 0: nothing has */
    int is_at_port;                /* it counts among the port's exchanges */
    int is_invited, is_open; /* transfers to this rank need invitations; some would, and are spared them */
    double began;
    qdri_phase_barrier barrier;
} steps;

/* Moves a cursor over hops of which nothing is left; false at the end of the stage. */
static int skip(const qdri_half *half, const qdri_side *side, int stage, int64_t *cursor, int ended) {
    while (*cursor < side->stage_start[stage + 1]) {
        const qdri_flow *flow = &half->flow[*cursor];
        if ((ended ? flow->ended : flow->begun) < flow->bytes) return 1;
        ++*cursor;
    }
    return 0;
}

/* ---- invitations --------------------------------------------------------------------------------------- */

/* Whether transfers have to be invited at all. */
static int invites(const qdri_exchange *exchange) {
    return exchange->executor == &qdri_executor_arrivals && !exchange->plan->barrier;
}

/* Whether a transfer needs no invitation: all such of a rank are few bytes together, or that was agreed. */
static void set_size(const qdri_terms *terms, int64_t bytes, step *step) {
    step->is_small = qdri_window_unasked_of(terms->unasked, bytes) == bytes;
    step->is_open = !step->is_small && terms->times > 0 && bytes <= terms->open;
    step->chunk = step->is_small || step->is_open ? bytes : terms->chunk;
}

/* The terms of each transfer: whether it is small; how it is cut; and how much of it needs no invitation. They hold for
 * this exchange, whatever is said in it about the next. Returns whether some go uninvited that would need it. */
static int set_terms(const qdri_exchange *exchange, qdri_half *half, const qdri_side *side) {
    int is_open = 0;
    for (int64_t i = 0; i < side->hops; i++) {
        int64_t bytes = half->flow[i].bytes, *before = &row_of(half, side->hop[i].lane)->bytes;
        step *step = step_of(half, i);
        if (exchange->candidate->port) {
            set_size(&half->terms[side->hop[i].lane], bytes, step);
            is_open |= step->is_open;
        } else {
            step->is_open = 0;
            step->is_small = bytes <= exchange->window / exchange->program->ranks;
            step->chunk = exchange->chunk;
        }
        step->unasked = step->invited = !invites(exchange) || step->is_small || step->is_open ? bytes
                                        : side->hop[i].phase > 0 || bytes == 0
                                            ? 0
                                            : qdri_smaller(bytes, QDRI_FIRST_CHUNKS * step->chunk);
        step->base = *before;
        *before += bytes;
    }
    for (int i = 0; i < side->lanes; i++)
        if (half->terms[i].times > 0) half->terms[i].times--;
    return is_open;
}

static int64_t count_uninvited(const qdri_half *half, const qdri_side *side) {
    int64_t count = 0;
    for (int64_t i = 0; i < side->hops; i++) count += half->flow[i].bytes - step_of(half, i)->unasked;
    return count;
}

/* What receivers may choose for a chunk, at least. */
static int64_t least_chunk(const qdri_candidate *candidate) {
    return candidate->chunk_is_told ? qdri_smaller(candidate->chunk, QDRI_LEAST_CHUNK) : candidate->chunk;
}

/* How far a rank may be ahead of what has come to it. */
static int64_t window_of(const qdri_exchange *exchange) {
    const qdri_port *port = exchange->candidate->port;
    return port ? qdri_larger((int64_t)qdri_window_ahead(port->window, port->latency),
                              least_chunk(exchange->candidate))
                : exchange->window;
}

/* What this rank wants in the slot's next exchange. Where wires are long, ranks learn late that one of them is held up: without invitations they
 * get out of step sooner or later. */
static qdri_terms next_terms(const qdri_exchange *exchange) {
    const qdri_candidate *candidate = exchange->candidate;
    int64_t chunk = qdri_window_chunk(window_of(exchange), candidate->chunk);
    if (!candidate->port) return (qdri_terms){0};
    return (qdri_terms){
        .unasked = qdri_note_about(qdri_port_unasked(candidate->port) / candidate->sources),
        .chunk = candidate->chunk_is_told ? qdri_larger(chunk, least_chunk(candidate)) : candidate->chunk,
        .open = qdri_note_about(qdri_window_open(candidate->port->window, candidate->port->latency)),
        .times = qdri_port_is_far(candidate->port) ? 0 : qdri_trust_times(&candidate->trust)};
}

/* Says up to where in the lane bytes may come. */
static void invite_up_to(qdri_exchange *exchange, int64_t number, int64_t bytes, qdri_terms terms) {
    const qdri_hop *hop = &exchange->program->in.hop[number];
    const qdri_port *port = exchange->candidate->port;
    step *step = step_of(&exchange->in, number);
    step->invited = bytes;
    qdri_note note = {.kind = INVITATION,
                      .offset = step->base + bytes,
                      .bytes = terms.chunk,
                      .load = terms.open,
                      .load_left = terms.times,
                      .promise = terms.unasked};
    if (port) {
        note.word = qdri_port_tell(port);
        exchange->in.terms[hop->lane] = terms;
    }
    qdri_control_send(exchange, hop->partner, &note);
}

/* Invites whole chunks up to a position; not for less than `fewest` bytes, unless it is the rest. While many invitations are on
 * their way others can wait: what comes for these will ask again. */
static void invite(qdri_exchange *exchange, int64_t limit, int64_t fewest) {
    steps *at = exchange->state;
    const qdri_side *side = &exchange->program->in;
    int64_t end = side->stage_start[exchange->stage + 1];
    while (at->invite < end &&
           step_of(&exchange->in, at->invite)->invited == exchange->in.flow[at->invite].bytes)
        at->invite++;
    for (int64_t i = at->invite; i < end && exchange->notes.unused && !exchange->failed; i++) {
        const step *at_hop = step_of(&exchange->in, i);
        int64_t whole = exchange->in.flow[i].bytes;
        if (at_hop->position >= limit) return;
        if (at_hop->invited == whole) continue;
        int64_t chunks = (limit - at_hop->position - 1) / at_hop->chunk + 1,
                bytes = chunks > whole / at_hop->chunk ? whole : chunks * at_hop->chunk;
        if (bytes == whole || bytes - at_hop->invited >= fewest)
            invite_up_to(exchange, i, bytes, next_terms(exchange));
    }
}

/* How many bytes of a hop may be sent. */
static int64_t allowed(const qdri_exchange *exchange, int64_t number) {
    const step *step = step_of(&exchange->out, number);
    int64_t granted = exchange->out.lane[exchange->program->out.hop[number].lane].granted - step->base;
    return qdri_larger(step->unasked, qdri_smaller(exchange->out.flow[number].bytes, granted));
}

static int64_t allowed_in_lane(const qdri_exchange *exchange, int number) {
    const qdri_side *side = &exchange->program->out;
    const qdri_lane *lane = &side->lane[number];
    int64_t bytes = 0;
    for (int64_t i = 0; i < lane->hops; i++) bytes += allowed(exchange, side->lane_hop[lane->first + i]);
    return bytes;
}

/* Something has come from a rank. */
static void hear_of(qdri_exchange *exchange, int rank) {
    steps *at = exchange->state;
    int in = exchange->program->in.lane_of[rank], out = exchange->program->out.lane_of[rank];
    row *lane = in >= 0 ? row_of(&exchange->in, in) : row_of(&exchange->out, out);
    at->heard += !lane->is_heard;
    lane->is_heard = 1;
}

static void hear_invitation(qdri_exchange *exchange, int from, const qdri_note *note) {
    steps *at = exchange->state;
    int number = exchange->program->out.lane_of[from];
    qdri_lane_flow *lane = number < 0 ? NULL : &exchange->out.lane[number];
    const qdri_candidate *candidate = exchange->candidate;
    int64_t before = lane ? allowed_in_lane(exchange, number) : 0;
    if (lane && note->offset > lane->granted && note->offset <= lane->bytes &&
        (!candidate->port || note->bytes >= least_chunk(candidate))) {
        lane->granted = note->offset;
        at->uninvited -= allowed_in_lane(exchange, number) - before;
    }
    if (!lane || allowed_in_lane(exchange, number) == before) {
        qdri_exchange_fail(exchange,
                           qdri_fail(QDR_ERR_MISMATCH,
                                     "rank %d invites bytes up to %lld, but this rank has %lld for "
                                     "it: the two have different ideas of the exchange",
                                     from, (long long)note->offset, (long long)(lane ? lane->bytes : 0)));
        return;
    }
    if (candidate->port) {
        qdri_port_told(candidate->port, note->word, qdri_seconds());
        exchange->out.terms[number] = (qdri_terms){
            .unasked = note->promise, .chunk = note->bytes, .open = note->load, .times = note->load_left};
    }
    hear_of(exchange, from);
    lane->last = exchange->last;
    if (at->uninvited > 0) qdri_control_listen(exchange);
}

/* ---- getting on ---------------------------------------------------------------------------------------- */

static int64_t ahead_of(int64_t front, int64_t bytes) {
    return front < INT64_MAX - bytes ? front + bytes : INT64_MAX;
}

/* Up to which position a transfer may be sent. Those that come uninvited keep step. Small ones that are tiny, or shorter
 * than their way, need no pacing at all; neither do any before something is known. */
static int64_t send_limit(const qdri_exchange *exchange, int64_t hop, int64_t front, int64_t limit) {
    enum { TINY = 12 }; /* of the window, one part */
    const qdri_port *port = exchange->candidate->port;
    const step *step = step_of(&exchange->out, hop);
    if (!port || !(step->is_small || step->is_open)) return limit;
    double bytes = (double)exchange->out.flow[hop].bytes;
    int is_short = !port->is_found || TINY * bytes <= port->window || bytes <= port->rate * port->latency;
    if (step->is_small && is_short) return INT64_MAX;
    return ahead_of(front,
                    qdri_window_step(port->window, port->rate, port->latency, exchange->out.flow[hop].bytes));
}

/* Begins the chunks of one half that lie before a position. Who has to wait for an invitation holds up those behind it in its
 * lane, and no others: what their receivers wait for may be what it waits for itself. */
static void begin(qdri_exchange *exchange, qdri_half *half, const qdri_side *side, int64_t *cursor,
                  int64_t front, int64_t limit, void (*start)(qdri_exchange *, int64_t, int64_t)) {
    const steps *at = exchange->state;
    int is_whole = half == &exchange->out; /* nothing is left behind: a lane keeps its order */
    if (!skip(half, side, exchange->stage, cursor, 0)) return;
    for (int64_t i = *cursor; i < side->stage_start[exchange->stage + 1]; i++) {
        const qdri_flow *flow = &half->flow[i];
        const step *step = step_of(half, i);
        int64_t until = is_whole ? send_limit(exchange, i, front, limit) : limit;
        if (step->position >= until || !qdri_phase_barrier_open(exchange, &at->barrier, &side->hop[i]))
            return;
        if (half->lane[side->hop[i].lane].begun != step->base + flow->begun) continue;
        int64_t most = half == &exchange->out ? allowed(exchange, i) : flow->bytes;
        while (flow->begun < most && step->position + flow->begun < until) {
            if (!qdri_chunk_possible(half) || exchange->failed) return;
            int64_t left = flow->bytes - flow->begun;
            start(exchange, i, qdri_smaller(left, step->chunk));
        }
        is_whole &= flow->begun == flow->bytes;
    }
}

/* The first position that has not arrived. */
static int64_t find_front(const qdri_exchange *exchange, int64_t *cursor) {
    const qdri_side *side = &exchange->program->in;
    int64_t front = INT64_MAX;
    if (!skip(&exchange->in, side, exchange->stage, cursor, 1)) return front;
    for (int64_t i = *cursor;
         i < side->stage_start[exchange->stage + 1] && step_of(&exchange->in, i)->position < front; i++) {
        const qdri_flow *flow = &exchange->in.flow[i];
        int64_t position = step_of(&exchange->in, i)->position + flow->ended;
        if (flow->ended < flow->bytes && position < front) front = position;
    }
    return front;
}

static void pump(qdri_exchange *exchange) {
    const qdri_program *program = exchange->program;
    steps *at = exchange->state;
    int64_t front = find_front(exchange, &at->front), window = window_of(exchange);
    /* Receives wait well ahead of what is expected next, so that nothing comes unexpected. */
    begin(exchange, &exchange->in, &program->in, &at->receive, front, ahead_of(front, 4 * window),
          qdri_chunk_receive);
    /* Two and a half windows before their turn: an invitation has a way to go. */
    invite(exchange, ahead_of(front, 2 * window + window / 2), window);
    begin(exchange, &exchange->out, &program->out, &at->send, front, ahead_of(front, window),
          qdri_chunk_send);
}

static void stage(qdri_exchange *exchange) {
    steps *at = exchange->state;
    at->send = exchange->program->out.stage_start[exchange->stage];
    at->receive = at->front = at->invite = exchange->program->in.stage_start[exchange->stage];
    set_positions(exchange);
    pump(exchange);
}

/* A phase has ended perhaps: barrier, and begin what was waiting for that. */
static void go_on(qdri_exchange *exchange) {
    steps *at = exchange->state;
    pump(exchange);
    if (exchange->plan->barrier && qdri_phase_barrier_advance(exchange, &at->barrier)) pump(exchange);
}

static void sent(qdri_exchange *exchange, int64_t hop) {
    (void)hop;
    go_on(exchange);
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *chunk) {
    steps *at = exchange->state;
    qdri_port *port = exchange->candidate->port;
    if (port) {
        int64_t before = window_of(exchange);
        double now = qdri_seconds();
        int all_are_here = at->heard == exchange->program->ranks - 1;
        hear_of(exchange, exchange->program->in.hop[chunk->hop].partner);
        double returned = qdri_returned(exchange->wire);
        int was_lost = all_are_here && qdri_port_is_late(port, fmax(at->last, returned), now);
        qdri_port_returned(port, returned);
        qdri_port_arrived(port, chunk->bytes, was_lost, 0, now);
        at->last = now;
        if (window_of(exchange) != before)
            qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, window_of(exchange));
    }
    go_on(exchange);
}

static void control(qdri_exchange *exchange, int from, const qdri_note *note) {
    steps *at = exchange->state;
    if (note->kind == INVITATION)
        hear_invitation(exchange, from, note);
    else
        qdri_phase_barrier_heard(exchange, &at->barrier, note);
    go_on(exchange);
}

static void start(qdri_exchange *exchange) {
    steps *at = exchange->state;
    qdri_port *port = exchange->candidate->port;
    at->barrier = (qdri_phase_barrier){0};
    at->is_at_port = port != NULL;
    if (port) {
        at->began = qdri_seconds();
        qdri_port_enter(port, at->began);
        qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, window_of(exchange));
    }
    set_terms(exchange, &exchange->out, &exchange->program->out);
    at->is_open = set_terms(exchange, &exchange->in, &exchange->program->in);
    at->is_invited = count_uninvited(&exchange->in, &exchange->program->in) > 0;
    at->uninvited = count_uninvited(&exchange->out, &exchange->program->out);
    at->heard = 0;
    at->last = 0;
    if (at->uninvited > 0) qdri_control_listen(exchange);
    exchange->held = exchange->plan->barrier;
}

static void leave(qdri_exchange *exchange) {
    steps *at = exchange->state;
    if (!at->is_at_port) return;
    double now = qdri_seconds();
    at->is_at_port = 0;
    qdri_port_leave(exchange->candidate->port, now);
    if (at->is_open || at->is_invited)
        qdri_trust_learn(&exchange->candidate->trust, !at->is_open, now - at->began,
                         qdri_larger(exchange->in.bytes, exchange->out.bytes));
}

/* What begins a barrier also when a rank has nothing to do in the first phases. */
static void begun(qdri_exchange *exchange) {
    if (exchange->plan->barrier) go_on(exchange);
}

static int64_t chunks_of(const qdri_exchange *exchange, int64_t bytes) {
    int64_t chunk = qdri_smaller(exchange->chunk, least_chunk(exchange->candidate));
    return (bytes + chunk - 1) / chunk;
}

static int awaits(const qdri_exchange *exchange, int64_t *phase, const char **what) {
    const steps *at = exchange->state;
    *what = "bytes, but its word that all have ended,";
    return qdri_phase_barrier_awaits(exchange, &at->barrier, phase);
}

static qdri_room room(const qdri_exchange *exchange) {
    enum { MOST = 4096, NOTES = 64 }; /* beyond, what is under way waits for what is done */
    qdri_room room = {.notes = NOTES};
    for (int64_t i = 0; i < exchange->program->out.hops; i++)
        room.sends += chunks_of(exchange, exchange->out.flow[i].bytes);
    for (int64_t i = 0; i < exchange->program->in.hops; i++)
        room.receives += chunks_of(exchange, exchange->in.flow[i].bytes);
    if (room.sends > MOST) room.sends = MOST;
    if (room.receives > MOST) room.receives = MOST;
    return room;
}

const qdri_executor qdri_executor_free = {
    .pacing = "free",
    .summary = "at once",
    .has_barrier = 1,
    .whole = 1,
    .state_bytes = sizeof(steps),
    .flow_bytes = sizeof(step),
    .lane_bytes = sizeof(row),
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
    .summary =
        "when this rank has received its own share of the earlier phases, and the receiver has invited it",
    .has_barrier = 1,
    .chunk_share = 0.4,
    .window_share = 0.4,
    .state_bytes = sizeof(steps),
    .flow_bytes = sizeof(step),
    .lane_bytes = sizeof(row),
    .room = room,
    .start = start,
    .stage = stage,
    .begun = begun,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .leave = leave,
    .awaits = awaits,
};
