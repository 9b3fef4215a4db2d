/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finite volumes: what is in a cell changes by what flows through its walls.
 *
 * A wall stands across an edge. On both sides of it, values are estimated from those at the ends of the edge and from
 * slopes there (least squares over all neighbours), limited so that no new extremes arise (van Albada). Between two
 * different states waves run; how much they carry through the wall says HLLC, a solver that knows the two outer waves
 * and the contact between them. The airfoil only presses; the far circle is a wall with the undisturbed flow behind it,
 * which lets in or out what waves bring.
 *
 * A step in time has two stages (Heun), and a stage is
 *
 *     exchange    one map: states of all ghosts
 *     compute     slopes, fluxes, changes; nothing is sent back, see share.c
 *     sum         one number over all ranks: has the flow become steady?
 *
 * That sum may depend on the number of ranks in its last bits, and nothing depends on the sum.
 */
#include "flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double heat_ratio = 1.4, courant = 2;

void to_state(const double *primitive, double *u) {
    double density = primitive[0], x = primitive[1], y = primitive[2];
    u[0] = density;
    u[1] = density * x;
    u[2] = density * y;
    u[3] = primitive[3] / (heat_ratio - 1) + density * (x * x + y * y) / 2;
}

void to_primitive(const double *u, double *primitive) {
    primitive[0] = u[0];
    primitive[1] = u[1] / u[0];
    primitive[2] = u[2] / u[0];
    primitive[3] = (heat_ratio - 1) * (u[3] - (u[1] * u[1] + u[2] * u[2]) / u[0] / 2);
}

double mach_number(const double *u) {
    state w;
    to_primitive(u, w);
    return hypot(w[1], w[2]) / sqrt(heat_ratio * w[3] / w[0]);
}

/* ---- one wall ------------------------------------------------------------------------------------------ */

/* What one side of a wall sends through it: the flux of its own state, or if the wall is between the side's outer wave
 * and the contact, that plus what the outer wave changes. */
static void one_sided(const double *w, const double *unit, double wave, double contact, int is_outside,
                      double *flux) {
    double along = w[1] * unit[0] + w[2] * unit[1], u[VARIABLES];
    to_state(w, u);
    for (int v = 0; v < VARIABLES; v++) flux[v] = along * u[v];
    flux[1] += w[3] * unit[0];
    flux[2] += w[3] * unit[1];
    flux[3] += w[3] * along;
    if (is_outside) return;
    double squeeze = (wave - along) / (wave - contact), density = w[0] * squeeze, change = contact - along;
    double beyond[] = {density, density * (w[1] + change * unit[0]), density * (w[2] + change * unit[1]),
                       squeeze * (u[3] + change * (w[0] * contact + w[3] / (wave - along)))};
    for (int v = 0; v < VARIABLES; v++) flux[v] += wave * (beyond[v] - u[v]);
}

/* HLLC. Gives the fastest wave, times the length of the wall. */
static double find_flux(const double *left, const double *right, const double *normal, double *flux) {
    double length = hypot(normal[0], normal[1]), unit[] = {normal[0] / length, normal[1] / length};
    double from = left[1] * unit[0] + left[2] * unit[1], to = right[1] * unit[0] + right[2] * unit[1];
    double left_sound = sqrt(heat_ratio * left[3] / left[0]);
    double right_sound = sqrt(heat_ratio * right[3] / right[0]);
    double slow = fmin(from - left_sound, to - right_sound), fast = fmax(from + left_sound, to + right_sound);
    double left_mass = left[0] * (slow - from), right_mass = right[0] * (fast - to);
    double contact = (right[3] - left[3] + left_mass * from - right_mass * to) / (left_mass - right_mass);
    if (contact >= 0)
        one_sided(left, unit, slow, contact, slow >= 0, flux);
    else
        one_sided(right, unit, fast, contact, fast <= 0, flux);
    for (int v = 0; v < VARIABLES; v++) flux[v] *= length;
    return fmax(-slow, fast) * length;
}

/* A mean of two slopes that is nothing when they differ in sign, and near the smaller when they differ much. */
static double limited(double one, double other) {
    double product = one * other;
    return product > 0 ? product * (one + other) / (one * one + other * other) : 0;
}

/* ---- all walls ----------------------------------------------------------------------------------------- */

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

/* The matrix of least squares, inverted; neighbours count by their nearness. */
static void prepare_slopes(work *at) {
    const share *own = at->own;
    for (int64_t e = 0; e < own->edges; e++) {
        const double *d = own->across[e];
        double weight = 1 / (d[0] * d[0] + d[1] * d[1]);
        for (int k = 0; k < 2; k++) {
            double *fit = at->fit[own->edge[e].end[k]];
            fit[0] += weight * d[0] * d[0];
            fit[1] += weight * d[0] * d[1];
            fit[2] += weight * d[1] * d[1];
        }
    }
    for (int64_t p = 0; p < own->near; p++) {
        double *fit = at->fit[p], xx = fit[0], determinant = fit[0] * fit[2] - fit[1] * fit[1];
        fit[0] = fit[2] / determinant;
        fit[1] = -fit[1] / determinant;
        fit[2] = xx / determinant;
    }
}

static void find_slopes(work *at) {
    const share *own = at->own;
    memset(at->slope, 0, (size_t)own->places * sizeof *at->slope);
    for (int64_t e = 0; e < own->edges; e++) {
        const int64_t *end = own->edge[e].end;
        const double *d = own->across[e];
        double weight = 1 / (d[0] * d[0] + d[1] * d[1]);
        for (int v = 0; v < VARIABLES; v++)
            for (int k = 0; k < 2; k++) {
                double add = weight * (at->w[end[1]][v] - at->w[end[0]][v]) * d[k];
                at->slope[end[0]][v][k] += add;
                at->slope[end[1]][v][k] += add;
            }
    }
    for (int64_t p = 0; p < own->near; p++)
        for (int v = 0; v < VARIABLES; v++) {
            double *slope = at->slope[p][v], x = slope[0], *fit = at->fit[p];
            slope[0] = fit[0] * x + fit[1] * slope[1];
            slope[1] = fit[1] * x + fit[2] * slope[1];
        }
}

static void add_inside(work *at) {
    const share *own = at->own;
    for (int64_t e = 0; e < own->edges; e++) {
        int64_t from = own->edge[e].end[0], to = own->edge[e].end[1];
        const double *d = own->across[e];
        if (from >= own->points && to >= own->points) continue; /* others do that */
        state left, right, flux;
        for (int v = 0; v < VARIABLES; v++) {
            double change = at->w[to][v] - at->w[from][v], *here = at->slope[from][v],
                   *there = at->slope[to][v];
            double behind = 2 * (here[0] * d[0] + here[1] * d[1]) - change;
            double beyond = 2 * (there[0] * d[0] + there[1] * d[1]) - change;
            int is_sloped = at->rules->order > 1;
            left[v] = at->w[from][v] + (is_sloped ? limited(behind, change) / 2 : 0);
            right[v] = at->w[to][v] - (is_sloped ? limited(beyond, change) / 2 : 0);
        }
        double wave = find_flux(left, right, own->edge[e].normal, flux);
        at->wave[from] += wave;
        at->wave[to] += wave;
        for (int v = 0; v < VARIABLES; v++) {
            at->sum[from][v] += flux[v];
            at->sum[to][v] -= flux[v];
        }
    }
}

static void add_boundary(work *at, double *through) {
    const share *own = at->own;
    memset(through, 0, sizeof(state));
    for (int64_t p = 0; p < own->points; p++) {
        int64_t number = own->number[p];
        const double *outward = at->all->outward[number], pressure = at->w[p][3];
        int is_wall = number < at->all->wall;
        if (!is_wall && number < at->all->points - at->all->far) continue;
        state flux = {0, pressure * outward[0], pressure * outward[1], 0};
        if (!is_wall || !at->rules->has_wall) at->wave[p] += find_flux(at->w[p], at->far, outward, flux);
        for (int v = 0; v < VARIABLES; v++) {
            at->sum[p][v] += flux[v];
            through[v] += flux[v];
        }
    }
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static qdr_status exchange_and_add(work *at, state *u, double *through, history *seen) {
    const share *own = at->own;
    double start = MPI_Wtime(), residual = 0;
    qdr_field field = {.source = u, .target = u + own->points, .type = QDR_DOUBLE, .width = VARIABLES};
    qdr_status status = qdr_map_exchange(own->map, QDR_FORWARD, 1, &field);
    seen->exchanging += MPI_Wtime() - start;
    if (status) return status;
    memset(at->sum, 0, (size_t)own->places * sizeof *at->sum);
    memset(at->wave, 0, (size_t)own->places * sizeof *at->wave);
    for (int64_t p = 0; p < own->places; p++) to_primitive(u[p], at->w[p]);
    if (at->rules->order > 1) find_slopes(at);
    add_inside(at);
    add_boundary(at, through);
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
