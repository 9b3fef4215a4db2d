/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations: each is handed to what the wire stands on (backend.h). */
#include "wire/inside.h"

qdr_status qdri_operation_ready(qdri_wire *wire, qdri_operation *operation) {
    operation->parts = operation->receives = operation->joined = operation->batch = 0;
    operation->failed = QDR_OK;
    operation->part = NULL;
    return wire->gone ? qdri_wire_state(wire) : QDR_OK;
}

qdr_status qdri_operation_joined(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_wire_state(wire));
    QDRI_TRY(qdri_operation_ready(wire, operation));
    operation->joined = 1;
    qdri_status_own(wire)->meetings++;
    return QDR_OK;
}

void qdri_operation_end(qdri_wire *wire, qdri_operation *operation, qdr_status status) {
    wire->ended++;
    operation->parts = 0;
    operation->done(operation, status);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

qdr_status qdri_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                     int64_t bytes) {
    return wire->backend->send(wire, operation, to, tag, data, bytes);
}

qdr_status qdri_send_matched(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                             int64_t bytes) {
    return wire->backend->send_matched(wire, operation, to, tag, data, bytes);
}

qdr_status qdri_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                        int64_t bytes) {
    return wire->backend->receive(wire, operation, from, tag, data, bytes);
}

int qdri_has_batches(const qdri_wire *wire) {
    return wire->backend->batch_send != NULL;
}

qdr_status qdri_batch_open(qdri_wire *wire, qdri_operation *operation) {
    QDRI_TRY(qdri_operation_ready(wire, operation));
    operation->batch = 1;
    operation->partner = QDRI_ANYONE;
    operation->bytes = 0;
    return QDR_OK;
}

qdr_status qdri_batch_send(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                           int64_t bytes) {
    return wire->backend->batch_send(wire, operation, to, tag, data, bytes);
}

qdr_status qdri_batch_receive(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                              int64_t bytes) {
    operation->receives = 1;
    return wire->backend->batch_receive(wire, operation, from, tag, data, bytes);
}

qdr_status qdri_find(qdri_wire *wire, int tag, qdri_message *found) {
    return wire->backend->find(wire, tag, found);
}

qdr_status qdri_receive_found(qdri_wire *wire, qdri_operation *operation, qdri_message *found, void *data) {
    return wire->backend->receive_found(wire, operation, found, data);
}

int qdri_is_there(qdri_wire *wire, int *from, int tag, int64_t *bytes) {
    return wire->backend->is_there(wire, from, tag, bytes);
}

int qdri_discard(qdri_wire *wire, int from, int tag, int64_t bytes) {
    return wire->backend->discard(wire, from, tag, bytes);
}

int qdri_cancel(qdri_wire *wire, qdri_operation *operation) {
    return operation->parts > 0 ? wire->backend->cancel(wire, operation) : 0;
}

qdr_status qdri_wire_reserve(qdri_wire *wire, int64_t operations) {
    wire->reserved += operations;
    if (operations <= 0) return QDR_OK;
    qdr_status status = wire->backend->reserve(wire, wire->reserved);
    if (status) wire->reserved -= operations;
    return status;
}

int64_t qdri_wire_reserve_bytes(const qdri_wire *wire, int64_t operations) {
    return (2 * operations + QDRI_LEAST_OPERATIONS) * wire->backend->operation_bytes;
}

/* ---- collectives --------------------------------------------------------------------------------------- */

qdr_status qdri_barrier(qdri_wire *wire, qdri_operation *operation) {
    return wire->backend->barrier(wire, operation);
}

qdr_status qdri_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    return wire->backend->swap_words(wire, operation, out, in);
}

qdr_status qdri_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    return wire->backend->sum_for_each(wire, operation, out, in);
}

qdr_status qdri_sum_before(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    return wire->backend->sum_before(wire, operation, out, in);
}

qdr_status qdri_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                           void *in, const int64_t *start) {
    return wire->backend->gather_all(wire, operation, out, bytes, in, start);
}
