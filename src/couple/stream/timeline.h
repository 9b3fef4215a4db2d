/* SPDX-License-Identifier: BSD-3-Clause */
/* Which export answers an import, and which exports are still needed; no messages, no clock. */
#ifndef QDRI_TIMELINE_H
#define QDRI_TIMELINE_H

#include <stdint.h>

#include "quadrille/couple.h"

/* What an import asks for. It travels as it is: whole words, so that any two compilers agree. */
typedef struct qdri_wanted {
    int64_t number; /* counted from 0 in its stream */
    double time, tolerance;
    int64_t match;   /* qdr_match */
    uint64_t digest; /* of the rest */
} qdri_wanted;

typedef enum qdri_verdict { QDRI_UNDECIDED, QDRI_MATCHED, QDRI_UNMATCHED } qdri_verdict;

/* A request, and what became of it. */
typedef struct qdri_asked {
    qdri_wanted request;
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
    int queue;         /* exports that may wait */
    double last;       /* export; -infinity: none */
    double promised;   /* by the exporter: nothing before this; -infinity: nothing */
    double asked;      /* the last request's time; -infinity: none */
    double unneeded;   /* by the importer: nothing that an export before this could match */
    int kept;          /* exports */
    qdri_stamp *stamp; /* by rising time */
    int slots;         /* that were ever used, queue + 1 at most */
    int free_slots;    /* of those */
    int *free_slot;
    int64_t stamp_capacity, slot_capacity;
    qdri_asked *request; /* [requests], of which the first `served` are over */
    int64_t requests, served, announced, decided, capacity;
} qdri_timeline;

void qdri_timeline_open(int queue, qdri_timeline *timeline);
void qdri_timeline_close(qdri_timeline *timeline);

typedef enum qdri_timeline_verdict {
    QDRI_ROOM,    /* the export will be kept */
    QDRI_NO_NEED, /* it can match nothing, and need not be copied */
    QDRI_FULL,    /* so many wait already */
} qdri_timeline_verdict;

/* Memory for one more export; before each of the next two. */
qdr_status qdri_timeline_reserve(qdri_timeline *timeline);
/* What an export at `time`, higher than the last one, would meet. */
qdri_timeline_verdict qdri_timeline_room(qdri_timeline *timeline, double time);
/* The export takes place; there was room. Returns the slot for its data, -1: not needed. */
int qdri_timeline_export(qdri_timeline *timeline, double time);
/* The exporter's promise; infinity: it will export no more. */
void qdri_timeline_promise(qdri_timeline *timeline, double time);

/* Requests come with numbers and times that never fall. */
qdr_status qdri_timeline_ask(qdri_timeline *timeline, const qdri_wanted *request);
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
double qdri_wanted_lowest(const qdri_wanted *request);

/* Whether an export at that time could. */
int qdri_wanted_suits(const qdri_wanted *request, double time);

/* "EXACT" and so on; NULL: there is no such match. */
const char *qdri_match_name(int64_t match);

#endif
