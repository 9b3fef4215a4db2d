/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finite volumes: what is in a cell changes by what flows through its walls (walls.c, and gas.c for a single one).
 *
 * A step in time has two stages (Heun), and a stage is
 *
 *     exchange    one map: states of all ghosts
 *     compute     slopes, fluxes, changes; nothing is sent back, see share.c
 *     sum         one number over all ranks: has the flow become steady?
 *
 * That sum may depend on the number of ranks in its last bits, and nothing depends on the sum.
 */
#include "walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double courant = 2;

static qdr_status exchange_and_add(work *at, state *u, double *through, history *seen) {
    const share *own = at->own;
    double start = MPI_Wtime(), residual = 0;
    qdr_field field = {.source = u, .target = u + own->points, .type = QDR_DOUBLE, .width = VARIABLES};
    qdr_status status = qdr_map_exchange(own->map, QDR_FORWARD, 1, &field);
    seen->exchanging += MPI_Wtime() - start;
    if (status) return status;
    add_fluxes(at, u, through);
    for (int64_t p = 0; p < own->points; p++)
        residual += at->sum[p][0] * at->sum[p][0] / at->all->volume[own->number[p]];
    start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &residual, 1, MPI_DOUBLE, MPI_SUM, own->comm);
    seen->summing += MPI_Wtime() - start;
    seen->last = sqrt(residual);
    return QDR_OK;
}

static void choose_times(work *at) {
    double least = INFINITY;
    for (int64_t p = 0; p < at->own->points; p++) {
        at->time[p] = courant * at->all->volume[at->own->number[p]] / at->wave[p];
        least = fmin(least, at->time[p]);
    }
    if (!at->rules->has_one_clock) return;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, at->own->comm);
    for (int64_t p = 0; p < at->own->points; p++) at->time[p] = least;
}

static qdr_status make_step(work *at, state *u, history *seen) {
    state through[2];
    int64_t points = at->own->points;
    for (int stage = 0; stage < 2; stage++) {
        qdr_status status = exchange_and_add(at, u, through[stage], seen);
        if (status) return status;
        if (stage == 0) {
            if (seen->first == 0) seen->first = seen->last;
            memcpy(at->before, u, (size_t)points * sizeof *u);
            choose_times(at);
        }
        for (int64_t p = 0; p < points; p++)
            for (int v = 0; v < VARIABLES; v++) {
                u[p][v] -= at->time[p] / at->all->volume[at->own->number[p]] * at->sum[p][v];
                if (stage == 1) u[p][v] = (at->before[p][v] + u[p][v]) / 2;
            }
    }
    for (int v = 0; v < VARIABLES && points > 0; v++)
        seen->through[v] += at->time[0] * (through[0][v] + through[1][v]) / 2;
    return QDR_OK;
}

void start_flow(const share *own, const rules *rules, state *u) {
    for (int64_t p = 0; p < own->points; p++)
        for (int v = 0; v < VARIABLES; v++)
            u[p][v] = rules->far[v] * (1 + rules->ripples * sin((double)own->number[p]));
}

qdr_status run_flow(const share *own, const mesh *all, const rules *rules, state *u, history *seen) {
    work at = {.own = own, .all = all, .rules = rules};
    qdr_status status = QDR_OK;
    *seen = (history){0};
    at.w = room(own->places, sizeof *at.w);
    at.before = room(own->points, sizeof *at.before);
    at.sum = room(own->places, sizeof *at.sum);
    at.wave = room(own->places, sizeof *at.wave);
    at.time = room(own->points, sizeof *at.time);
    at.fit = room(own->places, sizeof *at.fit);
    at.slope = room(own->places, sizeof *at.slope);
    to_primitive(rules->far, at.far);
    prepare_slopes(&at);
    start_flow(own, rules, u);
    double start = MPI_Wtime();
    for (int64_t step = 0; !status && step < rules->steps; step++) status = make_step(&at, u, seen);
    seen->seconds = MPI_Wtime() - start;
    void *memory[] = {at.w, at.before, at.sum, at.wave, at.time, at.fit, at.slope};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
    return status;
}
