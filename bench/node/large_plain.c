/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The opponents: MPI's ways to move the bytes, with packing before and unpacking after where elements lie at random
 * places. And the limits: the same bytes copied once by the ranks that would have sent them, each for itself and all
 * at the same time; and read by each receiver from its senders' memory (process_vm_readv), without any word between
 * them. Where ranks outnumber processors all meet at the end: else one that has not run yet would not be counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "large.h"

typedef struct plain {
    const traffic *t;
    MPI_Comm comm; /* of neighbors */
    char *out, *in;
    int sends, receives;
    int is_crowded; /* ranks outnumber processors */
    MPI_Request request[2 * MOST_RANKS];
    int requests;
    int out_count[MOST_RANKS], out_at[MOST_RANKS], in_count[MOST_RANKS],
        in_at[MOST_RANKS]; /* of collectives */
    struct remote {
        int64_t pid, outgoing, at;
    } remote[MOST_RANKS];
} plain;

void gather_elements(const traffic *t, char *packed) {
    for (int64_t k = 0; k < t->out_at[t->ranks] / ELEMENT; k++)
        memcpy(packed + k * ELEMENT, t->outgoing + t->from[k] * ELEMENT, ELEMENT);
}

void scatter_elements(const traffic *t, const char *packed) {
    for (int64_t k = 0; k < t->in_at[t->ranks] / ELEMENT; k++)
        memcpy(t->incoming + t->to[k] * ELEMENT, packed + k * ELEMENT, ELEMENT);
}

static plain *open_plain(const traffic *t) {
    plain *p = room(1, sizeof *p);
    p->t = t;
    p->comm = MPI_COMM_NULL;
    p->is_crowded = t->ranks > sysconf(_SC_NPROCESSORS_ONLN);
    p->out = t->is_map ? room((size_t)t->out_at[t->ranks], 1) : t->outgoing;
    p->in = t->is_map ? room((size_t)t->in_at[t->ranks], 1) : t->incoming;
    return p;
}

static void close_plain(void *state) {
    plain *p = state;
    if (p->comm != MPI_COMM_NULL) MPI_Comm_free(&p->comm);
    if (p->t->is_map) free(p->out), free(p->in);
    free(p);
}

static void pack(const plain *p) {
    if (p->t->is_map) gather_elements(p->t, p->out);
}

static void unpack(const plain *p) {
    if (p->t->is_map) scatter_elements(p->t, p->in);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

typedef int message(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int send_now(void *data, int bytes, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    MPI_Request *request) {
    return MPI_Isend(data, bytes, type, to, tag, comm, request);
}

static int send_later(void *data, int bytes, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    return MPI_Send_init(data, bytes, type, to, tag, comm, request);
}

static void all_messages(plain *p, message *receive, message *send) {
    const traffic *t = p->t;
    p->requests = 0;
    for (int d = 1; d < t->ranks; d++) {
        int from = (t->rank - d + t->ranks) % t->ranks;
        if (t->in[from] > 0)
            receive(p->in + t->in_at[from], (int)t->in[from], MPI_BYTE, from, 1, t->comm,
                    &p->request[p->requests++]);
    }
    for (int d = 1; d < t->ranks; d++) {
        int to = (t->rank + d) % t->ranks;
        if (t->out[to] > 0)
            send(p->out + t->out_at[to], (int)t->out[to], MPI_BYTE, to, 1, t->comm,
                 &p->request[p->requests++]);
    }
}

static void *isend_open(const traffic *t) {
    return open_plain(t);
}

static void isend_run(void *state) {
    plain *p = state;
    pack(p);
    all_messages(p, MPI_Irecv, send_now);
    MPI_Waitall(p->requests, p->request, MPI_STATUSES_IGNORE);
    unpack(p);
}

static void *persistent_open(const traffic *t) {
    plain *p = open_plain(t);
    all_messages(p, MPI_Recv_init, send_later);
    return p;
}

static void persistent_run(void *state) {
    plain *p = state;
    pack(p);
    MPI_Startall(p->requests, p->request);
    MPI_Waitall(p->requests, p->request, MPI_STATUSES_IGNORE);
    unpack(p);
}

static void persistent_close(void *state) {
    plain *p = state;
    for (int i = 0; i < p->requests; i++) MPI_Request_free(&p->request[i]);
    close_plain(p);
}

/* ---- collectives --------------------------------------------------------------------------------------- */

static void *alltoallv_open(const traffic *t) {
    plain *p = open_plain(t);
    for (int r = 0; r < t->ranks; r++) {
        p->out_count[r] = (int)t->out[r], p->out_at[r] = (int)t->out_at[r];
        p->in_count[r] = (int)t->in[r], p->in_at[r] = (int)t->in_at[r];
    }
    return p;
}

static void alltoallv_run(void *state) {
    plain *p = state;
    pack(p);
    MPI_Alltoallv(p->out, p->out_count, p->out_at, MPI_BYTE, p->in, p->in_count, p->in_at, MPI_BYTE,
                  p->t->comm);
    unpack(p);
}

static void *neighbor_open(const traffic *t) {
    plain *p = open_plain(t);
    int source[MOST_RANKS], destination[MOST_RANKS], one[MOST_RANKS];
    for (int r = 0; r < t->ranks; r++) {
        one[r] = 1;
        if (t->out[r] > 0) {
            destination[p->sends] = r;
            p->out_count[p->sends] = (int)t->out[r];
            p->out_at[p->sends++] = (int)t->out_at[r];
        }
        if (t->in[r] > 0) {
            source[p->receives] = r;
            p->in_count[p->receives] = (int)t->in[r];
            p->in_at[p->receives++] = (int)t->in_at[r];
        }
    }
    MPI_Dist_graph_create_adjacent(t->comm, p->receives, source, one, p->sends, destination, one,
                                   MPI_INFO_NULL, 0, &p->comm);
    return p;
}

static void neighbor_run(void *state) {
    plain *p = state;
    pack(p);
    MPI_Neighbor_alltoallv(p->out, p->out_count, p->out_at, MPI_BYTE, p->in, p->in_count, p->in_at, MPI_BYTE,
                           p->comm);
    unpack(p);
}

const large_method large_plain[] = {
    {"isend", OPPONENT, isend_open, isend_run, close_plain},
    {"persistent", OPPONENT, persistent_open, persistent_run, persistent_close},
    {"alltoallv", OPPONENT, alltoallv_open, alltoallv_run, close_plain},
    {"neighbor", OPPONENT, neighbor_open, neighbor_run, close_plain},
    {0},
};

/* ---- limits -------------------------------------------------------------------------------------------- */

static void meet(const plain *p) {
    if (p->is_crowded) MPI_Barrier(p->t->comm);
}

static void *copy_open(const traffic *t) {
    return open_plain(t);
}

/* As many bytes as come, of what goes. */
static void copy_run(void *state) {
    plain *p = state;
    const traffic *t = p->t;
    pack(p);
    int64_t bytes = t->in_at[t->ranks] < t->out_at[t->ranks] ? t->in_at[t->ranks] : t->out_at[t->ranks];
    if (!t->is_map) memcpy(p->in, p->out, (size_t)bytes);
    unpack(p);
    meet(p);
}

static void *read_open(const traffic *t) {
    plain *p = open_plain(t);
    struct remote mine[MOST_RANKS];
    for (int r = 0; r < t->ranks; r++)
        mine[r] = (struct remote){getpid(), (int64_t)(intptr_t)p->out, t->out_at[r]};
    MPI_Alltoall(mine, sizeof *mine, MPI_BYTE, p->remote, sizeof *mine, MPI_BYTE, t->comm);
    return p;
}

static void read_run(void *state) {
    plain *p = state;
    const traffic *t = p->t;
    pack(p);
    for (int d = 1; d < t->ranks; d++) {
        int from = (t->rank + d) % t->ranks;
        for (int64_t at = 0; at < t->in[from];) {
            struct iovec here = {p->in + t->in_at[from] + at, (size_t)(t->in[from] - at)};
            struct iovec there = {(void *)(intptr_t)(p->remote[from].outgoing + p->remote[from].at + at),
                                  here.iov_len};
            ssize_t got = process_vm_readv((pid_t)p->remote[from].pid, &here, 1, &there, 1, 0);
            if (got <= 0) break; /* the system does not allow it: the figure is next to nothing */
            at += got;
        }
    }
    unpack(p);
    meet(p);
}

const large_method large_limits[] = {
    {"copied-once", LIMIT, copy_open, copy_run, close_plain},
    {"read-by-system", LIMIT, read_open, read_run, close_plain},
    {0},
};
