/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wires between two programs: the back end whose near ranks, this program's, are reached by MPI, and whose far ranks,
 * the other program's, by a table of functions: the links of a bridge (bridge.c), or whatever a test plays. The ranks
 * of this program stand together, from `first` on. Such a wire has no node: everything goes by messages.
 */
#ifndef QDRI_JOINED_H
#define QDRI_JOINED_H

#include "wire/inside.h"

/* As the functions of wire.h, for far ranks. What is started ends from inside a poller of the wire, by
 * qdri_operation_end(), once. */
typedef struct qdri_far {
    qdr_status (*send)(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes);
    qdr_status (*receive)(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                          int64_t bytes);
    /* A message with this tag that no receive is waiting for; qdri_receive() from its sender gets it. */
    void (*find)(qdri_wire *wire, int tag, qdri_message *found);
    /* So many operations in all may be under way at once without any allocation. */
    qdr_status (*reserve)(qdri_wire *wire, int64_t operations);
    int (*cancel)(qdri_wire *wire, qdri_operation *operation);
    /* Nothing has happened for a while: sleeps for a moment, or until something comes. */
    void (*rest)(qdri_wire *wire);
    /* Whether all far ranks that this one ever heard of have said goodbye. */
    int (*is_alone)(const qdri_wire *wire);
    /* MPI ends, or the last owner has gone: the other program is told. */
    void (*leave)(qdri_wire *wire);
    /* The last owner has gone. */
    void (*close)(qdri_wire *wire);
} qdri_far;

typedef struct qdri_joined_shape {
    int first, own; /* this program's ranks */
    int ranks;      /* of both */
    int tag_spans;  /* that both have */
    int one_host;   /* all of them are on one */
} qdri_joined_shape;

/* A receive from anyone that has not met a message. */
typedef struct qdri_awaiting {
    qdri_operation *operation;
    int tag;
    void *data;
    int64_t bytes;
} qdri_awaiting;

struct qdri_joined {
    const qdri_far *far;
    void *state; /* of `far` */
    int first, own;
    int talks_to_itself; /* this rank has sent to itself, which MPI does */
    qdri_awaiting *awaiting;
    int64_t awaited, capacity;
};

/* How many spans of tags this program's MPI has. */
int qdri_tag_spans(void);

/* Collective over `comm`, the ranks of this program. The caller owns the wire, and `state` until it has one.
 * No communicator holds it: it ends with its last owner. After some failures there is one all the same, to be released. */
qdr_status qdri_wire_join(MPI_Comm comm, const qdri_joined_shape *shape, const qdri_far *far, void *state,
                          double deadline, qdri_wire **wire);

/* From inside a poller, after a failure: ends all that waits for anyone, or for all. */
void qdri_joined_fail(qdri_wire *wire);

/* Whether a rank is the other program's. */
static inline int qdri_is_far(const qdri_wire *wire, int rank) {
    const qdri_joined *joined = wire->joined;
    return rank < joined->first || rank >= joined->first + joined->own;
}

#endif
