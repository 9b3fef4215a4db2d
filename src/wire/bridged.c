/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of a wire between two programs, made of messages. Inside a program they go along a binomial
 * tree, up and down; between the programs there is one message each way, between the two roots. Far messages
 * are slow, near ones are not, so this is 2 lg n near ones and the time of one far one, whatever the number
 * of ranks.
 *
 * A collective has four steps, of which some are empty: take in the children's parts, give the sum to the
 * parent (or to the other program), hear the result from the parent, tell the children. Places are counted
 * from the root of the tree, the lowest bit of a place is the distance to its parent, and its subtree is the
 * places up to that distance. Each has a tag of its own, in turn, so several may be under way in any order.
 *
 * Reductions and spreads work in memory of their own, since whoever waits for one may give up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/inside.h"

enum { FIRST_TAG = 96, TAGS = 32, LEGS = 34 };

typedef enum kind { REDUCE, SPREAD, GATHER } kind;
typedef enum step { TAKE, GIVE, HEAR, TELL, OVER } step;
typedef struct leg leg;

struct leg {
    qdri_operation operation;
    qdri_collective *of;
    int64_t expected; /* of a receive: how much has to come; -1: it is none */
};

struct qdri_collective {
    qdri_wire *wire;
    qdri_operation *outer; /* NULL: nobody waits for it */
    kind kind;
    step step;
    int ending, stuck; /* it has failed; and MPI may go on with its memory */
    int tag, begun, left;
    leg leg[LEGS];
    qdr_status failed;
    int root, place; /* of this program's tree: its root among own ranks, and where this rank is */
    int source;      /* of a spread: a rank of the wire */
    char *data;
    int64_t bytes;
    qdri_reduction reduction;
    int64_t *heard; /* of a reduction: what came from children, and from the other program */
    void *wanted;   /* where the result of private memory goes; NULL: nowhere */
    const int64_t *start;
    qdri_collective *next, **link;
    int64_t memory[];
};

/* ---- the tree ------------------------------------------------------------------------------------------ */

static int own_ranks(const qdri_collective *self) {
    return self->wire->own;
}

/* The number of places in the subtree: up to the distance of the parent. */
static int reach(const qdri_collective *self, int place) {
    int all = own_ranks(self) - place, distance = place & -place;
    return place == 0 || distance > all ? all : distance;
}

/* The rank on the wire of a place. */
static int rank_at(const qdri_collective *self, int place) {
    return self->wire->first + (place + self->root) % own_ranks(self);
}

static int far_root(const qdri_collective *self) {
    return self->wire->first > 0 ? 0 : own_ranks(self);
}

static void arrive(qdri_operation *operation, qdr_status status);

static void move(qdri_collective *self, int out, int partner, void *data, int64_t bytes) {
    leg *one = &self->leg[self->begun++];
    *one = (leg){.operation = {.done = arrive}, .of = self, .expected = out ? -1 : bytes};
    qdr_status status = out ? qdri_send(self->wire, &one->operation, partner, self->tag, data, bytes)
                            : qdri_receive(self->wire, &one->operation, partner, self->tag, data, bytes);
    if (status)
        self->failed = status;
    else
        self->left++;
}

/* What the ranks of a subtree have together: for sums one value, for gathering their blocks, which are
 * neighbours. */
static void move_part(qdri_collective *self, int out, int partner, int place, int64_t *heard) {
    if (self->kind == REDUCE) {
        move(self, out, partner, out ? (void *)self->data : (void *)heard, self->bytes);
        return;
    }
    int begin = self->wire->first + place, end = begin + reach(self, place);
    move(self, out, partner, self->data + self->start[begin], self->start[end] - self->start[begin]);
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

static void take(qdri_collective *self) {
    int64_t *heard = self->heard;
    for (int distance = 1; distance < reach(self, self->place); distance *= 2) {
        int child = self->place + distance;
        move_part(self, 0, rank_at(self, child), child, heard);
        if (heard) heard += self->bytes / 8;
    }
}

/* The blocks of the other program come from its root. */
static void cross(qdri_collective *self) {
    int partner = far_root(self), first = self->wire->first > 0 ? 0 : own_ranks(self);
    int64_t from = self->start ? self->start[first] : 0;
    int64_t to = self->start ? self->start[first + self->wire->ranks - own_ranks(self)] : 0;
    move_part(self, 1, partner, 0, NULL);
    if (self->kind == REDUCE)
        move(self, 0, partner, self->heard, self->bytes);
    else
        move(self, 0, partner, self->data + from, to - from);
}

static void give(qdri_collective *self) {
    if (self->kind == SPREAD) {
        if (self->source == self->wire->rank)
            move(self, 1, far_root(self), self->data, self->bytes);
        else if (self->place == 0)
            move(self, 0, self->source, self->data, self->bytes);
    } else if (self->place == 0) {
        cross(self);
    } else {
        move_part(self, 1, rank_at(self, self->place & (self->place - 1)), self->place, NULL);
    }
}

static void hear(qdri_collective *self) {
    if (self->place > 0)
        move(self, 0, rank_at(self, self->place & (self->place - 1)), self->data, self->bytes);
}

static void tell(qdri_collective *self) {
    for (int distance = 1; distance < reach(self, self->place); distance *= 2)
        move(self, 1, rank_at(self, self->place + distance), self->data, self->bytes);
}

int64_t qdri_reduce_words(qdri_reduction reduction, int64_t a, int64_t b) {
    switch (reduction) {
    case QDRI_MAXIMUM:
        return a > b ? a : b;
    case QDRI_SUM:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case QDRI_UNION:
        return a | b;
    default:
        return a ^ b;
    }
}

/* Adds what a step has brought. */
static void absorb(qdri_collective *self) {
    int64_t *value = (int64_t *)(void *)self->data, words = self->bytes / 8;
    int came = self->step == TAKE ? self->begun : self->step == GIVE && self->place == 0;
    if (self->kind != REDUCE) return;
    for (int i = 0; i < came; i++)
        for (int64_t w = 0; w < words; w++)
            value[w] = qdri_reduce_words(self->reduction, value[w], self->heard[i * words + w]);
}

/* ---- going on ------------------------------------------------------------------------------------------ */

static void unlist(qdri_collective *self) {
    *self->link = self->next;
    if (self->next) self->next->link = self->link;
}

/* Where MPI keeps part of the memory, nobody is told, so nobody frees it; the wire's failure ends the
 * waiting. Legs that are done but were not called back yet come here again. */
static void end(qdri_collective *self) {
    qdri_operation *outer = self->outer;
    qdr_status status = self->failed;
    self->ending = 1;
    for (int i = 0; i < self->begun; i++)
        if (self->leg[i].operation.parts > 0) {
            self->stuck |= qdri_cancel(self->wire, &self->leg[i].operation);
            self->left--;
        }
    if (self->stuck || self->left > 0) return;
    unlist(self);
    if (outer && !status && self->wanted) memcpy(self->wanted, self->data, (size_t)self->bytes);
    qdri_wire *wire = self->wire;
    free(self);
    if (outer) qdri_far_end(wire, outer, status);
}

static void begin(qdri_collective *self) {
    static void (*const function[])(qdri_collective *) = {take, give, hear, tell};
    for (; self->left == 0 && self->step < OVER && !self->failed; self->step++) {
        self->begun = 0;
        if (self->step == TAKE && self->kind == SPREAD) continue;
        function[self->step](self);
        if (self->left > 0) return;
    }
}

static void arrive(qdri_operation *operation, qdr_status status) {
    const leg *one = (const leg *)operation;
    qdri_collective *self = one->of;
    if (self->stuck) return;
    if (!status && one->expected >= 0)
        status = qdri_decode_length((qdri_teller){NULL, operation->partner}, "its part of a collective",
                                    operation->bytes, one->expected);
    if (status && !self->failed) self->failed = status;
    if (--self->left > 0 && !self->failed) return;
    if (!self->failed) {
        absorb(self);
        self->step++;
        begin(self);
    }
    if (self->failed || self->step == OVER) end(self);
}

/* The last owner of the wire has gone: nobody waits any more. What MPI may still use stays. */
void qdri_collectives_close(qdri_wire *wire) {
    while (wire->collective) {
        qdri_collective *self = wire->collective;
        self->outer = NULL;
        unlist(self);
        int stays = self->stuck;
        for (int i = 0; i < self->begun && !self->stuck; i++)
            stays |= qdri_cancel(wire, &self->leg[i].operation);
        if (!stays) free(self);
    }
}

void qdri_far_end_collectives(qdri_wire *wire) {
    qdri_collective *self = wire->collective;
    while (self) {
        int ends = !self->ending;
        if (ends) {
            self->failed = qdri_wire_state(wire);
            end(self);
        }
        self = ends ? wire->collective : self->next; /* whoever was told may have changed the list */
    }
}

int qdri_collective_cancel(qdri_wire *wire, qdri_operation *operation) {
    for (qdri_collective *self = wire->collective; self; self = self->next)
        if (self->outer == operation) {
            self->outer = NULL;
            operation->parts = 0;
            return self->kind == GATHER;
        }
    return 0;
}

/* ---- the collectives ----------------------------------------------------------------------------------- */

/* With so many words of its own. `source`: of the wire, the root of its program's tree. */
static qdr_status join(qdri_wire *wire, qdri_operation *operation, kind kind, int source, int64_t words,
                       qdri_collective **made) {
    QDRI_TRY(qdri_operation_joined(wire, operation));
    qdri_collective *self = qdri_alloc_zero(1, sizeof *self + (size_t)words * sizeof(int64_t));
    if (!self) return qdri_fail_memory();
    self->wire = wire;
    self->outer = operation;
    self->kind = kind;
    self->source = source;
    self->tag = FIRST_TAG + (int)(wire->collectives++ % TAGS);
    self->root = qdri_wire_reaches(wire, source) ? 0 : source - wire->first;
    self->place = (wire->rank - wire->first - self->root + wire->own) % wire->own;
    *made = self;
    return QDR_OK;
}

/* A leg that could not begin ends the others, and the whole. */
static qdr_status launch(qdri_collective *self) {
    self->next = self->wire->collective;
    self->link = &self->wire->collective;
    if (self->next) self->next->link = &self->next;
    self->wire->collective = self;
    qdri_operation *outer = self->outer;
    outer->parts = 1;
    begin(self);
    qdr_status failed = self->failed;
    if (failed) {
        self->outer = NULL;
        outer->parts = 0;
        end(self);
    }
    return failed;
}

/* Children are fewer than the bits of a rank; one more for the other program. */
static int64_t most_heard(const qdri_wire *wire) {
    int64_t most = 1;
    for (int64_t distance = 1; distance < wire->own; distance *= 2) most++;
    return most;
}

qdr_status qdri_bridged_reduce(qdri_wire *wire, qdri_operation *operation, qdri_reduction reduction,
                               int64_t *value, int count) {
    qdri_collective *self = NULL;
    QDRI_TRY(join(wire, operation, REDUCE, wire->first, count * (1 + most_heard(wire)), &self));
    self->reduction = reduction;
    self->data = (char *)self->memory;
    self->bytes = 8 * (int64_t)count;
    self->heard = self->memory + count;
    self->wanted = value;
    if (count > 0) memcpy(self->data, value, (size_t)self->bytes);
    return launch(self);
}

qdr_status qdri_bridged_spread(qdri_wire *wire, qdri_operation *operation, int root, void *data, int bytes) {
    qdri_collective *self = NULL;
    QDRI_TRY(join(wire, operation, SPREAD, root, ((int64_t)bytes + 7) / 8, &self));
    self->data = (char *)self->memory;
    self->bytes = bytes;
    self->wanted = data;
    if (bytes > 0) memcpy(self->data, data, (size_t)bytes);
    return launch(self);
}

qdr_status qdri_bridged_gather(qdri_wire *wire, qdri_operation *operation, const void *out, int64_t bytes,
                               void *in, const int64_t *start) {
    qdri_collective *self = NULL;
    QDRI_TRY(join(wire, operation, GATHER, wire->first, (int64_t)wire->ranks + 1, &self));
    self->data = in;
    self->bytes = start[wire->ranks];
    self->start = memcpy(self->memory, start, ((size_t)wire->ranks + 1) * sizeof *start);
    if (bytes > 0) memmove(self->data + start[wire->rank], out, (size_t)bytes);
    return launch(self);
}
