/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that MPI reaches: what a wire has of MPI, and the functions of the back ends that use it. Of a wire between
 * programs these are the ranks from `first` on; of any other all of them.
 */
#ifndef QDRI_MPI_INSIDE_H
#define QDRI_MPI_INSIDE_H

#include <mpi.h>

#include "wire/inside.h"

typedef struct qdri_mpi_finished {
    qdri_operation *operation;
    qdr_status status;
} qdri_mpi_finished;

/* A message of a batch. */
typedef struct qdri_mpi_about {
    int partner, tag;
    int64_t bytes;
} qdri_mpi_about;

struct qdri_mpi {
    MPI_Comm comm; /* the duplicate */
    MPI_Request duplicating;
    int first;

    /* What is under way: request[i] belongs to operation[i]. */
    MPI_Request *request;
    qdri_operation **operation;
    qdri_mpi_about *about; /* of batches */
    int *index;
    MPI_Status *status;
    qdri_mpi_finished *finished;
    int64_t count, capacity;
    int64_t in_batches; /* of them */
    unsigned looks;

    int *gather; /* [2 ranks]: counts and places of a gather under way; one at a time */
};

/* What an operation has in these arrays. */
#define QDRI_MPI_OPERATION_BYTES                                                                             \
    (sizeof(MPI_Request) + sizeof(qdri_operation *) + sizeof(qdri_mpi_about) + sizeof(int) +                 \
     sizeof(MPI_Status) + sizeof(qdri_mpi_finished))

/* Fails with MPI's own text. */
qdr_status qdri_fail_mpi(int code, const char *call);

/* ---- beginning and end --------------------------------------------------------------------------------- */

/* The ranks of `comm`, from `first` on: duplicates it, before the deadline. What was made is freed by
 * qdri_mpi_close(), also after a failure; when the wire is broken MPI may still write into it. */
qdr_status qdri_mpi_open(qdri_wire *wire, MPI_Comm comm, int first, double deadline);
/* Frees the duplicate, which is collective; left out where ranks are missing, and when MPI ends anyway. */
void qdri_mpi_leave(qdri_wire *wire);
/* False: the wire is broken, and MPI may still write into its memory. */
int qdri_mpi_close(qdri_wire *wire);

/* ---- functions of the table ---------------------------------------------------------------------------- */

qdr_status qdri_mpi_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                         int64_t bytes);
qdr_status qdri_mpi_send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag,
                                 const void *data, int64_t bytes);
qdr_status qdri_mpi_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                            int64_t bytes);
/* One more message of a batch, or the only one of an operation that is ready. */
qdr_status qdri_mpi_batch_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                               int64_t bytes);
qdr_status qdri_mpi_batch_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                                  int64_t bytes);
int qdri_mpi_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes);
int qdri_mpi_discard(qdri_wire *wire, int from, int tag, int64_t bytes);
int qdri_mpi_cancel(qdri_wire *wire, qdri_operation *operation);
qdr_status qdri_mpi_reserve(qdri_wire *wire, int64_t operations);
int qdri_mpi_advance(qdri_wire *wire, int may_wait);
int qdri_mpi_is_busy(const qdri_wire *wire);

/* What a table has of them, whether MPI is simulated or not. */
#define QDRI_MPI_FUNCTIONS                                                                                   \
    .send = qdri_mpi_send, .send_matched = qdri_mpi_send_matched, .receive = qdri_mpi_receive,               \
    .is_there = qdri_mpi_is_there, .discard = qdri_mpi_discard, .reserve = qdri_mpi_reserve,                 \
    .operation_bytes = QDRI_MPI_OPERATION_BYTES, .advance = qdri_mpi_advance, .is_busy = qdri_mpi_is_busy,   \
    .leave = qdri_mpi_leave, .close = qdri_mpi_close

/* ---- for those that start requests of their own -------------------------------------------------------- */

/* Before anything of an operation is started: room for so many requests. */
qdr_status qdri_mpi_ready(qdri_wire *wire, qdri_operation *operation, int64_t parts);
/* The same for a collective, which this rank has come to. */
qdr_status qdri_mpi_joined(qdri_wire *wire, qdri_operation *operation);
/* Notes a request that MPI has accepted; `code` is what MPI said. */
qdr_status qdri_mpi_note(qdri_wire *wire, qdri_operation *operation, MPI_Request request, int code,
                         const char *call);

/* ---- what a real MPI and a simulated one do differently ------------------------------------------------ */

/* native.c, or sim/simulated.c: one of the two is built. */
extern const qdri_backend qdri_backend_here;
/* Whether several threads may be in MPI at once. */
int qdri_has_threads(void);
int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request);
/* As MPI_Testsome over the wire's requests. */
int qdri_look_for_done(qdri_mpi *mpi, int may_wait, int *done);

#endif
