/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Itineraries: one rank's share of a schedule. Trips are appended in their order, so that a list is sorted
 * without sorting and a trip that a partner speaks of is found by bisection. While the list grows, `lane`
 * holds the partner's rank; at the end it becomes the partner's place among all partners of the side.
 */
#include <string.h>

#include "migrate/inside.h"

static int same(const qdri_trip *a, const qdri_trip *b) {
    return a->phase == b->phase && a->lane == b->lane && a->origin == b->origin &&
           a->destination == b->destination;
}

int qdri_itinerary_add(qdri_itinerary *itinerary, qdri_budget *budget, int is_in, const qdri_trip *trip,
                       int partner) {
    qdri_trip_list *side = is_in ? &itinerary->in : &itinerary->out;
    qdri_trip added = *trip;
    added.lane = partner;
    if (side->trips > 0 && same(&side->trip[side->trips - 1], &added)) {
        side->trip[side->trips - 1].units += added.units;
        return 1;
    }
    if (!qdri_budget_grow(budget, &side->trip, &side->capacity, side->trips + 1, sizeof *side->trip))
        return 0;
    side->trip[side->trips++] = added;
    return 1;
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

/* The first lane of at least this rank. */
static int lane_position(const qdri_trip_list *side, int rank) {
    int low = 0, high = side->lanes;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (side->lane[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int qdri_lane_of(const qdri_trip_list *side, int rank) {
    int place = lane_position(side, rank);
    return place < side->lanes && side->lane[place].rank == rank ? place : -1;
}

static int list_lanes(qdri_trip_list *side, qdri_budget *budget) {
    int64_t capacity = 0;
    for (int64_t i = 0; i < side->trips; i++) {
        int rank = side->trip[i].lane, place = lane_position(side, rank);
        if (place < side->lanes && side->lane[place].rank == rank) continue;
        if (!qdri_budget_grow(budget, &side->lane, &capacity, side->lanes + 1, sizeof *side->lane)) return 0;
        memmove(&side->lane[place + 1], &side->lane[place],
                (size_t)(side->lanes - place) * sizeof *side->lane);
        side->lane[place] = (qdri_trip_lane){.rank = rank};
        side->lanes++;
    }
    for (int64_t i = 0; i < side->trips; i++) side->trip[i].lane = qdri_lane_of(side, side->trip[i].lane);
    return 1;
}

/* ---- the end of making one ----------------------------------------------------------------------------- */

static int fit(qdri_trip_list *side, qdri_budget *budget) {
    if (side->capacity == side->trips) return 1;
    qdri_trip *exact = QDRI_BUDGET_ARRAY(budget, qdri_trip, side->trips);
    if (!exact) return 0;
    memcpy(exact, side->trip, (size_t)side->trips * sizeof *exact);
    qdri_budget_free(budget, side->trip);
    side->trip = exact;
    side->capacity = side->trips;
    return 1;
}

int qdri_itinerary_finish(qdri_itinerary *itinerary, qdri_budget *budget) {
    return fit(&itinerary->in, budget) && fit(&itinerary->out, budget) &&
           list_lanes(&itinerary->in, budget) && list_lanes(&itinerary->out, budget);
}

void qdri_itinerary_free(qdri_itinerary *itinerary, qdri_budget *budget) {
    qdri_budget_free(budget, itinerary->in.trip);
    qdri_budget_free(budget, itinerary->in.lane);
    qdri_budget_free(budget, itinerary->out.trip);
    qdri_budget_free(budget, itinerary->out.lane);
    *itinerary = (qdri_itinerary){0};
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static int before(const qdri_trip *a, const qdri_trip *b) {
    if (a->phase != b->phase) return a->phase < b->phase;
    if (a->lane != b->lane) return a->lane < b->lane;
    if (a->origin != b->origin) return a->origin < b->origin;
    return a->destination < b->destination;
}

qdri_trip *qdri_itinerary_find(const qdri_trip_list *side, int64_t phase, int partner, int origin,
                               int destination) {
    const qdri_trip wanted = {
        .phase = phase, .lane = qdri_lane_of(side, partner), .origin = origin, .destination = destination};
    int64_t low = 0, high = side->trips;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (before(&side->trip[middle], &wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low < side->trips && same(&side->trip[low], &wanted) ? &side->trip[low] : NULL;
}
