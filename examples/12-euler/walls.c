/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wall stands across an edge. On both sides of it, values are estimated from those at the ends of the edge and from
 * slopes there (least squares over all neighbours), limited so that no new extremes arise (van Albada). What flows between
 * the two says gas.c. The airfoil only presses; the far circle is a wall with the undisturbed flow behind it, which lets in
 * or out what waves bring.
 */
#include "walls.h"

#include <string.h>

/* A mean of two slopes that is nothing when they differ in sign, and near the smaller when they differ much. */
static double limited(double one, double other) {
    double product = one * other;
    return product > 0 ? product * (one + other) / (one * one + other * other) : 0;
}

/* The matrix of least squares, inverted; neighbours count by their nearness. */
void prepare_slopes(work *at) {
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

void add_fluxes(work *at, state *u, double *through) {
    const share *own = at->own;
    memset(at->sum, 0, (size_t)own->places * sizeof *at->sum);
    memset(at->wave, 0, (size_t)own->places * sizeof *at->wave);
    for (int64_t p = 0; p < own->places; p++) to_primitive(u[p], at->w[p]);
    if (at->rules->order > 1) find_slopes(at);
    add_inside(at);
    add_boundary(at, through);
}
