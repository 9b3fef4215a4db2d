/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "problems.h"

typedef struct buckets {
    int *out, *out_at, *in, *in_at; /* [ranks]: how many keys, and where they begin */
    uint64_t *own;
    int64_t capacity;
} buckets;

static void *open(const void *problem) {
    (void)problem;
    buckets *made = room(1, sizeof *made);
    made->out = room(4 * ranks, sizeof(int));
    made->out_at = made->out + ranks;
    made->in = made->out_at + ranks;
    made->in_at = made->in + ranks;
    return made;
}

static void run(void *self, void *problem) {
    buckets *with = self;
    sorting *s = problem;
    for (int r = 0, at = 0; r < ranks; at += with->out[r++]) {
        with->out[r] = (int)s->bucket[r];
        with->out_at[r] = at;
    }
    MPI_Alltoall(with->out, 1, MPI_INT, with->in, 1, MPI_INT, MPI_COMM_WORLD);
    s->came = 0;
    for (int r = 0; r < ranks; s->came += with->in[r++]) with->in_at[r] = (int)s->came;
    if (s->came > with->capacity) {
        free(with->own);
        with->own = room(s->came, sizeof *with->own);
        with->capacity = s->came;
    }
    s->own = with->own;
    MPI_Alltoallv(s->key, with->out, with->out_at, MPI_UINT64_T, s->own, with->in, with->in_at, MPI_UINT64_T,
                  MPI_COMM_WORLD);
}

static void close(void *self) {
    buckets *gone = self;
    free(gone->out);
    free(gone->own);
    free(gone);
}

const exchanger sort_mpi = {open, run, close};
