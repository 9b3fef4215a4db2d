/* SPDX-License-Identifier: BSD-3-Clause */
/* The Euler equations on a share of the mesh. */
#ifndef FLOW_H
#define FLOW_H

#include "share.h"

/* What is to be computed. */
typedef struct rules {
    state far;         /* far away, and but for ripples everywhere in the beginning */
    int has_wall;      /* 0: the airfoil is a hole that the flow crosses as it crosses the far circle */
    int order;         /* of accuracy in space: 1 or 2 */
    int has_one_clock; /* all points take the same step in time; otherwise each the longest that it can */
    double ripples;    /* in the beginning: from point to point, a part of the state */
    int64_t steps;
} rules;

/* What has been seen. */
typedef struct history {
    double first, last; /* residual: how fast density changes, in the mean */
    state through;      /* with one clock: what has left over the boundary of own points */
    double exchanging, summing, seconds;
} history;

/* What own points have in the beginning. */
void start_flow(const share *own, const rules *rules, state *u);

/* Collective. Computes all steps; `u` has own->places points, and ends with the states of own ones. */
qdr_status run_flow(const share *own, const mesh *all, const rules *rules, state *u, history *seen);

#endif
