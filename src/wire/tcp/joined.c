/* SPDX-License-Identifier: BSD-3-Clause */
/* The back end of wires between programs: see joined.h. */
#include "wire/tcp/joined.h"

#include <stdlib.h>

#include "base/memory.h"
#include "wire/council.h"
#include "wire/mpi/inside.h"
#include "wire/rounds.h"

static const qdri_backend backend;

/* ---- messages ------------------------------------------------------------------------------------------ */

/* A failure of the other program ends everything on this wire. */
static qdr_status ready(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_operation_ready(wire, operation));
    return wire->failed ? qdri_wire_state(wire) : QDR_OK;
}

static qdr_status send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                       int64_t bytes) {
    QDRI_TRY(ready(wire, operation));
    if (to == wire->rank) wire->joined->talks_to_itself = 1;
    if (!qdri_is_far(wire, to)) return qdri_mpi_send(wire, operation, to, tag, data, bytes);
    operation->partner = to;
    operation->bytes = bytes;
    return wire->joined->far->send(wire, operation, to, tag, data, bytes);
}

static qdr_status send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                               int64_t bytes) {
    if (qdri_is_far(wire, to)) return send(wire, operation, to, tag, data, bytes);
    QDRI_TRY(ready(wire, operation));
    if (to == wire->rank) wire->joined->talks_to_itself = 1;
    return qdri_mpi_send_matched(wire, operation, to, tag, data, bytes);
}

static qdr_status receive_from(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                               int64_t bytes) {
    if (!qdri_is_far(wire, from)) return qdri_mpi_receive(wire, operation, from, tag, data, bytes);
    operation->partner = from;
    operation->bytes = 0;
    operation->receives = 1;
    return wire->joined->far->receive(wire, operation, from, tag, data, bytes);
}

/* Of the other program's messages nothing is known. */
static int is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes) {
    return (*from == QDRI_ANYONE || !qdri_is_far(wire, *from)) && qdri_mpi_is_there(wire, from, tag, bytes);
}

/* ---- messages from anyone ------------------------------------------------------------------------------ */

/* Neither MPI nor the links know what comes to the other, so nothing is posted: a receive waits here until a message
 * for it has come to either. To the only rank of a program nothing comes by MPI but its own. */
static qdr_status find(qdri_wire *wire, int tag, qdri_message *found) {
    *found = (qdri_message){.is_there = 0};
    if (wire->joined->far->find) wire->joined->far->find(wire, tag, found);
    int by_links_only = wire->joined->own == 1 && !wire->joined->talks_to_itself;
    if (found->is_there || by_links_only) return QDR_OK;
    return qdri_backend_here.find(wire, tag, found);
}

static qdr_status receive_found(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data) {
    QDRI_TRY(ready(wire, operation));
    if (!qdri_is_far(wire, found->from)) return qdri_backend_here.receive_found(wire, operation, found, data);
    return receive_from(wire, operation, found->from, found->tag, data, found->bytes);
}

/* Whether a message has come for it, and its receive has begun, or failed. What is too long is cut, and MPI or the link
 * says so. */
static int has_met(qdri_wire *wire, const qdri_awaiting *one, qdr_status *status) {
    qdri_message found;
    *status = find(wire, one->tag, &found);
    if (*status) return 1;
    if (!found.is_there) return 0;
    if (found.bytes > one->bytes) found.bytes = one->bytes;
    *status = receive_found(wire, one->operation, &found, one->data);
    return 1;
}

static void forget(qdri_joined *joined, int64_t place) {
    joined->awaited--;
    for (int64_t i = place; i < joined->awaited; i++) joined->awaiting[i] = joined->awaiting[i + 1];
}

/* In the order in which they were started. */
static void look_for_messages(qdri_wire *wire) {
    qdri_joined *joined = wire->joined;
    for (int64_t i = 0; i < joined->awaited && !wire->failed;) {
        qdri_awaiting one = joined->awaiting[i];
        qdr_status status;
        if (!has_met(wire, &one, &status)) {
            i++;
            continue;
        }
        forget(joined, i);
        if (status) qdri_operation_end(wire, one.operation, status);
    }
}

static qdr_status await_anyone(qdri_wire *wire, qdri_operation *operation, int tag, void *data,
                               int64_t bytes) {
    qdri_joined *joined = wire->joined;
    if (!qdri_grow(&joined->awaiting, &joined->capacity, joined->awaited + 1, sizeof *joined->awaiting))
        return qdri_fail_memory();
    operation->parts = 1;
    operation->receives = 1;
    operation->partner = QDRI_ANYONE;
    joined->awaiting[joined->awaited++] = (qdri_awaiting){operation, tag, data, bytes};
    return QDR_OK;
}

static int stop_awaiting(qdri_joined *joined, const qdri_operation *operation) {
    for (int64_t i = 0; i < joined->awaited; i++)
        if (joined->awaiting[i].operation == operation) {
            forget(joined, i);
            return 1;
        }
    return 0;
}

static qdr_status receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                          int64_t bytes) {
    QDRI_TRY(ready(wire, operation));
    return from == QDRI_ANYONE ? await_anyone(wire, operation, tag, data, bytes)
                               : receive_from(wire, operation, from, tag, data, bytes);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static int cancel(qdri_wire *wire, qdri_operation *operation) {
    if (stop_awaiting(wire->joined, operation)) {
        operation->parts = 0;
        return 0;
    }
    if (qdri_rounds_cancel(wire, operation)) return 1;
    return wire->joined->far->cancel(wire, operation) | qdri_mpi_cancel(wire, operation);
}

static qdr_status reserve(qdri_wire *wire, int64_t operations) {
    qdri_joined *joined = wire->joined;
    QDRI_TRY(qdri_mpi_reserve(wire, operations));
    if (!qdri_grow(&joined->awaiting, &joined->capacity, operations, sizeof *joined->awaiting))
        return qdri_fail_memory();
    return joined->far->reserve(wire, operations);
}

void qdri_joined_fail(qdri_wire *wire) {
    qdri_joined *joined = wire->joined;
    while (joined->awaited > 0) {
        qdri_operation *operation = joined->awaiting[0].operation;
        forget(joined, 0);
        qdri_operation_end(wire, operation, qdri_wire_state(wire));
    }
    qdri_rounds_fail(wire);
}

/* ---- getting on ---------------------------------------------------------------------------------------- */

static int advance(qdri_wire *wire, int may_wait) {
    look_for_messages(wire);
    return qdri_mpi_advance(wire, may_wait && wire->joined->awaited == 0);
}

static int is_busy(const qdri_wire *wire) {
    return wire->joined->awaited > 0 || qdri_mpi_is_busy(wire);
}

static void yield(void) {
    qdri_backend_here.yield();
}

/* Another program may be busy for long, and on the same processors. */
static void rest(qdri_wire *wire) {
    wire->joined->far->rest(wire);
}

static int is_alone(const qdri_wire *wire) {
    return wire->joined->far->is_alone(wire);
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

/* Whether tags were kept back: messages that nobody receives may still come. */
static int keeps_tags(const qdri_wire *wire) {
    for (int i = 0; i < QDRI_TAG_SPANS / 64; i++)
        if (wire->tag_span[i]) return 1;
    return 0;
}

/* Where messages of something that has failed may be under way the duplicate is left to MPI_Finalize: MPI would give
 * them to the next communicator that it makes. */
static void leave(qdri_wire *wire) {
    wire->joined->far->leave(wire);
    if (!wire->failed && !keeps_tags(wire)) qdri_mpi_leave(wire);
}

/* No communicator holds such a wire, and what MPI works on is never its memory. */
static int close_joined(qdri_wire *wire) {
    qdri_wire_part(wire);
    qdri_rounds_close(wire);
    wire->joined->far->close(wire);
    wire->broken = 0;
    qdri_wire_release_keepsakes(wire);
    free(wire->joined->awaiting);
    free(wire->joined);
    return qdri_mpi_close(wire);
}

static const qdri_backend backend = {QDRI_ROUNDS_FUNCTIONS,
                                     .joins_programs = 1,
                                     .send = send,
                                     .send_matched = send_matched,
                                     .receive = receive,
                                     .find = find,
                                     .receive_found = receive_found,
                                     .is_there = is_there,
                                     .discard = qdri_mpi_discard,
                                     .cancel = cancel,
                                     .reserve = reserve,
                                     .operation_bytes = QDRI_MPI_OPERATION_BYTES + sizeof(qdri_awaiting),
                                     .advance = advance,
                                     .is_busy = is_busy,
                                     .yield = yield,
                                     .rest = rest,
                                     .is_alone = is_alone,
                                     .leave = leave,
                                     .close = close_joined};

/* All ranks must have one before any goes on: a duplicate that some lack cannot be freed. */
qdr_status qdri_wire_join(MPI_Comm comm, const qdri_joined_shape *shape, const qdri_far *far, void *state,
                          double deadline, qdri_wire **wire) {
    qdri_wire *made = qdri_wire_make();
    qdri_joined *joined = QDRI_ZERO_ARRAY(qdri_joined, 1);
    qdr_status status =
        made && joined ? qdri_mpi_open(made, comm, shape->first, deadline) : qdri_fail_memory();
    if (status && made && made->broken) return status; /* MPI may still write into it */
    if (status) {
        if (made) qdri_mpi_close(made);
        free(made);
        free(joined);
        return status;
    }
    *joined = (qdri_joined){.far = far, .state = state, .first = shape->first, .own = shape->own};
    made->backend = &backend;
    made->joined = joined;
    made->ranks = shape->ranks;
    made->tag_spans = shape->tag_spans;
    made->one_host = shape->one_host;
    (void)qdri_wire_environment(made); /* the wire of the program has been through it */
    made->council =
        qdri_council_open(made, &(qdri_council_shape){.members = made->ranks,
                                                      .place = made->rank,
                                                      .second = shape->first > 0 ? shape->first : shape->own,
                                                      .first_tag = QDRI_TAG_COUNCIL});
    qdri_wire_enlist(made);
    *wire = made;
    return made->council ? QDR_OK : qdri_fail_memory();
}
