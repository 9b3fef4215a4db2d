/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct exchange on full-duplex ports is an open shop: 2n *ports*, n ways out and n ways in, and each
 * message keeps one of each busy for startup + items units of time, in any order. No schedule is shorter than
 * the work of the busiest port. Three ways to come near it, each good where the others are not:
 *
 *     by list      time runs; a port that becomes free takes, of the free ports it has a message with, the
 * one with the most work left. Close to the bound for sizes that vary and for patterns with hot ranks.
 * Messages longer than a quantum can be cut, at the price of one more startup. by matching  phase after
 * phase, a matching that covers the ports with the most work left, large messages with large ones. Close to
 * the bound for even patterns, where the list paints itself into a corner.
 *
 * Time is counted in items, in whole numbers: the same schedule on every machine.
 */
#ifndef QDRI_OPEN_SHOP_H
#define QDRI_OPEN_SHOP_H

#include "schedule/algorithm.h"

typedef struct qdri_shop {
    qdr_pattern_view view;
    int64_t startup;  /* tau / mu, in items */
    int64_t *work;    /* [2 ranks]: out of rank r at r, into rank r at ranks + r */
    int64_t *start;   /* [2 ranks + 1] into message[] */
    int64_t *message; /* [2 messages]: those of each port */
    int64_t bound;    /* the most work of a port */
} qdri_shop;

/* What a way has found: phase_of[] when no message is cut, else entry[]. */
typedef struct qdri_shop_plan {
    int64_t makespan;
    int32_t phases;
    int32_t *phase_of;
    qdri_entry *entry;
    int64_t entries;
} qdri_shop_plan;

qdr_status qdri_shop_open(const qdr_pattern_view *view, int64_t startup, qdri_shop *shop);
void qdri_shop_close(qdri_shop *shop);
void qdri_shop_plan_free(qdri_shop_plan *plan);

/* quantum 0: nothing is cut. */
qdr_status qdri_shop_by_list(const qdri_shop *shop, int64_t quantum, qdri_shop_plan *plan);
/* step_of is a partial permutation for each step from 0 to ranks. */
qdr_status qdri_shop_by_steps(const qdri_shop *shop, qdri_phase_function *step_of, qdri_shop_plan *plan);
qdr_status qdri_shop_by_matching(const qdri_shop *shop, qdri_shop_plan *plan);

/* The makespan of a plan that cuts nothing, from its phases. */
qdr_status qdri_shop_measure(const qdri_shop *shop, qdri_shop_plan *plan);

/* The port at the other end of message m. */
static inline int qdri_shop_across(const qdri_shop *shop, int port, int64_t m) {
    return port < shop->view.ranks ? shop->view.ranks + shop->view.destination[m] : shop->view.origin[m];
}

/* Ports in the order of falling work. */
typedef struct qdri_ranked_port {
    int64_t work;
    int port;
} qdri_ranked_port;
void qdri_rank_ports(qdri_ranked_port *ports, int count);

#endif
