/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays an exchange as the executors run it that pace themselves: in chunks, which go when the rule of the pacing lets them,
 * over the network of network.h. What they find out while they run, they know here from the beginning: windows are those that
 * ports come to on that machine (base/window.h), and ranks have nothing to learn about each other.
 *
 *     arrivals  a rank may be a window ahead of what has come to it, and sends what it was invited to send
 *               (plan/executors/stepped.c)
 *     grants    a receiver lets a window be under way to it, and shares it between its senders (plan/executors/grants.c)
 *
 * A chunk and a note hold the rank that sends them for a startup; they are a latency on their way. Chunks from one rank to
 * another follow each other on the network, as on one connection. Notes are too small to take anything from it.
 */
#ifndef QDRI_PACE_H
#define QDRI_PACE_H

#include "quadrille/machine.h"
#include "quadrille/schedule.h"

typedef enum qdri_pacing { QDRI_BY_ARRIVALS, QDRI_BY_GRANTS } qdri_pacing;

typedef struct qdri_pace {
    const qdr_machine *machine;
    int64_t item_bytes;
    int packing; /* what is sent is packed, and unpacked where it arrives */
    qdri_pacing pacing;
    double window;  /* bytes of a port; 0: what it comes to */
    int64_t header; /* bytes on the wire beyond the data of each message */
} qdri_pace;

/* Fills in start and end of every step. By grants, phases and stages mean nothing, and steps come by sender and distance
 * (qdri_steps_by_distance). */
qdr_status qdri_pace_steps(const qdri_pace *how, int64_t count, qdr_step *steps, double *seconds);

#endif
