/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside qdr_resolve(): a method is one file that defines a qdri_resolution, and one line in the table of
 * resolve.c. It finds, for each id that this rank needs, a word: 0 if nobody owns it, else its owner and place.
 */
#ifndef QDRI_RESOLVE_H
#define QDRI_RESOLVE_H

#include <stdint.h>

#include "base/memory.h"
#include "base/spec.h"
#include "wire/flight.h"
#include "quadrille/directory.h"
#include "wire/wire.h"

/* Where an id is. */
typedef struct qdri_whereabouts {
    int *owner;     /* QDR_NOBODY: not known (yet) */
    int64_t *place; /* there */
} qdri_whereabouts;

typedef struct qdri_query {
    MPI_Comm comm;
    qdri_wire *wire; /* locked while a method runs, unless it says otherwise */
    qdr_resolve_options options;
    const qdri_spec *spec; /* of the method */
    int rank, ranks;
    int64_t owned;
    const int64_t *own_id;
    int64_t needed;
    const int64_t *need_id;
    int64_t *widened[2];    /* ids that were given in 32 bits */
    qdri_whereabouts found; /* [needed] */
    qdr_resolve_report report;
} qdri_query;

typedef struct qdri_resolution {
    const char *name;
    const char *summary;
    const char *memory;
    const qdri_option *options;
    int option_count;
    qdr_status (*run)(qdri_query *query); /* collective; all ranks return the same */
} qdri_resolution;

extern const qdri_resolution qdri_resolve_directory, qdri_resolve_ring, qdri_resolve_torus,
    qdri_resolve_alltoall, qdri_resolve_hybrid;

/* By the directory: what is known already is not asked for. `boundary_only`: only these are inserted. */
qdr_status qdri_resolve_by_directory(qdri_query *query, int boundary_only);

/* By lists that are passed on in a torus of so many dimensions, of what is not known yet. */
qdr_status qdri_resolve_by_torus(qdri_query *query, int dimensions);

/* Memory that is held and given back, for the report. */
static inline void qdri_report_memory(qdri_query *query, int64_t bytes) {
    if (bytes > query->report.memory) query->report.memory = bytes;
}

#endif
