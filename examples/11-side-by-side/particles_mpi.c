/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "problems.h"

typedef struct baggage {
    int *out, *out_at, *in, *in_at,
        *next; /* [ranks]: how many bytes, where they begin, and where the next one goes */
    particle *packed, *arrived;
    int64_t packed_room, arrived_room;
    MPI_Datatype type;
} baggage;

static void *open(const void *problem) {
    (void)problem;
    baggage *made = room(1, sizeof *made);
    made->out = room(5 * ranks, sizeof(int));
    made->out_at = made->out + ranks;
    made->in = made->out_at + ranks;
    made->in_at = made->in + ranks;
    made->next = made->in_at + ranks;
    MPI_Type_contiguous(sizeof(particle), MPI_BYTE, &made->type);
    MPI_Type_commit(&made->type);
    return made;
}

static void grow(particle **array, int64_t *has, int64_t needed) {
    if (needed <= *has) return;
    free(*array);
    *array = room(needed, sizeof **array);
    *has = needed;
}

static void run(void *self, void *problem) {
    baggage *with = self;
    particles *p = problem;
    grow(&with->packed, &with->packed_room, p->leaving);
    memset(with->out, 0, (size_t)ranks * sizeof(int));
    for (int64_t i = 0; i < p->leaving; i++) with->out[p->rank[i]]++;
    for (int r = 0, at = 0; r < ranks; at += with->out[r++]) with->next[r] = with->out_at[r] = at;
    for (int64_t i = 0; i < p->leaving; i++) with->packed[with->next[p->rank[i]]++] = p->left[i];
    MPI_Alltoall(with->out, 1, MPI_INT, with->in, 1, MPI_INT, MPI_COMM_WORLD);
    p->came = 0;
    for (int r = 0; r < ranks; p->came += with->in[r++]) with->in_at[r] = (int)p->came;
    grow(&with->arrived, &with->arrived_room, p->came);
    p->arrived = with->arrived;
    MPI_Alltoallv(with->packed, with->out, with->out_at, with->type, p->arrived, with->in, with->in_at,
                  with->type, MPI_COMM_WORLD);
}

static void close(void *self) {
    baggage *gone = self;
    MPI_Type_free(&gone->type);
    free(gone->out);
    free(gone->packed);
    free(gone->arrived);
    free(gone);
}

const exchanger particles_mpi = {open, run, close};
