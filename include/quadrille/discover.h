/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partners: one rank's share of a pattern, learned from the others.
 *
 * In a parallel program nobody has the whole matrix. A rank knows its own row (whom it sends to, and how much), or
 * its own column (whom it needs something from). A qdr_partners object holds both, on one communicator; the side that
 * was not known is *discovered*. The sources and their sizes can be read before any incoming buffer exists, so
 * buffers are allocated from them (NICE, section 4.1). The whole matrix is gathered only where an algorithm needs it.
 *
 * Collective calls return the same status on all ranks; a sentence about one rank's mistake reaches them all.
 */
#ifndef QUADRILLE_DISCOVER_H
#define QUADRILLE_DISCOVER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_partners qdr_partners;

/* ---- making them --------------------------------------------------------------------------------------- */

/* Collective. This rank sends items[i] items to rank destination[i]; the sources are discovered. Zero items
 * (for which an exchange sends nothing) and this rank itself are legal; a destination given twice is not. `method` is a name of qdr_discovery(); NULL chooses by
 * size. Allocates O(partners). */
qdr_status qdr_partners_from_sends(MPI_Comm comm, int count, const int *destination, const int64_t *items,
                                   const char *method, qdr_partners **partners);

/* Collective. The mirror image: this rank needs items[i] items from rank source[i]. */
qdr_status qdr_partners_from_receives(MPI_Comm comm, int count, const int *source, const int64_t *items,
                                      const char *method, qdr_partners **partners);

/* Collective. Both sides are known, and are compared. A message on which the two ends disagree is QDR_ERR_MISMATCH on
 * every rank, with a sentence that names both ranks and both counts. With `trusted` they are not compared: nothing is
 * communicated beyond one agreement, and the caller answers for it. */
qdr_status qdr_partners_from_both(MPI_Comm comm, int sends, const int *destination, const int64_t *send_items,
                                  int receives, const int *source, const int64_t *receive_items, int trusted,
                                  qdr_partners **partners);

/* Collective. This rank's row and column of a pattern that every rank has. The pattern must have as many ranks as the
 * communicator, and be the same on every rank (a digest is compared). */
qdr_status qdr_partners_from_pattern(MPI_Comm comm, const qdr_pattern *pattern, qdr_partners **partners);

/* Local. Sets the handle to NULL; NULL is accepted. Plans that were made from the partners keep what they need. */
void qdr_partners_destroy(qdr_partners **partners);

/* ---- looking at them ----------------------------------------------------------------------------------- */

/* A side that was given keeps its order; a discovered one is by rising rank. This rank itself may be among them.
 * Buffers of an exchange follow this order. */
typedef struct qdr_partners_view {
    int rank, ranks;
    int sends;
    const int *destination;    /* [sends] */
    const int64_t *send_items; /* [sends] */
    int receives;
    const int *source;            /* [receives]: the source vector of NICE */
    const int64_t *receive_items; /* [receives] */
} qdr_partners_view;

/* Local, free of cost. Valid as long as the partners. */
static inline qdr_partners_view qdr_partners_look(const qdr_partners *partners);

/* Collective. Gathers the whole matrix on every rank. Communicates and allocates O(messages) once; later calls are
 * local and give the same pattern. The caller destroys the pattern that it got. */
qdr_status qdr_partners_gather(qdr_partners *partners, qdr_pattern **pattern);

/* ---- discovery by itself ------------------------------------------------------------------------------- */

/* What came from one rank. */
typedef struct qdr_parcel {
    int rank;
    int64_t bytes;
    void *data;
} qdr_parcel;

/* Collective. Sends one parcel to each rank that `out` names (each at most once; this rank may be among them), and
 * learns who sent one to this rank. *in holds what came by rising rank, in one block of memory that the caller frees
 * with free(). An empty parcel still arrives. The cost depends on the method. */
static inline qdr_status qdr_discover(MPI_Comm comm, const char *method, int count, const qdr_parcel *out,
                                      int *arrived, qdr_parcel **in);

typedef struct qdr_discovery_info {
    const char *name;
    const char *summary; /* one line */
} qdr_discovery_info;

/* Local. The index-th method; NULL past the last. */
const qdr_discovery_info *qdr_discovery(int index);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
void qdr_partners_look_sized(const qdr_partners *partners, qdr_partners_view *view, size_t view_bytes);
qdr_status qdr_discover_sized(MPI_Comm comm, const char *method, int count, const qdr_parcel *out,
                              int *arrived, qdr_parcel **in, size_t parcel_bytes);

static inline qdr_partners_view qdr_partners_look(const qdr_partners *partners) {
    qdr_partners_view view;
    qdr_partners_look_sized(partners, &view, sizeof view);
    return view;
}
static inline qdr_status qdr_discover(MPI_Comm comm, const char *method, int count, const qdr_parcel *out,
                                      int *arrived, qdr_parcel **in) {
    return qdr_discover_sized(comm, method, count, out, arrived, in, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
