/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending side of a run. Receivers' words are heard one by one, in their order, as long as any outgoing
 * trip is open: the last word about a trip closes it, so no receive is left over at the end. A question about
 * a trip of this phase is answered when an outlet is free; one of a later phase waits in a list.
 */
#include <inttypes.h>

#include "migrate/inside.h"

/* ---- questions ----------------------------------------------------------------------------------------- */

static void append(qdri_gos *list, qdri_go *go) {
    go->next = NULL;
    *list->last = go;
    list->last = &go->next;
}

static void clear(qdri_gos *list) {
    list->first = NULL;
    list->last = &list->first;
}

static qdri_go *take(qdri_gos *list) {
    qdri_go *go = list->first;
    list->first = go->next;
    if (!list->first) list->last = &list->first;
    return go;
}

void qdri_outlets_begin(qdri_migration_run *run) {
    qdri_gos held = run->held;
    if (!held.first) return;
    clear(&run->held);
    for (qdri_go *go = held.first, *next; go; go = next) {
        next = go->next;
        append(go->trip->phase == run->phase ? &run->ready : &run->held, go);
    }
}

/* ---- hearing ------------------------------------------------------------------------------------------- */

static void hear(qdri_migration_run *run, int from, const qdri_word *word) {
    qdri_trip_list *out = &run->job->itinerary.out;
    qdri_trip *trip = qdri_itinerary_find(out, word->phase, from, word->origin, word->destination);
    int has_place = word->place >= 0 && word->place < QDRI_TAGS - QDRI_TAG_DATA;
    if (!trip || trip->closed || word->phase < run->phase || (word->bytes >= 0 && !run->spare) ||
        !has_place) {
        qdri_run_fail(run, qdri_fail(QDR_ERR_MISMATCH,
                                     "rank %d asks for data from rank %d to rank %d in phase %" PRId64
                                     ", which this rank cannot give: the two have different schedules",
                                     from, word->origin, word->destination, word->phase));
        return;
    }
    if (word->bytes < 0) {
        trip->closed = 1;
        run->out_trips_open--;
        run->out_open -= word->phase == run->phase;
        run->stock->kind->closed(run->stock, trip, 0);
        return;
    }
    qdri_go *go = run->spare;
    run->spare = go->next;
    go->trip = trip;
    go->bytes = word->bytes;
    go->place = word->place;
    append(word->phase == run->phase ? &run->ready : &run->held, go);
}

static void heard(qdri_flight_leg *leg) {
    qdri_migration_run *run = leg->context;
    hear(run, leg->operation.partner, run->word);
    qdri_outlets_listen(run);
    qdri_run_step(run);
}

void qdri_outlets_listen(qdri_migration_run *run) {
    qdri_flight_leg *leg = run->listener;
    if (run->out_trips_open == 0 || run->flight->failed) return;
    leg->is_receive = 1;
    leg->landing = heard;
    qdri_flight_note(leg, qdri_receive(run->job->wire, &leg->operation, QDRI_ANYONE,
                                       run->job->first_tag + QDRI_TAG_WORD, run->word, sizeof *run->word));
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void leave(qdri_migration_run *run, qdri_outlet *outlet) {
    run->stock->kind->gone(run->stock, outlet->trip, outlet);
    outlet->trip = NULL;
    run->busy--;
    qdri_run_step(run);
}

static void answered(qdri_flight_leg *leg) {
    qdri_outlet *outlet = leg->context;
    leave(outlet->run, outlet);
}

static void sent(qdri_flight_leg *leg) {
    qdri_outlet *outlet = leg->context;
    qdri_migration_run *run = outlet->run;
    if (!outlet->answered) {
        leave(run, outlet);
        return;
    }
    leg->is_receive = 1;
    leg->landing = answered;
    qdri_flight_note(leg, qdri_receive(run->job->wire, &leg->operation,
                                       run->job->itinerary.out.lane[outlet->trip->lane].rank,
                                       run->job->first_tag + QDRI_TAG_REFUSE + outlet->number,
                                       outlet->refused, sizeof outlet->refused));
}

static void send(qdri_migration_run *run, qdri_outlet *outlet, qdri_go *go) {
    qdri_flight_leg *leg = outlet->leg;
    outlet->trip = go->trip;
    run->busy++;
    run->stock->kind->give(run->stock, go->trip, go->bytes, outlet);
    leg->is_receive = 0;
    leg->landing = sent;
    if (!run->flight->failed)
        qdri_flight_note(
            leg, qdri_send(run->job->wire, &leg->operation, run->job->itinerary.out.lane[go->trip->lane].rank,
                           run->job->first_tag + QDRI_TAG_DATA + go->place, outlet->at, outlet->bytes));
    go->next = run->spare;
    run->spare = go;
}

void qdri_outlets_serve(qdri_migration_run *run) {
    for (int i = 0; i < run->stock->places && run->ready.first && !run->flight->failed; i++)
        if (!run->outlet[i].trip) send(run, &run->outlet[i], take(&run->ready));
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

qdr_status qdri_outlets_open(qdri_migration_run *run) {
    const qdri_trip_list *out = &run->job->itinerary.out;
    int64_t gos = out->lanes * (int64_t)QDRI_LANE_PLACES;
    int count = run->stock->places;
    run->outlet = QDRI_FLIGHT_ARRAY(run->flight, qdri_outlet, count);
    run->go = QDRI_FLIGHT_ARRAY(run->flight, qdri_go, gos);
    run->word = QDRI_FLIGHT_ARRAY(run->flight, qdri_word, 1);
    qdri_flight_leg *legs = qdri_flight_legs(run->flight, (int64_t)count + 1);
    if (!run->outlet || !run->go || !run->word || !legs) return qdri_fail_memory();
    for (int i = 0; i < count; i++) {
        run->outlet[i] = (qdri_outlet){.run = run, .number = i, .leg = &legs[i]};
        legs[i].context = &run->outlet[i];
    }
    for (int64_t i = 0; i < gos; i++) run->go[i].next = i + 1 < gos ? &run->go[i + 1] : NULL;
    run->spare = gos > 0 ? run->go : NULL;
    run->listener = &legs[count];
    run->listener->context = run;
    run->out_trips_open = out->trips;
    clear(&run->ready);
    clear(&run->held);
    return QDR_OK;
}
