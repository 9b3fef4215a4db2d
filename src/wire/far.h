/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wires that reach beyond MPI: some of the ranks are another program's, and how messages come to them is
 * somebody else's business, told here by a table of functions. The ranks of this program stand together, from
 * `first` on, and use MPI. Such a wire has no node: everything goes by messages. Its collectives are made of
 * messages too (bridged.c), with one each way between the two programs.
 */
#ifndef QDRI_FAR_H
#define QDRI_FAR_H

#include "wire/wire.h"

/* As the functions of wire.h, for ranks of the other program. What is started ends from inside a poller of
 * the wire, by qdri_far_end(), once. */
typedef struct qdri_far {
    qdr_status (*send)(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes);
    qdr_status (*receive)(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                          int64_t bytes);
    /* So many operations in all may be under way at once without any allocation. */
    qdr_status (*reserve)(qdri_wire *wire, int64_t operations);
    int (*cancel)(qdri_wire *wire, qdri_operation *operation);
    /* Nothing has happened for a while: sleeps for a moment, or until something comes. */
    void (*rest)(qdri_wire *wire);
    /* Whether all ranks of the other program that this one ever heard of have said goodbye. */
    int (*is_alone)(const qdri_wire *wire);
    /* MPI ends, or the last owner has gone: the other program is told. */
    void (*leave)(qdri_wire *wire);
    /* The last owner has gone. */
    void (*close)(qdri_wire *wire);
} qdri_far;

typedef struct qdri_far_shape {
    int first, own; /* this program's ranks */
    int ranks;      /* of both */
    int tag_spans;  /* that both have */
} qdri_far_shape;

/* How many spans of tags this program's MPI has. */
int qdri_tag_spans(void);

/* Collective over `comm`, the ranks of this program. The caller owns the wire, and `state` until it has one.
 * No communicator holds it: it ends with its last owner. */
qdr_status qdri_wire_open_far(MPI_Comm comm, const qdri_far_shape *shape, const qdri_far *far, void *state,
                              double deadline, qdri_wire **wire);
/* NULL: it is a wire like any other. */
const qdri_far *qdri_wire_far(const qdri_wire *wire);
void *qdri_far_state(const qdri_wire *wire);

/* The wire has failed for good, with this thread's error message as its sentence. The first failure
 * counts. */
void qdri_far_fail(qdri_wire *wire, qdr_status status);
/* From inside a poller: an operation is over. */
void qdri_far_end(qdri_wire *wire, qdri_operation *operation, qdr_status status);
/* From inside a poller, after a failure: ends the collectives. */
void qdri_far_end_collectives(qdri_wire *wire);

#endif
