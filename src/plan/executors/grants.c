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
 *     aside one with much. Therefore grants carry a rumour: the load of the most loaded host that is known,
 *     and how much of it is left. A receiver that is behind that host uses its whole window. One that is ahead
 *     keeps only its share of it, (its load / that load), and the less the further ahead it is: a window is
 *     mostly more than a wire needs, and a share of it would hold back nobody. On a long wire rumours are old, and what may
 *     have come since then does not make anybody ahead.
 *
 *     Ranks of a host have one port, and what counts there is the host: its load, and how much of it is left. Each shows the others of
 *     its node what it wants itself (plan/demand.h), and has that part of the port's window.
 *
 *     A sender with a slow wire of its own is late for everybody. Whatever it is granted beyond that waits in
 *     front of its wire, and with it whatever that rank wants to say, such as its own grants. So nobody who
 *     waits for an answer for long asks again; and who is answered late asks for less at a time, down to one packet, also in the next
 *     exchange.
 *
 * The first window / sources bytes of a message are not granted but sent at once, `sources` being the most
 * that any rank receives from: all of them together are no more than a window, and an exchange of small
 * messages needs no grants at all. Both ends know the sizes, so they agree without a word. By schedule, where
 * partners may be relays, the same holds for whole lanes of no more than window / ranks bytes in a stage.
 */
#include <math.h>

#include "base/order.h"
#include "plan/demand.h"
#include "plan/executors/claims.h"
#include "plan/plan.h"
#include "wire/node.h"

typedef struct grants {
    int64_t outstanding; /* bytes granted to others, not arrived */
    int64_t cursor;      /* the hop to grant next, by schedule */
    int64_t load;        /* rumour: the bytes of the most loaded host, and how many of them are left */
    int64_t load_left;
    int64_t ungranted; /* bytes of which this rank's receivers have not spoken */
    int64_t promise;   /* of bytes that may come unasked in the slot's next exchange, from each rank */
    int is_short;      /* for a long wire: all of it may come unasked */
    int is_at_port;    /* is in the list of those that have the port's window together */
    qdri_demand host;  /* of all ranks that have this port, as last seen */
    int looks;         /* arrivals until that is looked at again */
    int stuck;         /* lanes that claim nothing, since they are to answer first */
    qdri_exchange *next;
    qdri_claims claims; /* of lanes to be granted, where there is no schedule */
} grants;

/* A lane while it runs, beyond what all executors know of it. */
typedef struct granting {
    int64_t stage_bytes;
    double since; /* when it last came to nothing under way, or something of it came */
    int is_stuck; /* it has to answer before it is granted more */
} granting;

static granting *granting_of(const qdri_half *half, int lane) {
    return (granting *)half->lane_own + lane;
}

/* Notes that MPI has taken, but not yet reported as sent. */
enum { SPARE = 64 };

/* ---- lanes by stage ------------------------------------------------------------------------------------ */

/* Sums the bytes of each lane in one stage. */
static void sum_stage(qdri_half *half, const qdri_side *side, int stage) {
    for (int i = 0; i < side->lanes; i++) granting_of(half, i)->stage_bytes = 0;
    for (int64_t i = side->stage_start[stage]; i < side->stage_start[stage + 1]; i++)
        granting_of(half, side->hop[i].lane)->stage_bytes += half->flow[i].bytes;
}

/* How much of a lane goes without a grant in this stage. */
static int64_t unasked(const qdri_exchange *exchange, const qdri_half *half, int number) {
    int64_t bytes = granting_of(half, number)->stage_bytes,
            limit = exchange->window / exchange->program->ranks;
    if (exchange->candidate->ordered) return bytes <= limit ? bytes : 0;
    if (exchange->candidate->port) return qdri_window_unasked_of(half->terms[number].unasked, bytes);
    return qdri_smaller(bytes, half->terms[number].unasked);
}

/* The window of this rank, whatever it leaves to others. */
static int64_t whole_window(const qdri_exchange *exchange) {
    const qdri_port *port = exchange->candidate->port;
    return port ? (int64_t)port->window : exchange->window;
}

/* The least that is worth a message. */
static int64_t least_chunk(const qdri_exchange *exchange) {
    const qdri_port *port = exchange->candidate->port;
    return port ? qdri_port_least_chunk(port) : exchange->chunk;
}

/* ---- sending ------------------------------------------------------------------------------------------- */

/* By schedule, both ends cut hops into chunks from their beginning, because a grant may come before its
 * stage; `paced` has no stages, and answers each grant with one message. */
static void pump_lane(qdri_exchange *exchange, int lane) {
    qdri_lane_send(exchange, lane, !exchange->candidate->ordered);
}

/* Grants are heard one by one, and only while there is a chunk to answer with: two may not become one
 * message. */
static void listen(qdri_exchange *exchange) {
    const grants *state = exchange->state;
    if (state->ungranted > 0 && qdri_chunk_possible(&exchange->out)) qdri_control_listen(exchange);
}

static void sent(qdri_exchange *exchange, int64_t hop) {
    qdri_lanes_send(exchange, hop, !exchange->candidate->ordered);
    listen(exchange);
}

static void hear(grants *state, int64_t load, int64_t left) {
    if (load > state->load || (load == state->load && left < state->load_left)) {
        state->load = load;
        state->load_left = left;
    }
}

static void control(qdri_exchange *exchange, int from, const qdri_note *note) {
    grants *state = exchange->state;
    int number = exchange->program->out.lane_of[from];
    qdri_lane_flow *lane = number < 0 ? NULL : &exchange->out.lane[number];
    if (!lane || note->offset != lane->granted || note->bytes <= 0 ||
        note->bytes > lane->bytes - lane->granted) {
        qdri_exchange_fail(exchange,
                           qdri_fail(QDR_ERR_MISMATCH,
                                     "rank %d grants bytes %lld to %lld, but this rank has %lld "
                                     "for it: the two have different ideas of the exchange",
                                     from, (long long)note->offset, (long long)(note->offset + note->bytes),
                                     (long long)(lane ? lane->bytes : 0)));
        return;
    }
    hear(state, note->load, note->load_left);
    if (exchange->candidate->port) qdri_port_told(exchange->candidate->port, note->word, qdri_seconds());
    exchange->out.terms[number].unasked = note->promise;
    lane->granted += note->bytes;
    lane->last = exchange->last;
    state->ungranted -= note->bytes;
    pump_lane(exchange, number);
    listen(exchange);
}

/* ---- the host ------------------------------------------------------------------------------------------ */

static qdri_demand demand_of(const qdri_exchange *exchange) {
    const qdri_half *in = &exchange->in, *out = &exchange->out;
    return (qdri_demand){in->bytes, in->bytes - in->ended, out->bytes, out->bytes - out->ended, .absent = 0};
}

/* Of all exchanges at the port. */
static qdri_demand demand_at(const qdri_port *port) {
    qdri_demand sum = {.absent = !port->first};
    for (const qdri_exchange *one = port->first; one; one = ((grants *)one->state)->next) {
        qdri_demand its = demand_of(one);
        sum.in += its.in;
        sum.in_left += its.in_left;
        sum.out += its.out;
        sum.out_left += its.out_left;
    }
    return sum;
}

static int shares_port(const qdri_exchange *exchange) {
    const qdri_port *port = exchange->candidate->port;
    return port && port->sharing > 1 && !exchange->candidate->ordered &&
           qdri_node_members(exchange->wire) > 1;
}

static const qdri_demand *host_of(const qdri_exchange *exchange, grants *state) {
    if (!shares_port(exchange)) state->host = demand_of(exchange);
    return &state->host;
}

/* What the host wants in all is the most that was seen: ranks that are done want nothing, but what they had was part of the
 * host's load, and a host whose load seemed to shrink would take itself for one that is ahead. */
static void see_host(grants *state, qdri_demand host) {
    host.in = qdri_larger(host.in, state->host.in);
    host.out = qdri_larger(host.out, state->host.out);
    state->host = host;
}

/* Others may not have begun yet: until a window has come, each has as much of the port. The more ranks there are to look at, the more
 * rarely that is done. */
static void look_at_host(qdri_exchange *exchange) {
    enum { FEWEST_BETWEEN_LOOKS = 4 }; /* arrivals */
    const double least = 0.25;         /* of what it is if all want the same */
    grants *state = exchange->state;
    qdri_port *port = exchange->candidate->port;
    if (!shares_port(exchange) || --state->looks > 0) return;
    int members = qdri_node_members(exchange->wire);
    state->looks = members > FEWEST_BETWEEN_LOOKS ? members : FEWEST_BETWEEN_LOOKS;
    qdri_demand own = demand_at(port);
    qdri_demand_show(exchange->wire, own);
    see_host(state, qdri_demand_of_node(exchange->wire, own));
    if (own.in_left == 0) return;
    if (state->host.absent > 0 && (double)(own.in - own.in_left) < port->window) return;
    double part = (double)own.in_left / (double)state->host.in_left, fewest = least / port->sharing;
    qdri_port_set_part(port, part > fewest ? part : fewest);
}

/* ---- whom to grant next -------------------------------------------------------------------------------- */

/* The next hop by schedule; -1: none. */
static int64_t scheduled_hop(qdri_exchange *exchange, grants *state, int64_t *bytes) {
    const qdri_side *side = &exchange->program->in;
    for (; state->cursor < side->stage_start[exchange->stage + 1]; state->cursor++) {
        const qdri_flow *flow = &exchange->in.flow[state->cursor];
        if (flow->begun == flow->bytes) continue;
        *bytes = qdri_next_chunk(exchange, flow);
        return state->cursor;
    }
    return -1;
}

/* Says anew what a lane claims, of which something was granted, or has come. */
static void claim(qdri_exchange *exchange, int number) {
    grants *state = exchange->state;
    const qdri_lane_flow *lane = &exchange->in.lane[number];
    granting *own = granting_of(&exchange->in, number);
    if (exchange->candidate->ordered) return;
    state->stuck -= own->is_stuck;
    own->is_stuck = 0;
    qdri_claims_set(&state->claims, number,
                    (double)(lane->bytes - lane->begun) /
                        (double)(lane->begun - lane->ended + least_chunk(exchange)));
}

/* From when on a rank was late that was asked then: for what came while nobody here looked it cannot help. */
static double counted_from(const qdri_exchange *exchange, double asked) {
    return fmax(asked, qdri_returned(exchange->wire));
}

/* Whether a lane has to answer before it is granted more. */
static int has_to_answer(const qdri_exchange *exchange, int number, double now) {
    const qdri_port *port = exchange->candidate->port;
    const qdri_lane_flow *lane = &exchange->in.lane[number];
    double since = granting_of(&exchange->in, number)->since;
    return port && qdri_answers_first(&exchange->in.terms[number].answers, port, lane->begun - lane->ended,
                                      counted_from(exchange, since), now);
}

/* The lane that is next; -1: none. Those that have to answer first claim something when they have. */
static int next_lane(qdri_exchange *exchange, double now) {
    grants *state = exchange->state;
    int number;
    while ((number = qdri_claims_first(&state->claims)) >= 0) {
        if (!has_to_answer(exchange, number, now)) break;
        qdri_claims_set(&state->claims, number, 0);
        granting_of(&exchange->in, number)->is_stuck = 1;
        state->stuck++;
    }
    return number;
}

/* Bytes under way to this rank: of one exchange, or of all that have a window together. */
static int64_t outstanding(const qdri_exchange *exchange) {
    const grants *state = exchange->state;
    return exchange->candidate->port ? exchange->candidate->port->under_way : state->outstanding;
}

/* How much to ask a lane for. Where few of them are left, messages are larger, two to a lane's share of the window: a chunk
 * is small only to be fair to many. If there is room for half of that, and a packet, half it is: else a window that has become
 * a little smaller would be half empty. */
static int64_t chunk_for(const qdri_exchange *exchange, int number, int64_t window) {
    const grants *state = exchange->state;
    const qdri_lane_flow *lane = &exchange->in.lane[number];
    const qdri_port *port = exchange->candidate->port;
    int64_t waiting = state->claims.count + state->stuck, share = window / (2 * waiting),
            room = window - outstanding(exchange);
    if (port) share = qdri_smaller(share, qdri_port_most_chunk(port));
    int64_t chunk = qdri_larger(least_chunk(exchange), share);
    if (room >= qdri_larger(chunk / 2, QDRI_PACKET)) chunk = qdri_smaller(chunk, room);
    chunk = qdri_answers_most(&exchange->in.terms[number].answers, lane->begun - lane->ended, chunk);
    return qdri_smaller(lane->bytes - lane->begun, chunk);
}

/* The next hop of `paced`; -1: none. */
static int64_t proportional_hop(qdri_exchange *exchange, int64_t window, double now, int64_t *bytes) {
    const qdri_side *side = &exchange->program->in;
    int number = next_lane(exchange, now);
    if (number < 0) return -1;
    *bytes = chunk_for(exchange, number, window);
    return qdri_lane_next(exchange, &exchange->in, side, number);
}

static double share_of(int64_t bytes, int64_t whole) {
    return (double)bytes / (double)whole;
}

/* Of the most loaded host that is known, in parts of the whole. */
static double how_far_ahead(const grants *state, const qdri_demand *host) {
    return share_of(state->load_left, state->load) - share_of(host->in_left, host->in);
}

/* Whether no host is known to be clearly further behind, and a larger window would let others send while one is busy:
 * from the last few senders it would only lie in front of their wires. */
static int is_critical(const qdri_exchange *exchange, grants *state) {
    enum { FEW = 2 };
    return state->load > 0 && state->claims.count + state->stuck > FEW &&
           how_far_ahead(state, host_of(exchange, state)) <= 0.05 * share_of(state->load_left, state->load);
}

/* What comes to the host in a second, in parts of the whole. */
static double moved_of(const qdri_port *port, const grants *state) {
    return port->rate / (port->part * (double)state->load);
}

/* How much may be under way to this rank. */
static int64_t own_window(const qdri_exchange *exchange, grants *state) {
    const qdri_demand *host = host_of(exchange, state);
    const qdri_port *port = exchange->candidate->port;
    int64_t window = whole_window(exchange);
    if (exchange->candidate->ordered) return window;
    hear(state, qdri_larger(host->in, host->out), qdri_larger(host->in_left, host->out_left));
    double kept = qdri_window_kept(how_far_ahead(state, host), port ? moved_of(port, state) : 0,
                                   port ? port->latency : 0);
    if (kept >= 1) return window;
    return qdri_larger(2 * least_chunk(exchange),
                       (int64_t)(kept * share_of(host->in, state->load) * (double)window));
}

static void count_outstanding(qdri_exchange *exchange, int64_t bytes) {
    grants *state = exchange->state;
    state->outstanding += bytes;
    if (exchange->candidate->port) exchange->candidate->port->under_way += bytes;
}

/* Whether so many bytes more may be under way. One grant of an exchange may always be: ranks may wait for exchanges in
 * different orders, so none may depend on another. */
static int fits(const qdri_exchange *exchange, int64_t window, int64_t bytes) {
    const grants *state = exchange->state;
    return state->outstanding == 0 || outstanding(exchange) + bytes <= window;
}

/* What a lane may send unasked the next time. Who does not answer has less. */
static int64_t promise_to(const qdri_exchange *exchange, int lane) {
    const grants *state = exchange->state;
    int64_t promise = state->promise, allowance = exchange->in.terms[lane].answers.allowance;
    if (state->is_short) promise = qdri_larger(promise, qdri_note_about(exchange->in.lane[lane].bytes));
    return allowance > 0 ? qdri_smaller(promise, qdri_note_about(allowance)) : promise;
}

static void grant_one(qdri_exchange *exchange) {
    grants *state = exchange->state;
    const qdri_port *port = exchange->candidate->port;
    if (exchange->in.ended == exchange->in.bytes) return;
    int64_t window = own_window(exchange, state);
    while (!exchange->failed && fits(exchange, window, 1) && qdri_chunk_possible(&exchange->in)) {
        int64_t bytes = 0;
        double now = port ? qdri_seconds() : 0;
        int64_t number = exchange->candidate->ordered ? scheduled_hop(exchange, state, &bytes)
                                                      : proportional_hop(exchange, window, now, &bytes);
        if (number < 0) return;
        const qdri_hop *hop = &exchange->program->in.hop[number];
        qdri_lane_flow *lane = &exchange->in.lane[hop->lane];
        qdri_note note = {.offset = lane->begun,
                          .bytes = bytes,
                          .load = state->load,
                          .load_left = state->load_left,
                          .promise = promise_to(exchange, hop->lane)};
        if (!fits(exchange, window, bytes)) return;
        count_outstanding(exchange, bytes);
        if (port) note.word = qdri_port_tell(port);
        if (lane->begun == lane->ended) granting_of(&exchange->in, hop->lane)->since = now;
        exchange->in.terms[hop->lane].unasked = note.promise;
        qdri_trace(exchange, QDR_EVENT_GRANT, hop->partner, hop->phase, exchange->in.flow[number].begun,
                   bytes);
        qdri_chunk_receive_granted(exchange, number, bytes, now);
        if (!exchange->candidate->ordered) qdri_claims_served(&state->claims, hop->lane);
        claim(exchange, hop->lane);
        if (!exchange->failed) qdri_control_send(exchange, hop->partner, &note);
    }
}

/* ---- exchanges with one window ------------------------------------------------------------------------- */

static void join(qdri_port *port, qdri_exchange *exchange) {
    qdri_exchange **place = (qdri_exchange **)&port->first;
    while (*place) place = &((grants *)(*place)->state)->next;
    *place = exchange;
    ((grants *)exchange->state)->next = NULL;
}

static void part(qdri_port *port, qdri_exchange *exchange) {
    qdri_exchange **place = (qdri_exchange **)&port->first;
    while (*place && *place != exchange) place = &((grants *)(*place)->state)->next;
    if (*place) *place = ((grants *)exchange->state)->next;
}

/* Whoever has just been served comes last. */
static void grant(qdri_exchange *exchange) {
    qdri_port *port = exchange->candidate->port;
    if (!port) {
        grant_one(exchange);
        return;
    }
    if (port->first != exchange || ((grants *)exchange->state)->next) {
        part(port, exchange);
        join(port, exchange);
    }
    for (qdri_exchange *one = port->first, *next; one; one = next) {
        next = ((grants *)one->state)->next;
        grant_one(one);
    }
}

/* The share of the window that a busy sender may have. Who waits for nothing from this rank may send it all it can. */
static double share_when_busy(const qdri_exchange *exchange, int number) {
    int back = exchange->program->out.lane_of[exchange->program->in.lane[number].partner];
    const qdri_lane_flow *out = back < 0 ? NULL : &exchange->out.lane[back];
    return out && out->granted < out->bytes ? share_of(exchange->in.lane[number].bytes, exchange->in.bytes)
                                            : 1;
}

static void arrived(qdri_exchange *exchange, const qdri_chunk *chunk) {
    grants *state = exchange->state;
    qdri_port *port = exchange->candidate->port;
    int number = exchange->program->in.hop[chunk->hop].lane;
    count_outstanding(exchange, -chunk->bytes);
    if (port) {
        int64_t before = (int64_t)port->window;
        double now = granting_of(&exchange->in, number)->since = qdri_seconds();
        int was_lost = chunk->granted > 0 && qdri_answers_judge(&exchange->in.terms[number].answers, port,
                                                                exchange->program->in.lane[number].partner,
                                                                share_when_busy(exchange, number),
                                                                counted_from(exchange, chunk->granted), now);
        qdri_port_returned(port, qdri_returned(exchange->wire));
        qdri_port_arrived(port, chunk->bytes, was_lost, is_critical(exchange, state), now);
        if ((int64_t)port->window != before)
            qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, (int64_t)port->window);
    }
    look_at_host(exchange);
    claim(exchange, number);
    grant(exchange);
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

static qdr_status open_claims(qdri_exchange *slot) {
    grants *state = slot->state;
    return qdri_claims_open(&state->claims, slot->program->in.lanes) ? QDR_OK : qdri_fail_memory();
}

static void close_claims(qdri_exchange *slot) {
    qdri_claims_close(&((grants *)slot->state)->claims);
}

static void leave(qdri_exchange *exchange) {
    grants *state = exchange->state;
    if (!state->is_at_port) return;
    qdri_port *port = exchange->candidate->port;
    state->is_at_port = 0;
    part(port, exchange);
    port->under_way -= state->outstanding;
    qdri_port_leave(port, qdri_seconds());
    if (port->sharing > 1) qdri_demand_show(exchange->wire, demand_at(port));
    if (port->first) grant(port->first);
}

static void start(qdri_exchange *exchange) {
    grants *state = exchange->state;
    qdri_port *port = exchange->candidate->port;
    int64_t promise = (port ? qdri_port_unasked(port) : exchange->window) / exchange->candidate->sources;
    *state = (grants){.promise = qdri_note_about(promise),
                      .is_short = port && qdri_port_is_short(port, exchange->in.bytes),
                      .is_at_port = port != NULL,
                      .claims = state->claims};
    if (port) {
        join(port, exchange);
        qdri_port_enter(port, qdri_seconds());
        qdri_trace(exchange, QDR_EVENT_WINDOW, -1, 0, 0, (int64_t)port->window);
    }
    look_at_host(exchange);
    for (int stage = 0; stage < exchange->program->stages; stage++) {
        sum_stage(&exchange->out, &exchange->program->out, stage);
        for (int i = 0; i < exchange->program->out.lanes; i++)
            state->ungranted +=
                granting_of(&exchange->out, i)->stage_bytes - unasked(exchange, &exchange->out, i);
    }
    listen(exchange);
}

/* Receives wait for what comes without a grant. */
static void expect_unasked(qdri_exchange *exchange) {
    grants *state = exchange->state;
    const qdri_side *side = &exchange->program->in;
    /* On short wires it is waited for before more is asked for: then it is known who is late. */
    double now =
        exchange->candidate->port && qdri_port_is_far(exchange->candidate->port) ? qdri_seconds() : 0;
    if (!exchange->candidate->ordered) qdri_claims_reset(&state->claims, side->lanes);
    for (int i = 0; i < side->lanes; i++) {
        int64_t left = unasked(exchange, &exchange->in, i);
        count_outstanding(exchange, left);
        granting_of(&exchange->in, i)->since = now;
        while (left > 0 && !exchange->failed) {
            int64_t hop = qdri_lane_next(exchange, &exchange->in, side, i);
            int64_t bytes =
                exchange->candidate->ordered ? qdri_next_chunk(exchange, &exchange->in.flow[hop]) : left;
            qdri_chunk_receive(exchange, hop, bytes);
            left -= bytes;
        }
        claim(exchange, i);
    }
}

static void stage(qdri_exchange *exchange) {
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

/* Of a lane, the chunks that a window holds; one more for each hop's end. */
static int64_t chunks_at_once(const qdri_exchange *exchange, int64_t bytes, int64_t hops) {
    int64_t most = exchange->candidate->port ? AT_ONCE : exchange->window / exchange->chunk;
    return qdri_smaller(bytes / exchange->chunk, most) + hops + 2;
}

static qdri_room room(const qdri_exchange *exchange) {
    const qdri_program *program = exchange->program;
    int64_t unasked_chunks = exchange->candidate->ordered
                                 ? exchange->window / exchange->candidate->sources / exchange->chunk + 1
                                 : 1;
    qdri_room room = {.sends = 0};
    for (int i = 0; i < program->out.lanes; i++)
        room.sends += chunks_at_once(exchange, exchange->out.lane[i].bytes, program->out.lane[i].hops);
    /* The window, and what comes without a grant. */
    room.receives =
        chunks_at_once(exchange, exchange->in.bytes, program->in.hops) + program->in.lanes * unasked_chunks;
    room.notes = room.receives + SPARE;
    return room;
}

const qdri_executor qdri_executor_grants = {
    .pacing = "grants",
    .summary = "when its receiver has granted it",
    .chunk_share = 0.1,
    .state_bytes = sizeof(grants),
    .lane_bytes = sizeof(granting),
    .open = open_claims,
    .close = close_claims,
    .room = room,
    .start = start,
    .stage = stage,
    .sent = sent,
    .arrived = arrived,
    .control = control,
    .leave = leave,
};
