/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a schedule costs on a machine. Time is kept per port: a rank's way out and its way in (one and the
 * same for half ports; for paired ports too, unless the two ranks exchange). Phases are taken in order; a
 * transfer starts when its ports are free, so that a rank goes on as soon as it and its partner are ready,
 * and phases of different ranks overlap: loosely synchronous. At the end of a stage a rank waits for all it
 * is to forward.
 *
 *     time of a transfer = tau + latency + max(mu * bytes, time on the slowest link) + packing, if staged
 *
 * A link that the phase loads beyond its bandwidth is shared fairly: a transfer is through when each of the
 * others has had as many bytes as it, or all of its own: min(senders * own bytes, all bytes) / bandwidth. A
 * sender has one transfer on its way at a time, so that what counts is how many senders a link has. With
 * circuit switching a link of one stream is held from start to end instead, and whoever comes later waits.
 * Since phases overlap, sharing inside them is not all: the whole is never shorter than the busiest link
 * takes for all its bytes.
 *
 * In a phase where one rank sends or receives several transfers, senders go through theirs in order, and
 * whoever can start first does: a heap. There, buffered sends do not wait for the receiver: the bytes queue
 * up on its side, and `unconfirmed` counts them.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/sized.h"
#include "schedule/schedule.h"

typedef struct link_load {
    int64_t phase, senders;
    int last_sender; /* steps come by sender */
    double bytes;    /* in that phase */
    double seconds;  /* in all phases */
    double free_at;  /* circuit switching */
} link_load;

typedef struct rank_load {
    double free_at[2]; /* out, in */
    int64_t phase;     /* that the counts below belong to */
    int stage;         /* of that phase */
    int64_t sends, receives, incoming;
    int partner; /* of the rank's send in this phase, -1: none */
    int64_t first_parked,
        last_parked; /* steps that wait for this receiver, in the order in which they came */
} rank_load;

typedef struct engine {
    const qdr_machine *machine;
    const qdr_machine_parameters *p;
    int64_t item_bytes;
    int packing;
    rank_load *rank;
    link_load *link; /* NULL: no links */
    int64_t *route;
    qdri_heap waiting;    /* steps, by the earliest start, and receivers, by when they become free */
    int64_t *next_parked; /* [steps] */
    int64_t phase;        /* running number */
    int stage;
    double floor;   /* with barriers: nothing starts before */
    double last;    /* latest end so far */
    double busiest; /* seconds of the busiest link so far */
    qdr_prediction result;
} engine;

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* ---- loads of one phase -------------------------------------------------------------------------------- */

/* A rank that comes into a phase. If it is its first of a stage, it has waited for all it is to forward. */
static rank_load *touch(engine *e, int rank) {
    rank_load *load = &e->rank[rank];
    if (load->phase == e->phase) return load;
    load->phase = e->phase;
    load->sends = load->receives = load->incoming = 0;
    load->partner = -1;
    if (load->stage != e->stage)
        load->free_at[0] = load->free_at[1] = larger(load->free_at[0], load->free_at[1]);
    load->stage = e->stage;
    return load;
}

static double wire_bytes(const engine *e, const qdr_step *step) {
    return (double)qdr_machine_wire_bytes(e->machine, step->items * e->item_bytes);
}

static void load_route(engine *e, const qdr_step *step) {
    int length = e->link ? qdr_machine_route(e->machine, step->from, step->to, e->route) : 0;
    for (int i = 0; i < length; i++) {
        link_load *link = &e->link[e->route[i]];
        if (link->phase != e->phase) {
            link->phase = e->phase;
            link->senders = 0;
            link->last_sender = -1;
            link->bytes = 0;
        }
        link->senders += link->last_sender != step->from;
        link->last_sender = step->from;
        link->bytes += wire_bytes(e, step);
        link->seconds += wire_bytes(e, step) / qdr_machine_link_bandwidth(e->machine, e->route[i]);
        e->busiest = larger(e->busiest, link->seconds);
        double load = (double)link->senders / (double)qdr_machine_link_streams(e->machine, e->route[i]);
        e->result.max_link_load = larger(e->result.max_link_load, load);
    }
}

/* Returns whether the phase is a partial permutation. */
static int load_phase(engine *e, const qdr_step *steps, int64_t count) {
    int once = 1;
    for (int64_t i = 0; i < count; i++) {
        rank_load *from = touch(e, steps[i].from), *to = touch(e, steps[i].to);
        from->partner = steps[i].to;
        int64_t bytes = steps[i].items * e->item_bytes;
        to->incoming = bytes > INT64_MAX - to->incoming ? INT64_MAX : to->incoming + bytes;
        once &= ++from->sends == 1;
        once &= ++to->receives == 1;
        if (to->receives > 1 && to->incoming > e->result.unconfirmed) e->result.unconfirmed = to->incoming;
        load_route(e, &steps[i]);
    }
    return once;
}

/* ---- one transfer -------------------------------------------------------------------------------------- */

static int holds_circuit(const engine *e, int64_t link) {
    return e->p->switching == QDR_SWITCHING_CIRCUIT && qdr_machine_link_streams(e->machine, link) == 1;
}

static double duration(engine *e, const qdr_step *step) {
    double bytes = wire_bytes(e, step), moving = e->p->mu * bytes;
    int length = e->link ? qdr_machine_route(e->machine, step->from, step->to, e->route) : 0;
    for (int i = 0; i < length; i++) {
        const link_load *link = &e->link[e->route[i]];
        double shared = (double)link->senders * bytes;
        double through = holds_circuit(e, e->route[i]) ? bytes : shared < link->bytes ? shared : link->bytes;
        moving = larger(moving, through / qdr_machine_link_bandwidth(e->machine, e->route[i]));
    }
    double packing = e->packing ? 2 * e->p->copy * (double)(step->items * e->item_bytes) : 0;
    return e->p->tau + qdr_machine_latency(e->machine, step->from, step->to) + moving + packing;
}

/* Both directions at once: full ports always, paired ports when the two exchange in this phase. */
static int uses_both_ways(const engine *e, const qdr_step *step) {
    if (e->p->ports == QDR_PORTS_FULL) return 1;
    const rank_load *to = &e->rank[step->to];
    return e->p->ports == QDR_PORTS_PAIRED && to->phase == e->phase && to->partner == step->from;
}

static double port_free(const engine *e, int rank, int way, int both_ways) {
    const double *free_at = e->rank[rank].free_at;
    return both_ways ? free_at[way] : larger(free_at[0], free_at[1]);
}

static void occupy(engine *e, int rank, int way, int both_ways, double until) {
    double *free_at = e->rank[rank].free_at;
    if (both_ways)
        free_at[way] = until;
    else
        free_at[0] = free_at[1] = until;
}

static double earliest(engine *e, const qdr_step *step, int waits) {
    int both_ways = uses_both_ways(e, step);
    double start = larger(e->floor, port_free(e, step->from, 0, both_ways));
    if (waits) start = larger(start, port_free(e, step->to, 1, both_ways));
    if (e->link && e->p->switching == QDR_SWITCHING_CIRCUIT) {
        int length = qdr_machine_route(e->machine, step->from, step->to, e->route);
        for (int i = 0; i < length; i++)
            if (holds_circuit(e, e->route[i])) start = larger(start, e->link[e->route[i]].free_at);
    }
    return start;
}

static void run(engine *e, qdr_step *step, double start, int waits) {
    int both_ways = uses_both_ways(e, step);
    double length = duration(e, step), end = start + length;
    occupy(e, step->from, 0, both_ways, end);
    if (!waits)
        end = larger(start, port_free(e, step->to, 1, both_ways)) + length; /* queued at the receiver */
    occupy(e, step->to, 1, both_ways, end);
    if (e->link && e->p->switching == QDR_SWITCHING_CIRCUIT) {
        int links = qdr_machine_route(e->machine, step->from, step->to, e->route);
        for (int i = 0; i < links; i++)
            if (holds_circuit(e, e->route[i])) e->link[e->route[i]].free_at = end;
    }
    step->start = end - length;
    step->end = end;
    e->last = larger(e->last, end);
}

/* ---- a phase whose transfers compete ------------------------------------------------------------------- */

/* Neighbours of one sender are a run; only the first waiting one of each run is in the heap. In a schedule's
 * own list a sender has one run per phase, in other lists (a broadcast) perhaps several. */
static int begins_run(const qdr_step *steps, int64_t i) {
    return i == 0 || steps[i].from != steps[i - 1].from;
}

static int64_t most_runs(const qdr_step *steps, int64_t count) {
    int64_t most = 0;
    for (int64_t first = 0, next; first < count; first = next) {
        int64_t runs = 0;
        next = qdri_phase_end(steps, count, first);
        for (int64_t i = first; i < next; i++) runs += begins_run(steps + first, i - first);
        if (runs > most) most = runs;
    }
    return most;
}

/* A receiver in the heap has a negative number, and so comes before the steps of the same moment. */
static int64_t as_receiver(int64_t number) {
    return -1 - number;
}

/* Many may wait for one receiver. They stand in line there, and the heap holds only the receiver, with the
 * time at which it becomes free: else all of them would go back to the heap after each transfer. */
static void park(engine *e, int64_t step, int receiver, double until) {
    rank_load *load = &e->rank[receiver];
    e->next_parked[step] = -1;
    if (load->first_parked < 0) {
        load->first_parked = step;
        qdri_heap_push(&e->waiting, until, as_receiver(receiver));
    } else {
        e->next_parked[load->last_parked] = step;
    }
    load->last_parked = step;
}

static void run_and_follow(engine *e, qdr_step *steps, int64_t count, int64_t i, double start, int waits) {
    run(e, &steps[i], start, waits);
    if (i + 1 < count && !begins_run(steps, i + 1))
        qdri_heap_push(&e->waiting, earliest(e, &steps[i + 1], waits), i + 1);
}

/* The first in line at a receiver, if it can start. */
static void admit(engine *e, qdr_step *steps, int64_t count, int receiver, double now) {
    rank_load *load = &e->rank[receiver];
    int64_t i = load->first_parked;
    double start = earliest(e, &steps[i], 1);
    if (start <= now) {
        load->first_parked = e->next_parked[i];
        run_and_follow(e, steps, count, i, start, 1);
        start = port_free(e, receiver, 1, uses_both_ways(e, &steps[i]));
    }
    if (load->first_parked >= 0) qdri_heap_push(&e->waiting, start, as_receiver(receiver));
}

/* A start that has meanwhile become later goes back, or stands in line. */
static void run_competing(engine *e, qdr_step *steps, int64_t count, int waits) {
    for (int64_t i = 0; i < count; i++)
        if (begins_run(steps, i)) qdri_heap_push(&e->waiting, earliest(e, &steps[i], waits), i);
    while (e->waiting.count > 0) {
        qdri_heap_entry next = qdri_heap_pop(&e->waiting);
        if (next.id < 0) {
            admit(e, steps, count, (int)as_receiver(next.id), next.key);
            continue;
        }
        const qdr_step *step = &steps[next.id];
        double start = earliest(e, step, waits);
        if (start <= next.key)
            run_and_follow(e, steps, count, next.id, start, waits);
        else if (waits && start <= port_free(e, step->to, 1, uses_both_ways(e, step)))
            park(e, next.id, step->to, start);
        else
            qdri_heap_push(&e->waiting, start, next.id);
    }
}

static void run_phase(engine *e, qdr_step *steps, int64_t count) {
    e->phase++;
    int once = load_phase(e, steps, count);
    if (once && e->p->ports == QDR_PORTS_FULL && e->p->switching == QDR_SWITCHING_PACKET)
        for (int64_t i = 0; i < count; i++) run(e, &steps[i], earliest(e, &steps[i], 1), 1);
    else
        run_competing(e, steps, count, once || e->p->sends == QDR_SENDS_SYNCHRONOUS);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static double run_all(engine *e, qdr_step *steps, int64_t count, int barrier) {
    for (int rank = 0; rank < e->p->ranks; rank++)
        e->rank[rank] = (rank_load){.phase = -1, .partner = -1, .first_parked = -1};
    for (int64_t l = 0; e->link && l < qdr_machine_links(e->machine); l++)
        e->link[l] = (link_load){.phase = -1};
    e->phase = 0;
    e->floor = e->last = e->busiest = 0;
    for (int64_t first = 0, next; first < count; first = next) {
        next = qdri_phase_end(steps, count, first);
        e->stage = steps[first].stage;
        run_phase(e, steps + first, next - first);
        if (barrier) e->floor = e->last + e->p->barrier;
    }
    return larger(e->last, e->busiest);
}

static qdr_status predict(qdr_step *steps, int64_t count, const qdr_machine *machine, int64_t item_bytes,
                          int packing, qdr_prediction *prediction) {
    engine e = {
        .machine = machine, .p = qdr_machine_look(machine), .item_bytes = item_bytes, .packing = packing};
    int64_t links = qdr_machine_links(machine);
    e.rank = QDRI_ARRAY(rank_load, e.p->ranks);
    e.waiting.entry = QDRI_ARRAY(qdri_heap_entry, 2 * most_runs(steps, count)); /* a run, its receiver */
    e.next_parked = QDRI_ARRAY(int64_t, count);
    e.route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine));
    e.link = links ? QDRI_ARRAY(link_load, links) : NULL;
    int good = e.rank && e.waiting.entry && e.next_parked && e.route && (e.link || !links);
    if (good) {
        e.result.barrier_seconds = run_all(&e, steps, count, 1);
        e.result.seconds = run_all(&e, steps, count, 0); /* the last to write start and end */
        e.result.unsafe =
            e.p->sends == QDR_SENDS_BUFFERED && e.p->buffer > 0 && e.result.unconfirmed > e.p->buffer;
        *prediction = e.result;
    }
    free(e.rank);
    free(e.waiting.entry);
    free(e.next_parked);
    free(e.route);
    free(e.link);
    return good ? QDR_OK : qdri_fail_memory();
}

static qdr_status check_steps(const qdr_step *steps, int64_t count, int ranks, int64_t item_bytes) {
    for (int64_t i = 0; i < count; i++) {
        if (steps[i].from < 0 || steps[i].from >= ranks || steps[i].to < 0 || steps[i].to >= ranks ||
            steps[i].items < 0)
            return qdri_fail(QDR_ERR_RANGE, "step %lld, %d->%d, does not fit on a machine of %d ranks",
                             (long long)i, steps[i].from, steps[i].to, ranks);
        QDRI_TRY(qdri_check_bytes(steps[i].items, item_bytes));
    }
    return QDR_OK;
}

qdr_status qdr_steps_predict_sized(int64_t count, qdr_step *steps, const qdr_machine *machine,
                                   int64_t item_bytes, qdr_prediction *prediction, size_t prediction_bytes) {
    qdr_prediction made;
    if ((!steps && count) || !machine || !prediction || item_bytes < 0 || count < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_steps_predict: an argument is NULL or negative");
    QDRI_TRY(check_steps(steps, count, qdr_machine_look(machine)->ranks, item_bytes));
    QDRI_TRY(predict(steps, count, machine, item_bytes, 0, &made));
    qdri_sized_fill(prediction, prediction_bytes, &made, sizeof made);
    return QDR_OK;
}

qdr_status qdr_schedule_predict_sized(const qdr_schedule *schedule, const qdr_machine *machine,
                                      int64_t item_bytes, qdr_step *steps, qdr_prediction *prediction,
                                      size_t prediction_bytes) {
    qdr_prediction made;
    qdr_step *own = NULL;
    int64_t count = schedule ? schedule->transfers : 0;
    if (!schedule || !machine || !prediction || item_bytes < 0)
        return qdri_fail(QDR_ERR_INVALID, "qdr_schedule_predict: an argument is NULL or negative");
    if (!steps) QDRI_TRY(qdr_schedule_steps(schedule, &count, &own));
    qdr_status status = check_steps(steps ? steps : own, count, qdr_machine_look(machine)->ranks, item_bytes);
    if (status == QDR_OK)
        status = predict(steps ? steps : own, count, machine, item_bytes, !schedule->direct, &made);
    if (status == QDR_OK) qdri_sized_fill(prediction, prediction_bytes, &made, sizeof made);
    free(own);
    return status;
}
