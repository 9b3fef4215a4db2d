/* SPDX-License-Identifier: BSD-3-Clause */
/* The relay around the circle of all ranks: see relay.h and bruck.h. */
#include "schedule/bruck.h"
#include "schedule/relay_maker.h"

/* Places are distances. What is handed on makes room for what comes. */
qdr_status qdri_relay_bruck(int rank, int ranks, int64_t radix, qdri_relay *relay) {
    qdri_relay_maker maker = qdri_relay_open(relay, ranks);
    qdri_bruck_step step;
    relay->places = ranks;
    relay->stages = qdri_bruck_stages(ranks, radix);
    for (int i = 0; i < ranks && !maker.failed; i++)
        relay->own[i] = i == rank ? -1 : qdri_around(ranks, i - rank);
    for (int goes_on = qdri_bruck_begin(ranks, &step); goes_on && !maker.failed;
         goes_on = qdri_bruck_next(ranks, radix, &step)) {
        qdri_haul *in = qdri_haul_begin(&maker, 1, step.stage, qdri_around(ranks, rank - step.ahead));
        for (int64_t i = step.ahead; i < ranks && !maker.failed;
             i = qdri_bruck_distance_after(radix, &step, i))
            qdri_haul_add(&maker, in, (int)i,
                          qdri_bruck_ends(radix, &step, i) ? qdri_around(ranks, rank - i) : -1);
        qdri_haul *out = qdri_haul_begin(&maker, 0, step.stage, qdri_around(ranks, rank + step.ahead));
        if (!out) break;
        out->first = in->first; /* the same distances */
        out->messages = in->messages;
    }
    return qdri_relay_close(&maker);
}
