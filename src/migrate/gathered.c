/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan from the whole matrix. The sizes of all messages, and the facts of all ranks, are gathered once;
 * from then on every rank makes the same schedule by itself (moves/moves.h), and keeps its own share. The
 * schedule follows from gathered numbers alone, so nothing but success has to be agreed on.
 *
 * Cost: two gathers, 40 bytes per rank and 16 per message to every rank, two agreements, and the schedule.
 * Memory, all of it counted and given back before data moves: 40 bytes per message, 200 per rank, and what
 * the schedule takes.
 */
#include <inttypes.h>
#include <string.h>

#include "migrate/inside.h"

enum { ROUNDS = 16 };

typedef struct planning {
    qdri_migration_facts *facts; /* [ranks] */
    int64_t *reserve;            /* [ranks] bytes kept back */
    int64_t *room;               /* [ranks] units */
    qdri_tally *tally;           /* [ranks] */
    qdr_pattern *pattern;
    int64_t pattern_bytes;
    int64_t *parked; /* [messages] trips to parking places */
    int64_t peak;    /* of memory, up to here */
} planning;

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* Memory of the flight, since MPI writes into it. */
typedef struct gathering {
    qdri_flight *flight;
    qdri_flight_leg *leg; /* [2] */
    qdri_migration_facts *own, *facts;
    int64_t *start; /* [ranks + 1] bytes */
    qdr_message *row, *message;
    int64_t counted;
} gathering;

static void *gather_alloc(qdri_migration *job, gathering *work, int64_t count, size_t size) {
    enum { HEAD = 32 };
    int64_t bytes = count * (int64_t)size + HEAD;
    if (!work->flight || !qdri_budget_take(&job->budget, bytes)) return NULL;
    work->counted += bytes;
    return qdri_flight_alloc(work->flight, count, size);
}

static qdr_status gather_prepare(qdri_migration *job, gathering *work) {
    enum { FLIGHT = 2048 };
    if (!qdri_budget_take(&job->budget, FLIGHT)) return qdri_fail_memory();
    work->counted = FLIGHT;
    work->flight = qdri_migration_flight(job);
    work->leg = work->flight ? qdri_flight_legs(work->flight, 2) : NULL;
    work->own = gather_alloc(job, work, 1, sizeof *work->own);
    work->facts = gather_alloc(job, work, job->ranks, sizeof *work->facts);
    work->start = gather_alloc(job, work, (int64_t)job->ranks + 1, sizeof *work->start);
    work->row = gather_alloc(job, work, job->facts.messages, sizeof *work->row);
    if (!work->leg || !work->own || !work->facts || !work->start || !work->row) return qdri_fail_memory();
    *work->own = job->facts;
    for (int rank = 0, at = 0; rank < job->ranks; rank++)
        if (rank != job->rank && job->going[rank] > 0)
            work->row[at++] = (qdr_message){job->rank, rank, job->going[rank]};
    return QDR_OK;
}

static qdr_status gather(gathering *work, int number, const void *out, int64_t bytes, void *in) {
    qdri_flight_leg *leg = &work->leg[number];
    qdri_flight_note(leg, qdri_gather_all(work->flight->wire, &leg->operation, out, bytes, in, work->start));
    return qdri_flight_wait_midway(work->flight);
}

static qdr_status lay_out(qdri_migration *job, gathering *work, int64_t *messages) {
    for (int rank = 0; rank < job->ranks; rank++) {
        QDRI_TRY(qdri_decode_word((qdri_teller){NULL, rank}, "number of messages", work->facts[rank].messages,
                                  0, job->ranks));
        work->start[rank + 1] = work->start[rank] + work->facts[rank].messages * (int64_t)sizeof(qdr_message);
    }
    *messages = work->start[job->ranks] / (int64_t)sizeof(qdr_message);
    return QDR_OK;
}

/* ---- what stays of it ---------------------------------------------------------------------------------- */

static qdr_status keep(qdri_migration *job, planning *plan, const gathering *work, int64_t messages) {
    qdri_budget *budget = &job->budget;
    plan->facts = QDRI_BUDGET_ARRAY(budget, qdri_migration_facts, job->ranks);
    plan->reserve = QDRI_BUDGET_ARRAY(budget, int64_t, job->ranks);
    plan->room = QDRI_BUDGET_ARRAY(budget, int64_t, job->ranks);
    plan->tally = QDRI_BUDGET_ARRAY(budget, qdri_tally, job->ranks);
    plan->parked = QDRI_BUDGET_ARRAY(budget, int64_t, messages);
    if (!plan->facts || !plan->reserve || !plan->room || !plan->tally || !plan->parked)
        return qdri_fail_memory();
    memcpy(plan->facts, work->facts, (size_t)job->ranks * sizeof *plan->facts);
    int64_t bytes = 24 * messages + 32 * (int64_t)job->ranks + 160;
    if (!qdri_budget_take(budget, bytes)) return qdri_fail_memory();
    plan->pattern_bytes = bytes;
    QDRI_TRY(qdr_pattern_create(job->ranks, messages, work->message, &plan->pattern));
    qdr_pattern_view view = qdr_pattern_look(plan->pattern);
    int64_t incoming = 0;
    for (int64_t i = view.column_start[job->rank]; i < view.column_start[job->rank + 1]; i++)
        incoming += view.items[view.column_message[i]];
    return qdri_check_place(job, incoming);
}

static qdr_status gather_all(qdri_migration *job, planning *plan, gathering *work) {
    qdr_status status = gather_prepare(job, work);
    QDRI_TRY(qdri_migration_agree(job, status));
    for (int rank = 0; rank <= job->ranks; rank++)
        work->start[rank] = rank * (int64_t)sizeof(qdri_migration_facts);
    QDRI_TRY(gather(work, 0, work->own, sizeof *work->own, work->facts));
    int64_t messages = 0;
    status = lay_out(job, work, &messages);
    if (!status) work->message = gather_alloc(job, work, messages, sizeof *work->message);
    if (!status && !work->message) status = qdri_fail_memory();
    QDRI_TRY(qdri_migration_agree(job, status));
    QDRI_TRY(gather(work, 1, work->row, job->facts.messages * (int64_t)sizeof *work->row, work->message));
    return qdri_migration_agree(job, keep(job, plan, work, messages));
}

static qdr_status open_planning(qdri_migration *job) {
    gathering work = {.flight = NULL};
    planning *plan = QDRI_BUDGET_ZERO_ARRAY(&job->budget, planning, 1);
    QDRI_TRY(qdri_migration_agree(job, plan ? QDR_OK : qdri_fail_memory()));
    job->planning = plan;
    qdr_status status = gather_all(job, plan, &work);
    qdri_flight_end(&work.flight);
    qdri_budget_give(&job->budget, work.counted);
    plan->peak = job->budget.peak;
    return status;
}

static void close_planning(qdri_migration *job) {
    planning *plan = job->planning;
    if (!plan) return;
    qdr_pattern_destroy(&plan->pattern);
    qdri_budget_give(&job->budget, plan->pattern_bytes);
    qdri_budget_free(&job->budget, plan->facts);
    qdri_budget_free(&job->budget, plan->reserve);
    qdri_budget_free(&job->budget, plan->room);
    qdri_budget_free(&job->budget, plan->tally);
    qdri_budget_free(&job->budget, plan->parked);
    qdri_budget_free(&job->budget, plan);
    job->planning = NULL;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static int same_trip(const qdr_move *a, const qdr_move *b) {
    return a->message == b->message && a->from == b->from && a->to == b->to;
}

static void clear_tallies(const qdri_migration *job, planning *plan) {
    for (int rank = 0; rank < job->ranks; rank++)
        plan->tally[rank] = (qdri_tally){.messages = plan->facts[rank].messages};
}

/* Before there is a schedule: two trips for each message. */
static void guess(const qdri_migration *job, planning *plan, const qdr_pattern_view *view) {
    clear_tallies(job, plan);
    for (int rank = 0; rank < job->ranks; rank++) {
        qdri_tally *tally = &plan->tally[rank];
        tally->most_in = view->column_start[rank + 1] - view->column_start[rank];
        tally->in = 2 * tally->most_in;
        tally->out = 2 * tally->messages;
        tally->loose = tally->messages;
    }
}

/* Trips, and in a second pass how loosely the ranks of a message follow the schedule. */
static void count(const qdri_migration *job, planning *plan, const qdr_pattern_view *view,
                  const qdr_moves_view *moves) {
    clear_tallies(job, plan);
    memset(plan->parked, 0, (size_t)view->messages * sizeof *plan->parked);
    for (int64_t phase = 0; phase < moves->phases; phase++) {
        int64_t in_row = 0;
        for (int64_t i = moves->phase_start[phase]; i < moves->phase_start[phase + 1]; i++) {
            const qdr_move *move = &moves->move[i], *last = i > moves->phase_start[phase] ? move - 1 : NULL;
            if (last && same_trip(last, move)) continue;
            qdri_tally *to = &plan->tally[move->to];
            in_row = last && last->to == move->to ? in_row + 1 : 1;
            if (in_row > to->most_in) to->most_in = in_row;
            to->in++;
            plan->tally[move->from].out++;
            if (move->to == view->destination[move->message]) continue;
            to->parked++;
            plan->parked[move->message]++;
        }
    }
    for (int64_t message = 0; message < view->messages; message++) {
        plan->tally[view->origin[message]].loose += 1 + plan->parked[message];
        plan->tally[view->destination[message]].loose += plan->parked[message];
    }
    for (int64_t i = 0; moves->phases && i < moves->phase_start[moves->phases]; i++)
        if (moves->move[i].to != view->destination[moves->move[i].message])
            plan->tally[moves->move[i].to].loose += 1 + plan->parked[moves->move[i].message];
}

/* Whether any reserve was too small, and is larger now. */
static int raise_reserves(const qdri_migration *job, planning *plan, int64_t least) {
    int raised = 0;
    for (int rank = 0; rank < job->ranks; rank++)
        raised |=
            qdri_raise_reserve(job, &plan->facts[rank], &plan->tally[rank], least, &plan->reserve[rank]);
    return raised;
}

/* ---- an attempt ---------------------------------------------------------------------------------------- */

static qdr_status find_rooms(const qdri_migration *job, planning *plan, int64_t least) {
    for (int rank = 0; rank < job->ranks; rank++) {
        int64_t limit = qdri_limit_of(&plan->facts[rank], least);
        plan->room[rank] = qdri_room_of(job, &plan->facts[rank], plan->reserve[rank], limit);
        if (plan->room[rank] < 0)
            return qdri_fail(QDR_ERR_RANGE,
                             "rank %d has a limit of %" PRId64 " bytes, and its tables take %" PRId64, rank,
                             limit, plan->reserve[rank]);
    }
    return QDR_OK;
}

static qdr_status make_moves(qdri_migration *job, planning *plan, int64_t least, qdr_moves **moves) {
    qdr_pattern_view view = qdr_pattern_look(plan->pattern);
    memset(plan->reserve, 0, (size_t)job->ranks * sizeof *plan->reserve);
    guess(job, plan, &view);
    for (int round = 0; raise_reserves(job, plan, least); round++) {
        qdr_moves_destroy(moves);
        if (round == ROUNDS)
            return qdri_fail(QDR_ERR_RANGE, "the tables of the schedule grow with the room they take");
        QDRI_TRY(find_rooms(job, plan, least));
        QDRI_TRY(qdri_moves_create(plan->pattern, plan->room, job->method, &job->budget, moves));
        qdr_moves_view made = qdr_moves_look(*moves);
        count(job, plan, &view, &made);
    }
    return QDR_OK;
}

/* This rank's share. */
static qdr_status take_share(qdri_migration *job, const planning *plan, const qdr_moves *moves) {
    qdr_pattern_view view = qdr_pattern_look(plan->pattern);
    qdr_moves_view made = qdr_moves_look(moves);
    qdri_itinerary *own = &job->itinerary;
    job->room = plan->room[job->rank];
    own->phases = made.phases;
    own->bound = made.bound;
    strncpy(own->method, made.method, sizeof own->method - 1);
    for (int64_t phase = 0; phase < made.phases; phase++)
        for (int64_t i = made.phase_start[phase]; i < made.phase_start[phase + 1]; i++) {
            const qdr_move *move = &made.move[i];
            if (move->from != job->rank && move->to != job->rank) continue;
            int is_in = move->to == job->rank;
            qdri_trip trip = {.phase = phase,
                              .units = move->units,
                              .origin = view.origin[move->message],
                              .destination = view.destination[move->message]};
            if (is_in && trip.destination != job->rank)
                trip.extra = (1 + plan->parked[move->message]) * job->largest;
            if (!qdri_itinerary_add(own, &job->budget, is_in, &trip, is_in ? move->from : move->to))
                return qdri_fail_memory();
        }
    return QDR_OK;
}

static qdr_status make(qdri_migration *job, planning *plan, int64_t least) {
    qdr_moves *moves = NULL;
    if (job->budget.limit > 0 && plan->peak > job->budget.limit)
        return qdri_fail(QDR_ERR_RANGE, "the sizes of all messages take %" PRId64 " bytes", plan->peak);
    qdr_status status = make_moves(job, plan, least, &moves);
    if (!status) status = take_share(job, plan, moves);
    qdr_moves_destroy(&moves);
    return !status && !qdri_itinerary_finish(&job->itinerary, &job->budget) ? qdri_fail_memory() : status;
}

static qdr_status attempt(qdri_migration *job, int64_t least) {
    qdri_itinerary_free(&job->itinerary, &job->budget);
    job->budget.limit = qdri_limit_of(&job->facts, least);
    qdr_status status = make(job, job->planning, least);
    job->budget.limit = 0;
    return qdri_migration_agree(job, status);
}

const qdri_planner qdri_planner_gathered = {
    .open = open_planning,
    .attempt = attempt,
    .close = close_planning,
};
