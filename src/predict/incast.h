/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is lost where several ranks send to one, and the port of the switch before it has a short queue: a rule of thumb for
 * TCP, made from measurements on the emulated cluster (docs/machines.md).
 *
 * A transfer pushes so much at the queue: ten packets, which TCP sends before it has heard anything (RFC 6928), if it has more than
 * twenty to send, for then its window grows; else four, the fewest with which TCP notices a loss without a time-out. It comes
 * through if there is room for that beside the others. So does a short one whose sender has about as much to send as its receiver
 * to receive: it waits before the wire of its sender, not at the port. Others get twenty packets through, short ones four, and
 * the rest comes after a time-out, if there is room then.
 */
#ifndef QDRI_INCAST_H
#define QDRI_INCAST_H

#include "quadrille/machine.h"
#include "quadrille/schedule.h"

typedef struct qdri_incast {
    double packet;          /* bytes: the machine's, or those of Ethernet */
    double queue;           /* bytes; 0: nothing is ever lost, and the rest is not there */
    double *lost, *pushing; /* of each step */
    double *out, *in,
        *held; /* of each rank: bytes that it has to send, and to receive; what is pushed at its port */
} qdri_incast;

qdr_status qdri_incast_open(qdri_incast *incast, const qdr_machine *machine, int64_t count,
                            const qdr_step *steps, int64_t item_bytes);
void qdri_incast_close(qdri_incast *incast);

/* A step begins with so many bytes, or goes on with what was lost: how many pass now. */
double qdri_incast_pass(qdri_incast *incast, int64_t number, const qdr_step *step, double bytes);

/* They have passed. Whether some are left, which were lost. */
int qdri_incast_passed(qdri_incast *incast, int64_t number, const qdr_step *step);

#endif
