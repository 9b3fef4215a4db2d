/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inspector: goes through the edges once, as the sweep would, without computing anything. It finds the points of
 * others that the edges need, gives each a place behind the own points, renames the ends of edges to places, and makes
 * the map. All of it stays valid until edges or owners change.
 */
#include <math.h>
#include <stdlib.h>

#include "sweep.h"

static double wind_along(const mesh *all, int64_t first, int64_t second) {
    const double *to = all->point[first].place, *from = all->point[second].place;
    double x = to[0] - from[0], y = to[1] - from[1];
    return (x + 0.2 * y) / hypot(x, y);
}

static share take_share(const mesh *all, const int *owner, int rank) {
    int64_t *local = room(all->points, sizeof *local); /* -1: the point has no place here yet */
    share own = {.number = room(all->points, sizeof *own.number),
                 .edge = room(all->edges, sizeof *own.edge),
                 .speed = room(all->edges, sizeof *own.speed)};
    for (int64_t p = 0; p < all->points; p++) {
        local[p] = owner[p] == rank ? own.points : -1;
        if (owner[p] == rank) own.number[own.points++] = p;
    }
    for (int64_t e = 0; e < all->edges; e++) {
        int64_t first = all->edge[e][0], second = all->edge[e][1];
        if (owner[first] != rank) continue;
        if (local[second] < 0) {
            local[second] = own.points + own.ghosts;
            own.number[own.points + own.ghosts++] = second;
        }
        own.edge[own.edges][0] = local[first];
        own.edge[own.edges][1] = local[second];
        own.speed[own.edges++] = wind_along(all, first, second);
    }
    free(local);
    return own;
}

/* "My element here[k] is a copy of element there[k] of rank of[k]": what an owner calls its points is known here, for
 * they stand in the order of the mesh. */
static qdr_status make_map(MPI_Comm comm, int ranks, const mesh *all, const int *owner, share *own) {
    int64_t *place = room(all->points, sizeof *place), *points = room(ranks, sizeof *points);
    int64_t *here = room(own->ghosts, sizeof *here), *there = room(own->ghosts, sizeof *there);
    int *of = room(own->ghosts, sizeof *of);
    for (int64_t p = 0; p < all->points; p++) place[p] = points[owner[p]]++;
    for (int64_t g = 0; g < own->ghosts; g++) {
        here[g] = own->points + g;
        there[g] = place[own->number[here[g]]];
        of[g] = owner[own->number[here[g]]];
    }
    qdr_indices needs = {.links = own->ghosts, .link_rank = of, .place = here, .partner_place = there};
    qdr_map_options options = QDR_MAP_OPTIONS;
    options.reverse = QDR_REVERSE_COMBINE;
    qdr_status status = qdr_map_create(comm, NULL, &needs, &options, &own->map);
    free(place);
    free(points);
    free(here);
    free(there);
    free(of);
    return status;
}

qdr_status inspector(MPI_Comm comm, const mesh *all, const int *owner, share *own) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *own = take_share(all, owner, rank);
    return make_map(comm, ranks, all, owner, own);
}

void release(share *own) {
    qdr_map_destroy(&own->map);
    free(own->number);
    free(own->edge);
    free(own->speed);
}
