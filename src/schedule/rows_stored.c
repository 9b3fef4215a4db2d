/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules written out piece by piece. Entries lie by rising (from, stage, phase); an order by (to, stage,
 * phase) stands beside them, so that a rank finds what it sends and what it receives without a search.
 * Entries of the same stage, phase, sender and receiver are one transfer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "schedule/schedule.h"

typedef struct stored {
    qdri_piece_entry *entry; /* by from */
    int64_t *by_receiver;    /* positions in entry[], by to */
    int64_t *send_start;     /* [ranks + 1] into entry */
    int64_t *receive_start;  /* [ranks + 1] into by_receiver */
} stored;

static int same_transfer(const qdri_piece_entry *a, const qdri_piece_entry *b) {
    return a->stage == b->stage && a->phase == b->phase && a->from == b->from && a->to == b->to;
}

static void add_entry(qdr_row_reader *reader, const qdri_piece_entry *entry, const qdri_piece_entry *before,
                      int sending) {
    if (!before || !same_transfer(entry, before)) {
        if (sending)
            qdri_row_send(reader, entry->phase, entry->to);
        else
            qdri_row_receive(reader, entry->phase, entry->from);
    }
    const qdr_piece *piece = &entry->piece;
    qdri_row_piece(reader, piece->origin, piece->destination, piece->offset, piece->length);
}

/* One way of a row: positions in a list (NULL: the entries as they lie), of which those of the stage are
 * found by halving, since a file may have thousands of stages. */
typedef struct side {
    const int64_t *list;
    int64_t first, last;
    int sending;
} side;

static const qdri_piece_entry *entry_at(const stored *state, const side *s, int64_t place) {
    return &state->entry[s->list ? s->list[place] : place];
}

static void read_side(const stored *state, side s, int stage, qdr_row_reader *reader) {
    const qdri_piece_entry *before = NULL, *entry;
    int64_t high = s.last;
    while (s.first < high) {
        int64_t middle = s.first + (high - s.first) / 2;
        if (entry_at(state, &s, middle)->stage < stage)
            s.first = middle + 1;
        else
            high = middle;
    }
    for (; s.first < s.last && (entry = entry_at(state, &s, s.first))->stage == stage; s.first++) {
        add_entry(reader, entry, before, s.sending);
        before = entry;
    }
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    const stored *state = schedule->state;
    const int64_t *sends = &state->send_start[rank], *receives = &state->receive_start[rank];
    if (reader->wants & QDRI_WANT_SENDS) read_side(state, (side){NULL, sends[0], sends[1], 1}, stage, reader);
    if (reader->wants & QDRI_WANT_RECEIVES)
        read_side(state, (side){state->by_receiver, receives[0], receives[1], 0}, stage, reader);
    return QDR_OK;
}

static void release(void *state) {
    stored *content = state;
    if (!content) return;
    free(content->entry);
    free(content->by_receiver);
    free(content->send_start);
    free(content->receive_start);
    free(content);
}

static const qdri_rows rows = {read_row, release};

/* ---- making them --------------------------------------------------------------------------------------- */

/* The stable order of the entries by (rank, stage, phase, partner), one key after the other from the last. */
static int order_entries(const qdri_piece_entry *entry, int64_t count, int by_receiver, int64_t *order) {
    int64_t *key = QDRI_ARRAY(int64_t, count), *pass = QDRI_ARRAY(int64_t, count);
    int64_t *next = QDRI_ARRAY(int64_t, count);
    int good = key && pass && next;
    for (int64_t i = 0; good && i < count; i++) order[i] = i;
    for (int round = 0; good && round < 3; round++) {
        for (int64_t i = 0; i < count; i++) {
            const qdri_piece_entry *e = &entry[order[i]];
            int rank = by_receiver ? e->to : e->from, partner = by_receiver ? e->from : e->to;
            key[i] = round == 0 ? partner : round == 1 ? (int64_t)e->stage << 32 | e->phase : rank;
        }
        good = qdri_sort_order(key, count, pass);
        for (int64_t i = 0; good && i < count; i++) next[i] = order[pass[i]];
        if (good) memcpy(order, next, (size_t)count * sizeof *order);
    }
    free(key);
    free(pass);
    free(next);
    return good;
}

static void count_starts(const stored *state, int64_t count, int ranks) {
    memset(state->send_start, 0, ((size_t)ranks + 1) * sizeof *state->send_start);
    memset(state->receive_start, 0, ((size_t)ranks + 1) * sizeof *state->receive_start);
    for (int64_t i = 0; i < count; i++) {
        state->send_start[state->entry[i].from + 1]++;
        state->receive_start[state->entry[i].to + 1]++;
    }
    for (int rank = 0; rank < ranks; rank++) {
        state->send_start[rank + 1] += state->send_start[rank];
        state->receive_start[rank + 1] += state->receive_start[rank];
    }
}

static int moves_diagonal(const qdri_piece_entry *entry, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (entry[i].piece.origin == entry[i].piece.destination) return 1;
    return 0;
}

qdr_status qdri_rows_from_entries(qdr_schedule *schedule, qdri_piece_entry *entries, int64_t count) {
    int ranks = qdr_pattern_look(schedule->pattern).ranks;
    stored *state = QDRI_ZERO_ARRAY(stored, 1);
    int64_t *order = QDRI_ARRAY(int64_t, count);
    qdr_status moved = moves_diagonal(entries, count) ? qdri_schedule_move_diagonal(schedule) : QDR_OK;
    int good = state && order && !moved;
    if (good) {
        state->entry = QDRI_ARRAY(qdri_piece_entry, count);
        state->by_receiver = QDRI_ARRAY(int64_t, count);
        state->send_start = QDRI_ARRAY(int64_t, (int64_t)ranks + 1);
        state->receive_start = QDRI_ARRAY(int64_t, (int64_t)ranks + 1);
        good = state->entry && state->by_receiver && state->send_start && state->receive_start &&
               order_entries(entries, count, 0, order);
    }
    if (good) {
        for (int64_t i = 0; i < count; i++) state->entry[i] = entries[order[i]];
        good = order_entries(state->entry, count, 1, state->by_receiver);
    }
    free(order);
    free(entries);
    if (!good) {
        release(state);
        return qdri_fail_memory();
    }
    count_starts(state, count, ranks);
    schedule->rows = &rows;
    schedule->state = state;
    return QDR_OK;
}
