/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wires between programs have that others lack: a table of functions for the other program's ranks, and
 * a failure that is theirs and not MPI's. Their beginning and end are in wire.c, their collectives in
 * bridged.c.
 */
#include "wire/far.h"

#include <stdio.h>

#include "wire/inside.h"

const qdri_far *qdri_wire_far(const qdri_wire *wire) {
    return wire->far;
}

void *qdri_far_state(const qdri_wire *wire) {
    return wire->far_state;
}

void qdri_far_fail(qdri_wire *wire, qdr_status status) {
    if (wire->failed) return;
    snprintf(wire->failure, sizeof wire->failure, "%s", qdr_error_message());
    wire->failed = status;
}

void qdri_far_end(qdri_wire *wire, qdri_operation *operation, qdr_status status) {
    wire->stirred++;
    operation->parts = 0;
    operation->done(operation, status);
}

qdr_status qdri_fail_far(const char *what) {
    return qdri_fail(QDR_INVALID, "%s cannot be had between two programs", what);
}
