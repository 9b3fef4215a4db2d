/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of a schedule that stores and forwards: which messages a rank hands over in a stage. Algorithms know it by a rule, which
 * looks at all pairs of ranks; where few of them have messages, the way of each message is walked instead, and kept here.
 * That takes O(messages * stages + ranks * stages), in memory and in time for all rows.
 */
#ifndef QDRI_HANDED_H
#define QDRI_HANDED_H

#include <stdint.h>

#include "quadrille/base.h"
#include "quadrille/pattern.h"

/* What rank r hands over in stage s: from message[start[s * ranks + r]] on, to where those of the next rank begin. */
typedef struct qdri_handed {
    int64_t *start, *message; /* NULL: the pattern is not sparse */
} qdri_handed;

/* Walks the way of every message, and says of each hop who hands it over (qdri_handed_put). It is called twice, and must do the same. */
typedef void qdri_walk(const qdr_pattern_view *view, const void *about, const qdri_handed *to);

/* The first time hops are counted, at start[place + 1]; the second time put at start[place], which then is where the next
 * place begins. */
static inline void qdri_handed_put(const qdri_handed *to, const qdr_pattern_view *view, int64_t stage,
                                   int64_t rank, int64_t message) {
    int64_t place = stage * view->ranks + rank;
    if (to->message) to->message[to->start[place]] = message;
    to->start[to->message ? place : place + 1]++;
}

/* Walks a sparse pattern, and leaves another as it is. When it fails, nothing is kept. */
qdr_status qdri_handed_walk(const qdr_pattern_view *view, int stages, qdri_walk *walk, const void *about,
                            qdri_handed *made);
void qdri_handed_free(qdri_handed *handed);

#endif
