/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a wire stands on: MPI (mpi/), a simulated MPI (sim/), or MPI inside two programs and sockets between them
 * (tcp/). A back end is this table; the rest of the house, and of this folder, cannot tell which one it is.
 *
 * The functions are those of wire.h without the `qdri_`, and expect the same. What is started ends inside `advance`,
 * or inside a poller of the wire by qdri_operation_end(), once.
 */
#ifndef QDRI_BACKEND_H
#define QDRI_BACKEND_H

#include "wire/wire.h"

typedef struct qdri_backend {
    /* Whether memory is a way between the ranks of a node. */
    int shares_memory;
    /* Whether its ranks are two programs'. */
    int joins_programs;
    /* Whether the first message from one rank to another opens a connection, which takes time. */
    int connects_late;

    qdr_status (*send)(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes);
    qdr_status (*send_matched)(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                               int64_t bytes);
    qdr_status (*receive)(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                          int64_t bytes);
    /* NULL: there are no batches. */
    qdr_status (*batch_send)(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                             int64_t bytes);
    qdr_status (*batch_receive)(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                                int64_t bytes);
    qdr_status (*find)(qdri_wire *wire, int tag, qdri_message *found);
    qdr_status (*receive_found)(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data);
    int (*is_there)(qdri_wire *wire, int *from, int tag, int64_t *bytes);
    int (*discard)(qdri_wire *wire, int from, int tag, int64_t bytes);
    int (*cancel)(qdri_wire *wire, qdri_operation *operation);
    /* So many operations in all may be under way at once without any allocation. */
    qdr_status (*reserve)(qdri_wire *wire, int64_t operations);
    /* Memory for each of them. */
    int64_t operation_bytes;

    qdr_status (*barrier)(qdri_wire *wire, qdri_operation *operation);
    qdr_status (*swap_words)(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
    qdr_status (*sum_for_each)(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
    qdr_status (*sum_before)(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in);
    qdr_status (*gather_all)(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                             void *in, const int64_t *start);

    /* Lets what is under way advance, ends what is done, and says how much that was. `may_wait`: nothing else can happen
     * to this rank meanwhile. */
    int (*advance)(qdri_wire *wire, int may_wait);
    /* Whether anything is under way. */
    int (*is_busy)(const qdri_wire *wire);
    /* There is nothing to do just now. */
    void (*yield)(void);
    /* Nor was there for a while: sleeps for a moment, or until something comes. NULL: never. */
    void (*rest)(qdri_wire *wire);

    /* Of two programs: whether all ranks of the other that this one ever heard of have said goodbye. NULL: no. */
    int (*is_alone)(const qdri_wire *wire);
    /* The communicator is freed, MPI ends, or the last owner has gone. The wire is gone afterwards. */
    void (*leave)(qdri_wire *wire);
    /* The last owner has gone; false: memory of the wire must stay. */
    int (*close)(qdri_wire *wire);
} qdri_backend;

#endif
