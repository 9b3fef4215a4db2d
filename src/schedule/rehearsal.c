/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part of a rehearsal: see rehearsal.h. A lot is written into the script and sent from there; one that came is
 * copied into it. The rows of the schedule are read from the script again, each time that somebody asks for one.
 */
#include "schedule/rehearsal.h"

#include <stdlib.h>
#include <string.h>

#include "base/decode.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "pattern/pattern.h"

/* A transfer of this rank: a lot, which lies in the script's bytes. */
typedef struct line {
    int stage, partner, receives;
    int64_t first, bytes;
} line;

typedef struct script {
    int rank, ranks;
    const qdri_handing *handing;
    line *line;
    int64_t lines, line_capacity;
    unsigned char *byte;
    int64_t bytes, byte_capacity;
} script;

/* A piece that lies here, and where it goes in the stage that is next; the rank itself: it stays. */
typedef struct holding {
    qdr_piece piece;
    int to;
    int64_t phase;
} holding;

struct qdri_rehearsal {
    script script;
    int stage, stages;            /* those that have begun */
    int diagonal;                 /* what ranks have for themselves is handed on, too */
    int was_cut;                  /* nobody asks the rule where to go in the first stage */
    const qdri_own_messages *own; /* while they are cut */
    holding *held;
    int64_t holdings, holding_capacity;
    int64_t passing; /* items that have come */
    qdri_lot *lot;
    int64_t lot_capacity;
};

/* ---- pieces as bytes ----------------------------------------------------------------------------------- */

/* Each as its difference from the one before it; the first from one of rank 0 for rank 0. */
static int write_piece(script *script, const qdr_piece *before, const qdr_piece *piece) {
    int64_t most = script->bytes + INT64_C(4) * QDRI_LONGEST_NUMBER;
    if (!qdri_grow(&script->byte, &script->byte_capacity, most, 1)) return 0;
    unsigned char *place = script->byte + script->bytes;
    int further = piece->origin - before->origin;
    place += qdri_number_write((uint64_t)further, place);
    place += qdri_number_write((uint64_t)(piece->destination - (further ? 0 : before->destination)), place);
    place += qdri_number_write((uint64_t)piece->offset, place);
    place += qdri_number_write((uint64_t)piece->length, place);
    script->bytes = place - script->byte;
    return 1;
}

/* `piece` is the one before: in, and out the next. Its length is at most `most`. */
static qdr_status read_piece(qdri_cursor *cursor, int ranks, int64_t most, qdr_piece *piece) {
    int64_t further = 0, destination = 0, least, offset, length;
    QDRI_TRY(qdri_cursor_number(cursor, "difference of two origins", 0, ranks - 1 - piece->origin, &further));
    least = further ? 0 : piece->destination;
    QDRI_TRY(
        qdri_cursor_number(cursor, "difference of two destinations", 0, ranks - 1 - least, &destination));
    QDRI_TRY(qdri_cursor_number(cursor, "offset of a piece", 0, QDRI_ITEMS_LIMIT, &offset));
    if (most > QDRI_ITEMS_LIMIT - offset) most = QDRI_ITEMS_LIMIT - offset;
    QDRI_TRY(qdri_cursor_number(cursor, "length of a piece", 1, most, &length));
    *piece = (qdr_piece){piece->origin + (int)further, (int)(least + destination), offset, length};
    return QDR_OK;
}

static qdri_cursor open_cursor(int sender, const void *data, int64_t bytes) {
    return (qdri_cursor){{NULL, sender}, "a list of pieces", data, bytes};
}

/* ---- rows from a script -------------------------------------------------------------------------------- */

static qdr_status read_line(const script *script, const line *line, qdr_row_reader *reader) {
    qdri_cursor cursor = open_cursor(line->partner, script->byte + line->first, line->bytes);
    const qdri_handing *handing = script->handing;
    qdr_piece piece = {0};
    if (line->receives)
        qdri_row_receive(reader, handing->phase(script->ranks, line->stage, line->partner, script->rank),
                         line->partner);
    else
        qdri_row_send(reader, handing->phase(script->ranks, line->stage, script->rank, line->partner),
                      line->partner);
    while (cursor.left > 0) {
        QDRI_TRY(read_piece(&cursor, script->ranks, QDRI_ITEMS_LIMIT, &piece));
        qdri_row_piece(reader, piece.origin, piece.destination, piece.offset, piece.length);
    }
    return QDR_OK;
}

static qdr_status read_row(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader) {
    const script *content = schedule->state;
    if (rank != content->rank) return QDR_OK;
    for (int64_t i = 0; i < content->lines; i++) {
        const line *line = &content->line[i];
        if (line->stage == stage && reader->wants & (line->receives ? QDRI_WANT_RECEIVES : QDRI_WANT_SENDS))
            QDRI_TRY(read_line(content, line, reader));
    }
    return QDR_OK;
}

static void free_script(script *content) {
    free(content->line);
    free(content->byte);
    *content = (script){0};
}

static void release(void *state) {
    if (state) free_script(state);
    free(state);
}

static const qdri_rows rows = {read_row, release};

/* ---- what is held -------------------------------------------------------------------------------------- */

static int hold(qdri_rehearsal *self, const qdr_piece *piece, int to) {
    if (!qdri_grow(&self->held, &self->holding_capacity, self->holdings + 1, sizeof *self->held)) return 0;
    self->held[self->holdings++] = (holding){.piece = *piece, .to = to};
    return 1;
}

static int put_part(void *context, int64_t m, int64_t offset, int64_t length, int to) {
    qdri_rehearsal *self = context;
    return hold(self, &(qdr_piece){self->script.rank, self->own->destination[m], offset, length}, to);
}

static qdr_status hold_own(qdri_rehearsal *self, const qdri_cutting *cutting, const qdri_own_messages *own) {
    self->own = own;
    if (cutting) return self->script.handing->cut(cutting, own, put_part, self);
    for (int64_t m = 0; m < own->messages; m++)
        if (own->items[m] > 0 && !put_part(self, m, 0, own->items[m], own->rank)) return qdri_fail_memory();
    return QDR_OK;
}

qdr_status qdri_rehearsal_open(const qdri_handing *handing, const qdri_cutting *cutting,
                               const qdri_own_messages *own, qdri_rehearsal **rehearsal) {
    qdri_rehearsal *made = QDRI_ZERO_ARRAY(qdri_rehearsal, 1);
    if (!made) return qdri_fail_memory();
    made->script = (script){.rank = own->rank, .ranks = own->ranks, .handing = handing};
    made->stage = -1;
    made->stages = handing->stages(own->ranks);
    made->was_cut = cutting != NULL;
    made->diagonal = cutting && cutting->diagonal;
    qdr_status status = hold_own(made, cutting, own);
    made->own = NULL;
    if (status)
        qdri_rehearsal_close(&made);
    else
        *rehearsal = made;
    return status;
}

void qdri_rehearsal_close(qdri_rehearsal **rehearsal) {
    if (!*rehearsal) return;
    free_script(&(*rehearsal)->script);
    free((*rehearsal)->held);
    free((*rehearsal)->lot);
    free(*rehearsal);
    *rehearsal = NULL;
}

/* ---- handing on ---------------------------------------------------------------------------------------- */

/* What stays comes first. */
static int compare_holdings(const void *left, const void *right) {
    const holding *a = left, *b = right;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    if (a->piece.origin != b->piece.origin) return a->piece.origin < b->piece.origin ? -1 : 1;
    if (a->piece.destination != b->piece.destination)
        return a->piece.destination < b->piece.destination ? -1 : 1;
    return (a->piece.offset > b->piece.offset) - (a->piece.offset < b->piece.offset);
}

/* Asks the rule about all that is held; returns how much stays. */
static int64_t sort_held(qdri_rehearsal *self) {
    const script *script = &self->script;
    const qdri_handing *handing = script->handing;
    int64_t stays = 0;
    for (int64_t i = 0; i < self->holdings; i++) {
        holding *one = &self->held[i];
        if (self->stage > 0 || !self->was_cut)
            one->to = handing->next(script->ranks, self->stage, script->rank, one->piece.destination);
        int goes = one->to != script->rank;
        one->phase = goes ? handing->phase(script->ranks, self->stage, script->rank, one->to) : -1;
        stays += !goes;
    }
    if (self->holdings > 0) qsort(self->held, (size_t)self->holdings, sizeof *self->held, compare_holdings);
    return stays;
}

static line *add_line(script *script, line made) {
    if (!qdri_grow(&script->line, &script->line_capacity, script->lines + 1, sizeof *script->line))
        return NULL;
    script->line[script->lines] = made;
    return &script->line[script->lines++];
}

/* All from `i` on that goes to one rank; returns where the next rank's begin, or -1 without memory. */
static int64_t write_lot(qdri_rehearsal *self, int64_t i) {
    script *script = &self->script;
    qdr_piece before = {0};
    int to = self->held[i].to;
    line *made = add_line(script, (line){.stage = self->stage, .partner = to, .first = script->bytes});
    if (!made) return -1;
    for (; i < self->holdings && self->held[i].to == to; i++) {
        if (!write_piece(script, &before, &self->held[i].piece)) return -1;
        before = self->held[i].piece;
    }
    made->bytes = script->bytes - made->first;
    return i;
}

qdr_status qdri_rehearsal_give(qdri_rehearsal *self, int *count, const qdri_lot **lots) {
    script *script = &self->script;
    int64_t first = script->lines;
    self->stage++;
    int64_t stays = sort_held(self);
    for (int64_t i = stays; i < self->holdings;)
        if ((i = write_lot(self, i)) < 0) return qdri_fail_memory();
    self->holdings = stays;
    *count = (int)(script->lines - first);
    if (!qdri_grow(&self->lot, &self->lot_capacity, *count, sizeof *self->lot)) return qdri_fail_memory();
    for (int i = 0; i < *count; i++) {
        const line *one = &script->line[first + i];
        self->lot[i] = (qdri_lot){one->partner, script->byte + one->first, one->bytes};
    }
    *lots = self->lot;
    return QDR_OK;
}

/* What comes must be what the rule lets its sender hand to this rank. */
static qdr_status take_piece(qdri_rehearsal *self, int from, const qdr_piece *piece) {
    const script *script = &self->script;
    int to = self->stage == 0 && self->was_cut
                 ? script->rank
                 : script->handing->next(script->ranks, self->stage, from, piece->destination);
    if (to != script->rank || (piece->origin == piece->destination && !self->diagonal) ||
        (self->stage == 0 && piece->origin != from))
        return qdri_fail(
            QDR_ERR_MISMATCH,
            "rank %d handed a piece of the message from %d to %d to rank %d in stage %d, where the "
            "rule does not",
            from, piece->origin, piece->destination, script->rank, self->stage);
    self->passing += piece->length;
    if (piece->destination == script->rank) return QDR_OK; /* it has reached its end */
    return hold(self, piece, script->rank) ? QDR_OK : qdri_fail_memory();
}

qdr_status qdri_rehearsal_take(qdri_rehearsal *self, const qdri_lot *lot) {
    script *script = &self->script;
    qdri_cursor cursor = open_cursor(lot->partner, lot->data, lot->bytes);
    qdr_piece piece = {0};
    while (cursor.left > 0) {
        QDRI_TRY(read_piece(&cursor, script->ranks, QDRI_ITEMS_LIMIT - self->passing, &piece));
        QDRI_TRY(take_piece(self, lot->partner, &piece));
    }
    line came = {self->stage, lot->partner, 1, script->bytes, lot->bytes};
    if (!qdri_grow(&script->byte, &script->byte_capacity, script->bytes + lot->bytes, 1) ||
        !add_line(script, came))
        return qdri_fail_memory();
    if (lot->bytes > 0) memcpy(script->byte + script->bytes, lot->data, (size_t)lot->bytes);
    script->bytes += lot->bytes;
    return QDR_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

qdr_status qdri_rehearsal_end(qdri_rehearsal *self, const qdr_pattern *own, const qdri_algorithm *algorithm,
                              const char *spec, qdr_schedule **schedule) {
    qdr_schedule *made = NULL;
    script *kept = QDRI_ZERO_ARRAY(script, 1);
    if (!kept) return qdri_fail_memory();
    qdr_status status = qdri_schedule_open(own, NULL, algorithm->name, spec, &made);
    if (status) {
        free(kept);
        return status;
    }
    *kept = self->script;
    self->script = (script){0};
    made->promises = algorithm->promises;
    made->direct = !algorithm->staged;
    made->stages = self->stages;
    made->rows = &rows;
    made->state = kept;
    status = qdri_schedule_close(made);
    if (status)
        qdr_schedule_destroy(&made);
    else
        *schedule = made;
    return status;
}
