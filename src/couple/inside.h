/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a coupling: shared by the files of this folder only.
 *
 *     program.c, coupling.c   who is there, and the rank space of two programs
 *     stream.c                what is declared, and whether both programs mean the same
 *     build.c and below       the schedules: routes between ranks (build.h)
 *     run.c and below         time stamps, queue, transfer
 *
 * A program is side 0 or 1 of its coupling, by the order of the two names; a stream has an exporting side and an
 * importing one. A program that is coupled with itself is both.
 */
#ifndef QDRI_COUPLE_INSIDE_H
#define QDRI_COUPLE_INSIDE_H

#include "base/budget.h"
#include "base/error.h"
#include "places/places.h"
#include "layout/layout.h"
#include "quadrille/couple.h"
#include "wire/agree.h"
#include "wire/tcp/name.h"
#include "wire/wire.h"

struct qdr_program {
    MPI_Comm common, own; /* what was given; this program's ranks */
    qdri_wire *wire;      /* of `common` */
    qdri_wire *own_wire;
    char name[QDRI_NAME];
    int programs;              /* in `common` */
    char (*roster)[QDRI_NAME]; /* [programs]: their names, sorted */
    int *program_of;           /* [ranks of common] */
    int couplings;
    double seconds;
};

/* The ranks of two programs on one wire. */
typedef struct qdri_space {
    qdri_wire *wire;
    int side;    /* this program's */
    int is_self; /* both sides are the same ranks */
    int own;     /* this rank's place in its program */
    int count[2];
    int *place;          /* [ranks of the wire]: in its program; of side 1, less than 0: -1 - place */
    int *rank[2];        /* [count]: ranks on the wire */
    const char *name[2]; /* of the programs */
} qdri_space;

/* Makes the tables of a space: side_of[r] is the program of rank r of the wire, 0 or 1; neither: not in it. */
qdr_status qdri_space_open(qdri_space *space, qdri_wire *wire, const int *side_of);
void qdri_space_close(qdri_space *space);
/* Whether a rank of the wire is of this rank's program. */
int qdri_space_inside(const qdri_space *space, int rank);
/* A rank of the wire, for sentences. */
qdri_teller qdri_space_sender(const qdri_space *space, int rank);

struct qdr_coupling {
    qdr_program *program;
    char name[QDRI_NAME], peer[QDRI_NAME];
    qdri_space space;
    const char *transport;
    char how[400];
    double latency, seconds;
    int streams;
    qdr_stream *lingering;         /* closed, but the other program may still ask for something of them */
    struct qdri_running *runnings; /* of its streams, linked by run.c; begins as NULL */
    MPI_Comm made;                 /* a communicator of the two programs, if one had to be made */
};

/* ---- schedules ----------------------------------------------------------------------------------------- */

/* What this rank has for one rank of the other program, or from it, of one field: places of local memory in the
 * order of the message. */
typedef struct qdri_route {
    int partner; /* in the other program */
    qdri_places places;
} qdri_route;

typedef struct qdri_routes {
    int count;
    qdri_route *route; /* by rising partner; none is empty */
    int64_t elements;
} qdri_routes;

void qdri_routes_close(qdri_routes *routes);

/* ---- streams ------------------------------------------------------------------------------------------- */

/* One pair of fields. What is said of the side that this rank is not on was told by the other program. */
typedef struct qdri_field {
    char name[QDRI_NAME];
    qdr_type type[2]; /* of the exporter, of the importer */
    int64_t width;
    int64_t elements;      /* of the region */
    int compact[2];        /* the layouts */
    int64_t room[2];       /* one more than the highest place that this rank has by what its program states */
    qdr_layout *layout[2]; /* NULL where unknown; compact or this rank's share */
    qdr_region *region[2];
    qdr_operation operation; /* of the importer; unknown to the other program */
    qdri_routes out, in;     /* empty on the side that has none */
} qdri_field;

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
    char why[200];
    qdri_running *running;
    qdr_stream *next; /* that lingers */
};

/* Finds damage; never 0. */
uint64_t qdri_checksum(const void *data, int64_t bytes);

/* Whether values of one type can become values of another: convert.c. */
int qdri_convertible(qdr_type from, qdr_type to);

/* The streams of a coupling that linger end, by rising age; the first failure is returned. */
qdr_status qdri_streams_end(qdr_coupling *coupling);

/* ---- running: run.c ------------------------------------------------------------------------------------ */

/* Both. The schedules exist: makes the plan and all that running needs. Leaves nothing behind on failure. Terms that the
 * caller asks for go with the first agreement. */
qdr_status qdri_running_open(qdr_stream *stream, qdri_term *asked, int count);
/* QDR_BUSY while imports of it are started whose handles the program has, unless it has failed. */
qdr_status qdri_running_may_close(const qdr_stream *stream);
/* Collective as qdr_stream_close(); frees everything also when it fails. But where both programs close what they export,
 * an exporter need not wait: unless it is for good, `running` then stays, and serves the other program. */
qdr_status qdri_running_close(qdr_stream *stream, int for_good);
/* Exports, imports, queued and queue_bytes of the view. */
void qdri_running_look(const qdr_stream *stream, qdr_stream_view *view);

#endif
