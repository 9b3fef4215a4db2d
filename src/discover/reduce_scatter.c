/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce-scatter: every rank marks its destinations in a vector of ranks; the sum of the vectors, of which
 * each rank gets its own entry, tells it how many envelopes to wait for. The envelopes themselves are
 * ordinary messages and are on their way meanwhile.
 *
 * Cost: a reduction of one word per rank, one message per partner, no acknowledgements; memory of one word
 * per rank.
 */
#include "discover/round.h"

/* The word after the vector: how many will come. `open` counts those that have come. */
static int64_t *expected(qdri_round *round) {
    return &round->scratch[qdri_wire_ranks(round->wire)];
}

static void close_if_complete(qdri_round *round) {
    if (!round->legs[round->count].under_way && round->open == *expected(round))
        round->flight->expects_more = 0;
}

static void counted(qdri_flight_leg *leg) {
    close_if_complete(leg->context);
}

static void start(qdri_round *round) {
    qdri_flight_leg *leg = &round->legs[round->count];
    round->flight->expects_more = 1;
    for (int i = 0; i < round->count; i++) round->scratch[round->out[i].rank] = 1;
    leg->landing = counted;
    leg->context = round;
    qdri_flight_note(leg, qdri_sum_for_each(round->wire, &leg->operation, round->scratch, expected(round)));
    qdri_envelopes_send(round, 0, NULL);
}

static void poll(qdri_round *round) {
    round->open += qdri_envelopes_take(round);
    close_if_complete(round);
}

const qdri_discovery qdri_discovery_reduce_scatter = {
    .name = "reduce-scatter",
    .summary = "a reduction tells each rank how many messages to wait for",
    .scratch = 1,
    .carries = 4096,
    .by_envelopes = 1,
    .start = start,
    .poll = poll,
    .learn = qdri_envelopes_learn,
};
