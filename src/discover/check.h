/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of ranks that a program gives: each rank of the communicator at most once. `what` is one of them
 * in the sentences: "destination". */
#ifndef QDRI_CHECK_H
#define QDRI_CHECK_H

#include "quadrille/base.h"

/* Whether there can be so many, and whether they are there; before anything is read or allocated. */
qdr_status qdri_check_count(const char *what, int count, int ranks, int there);

/* Cost: O(count). */
qdr_status qdri_check_ranks(const char *what, int count, const int *rank, int ranks);

#endif
