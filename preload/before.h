/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done before calls that are left to MPI, in C and in Fortran (before.c). */
#ifndef QDRI_BEFORE_H
#define QDRI_BEFORE_H

#include "preload.h"

static inline void qdri_before_collective(MPI_Comm comm) {
    if (atomic_load_explicit(&qdri_wishes, memory_order_relaxed)) qdri_grant_wishes(comm);
}

static inline void qdri_before_free(MPI_Comm comm) {
    if (!qdri_errands_active()) return;
    const qdri_communicator *communicator = qdri_communicator_seen(comm);
    if (communicator) qdri_errands_finish(communicator);
}

/* It may wait for others, who may wait for an exchange on another communicator that needs this rank; once all have come,
 * they do not. */
static inline void qdri_before_disconnect(MPI_Comm comm) {
    qdri_before_free(comm);
    if (qdri_communicator_seen(comm)) PMPI_Barrier(comm);
}

#endif
