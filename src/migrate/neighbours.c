/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan among neighbours: figure 4 of the paper, where nobody knows more than those it exchanges data
 * with.
 *
 * The rounds of figure 4 are first *tried*: the ranks say to each other what they would say, and
 * nothing moves. In each round a rank tells those it sends to how much it sends at a time and its priority;
 * each receiver chooses (moves/robust.h) and tells its senders what they may send. That becomes the
 * itinerary. A trial costs two small messages per pair and round, and because of it an exchange that
 * would get stuck is refused before anything has moved. A round is the same as a phase of the method
 * `robust` of moves.h, so the two always come to the same phases.
 *
 * Getting stuck is noticed without a global step. Each word carries an *age*: how many rounds ago anyone
 * known moved something; 0 where one did so itself, else one more than the least it has heard. As long as
 * somebody in a connected part moves something, all of it hears of that within `ranks` rounds. A round in
 * which nobody does is repeated for ever, since everybody decides the same from the same. So a rank that
 * has reached the age ranks + 1 is stuck; it says so in its last word, and leaves.
 */
#include <inttypes.h>
#include <string.h>

#include "base/heap.h"
#include "base/spec.h"
#include "discover/round.h"
#include "migrate/inside.h"
#include "migrate/moves/robust.h"

typedef struct edge {
    int rank;
    int64_t units, left;
    int gone; /* it said that it is stuck */
} edge;

/* What one says to another in a round. */
typedef struct word {
    int64_t age;
    int64_t stuck;
    int64_t units;    /* a sender: at a time; a receiver: to be sent */
    int64_t priority; /* of a sender */
} word;

typedef struct planning {
    edge *in, *out; /* by rising rank */
    int64_t ins, outs;
    qdri_first first;
    int64_t buffer;
    int64_t peak;
} planning;

/* One trial; words and legs are memory of a flight. */
typedef struct trial {
    qdri_migration *job;
    planning *plan;
    qdri_flight *flight;
    qdri_flight_leg *leg;                         /* [2 (ins + outs)] */
    word *to_out, *from_out;                      /* [outs] */
    word *to_in, *from_in;                        /* [ins] */
    int64_t *remaining, *limit, *priority, *take; /* [ins] */
    qdri_heap_entry *heap;                        /* [ins] */
    int64_t room, incoming;                       /* units */
    int64_t age, round;
    int64_t counted;
} trial;

/* ---- who the neighbours are ---------------------------------------------------------------------------- */

static qdr_status read_method(const qdri_migration *job, planning *plan) {
    qdri_spec spec;
    const qdri_moves_method *found;
    QDRI_TRY(qdri_spec_open(job->method, "method", &spec));
    QDRI_TRY(qdri_moves_method_named(spec.name, &found));
    QDRI_TRY(qdri_spec_read(&spec, found->options, found->option_count));
    plan->first = (qdri_first)qdri_spec_integer(&spec, "first");
    plan->buffer = qdri_spec_integer(&spec, "buffer");
    return QDR_OK;
}

static qdr_status list_outgoing(qdri_migration *job, planning *plan, qdri_round *round) {
    qdr_parcel *parcel =
        round->flight ? QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, job->facts.messages) : NULL;
    plan->out = QDRI_BUDGET_ARRAY(&job->budget, edge, job->facts.messages);
    if (!parcel || !plan->out) return qdri_fail_memory();
    for (int rank = 0; rank < job->ranks; rank++) {
        if (rank == job->rank || job->going[rank] == 0) continue;
        parcel[plan->outs] = (qdr_parcel){rank, sizeof(int64_t), &job->going[rank]};
        plan->out[plan->outs++] = (edge){.rank = rank, .units = job->going[rank]};
    }
    round->count = (int)plan->outs;
    round->out = parcel;
    return QDR_OK;
}

static qdr_status list_incoming(qdri_migration *job, planning *plan, const qdri_round *round) {
    int64_t incoming = 0;
    plan->in = QDRI_BUDGET_ARRAY(&job->budget, edge, round->arrived);
    if (!plan->in) return qdri_fail_memory();
    for (int i = 0; i < round->arrived; i++) {
        plan->in[plan->ins++] = (edge){.rank = round->in_word_rank[i], .units = round->in_word[i]};
        incoming += round->in_word[i];
    }
    return qdri_check_place(job, incoming);
}

static qdr_status meet(qdri_migration *job, planning *plan) {
    qdri_flight *flight = qdri_migration_flight(job);
    qdri_round round = {.call = "qdr_partners_from_sends", .wire = job->wire, .flight = flight, .words = 1};
    round.status = list_outgoing(job, plan, &round);
    if (!round.status) round.status = qdri_discovery_named(NULL, job->wire, &round.method);
    qdr_status status = qdri_discover(&round);
    if (!status) status = qdri_migration_agree(job, list_incoming(job, plan, &round));
    int64_t bytes = flight ? qdri_flight_bytes(flight) : 0;
    qdri_flight_end(&flight);
    qdri_budget_take(&job->budget, bytes); /* which it had */
    qdri_budget_give(&job->budget, bytes);
    return status;
}

static qdr_status open_planning(qdri_migration *job) {
    planning *plan = QDRI_BUDGET_ZERO_ARRAY(&job->budget, planning, 1);
    qdr_status status = plan ? read_method(job, plan) : qdri_fail_memory();
    job->planning = plan;
    QDRI_TRY(qdri_migration_agree(job, status));
    status = meet(job, plan);
    plan->peak = job->budget.peak;
    return status;
}

static void close_planning(qdri_migration *job) {
    planning *plan = job->planning;
    if (!plan) return;
    qdri_budget_free(&job->budget, plan->in);
    qdri_budget_free(&job->budget, plan->out);
    qdri_budget_free(&job->budget, plan);
    job->planning = NULL;
}

/* ---- a round ------------------------------------------------------------------------------------------- */

static int active(const edge *with) {
    return with->left > 0 && !with->gone;
}

static int any_active(const planning *plan) {
    for (int64_t i = 0; i < plan->ins; i++)
        if (active(&plan->in[i])) return 1;
    for (int64_t i = 0; i < plan->outs; i++)
        if (active(&plan->out[i])) return 1;
    return 0;
}

/* Sends a word to each active edge of one side, receives one from each of the other, and waits. */
static qdr_status say(trial *show, int tag, const edge *to, int64_t tos, const word *said, const edge *from,
                      int64_t froms, word *heard) {
    qdri_wire *wire = show->job->wire;
    qdri_flight_leg *leg = show->leg;
    tag += show->job->first_tag;
    for (int64_t i = 0; i < froms && !show->flight->failed; i++) {
        if (!active(&from[i])) continue;
        leg->is_receive = 1;
        qdri_flight_note(leg,
                         qdri_receive(wire, &leg->operation, from[i].rank, tag, &heard[i], sizeof *heard));
        leg++;
    }
    for (int64_t i = 0; i < tos && !show->flight->failed; i++) {
        if (!active(&to[i])) continue;
        leg->is_receive = 0;
        qdri_flight_note(leg, qdri_send(wire, &leg->operation, to[i].rank, tag, &said[i], sizeof *said));
        leg++;
    }
    return qdri_flight_wait(show->flight);
}

static void hear_age(const word *heard, int64_t *youngest) {
    if (heard->age < *youngest) *youngest = heard->age;
}

/* This rank as a sender tells its receivers, and hears its senders. */
static qdr_status tell(trial *show, int stuck, int64_t *youngest) {
    planning *plan = show->plan;
    word own = {show->age, stuck, plan->buffer, qdri_robust_priority(show->room, show->incoming)};
    for (int64_t i = 0; i < plan->outs; i++) show->to_out[i] = own;
    QDRI_TRY(
        say(show, QDRI_TAG_TELL, plan->out, plan->outs, show->to_out, plan->in, plan->ins, show->from_in));
    for (int64_t i = 0; i < plan->ins; i++) {
        if (!active(&plan->in[i])) continue;
        hear_age(&show->from_in[i], youngest);
        plan->in[i].gone = show->from_in[i].stuck != 0;
    }
    return QDR_OK;
}

/* Which of the senders that are still there may send how much. */
static int64_t choose(trial *show) {
    planning *plan = show->plan;
    for (int64_t i = 0; i < plan->ins; i++) {
        int there = active(&plan->in[i]);
        show->remaining[i] = there ? plan->in[i].left : 0;
        show->limit[i] = there && show->from_in[i].units > 0 ? show->from_in[i].units : show->remaining[i];
        show->priority[i] = there ? show->from_in[i].priority : 0;
    }
    return qdri_robust_choose(plan->first, show->room, plan->ins, show->remaining, show->limit,
                              show->priority, show->heap, show->take);
}

/* This rank as a receiver tells its senders, and hears its receivers. Those that are stuck have no more to
 * hear. */
static qdr_status assign(trial *show, int stuck, int64_t *youngest) {
    planning *plan = show->plan;
    for (int64_t i = 0; i < plan->ins; i++)
        show->to_in[i] = (word){show->age, stuck, stuck ? 0 : show->take[i], 0};
    if (stuck)
        for (int64_t i = 0; i < plan->outs; i++) plan->out[i].gone = 1;
    QDRI_TRY(
        say(show, QDRI_TAG_ASSIGN, plan->in, plan->ins, show->to_in, plan->out, plan->outs, show->from_out));
    for (int64_t i = 0; i < plan->outs; i++) {
        if (!active(&plan->out[i])) continue;
        hear_age(&show->from_out[i], youngest);
        plan->out[i].gone = show->from_out[i].stuck != 0;
    }
    return QDR_OK;
}

/* What was said becomes a trip. The books go on when there is no memory for it, as those of the other end
 * do. */
static void note(trial *show, int is_in, edge *with, int64_t units, qdr_status *failed) {
    qdri_migration *job = show->job;
    qdri_trip trip = {.phase = show->round,
                      .units = units,
                      .origin = is_in ? with->rank : job->rank,
                      .destination = is_in ? job->rank : with->rank};
    with->left -= units;
    show->room += is_in ? -units : units;
    if (is_in) show->incoming -= units;
    if (!*failed && !qdri_itinerary_add(&job->itinerary, &job->budget, is_in, &trip, with->rank))
        *failed = qdri_fail_memory();
}

static qdr_status play_round(trial *show, int stuck, qdr_status *failed) {
    planning *plan = show->plan;
    int64_t youngest = show->age, moved = 0;
    QDRI_TRY(tell(show, stuck, &youngest));
    if (!stuck) moved += choose(show);
    QDRI_TRY(assign(show, stuck, &youngest));
    for (int64_t i = 0; i < plan->ins && !stuck; i++)
        if (active(&plan->in[i]) && show->take[i] > 0) note(show, 1, &plan->in[i], show->take[i], failed);
    for (int64_t i = 0; i < plan->outs && !stuck; i++)
        if (active(&plan->out[i]) && show->from_out[i].units > 0) {
            moved += show->from_out[i].units;
            note(show, 0, &plan->out[i], show->from_out[i].units, failed);
        }
    show->age = moved > 0 ? 0 : youngest + 1;
    show->round += moved > 0 || !stuck;
    return QDR_OK;
}

/* ---- a trial --------------------------------------------------------------------------------------- */

static qdr_status prepare(trial *show) {
    planning *plan = show->plan;
    int64_t edges = plan->ins + plan->outs;
    enum { ARRAYS = 5 };
    show->counted =
        qdri_flight_needs(show->job->wire, edges, ARRAYS,
                          2 * edges * (int64_t)sizeof(word) +
                              plan->ins * (int64_t)(4 * sizeof(int64_t) + sizeof(qdri_heap_entry)));
    if (!qdri_budget_take(&show->job->budget, show->counted)) {
        show->counted = 0;
        return qdri_fail_memory();
    }
    qdri_flight *flight = show->flight = qdri_migration_flight(show->job);
    if (!flight) return qdri_fail_memory();
    show->leg = qdri_flight_legs(flight, edges);
    show->to_out = QDRI_FLIGHT_ARRAY(flight, word, 2 * plan->outs);
    show->to_in = QDRI_FLIGHT_ARRAY(flight, word, 2 * plan->ins);
    show->remaining = QDRI_FLIGHT_ARRAY(flight, int64_t, 4 * plan->ins);
    show->heap = QDRI_FLIGHT_ARRAY(flight, qdri_heap_entry, plan->ins);
    if (!show->leg || !show->to_out || !show->to_in || !show->remaining || !show->heap)
        return qdri_fail_memory();
    show->from_out = show->to_out + plan->outs;
    show->from_in = show->to_in + plan->ins;
    show->limit = show->remaining + plan->ins;
    show->priority = show->limit + plan->ins;
    show->take = show->priority + plan->ins;
    for (int64_t i = 0; i < plan->ins; i++) {
        plan->in[i].left = plan->in[i].units;
        plan->in[i].gone = 0;
        show->incoming += plan->in[i].units;
    }
    for (int64_t i = 0; i < plan->outs; i++) {
        plan->out[i].left = plan->out[i].units;
        plan->out[i].gone = 0;
    }
    return QDR_OK;
}

static qdr_status verdict(const trial *show) {
    for (int64_t i = 0; i < show->plan->ins; i++)
        if (show->plan->in[i].left > 0)
            return qdri_fail(QDR_ERR_RANGE,
                             "robust is stuck: %" PRId64
                             " %s are still to come, from rank %d and others, and "
                             "there is room for %" PRId64,
                             show->incoming, show->job->unit_name, show->plan->in[i].rank, show->room);
    return QDR_OK;
}

/* Collective among those that are connected. Only a deadline, or MPI, is returned; *failed is this rank's. */
static qdr_status run_trial(trial *show, qdr_status *failed) {
    int stuck = 0;
    while (!stuck && any_active(show->plan)) {
        stuck = *failed || show->age > show->job->ranks + 1 || show->round > QDRI_PHASES_LIMIT;
        QDRI_TRY(play_round(show, stuck, failed));
    }
    if (!*failed) *failed = verdict(show);
    return QDR_OK;
}

static void end_trial(trial *show) {
    qdri_flight_end(&show->flight);
    qdri_budget_give(&show->job->budget, show->counted);
}

/* ---- an attempt ---------------------------------------------------------------------------------------- */

static qdri_tally count(const qdri_migration *job, const planning *plan) {
    const qdri_trip_list *in = &job->itinerary.in;
    qdri_tally tally = {.in = in->trips,
                        .out = job->itinerary.out.trips,
                        .loose = plan->outs,
                        .messages = plan->outs,
                        .most_in = plan->ins};
    return tally;
}

/* Without data: two trips for each message. */
static qdri_tally guess(const planning *plan) {
    return (qdri_tally){.in = 2 * plan->ins,
                        .out = 2 * plan->outs,
                        .loose = plan->outs,
                        .messages = plan->outs,
                        .most_in = plan->ins};
}

static qdr_status find_room(const qdri_migration *job, const planning *plan, int64_t reserve, int64_t *room) {
    int64_t limit = job->budget.limit;
    if (limit > 0 && plan->peak > limit)
        return qdri_fail(QDR_ERR_RANGE, "finding the neighbours takes %" PRId64 " bytes", plan->peak);
    *room = qdri_room_of(job, &job->facts, reserve, limit);
    if (*room < 0)
        return qdri_fail(QDR_ERR_RANGE, "the limit is %" PRId64 " bytes, and the tables take %" PRId64, limit,
                         reserve);
    return QDR_OK;
}

/* One trial with the reserve that is given; *again where it was too small on some rank. */
static qdr_status try_reserve(qdri_migration *job, int64_t least, int64_t *reserve, int64_t *again) {
    trial show = {.job = job, .plan = job->planning};
    qdr_status failed = find_room(job, show.plan, *reserve, &show.room), status;
    int64_t first_room = show.room;
    if (!failed) failed = prepare(&show);
    status = qdri_migration_agree(job, failed);
    if (!status) {
        status = run_trial(&show, &failed);
        qdri_term field[] = {QDRI_IS_MOST("whether the reserve was too small", 0, 0, 1),
                             QDRI_IS_MOST("number of phases", show.round, 0, INT64_MAX)};
        qdri_tally tally = count(job, show.plan);
        if (!failed) field[0].value = qdri_raise_reserve(job, &job->facts, &tally, least, reserve);
        if (!failed && !field[0].value && !qdri_itinerary_finish(&job->itinerary, &job->budget))
            failed = qdri_fail_memory();
        if (!status) status = qdri_migration_agree_on(job, failed, field, 2);
        *again = field[0].value;
        job->itinerary.phases = field[1].value;
        job->room = first_room;
    }
    end_trial(&show);
    return status;
}

static qdr_status find_bound(qdri_migration *job) {
    const planning *plan = job->planning;
    qdri_term units = QDRI_IS_SUM("units that move", 0),
              room = QDRI_IS_SUM("units of room", qdri_least(job->room, QDRI_UNITS_LIMIT / job->ranks));
    for (int64_t i = 0; i < plan->outs; i++) units.value += plan->out[i].units;
    qdri_term field[] = {units, room};
    QDRI_TRY(qdri_migration_agree_on(job, QDR_OK, field, 2));
    job->itinerary.bound = field[1].value > 0 ? (field[0].value - 1) / field[1].value + 1 : 0;
    strcpy(job->itinerary.method, "robust");
    return QDR_OK;
}

static qdr_status attempt(qdri_migration *job, int64_t least) {
    enum { ROUNDS = 16 };
    qdri_tally tally = guess(job->planning);
    int64_t reserve = 0, again = 1;
    qdr_status status = QDR_OK;
    job->budget.limit = qdri_limit_of(&job->facts, least);
    (void)qdri_raise_reserve(job, &job->facts, &tally, least, &reserve);
    for (int round = 0; again && !status; round++) {
        qdri_itinerary_free(&job->itinerary, &job->budget);
        status = round < ROUNDS ? try_reserve(job, least, &reserve, &again)
                                : qdri_fail(QDR_ERR_RANGE, "the tables grow with the room they take");
    }
    job->budget.limit = 0;
    return status ? status : find_bound(job);
}

const qdri_planner qdri_planner_neighbours = {
    .open = open_planning,
    .attempt = attempt,
    .close = close_planning,
};
