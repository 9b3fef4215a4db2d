/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is under way, as callers hold it. Each kind of it begins with a qdr_pending, which knows how that kind is tested
 * and waited for.
 */
#ifndef QDRI_PENDING_H
#define QDRI_PENDING_H

#include "quadrille/pending.h"

/* Both set the handle to NULL when it has ended. */
typedef struct qdri_pending_kind {
    qdr_status (*test)(qdr_pending **pending, int *done);
    qdr_status (*wait)(qdr_pending **pending);
} qdri_pending_kind;

struct qdr_pending {
    const qdri_pending_kind *kind;
};

#endif
