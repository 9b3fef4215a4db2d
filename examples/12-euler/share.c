/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Own points, and two layers of ghosts around them.
 *
 * A flux needs what both ends of its edge have, and for the second order of accuracy how that changes around them: the
 * neighbours of the neighbours. They could be had by a second exchange, of slopes. Here they are ghosts too: then one
 * exchange per stage is enough, and the neighbours' slopes are computed twice rather than sent. To the map that is
 * nothing special, just a longer list of needs: "I own these numbers, I need those" (qdr_resolve_map).
 *
 * An edge between parts is computed by both its owners, from the same values, and nothing has to be sent back. A
 * rank's edges stand in the order of the mesh, so a point adds up its fluxes in that order whoever owns it: results are
 * the same, bit for bit, on any number of ranks.
 */
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* ---- who owns what ------------------------------------------------------------------------------------- */

typedef struct keyed {
    double key;
    int64_t number;
} keyed;

static int by_key(const void *one, const void *other) {
    const keyed *a = one, *b = other;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static double set_keys(const mesh *all, keyed *some, int64_t count, int axis) {
    double low = 0, high = 0;
    for (int64_t i = 0; i < count; i++) {
        double key = some[i].key = all->place[some[i].number][axis];
        if (i == 0 || key < low) low = key;
        if (i == 0 || key > high) high = key;
    }
    return high - low;
}

/* Recursive bisection, of which a rank follows its own branch alone: what remains in the end is its part. */
static int64_t find_part(const mesh *all, int rank, int ranks, keyed *some) {
    int64_t count = all->points;
    for (int64_t i = 0; i < count; i++) some[i].number = i;
    while (ranks > 1) {
        int lower = ranks / 2, is_lower = rank < lower;
        int64_t half = count * lower / ranks;
        int is_wide = set_keys(all, some, count, 0) > set_keys(all, some, count, 1);
        set_keys(all, some, count, is_wide ? 0 : 1);
        qsort(some, (size_t)count, sizeof *some, by_key);
        if (!is_lower) memmove(some, some + half, (size_t)(count - half) * sizeof *some);
        count = is_lower ? half : count - half;
        rank -= is_lower ? 0 : lower;
        ranks = is_lower ? lower : ranks - lower;
    }
    return count;
}

/* ---- a share ------------------------------------------------------------------------------------------- */

enum { NOT_HERE = -1, OWN, NEAR, BEYOND };

/* Points without a layer that are neighbours of one in this layer get the next. */
static void grow(const mesh *all, signed char *layer, int from) {
    for (int64_t e = 0; e < all->edges; e++) {
        const int64_t *end = all->edge[e].end;
        for (int k = 0; k < 2; k++)
            if (layer[end[k]] == from && layer[end[1 - k]] == NOT_HERE)
                layer[end[1 - k]] = (signed char)(from + 1);
    }
}

static void list_points(const mesh *all, const signed char *layer, share *own, int64_t *local) {
    int64_t *end[] = {&own->points, &own->near, &own->places};
    for (int which = OWN; which <= BEYOND; which++) {
        for (int64_t p = 0; p < all->points; p++)
            if (layer[p] == which) {
                local[p] = own->places;
                own->number[own->places++] = p;
            }
        *end[which] = own->places;
    }
}

static void list_edges(const mesh *all, const int64_t *local, const signed char *layer, share *own) {
    for (int64_t e = 0; e < all->edges; e++) {
        const int64_t *end = all->edge[e].end;
        int is_near[2];
        for (int k = 0; k < 2; k++) is_near[k] = layer[end[k]] == OWN || layer[end[k]] == NEAR;
        if (layer[end[0]] == NOT_HERE || layer[end[1]] == NOT_HERE || !(is_near[0] || is_near[1])) continue;
        edge *one = &own->edge[own->edges];
        *one = all->edge[e];
        for (int k = 0; k < 2; k++) {
            one->end[k] = local[end[k]];
            own->across[own->edges][k] = all->place[end[1]][k] - all->place[end[0]][k];
        }
        own->edges++;
    }
}

qdr_status take_share(MPI_Comm comm, const mesh *all, int layers, share *own) {
    signed char *layer = memset(room(all->points, 1), NOT_HERE, (size_t)all->points);
    int64_t *local = room(all->points, sizeof *local);
    keyed *some = room(all->points, sizeof *some);
    *own = (share){.comm = comm,
                   .number = room(all->points, sizeof *own->number),
                   .edge = room(all->edges, sizeof *own->edge),
                   .across = room(all->edges, sizeof *own->across)};
    MPI_Comm_rank(comm, &own->rank);
    MPI_Comm_size(comm, &own->ranks);
    int64_t count = find_part(all, own->rank, own->ranks, some);
    for (int64_t i = 0; i < count; i++) layer[some[i].number] = OWN;
    for (int from = OWN; from < layers; from++) grow(all, layer, from);
    list_points(all, layer, own, local);
    list_edges(all, local, layer, own);
    free(layer);
    free(local);
    free(some);
    /* Ghosts stand behind own points, in the order in which they are needed: a target is points + k. */
    const int64_t *ghost = own->number + own->points;
    return qdr_resolve_map(comm, own->points, own->number, own->places - own->points, ghost, NULL, NULL,
                           &own->map);
}

void release(share *own) {
    qdr_map_destroy(&own->map);
    free(own->number);
    free(own->edge);
    free(own->across);
}

/* ---- other maps and patterns --------------------------------------------------------------------------- */

double in_all(double value, MPI_Op operation, const share *own) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, own->comm);
    return value;
}

/* A map for one exchange: rank 0 needs everything. */
qdr_status collect(const share *own, const mesh *all, state *u, state *everything) {
    int64_t needed = everything ? all->points : 0, *need = room(needed, sizeof *need);
    qdr_map *map = NULL;
    qdr_field field = {.source = u, .target = everything, .type = QDR_DOUBLE, .width = VARIABLES};
    for (int64_t p = 0; p < needed; p++) need[p] = p;
    qdr_status status = qdr_resolve_map(own->comm, own->points, own->number, needed, need, NULL, NULL, &map);
    if (!status) status = qdr_map_exchange(map, QDR_FORWARD, 1, &field);
    qdr_map_destroy(&map);
    free(need);
    return status;
}

qdr_status find_pattern(const share *own, qdr_pattern **pattern) {
    qdr_partners_view view = qdr_map_look(own->map);
    qdr_partners *partners = NULL;
    int64_t *bytes = room(view.sends, sizeof *bytes);
    for (int s = 0; s < view.sends; s++) bytes[s] = view.send_items[s] * (int64_t)sizeof(state);
    qdr_status status =
        qdr_partners_from_sends(own->comm, view.sends, view.destination, bytes, NULL, &partners);
    if (!status) status = qdr_partners_gather(partners, pattern);
    qdr_partners_destroy(&partners);
    free(bytes);
    return status;
}
