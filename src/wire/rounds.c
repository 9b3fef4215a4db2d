/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives made of messages, in the usual ways with lg n rounds: dissemination for a barrier, Bruck's for
 * gathering and swapping, gathering in reverse for sums, doubling for the sum of those before. A round is at most two
 * messages out and two in; the next begins when they are done. For back ends that have none, or bad ones.
 */
#include "wire/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct leg {
    qdri_operation operation; /* first */
    qdri_rounds *of;
} leg;

enum { LEGS = 4 };

struct qdri_rounds {
    qdri_wire *wire;
    qdri_operation *outer; /* NULL: nobody waits for it */
    int tag;
    int round;         /* -1: before the first */
    int begun, left;   /* legs of this round */
    int ending, stuck; /* it has failed; and MPI may go on with its memory */
    leg leg[LEGS];
    qdr_status failed;
    void (*begin)(qdri_rounds *self);  /* starts the legs of a round; none: the last is over */
    void (*absorb)(qdri_rounds *self); /* takes in what a round has brought; NULL: it came where it belongs */
    void (*finish)(qdri_rounds *self); /* hands over the result; NULL: it is where it belongs */

    char *data;     /* of gathering: the caller's */
    int64_t *given; /* of swapping and sums: the caller's */
    int distance;
    int64_t *word, *out, *in; /* behind the structure */
    qdri_rounds *next;
};

static void unlist(const qdri_rounds *self) {
    qdri_rounds **link = &self->wire->rounds;
    while (*link != self) link = &(*link)->next;
    *link = self->next;
}

/* Where MPI keeps part of the memory, nobody is told, so nobody frees it; the wire's failure ends the waiting. Legs that
 * are done but were not called back yet come here again. */
static void end(qdri_rounds *self) {
    qdri_operation *outer = self->outer;
    qdri_wire *wire = self->wire;
    qdr_status status = self->failed;
    self->ending = 1;
    for (int i = 0; i < self->begun; i++)
        if (self->leg[i].operation.parts > 0) {
            self->stuck |= qdri_cancel(wire, &self->leg[i].operation);
            self->left--;
        }
    if (self->stuck || self->left > 0) return;
    unlist(self);
    if (self->finish && !status && outer) self->finish(self);
    free(self);
    if (outer) qdri_operation_end(wire, outer, status);
}

static void go_on(qdri_rounds *self) {
    if (self->round >= 0 && self->absorb) self->absorb(self);
    self->round++;
    self->begun = 0;
    self->begin(self);
    if (self->left == 0 || self->failed) end(self);
}

static void arrive(qdri_operation *operation, qdr_status status) {
    const leg *one = (const leg *)operation;
    qdri_rounds *self = one->of;
    if (self->stuck) return;
    if (status && !self->failed) self->failed = status;
    if (--self->left > 0 && !self->failed) return;
    if (self->failed)
        end(self);
    else
        go_on(self);
}

typedef enum way { OUT, IN } way;

static void move(qdri_rounds *self, way way, int partner, void *data, int64_t bytes) {
    leg *one = &self->leg[self->begun];
    qdri_wire *wire = self->wire;
    if (self->failed) return;
    *one = (leg){.operation = {.done = arrive}, .of = self};
    partner = (partner + wire->ranks) % wire->ranks;
    self->failed = way == OUT ? qdri_send(wire, &one->operation, partner, self->tag, data, bytes)
                              : qdri_receive(wire, &one->operation, partner, self->tag, data, bytes);
    if (self->failed) return;
    self->begun++;
    self->left++;
}

/* A collective with so many words of its own. */
static qdr_status join(qdri_wire *wire, qdri_operation *operation, int64_t words, qdri_rounds **made) {
    QDRI_TRY(qdri_operation_joined(wire, operation));
    qdri_rounds *self = qdri_alloc_zero(1, sizeof *self + (size_t)words * sizeof(int64_t));
    if (!self) return qdri_fail_memory();
    self->wire = wire;
    self->outer = operation;
    self->tag = QDRI_TAG_COLLECTIVE + (int)(wire->collectives++ % QDRI_COLLECTIVE_TAGS);
    self->round = -1;
    self->word = (int64_t *)(self + 1);
    *made = self;
    return QDR_OK;
}

/* Nothing ends before the caller is told that it has begun: one rank alone sends itself a message. */
static qdr_status launch(qdri_rounds *self) {
    self->next = self->wire->rounds;
    self->wire->rounds = self;
    self->outer->parts = 1;
    if (self->wire->ranks > 1) {
        self->round = 0;
        self->begin(self);
    } else {
        move(self, IN, 0, NULL, 0);
        move(self, OUT, 0, NULL, 0);
    }
    qdr_status failed = self->failed;
    if (failed) {
        self->outer->parts = 0;
        self->outer = NULL;
        end(self);
    }
    return failed;
}

int qdri_rounds_cancel(qdri_wire *wire, qdri_operation *operation) {
    for (qdri_rounds *self = wire->rounds; self; self = self->next)
        if (self->outer == operation) {
            self->outer = NULL;
            operation->parts = 0;
            return 1; /* what it works on may be the caller's */
        }
    return 0;
}

void qdri_rounds_fail(qdri_wire *wire) {
    qdri_rounds *self = wire->rounds;
    while (self) {
        int ends = !self->ending;
        if (ends) {
            self->failed = qdri_wire_state(wire);
            end(self);
        }
        self = ends ? wire->rounds : self->next; /* whoever was told may have changed the list */
    }
}

/* What MPI may still use stays. */
void qdri_rounds_close(qdri_wire *wire) {
    while (wire->rounds) {
        qdri_rounds *self = wire->rounds;
        wire->rounds = self->next;
        int stays = self->stuck;
        for (int i = 0; i < self->begun && !self->stuck; i++)
            stays |= qdri_cancel(wire, &self->leg[i].operation);
        if (!stays) free(self);
    }
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* ---- a barrier ----------------------------------------------------------------------------------------- */

static void begin_barrier(qdri_rounds *self) {
    int rank = self->wire->rank, distance = 1 << self->round;
    if (distance >= self->wire->ranks) return;
    move(self, IN, rank - distance, NULL, 0);
    move(self, OUT, (rank + distance) % self->wire->ranks, NULL, 0);
}

qdr_status qdri_rounds_barrier(qdri_wire *wire, qdri_operation *operation) {
    qdri_rounds *self = NULL;
    QDRI_TRY(join(wire, operation, 0, &self));
    self->begin = begin_barrier;
    return launch(self);
}

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* The blocks of so many ranks from `first` on, round the end if need be. */
static void move_blocks(qdri_rounds *self, way way, int partner, int first, int blocks) {
    const int64_t *start = self->word;
    int ranks = self->wire->ranks, head = smaller(blocks, ranks - first % ranks);
    first %= ranks;
    move(self, way, partner, self->data + start[first], start[first + head] - start[first]);
    if (blocks > head) move(self, way, partner, self->data, start[blocks - head]);
}

/* A rank has the blocks of as many ranks from itself on as the distance says, and doubles them. */
static void begin_gather(qdri_rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = 1 << self->round;
    if (distance >= ranks) return;
    int blocks = smaller(distance, ranks - distance);
    move_blocks(self, IN, (rank + distance) % ranks, rank + distance, blocks);
    move_blocks(self, OUT, rank - distance, rank, blocks);
}

qdr_status qdri_rounds_gather_all(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                                  void *in, const int64_t *start) {
    qdri_rounds *self = NULL;
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
                              qdri_rounds **self) {
    QDRI_TRY(join(wire, operation, 3 * (int64_t)wire->ranks, self));
    for (int i = 0; i < wire->ranks; i++) (*self)->word[i] = out[(wire->rank + i) % wire->ranks];
    (*self)->out = (*self)->word + wire->ranks;
    (*self)->in = (*self)->out + wire->ranks;
    (*self)->given = in;
    return QDR_OK;
}

/* Bruck's: a word for a rank i further on travels the distances of which i is the sum. */
static void begin_swap(qdri_rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = 1 << self->round, words = 0;
    if (distance >= ranks) return;
    for (int i = distance; i < ranks; i++)
        if (i & distance) self->out[words++] = self->word[i];
    move(self, IN, rank - distance, self->in, 8 * (int64_t)words);
    move(self, OUT, (rank + distance) % ranks, self->out, 8 * (int64_t)words);
}

static void absorb_swap(qdri_rounds *self) {
    int distance = 1 << self->round, words = 0;
    for (int i = distance; i < self->wire->ranks; i++)
        if (i & distance) self->word[i] = self->in[words++];
}

static void end_swap(qdri_rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks;
    for (int i = 0; i < ranks; i++) self->given[(rank - i + ranks) % ranks] = self->word[i];
}

qdr_status qdri_rounds_swap_words(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                  int64_t *in) {
    qdri_rounds *self = NULL;
    QDRI_TRY(join_turned(wire, operation, out, in, &self));
    self->begin = begin_swap;
    self->absorb = absorb_swap;
    self->finish = end_swap;
    return launch(self);
}

/* The blocks of a gathering, from the last round back to the first: each is added to where it was copied from. */
static void begin_sum(qdri_rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = self->distance;
    if (distance == 0) return;
    int64_t bytes = 8 * (int64_t)smaller(distance, ranks - distance);
    move(self, IN, rank - distance, self->in, bytes);
    move(self, OUT, (rank + distance) % ranks, self->word + distance, bytes);
}

static void absorb_sum(qdri_rounds *self) {
    int blocks = smaller(self->distance, self->wire->ranks - self->distance);
    for (int i = 0; i < blocks; i++) self->word[i] += self->in[i];
    self->distance /= 2;
}

static void end_sum(qdri_rounds *self) {
    self->given[0] = self->word[0];
}

qdr_status qdri_rounds_sum_for_each(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                    int64_t *in) {
    qdri_rounds *self = NULL;
    QDRI_TRY(join_turned(wire, operation, out, in, &self));
    self->begin = begin_sum;
    self->absorb = absorb_sum;
    self->finish = end_sum;
    while (2 * self->distance < wire->ranks || (self->distance == 0 && wire->ranks > 1))
        self->distance = self->distance ? 2 * self->distance : 1;
    return launch(self);
}

/* word[0] is the sum of as many ranks as the distance says, up to this one; word[1] without it. */
static void begin_before(qdri_rounds *self) {
    int rank = self->wire->rank, ranks = self->wire->ranks, distance = 1 << self->round;
    if (distance >= ranks) return;
    self->out[0] = self->word[0];
    if (rank >= distance) move(self, IN, rank - distance, self->in, 8);
    if (rank + distance < ranks) move(self, OUT, rank + distance, self->out, 8);
}

static void absorb_before(qdri_rounds *self) {
    int distance = 1 << self->round;
    if (self->wire->rank < distance || distance >= self->wire->ranks) return;
    for (int i = 0; i < 2; i++)
        self->word[i] = (int64_t)((uint64_t)self->word[i] + (uint64_t)self->in[0]); /* whatever came */
}

static void end_before(qdri_rounds *self) {
    self->given[0] = self->word[1];
}

qdr_status qdri_rounds_sum_before(qdri_wire *wire, qdri_operation *operation, const int64_t *out,
                                  int64_t *in) {
    qdri_rounds *self = NULL;
    QDRI_TRY(join(wire, operation, 4, &self));
    self->word[0] = *out;
    self->out = self->word + 2;
    self->in = self->word + 3;
    self->given = in;
    self->begin = begin_before;
    self->absorb = absorb_before;
    self->finish = end_before;
    return launch(self);
}
