/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims: which lane is to be granted next. The lane with the largest claim is; of equal claims, that which was served
 * longest ago, and at first that with the lowest number. A heap, so a rank with a thousand partners looks at ten of
 * them for a grant.
 */
#ifndef QDRI_CLAIMS_H
#define QDRI_CLAIMS_H

#include <stdint.h>

typedef struct qdri_claims {
    int count;     /* lanes that claim something */
    int *heap;     /* [lanes]: the first `count` are these, the largest claim first */
    int *place;    /* [lanes]: in the heap; -1: it claims nothing */
    double *claim; /* [lanes] */
    int64_t *turn; /* [lanes]: when it was served last, counted */
    int64_t turns;
} qdri_claims;

/* False: there is no memory. */
int qdri_claims_open(qdri_claims *claims, int lanes);
void qdri_claims_close(qdri_claims *claims);

/* Nobody claims anything, and nobody was served. */
void qdri_claims_reset(qdri_claims *claims, int lanes);

/* A lane claims so much; 0: nothing. */
void qdri_claims_set(qdri_claims *claims, int lane, double claim);

/* The lane to be served next; -1: none. */
int qdri_claims_first(const qdri_claims *claims);
/* It is: of equal claims it comes last. */
void qdri_claims_served(qdri_claims *claims, int lane);

#endif
