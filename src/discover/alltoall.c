/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoall: every rank tells every other the size of its parcel, or that there is none, in one regular
 * exchange of a word each. Where the parcels are single words they go in the place of the sizes, and that is
 * all.
 *
 * Cost: two words per rank of memory, one word per pair of ranks on the network: the fastest way for few
 * ranks, whatever the pattern, and hopeless for very many.
 */
#include <string.h>

#include "base/error.h"
#include "discover/round.h"

/* A word is sent as one more than it is; 0 means that there is none. */
void qdri_words_fill(qdri_round *round) {
    int64_t *out = round->scratch;
    for (int i = 0; i < round->count; i++) {
        int64_t word = round->out[i].bytes;
        if (round->words) memcpy(&word, round->out[i].data, sizeof word);
        out[round->out[i].rank] = word + 1;
    }
}

static void start(qdri_round *round) {
    int64_t *out = round->scratch, *in = out + qdri_wire_ranks(round->wire);
    qdri_flight_leg *leg = &round->legs[0];
    qdri_words_fill(round);
    qdri_flight_note(leg, qdri_swap_words(round->wire, &leg->operation, out, in));
}

qdr_status qdri_words_learn(qdri_round *round) {
    int ranks = qdri_wire_ranks(round->wire), arrived = 0;
    int64_t *in = round->scratch + ranks;
    for (int rank = 0; rank < ranks; rank++) arrived += in[rank] > 0;
    if (!round->came) round->came = QDRI_FLIGHT_ARRAY(round->flight, qdr_parcel, arrived);
    qdr_parcel *came = round->came;
    if (!came) return qdri_fail_memory();
    round->arrived = arrived;
    for (int rank = 0; rank < ranks; rank++)
        if (in[rank] > 0) {
            in[rank]--;
            *came++ =
                round->words ? (qdr_parcel){rank, sizeof *in, &in[rank]} : (qdr_parcel){rank, in[rank], NULL};
        }
    return QDR_OK;
}

const qdri_discovery qdri_discovery_alltoall = {
    .name = "alltoall",
    .summary = "a word from everybody to everybody: the fastest for few ranks",
    .scratch = 2,
    .carries = 0,
    .bounded = 1,
    .start = start,
    .poll = NULL,
    .learn = qdri_words_learn,
};
