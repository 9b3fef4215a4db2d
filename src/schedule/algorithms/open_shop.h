/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct exchange is an open shop: *jobs* that keep two *ports* busy for some time each, in any order.
 *
 *     full ports           2n ports, n ways out and n ways in; a job is a message, startup + items (on a
 *                          machine, with its latency, and as many bytes as there are on the wire)
 *     half, paired ports   n ports; a job is all that two ranks have for each other, the sum of both messages
 *                          on half ports, the longer one on paired ports
 *
 * No schedule is shorter than the work of the busiest port. Five ways to come near it, each good where the
 * others are not:
 *
 *     by list        time runs; a port that becomes free takes the most urgent of its jobs whose other port
 *                    is free. Close to the bound for sizes that vary and for patterns with hot ranks.
 *                    Messages longer than a quantum can be cut, at the price of one more startup.
 *     by steps       a closed form, pairwise exchange or shifts: regular patterns, at no cost
 *     by first fit   jobs in order, as they stand or longest first, each in the first phase that both its
 *                    ports have free
 *     by coloring    as few phases as there can be: large shops, for which the other ways take too long
 *     by matching    phase after phase, a matching that covers the ports with the most work left, long jobs
 *                    with long ones; full ports only. Close to the bound for even patterns, where the list
 *                    paints itself into a corner.
 *
 * Time is counted in items, in whole numbers: the same schedule on every machine.
 */
#ifndef QDRI_OPEN_SHOP_H
#define QDRI_OPEN_SHOP_H

#include "schedule/algorithm.h"

typedef struct qdri_shop {
    qdr_pattern_view view;
    const qdr_machine *machine; /* NULL: the same startup for all */
    int64_t startup;            /* tau / mu, in items */
    int ports;
    int64_t jobs;
    int *end[2];     /* [jobs]: the two ports */
    int64_t *time;   /* [jobs] */
    int64_t *job_of; /* [messages]; NULL: job m is message m */
    int64_t *start;  /* [ports + 1] into job[] */
    int64_t *job;    /* [2 jobs]: those of each port */
    int64_t *work;   /* [ports]: sum of their times */
    int64_t bound;   /* the most work of a port */
    double effort;   /* sum of the squares of the ports' degrees: what the slower ways cost */
} qdri_shop;

/* What a way has found: phase_of[] each job when nothing is cut, else entry[]. */
typedef struct qdri_shop_plan {
    int64_t makespan;
    int32_t phases;
    int32_t *phase_of;
    qdri_piece_entry *entry;
    int64_t entries;
} qdri_shop_plan;

/* `machine` may be NULL: only the startup counts, and ports are full. */
qdr_status qdri_shop_open(const qdr_pattern_view *view, const qdr_machine *machine, int64_t startup,
                          qdri_shop *shop);
void qdri_shop_close(qdri_shop *shop);
void qdri_shop_plan_free(qdri_shop_plan *plan);

/* quantum 0: nothing is cut; another one: full ports only. */
qdr_status qdri_shop_by_list(const qdri_shop *shop, int64_t quantum, qdri_shop_plan *plan);
/* step_of gives steps from 0 to ranks, in each of which a port has at most one job. */
qdr_status qdri_shop_by_steps(const qdri_shop *shop, qdri_phase_function *step_of, qdri_shop_plan *plan);
qdr_status qdri_shop_by_first_fit(const qdri_shop *shop, int longest_first, qdri_shop_plan *plan);
/* Exact colouring, whatever the sizes; full ports only. */
qdr_status qdri_shop_by_coloring(const qdri_shop *shop, qdri_shop_plan *plan);
qdr_status qdri_shop_by_matching(const qdri_shop *shop, qdri_shop_plan *plan);

/* The makespan of a plan that cuts nothing, from its phases. */
qdr_status qdri_shop_measure(const qdri_shop *shop, qdri_shop_plan *plan);

/* The other port of a job. */
static inline int qdri_shop_across(const qdri_shop *shop, int port, int64_t job) {
    return shop->end[shop->end[0][job] == port][job];
}

/* Ports in the order of falling work. */
typedef struct qdri_ranked_port {
    int64_t work;
    int port;
} qdri_ranked_port;
void qdri_rank_ports(qdri_ranked_port *ports, int count);

#endif
