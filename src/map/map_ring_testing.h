/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring for the tests of what can be done wrong with maps.
 */
#ifndef MAP_RING_TESTING_H
#define MAP_RING_TESTING_H

#include <string.h>

#include "mpi_expect.h"
#include "quadrille/map.h"

enum { SENT = 4 };

static int rank, ranks, last;

/* ---- a ring -------------------------------------------------------------------------------------------- */

/* Elements 0 to 3 go to the next rank, where they are elements 4 to 7. */
typedef struct ring {
    int to, from;
    int64_t count, out[SENT], in[SENT];
    qdr_indices sends, receives;
    qdr_map_options options;
    qdr_plan_options plan;
} ring;

static inline void set_ring(ring *made) {
    *made = (ring){.to = (rank + 1) % ranks,
                   .from = (rank + ranks - 1) % ranks,
                   .count = SENT,
                   .out = {0, 1, 2, 3},
                   .in = {4, 5, 6, 7},
                   .options = QDR_MAP_OPTIONS,
                   .plan = QDR_PLAN_OPTIONS};
    made->sends = (qdr_indices){.partners = 1, .rank = &made->to, .count = &made->count, .place = made->out};
    made->receives =
        (qdr_indices){.partners = 1, .rank = &made->from, .count = &made->count, .place = made->in};
    made->options.plan = &made->plan;
}

static inline qdr_status create(const ring *made, qdr_map **map) {
    return qdr_map_create(MPI_COMM_WORLD, &made->sends, &made->receives, &made->options, map);
}

static inline qdr_map *ring_map(qdr_reverse reverse, const char *algorithm, const char *transport,
                                int in_flight) {
    ring made;
    qdr_map *map = NULL;
    set_ring(&made);
    made.options.reverse = reverse;
    made.plan.algorithm = algorithm;
    made.plan.transport = transport;
    made.plan.in_flight = in_flight;
    FINE(create(&made, &map));
    return map;
}

static inline void fill_ring(double *array) {
    for (int i = 0; i < 2 * SENT; i++) array[i] = 100 * rank + i;
}

/* The map still does its work. */
static inline void run_ring(qdr_map *map) {
    double array[2 * SENT];
    fill_ring(array);
    qdr_field field = {.source = array, .target = array, .type = QDR_DOUBLE, .width = 1};
    FINE(qdr_map_exchange(map, QDR_FORWARD, 1, &field));
    for (int i = 0; i < SENT; i++) CHECK(array[SENT + i] == 100 * ((rank + ranks - 1) % ranks) + i);
}

#endif
