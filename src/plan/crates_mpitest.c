/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crate that is not empty yet: what waits for it goes as it was, whatever comes meanwhile. Four ranks, even ones on one node and odd
 * ones on another, pass on by Bruck's steps. Rank 1 has no memory for crates, so that what goes to it comes by MPI. While rank 3 rests with the crate
 * from rank 1 full, rank 1 gets to the last stage of the next exchange, and has to wait for the crate; then rank 3
 * goes on, and what it hands rank 1 in that stage lies ready before rank 1 looks at the crate. That has a place in
 * which rank 1 still holds what it hands rank 3. Where the machine is too busy for these times, nothing is tested.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mpi_content.h"
#include "mpi_expect.h"
#include "quadrille/plan.h"
#include "plan/near/crate.h"

enum { RANKS = 4, ITEMS = 40, TIMES = 2 };

static int rank;

int64_t __real_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes);
int64_t __wrap_qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    return rank == 1 && bytes > QDRI_CRATE_BYTES ? 0 : __real_qdri_arena_take(wire, bytes);
}

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)node_ranks;
    return own_rank % 2;
}

static double began;

static int is_before(int step) {
    return MPI_Wtime() < began + 0.06 * step;
}

static void rest_until(int step) {
    while (is_before(step)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* MPI takes what has come, so that it is there before the library looks. */
static void let_messages_in(void) {
    enum { LOOKS = 100 };
    for (int i = 0, is_there; i < LOOKS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
}

/* Messages of the same size: a wrong one is told by its bytes alone. */
typedef struct memory {
    char out[RANKS * ITEMS], in[RANKS * ITEMS];
    qdr_pending *exchange;
} memory;

static qdr_plan *make_plan(void) {
    int other[RANKS - 1];
    int64_t items[RANKS - 1];
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    for (int i = 1; i < RANKS; i++) {
        other[i - 1] = (rank + i) % RANKS;
        items[i - 1] = ITEMS;
    }
    options.algorithm = "bruck:2";
    options.in_flight = 1;
    FINE(qdr_partners_from_both(MPI_COMM_WORLD, RANKS - 1, other, items, RANKS - 1, other, items, 1,
                                &partners));
    FINE(qdr_plan_create(partners, &options, &plan));
    qdr_partners_destroy(&partners);
    return plan;
}

static void begin(qdr_plan *plan, memory *held, int exchange) {
    for (int i = 1; i < RANKS; i++)
        content_fill(held->out + (i - 1) * ITEMS, ITEMS, content_key(0, exchange, rank, (rank + i) % RANKS));
    qdr_buffers buffers = {.item_bytes = 1, .outgoing_base = held->out, .incoming_base = held->in};
    FINE(qdr_plan_start(plan, &buffers, &held->exchange));
}

static void look_until(memory *held, int step) {
    for (int is_done = 0; is_before(step) && !is_done;) FINE(qdr_test(&held->exchange, &is_done));
}

static void end(memory *held, int exchange) {
    if (held->exchange) FINE(qdr_wait(&held->exchange));
    for (int i = 1; i < RANKS; i++) {
        int origin = (rank + i) % RANKS;
        CHECK_SAYING(
            content_wrong(held->in + (i - 1) * ITEMS, ITEMS, content_key(0, exchange, origin, rank)) < 0,
            "exchange %d: rank %d has wrong bytes from rank %d", exchange, rank, origin);
    }
}

/* Two exchanges. Who rests from when to when is for rank 1 and rank 3 to say; the others go ahead. */
static void dance(qdr_plan *plan, int exchange) {
    memory held = {.exchange = NULL};
    int is_late = rank == 1, rests = rank == 3;
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    if (is_late) rest_until(2);
    begin(plan, &held, exchange);
    if (rests) {
        look_until(&held, 1); /* hands on in the last stage */
        rest_until(4);
    }
    end(&held, exchange);
    begin(plan, &held, exchange + 1);
    if (is_late) {
        look_until(&held, 3); /* until it waits for the crate */
        rest_until(6);
        let_messages_in();
    }
    end(&held, exchange + 1);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    qdr_plan *plan = make_plan();
    for (int i = 0; i < TIMES; i++) dance(plan, 2 * i);
    FINE(qdr_plan_destroy(&plan));
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
