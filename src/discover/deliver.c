/* SPDX-License-Identifier: BSD-3-Clause */
/* Delivering messages of known sizes: see deliver.h. */
#include "discover/deliver.h"

void qdri_deliver(qdri_flight *flight, qdri_flight_leg *legs, int sends, const qdr_parcel *out, int receives,
                  const qdr_parcel *in) {
    for (int i = 0; i < receives && !flight->failed; i++) {
        if (!in[i].data || !in[i].bytes) continue;
        legs->is_receive = 1;
        legs->expected = in[i].bytes;
        qdri_flight_note(legs, qdri_receive(flight->wire, &legs->operation, in[i].rank, QDRI_TAG_DELIVER,
                                            in[i].data, in[i].bytes));
        legs++;
    }
    for (int i = 0; i < sends && !flight->failed; i++) {
        if (!out[i].data || !out[i].bytes) continue;
        qdri_flight_note(legs, qdri_send(flight->wire, &legs->operation, out[i].rank, QDRI_TAG_DELIVER,
                                         out[i].data, out[i].bytes));
        legs++;
    }
}
