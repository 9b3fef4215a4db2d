/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles that have left their box: each goes to the rank of another, wherever that is. */
#include <stdlib.h>
#include <string.h>

#include "problems.h"

static void *make_particles(int64_t items) {
    particles *p = room(1, sizeof *p);
    p->leaving = items / ranks;
    int *to = room(p->leaving, sizeof *to);
    particle *left = room(p->leaving, sizeof *left);
    for (int64_t i = 0; i < p->leaving; i++) {
        uint64_t number = (uint64_t)(p->leaving * rank + i);
        left[i] = (particle){(double)draw(number, 0) * 0x1p-64, (double)draw(number, 1) * 0x1p-64, 0,
                             (int64_t)number};
        to[i] = (int)(draw(number, 2) % (uint64_t)ranks);
    }
    p->rank = to;
    p->left = left;
    return p;
}

static void *run_particles(const exchanger *by, void *problem) {
    particles *p = problem;
    void *self = by->open(p);
    by->run(self, p);
    particle *result = room(p->came + 1, sizeof *result);
    memcpy(result, p->arrived, (size_t)p->came * sizeof *result);
    by->close(self);
    return result;
}

static int64_t particles_bytes(const void *problem) {
    return ((const particles *)problem)->came * (int64_t)sizeof(particle);
}

static void free_particles(void *problem) {
    particles *p = problem;
    free((void *)p->rank);
    free((void *)p->left);
    free(p);
}

const program particles_program = {
    .name = "particles",
    .make = make_particles,
    .run = run_particles,
    .bytes = particles_bytes,
    .end = free_particles,
    .by = {&particles_mpi, &particles_quadrille},
};
