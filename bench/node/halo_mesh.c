/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of two halos. Every rank computes its own from what all know: the parts of the mesh, or a seed per
 * pair.
 *
 * The mesh is a grid of 500 x 400 vertices with one diagonal in each square. METIS parts it, the same way
 * every time, on rank 0. Inside a part vertices are numbered at random, so gathering finds no runs; each
 * ghost is received from its owner once, in the order of global numbers.
 */
#include "halo.h"

#include <metis.h>
#include <stdlib.h>

enum { WIDE = 500, HIGH = 400, VERTICES = WIDE * HIGH, MOST_NEAR = 6, OWNED_BY_ALL = 131072 };

static int neighbours(int vertex, int near[MOST_NEAR]) {
    static const int step[MOST_NEAR][2] = {{-1, -1}, {0, -1}, {-1, 0}, {1, 0}, {0, 1}, {1, 1}};
    int count = 0, x = vertex % WIDE, y = vertex / WIDE;
    for (int i = 0; i < MOST_NEAR; i++) {
        int u = x + step[i][0], v = y + step[i][1];
        if (u >= 0 && u < WIDE && v >= 0 && v < HIGH) near[count++] = v * WIDE + u;
    }
    return count;
}

/* On rank 0. */
static void part_mesh(int parts, int *part) {
    idx_t *start = room(VERTICES + 1, sizeof *start), *end = room(VERTICES * MOST_NEAR, sizeof *end);
    idx_t *where = room(VERTICES, sizeof *where), vertices = VERTICES, constraints = 1, wanted = parts, cut;
    idx_t options[METIS_NOPTIONS];
    for (int v = 0; v < VERTICES; v++) {
        int near[MOST_NEAR], count = neighbours(v, near);
        start[v + 1] = start[v] + count;
        for (int i = 0; i < count; i++) end[start[v] + i] = near[i];
    }
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_PartGraphKway(&vertices, &constraints, start, end, NULL, NULL, NULL, &wanted, NULL, NULL,
                            options, &cut, where) != METIS_OK)
        give_up("METIS cannot cut the mesh into %d parts", parts);
    for (int v = 0; v < VERTICES; v++) part[v] = (int)where[v];
    free(start), free(end), free(where);
}

/* The number of each vertex inside its part, at random; what this rank owns goes to h. */
static void number_vertices(halo *h, const int *part, int *local) {
    int *list = room(VERTICES, sizeof *list);
    for (int p = 0; p < h->ranks; p++) {
        uint64_t seed = (uint64_t)p + 1;
        int count = 0;
        for (int v = 0; v < VERTICES; v++)
            if (part[v] == p) list[count++] = v;
        random_shuffle(&seed, list, count);
        for (int i = 0; i < count; i++) local[list[i]] = i;
        if (p != h->rank) continue;
        h->owned = count;
        for (int i = 0; i < count; i++) h->global[i] = list[i];
    }
    free(list);
}

static void side_open(halo_side *side, int partners, int total) {
    side->rank = room((size_t)partners, sizeof *side->rank);
    side->count = room((size_t)partners, sizeof *side->count);
    side->start = room((size_t)partners + 1, sizeof *side->start);
    side->index = room((size_t)total, sizeof *side->index);
}

static void side_add(halo_side *side, int rank, int count) {
    int i = side->partners++;
    side->rank[i] = rank;
    side->count[i] = count;
    side->start[i + 1] = side->start[i] + count;
}

/* Whether a vertex has a neighbour in the part `to`. */
static int at_border(int vertex, int to, const int *part) {
    int near[MOST_NEAR], count = neighbours(vertex, near);
    for (int i = 0; i < count; i++)
        if (part[near[i]] == to) return 1;
    return 0;
}

static void list_border(halo *h, int other, const int *part, const int *local) {
    int leaving = 0, coming = 0;
    for (int v = 0; v < VERTICES; v++) {
        if (part[v] == h->rank && at_border(v, other, part))
            h->send.index[h->send.start[h->send.partners] + leaving++] = local[v];
        if (part[v] == other && at_border(v, h->rank, part)) {
            h->remote[h->ghosts] = local[v];
            h->receive.index[h->ghosts] = v; /* until ghosts have places */
            h->ghosts++, coming++;
        }
    }
    if (leaving) side_add(&h->send, other, leaving);
    if (coming) side_add(&h->receive, other, coming);
}

/* Gives the ghosts, which stand as global numbers, their places: in the order of the lists, or at random. */
static void place_ghosts(halo *h) {
    int *place = room((size_t)h->ghosts, sizeof *place);
    uint64_t seed = 1000 + (uint64_t)h->rank;
    for (int i = 0; i < h->ghosts; i++) place[i] = h->owned + i;
    if (!h->grouped) random_shuffle(&seed, place, h->ghosts);
    for (int i = 0; i < h->ghosts; i++) {
        h->global[place[i]] = h->receive.index[i];
        h->receive.index[i] = place[i];
    }
    free(place);
}

static void begin(MPI_Comm comm, int grouped, int elements, halo *h) {
    *h = (halo){.comm = comm, .grouped = grouped};
    MPI_Comm_rank(comm, &h->rank);
    MPI_Comm_size(comm, &h->ranks);
    side_open(&h->send, h->ranks, elements);
    side_open(&h->receive, h->ranks, elements);
    h->remote = room((size_t)elements, sizeof *h->remote);
}

void halo_mesh(MPI_Comm comm, int grouped, halo *h) {
    int *part = room(VERTICES, sizeof *part), *local = room(VERTICES, sizeof *local);
    begin(comm, grouped, VERTICES, h);
    h->global = room(VERTICES, sizeof *h->global);
    if (h->rank == 0 && h->ranks > 1) part_mesh(h->ranks, part);
    MPI_Bcast(part, VERTICES, MPI_INT, 0, comm);
    number_vertices(h, part, local);
    for (int other = 0; other < h->ranks; other++)
        if (other != h->rank) list_border(h, other, part, local);
    place_ghosts(h);
    free(part), free(local);
}

/* The elements that `from` sends to `to`: the first of a random order. `order` is 0, 1, 2 ... before and
 * after: the exchanges of the shuffle are undone. */
static void draw(int from, int to, int count, int *order, int *swapped, int *list) {
    uint64_t seed = UINT64_C(1000003) * (uint64_t)from + (uint64_t)to + 1;
    for (int i = 0; i < count; i++) {
        int j = swapped[i] = i + random_below(&seed, OWNED_BY_ALL - i), kept = order[i];
        list[i] = order[i] = order[j];
        order[j] = kept;
    }
    for (int i = count - 1; i >= 0; i--) {
        int kept = order[i];
        order[i] = order[swapped[i]];
        order[swapped[i]] = kept;
    }
}

void halo_all(MPI_Comm comm, int count, int grouped, halo *h) {
    int ranks, *order = room(OWNED_BY_ALL, sizeof *order), *swapped = room(OWNED_BY_ALL, sizeof *swapped);
    if (count < 1 || count > OWNED_BY_ALL)
        give_up("%d elements to each; expected 1 to %d", count, OWNED_BY_ALL);
    MPI_Comm_size(comm, &ranks);
    begin(comm, grouped, count * ranks, h);
    h->owned = OWNED_BY_ALL;
    h->global = room((size_t)OWNED_BY_ALL + (size_t)count * (size_t)ranks, sizeof *h->global);
    for (int i = 0; i < OWNED_BY_ALL; i++) {
        order[i] = i;
        h->global[i] = (int64_t)h->rank * OWNED_BY_ALL + i;
    }
    for (int other = 0; other < ranks; other++) {
        if (other == h->rank) continue;
        draw(h->rank, other, count, order, swapped, h->send.index + h->send.start[h->send.partners]);
        draw(other, h->rank, count, order, swapped, h->remote + h->ghosts);
        for (int i = 0; i < count; i++, h->ghosts++)
            h->receive.index[h->ghosts] = other * OWNED_BY_ALL + h->remote[h->ghosts];
        side_add(&h->send, other, count);
        side_add(&h->receive, other, count);
    }
    place_ghosts(h);
    free(order), free(swapped);
}

static void side_close(halo_side *side) {
    free(side->rank), free(side->count), free(side->start), free(side->index);
}

void halo_free(halo *h) {
    side_close(&h->send);
    side_close(&h->receive);
    free(h->remote), free(h->global);
}
