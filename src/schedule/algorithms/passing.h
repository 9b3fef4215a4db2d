/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules that say for each message which ranks pass it on: an algorithm walks its way, hop by hop, and what is walked
 * becomes the rows. Nodes are the machine's; without one, each rank is a node.
 */
#ifndef QDRI_PASSING_H
#define QDRI_PASSING_H

#include "schedule/algorithm.h"

/* Consecutive ranks share a node; the last may have fewer. */
typedef struct qdri_node_shape {
    int ranks, size; /* of all nodes, and of each but the last */
    int nodes;
} qdri_node_shape;

typedef struct qdri_passing {
    qdri_node_shape shape;
    const qdri_spec *options;
    int at;    /* where the message is */
    int end;   /* whom it is for */
    int stage; /* of the next level */
    /* Of whoever walks nothing. */
    qdri_piece_entry *entry;
    int64_t count, capacity;
    qdr_piece piece;
    int failed;
} qdri_passing;

static inline int qdri_node_members_of(const qdri_node_shape *shape, int node) {
    return node < shape->nodes - 1 ? shape->size : shape->ranks - node * shape->size;
}

/* Without a machine each rank is a node. */
qdri_node_shape qdri_node_shape_of(const qdri_request *request);

/* The message goes to a rank, unless it is there. */
void qdri_pass(qdri_passing *passing, int stage, int64_t phase, int to);

/* Takes it around a circle by Bruck's steps (bruck.h): from place `from` to place `to` of `count`, which are ranks `apart` from each
 * other beginning with `first`. */
typedef struct qdri_passing_circle {
    int first, apart, count, from, to;
    int64_t radix;
} qdri_passing_circle;
void qdri_pass_round(qdri_passing *passing, const qdri_passing_circle *circle);

/* All that was walked becomes the rows; takes the entries. */
qdr_status qdri_rows_from_passed(qdri_passing *passing, qdr_schedule *schedule);

/* Walks every message, and gives the schedule its rows. */
qdr_status qdri_rows_from_passing(const qdri_request *request, qdr_schedule *schedule,
                                  void (*walk)(qdri_passing *passing),
                                  int (*stages)(const qdri_node_shape *shape, const qdri_spec *options));

#endif
