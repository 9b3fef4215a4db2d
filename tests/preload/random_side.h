/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers, types and buffers of programs that make random calls. Types have gaps and change the order of their
 * elements; messages lie in any order, with gaps.
 */
#ifndef RANDOM_SIDE_H
#define RANDOM_SIDE_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi_check.h"

typedef struct stream {
    uint64_t state;
} stream;

static inline uint64_t draw(stream *s) {
    uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline int below(stream *s, int limit) {
    return (int)(draw(s) % (uint64_t)limit);
}

/* ---- types --------------------------------------------------------------------------------------------- */

enum { BASES = 4, LAYOUTS = 6, ITEMS = 3 }; /* ITEMS base elements make one element */
static MPI_Datatype type[BASES][LAYOUTS];

static inline MPI_Datatype make_type(MPI_Datatype base, int layout) {
    MPI_Datatype made, inner;
    MPI_Aint begin, extent;
    PMPI_Type_get_extent(base, &begin, &extent);
    int lengths[] = {1, 1, 1}, backwards[] = {2, 0, 1}, spread[] = {0, 3, 4};
    switch (layout) {
    case 0:
        PMPI_Type_contiguous(ITEMS, base, &made);
        break;
    case 1:
        PMPI_Type_vector(ITEMS, 1, 2, base, &made);
        break;
    case 2:
        PMPI_Type_indexed(ITEMS, lengths, backwards, base, &made);
        break; /* dense, but in another order */
    case 3:
        PMPI_Type_indexed(ITEMS, lengths, spread, base, &made);
        break;
    case 4:
        PMPI_Type_contiguous(ITEMS, base, &inner);
        PMPI_Type_create_resized(inner, 0, 5 * extent, &made);
        PMPI_Type_free(&inner);
        break;
    default:
        PMPI_Type_contiguous(1, base, &inner);
        PMPI_Type_contiguous(ITEMS, inner, &made);
        PMPI_Type_free(&inner);
    }
    PMPI_Type_commit(&made);
    return made;
}

static inline void make_types(void) {
    MPI_Datatype base[BASES] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT};
    for (int b = 0; b < BASES; b++)
        for (int l = 0; l < LAYOUTS; l++) type[b][l] = make_type(base[b], l);
}

static inline void free_types(void) {
    for (int b = 0; b < BASES; b++)
        for (int l = 0; l < LAYOUTS; l++) PMPI_Type_free(&type[b][l]);
}

/* ---- one side of a call -------------------------------------------------------------------------------- */

typedef struct side {
    int edges;
    int same; /* elements of every message, where that is so */
    int count[64], displacement[64];
    MPI_Aint address[64];
    MPI_Datatype each[64], one;
    char *bytes;
    size_t size;
} side;

static inline int64_t extent_of(MPI_Datatype t) {
    MPI_Aint begin, extent, true_begin, true_extent;
    PMPI_Type_get_extent(t, &begin, &extent);
    PMPI_Type_get_true_extent(t, &true_begin, &true_extent);
    return true_begin + true_extent > extent ? true_begin + true_extent : extent;
}

/* Places messages in a random order, with gaps; what is only read may be read twice. */
static inline void lay_out(side *s, stream *own, int by_extent, int may_overlap) {
    int order[64];
    int64_t next = 0, unit = by_extent ? 0 : 1;
    for (int i = 0; i < s->edges; i++) order[i] = i;
    for (int i = s->edges - 1; i > 0; i--) {
        int k = below(own, i + 1), moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
    if (by_extent) {
        MPI_Aint begin, extent;
        PMPI_Type_get_extent(s->one, &begin, &extent);
        unit = extent;
    }
    int overlaps = may_overlap && below(own, 4) == 0;
    int64_t end = 0;
    for (int i = 0; i < s->edges; i++) {
        int k = order[i];
        MPI_Datatype t = by_extent ? s->one : s->each[k];
        if (below(own, 3) == 0) next += by_extent ? below(own, 5) : 16 * below(own, 5);
        int64_t at = overlaps ? 0 : next;
        s->displacement[k] = (int)at;
        s->address[k] = (MPI_Aint)at;
        int64_t begin = at * unit, bytes = s->count[k] * extent_of(t);
        if (begin + bytes + 64 > end) end = begin + bytes + 64;
        next = by_extent ? at + s->count[k] + 1 : (begin + bytes + 15) / 16 * 16 + 16;
    }
    s->size = (size_t)end + 64;
    s->bytes = malloc(s->size);
    CHECK(s->bytes != NULL);
}

/* One message behind the other. */
static inline void lay_out_in_order(side *s) {
    s->size = (size_t)(((int64_t)s->edges * s->same + 1) * extent_of(s->one)) + 64;
    s->bytes = malloc(s->size);
    CHECK(s->bytes != NULL);
}

static inline void fill(side *s, stream *own) {
    uint64_t word = draw(own);
    for (size_t i = 0; i < s->size; i++) s->bytes[i] = (char)(word >> i % 57) ^ (char)i;
}

#endif
