/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run: an itinerary is carried out, phase by phase, each rank at its own pace.
 *
 * For every trip that comes, the receiver posts a receive where the data shall lie, and says to the holder
 * how much there is room for; the holder answers with no more than that. So nothing is sent that has no
 * place yet, and MPI has nothing to keep. Several such questions are open at a time. When a trip has ended
 * the receiver says so: it is closed. A rank goes on to its next phase when its own trips of this one are
 * closed and what it gave has left; a question that belongs to a later phase waits until the holder is
 * there.
 *
 * Nothing can block. Of all ranks that are not through, take those in the least phase. The holders of what
 * they wait for are not in an earlier phase, and have not left this one, since the trip is open; so they are
 * in it, and answer when one of their outlets is free, which is when a receiver that has posted its receive
 * has got the data. By the schedule there was room for all that comes in a phase when it began. So the least
 * phase ends. (When callbacks fail, room may be missing: then the receiver does not wait for any, but closes
 * the trip, and the rest of it stays where it is.)
 *
 * Everything happens in callbacks of operations: a step looks at what can be done next, and is taken after
 * each of them. All that MPI works on, but the items of an array, is memory of the flight.
 */
#include <inttypes.h>
#include <stdio.h>

#include "migrate/inside.h"

/* ---- saying something ---------------------------------------------------------------------------------- */

static void said(qdri_flight_leg *leg) {
    qdri_intake *intake = leg->context;
    qdri_run_step(intake->run);
}

static void say(qdri_migration_run *run, qdri_intake *intake, const qdri_trip *trip, int64_t bytes) {
    const qdri_trip_list *in = &run->job->itinerary.in;
    intake->word = (qdri_word){.phase = trip->phase,
                               .bytes = bytes,
                               .origin = trip->origin,
                               .destination = trip->destination,
                               .place = intake->number};
    qdri_flight_note(intake->ask,
                     qdri_send(run->job->wire, &intake->ask->operation, in->lane[trip->lane].rank,
                               run->job->first_tag + QDRI_TAG_WORD, &intake->word, sizeof intake->word));
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

static void settle(qdri_migration_run *run, qdri_intake *intake) {
    qdri_trip *trip = intake->trip;
    intake->awaits = 0;
    run->awaited--;
    trip->open--;
    run->job->itinerary.in.lane[trip->lane].open--;
    if (intake->bytes == 0 || trip->ended) intake->trip = NULL;
    qdri_run_step(run);
}

static void answered(qdri_flight_leg *leg) {
    qdri_intake *intake = leg->context;
    settle(intake->run, intake);
}

static void came(qdri_flight_leg *leg) {
    qdri_intake *intake = leg->context;
    qdri_migration_run *run = intake->run;
    qdri_migration *job = run->job;
    int answer = run->stock->kind->came(run->stock, intake->trip, intake, leg->operation.bytes);
    if (!answer) {
        settle(run, intake);
        return;
    }
    leg->is_receive = 0;
    leg->landing = answered;
    qdri_flight_note(leg,
                     qdri_send(job->wire, &leg->operation, job->itinerary.in.lane[intake->trip->lane].rank,
                               job->first_tag + QDRI_TAG_REFUSE + intake->answer_to, intake->refused,
                               sizeof intake->refused));
}

static void ask(qdri_migration_run *run, qdri_intake *intake) {
    qdri_trip *trip = intake->trip;
    qdri_trip_lane *lane = &run->job->itinerary.in.lane[trip->lane];
    qdri_flight_leg *leg = intake->data;
    intake->awaits = 1;
    run->awaited++;
    trip->open++;
    lane->open++;
    leg->is_receive = 1;
    leg->landing = came;
    qdri_flight_note(leg, qdri_receive(run->job->wire, &leg->operation, lane->rank,
                                       run->job->first_tag + QDRI_TAG_DATA + intake->number, intake->at,
                                       intake->bytes));
    if (!run->flight->failed) say(run, intake, trip, intake->bytes);
}

static void close_trip(qdri_migration_run *run, qdri_intake *intake, qdri_trip *trip) {
    trip->ended = trip->closed = 1;
    run->in_open--;
    run->stock->kind->closed(run->stock, trip, 1);
    say(run, intake, trip, -1);
}

/* Something for a free intake to do, for a trip of this phase; whether it found anything. A trip for which
 * there is no room although nothing is under way that might leave some is closed as it is. */
static int employ(qdri_migration_run *run, qdri_intake *intake) {
    qdri_trip_list *in = &run->job->itinerary.in;
    int64_t trips = run->in_end - run->in_first;
    for (int64_t i = 0; i < trips; i++) {
        int64_t number = run->in_first + (run->in_cursor + i) % trips;
        qdri_trip *trip = &in->trip[number];
        if (trip->closed || in->lane[trip->lane].open >= QDRI_LANE_PLACES) continue;
        if (!trip->ended && run->stock->kind->place(run->stock, trip, intake)) {
            run->in_cursor = (number - run->in_first + 1) % trips;
            intake->trip = trip;
            ask(run, intake);
            return 1;
        }
        if (trip->open == 0 && (trip->ended || (run->awaited == 0 && run->stock->kind->may_lack_room))) {
            close_trip(run, intake, trip);
            return 1;
        }
    }
    return 0;
}

static void receive_more(qdri_migration_run *run) {
    int work = 1;
    for (int i = 0; i < run->stock->places && !run->flight->failed && run->in_open > 0; i++) {
        qdri_intake *intake = &run->intake[i];
        if (intake->awaits || intake->ask->under_way) continue;
        if (intake->trip)
            ask(run, intake); /* a part of what it asked for came, and the rest is still to come */
        else if (work)
            work = employ(run, intake);
    }
}

/* ---- phases -------------------------------------------------------------------------------------------- */

/* The trips of the next phase of one side, which begins after `*end`. */
static void next_trips(const qdri_trip_list *side, int64_t phase, int64_t *first, int64_t *end,
                       int64_t *open) {
    *first = *end;
    *open = 0;
    for (; *end < side->trips && side->trip[*end].phase == phase; ++*end) *open += !side->trip[*end].closed;
}

static int64_t next_phase(const qdri_trip_list *side, int64_t at) {
    return at < side->trips ? side->trip[at].phase : INT64_MAX;
}

static void begin_phase(qdri_migration_run *run) {
    qdri_itinerary *own = &run->job->itinerary;
    int64_t in = next_phase(&own->in, run->in_end), out = next_phase(&own->out, run->out_end);
    run->phase = in < out ? in : out;
    next_trips(&own->in, run->phase, &run->in_first, &run->in_end, &run->in_open);
    next_trips(&own->out, run->phase, &run->out_first, &run->out_end, &run->out_open);
    run->in_cursor = 0;
    if (run->phase == INT64_MAX) {
        qdri_closing_begin(run);
        return;
    }
    if (run->in_end > run->in_first)
        run->stock->kind->begin(run->stock, &own->in.trip[run->in_first], run->in_end - run->in_first);
    qdri_outlets_begin(run);
}

static int phase_over(const qdri_migration_run *run) {
    return run->phase < INT64_MAX && run->in_open == 0 && run->out_open == 0 && run->awaited == 0 &&
           run->busy == 0;
}

void qdri_run_step(qdri_migration_run *run) {
    do {
        if (phase_over(run)) begin_phase(run);
        qdri_outlets_serve(run);
        receive_more(run);
    } while (!run->flight->failed && phase_over(run));
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

void *qdri_run_alloc(qdri_migration_run *run, int64_t bytes) {
    return qdri_flight_alloc(run->flight, bytes, 1);
}

void qdri_run_fail(qdri_migration_run *run, qdr_status status) {
    qdri_flight_fail(run->flight, status);
}

void qdri_run_progress(qdri_migration_run *run, int64_t bytes) {
    const qdr_migration_options *how = &run->job->how;
    run->moved += bytes;
    if (!how->progress || run->moved - run->told < run->total / 100) return;
    run->told = run->moved;
    how->progress(how->context, run->phase + 1, run->job->itinerary.phases, run->moved, run->total);
}

static qdr_status open_intakes(qdri_migration_run *run) {
    int count = run->stock->places;
    run->intake = QDRI_FLIGHT_ARRAY(run->flight, qdri_intake, count);
    qdri_flight_leg *legs = qdri_flight_legs(run->flight, 2 * (int64_t)count);
    if (!run->intake || !legs) return qdri_fail_memory();
    for (int i = 0; i < count; i++) {
        qdri_intake *intake = &run->intake[i];
        *intake = (qdri_intake){.run = run, .number = i, .data = &legs[2 * i], .ask = &legs[2 * i + 1]};
        intake->data->context = intake->ask->context = intake;
        intake->ask->landing = said;
    }
    return QDR_OK;
}

static int64_t sum_units(const qdri_trip_list *side) {
    int64_t sum = 0;
    for (int64_t i = 0; i < side->trips; i++) sum += side->trip[i].units;
    return sum;
}

qdr_status qdri_run_open(qdri_migration_run *run, qdri_migration *job, qdri_stock *stock) {
    *run =
        (qdri_migration_run){.job = job, .stock = stock, .phase = -1, .flight = qdri_migration_flight(job)};
    stock->run = run;
    if (!run->flight) return qdri_fail_memory();
    run->flight->what = "migration";
    run->total = (sum_units(&job->itinerary.in) + sum_units(&job->itinerary.out)) * job->unit_bytes;
    QDRI_TRY(open_intakes(run));
    QDRI_TRY(qdri_outlets_open(run));
    return qdri_closing_open(run);
}

/* The first trip of a side, from `at` on, that is not closed; NULL: none. */
static const qdri_trip *first_open(const qdri_trip_list *side, int64_t at) {
    while (at < side->trips && side->trip[at].closed) at++;
    return at < side->trips ? &side->trip[at] : NULL;
}

static qdr_status explain(const qdri_migration_run *run, qdr_status status) {
    if (status != QDR_ERR_STALLED) return status;
    const qdri_itinerary *own = &run->job->itinerary;
    const qdri_trip *in = first_open(&own->in, run->in_first), *out = first_open(&own->out, run->out_first);
    const qdri_trip *trip = in && (!out || in->phase <= out->phase) ? in : out;
    char sentence[600];
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    if (!trip) return qdri_fail(QDR_ERR_STALLED, "%s", sentence);
    return qdri_fail(QDR_ERR_STALLED,
                     "%s; in phase %" PRId64 " of %" PRId64 ", waiting for rank %d, which %s", sentence,
                     trip->phase + 1, own->phases,
                     trip == in ? own->in.lane[trip->lane].rank : own->out.lane[trip->lane].rank,
                     trip == in ? "has data for this one" : "is to get data from this one");
}

void qdri_run_start(qdri_migration_run *run) {
    run->flight->expects_more = 1;
    qdri_outlets_listen(run);
    qdri_run_step(run);
}

qdr_status qdri_run_wait(qdri_migration_run *run) {
    return explain(run, qdri_flight_wait(run->flight));
}

qdr_status qdri_run_test(qdri_migration_run *run, int *over) {
    return explain(run, qdri_flight_test(run->flight, over));
}

void qdri_run_close(qdri_migration_run *run) {
    qdri_flight_end(&run->flight);
}
