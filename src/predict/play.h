/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a schedule on a machine: what each rank does, event by event, over a network whose links and ports are shared
 * (network.h). A transfer takes tau, the latency of its route, and its bytes at the rate that the network gives it.
 *
 *     loose    each end of a transfer takes its transfers in the order of phases, one at a time; both are held from its
 *              beginning to its end. So a rank goes on as soon as it and its partner are ready, and phases of different ranks
 *              overlap. Where several transfers of a phase begin or end at one rank, and sends are buffered, a sender is held
 *              by startups alone: what it has sent shares the network.
 *     barrier  the same, and nothing of a phase begins before all of the one before has ended and everybody has heard of it
 *     turns    one transfer at a time, in or out, in the order of the executor of that name (plan/executors/turns.c)
 *     free     senders are held by startups alone, receivers by nothing: what is sent shares the network, and where ports of
 *              switches have short queues some of it is lost
 *
 * In loose playing, where sends are buffered and ports full, a startup holds its sender alone, which prepares its next transfer
 * while the last is on its way.
 */
#ifndef QDRI_PLAY_H
#define QDRI_PLAY_H

#include "quadrille/machine.h"
#include "quadrille/schedule.h"

typedef enum qdri_manner { QDRI_LOOSE, QDRI_BARRIER, QDRI_TURNS, QDRI_FREE } qdri_manner;

typedef struct qdri_play {
    const qdr_machine *machine;
    int64_t item_bytes;
    int packing; /* what is sent is packed, and unpacked where it arrives */
    qdri_manner manner;
    unsigned promises; /* of the phases */
    /* Bytes on the wire beyond the data: of each message, and of those with at most so many bytes. */
    int64_t header, mark, carrying;
} qdri_play;

/* For how long a startup holds a sender that does not wait for its receiver: where sends are synchronous, both ends take part in
 * it, and several may be under way. */
static inline double qdri_startup_holds(const qdr_machine_parameters *p) {
    return p->sends == QDR_SENDS_BUFFERED ? p->tau : 0;
}

/* Whether steps fit on a machine. */
qdr_status qdri_steps_check(int64_t count, const qdr_step *steps, const qdr_machine *machine,
                            int64_t item_bytes);

/* Plans without an order of phases serve their partners in the order of distance, so that ranks which start together do not all
 * begin with the same one. Steps of one phase, by sender and receiver, are brought into it. */
void qdri_steps_by_distance(int64_t count, qdr_step *steps);

/* Fills in start and end of every step. */
qdr_status qdri_play_steps(const qdri_play *how, int64_t count, qdr_step *steps, double *seconds);

#endif
