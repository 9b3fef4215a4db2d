/* SPDX-License-Identifier: BSD-3-Clause */
/* Timelines of traces. */
#ifndef DRAW_H
#define DRAW_H

#include "core/trace.h"

/* One message under way, from the send event to its arrival. */
typedef struct transfer {
    int from, to;
    double start, end;
    int64_t phase, bytes;
} transfer;

/* The sends of a method, each with its arrival: the k-th send of a pair belongs to its k-th arrival, both in
 * the order of phase, offset and time. What has no counterpart is left out. The caller frees the list. */
transfer *draw_match(const trace_method *method, int64_t *count);

/* Some methods of a trace, one above the other on one time axis, as SVG; an exit code. */
int draw_timelines(const trace *trace, const trace_method *const *methods, int count, FILE *out);

#endif
