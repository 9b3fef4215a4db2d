/* SPDX-License-Identifier: BSD-3-Clause */
/* Which export answers an import, and which exports are still needed; no messages, no clock. */
#ifndef QDRI_TIMELINE_H
#define QDRI_TIMELINE_H

#include <stdint.h>

#include "quadrille/couple.h"

typedef struct qdri_request {
    int64_t number; /* counted from 0 in its stream */
    double time, tolerance;
    qdr_match match;
    uint64_t digest; /* of the rest */
} qdri_request;

typedef enum qdri_verdict { QDRI_UNDECIDED, QDRI_MATCHED, QDRI_UNMATCHED } qdri_verdict;

/* A request, and what became of it. */
typedef struct qdri_asked {
    qdri_request request;
    qdri_verdict verdict;
    double time; /* of the export that matches */
    int slot;    /* where its data is */
} qdri_asked;

/* An export that is kept. */
typedef struct qdri_stamp {
    double time;
    int slot, pins; /* requests that matched it and are not served */
} qdri_stamp;

typedef struct qdri_timeline {
    int queue;           /* exports that may wait */
    double last;         /* export; -infinity: none */
    double promised;     /* by the exporter: nothing before this; -infinity: nothing */
    double asked;        /* the last request's time; -infinity: none */
    double unneeded;     /* by the importer: nothing that an export before this could match */
    int kept;            /* exports */
    qdri_stamp *stamp;   /* [queue + 2], by rising time */
    int free_slots;      /* of queue + 1 */
    int *free_slot;      /* [queue + 1] */
    qdri_asked *request; /* [requests], of which the first `served` are over */
    int64_t requests, served, announced, decided, capacity;
} qdri_timeline;

qdr_status qdri_timeline_open(int queue, qdri_timeline *timeline);
void qdri_timeline_close(qdri_timeline *timeline);

typedef enum qdri_room {
    QDRI_ROOM,    /* the export will be kept */
    QDRI_NO_NEED, /* it can match nothing, and need not be copied */
    QDRI_FULL,    /* so many wait already */
} qdri_room;

/* What an export at `time`, higher than the last one, would meet. */
qdri_room qdri_timeline_room(qdri_timeline *timeline, double time);
/* The export takes place; there was room. Returns the slot for its data, -1: not needed. */
int qdri_timeline_export(qdri_timeline *timeline, double time);
/* The exporter's promise; infinity: it will export no more. */
void qdri_timeline_promise(qdri_timeline *timeline, double time);

/* Requests come with numbers and times that never fall. */
qdr_status qdri_timeline_ask(qdri_timeline *timeline, const qdri_request *request);
/* The importer's promise; infinity: it will ask no more. */
void qdri_timeline_spare(qdri_timeline *timeline, double time);

/* Requests go through three gates, each in their order: decided, announced, served. */

/* The next one that is decided and was not announced, which it is then; NULL: none. */
const qdri_asked *qdri_timeline_announce(qdri_timeline *timeline);
/* The next one that was announced and is not served; NULL: none. */
const qdri_asked *qdri_timeline_next(const qdri_timeline *timeline);
/* That one is: if it matched, its slot may be free then. */
void qdri_timeline_serve(qdri_timeline *timeline);

/* The first that is not decided; NULL: none. */
const qdri_asked *qdri_timeline_undecided(const qdri_timeline *timeline);

/* The lowest time of an export that could answer the request. */
double qdri_request_lowest(const qdri_request *request);

/* "EXACT" and so on. */
const char *qdri_match_name(qdr_match match);

#endif
