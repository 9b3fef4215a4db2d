/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deliveries: items go to ranks that do not know what will come. This is what a sample sort, a particle code or a
 * graph traversal needs, in one call:
 *
 *     qdr_items leaving = {.item_bytes = sizeof(particle), .count = n, .destination = owner, .data = particles};
 *     qdr_arrivals came = {0};
 *     for (...) qdr_deliver(comm, &leaving, &came);     came.count particles at came.data
 *     qdr_arrivals_free(&came);
 *
 * A delivery is discovery and an exchange in one: ranks learn how much comes from whom, room is made for it, and it
 * comes. What deliveries need is kept with the communicator, and room that is large enough is used again. So a
 * program that delivers in every step allocates nothing after a while.
 */
#ifndef QUADRILLE_DELIVER_H
#define QUADRILLE_DELIVER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/pending.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What leaves this rank. Either each item says where it goes, item i to destination[i]. Or items are grouped by rank,
 * one group after the other in `data`: items[i] of them go to rank[i], no rank twice. This rank may be among the
 * destinations. */
typedef struct qdr_items {
    int64_t item_bytes; /* of one item, the same on all ranks */
    const void *data;
    int64_t count;          /* each item by itself: */
    const int *destination; /* [count] */
    int groups;             /* grouped: */
    const int *rank;        /* [groups]; NULL: 0, 1, 2 ... */
    const int64_t *items;   /* [groups] */
} qdr_items;

/* Returns memory for what comes: so many bytes, aligned to 16, or NULL if there is none. The memory that it returned
 * before is not needed any more. It must not call the library. */
typedef void *qdr_allocate_function(void *context, int64_t bytes);

/* What has come, by rising source; items of one source are in the order in which it had them. */
typedef struct qdr_arrivals {
    /* NULL: the library's memory. The caller sets this and `context`. */
    qdr_allocate_function *allocate;
    void *context;
    struct qdr_arrival_room *room; /* private */
    int64_t count;                 /* items, of all sources */
    void *data;
    int sources;
    const int *source;    /* [sources]: rising */
    const int64_t *items; /* [sources] */
} qdr_arrivals;

/* Collective. Delivers the items of all ranks. `came` must be zero before its first use, apart from `allocate` and
 * its context. Each delivery overwrites what came before. What came may leave again: `leaving` may lie in the
 * library's memory of `came`, and is not changed. If the exchange itself fails, or the deadline (QDR_DEADLINE) passes, the communicator is unfit
 * for further deliveries, and items and arrivals must stay until it is freed. */
static inline qdr_status qdr_deliver(MPI_Comm comm, const qdr_items *leaving, qdr_arrivals *came);

/* Collective. The same without waiting for the data; sizes are exchanged, and room is made, before it returns. A
 * communicator has one delivery at a time; a second start returns QDR_ERR_BUSY. Items and arrivals are borrowed until
 * the delivery has ended (quadrille/pending.h). */
static inline qdr_status qdr_deliver_start(MPI_Comm comm, const qdr_items *leaving, qdr_arrivals *came,
                                           qdr_pending **pending);

/* Local. Frees what the library allocated for arrivals, and sets them to zero, apart from `allocate` and its
 * context. */
static inline void qdr_arrivals_free(qdr_arrivals *came);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_deliver_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes, qdr_arrivals *came,
                             size_t arrivals_bytes);
qdr_status qdr_deliver_start_sized(MPI_Comm comm, const qdr_items *leaving, size_t items_bytes,
                                   qdr_arrivals *came, size_t arrivals_bytes, qdr_pending **pending);
void qdr_arrivals_free_sized(qdr_arrivals *came, size_t arrivals_bytes);

static inline qdr_status qdr_deliver(MPI_Comm comm, const qdr_items *leaving, qdr_arrivals *came) {
    return qdr_deliver_sized(comm, leaving, sizeof *leaving, came, sizeof *came);
}
static inline qdr_status qdr_deliver_start(MPI_Comm comm, const qdr_items *leaving, qdr_arrivals *came,
                                           qdr_pending **pending) {
    return qdr_deliver_start_sized(comm, leaving, sizeof *leaving, came, sizeof *came, pending);
}
static inline void qdr_arrivals_free(qdr_arrivals *came) {
    qdr_arrivals_free_sized(came, sizeof *came);
}

#ifdef __cplusplus
}
#endif
#endif
