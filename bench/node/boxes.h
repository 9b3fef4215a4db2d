/* SPDX-License-Identifier: BSD-3-Clause */
/* A regular mesh of doubles: blocks with ghosts around them, periodic, one neighbour at each face. */
#ifndef BENCH_BOXES_H
#define BENCH_BOXES_H

#include "measure.h"

enum { MOST_SIDES = 6, MOST_FACES = 2 * MOST_SIDES };

typedef struct block {
    int dimensions;
    int64_t extent[3], elements; /* with ghosts */
    int faces;
    int out_rank[MOST_SIDES], in_rank[MOST_SIDES];
    int64_t out[MOST_SIDES][3], in[MOST_SIDES][3], count[MOST_SIDES][3]; /* lowest indices, and how many */
    double *data;
} block;

/* The elements of one face, one by one; returns how many. */
int64_t list_face(const block *b, const int64_t *lower, const int64_t *count, int64_t *element);

/* Of PetscSF, if there is one. */
void boxes_petsc_enter(void);
void boxes_petsc_leave(void);
void *forest_open(const block *b);
void forest_run(void *state);
void forest_close(void *state);

#endif
