/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "problems.h"
#include "quadrille-mpi.h"

static void *open(const void *problem) {
    (void)problem;
    return room(1, sizeof(qdr_arrivals));
}

static void run(void *self, void *problem) {
    particles *p = problem;
    qdr_arrivals *came = self;
    qdr_items leaving = {
        .item_bytes = sizeof(particle), .data = p->left, .count = p->leaving, .destination = p->rank};
    fine(qdr_deliver(MPI_COMM_WORLD, &leaving, came));
    p->came = came->count;
    p->arrived = came->data;
}

static void close(void *self) {
    qdr_arrivals_free(self);
    free(self);
}

const exchanger particles_quadrille = {open, run, close};
