/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "problems.h"

typedef struct halo {
    int *out, *out_at, *in, *in_at; /* [ranks]: how many elements, and where they begin */
    int *element;                   /* that leave, by rank */
    double *packed;
    MPI_Request *request;
} halo;

static int sum_up(const int *count, int *at) {
    int total = 0;
    for (int r = 0; r < ranks; r++) {
        at[r] = total;
        total += count[r];
    }
    return total;
}

static void *open(const void *problem) {
    const heat *h = problem;
    halo *made = room(1, sizeof *made);
    made->out = room(4 * ranks, sizeof(int));
    made->out_at = made->out + ranks;
    made->in = made->out_at + ranks;
    made->in_at = made->in + ranks;
    made->request = room(2 * ranks, sizeof(MPI_Request));
    int *wanted = room(h->ghosts, sizeof(int));
    for (int64_t g = 0; g < h->ghosts; g++) {
        made->in[h->ghost_owner[g]]++;
        wanted[g] = (int)h->ghost_at[g];
    }
    MPI_Alltoall(made->in, 1, MPI_INT, made->out, 1, MPI_INT, MPI_COMM_WORLD);
    sum_up(made->in, made->in_at);
    int leaving = sum_up(made->out, made->out_at);
    made->element = room(leaving, sizeof(int));
    made->packed = room(leaving, sizeof(double));
    MPI_Alltoallv(wanted, made->in, made->in_at, MPI_INT, made->element, made->out, made->out_at, MPI_INT,
                  MPI_COMM_WORLD);
    free(wanted);
    return made;
}

static void run(void *self, void *problem) {
    halo *with = self;
    heat *h = problem;
    int requests = 0;
    for (int r = 0; r < ranks; r++)
        if (with->in[r])
            MPI_Irecv(h->value + h->owned + with->in_at[r], with->in[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                      &with->request[requests++]);
    for (int r = 0; r < ranks; r++) {
        if (!with->out[r]) continue;
        double *packed = with->packed + with->out_at[r];
        for (int i = 0; i < with->out[r]; i++) packed[i] = h->value[with->element[with->out_at[r] + i]];
        MPI_Isend(packed, with->out[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &with->request[requests++]);
    }
    MPI_Waitall(requests, with->request, MPI_STATUSES_IGNORE);
}

static void close(void *self) {
    halo *gone = self;
    free(gone->out);
    free(gone->element);
    free(gone->packed);
    free(gone->request);
    free(gone);
}

const exchanger heat_mpi = {open, run, close};
