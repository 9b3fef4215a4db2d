/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of elements: which places of an array, in which order. A list knows its shape, so that kernels move
 * what is contiguous in one piece and read no more index memory than they must.
 */
#ifndef QDRI_LIST_H
#define QDRI_LIST_H

#include <stdint.h>

#include "quadrille/base.h"

typedef enum qdri_shape {
    QDRI_EVEN,      /* first, first + stride, ...: no memory; contiguous if stride is 1 */
    QDRI_RUNS,      /* contiguous pieces, worth being moved as such */
    QDRI_SCATTERED, /* anything else: 32-bit distances from the lowest element */
} qdri_shape;

typedef struct qdri_run {
    int64_t first;    /* element */
    int64_t position; /* in the list; the run ends where the next begins */
} qdri_run;

typedef struct qdri_list {
    int64_t count;
    int64_t lowest, highest; /* elements; 0 and -1 in an empty list */
    qdri_shape shape;
    int distinct;          /* known to have no element twice: evenly spaced, rising or falling */
    int64_t first, stride; /* QDRI_EVEN */
    int64_t runs;          /* QDRI_RUNS */
    qdri_run *run;         /* [runs + 1], the last with position = before + count, or more */
    int64_t before;        /* QDRI_RUNS: what positions begin with; 0, but in a part */
    uint32_t *distance;    /* QDRI_SCATTERED: [count], element - lowest */
} qdri_list;

/* Local. Copies `index`; NULL means first, first + 1 ... (else `first` is not read). Negative elements are
 * refused. Two passes over the index, at most 16 bytes per entry of memory. */
qdr_status qdri_list_open(const int64_t *index, int64_t first, int64_t count, qdri_list *list);

/* Leaves an empty list. An all-zero list may be closed, too. */
void qdri_list_close(qdri_list *list);

/* The k-th element, 0 <= k < count. O(1), or O(log runs). */
int64_t qdri_list_at(const qdri_list *list, int64_t k);

/* The entries from..to - 1, 0 <= from <= to <= count, for kernels: borrowed from the list, and not to be closed.
 * Its lowest and highest are the list's. O(1), or O(log runs). */
qdri_list qdri_list_part(const qdri_list *list, int64_t from, int64_t to);

/* Whether an element stands twice in these lists, taken together. If so, `element` is the first that repeats
 * one (reading list after list), `list_b` the list it repeats it in and `list_a` the first list that has it;
 * the two may be the same. Otherwise only `found` is written. O(entries) expected time and memory; nothing
 * for lists that are distinct and whose ranges lie apart. */
qdr_status qdri_lists_twice(const qdri_list *list, int lists, int *found, int64_t *element, int *list_a,
                            int *list_b);

/* Whether an element stands in a list of `a` and in one of `b`; if so, the first in b's order. Otherwise only
 * `found` is written. O(entries) expected time and memory; nothing if the ranges lie apart. */
qdr_status qdri_lists_meet(const qdri_list *a, int as, const qdri_list *b, int bs, int *found,
                           int64_t *element);

#endif
