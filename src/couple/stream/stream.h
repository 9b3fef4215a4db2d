/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream between two programs, from its opening to its end.
 *
 *     stream.c, declare.c   what is declared, and whether both programs mean the same
 *     run.c and below       time stamps, queue, transfer (run.h)
 */
#ifndef QDRI_COUPLE_STREAM_H
#define QDRI_COUPLE_STREAM_H

#include "couple/schedule/build.h"

typedef struct qdri_running qdri_running;

struct qdr_stream {
    qdr_coupling *coupling;
    char name[QDRI_NAME];
    int exporter;         /* which side of the space exports; the other imports */
    int exports, imports; /* whether this rank's program does; both with itself */
    int fields;
    qdri_field *field; /* sorted by name */
    /* What the caller named as the i-th: its place in field[]. */
    int *exported, *imported;
    qdr_stream_options options; /* agreed: queue, fails_when_full, converts, checked, plan */
    double seconds;
    qdr_stream_view view;
    qdri_built built;
    qdri_running *running;
    qdr_stream *next; /* that lingers */
};

/* Whether values of one type can become values of another: convert.c. */
int qdri_convertible(qdr_type from, qdr_type to);

/* ---- running: run.c ------------------------------------------------------------------------------------ */

/* Both. The schedules exist: makes the plan and all that running needs. Leaves nothing behind on failure. Terms that the
 * caller asks for go with the first agreement. */
qdr_status qdri_running_open(qdr_stream *stream, qdri_term *asked, int count);
/* QDR_ERR_BUSY while imports of it are started whose handles the program has, unless it has failed. */
qdr_status qdri_running_may_close(const qdr_stream *stream);
/* Collective as qdr_stream_destroy(); frees everything also when it fails. But where both programs close what they export,
 * an exporter need not wait: unless it is for good, `running` then stays, and serves the other program. */
qdr_status qdri_running_close(qdr_stream *stream, int for_good);
/* Exports, imports, queued and queue_bytes of the view. */
void qdri_running_look(const qdr_stream *stream, qdr_stream_view *view);

#endif
