/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsing (schedule/rehearsal.h) among the ranks of a wire: what a plan does, instead of gathering the whole pattern, where its
 * algorithm hands on by a rule.
 *
 * Each stage is a round of discovery: nobody knows from whom something will come. Where messages are cut, the ranks first agree on how: r
 * and c are two maxima. Then each finds where the extra items of its messages begin. By source that takes nothing, or
 * where intermediaries are to have equally much a sum over the ranks before it: the papers' scan. By destination the papers scan vectors of
 * one number per rank. Here a destination knows its column, so it does for its sources what a source does for its
 * messages, and tells each of them a number.
 *
 * Cost: a round of discovery for each stage, with as many messages as the exchange has in it and 4 to 8 bytes for each
 * piece; for messages that are cut an agreement, perhaps a scan, and by destination one word for each message.
 */
#ifndef QDRI_REHEARSE_H
#define QDRI_REHEARSE_H

#include "schedule/rehearsal.h"
#include "wire/wire.h"

typedef struct qdri_rehearsing {
    qdri_wire *wire;
    const qdri_algorithm *algorithm;
    const char *text; /* of the algorithm and its options, */
    const qdri_spec *spec;
    const qdr_machine *machine; /* may be NULL */
    const qdr_pattern *
        own; /* its row and column; NULL after a failure. What it has for itself it keeps, unless the options say otherwise */
    double deadline;
} qdri_rehearsing;

/* Collective: all ranks return the same status, but for one that has no memory for the schedule at the end. `mine` is a
 * failure of this rank, or QDR_OK. The schedule has this rank's row alone. */
qdr_status qdri_rehearse(const qdri_rehearsing *play, qdr_status mine, qdr_schedule **schedule);

#endif
