/* SPDX-License-Identifier: BSD-3-Clause */
/* What two roots tell each other when they have met. */
#ifndef QDRI_ACQUAINT_H
#define QDRI_ACQUAINT_H

#include "wire/tcp/inside.h"

/* The connection of the roots, until it becomes their link. */
typedef struct qdri_talk {
    qdri_bridge *bridge;
    int file;
    double deadline;
} qdri_talk;

/* How far a program has come, as its root tells the other; it fits into a qdri_tell(). */
typedef struct qdri_outcome {
    qdr_status status;
    int64_t missing; /* what this program still waits for */
    char sentence[1000];
} qdri_outcome;

/* A failure of this side's, with this thread's error message; or QDR_OK. */
void qdri_outcome_note(qdri_outcome *outcome, const char *program, qdr_status status);

/* Each root tells its own outcome and hears the other's; then both have the same: the failure of the first
 * program, or else of the second, or what both wait for. Fails when the connection does. */
qdr_status qdri_talk_compare(const qdri_talk *talk, qdri_outcome *outcome);

/* `called`: this side has called. Names and ranks of both come into the bridge; far_endpoints is
 * allocated. */
qdr_status qdri_acquaint(qdri_bridge *bridge, int file, int called, const qdri_bridge_request *request,
                         const unsigned char *endpoints, qdri_acquaintance *known,
                         unsigned char **far_endpoints);

#endif
