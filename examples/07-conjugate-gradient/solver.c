/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients. Of the vectors each rank has its own elements; it needs others in the product alone, and there the
 * entries in own columns are multiplied while the ghosts are on their way.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "solver.h"

/* Adds to y what the columns of one owner contribute. */
static void add_product(const piece *own, int owner, const double *x, double *y) {
    for (int64_t e = own->begin[owner]; e < own->begin[owner + 1]; e++)
        y[own->entry[e].row] += own->entry[e].value * x[own->entry[e].column];
}

static qdr_status multiply(const piece *own, const double *x, double *y) {
    qdr_field field = {.source = x, .type = QDR_DOUBLE, .width = 1};
    qdr_pending *exchange = NULL;
    qdr_status status = qdr_map_start(own->map, QDR_FORWARD, 1, &field, &exchange);
    if (status) return status;
    memset(y, 0, (size_t)own->rows * sizeof *y);
    add_product(own, own->rank, x, y);
    status = qdr_wait(&exchange);
    if (status) return status;
    qdr_partners_view view = qdr_map_look(own->map);
    for (int s = 0; s < view.receives; s++)
        add_product(own, view.source[s], qdr_map_incoming(own->map, QDR_FORWARD, s, 0), y);
    return QDR_OK;
}

static double dot(const piece *own, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < own->rows; i++) sum += a[i] * b[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, own->comm);
    return sum;
}

double right_hand_side(int64_t row) {
    return 1 + (double)(row % 7);
}

qdr_status solve(const piece *own, int64_t most, double *x, int64_t *iterations) {
    double *residual = room(own->rows, sizeof *x), *direction = room(own->rows, sizeof *x);
    double *product = room(own->rows, sizeof *x);
    qdr_status status = QDR_OK;
    for (int64_t i = 0; i < own->rows; i++) residual[i] = direction[i] = right_hand_side(own->first + i);
    double square = dot(own, residual, residual), goal = 1e-20 * square;
    for (*iterations = 0; square > goal && *iterations < most; ++*iterations) {
        status = multiply(own, direction, product);
        if (status) break;
        double step = square / dot(own, direction, product), before = square;
        for (int64_t i = 0; i < own->rows; i++) {
            x[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        square = dot(own, residual, residual);
        for (int64_t i = 0; i < own->rows; i++) direction[i] = residual[i] + square / before * direction[i];
    }
    free(residual);
    free(direction);
    free(product);
    return status;
}
