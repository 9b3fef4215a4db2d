/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The executor: the loop of NICE, figure 10, again and again. It knows places, not points, and asks nobody who owns
 * what: the inspector has said it all. Source and target of an exchange are one array: no point is both own and a
 * ghost.
 */
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

static void sweep(const share *own, values *x, values *y) {
    for (int64_t e = 0; e < own->edges; e++) {
        int64_t first = own->edge[e][0], second = own->edge[e][1];
        const double *upwind = own->speed[e] > 0 ? x[second] : x[first];
        for (int v = 0; v < VARIABLES; v++) {
            double flux = own->speed[e] * upwind[v];
            y[first][v] += flux;
            y[second][v] -= flux;
        }
    }
}

static qdr_status timed_exchange(const share *own, qdr_direction direction, const qdr_field *field,
                                 double *seconds) {
    double start = MPI_Wtime();
    qdr_status status = qdr_map_exchange(own->map, direction, 1, field);
    *seconds += MPI_Wtime() - start;
    return status;
}

qdr_status executor(const share *own, int sweeps, values *x, double *seconds) {
    int64_t places = own->points + own->ghosts;
    values *y = room(places, sizeof *y);
    qdr_field to_ghosts = {.source = x, .target = x, .type = QDR_DOUBLE, .width = VARIABLES};
    qdr_field to_owners = {.source = y, .target = y, .type = QDR_DOUBLE, .width = VARIABLES};
    to_owners.operation = QDR_SUM;
    qdr_status status = QDR_OK;
    for (int s = 0; !status && s < sweeps; s++) {
        memset(y, 0, (size_t)places * sizeof *y);
        status = timed_exchange(own, QDR_FORWARD, &to_ghosts, seconds);
        if (!status) sweep(own, x, y);
        if (!status) status = timed_exchange(own, QDR_REVERSE, &to_owners, seconds);
        for (int64_t p = 0; p < own->points; p++)
            for (int v = 0; v < VARIABLES; v++) x[p][v] += 0.1 * y[p][v];
    }
    free(y);
    return status;
}
