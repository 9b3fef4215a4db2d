/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program: all that one rank does in an exchange, without the buffers. It is a rank's row of a schedule
 * (or, for algorithms that schedule at run time, just its messages), with every piece translated into the
 * place where it lies: in a user's message, or in the memory for what is forwarded.
 *
 * A *hop* is one transfer, at one of its ends. Hops stand by rising (stage, phase). All hops with one
 * partner, in that order, make up a *lane*: a stream of bytes between two ranks, of which both have the same
 * idea.
 */
#ifndef QDRI_PROGRAM_H
#define QDRI_PROGRAM_H

#include <stdint.h>

#include "quadrille/discover.h"
#include "quadrille/schedule.h"

/* Where a piece lies. */
enum { QDRI_IN_OUTGOING, QDRI_IN_INCOMING, QDRI_IN_STAGING };
typedef struct qdri_segment {
    int region;
    int index;              /* the place of the partner among destinations or sources; 0 in staging */
    int64_t offset, length; /* in items */
} qdri_segment;

typedef struct qdri_hop {
    int partner, stage, lane;
    int64_t phase;
    int64_t items;
    int64_t first, segments; /* of the program's segments */
    int64_t bounce;          /* its place in the memory for packing, in items; unused for one segment */
} qdri_hop;

typedef struct qdri_lane {
    int partner;
    int64_t first, hops; /* of the side's lane_hop */
} qdri_lane;

/* One side: what is sent, or what is received. */
typedef struct qdri_side {
    qdri_hop *hop;
    int64_t hops;
    int64_t *stage_start; /* [stages + 1] */
    qdri_lane *lane;
    int lanes;
    int64_t *lane_hop; /* hop numbers, grouped by lane */
    int *lane_of;      /* [ranks]: a partner's lane, -1: none */
} qdri_side;

/* A message to oneself, which is copied. */
typedef struct qdri_self {
    int outgoing, incoming; /* places, -1: none */
    int64_t items;
    int travels;            /* parts of it go through other ranks; this is what stays: */
    int64_t offset, length; /* in items */
} qdri_self;

typedef struct qdri_program {
    int rank, ranks, stages;
    void *block; /* of memory, in which the arrays of lanes and stages of both sides lie */
    qdri_side out, in;
    qdri_segment *segment;
    int64_t segments;
    int64_t staging_items, bounce_items;
    qdri_self self;
} qdri_program;

/* Which messages are no part of a program, because they stay on the node: [ranks], NULL: none. */
enum { QDRI_NEAR_OUT = 1, QDRI_NEAR_IN = 2 };

/* Local. From a schedule whose row of this rank is right; every piece must be one that this rank has. */
qdr_status qdri_program_from_schedule(const qdr_schedule *schedule, qdr_partners_view view,
                                      const char *is_near, qdri_program *program);

/* Local. One hop per partner, empty ones included, all in phase 0. */
qdr_status qdri_program_from_partners(qdr_partners_view view, const char *is_near, qdri_program *program);

void qdri_program_free(qdri_program *program);

#endif
