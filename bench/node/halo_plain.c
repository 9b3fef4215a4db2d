/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs do by themselves, with MPI alone, and as well as it can be done: receives are posted first,
 * each message goes as soon as it is packed, and where ghosts stand grouped they are received in place.
 * Collectives pack everything, then call. Without grouping what came is scattered at the end.
 */
#include "halo.h"

#include <stdlib.h>

enum { TAG = 17 };

typedef struct packed {
    const halo *h;
    double *array, *out, *in; /* `in` is the array's ghosts when they are grouped */
    int width;
    MPI_Request *request; /* receives, then sends */
    MPI_Comm neighbours;
    int *out_count, *out_place, *in_count, *in_place; /* of collectives, in doubles */
} packed;

static packed *packed_open(const halo *h, void *data, int width) {
    packed *p = room(1, sizeof *p);
    size_t out = (size_t)h->send.start[h->send.partners] * (size_t)width;
    size_t in = (size_t)h->ghosts * (size_t)width;
    *p = (packed){.h = h, .array = data, .width = width, .neighbours = MPI_COMM_NULL};
    p->out = room(out, sizeof *p->out);
    p->in = h->grouped ? p->array + (size_t)h->owned * (size_t)width : room(in, sizeof *p->in);
    p->request = room((size_t)(h->receive.partners + h->send.partners), sizeof *p->request);
    return p;
}

static void packed_close(void *state) {
    packed *p = state;
    free(p->out), free(p->request);
    free(p->out_count), free(p->out_place), free(p->in_count), free(p->in_place);
    if (!p->h->grouped) free(p->in);
    free(p);
}

static double *out_of(const packed *p, int partner) {
    return p->out + (size_t)p->h->send.start[partner] * (size_t)p->width;
}
static double *in_of(const packed *p, int partner) {
    return p->in + (size_t)p->h->receive.start[partner] * (size_t)p->width;
}

static void pack(packed *p, int partner) {
    gather(&p->h->send, partner, p->width, p->array, out_of(p, partner));
}

static void pack_all(packed *p) {
    for (int i = 0; i < p->h->send.partners; i++) pack(p, i);
}

static void unpack_all(packed *p) {
    if (p->h->grouped) return;
    for (int i = 0; i < p->h->receive.partners; i++)
        scatter(&p->h->receive, i, p->width, in_of(p, i), p->array);
}

/* ---- Isend, Irecv, Waitall ----------------------------------------------------------------------------- */

void *isend_open(const halo *h, void *data, int width) {
    return packed_open(h, data, width);
}

void isend_begin(void *state) {
    packed *p = state;
    const halo *h = p->h;
    MPI_Request *request = p->request;
    for (int i = 0; i < h->receive.partners; i++)
        MPI_Irecv(in_of(p, i), h->receive.count[i] * p->width, MPI_DOUBLE, h->receive.rank[i], TAG, h->comm,
                  request++);
    for (int i = 0; i < h->send.partners; i++) {
        pack(p, i);
        MPI_Isend(out_of(p, i), h->send.count[i] * p->width, MPI_DOUBLE, h->send.rank[i], TAG, h->comm,
                  request++);
    }
}

void isend_test(void *state) {
    packed *p = state;
    int done;
    MPI_Testall(p->h->receive.partners + p->h->send.partners, p->request, &done, MPI_STATUSES_IGNORE);
}

void isend_end(void *state) {
    packed *p = state;
    MPI_Waitall(p->h->receive.partners + p->h->send.partners, p->request, MPI_STATUSES_IGNORE);
    unpack_all(p);
}

void isend_close(void *state) {
    packed_close(state);
}

static void isend_run(void *state) {
    isend_begin(state);
    isend_end(state);
}

/* ---- persistent requests ------------------------------------------------------------------------------- */

static void *persistent_open(const halo *h, void *data, int width) {
    packed *p = packed_open(h, data, width);
    MPI_Request *request = p->request;
    for (int i = 0; i < h->receive.partners; i++)
        MPI_Recv_init(in_of(p, i), h->receive.count[i] * width, MPI_DOUBLE, h->receive.rank[i], TAG, h->comm,
                      request++);
    for (int i = 0; i < h->send.partners; i++)
        MPI_Send_init(out_of(p, i), h->send.count[i] * width, MPI_DOUBLE, h->send.rank[i], TAG, h->comm,
                      request++);
    return p;
}

static void persistent_run(void *state) {
    packed *p = state;
    int receives = p->h->receive.partners, sends = p->h->send.partners;
    MPI_Startall(receives, p->request);
    for (int i = 0; i < sends; i++) {
        pack(p, i);
        MPI_Start(&p->request[receives + i]);
    }
    MPI_Waitall(receives + sends, p->request, MPI_STATUSES_IGNORE);
    unpack_all(p);
}

static void persistent_close(void *state) {
    packed *p = state;
    for (int i = 0; i < p->h->receive.partners + p->h->send.partners; i++) MPI_Request_free(&p->request[i]);
    packed_close(p);
}

/* ---- collectives --------------------------------------------------------------------------------------- */

static void fill_counts(packed *p, const halo_side *side, int by_rank, int **count, int **place) {
    *count = room((size_t)p->h->ranks, sizeof **count);
    *place = room((size_t)p->h->ranks, sizeof **place);
    for (int i = 0; i < side->partners; i++) {
        int at = by_rank ? side->rank[i] : i;
        (*count)[at] = side->count[i] * p->width;
        (*place)[at] = side->start[i] * p->width;
    }
}

static packed *collective_open(const halo *h, void *data, int width, int by_rank) {
    packed *p = packed_open(h, data, width);
    fill_counts(p, &h->send, by_rank, &p->out_count, &p->out_place);
    fill_counts(p, &h->receive, by_rank, &p->in_count, &p->in_place);
    return p;
}

static void *neighbour_open(const halo *h, void *data, int width) {
    packed *p = collective_open(h, data, width, 0);
    MPI_Dist_graph_create_adjacent(h->comm, h->receive.partners, h->receive.rank, h->receive.count,
                                   h->send.partners, h->send.rank, h->send.count, MPI_INFO_NULL, 0,
                                   &p->neighbours);
    return p;
}

static void neighbour_run(void *state) {
    packed *p = state;
    pack_all(p);
    MPI_Neighbor_alltoallv(p->out, p->out_count, p->out_place, MPI_DOUBLE, p->in, p->in_count, p->in_place,
                           MPI_DOUBLE, p->neighbours);
    unpack_all(p);
}

static void neighbour_close(void *state) {
    packed *p = state;
    MPI_Comm_free(&p->neighbours);
    packed_close(p);
}

static void *alltoallv_open(const halo *h, void *data, int width) {
    return collective_open(h, data, width, 1);
}

static void alltoallv_run(void *state) {
    packed *p = state;
    pack_all(p);
    MPI_Alltoallv(p->out, p->out_count, p->out_place, MPI_DOUBLE, p->in, p->in_count, p->in_place, MPI_DOUBLE,
                  p->h->comm);
    unpack_all(p);
}

const method plain_methods[] = {
    {"isend", OPPONENT, isend_open, isend_run, packed_close, NULL},
    {"persistent", OPPONENT, persistent_open, persistent_run, persistent_close, NULL},
    {"neighbor-alltoallv", OPPONENT, neighbour_open, neighbour_run, neighbour_close, NULL},
    {"alltoallv", OPPONENT, alltoallv_open, alltoallv_run, packed_close, NULL},
    {0},
};
