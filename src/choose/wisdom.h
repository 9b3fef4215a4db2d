/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom: which candidate was the best, of plans of earlier runs. Pure: a table, and the text in which it is kept.
 *
 *     quadrille wisdom 2
 *     KEY SIGNATURE CLASS ALGORITHM NANOSECONDS WINDOW CEILING RATE       a line for each
 *     ...
 *     end LINES DIGEST
 *
 * The key is where it was learned: hosts, MPI and version of the library. The signature is what was exchanged: ranks, and
 * sizes by powers of two. Whoever has another key, or another signature, does not believe a line. A text that is not
 * whole, to the last letter, is not believed at all.
 */
#ifndef QDRI_WISDOM_H
#define QDRI_WISDOM_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"

enum { QDRI_WISE_NAME = 24, QDRI_WISDOM_MOST = 4096 };

typedef struct qdri_wise {
    uint64_t key, signature;
    int size_class;
    char algorithm[QDRI_WISE_NAME];
    int64_t nanoseconds;           /* of an exchange */
    int64_t window, ceiling, rate; /* of a port, in bytes, and per second; 0: not known */
} qdri_wise;

/* The oldest come first. */
typedef struct qdri_wisdom {
    qdri_wise *line;
    int64_t capacity;
    int count;
} qdri_wisdom;

void qdri_wisdom_free(qdri_wisdom *wisdom);

/* Adds a line, instead of the one with the same key, signature and class; beyond QDRI_WISDOM_MOST the oldest goes. */
qdr_status qdri_wisdom_learn(qdri_wisdom *wisdom, const qdri_wise *line);

/* NULL: there is none. */
const qdri_wise *qdri_wisdom_find(const qdri_wisdom *wisdom, uint64_t key, uint64_t signature,
                                  int size_class);

/* The lines of a text, learned one after the other; QDR_ERR_SYNTAX and nothing learned, when it is not whole. */
qdr_status qdri_wisdom_read(qdri_wisdom *wisdom, const char *text, size_t bytes);

/* To be freed; NULL without memory. */
char *qdri_wisdom_write(const qdri_wisdom *wisdom, size_t *bytes);

/* Whether a name may stand in a line. */
int qdri_wise_name_is_good(const char *name);

#endif
