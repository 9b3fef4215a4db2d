/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way back: what ghosts hold is added to their owners. Three fields, a double, three doubles and a 64-bit
 * integer per element. By hand they go in one message, as one would write it. All values are whole numbers,
 * so the sums are exact in any order and can be checked.
 */
#include "halo.h"

#include <stdlib.h>

enum { TAG = 19, BYTES = 5 * 8 /* of an element, all fields */ };

/* ---- by hand ------------------------------------------------------------------------------------------- */

typedef struct hand {
    const halo *h;
    sum_fields fields;
    char *out, *in;
    MPI_Request *request;
} hand;

static void *hand_open(const halo *h, void *data, int width) {
    hand *p = room(1, sizeof *p);
    (void)width;
    *p = (hand){.h = h, .fields = *(sum_fields *)data};
    p->out = room((size_t)h->ghosts, BYTES);
    p->in = room((size_t)h->send.start[h->send.partners], BYTES);
    p->request = room((size_t)(h->send.partners + h->receive.partners), sizeof *p->request);
    return p;
}

/* A message: all of the first field, all of the second, all of the third. */
typedef struct parts {
    double *restrict one, *restrict three;
    int64_t *restrict whole;
} parts;

static parts parts_of(char *buffer, const halo_side *side, int partner) {
    double *begin = (double *)(void *)(buffer + (size_t)side->start[partner] * BYTES);
    size_t count = (size_t)side->count[partner];
    return (parts){begin, begin + count, (int64_t *)(void *)(begin + 4 * count)};
}

static void hand_pack(hand *p, int partner) {
    const halo_side *side = &p->h->receive;
    const int *restrict index = side->index + side->start[partner];
    parts out = parts_of(p->out, side, partner);
    for (int k = 0; k < side->count[partner]; k++) out.one[k] = p->fields.one[index[k]];
    gather_fixed(index, side->count[partner], 3, p->fields.three, out.three);
    for (int k = 0; k < side->count[partner]; k++) out.whole[k] = p->fields.whole[index[k]];
}

static void hand_add(hand *p, int partner) {
    const halo_side *side = &p->h->send;
    const int *restrict index = side->index + side->start[partner];
    parts in = parts_of(p->in, side, partner);
    for (int k = 0; k < side->count[partner]; k++) p->fields.one[index[k]] += in.one[k];
    for (int k = 0; k < side->count[partner]; k++)
        for (int c = 0; c < 3; c++) p->fields.three[3 * index[k] + c] += in.three[3 * k + c];
    for (int k = 0; k < side->count[partner]; k++) p->fields.whole[index[k]] += in.whole[k];
}

static void hand_run(void *state) {
    hand *p = state;
    const halo_side *from = &p->h->send, *to = &p->h->receive;
    for (int i = 0; i < from->partners; i++)
        MPI_Irecv(p->in + (size_t)from->start[i] * BYTES, from->count[i] * BYTES, MPI_BYTE, from->rank[i],
                  TAG, p->h->comm, &p->request[i]);
    for (int i = 0; i < to->partners; i++) {
        hand_pack(p, i);
        MPI_Isend(p->out + (size_t)to->start[i] * BYTES, to->count[i] * BYTES, MPI_BYTE, to->rank[i], TAG,
                  p->h->comm, &p->request[from->partners + i]);
    }
    MPI_Waitall(from->partners + to->partners, p->request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < from->partners; i++) hand_add(p, i);
}

static void hand_close(void *state) {
    hand *p = state;
    free(p->out), free(p->in), free(p->request);
    free(p);
}

const method plain_sums[] = {
    {"isend", OPPONENT, hand_open, hand_run, hand_close, NULL},
    {0},
};

/* ---- the cell ------------------------------------------------------------------------------------------ */

typedef struct runner {
    const method *m;
    void *state;
} runner;

static void reduce(void *state) {
    runner *r = state;
    r->m->run(r->state);
}

/* What rank `from` holds of an element; its owner holds it as from = -1. */
static int64_t contribution(int64_t global, int from, int field) {
    return global % 1009 + 31 * (from + 1) + 7 * field;
}

static void set_element(sum_fields *f, int element, int64_t global, int from) {
    f->one[element] = (double)contribution(global, from, 0);
    for (int c = 0; c < 3; c++) f->three[3 * element + c] = (double)contribution(global, from, 1 + c);
    f->whole[element] = contribution(global, from, 4);
    f->real[element] = (double)f->whole[element];
}

static void fill(const halo *h, sum_fields *f) {
    for (int e = 0; e < h->owned + h->ghosts; e++)
        set_element(f, e, h->global[e], e < h->owned ? -1 : h->rank);
}

/* Of the two forms of the third field a method adds to one and leaves the other alone. */
static void check_sums(const halo *h, const method *m, const sum_fields *f) {
    int64_t *sum = room((size_t)h->owned * 5, sizeof *sum);
    for (int e = 0; e < h->owned; e++)
        for (int c = 0; c < 5; c++) sum[5 * e + c] = contribution(h->global[e], -1, c);
    for (int i = 0; i < h->send.partners; i++)
        for (int k = h->send.start[i]; k < h->send.start[i + 1]; k++)
            for (int c = 0; c < 5; c++)
                sum[5 * h->send.index[k] + c] +=
                    contribution(h->global[h->send.index[k]], h->send.rank[i], c);
    for (int e = 0; e < h->owned; e++) {
        const int64_t *wanted = sum + 5 * e;
        int64_t before = contribution(h->global[e], -1, 4), real = (int64_t)f->real[e];
        int right = f->one[e] == (double)wanted[0] && ((f->whole[e] == wanted[4] && real == before) ||
                                                       (f->whole[e] == before && real == wanted[4]));
        for (int c = 0; c < 3; c++) right &= f->three[3 * e + c] == (double)wanted[1 + c];
        if (!right) give_up("%s: the sum at element %d of rank %d is wrong", m->name, e, h->rank);
    }
    free(sum);
}

static void check_run(const halo *h, const runner *r, sum_fields *f) {
    for (int i = 0; i < 2; i++) {
        fill(h, f);
        r->m->run(r->state);
        check_sums(h, r->m, f);
    }
}

void sums_cell(const setting *how, const halo *h, const char *where, table *t) {
    const method *chosen[MOST_METHODS];
    runner runners[MOST_METHODS];
    subject subjects[MOST_METHODS];
    size_t elements = (size_t)(h->owned + h->ghosts);
    int count = choose_methods(how, sum_tables, chosen);
    sum_fields f = {room(elements, sizeof(double)), room(3 * elements, sizeof(double)),
                    room(elements, sizeof(int64_t)), room(elements, sizeof(double))};
    fill(h, &f);
    for (int i = 0; i < count; i++) {
        runners[i] = (runner){chosen[i], chosen[i]->open(h, &f, 1)};
        subjects[i] =
            (subject){.name = chosen[i]->name, .kind = chosen[i]->kind, .run = reduce, .state = &runners[i]};
        check_run(h, &runners[i], &f);
    }
    measure(&(measuring){how->comm, how->samples}, subjects, count);
    for (int i = 0; i < count; i++) {
        check_run(h, &runners[i], &f);
        chosen[i]->close(runners[i].state);
    }
    if (h->rank == 0) table_add(t, where, subjects, count);
    free(f.one), free(f.three), free(f.whole), free(f.real);
}
