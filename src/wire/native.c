/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the wire asks of a real MPI and cannot ask of a simulated one, for which simulated.c stands in: one of the
 * two files is built. Here it is MPI's own calls, one each.
 */
#include <sched.h>

#include "wire/inside.h"

int qdri_has_threads(void) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

int qdri_shares_memory(void) {
    return 1;
}

int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request) {
    return PMPI_Comm_idup(comm, duplicate, request);
}

int qdri_look_for_done(qdri_wire *wire, int may_wait, int *done) {
    (void)may_wait;
    return PMPI_Testsome((int)wire->count, wire->request, done, wire->index, wire->status);
}

void qdri_yield(void) {
    sched_yield();
}

/* ---- messages whose length is not known ---------------------------------------------------------------- */

qdr_status qdri_find(qdri_wire *wire, int tag, int *found, MPI_Message *message, int *from, int64_t *bytes) {
    MPI_Status status;
    int count = 0;
    *found = 0;
    if (wire->far) return qdri_fail_far("looking for a message");
    if (wire->gone) return qdri_wire_state(wire);
    int code = PMPI_Improbe(MPI_ANY_SOURCE, tag, wire->comm, found, message, &status);
    if (code == MPI_SUCCESS && *found) code = PMPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Improbe");
    if (*found) {
        *from = status.MPI_SOURCE;
        *bytes = count;
    }
    return QDR_OK;
}

qdr_status qdri_receive_found(qdri_wire *wire, qdri_operation *operation, MPI_Message *message, int from,
                              void *data, int64_t bytes) {
    QDRI_TRY(qdri_operation_ready(wire, operation, 1));
    operation->partner = from;
    operation->bytes = 0;
    operation->receives = 1;
    MPI_Request request;
    int code = PMPI_Imrecv(data, (int)bytes, MPI_BYTE, message, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Imrecv");
}

/* ---- collectives --------------------------------------------------------------------------------------- */

qdr_status qdri_barrier(qdri_wire *wire, qdri_operation *operation) {
    if (wire->far) return qdri_bridged_reduce(wire, operation, QDRI_MAXIMUM, NULL, 0);
    QDRI_TRY(qdri_operation_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ibarrier(wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Ibarrier");
}

qdr_status qdri_reduce(qdri_wire *wire, qdri_operation *operation, qdri_reduction kind, int64_t *value,
                       int count) {
    if (wire->far) return qdri_bridged_reduce(wire, operation, kind, value, count);
    QDRI_TRY(qdri_operation_joined(wire, operation));
    const MPI_Op function[] = {MPI_MAX, MPI_SUM, MPI_BOR, MPI_BXOR}; /* in the order of qdri_reduction */
    MPI_Request request;
    int code = PMPI_Iallreduce(MPI_IN_PLACE, value, count, MPI_INT64_T, function[kind], wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Iallreduce");
}

qdr_status qdri_spread_from(qdri_wire *wire, qdri_operation *operation, int root, void *data, int bytes) {
    if (wire->far) return qdri_bridged_spread(wire, operation, root, data, bytes);
    QDRI_TRY(qdri_operation_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ibcast(data, bytes, MPI_BYTE, root, wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Ibcast");
}

qdr_status qdri_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    if (wire->far) return qdri_fail_far("swapping words");
    QDRI_TRY(qdri_operation_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ialltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Ialltoall");
}

qdr_status qdri_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    if (wire->far) return qdri_fail_far("sums for each rank");
    QDRI_TRY(qdri_operation_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ireduce_scatter_block(out, in, 1, MPI_INT64_T, MPI_SUM, wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Ireduce_scatter_block");
}

/* MPI counts and places in int: bytes while all of it fits, and words of eight beyond. */
qdr_status qdri_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                           void *in, const int64_t *start) {
    if (wire->far) return qdri_bridged_gather(wire, operation, out, bytes, in, start);
    QDRI_TRY(qdri_operation_joined(wire, operation));
    int64_t unit = start[wire->ranks] <= INT32_MAX ? 1 : 8;
    if (start[wire->ranks] / unit > INT32_MAX)
        return qdri_fail(QDR_RANGE, "gathering %lld bytes is more than MPI counts, 16 GiB",
                         (long long)start[wire->ranks]);
    if (!wire->gather) return qdri_fail_memory();
    int *counts = wire->gather, *places = wire->gather + wire->ranks;
    for (int r = 0; r < wire->ranks; r++) {
        if (unit > 1 && start[r] % unit)
            return qdri_fail(QDR_RANGE, "gathering more than 2 GiB that are not whole words");
        counts[r] = (int)((start[r + 1] - start[r]) / unit);
        places[r] = (int)(start[r] / unit);
    }
    MPI_Datatype type = unit == 1 ? MPI_BYTE : MPI_INT64_T;
    MPI_Request request;
    int code =
        PMPI_Iallgatherv(out, (int)(bytes / unit), type, in, counts, places, type, wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Iallgatherv");
}
