/* SPDX-License-Identifier: BSD-3-Clause */
/* What large.c measures: bytes that lie ready (plans), or elements at random places (maps), between ranks of a node. */
#ifndef BENCH_LARGE_H
#define BENCH_LARGE_H

#include "measure.h"

enum { MOST_RANKS = 64, ELEMENT = 32 }; /* bytes of an element of maps: four doubles */

/* One case, as a rank sees it. */
typedef struct traffic {
    MPI_Comm comm;
    int rank, ranks;
    int64_t out[MOST_RANKS], in[MOST_RANKS];               /* bytes to and from each rank */
    int64_t out_at[MOST_RANKS + 1], in_at[MOST_RANKS + 1]; /* where they begin */
    char *outgoing, *incoming;                             /* the user's memory */
    int is_map;
    int64_t *from, *to; /* of a map: the element at each place of what is packed; NULL: they lie ready */
} traffic;

/* The subjects: methods of MPI, this library's, and the limits. The last one has no name. */
typedef struct large_method {
    const char *name;
    subject_kind kind;
    void *(*open)(const traffic *t);
    void (*run)(void *state);
    void (*close)(void *state);
} large_method;

extern const large_method large_plain[], large_ours[], large_limits[];

/* Elements of a map between the user's memory and packed memory. */
void gather_elements(const traffic *t, char *packed);
void scatter_elements(const traffic *t, const char *packed);

#endif
