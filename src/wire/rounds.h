/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives made of messages, as functions of a back end (backend.h). */
#ifndef QDRI_ROUNDS_H
#define QDRI_ROUNDS_H

#include "wire/inside.h"

qdr_status qdri_rounds_barrier(qdri_wire *wire, qdri_operation *operation);
qdr_status qdri_rounds_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                  int64_t *in);
qdr_status qdri_rounds_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                    int64_t *in);
qdr_status qdri_rounds_sum_before(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                  int64_t *in);
qdr_status qdri_rounds_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                                  void *in, const int64_t *start);

#define QDRI_ROUNDS_FUNCTIONS                                                                                \
    .barrier = qdri_rounds_barrier, .swap_words = qdri_rounds_swap_words,                                    \
    .sum_for_each = qdri_rounds_sum_for_each, .sum_before = qdri_rounds_sum_before,                          \
    .gather_all = qdri_rounds_gather_all

/* The operation has no owner any more; true if it is one of these: its memory must stay. */
int qdri_rounds_cancel(qdri_wire *wire, qdri_operation *operation);
/* The wire has failed: all that is under way ends so. */
void qdri_rounds_fail(qdri_wire *wire);
/* The last owner of the wire has gone. */
void qdri_rounds_close(qdri_wire *wire);

#endif
