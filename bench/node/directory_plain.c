/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rendezvous as one would write it by hand, and write it well: MPI_Alltoall of counts, one MPI_Alltoallv
 * there, and for finds one back.
 *
 * Owner and local number share a word. A record is that word, the id, and the payload, the same in messages
 * and in the table, which is open, has a power of two of slots, half of them free at least, and probes in
 * line; an empty slot has the word 0. Who keeps an id, and where, follow from one multiplication: the upper
 * part of hash * ranks is the rank, the lower part the slot. Dense ids need no hash: their block is the
 * table. What a rank has for itself goes through no message. Answers come in the order of the questions, so
 * one cursor per rank finds them again. Asking memory for slots ahead of their turn was tried: it gains
 * nothing at these sizes.
 */
#include "directory.h"

#include <stdlib.h>
#include <string.h>

/* What goes to each rank, or comes from it, in records. */
typedef struct side {
    int *count, *start; /* [ranks], without what stays; [ranks + 1] */
    int stays;          /* for this rank itself; it stands at start[rank] of what goes */
} side;

typedef struct plain {
    scene *s;
    int owner_bits, slot_bits, block, entries;
    size_t width, slots; /* words of a record */
    uint64_t *table;
    side out, in;
    int *cursor;
} plain;

static uint64_t *words(size_t count) {
    uint64_t *memory = malloc((count + 1) * sizeof *memory);
    if (!memory) give_up("no memory for %zu words", count);
    return memory;
}

/* ---- where an id belongs ------------------------------------------------------------------------------- */

static inline uint64_t place(const plain *p, uint64_t id) {
    uint64_t hash = ((id ^ (id >> 32)) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    return hash * (uint64_t)p->s->ranks;
}

static inline int keeper(const plain *p, uint64_t id) {
    return p->s->dense ? (int)id / p->block : (int)(place(p, id) >> 32);
}

static inline size_t home(const plain *p, uint64_t id) {
    if (p->s->dense) return (size_t)id - (size_t)p->s->rank * (size_t)p->block;
    return (size_t)((place(p, id) & UINT32_MAX) >> (32 - p->slot_bits));
}

/* The record of an id, or the empty one where it would stand. */
static inline uint64_t *probe(const plain *p, uint64_t id, size_t width) {
    size_t slot = home(p, id);
    uint64_t *record = p->table + slot * width;
    while (record[0] && record[1] != id) {
        slot = (slot + 1) & (p->slots - 1);
        record = p->table + slot * width;
    }
    return record;
}

static void make_table(plain *p, int entries) {
    p->entries = entries;
    p->slot_bits = 1;
    while ((size_t)1 << p->slot_bits < 2 * (size_t)entries) p->slot_bits++;
    p->slots = p->s->dense ? (size_t)p->block : (size_t)1 << p->slot_bits;
    p->table = calloc(p->slots * p->width, sizeof *p->table);
    if (!p->table) give_up("no memory for %zu records of %zu words", p->slots, p->width);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* How much goes where, and comes from where. */
static void count_out(plain *p, int count, const int64_t *id) {
    int ranks = p->s->ranks, rank = p->s->rank;
    memset(p->out.count, 0, (size_t)ranks * sizeof *p->out.count);
    for (int i = 0; i < count; i++) p->out.count[keeper(p, (uint64_t)id[i])]++;
    MPI_Alltoall(p->out.count, 1, MPI_INT, p->in.count, 1, MPI_INT, p->s->comm);
    p->out.stays = p->in.stays = p->out.count[rank];
    p->in.count[rank] = 0;
    for (int r = 0; r < ranks; r++) {
        p->out.start[r + 1] = p->out.start[r] + p->out.count[r];
        p->in.start[r + 1] = p->in.start[r] + p->in.count[r];
    }
    p->out.count[rank] = 0;
    memcpy(p->cursor, p->out.start, (size_t)ranks * sizeof *p->cursor);
}

static void exchange(const plain *p, const side *from, const uint64_t *out, const side *to, uint64_t *in,
                     size_t width) {
    MPI_Datatype record;
    MPI_Type_contiguous((int)width, MPI_UINT64_T, &record);
    MPI_Type_commit(&record);
    MPI_Alltoallv(out, from->count, from->start, record, in, to->count, to->start, record, p->s->comm);
    MPI_Type_free(&record);
}

/* ---- insert and find ----------------------------------------------------------------------------------- */

/* `width` is a constant where these two are called, so a record is copied in a few instructions. */
static inline void keep_fixed(plain *p, int count, const uint64_t *record, size_t width) {
    for (int i = 0; i < count; i++, record += width)
        memcpy(probe(p, record[1], width), record, width * sizeof *record);
}

static inline void answer_fixed(const plain *p, int count, const uint64_t *id, uint64_t *answer,
                                size_t width) {
    for (int i = 0; i < count; i++, answer += width - 1) {
        const uint64_t *record = probe(p, id[i], width);
        answer[0] = record[0];
        memcpy(answer + 1, record + 2, (width - 2) * sizeof *answer);
    }
}

static void keep(plain *p, int count, const uint64_t *record) {
    if (p->width == 2)
        keep_fixed(p, count, record, 2);
    else if (p->width == 4)
        keep_fixed(p, count, record, 4);
    else
        keep_fixed(p, count, record, p->width);
}

static void answer(const plain *p, int count, const uint64_t *id, uint64_t *answers) {
    if (p->width == 2)
        answer_fixed(p, count, id, answers, 2);
    else if (p->width == 4)
        answer_fixed(p, count, id, answers, 4);
    else
        answer_fixed(p, count, id, answers, p->width);
}

static void plain_build(void *state) {
    plain *p = state;
    const scene *s = p->s;
    size_t width = p->width, payload = (size_t)s->payload_words;
    count_out(p, s->owned, s->own_id);
    int arriving = p->in.start[s->ranks];
    uint64_t *out = words((size_t)s->owned * width), *in = words((size_t)arriving * width);
    for (int i = 0; i < s->owned; i++) {
        uint64_t id = (uint64_t)s->own_id[i], *record = out + (size_t)p->cursor[keeper(p, id)]++ * width;
        record[0] = ((uint64_t)i + 1) << p->owner_bits | (uint64_t)s->rank;
        record[1] = id;
        for (size_t k = 0; k < payload; k++) record[2 + k] = s->own_payload[(size_t)i * payload + k];
    }
    exchange(p, &p->out, out, &p->in, in, width);
    make_table(p, arriving + p->in.stays);
    keep(p, p->in.stays, out + (size_t)p->out.start[s->rank] * width);
    keep(p, arriving, in);
    free(out);
    free(in);
}

static void plain_find(void *state) {
    plain *p = state;
    scene *s = p->s;
    size_t width = p->width - 1, payload = (size_t)s->payload_words;
    count_out(p, s->needed, s->need_id);
    int arriving = p->in.start[s->ranks], own = p->out.start[s->rank];
    uint64_t *question = words((size_t)s->needed), *asked = words((size_t)arriving);
    for (int i = 0; i < s->needed; i++) {
        uint64_t id = (uint64_t)s->need_id[i];
        question[p->cursor[keeper(p, id)]++] = id;
    }
    exchange(p, &p->out, question, &p->in, asked, 1);
    uint64_t *said = words((size_t)arriving * width), *learned = words((size_t)s->needed * width);
    answer(p, arriving, asked, said);
    answer(p, p->in.stays, question + own, learned + (size_t)own * width);
    exchange(p, &p->in, said, &p->out, learned, width);
    memcpy(p->cursor, p->out.start, (size_t)s->ranks * sizeof *p->cursor);
    for (int i = 0; i < s->needed; i++) {
        const uint64_t *found = learned + (size_t)p->cursor[keeper(p, (uint64_t)s->need_id[i])]++ * width;
        s->owner[i] = found[0] ? (int)(found[0] & (((uint64_t)1 << p->owner_bits) - 1)) : -1;
        s->local[i] = (int64_t)(found[0] >> p->owner_bits) - 1;
        for (size_t k = 0; k < payload; k++) s->payload[(size_t)i * payload + k] = found[1 + k];
    }
    free(question), free(asked), free(said), free(learned);
}

/* ---- having one ---------------------------------------------------------------------------------------- */

static side make_side(int ranks) {
    return (side){.count = room((size_t)ranks, sizeof(int)), .start = room((size_t)ranks + 1, sizeof(int))};
}

static void *plain_open(scene *s) {
    plain *p = room(1, sizeof *p);
    *p = (plain){.s = s,
                 .block = s->owned,
                 .width = 2 + (size_t)s->payload_words,
                 .out = make_side(s->ranks),
                 .in = make_side(s->ranks),
                 .cursor = room((size_t)s->ranks, sizeof *p->cursor)};
    while (1 << p->owner_bits < s->ranks) p->owner_bits++;
    return p;
}

static void plain_end(void *state) {
    plain *p = state;
    if (p->entries > 0)
        p->s->entry_bytes =
            8.0 * ((double)(p->slots * p->width) / (double)p->entries - (double)p->s->payload_words);
    free(p->table);
    p->table = NULL;
}

static void plain_close(void *state) {
    plain *p = state;
    free(p->out.count), free(p->out.start), free(p->in.count), free(p->in.start), free(p->cursor);
    free(p);
}

const method plain_methods[] = {
    {"rendezvous", OPPONENT, plain_open, plain_build, plain_find, plain_end, plain_close},
    {0},
};
