/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a benchmark moves, and the proof that it moved. Each message holds pseudo-random bytes that depend on
 * both ranks and on the number of the exchange, so bytes that are late, lost, doubled, or in the place of
 * others are noticed.
 *
 * For exchanges whose sizes change, every message is made longer or shorter by up to one half, and the matrix
 * is scaled back, rows and columns in turn, until every rank sends and receives what it did in the pattern
 * (Sinkhorn's iteration, which converges because the pattern itself has these sums). So the bound stays.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/complain.h"
#include "core/random.h"

/* ---- contents ------------------------------------------------------------------------------------------ */

void contents_fill(unsigned char *data, int64_t bytes, uint64_t key) {
    random_stream random = random_seed(key);
    for (int64_t i = 0; i < bytes; i += 8) {
        uint64_t word = random_word(&random);
        memcpy(data + i, &word, bytes - i < 8 ? (size_t)(bytes - i) : 8);
    }
}

int64_t contents_check(const unsigned char *data, int64_t bytes, uint64_t key) {
    random_stream random = random_seed(key);
    for (int64_t i = 0; i < bytes; i += 8) {
        uint64_t word = random_word(&random);
        const unsigned char *expected = (const unsigned char *)&word;
        int64_t part = bytes - i < 8 ? bytes - i : 8;
        if (!memcmp(data + i, expected, (size_t)part)) continue;
        for (int64_t k = 0; k < part; k++)
            if (data[i + k] != expected[k]) return i + k;
    }
    return -1;
}

static uint64_t key_of(const bench *bench, int number, int origin, int destination) {
    random_stream random = random_seed((uint64_t)bench->round);
    random.state ^= (uint64_t)origin << 32 ^ (uint64_t)destination ^ (uint64_t)number << 56;
    return random_word(&random);
}

void bench_load_fill(const bench *bench, bench_load *load) {
    const bench_side *out = &load->out;
    for (int i = 0; i < out->count; i++)
        contents_fill(load->outgoing + out->offset[i] * bench->item_bytes, out->items[i] * bench->item_bytes,
                      key_of(bench, load->number, bench->rank, out->partner[i]));
    memset(load->incoming, 0, (size_t)(load->in.total * bench->item_bytes));
    if (load->next) bench_load_fill(bench, load->next);
}

char *bench_load_check(const bench *bench, const bench_load *load) {
    const bench_side *in = &load->in;
    for (int i = 0; i < in->count; i++) {
        int64_t bytes = in->items[i] * bench->item_bytes;
        int64_t place = contents_check(load->incoming + in->offset[i] * bench->item_bytes, bytes,
                                       key_of(bench, load->number, in->partner[i], bench->rank));
        if (place >= 0)
            return print_text("byte %" PRId64 " of %" PRId64 " from rank %d to rank %d is wrong", place,
                              bytes, in->partner[i], bench->rank);
    }
    return load->next ? bench_load_check(bench, load->next) : NULL;
}

/* ---- sides --------------------------------------------------------------------------------------------- */

static void add(bench_side *side, int partner, int64_t items) {
    if (items == 0) return;
    side->partner[side->count] = partner;
    side->items[side->count] = items;
    side->offset[side->count++] = side->total;
    side->total += items;
}

/* The row or the column of this rank, with the diagonal at its place. */
static void read_side(const qdr_pattern_view *view, const int64_t *items, int rank, int incoming,
                      bench_side *side) {
    const int64_t *start = incoming ? view->column_start : view->row_start;
    int placed = 0;
    side->count = 0;
    side->total = 0;
    for (int64_t k = start[rank]; k < start[rank + 1]; k++) {
        int64_t message = incoming ? view->column_message[k] : k;
        int partner = incoming ? view->origin[message] : view->destination[message];
        if (!placed && partner > rank) {
            add(side, rank, view->local[rank]);
            placed = 1;
        }
        add(side, partner, items[message]);
    }
    if (!placed) add(side, rank, view->local[rank]);
}

static void open_side(int64_t partners, bench_side *side) {
    side->partner = ALLOCATE(int, partners);
    side->items = ALLOCATE(int64_t, partners);
    side->offset = ALLOCATE(int64_t, partners);
}

/* Memory is touched here, not in the first exchange. */
static void make_room(int64_t bytes, int64_t *room, unsigned char **data) {
    if (bytes <= *room && *data) return;
    free(*data);
    *data = ALLOCATE(unsigned char, bytes);
    memset(*data, 0, (size_t)bytes);
    *room = bytes;
}

static void read_load(const bench *bench, const int64_t *items, bench_load *load) {
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    read_side(&view, items, bench->rank, 0, &load->out);
    read_side(&view, items, bench->rank, 1, &load->in);
    make_room(load->out.total * bench->item_bytes, &load->out_room, &load->outgoing);
    make_room(load->in.total * bench->item_bytes, &load->in_room, &load->incoming);
    if (load->next) read_load(bench, items, load->next);
}

void bench_load_open(const bench *bench, bench_load *load) {
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    int rank = bench->rank;
    open_side(view.row_start[rank + 1] - view.row_start[rank] + 1, &load->out);
    open_side(view.column_start[rank + 1] - view.column_start[rank] + 1, &load->in);
    if (load->number + 1 < bench->together) {
        load->next = ALLOCATE(bench_load, 1);
        load->next->number = load->number + 1;
        bench_load_open(bench, load->next);
    }
    if (load->number == 0) read_load(bench, view.items, load);
}

static void close_side(bench_side *side) {
    free(side->partner);
    free(side->items);
    free(side->offset);
}

void bench_load_close(bench_load *load) {
    close_side(&load->out);
    close_side(&load->in);
    free(load->outgoing);
    free(load->incoming);
    if (load->next) bench_load_close(load->next);
    free(load->next);
    memset(load, 0, sizeof *load);
}

/* ---- sizes that change --------------------------------------------------------------------------------- */

/* Scales every row (or column) to its sum in the pattern. */
static void scale(const qdr_pattern_view *view, int columns, double *size) {
    const int64_t *start = columns ? view->column_start : view->row_start;
    for (int rank = 0; rank < view->ranks; rank++) {
        double wanted = 0, have = 0;
        for (int64_t k = start[rank]; k < start[rank + 1]; k++) {
            int64_t message = columns ? view->column_message[k] : k;
            wanted += (double)view->items[message];
            have += size[message];
        }
        for (int64_t k = start[rank]; k < start[rank + 1]; k++)
            size[columns ? view->column_message[k] : k] *= wanted / have;
    }
}

void bench_load_change(const bench *bench, int64_t repetition, bench_load *load) {
    enum { ROUNDS = 10 };
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    random_stream random = random_seed((uint64_t)bench->seed ^ (uint64_t)repetition << 20);
    double *size = ALLOCATE(double, view.messages);
    int64_t *items = ALLOCATE(int64_t, view.messages);
    for (int64_t m = 0; m < view.messages; m++)
        size[m] = (double)view.items[m] * (0.5 + random_real(&random));
    for (int round = 0; round < ROUNDS; round++) scale(&view, round % 2, size);
    for (int64_t m = 0; m < view.messages; m++) items[m] = size[m] < 1 ? 1 : (int64_t)llround(size[m]);
    read_load(bench, items, load);
    free(items);
    free(size);
}
