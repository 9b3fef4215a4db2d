/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing: the memory in which messages of a cargo are packed for MPI and come in from it; and what happens to a
 * message that has arrived, wherever it lies. Without cargo, messages lie in the caller's memory.
 */
#ifndef QDRI_PACKING_H
#define QDRI_PACKING_H

#include "plan/plan.h"

/* Where the message to a destination lies, packed; where that from a source is to come. NULL: no memory. */
const char *qdri_packing_out(qdri_exchange *exchange, int destination, int64_t bytes);
char *qdri_packing_in(qdri_exchange *exchange, int source, int64_t bytes);

/* The exchange has a cargo: packs what goes by MPI, and what this rank sends itself. */
qdr_status qdri_packing_start(qdri_exchange *exchange);

/* The whole message of a source is there, of an exchange with cargo. */
void qdri_packing_arrived(qdri_exchange *exchange, int source, const char *data);

/* Whether what comes from a source may be unpacked piece by piece from here on; and: it has been. */
int qdri_packing_is_due(const qdri_exchange *exchange, int source);
void qdri_packing_unpacked(qdri_exchange *exchange, int source);

/* The network part has ended: what was not unpacked on arrival. */
void qdri_packing_end(qdri_exchange *exchange);

void qdri_packing_free(qdr_plan *plan);

#endif
