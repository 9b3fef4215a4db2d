/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the wire asks of a real MPI and cannot ask of a simulated one, for which simulated.c stands in: one of the
 * two files is built. Here it is MPI's own calls, one each.
 */
#include <sched.h>
#include <string.h>

#include "wire/mpi/inside.h"

int qdri_has_threads(void) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request) {
    return PMPI_Comm_idup(comm, duplicate, request);
}

/* Of each operation the messages that were started last, up to the first that is not done. After a failure all of them: others may know
 * more about it. */
static int look_at_last(qdri_mpi *mpi, int *done) {
    const qdri_operation *waits = NULL;
    int failed = MPI_SUCCESS;
    *done = 0;
    for (int64_t i = mpi->count - 1; i >= 0; i--) {
        int is_done = 0;
        MPI_Status *status = &mpi->status[*done];
        if (mpi->operation[i] == waits && !failed) continue;
        int code = PMPI_Test(&mpi->request[i], &is_done, status);
        status->MPI_ERROR = code;
        if (code != MPI_SUCCESS) failed = MPI_ERR_IN_STATUS;
        if (code != MPI_SUCCESS || is_done)
            mpi->index[(*done)++] = (int)i;
        else
            waits = mpi->operation[i];
    }
    return failed;
}

/* Of a batch it counts when the last message has ended, so they are waited for one after the other: to look at all of them each time
 * costs more than the rest of a small exchange. Now and then it is done all the same, for whoever asks what is missing. */
int qdri_look_for_done(qdri_mpi *mpi, int may_wait, int *done) {
    enum { LOOKS_BETWEEN_ALL = 32 };
    (void)may_wait;
    if (mpi->in_batches == mpi->count && ++mpi->looks % LOOKS_BETWEEN_ALL) return look_at_last(mpi, done);
    return PMPI_Testsome((int)mpi->count, mpi->request, done, mpi->index, mpi->status);
}

static void yield(void) {
    sched_yield();
}

/* ---- messages whose length is not known ---------------------------------------------------------------- */

/* A handle of MPI's goes by in a word. */
_Static_assert(sizeof(MPI_Message) <= sizeof((qdri_message){.handle = 0}.handle), "a message is a word");

static qdr_status find(qdri_wire *wire, int tag, qdri_message *found) {
    MPI_Status status;
    MPI_Message message;
    int count = 0, is_there = 0;
    if (wire->gone) return qdri_wire_state(wire);
    int code = PMPI_Improbe(MPI_ANY_SOURCE, tag, wire->mpi->comm, &is_there, &message, &status);
    if (code == MPI_SUCCESS && is_there) code = PMPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Improbe");
    *found = (qdri_message){.is_there = is_there};
    if (!is_there) return QDR_OK;
    found->from = status.MPI_SOURCE + wire->mpi->first;
    found->tag = tag;
    found->bytes = count;
    memcpy(&found->handle, &message, sizeof message);
    return QDR_OK;
}

static qdr_status receive_found(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data) {
    QDRI_TRY(qdri_mpi_ready(wire, operation, 1));
    operation->partner = found->from;
    operation->bytes = 0;
    operation->receives = 1;
    MPI_Request request;
    MPI_Message message;
    memcpy(&message, &found->handle, sizeof message);
    int code = PMPI_Imrecv(data, (int)found->bytes, MPI_BYTE, &message, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Imrecv");
}

/* ---- collectives --------------------------------------------------------------------------------------- */

static qdr_status barrier(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_mpi_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ibarrier(wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Ibarrier");
}

static qdr_status swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    QDRI_TRY(qdri_mpi_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ialltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Ialltoall");
}

static qdr_status sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    QDRI_TRY(qdri_mpi_joined(wire, operation));
    MPI_Request request;
    int code = PMPI_Ireduce_scatter_block(out, in, 1, MPI_INT64_T, MPI_SUM, wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Ireduce_scatter_block");
}

/* MPI writes nothing on the first rank. */
static qdr_status sum_before(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    QDRI_TRY(qdri_mpi_joined(wire, operation));
    MPI_Request request;
    *in = 0;
    int code = PMPI_Iexscan(out, in, 1, MPI_INT64_T, MPI_SUM, wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Iexscan");
}

/* MPI counts and places in int: bytes while all of it fits, and words of eight beyond. */
static qdr_status gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                             void *in, const int64_t *start) {
    QDRI_TRY(qdri_mpi_joined(wire, operation));
    int64_t unit = start[wire->ranks] <= INT32_MAX ? 1 : 8;
    if (start[wire->ranks] / unit > INT32_MAX)
        return qdri_fail(QDR_ERR_RANGE, "gathering %lld bytes is more than MPI counts, 16 GiB",
                         (long long)start[wire->ranks]);
    int *counts = wire->mpi->gather, *places = counts + wire->ranks;
    for (int r = 0; r < wire->ranks; r++) {
        if (unit > 1 && start[r] % unit)
            return qdri_fail(QDR_ERR_RANGE, "gathering more than 2 GiB that are not whole words");
        counts[r] = (int)((start[r + 1] - start[r]) / unit);
        places[r] = (int)(start[r] / unit);
    }
    MPI_Datatype type = unit == 1 ? MPI_BYTE : MPI_INT64_T;
    MPI_Request request;
    int code =
        PMPI_Iallgatherv(out, (int)(bytes / unit), type, in, counts, places, type, wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Iallgatherv");
}

const qdri_backend qdri_backend_here = {QDRI_MPI_FUNCTIONS,
                                        .batch_send = qdri_mpi_batch_send,
                                        .batch_receive = qdri_mpi_batch_receive,
                                        .shares_memory = 1,
                                        .connects_late = 1,
                                        .find = find,
                                        .receive_found = receive_found,
                                        .cancel = qdri_mpi_cancel,
                                        .barrier = barrier,
                                        .swap_words = swap_words,
                                        .sum_for_each = sum_for_each,
                                        .sum_before = sum_before,
                                        .gather_all = gather_all,
                                        .yield = yield};
