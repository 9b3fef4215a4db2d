/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent exchanges (persistent.c). */
#ifndef QDRI_PERSISTENT_H
#define QDRI_PERSISTENT_H

#include "preload.h"

/* Of this process, that are not MPI's. */
extern atomic_int qdri_persistents;

/* Collective. Makes the request of such a call, and the plan that it has; NULL: MPI is to make it. */
const qdri_path *qdri_persistent_make(const qdri_communicator *communicator, const qdri_call *call,
                                      const char *algorithm);
/* Local. Whether a request is one of them; starts it; lets go of what belongs to it, before MPI frees it. */
int qdri_persistent_is(MPI_Request request);
int qdri_persistent_start(MPI_Request request);
void qdri_persistent_free(MPI_Request request);

#endif
