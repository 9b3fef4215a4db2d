/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages by MPI. Each call here starts something with a request and puts the request into an array, where `advance`
 * finds it. A message of any size goes as parts of at most 1 GiB, since MPI counts in int; both ends know its size, so
 * they cut alike, and MPI keeps the order of parts. Requests are tested together; callbacks run after the arrays have
 * been brought in order, so they may start operations freely. Only PMPI_ names are called, so that a library which
 * intercepts MPI never meets itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "wire/mpi/inside.h"

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Room for `more` requests beside those under way. */
static qdr_status make_room(qdri_wire *wire, int64_t more) {
    qdri_mpi *mpi = wire->mpi;
    int64_t needed = mpi->count + more;
    if (needed <= mpi->capacity) return QDR_OK;
    if (needed < wire->reserved) needed = wire->reserved;
    if (needed < 2 * mpi->capacity) needed = 2 * mpi->capacity;
    if (needed < QDRI_LEAST_OPERATIONS) needed = QDRI_LEAST_OPERATIONS;
    if (needed > INT32_MAX / 2) return qdri_fail(QDR_ERR_RANGE, "more than 2^30 messages under way at once");
    int64_t capacity[6] = {mpi->capacity, mpi->capacity, mpi->capacity,
                           mpi->capacity, mpi->capacity, mpi->capacity};
    if (!qdri_grow(&mpi->request, &capacity[0], needed, sizeof *mpi->request) ||
        !qdri_grow(&mpi->operation, &capacity[1], needed, sizeof *mpi->operation) ||
        !qdri_grow(&mpi->index, &capacity[2], needed, sizeof *mpi->index) ||
        !qdri_grow(&mpi->status, &capacity[3], needed, sizeof *mpi->status) ||
        !qdri_grow(&mpi->finished, &capacity[4], needed, sizeof *mpi->finished) ||
        !qdri_grow(&mpi->about, &capacity[5], needed, sizeof *mpi->about))
        return qdri_fail_memory();
    mpi->capacity = capacity[0];
    for (int i = 1; i < 6; i++)
        if (capacity[i] < mpi->capacity) mpi->capacity = capacity[i];
    return QDR_OK;
}

qdr_status qdri_mpi_reserve(qdri_wire *wire, int64_t operations) {
    return operations > wire->mpi->capacity ? make_room(wire, operations - wire->mpi->count) : QDR_OK;
}

qdr_status qdri_mpi_ready(qdri_wire *wire, qdri_operation *operation, int64_t parts) {
    QDRI_TRY(qdri_operation_ready(wire, operation));
    return make_room(wire, parts);
}

qdr_status qdri_mpi_joined(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_operation_joined(wire, operation));
    return make_room(wire, 1);
}

/* A request takes another place. */
static void move(qdri_mpi *mpi, int64_t from, int64_t to) {
    mpi->request[to] = mpi->request[from];
    mpi->operation[to] = mpi->operation[from];
    mpi->about[to] = mpi->about[from];
}

qdr_status qdri_mpi_note(qdri_wire *wire, qdri_operation *operation, MPI_Request request, int code,
                         const char *call) {
    qdri_mpi *mpi = wire->mpi;
    if (code != MPI_SUCCESS) {
        qdri_mpi_cancel(wire, operation); /* parts that went before */
        return qdri_fail_mpi(code, call);
    }
    mpi->request[mpi->count] = request;
    mpi->operation[mpi->count] = operation;
    mpi->count++;
    mpi->in_batches += operation->batch != 0;
    operation->parts++;
    return QDR_OK;
}

int qdri_mpi_is_busy(const qdri_wire *wire) {
    return wire->mpi->count > 0;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static int64_t parts_of(int64_t bytes) {
    return bytes <= QDRI_PART ? 1 : (bytes + QDRI_PART - 1) / QDRI_PART;
}

/* The length of the part that begins at `at`. */
static int part_length(int64_t bytes, int64_t at) {
    return (int)(bytes - at < QDRI_PART ? bytes - at : QDRI_PART);
}

qdr_status qdri_mpi_batch_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                               int64_t bytes) {
    int64_t at = 0;
    QDRI_TRY(make_room(wire, parts_of(bytes)));
    do {
        MPI_Request request;
        const char *from = at > 0 ? (const char *)data + at : data; /* of no bytes it may be NULL */
        int code = PMPI_Isend(from, part_length(bytes, at), MPI_BYTE, to - wire->mpi->first, tag,
                              wire->mpi->comm, &request);
        wire->mpi->about[wire->mpi->count] = (qdri_mpi_about){to, tag, bytes};
        QDRI_TRY(qdri_mpi_note(wire, operation, request, code, "MPI_Isend"));
        at += QDRI_PART;
    } while (at < bytes);
    return QDR_OK;
}

qdr_status qdri_mpi_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                         int64_t bytes) {
    QDRI_TRY(qdri_operation_ready(wire, operation));
    operation->partner = to;
    operation->bytes = bytes;
    return qdri_mpi_batch_send(wire, operation, to, tag, data, bytes);
}

qdr_status qdri_mpi_send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag,
                                 const void *data, int64_t bytes) {
    if (bytes > INT32_MAX)
        return qdri_fail(QDR_ERR_RANGE, "a parcel of %lld bytes for rank %d; expected at most %d",
                         (long long)bytes, to, INT32_MAX);
    QDRI_TRY(qdri_mpi_ready(wire, operation, 1));
    operation->partner = to;
    operation->bytes = bytes;
    MPI_Request request;
    int code = PMPI_Issend(data, (int)bytes, MPI_BYTE, to - wire->mpi->first, tag, wire->mpi->comm, &request);
    return qdri_mpi_note(wire, operation, request, code, "MPI_Issend");
}

qdr_status qdri_mpi_batch_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                                  int64_t bytes) {
    int64_t at = 0;
    QDRI_TRY(make_room(wire, parts_of(bytes)));
    do {
        MPI_Request request;
        int code = PMPI_Irecv(at > 0 ? (char *)data + at : data, part_length(bytes, at), MPI_BYTE,
                              from == QDRI_ANYONE ? MPI_ANY_SOURCE : from - wire->mpi->first, tag,
                              wire->mpi->comm, &request);
        wire->mpi->about[wire->mpi->count] = (qdri_mpi_about){from, tag, bytes};
        QDRI_TRY(qdri_mpi_note(wire, operation, request, code, "MPI_Irecv"));
        at += QDRI_PART;
    } while (at < bytes);
    return QDR_OK;
}

qdr_status qdri_mpi_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                            int64_t bytes) {
    QDRI_TRY(qdri_operation_ready(wire, operation));
    operation->partner = from;
    operation->bytes = 0; /* grows as parts come */
    operation->receives = 1;
    return qdri_mpi_batch_receive(wire, operation, from, tag, data, bytes);
}

int qdri_mpi_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes) {
    MPI_Status status;
    int found = 0, count = 0, source = *from == QDRI_ANYONE ? MPI_ANY_SOURCE : *from - wire->mpi->first;
    if (wire->gone) return 0;
    if (tag == QDRI_ANY_TAG) tag = MPI_ANY_TAG;
    if (PMPI_Iprobe(source, tag, wire->mpi->comm, &found, &status) != MPI_SUCCESS || !found) return 0;
    if (PMPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) return 0;
    *from = status.MPI_SOURCE + wire->mpi->first;
    *bytes = count;
    return 1;
}

/* Where the sender has to do something for it, nobody waits: MPI keeps the memory. */
int qdri_mpi_discard(qdri_wire *wire, int from, int tag, int64_t bytes) {
    enum { LOOKS = 100 };
    MPI_Request request;
    char *memory = QDRI_ARRAY(char, bytes);
    int done = 0;
    if (!memory) return 0;
    if (PMPI_Irecv(memory, (int)bytes, MPI_BYTE, from - wire->mpi->first, tag, wire->mpi->comm, &request) !=
        MPI_SUCCESS) {
        free(memory);
        return 0;
    }
    for (int i = 0; i < LOOKS && !done; i++)
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
    if (done)
        free(memory);
    else
        PMPI_Request_free(&request);
    return 1;
}

/* Receives that have not met their message can be taken back; nothing else can, and requests of collectives cannot even be
 * freed. True when MPI is through with it. */
static int let_go(MPI_Request *request, const qdri_operation *operation) {
    int over = 0, done = 0;
    if (PMPI_Finalized(&over) == MPI_SUCCESS && over) return 1;
    if (operation->receives) PMPI_Cancel(request);
    if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 0;
    if (!done && !operation->joined) PMPI_Request_free(request);
    return done;
}

int qdri_mpi_cancel(qdri_wire *wire, qdri_operation *operation) {
    qdri_mpi *mpi = wire->mpi;
    int64_t kept = 0;
    int stays = 0;
    if (operation->parts == 0) return 0;
    for (int64_t i = 0; i < mpi->count; i++)
        if (mpi->operation[i] == operation) {
            stays |= !let_go(&mpi->request[i], operation);
            mpi->in_batches -= operation->batch != 0;
        } else {
            move(mpi, i, kept++);
        }
    mpi->count = kept;
    operation->parts = 0;
    return stays;
}

/* ---- advancing ----------------------------------------------------------------------------------------- */

/* What MPI says of a message, with the two ranks that it is between. */
static qdr_status fail_message(const qdri_wire *wire, const qdri_operation *operation, int code) {
    int kind = code, with = operation->partner;
    char what[80] = "a collective call";
    PMPI_Error_class(code, &kind);
    if (operation->receives && kind == MPI_ERR_TRUNCATE && with >= 0)
        return qdri_fail(
            QDR_ERR_MISMATCH,
            "rank %d sent more bytes than rank %d has room for: the two ranks have different ideas of "
            "the exchange",
            with, wire->rank);
    if (!operation->joined)
        snprintf(what, sizeof what, "a message from rank %d to rank %d",
                 operation->receives ? with : wire->rank, operation->receives ? wire->rank : with);
    return qdri_fail_mpi(code, what);
}

/* Takes one finished request's result into its operation. */
static void settle(const qdri_wire *wire, qdri_operation *operation, const qdri_mpi_about *about,
                   MPI_Status *status, int failed) {
    int is_wrong = failed && status->MPI_ERROR != MPI_SUCCESS && status->MPI_ERROR != MPI_ERR_PENDING,
        bytes = 0;
    operation->parts--;
    if (operation->batch) operation->partner = about->partner;
    /* A receive from anyone learns here from whom it was. */
    if (is_wrong && operation->receives && operation->partner < 0 && status->MPI_SOURCE >= 0)
        operation->partner = status->MPI_SOURCE + wire->mpi->first;
    if (is_wrong) {
        operation->failed = fail_message(wire, operation, status->MPI_ERROR);
        return;
    }
    /* Only receives have a source; what collectives and sends leave in a status is undefined. */
    if (operation->receives) {
        if (PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0) operation->bytes += bytes;
        operation->partner = status->MPI_SOURCE + wire->mpi->first;
    }
    if (!operation->part) return;
    /* After a failure too: others may know more about it, and the last sentence counts. */
    qdr_status told =
        operation->part(operation, about->partner, about->tag, operation->receives ? bytes : about->bytes);
    if (told) operation->failed = told;
}

/* Takes the `done` finished requests, whose places are in index[], out of the arrays. Returns how many
 * operations have ended; those are in finished[]. */
static int collect(const qdri_wire *wire, int done, int failed) {
    qdri_mpi *mpi = wire->mpi;
    int ended = 0;
    for (int i = 0; i < done; i++) {
        qdri_operation *operation = mpi->operation[mpi->index[i]];
        settle(wire, operation, &mpi->about[mpi->index[i]], &mpi->status[i], failed);
        mpi->in_batches -= operation->batch != 0;
        mpi->operation[mpi->index[i]] = NULL;
        int is_told = operation->batch < 0;
        if (operation->batch && operation->failed)
            operation->batch = -1; /* what is left of it ends unheard */
        if (is_told || (operation->parts > 0 && operation->batch >= 0)) continue;
        mpi->finished[ended].operation = operation;
        mpi->finished[ended++].status = operation->failed;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < mpi->count; i++)
        if (mpi->operation[i]) {
            move(mpi, i, kept++);
        }
    mpi->count = kept;
    return ended;
}

int qdri_mpi_advance(qdri_wire *wire, int may_wait) {
    qdri_mpi *mpi = wire->mpi;
    int done = 0, ended = 0, kind = MPI_SUCCESS;
    if (mpi->count == 0) return 0;
    int code = qdri_look_for_done(mpi, may_wait, &done), failed = code != MPI_SUCCESS;
    if (failed) PMPI_Error_class(code, &kind);
    if (failed && kind != MPI_ERR_IN_STATUS)
        qdri_wire_fail(wire, qdri_fail_mpi(code, "MPI_Testsome"));
    else if (done != MPI_UNDEFINED && done > 0)
        ended = collect(wire, done, failed);
    if (ended > 0) qdri_status_own(wire)->seen = qdri_seconds_about();
    /* finished[] may grow, and move, while callbacks start operations; its entries keep their places. */
    for (int i = 0; i < ended; i++) {
        qdri_operation *operation = mpi->finished[i].operation;
        operation->done(operation, mpi->finished[i].status);
    }
    return ended;
}
