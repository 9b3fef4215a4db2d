/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays an exchange in chunks: see pace.h. */
#include "predict/pace.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/window.h"
#include "predict/pace_rules.h"
#include "predict/play.h"

enum { NONE = -1 };
static const double most_bytes = 0x1p60; /* so that sums of positions fit */

/* What happens to a piece: its startup is over; it has come. */
enum { STARTED, CAME, KINDS };

/* ---- pieces -------------------------------------------------------------------------------------------- */

static int32_t new_piece(qdri_pacer *pacer, qdri_pace_piece content) {
    int32_t number = pacer->unused;
    if (number == NONE) {
        int64_t count = pacer->pieces;
        if (count >= INT32_MAX / 2 ||
            !qdri_grow(&pacer->piece, &pacer->pieces, count + 1, sizeof *pacer->piece)) {
            pacer->failed = qdri_fail_memory();
            return NONE;
        }
        for (int64_t i = count; i < pacer->pieces; i++)
            pacer->piece[i].next = i + 1 < pacer->pieces ? (int32_t)(i + 1) : NONE;
        number = (int32_t)count;
    }
    pacer->unused = pacer->piece[number].next;
    pacer->piece[number] = content;
    pacer->piece[number].next = NONE;
    return number;
}

static void drop_piece(qdri_pacer *pacer, int32_t number) {
    pacer->piece[number].next = pacer->unused;
    pacer->unused = number;
}

static void append(qdri_pacer *pacer, int32_t *first, int32_t *last, int32_t number) {
    if (*first == NONE)
        *first = number;
    else
        pacer->piece[*last].next = number;
    *last = number;
}

static void at(qdri_pacer *pacer, double time, int32_t piece, int kind) {
    if (!qdri_heap_add(&pacer->events, &pacer->events_room, time, (int64_t)piece * KINDS + kind))
        pacer->failed = qdri_fail_memory();
}

/* ---- a piece on its way -------------------------------------------------------------------------------- */

static int sender_of(const qdri_pacer *pacer, const qdri_pace_piece *piece) {
    const qdri_pace_hop *hop = &pacer->hop[piece->hop];
    return piece->is_note ? hop->to : hop->from;
}

static void begin_startup(qdri_pacer *pacer, int32_t number) {
    const qdri_pace_piece *piece = &pacer->piece[number];
    double packing = pacer->how->packing && !piece->is_note ? pacer->p->copy * (double)piece->bytes : 0;
    at(pacer, pacer->now + qdri_startup_holds(pacer->p) + packing, number, STARTED);
}

static void post(qdri_pacer *pacer, qdri_pace_piece content) {
    int32_t number = new_piece(pacer, content);
    if (number == NONE) return;
    qdri_pace_actor *actor = &pacer->actor[sender_of(pacer, &content)];
    int is_first = actor->first == NONE;
    append(pacer, &actor->first, &actor->last, number);
    if (is_first) begin_startup(pacer, number);
}

void qdri_pace_send(qdri_pacer *pacer, int32_t hop, int64_t bytes) {
    if (pacer->hop[hop].begun == 0) pacer->step[hop].start = pacer->now;
    pacer->hop[hop].begun += bytes;
    post(pacer, (qdri_pace_piece){.hop = hop, .bytes = bytes});
}

void qdri_pace_allow(qdri_pacer *pacer, int32_t hop, int64_t bytes) {
    pacer->hop[hop].asked = bytes;
    post(pacer, (qdri_pace_piece){.hop = hop, .bytes = bytes, .is_note = 1});
}

static double latency_of(const qdri_pacer *pacer, int32_t hop) {
    double startup = pacer->p->tau - qdri_startup_holds(pacer->p);
    return startup + qdr_machine_latency(pacer->how->machine, pacer->hop[hop].from, pacer->hop[hop].to);
}

/* The next chunk of a hop flows, if there is one. */
static void flow(qdri_pacer *pacer, int32_t number) {
    qdri_pace_hop *hop = &pacer->hop[number];
    if (hop->is_flowing || hop->first == NONE) return;
    int64_t bytes =
        qdr_machine_wire_bytes(pacer->how->machine, pacer->piece[hop->first].bytes + pacer->how->header);
    hop->is_flowing = 1;
    pacer->failed =
        qdri_network_begin(pacer->network, number, hop->from, hop->to, fmax((double)bytes, 1e-3), pacer->now);
}

static void flowed(qdri_pacer *pacer, int32_t number) {
    qdri_pace_hop *hop = &pacer->hop[number];
    int32_t piece = hop->first;
    hop->first = pacer->piece[piece].next;
    hop->is_flowing = 0;
    double packing = pacer->how->packing ? pacer->p->copy * (double)pacer->piece[piece].bytes : 0;
    at(pacer, pacer->now + latency_of(pacer, number) + packing, piece, CAME);
    flow(pacer, number);
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static int32_t end_of_stage(const qdri_pacer *pacer, const int32_t *list, int32_t from, int32_t count,
                            int stage) {
    while (from < count && (!pacer->rule->has_stages || pacer->hop[list[from]].stage <= stage)) from++;
    return from;
}

/* A rank begins the next stage in which it has something to do. */
static void begin_stage(qdri_pacer *pacer, int rank) {
    qdri_pace_actor *actor = &pacer->actor[rank];
    int next_out = actor->out_end < actor->outs ? pacer->hop[actor->out[actor->out_end]].stage : INT32_MAX,
        next_in = actor->in_end < actor->ins ? pacer->hop[actor->in[actor->in_end]].stage : INT32_MAX;
    actor->stage = next_out < next_in ? next_out : next_in;
    actor->sending = actor->out_end;
    actor->receiving = actor->in_end;
    actor->out_end = end_of_stage(pacer, actor->out, actor->out_end, actor->outs, actor->stage);
    actor->in_end = end_of_stage(pacer, actor->in, actor->in_end, actor->ins, actor->stage);
    actor->stage_left = 0;
    for (int32_t i = actor->sending; i < actor->out_end; i++)
        actor->stage_left += pacer->hop[actor->out[i]].bytes;
    /* What has come before its stage is there. */
    for (int32_t i = actor->receiving; i < actor->in_end; i++)
        actor->stage_left += pacer->hop[actor->in[i]].bytes - pacer->hop[actor->in[i]].ended;
    pacer->rule->stage(pacer, rank);
}

/* So many bytes more of a hop have left, or come. */
static void count_down(qdri_pacer *pacer, int rank, int32_t hop, int64_t bytes) {
    qdri_pace_actor *actor = &pacer->actor[rank];
    if (pacer->rule->has_stages && pacer->hop[hop].stage != actor->stage) return;
    actor->stage_left -= bytes;
    if (actor->stage_left == 0 && (actor->out_end < actor->outs || actor->in_end < actor->ins))
        begin_stage(pacer, rank);
}

/* ---- events -------------------------------------------------------------------------------------------- */

static void started(qdri_pacer *pacer, int32_t number) {
    qdri_pace_piece piece = pacer->piece[number];
    int rank = sender_of(pacer, &piece);
    qdri_pace_actor *actor = &pacer->actor[rank];
    actor->first = piece.next;
    pacer->piece[number].next = NONE;
    if (actor->first != NONE) begin_startup(pacer, actor->first);
    if (piece.is_note) {
        at(pacer, pacer->now + latency_of(pacer, piece.hop), number, CAME);
        return;
    }
    append(pacer, &pacer->hop[piece.hop].first, &pacer->hop[piece.hop].last, number);
    flow(pacer, piece.hop);
    actor->out_left -= piece.bytes;
    count_down(pacer, rank, piece.hop, piece.bytes);
}

static void came(qdri_pacer *pacer, int32_t number) {
    qdri_pace_piece piece = pacer->piece[number];
    qdri_pace_hop *hop = &pacer->hop[piece.hop];
    drop_piece(pacer, number);
    if (piece.is_note) {
        hop->allowed = piece.bytes;
        pacer->rule->heard(pacer, piece.hop);
        return;
    }
    qdri_pace_actor *to = &pacer->actor[hop->to];
    if (to->in_left == to->in_bytes) {
        to->first_came = pacer->now;
        to->first_bytes = piece.bytes;
    }
    hop->ended += piece.bytes;
    to->in_left -= piece.bytes;
    to->last_came = pacer->now;
    pacer->step[piece.hop].end = pacer->now;
    pacer->last = fmax(pacer->last, pacer->now);
    pacer->rule->arrived(pacer, piece.hop, piece.bytes);
    count_down(pacer, hop->to, piece.hop, piece.bytes);
}

static void run(qdri_pacer *pacer) {
    for (int rank = 0; rank < pacer->p->ranks; rank++) begin_stage(pacer, rank);
    while (!pacer->failed) {
        double flows = qdri_network_next(pacer->network, pacer->now);
        double other = pacer->events.count ? pacer->events.entry[0].key : HUGE_VAL;
        int64_t id;
        if (flows == HUGE_VAL && other == HUGE_VAL) return;
        pacer->now = fmax(pacer->now, fmin(flows, other));
        double until = pacer->now * (1 + 1e-12);
        while (qdri_network_ended(pacer->network, until, &id)) flowed(pacer, (int32_t)id);
        while (pacer->events.count && pacer->events.entry[0].key <= until && !pacer->failed) {
            id = qdri_heap_pop(&pacer->events).id;
            if (id % KINDS == STARTED)
                started(pacer, (int32_t)(id / KINDS));
            else
                came(pacer, (int32_t)(id / KINDS));
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* A message of no bytes is sent, too: it counts as one byte. */
static void fill_hops(qdri_pacer *pacer) {
    for (int32_t i = 0; i < pacer->hops; i++) {
        const qdr_step *step = &pacer->step[i];
        pacer->hop[i] = (qdri_pace_hop){.from = step->from,
                                        .to = step->to,
                                        .stage = (int)step->stage,
                                        .phase = step->phase,
                                        .bytes = qdri_larger(1, step->items * pacer->how->item_bytes),
                                        .first = NONE};
        pacer->actor[step->from].outs++;
        pacer->actor[step->to].ins++;
        pacer->actor[step->from].out_bytes += pacer->hop[i].bytes;
        pacer->actor[step->to].in_bytes += pacer->hop[i].bytes;
        pacer->step[i].start = pacer->step[i].end = 0;
    }
}

static void fill_actors(qdri_pacer *pacer) {
    int32_t *list = pacer->list;
    for (int rank = 0; rank < pacer->p->ranks; rank++) {
        qdri_pace_actor *actor = &pacer->actor[rank];
        int64_t load = qdri_larger(actor->out_bytes, actor->in_bytes);
        if (load > pacer->load) pacer->most_loaded = rank;
        pacer->load = qdri_larger(load, pacer->load);
        pacer->sources = qdri_larger(pacer->sources, actor->ins);
        actor->out_left = actor->out_bytes;
        actor->in_left = actor->in_bytes;
        actor->first = actor->last = NONE;
        actor->out = list;
        actor->in = list += actor->outs;
        list += actor->ins;
        actor->outs = actor->ins = 0;
    }
    for (int32_t i = 0; i < pacer->hops; i++) {
        qdri_pace_actor *from = &pacer->actor[pacer->hop[i].from], *to = &pacer->actor[pacer->hop[i].to];
        from->out[from->outs++] = i;
        to->in[to->ins++] = i;
    }
}

/* From a grant to the bytes that it grants, where nothing else happens. */
static double round_trip(const qdr_machine *machine) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    double way = p->ranks > 1 ? qdr_machine_latency(machine, 0, p->ranks - 1) : 0;
    return 2 * (p->tau + way) + p->mu * QDRI_LEAST_CHUNK;
}

/* What ports measured, of those that got more than says nothing. They believe what is faster at once, and tell each other: it is
 * the best. */
static double found_rate(const qdri_pacer *pacer) {
    const double burst = 64 << 10;
    double best = 0;
    for (int rank = 0; rank < pacer->p->ranks; rank++) {
        const qdri_pace_actor *actor = &pacer->actor[rank];
        if ((double)actor->in_bytes <= 2 * burst || actor->last_came <= actor->first_came) continue;
        best = fmax(best,
                    (double)(actor->in_bytes - actor->first_bytes) / (actor->last_came - actor->first_came));
    }
    return best > 0 ? fmin(best, 1 / pacer->p->mu) : pacer->rate;
}

/* Chunks that are too many to play are made larger, and windows with them. */
static void set_window(qdri_pacer *pacer) {
    enum { MOST_CHUNKS = 400000 };
    const double most = 0.8; /* of what was lost before, in the end */
    const qdr_machine *machine = pacer->how->machine;
    double bytes = 0;
    for (int32_t i = 0; i < pacer->hops; i++) bytes += (double)pacer->hop[i].bytes;
    pacer->sharing = 1;
    pacer->latency = round_trip(machine);
    pacer->window = pacer->how->window > 0
                        ? pacer->how->window
                        : qdri_window_for(1, pacer->rate, pacer->latency, pacer->sharing, pacer->sharing > 1);
    if (pacer->p->queue > 0) pacer->window = fmin(pacer->window, most * (double)pacer->p->queue);
    pacer->window = fmax(pacer->window, 10 * bytes / MOST_CHUNKS);
}

static qdr_status prepare(qdri_pacer *pacer) {
    pacer->unused = NONE;
    pacer->actor = QDRI_ZERO_ARRAY(qdri_pace_actor, pacer->p->ranks);
    pacer->hop = QDRI_ARRAY(qdri_pace_hop, pacer->hops);
    pacer->list = QDRI_ARRAY(int32_t, 2 * (int64_t)pacer->hops);
    pacer->network = qdri_network_open(pacer->how->machine, pacer->hops);
    if (!pacer->actor || !pacer->hop || !pacer->list || !pacer->network) return qdri_fail_memory();
    fill_hops(pacer);
    fill_actors(pacer);
    set_window(pacer);
    pacer->rule->open(pacer);
    return QDR_OK;
}

static void release(qdri_pacer *pacer) {
    free(pacer->actor);
    free(pacer->hop);
    free(pacer->list);
    free(pacer->piece);
    free(pacer->events.entry);
    qdri_network_close(pacer->network);
}

static qdr_status play(const qdri_pace *how, int64_t count, qdr_step *steps, int is_trusting, double *rate,
                       double *seconds) {
    qdri_pacer pacer = {.how = how,
                        .rule = how->pacing == QDRI_BY_GRANTS ? &qdri_pace_grants : &qdri_pace_arrivals,
                        .p = qdr_machine_look(how->machine),
                        .rate = *rate,
                        .is_trusting = is_trusting,
                        .step = steps,
                        .hops = (int32_t)count};
    pacer.failed = prepare(&pacer);
    if (!pacer.failed) run(&pacer);
    if (!pacer.failed) *rate = found_rate(&pacer);
    release(&pacer);
    *seconds = pacer.last;
    return pacer.failed;
}

/* Ports measure the rate that they get with the window that they have, and find their window with that; a larger one, where it is
 * clearly less than they have had. */
static qdr_status settle(const qdri_pace *how, int64_t count, qdr_step *steps, int is_trusting,
                         double *seconds) {
    enum { ROUNDS = 8 };
    const double near = 0.03, clearly = 0.9, most_gain = 1.4, full = 1 / qdr_machine_look(how->machine)->mu;
    double window_rate = full, best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double rate = window_rate, before = window_rate;
        QDRI_TRY(play(how, count, steps, is_trusting, &rate, seconds));
        best = fmax(best, rate);
        window_rate = fmin(full, rate < clearly * best ? most_gain * rate : rate);
        if (how->window > 0 || fabs(window_rate - before) <= near * before) break;
    }
    return QDR_OK;
}

qdr_status qdri_pace_steps(const qdri_pace *how, int64_t count, qdr_step *steps, double *seconds) {
    *seconds = 0;
    if (count > INT32_MAX / KINDS)
        return qdri_fail(QDR_ERR_RANGE, "%lld transfers are more than can be predicted", (long long)count);
    double trusting = HUGE_VAL, bytes = 0;
    for (int64_t i = 0; i < count; i++) bytes += (double)steps[i].items * (double)how->item_bytes;
    if (bytes > most_bytes)
        return qdri_fail(QDR_ERR_RANGE, "%.3g bytes are more than can be predicted", bytes);
    if (how->pacing == QDRI_BY_ARRIVALS && !qdri_window_is_far(round_trip(how->machine)))
        QDRI_TRY(settle(how, count, steps, 1, &trusting));
    QDRI_TRY(settle(how, count, steps, 0, seconds));
    if (trusting < *seconds) QDRI_TRY(settle(how, count, steps, 1, seconds));
    return QDR_OK;
}
