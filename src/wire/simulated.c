/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the wire does where MPI is simulated (SimGrid's SMPI); native.c is its twin for a real MPI.
 *
 * There, ranks are contexts of one process which switch only inside MPI calls, and time passes only there. So
 * memory is no way between them, and whoever has nothing to do waits inside MPI for the next of its requests:
 * time then jumps to the moment when it is done, and asking again and again adds nothing to it. (A deadline
 * is not looked at meanwhile; when all ranks wait for each other, the simulator says so and ends.) Only where
 * something has to be probed for is it asked again, every so often.
 *
 * SMPI has collectives without blocking, but all of them send from every rank to every other at once, or
 * through one rank, which is neither what a real MPI does nor to be simulated with hundreds of ranks. So they
 * are made of messages here, in the usual ways with lg n rounds: dissemination for a barrier, Bruck's for
 * gathering and swapping, gathering in reverse for sums, binomial trees for the rest. A round is at most two
 * messages out and two in; the next begins when they are done.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/inside.h"

int qdri_has_threads(void) {
    return 0;
}

int qdri_shares_memory(void) {
    return 0;
}

int qdri_duplicate(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return PMPI_Comm_dup(comm, duplicate);
}

int qdri_look_for_done(qdri_wire *wire, int may_wait, int *done) {
    if (!may_wait) return PMPI_Testsome((int)wire->count, wire->request, done, wire->index, wire->status);
    int code = PMPI_Waitany((int)wire->count, wire->request, wire->index, wire->status);
    *done = wire->index[0] != MPI_UNDEFINED;
    return code;
}

void qdri_yield(void) {
    usleep(1);
}

/* ---- messages whose length is not known ---------------------------------------------------------------- */

/* Nobody else can take what was found, so a handle need only keep the tag. */
qdr_status qdri_find(qdri_wire *wire, int tag, int *found, MPI_Message *message, int *from, int64_t *bytes) {
    MPI_Status status;
    int count = 0;
    *found = 0;
    if (wire->far) return qdri_fail_far("looking for a message");
    if (wire->gone) return qdri_wire_state(wire);
    int code = PMPI_Iprobe(MPI_ANY_SOURCE, tag, wire->comm, found, &status);
    if (code == MPI_SUCCESS && *found) code = PMPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) return qdri_fail_mpi(code, "MPI_Iprobe");
    if (*found) {
        *message = (MPI_Message)(intptr_t)tag;
        *from = status.MPI_SOURCE;
        *bytes = count;
    }
    return QDR_OK;
}

qdr_status qdri_receive_found(qdri_wire *wire, qdri_operation *operation, MPI_Message *message, int from,
                              void *data, int64_t bytes) {
    return qdri_receive(wire, operation, from, (int)(intptr_t)*message, data, bytes);
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

typedef struct rounds rounds;

typedef struct leg {
    qdri_operation operation;
    rounds *of;
} leg;

enum { LEGS = 4, FIRST_TAG = 96, TAGS = 32 };

struct rounds {
    qdri_wire *wire;
    qdri_operation *outer;
    int tag;
    int round;       /* -1: before the first */
    int begun, left; /* legs of this round */
    leg leg[LEGS];
    qdr_status failed;
    void (*begin)(rounds *self);  /* starts the legs of a round; none: the last is over */
    void (*absorb)(rounds *self); /* takes in what a round has brought; NULL: it came where it belongs */
    void (*end)(rounds *self);    /* hands over the result; NULL: it is where it belongs */

    char *data;     /* of trees and gathering: the caller's */
    int64_t bytes;  /* of trees */
    int64_t *given; /* of swapping and sums: the caller's */
    int distance;
    int root, rises, has_it, combines; /* of trees */
    qdri_reduction kind;
    int64_t *word, *out, *in; /* behind the structure */
};

static void go_on(rounds *self);

static void arrive(qdri_operation *operation, qdr_status status) {
    rounds *self = ((leg *)operation)->of;
    if (status && !self->failed) self->failed = status;
    if (--self->left == 0) go_on(self);
}

typedef enum way { OUT, IN } way;

static void move(rounds *self, way way, int partner, void *data, int64_t bytes) {
    leg *one = &self->leg[self->begun++];
    qdri_wire *wire = self->wire;
    *one = (leg){.operation = {.done = arrive}, .of = self};
    partner = (partner + wire->ranks) % wire->ranks;
    qdr_status status = way == OUT ? qdri_send(wire, &one->operation, partner, self->tag, data, bytes)
                                   : qdri_receive(wire, &one->operation, partner, self->tag, data, bytes);
    if (status)
        self->failed = status;
    else
        self->left++;
}

static void go_on(rounds *self) {
    if (self->round >= 0 && self->absorb && !self->failed) self->absorb(self);
    self->round++;
    self->begun = 0;
    if (!self->failed) self->begin(self);
    if (self->left > 0) return;
    if (self->end && !self->failed) self->end(self);
    qdri_operation *outer = self->outer;
    qdr_status status = self->failed;
    free(self);
    outer->parts = 0;
    outer->done(outer, status);
}

/* A collective with so many words of its own. */
static qdr_status join(qdri_wire *wire, qdri_operation *operation, int64_t words, rounds **made) {
    QDRI_TRY(qdri_operation_joined(wire, operation));
    rounds *self = qdri_alloc_zero(1, sizeof *self + (size_t)words * sizeof(int64_t));
    if (!self) return qdri_fail_memory();
    self->wire = wire;
    self->outer = operation;
    self->tag = FIRST_TAG + (int)(wire->collectives++ % TAGS);
    self->round = -1;
    self->word = (int64_t *)(self + 1);
    *made = self;
    return QDR_OK;
}

/* Nothing ends before the caller is told that it has begun: one rank alone sends itself a message. */
static qdr_status launch(rounds *self) {
    if (self->wire->ranks > 1) {
        self->round = 0;
        self->begin(self);
    } else {
        move(self, IN, 0, NULL, 0);
        move(self, OUT, 0, NULL, 0);
    }
    qdr_status failed = self->left == 0 ? self->failed : QDR_OK;
    if (failed)
        free(self);
    else
        self->outer->parts = 1;
    return failed;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* ---- a barrier ----------------------------------------------------------------------------------------- */

static void begin_barrier(rounds *self) {
    int rank = self->wire->rank, distance = 1 << self->round;
    if (distance >= self->wire->ranks) return;
    move(self, IN, rank - distance, NULL, 0);
    move(self, OUT, (rank + distance) % self->wire->ranks, NULL, 0);
}

qdr_status qdri_barrier(qdri_wire *wire, qdri_operation *operation) {
    if (wire->far) return qdri_bridged_reduce(wire, operation, QDRI_MAXIMUM, NULL, 0);
    rounds *self = NULL;
    QDRI_TRY(join(wire, operation, 0, &self));
    self->begin = begin_barrier;
    return launch(self);
}

/* ---- trees --------------------------------------------------------------------------------------------- */

/* Up, each rank takes in the subtrees at distances 1, 2, 4 and gives the sum to its parent; down, the other way
 * round. Ranks count from the root, and the lowest bit of such a number is the distance to the parent. */
static void begin_tree(rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, place = (rank - self->root + ranks) % ranks;
    self->combines = 0;
    while (self->rises) {
        int distance = self->distance;
        self->rises = distance < ranks && !(place & distance);
        if (place & distance) {
            move(self, OUT, rank - distance, self->data, self->bytes);
            return;
        }
        if (self->rises) self->distance *= 2;
        if (place + distance < ranks) {
            self->combines = 1;
            move(self, IN, (rank + distance) % ranks, self->in, self->bytes);
            return;
        }
    }
    if (!self->has_it) {
        self->has_it = 1;
        move(self, IN, rank - self->distance, self->data, self->bytes);
        return;
    }
    while (self->distance > 1) {
        self->distance /= 2;
        if (place + self->distance >= ranks) continue;
        move(self, OUT, (rank + self->distance) % ranks, self->data, self->bytes);
        return;
    }
}

static void absorb_tree(rounds *self) {
    int64_t *value = (int64_t *)(void *)self->data;
    for (int64_t i = 0; self->combines && i < self->bytes / 8; i++)
        value[i] = qdri_reduce_words(self->kind, value[i], self->in[i]);
}

qdr_status qdri_reduce(qdri_wire *wire, qdri_operation *operation, qdri_reduction kind, int64_t *value,
                       int count) {
    if (wire->far) return qdri_bridged_reduce(wire, operation, kind, value, count);
    rounds *self = NULL;
    QDRI_TRY(join(wire, operation, count, &self));
    self->begin = begin_tree;
    self->absorb = absorb_tree;
    self->kind = kind;
    self->data = (char *)value;
    self->bytes = 8 * (int64_t)count;
    self->in = self->word;
    self->rises = self->distance = 1;
    self->has_it = wire->rank == 0;
    return launch(self);
}

qdr_status qdri_spread_from(qdri_wire *wire, qdri_operation *operation, int root, void *data, int bytes) {
    if (wire->far) return qdri_bridged_spread(wire, operation, root, data, bytes);
    rounds *self = NULL;
    QDRI_TRY(join(wire, operation, 0, &self));
    int place = (wire->rank - root + wire->ranks) % wire->ranks;
    self->begin = begin_tree;
    self->root = root;
    self->data = data;
    self->bytes = bytes;
    self->has_it = place == 0;
    self->distance = 1;
    while (self->distance < wire->ranks && !(place & self->distance)) self->distance *= 2;
    return launch(self);
}

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* The blocks of so many ranks from `first` on, round the end if need be. */
static void move_blocks(rounds *self, way way, int partner, int first, int blocks) {
    const int64_t *start = self->word;
    int ranks = self->wire->ranks, head = smaller(blocks, ranks - first % ranks);
    first %= ranks;
    move(self, way, partner, self->data + start[first], start[first + head] - start[first]);
    if (blocks > head) move(self, way, partner, self->data, start[blocks - head]);
}

/* A rank has the blocks of as many ranks from itself on as the distance says, and doubles them. */
static void begin_gather(rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = 1 << self->round;
    if (distance >= ranks) return;
    int blocks = smaller(distance, ranks - distance);
    move_blocks(self, IN, (rank + distance) % ranks, rank + distance, blocks);
    move_blocks(self, OUT, rank - distance, rank, blocks);
}

qdr_status qdri_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                           void *in, const int64_t *start) {
    if (wire->far) return qdri_bridged_gather(wire, operation, out, bytes, in, start);
    rounds *self = NULL;
    QDRI_TRY(join(wire, operation, (int64_t)wire->ranks + 1, &self));
    self->begin = begin_gather;
    self->data = in;
    memcpy(self->word, start, ((size_t)wire->ranks + 1) * sizeof *start);
    if (bytes > 0) memmove(self->data + start[wire->rank], out, (size_t)bytes);
    return launch(self);
}

/* ---- swapping and sums --------------------------------------------------------------------------------- */

/* Own words, turned so that the i-th is for the rank i further on; and two more arrays as long. */
static qdr_status join_turned(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in,
                              rounds **self) {
    QDRI_TRY(join(wire, operation, 3 * (int64_t)wire->ranks, self));
    for (int i = 0; i < wire->ranks; i++) (*self)->word[i] = out[(wire->rank + i) % wire->ranks];
    (*self)->out = (*self)->word + wire->ranks;
    (*self)->in = (*self)->out + wire->ranks;
    (*self)->given = in;
    return QDR_OK;
}

/* Bruck's: a word for a rank i further on travels the distances of which i is the sum. */
static void begin_swap(rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = 1 << self->round, words = 0;
    if (distance >= ranks) return;
    for (int i = distance; i < ranks; i++)
        if (i & distance) self->out[words++] = self->word[i];
    move(self, IN, rank - distance, self->in, 8 * (int64_t)words);
    move(self, OUT, (rank + distance) % ranks, self->out, 8 * (int64_t)words);
}

static void absorb_swap(rounds *self) {
    int distance = 1 << self->round, words = 0;
    for (int i = distance; i < self->wire->ranks; i++)
        if (i & distance) self->word[i] = self->in[words++];
}

static void end_swap(rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks;
    for (int i = 0; i < ranks; i++) self->given[(rank - i + ranks) % ranks] = self->word[i];
}

qdr_status qdri_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    if (wire->far) return qdri_fail_far("swapping words");
    rounds *self = NULL;
    QDRI_TRY(join_turned(wire, operation, out, in, &self));
    self->begin = begin_swap;
    self->absorb = absorb_swap;
    self->end = end_swap;
    return launch(self);
}

/* The blocks of a gathering, from the last round back to the first: each is added to where it was copied from. */
static void begin_sum(rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = self->distance;
    if (distance == 0) return;
    int64_t bytes = 8 * (int64_t)smaller(distance, ranks - distance);
    move(self, IN, rank - distance, self->in, bytes);
    move(self, OUT, (rank + distance) % ranks, self->word + distance, bytes);
}

static void absorb_sum(rounds *self) {
    int blocks = smaller(self->distance, self->wire->ranks - self->distance);
    for (int i = 0; i < blocks; i++) self->word[i] += self->in[i];
    self->distance /= 2;
}

static void end_sum(rounds *self) {
    self->given[0] = self->word[0];
}

qdr_status qdri_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out, int64_t *in) {
    if (wire->far) return qdri_fail_far("sums for each rank");
    rounds *self = NULL;
    QDRI_TRY(join_turned(wire, operation, out, in, &self));
    self->begin = begin_sum;
    self->absorb = absorb_sum;
    self->end = end_sum;
    while (2 * self->distance < wire->ranks || (self->distance == 0 && wire->ranks > 1))
        self->distance = self->distance ? 2 * self->distance : 1;
    return launch(self);
}
