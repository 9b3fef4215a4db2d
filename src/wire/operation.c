/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on MPI. Each call here starts something with a request and puts the request into the wire's
 * array, where progress finds it. A message of any size goes as parts of at most 1 GiB, since MPI counts in
 * int; both ends know its size, so they cut alike, and MPI keeps the order of parts. Only PMPI_ names are
 * called, so that a library which intercepts MPI never meets itself.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "wire/inside.h"

qdr_status qdri_fail_mpi(int code, const char *call) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    return qdri_fail(QDR_MPI, "%s: %.*s", call, length, text);
}

/* Room for `more` operations beside those under way. */
static qdr_status make_room(qdri_wire *wire, int64_t more) {
    int64_t needed = wire->count + more;
    if (needed <= wire->capacity) return QDR_OK;
    if (needed < wire->reserved) needed = wire->reserved;
    if (needed < 2 * wire->capacity) needed = 2 * wire->capacity;
    if (needed < 64) needed = 64;
    if (needed > INT32_MAX / 2) return qdri_fail(QDR_RANGE, "more than 2^30 messages under way at once");
    int64_t capacity[5] = {wire->capacity, wire->capacity, wire->capacity, wire->capacity, wire->capacity};
    if (!qdri_grow(&wire->request, &capacity[0], needed, sizeof *wire->request) ||
        !qdri_grow(&wire->operation, &capacity[1], needed, sizeof *wire->operation) ||
        !qdri_grow(&wire->index, &capacity[2], needed, sizeof *wire->index) ||
        !qdri_grow(&wire->status, &capacity[3], needed, sizeof *wire->status) ||
        !qdri_grow(&wire->finished, &capacity[4], needed, sizeof *wire->finished))
        return qdri_fail_memory();
    wire->capacity = capacity[0];
    for (int i = 1; i < 5; i++)
        if (capacity[i] < wire->capacity) wire->capacity = capacity[i];
    return QDR_OK;
}

qdr_status qdri_wire_reserve(qdri_wire *wire, int64_t operations) {
    qdr_status status = QDR_OK;
    wire->reserved += operations;
    if (operations > 0 && wire->reserved > wire->capacity)
        status = make_room(wire, wire->reserved - wire->count);
    if (operations > 0 && !status && wire->far) status = wire->far->reserve(wire, wire->reserved);
    if (status) wire->reserved -= operations;
    return status;
}

/* Before anything is started. */
qdr_status qdri_operation_ready(qdri_wire *wire, qdri_operation *operation, int64_t parts) {
    operation->parts = operation->receives = operation->joined = 0;
    operation->failed = QDR_OK;
    if (wire->gone || (wire->far && wire->failed)) return qdri_wire_state(wire);
    return make_room(wire, parts);
}

/* Notes a request that MPI has accepted; `code` is what MPI said. */
qdr_status qdri_operation_note(qdri_wire *wire, qdri_operation *operation, MPI_Request request, int code,
                               const char *call) {
    if (code != MPI_SUCCESS) {
        qdri_cancel(wire, operation); /* parts that went before */
        return qdri_fail_mpi(code, call);
    }
    wire->request[wire->count] = request;
    wire->operation[wire->count] = operation;
    wire->count++;
    operation->parts++;
    return QDR_OK;
}

qdr_status qdri_operation_joined(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_wire_state(wire));
    QDRI_TRY(qdri_operation_ready(wire, operation, 1));
    operation->joined = 1;
    qdri_status_own(wire)->meetings++;
    return QDR_OK;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static int64_t parts_of(int64_t bytes) {
    return bytes <= QDRI_PART ? 1 : (bytes + QDRI_PART - 1) / QDRI_PART;
}

/* The length of the part that begins at `at`. */
static int part_length(int64_t bytes, int64_t at) {
    return (int)(bytes - at < QDRI_PART ? bytes - at : QDRI_PART);
}

qdr_status qdri_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                     int64_t bytes) {
    QDRI_TRY(qdri_operation_ready(wire, operation, parts_of(bytes)));
    operation->partner = to;
    operation->bytes = bytes;
    if (qdri_wire_reaches(wire, to)) return wire->far->send(wire, operation, to, tag, data, bytes);
    int64_t at = 0;
    do {
        MPI_Request request;
        int code = PMPI_Isend((const char *)data + at, part_length(bytes, at), MPI_BYTE, to - wire->first,
                              tag, wire->comm, &request);
        QDRI_TRY(qdri_operation_note(wire, operation, request, code, "MPI_Isend"));
        at += QDRI_PART;
    } while (at < bytes);
    return QDR_OK;
}

qdr_status qdri_send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                             int64_t bytes) {
    if (qdri_wire_reaches(wire, to)) return qdri_send(wire, operation, to, tag, data, bytes);
    if (bytes > INT32_MAX)
        return qdri_fail(QDR_RANGE, "a parcel of %lld bytes for rank %d; expected at most %d",
                         (long long)bytes, to, INT32_MAX);
    QDRI_TRY(qdri_operation_ready(wire, operation, 1));
    operation->partner = to;
    operation->bytes = bytes;
    MPI_Request request;
    int code = PMPI_Issend(data, (int)bytes, MPI_BYTE, to - wire->first, tag, wire->comm, &request);
    return qdri_operation_note(wire, operation, request, code, "MPI_Issend");
}

qdr_status qdri_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                        int64_t bytes) {
    QDRI_TRY(qdri_operation_ready(wire, operation, parts_of(bytes)));
    operation->partner = from;
    operation->bytes = 0; /* grows as parts come */
    operation->receives = 1;
    if (wire->far && from == QDRI_ANYONE) return qdri_fail_far("a message from anyone");
    if (qdri_wire_reaches(wire, from)) return wire->far->receive(wire, operation, from, tag, data, bytes);
    int64_t at = 0;
    do {
        MPI_Request request;
        int code =
            PMPI_Irecv((char *)data + at, part_length(bytes, at), MPI_BYTE,
                       from == QDRI_ANYONE ? MPI_ANY_SOURCE : from - wire->first, tag, wire->comm, &request);
        QDRI_TRY(qdri_operation_note(wire, operation, request, code, "MPI_Irecv"));
        at += QDRI_PART;
    } while (at < bytes);
    return QDR_OK;
}

int qdri_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes) {
    MPI_Status status;
    int found = 0, count = 0, source = *from == QDRI_ANYONE ? MPI_ANY_SOURCE : *from - wire->first;
    if (wire->gone || (*from != QDRI_ANYONE && qdri_wire_reaches(wire, *from))) return 0;
    if (tag == QDRI_ANY_TAG) tag = MPI_ANY_TAG;
    if (PMPI_Iprobe(source, tag, wire->comm, &found, &status) != MPI_SUCCESS || !found) return 0;
    if (PMPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) return 0;
    *from = status.MPI_SOURCE + wire->first;
    *bytes = count;
    return 1;
}

/* Where the sender has to do something for it, nobody waits: MPI keeps the memory. */
int qdri_discard(qdri_wire *wire, int from, int tag, int64_t bytes) {
    enum { LOOKS = 100 };
    MPI_Request request;
    char *memory = QDRI_ARRAY(char, bytes);
    int done = 0;
    if (!memory) return 0;
    if (PMPI_Irecv(memory, (int)bytes, MPI_BYTE, from - wire->first, tag, wire->comm, &request) !=
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

int qdri_cancel(qdri_wire *wire, qdri_operation *operation) {
    int stays = 0;
    if (operation->parts == 0) return 0;
    if (wire->far) stays = wire->far->cancel(wire, operation) | qdri_collective_cancel(wire, operation);
    int64_t kept = 0;
    for (int64_t i = 0; i < wire->count; i++)
        if (wire->operation[i] == operation) {
            stays |= !let_go(&wire->request[i], operation);
        } else {
            wire->request[kept] = wire->request[i];
            wire->operation[kept++] = wire->operation[i];
        }
    wire->count = kept;
    operation->parts = 0;
    return stays;
}
