/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of ranks, each of which sends to the next and to itself: the plan of tests that need any plan. */
#ifndef PLAN_RING_TESTING_H
#define PLAN_RING_TESTING_H

#include <string.h>

#include "mpi_expect.h"
#include "mpi_content.h"
#include "quadrille/plan.h"

enum { ITEMS = 10 };

static int rank, ranks;

/* ---- a ring -------------------------------------------------------------------------------------------- */

/* Everyone sends to the next, and to itself. */
static inline qdr_partners *ring(MPI_Comm comm) {
    int here, all;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &all);
    const int destination[] = {(here + 1) % all, here};
    const int64_t items[] = {ITEMS, ITEMS};
    qdr_partners *partners = NULL;
    FINE(qdr_partners_from_sends(comm, all > 1 ? 2 : 1, destination, items, NULL, &partners));
    return partners;
}

typedef struct ring_memory {
    unsigned char out[2 * ITEMS], in[2 * ITEMS];
} ring_memory;

static inline qdr_buffers ring_buffers(ring_memory *memory) {
    qdr_buffers buffers = {0};
    memset(memory->in, 0, sizeof memory->in);
    content_fill(memory->out, ITEMS, content_key(0, 0, rank, (rank + 1) % ranks));
    content_fill(memory->out + ITEMS, ITEMS, content_key(0, 0, rank, rank));
    buffers.item_bytes = 1;
    buffers.outgoing_base = memory->out;
    buffers.incoming_base = memory->in;
    return buffers;
}

static inline void check_ring(const ring_memory *memory, const qdr_partners *partners) {
    qdr_partners_view view = qdr_partners_look(partners);
    for (int i = 0; i < view.receives; i++)
        CHECK(content_wrong(memory->in + i * ITEMS, ITEMS, content_key(0, 0, view.source[i], rank)) < 0);
}

/* The plan still does its work. */
static inline void run_ring(qdr_plan *plan, const qdr_partners *partners) {
    ring_memory memory;
    qdr_buffers buffers = ring_buffers(&memory);
    FINE(qdr_plan_exchange(plan, &buffers));
    check_ring(&memory, partners);
}

static inline qdr_plan *ring_plan(qdr_partners *partners, const char *algorithm, int in_flight) {
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    options.algorithm = algorithm;
    options.in_flight = in_flight;
    FINE(qdr_plan_create(partners, &options, &plan));
    return plan;
}

#endif
