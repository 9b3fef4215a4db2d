/* SPDX-License-Identifier: BSD-3-Clause */
/* What flows through all walls of a share. */
#ifndef WALLS_H
#define WALLS_H

#include "flow.h"

/* Arrays of one run; those of all points of the share, unless it is said otherwise. */
typedef struct work {
    const share *own;
    const mesh *all;
    const rules *rules;
    state far, *w; /* primitive */
    state *before; /* [own points]: at the beginning of the step */
    state *sum;    /* what flows out of the cell */
    double *wave;  /* sum of the fastest waves of its walls */
    double *time;  /* [own points]: length of the step */
    double (*fit)[3], (*slope)[VARIABLES][2];
} work;

/* Once, before the first fluxes. */
void prepare_slopes(work *at);

/* From the states of own points and ghosts: what flows out of each cell, and how fast waves are there. `through` is what
 * leaves over the boundary of own points. */
void add_fluxes(work *at, state *u, double *through);

#endif
