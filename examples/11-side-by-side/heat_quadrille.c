/* SPDX-License-Identifier: BSD-3-Clause */
#include "problems.h"
#include "quadrille-mpi.h"

static void *open(const void *problem) {
    const heat *h = problem;
    qdr_map *map = NULL;
    qdr_indices needs = {.links = h->ghosts,
                         .link_rank = h->ghost_owner,
                         .place = h->ghost_here,
                         .partner_place = h->ghost_at};
    fine(qdr_map_create(MPI_COMM_WORLD, NULL, &needs, NULL, &map));
    return map;
}

static void run(void *self, void *problem) {
    heat *h = problem;
    qdr_field value = {.source = h->value, .target = h->value, .type = QDR_DOUBLE, .width = 1};
    fine(qdr_map_exchange(self, QDR_FORWARD, 1, &value));
}

static void close(void *self) {
    qdr_map *map = self;
    qdr_map_destroy(&map);
}

const exchanger heat_quadrille = {open, run, close};
