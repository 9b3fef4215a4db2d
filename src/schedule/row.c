/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading one rank's row of one stage. The reader lends its memory to the row functions, which add transfers
 * in whatever order is natural to them; here they are brought into the order of the phases. A reader that
 * does not want pieces still sums their lengths, so that a schedule with n^3 of them can be predicted in the
 * memory of its transfers.
 */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"

qdr_status qdri_row_reader_open(const qdr_schedule *schedule, int wants, qdr_row_reader **reader) {
    qdr_row_reader *made = QDRI_ZERO_ARRAY(qdr_row_reader, 1);
    if (!made) return qdri_fail_memory();
    made->schedule = qdri_schedule_retain(schedule);
    made->wants = wants;
    *reader = made;
    return QDR_OK;
}

qdr_status qdr_row_reader_create(const qdr_schedule *schedule, qdr_row_reader **reader) {
    if (!schedule || !reader) return qdri_fail(QDR_ERR_INVALID, "qdr_row_reader_create: an argument is NULL");
    return qdri_row_reader_open(schedule, QDRI_WANT_SENDS | QDRI_WANT_RECEIVES | QDRI_WANT_PIECES, reader);
}

void qdr_row_reader_destroy(qdr_row_reader **reader) {
    if (!reader || !*reader) return;
    free((*reader)->send);
    free((*reader)->receive);
    free((*reader)->piece);
    free((*reader)->key);
    free((*reader)->order);
    free((*reader)->sorted);
    for (int i = 0; i < QDRI_SCRATCHES; i++) free((*reader)->scratch[i].bytes);
    qdr_schedule_destroy(&(*reader)->schedule);
    free(*reader);
    *reader = NULL;
}

/* ---- adding -------------------------------------------------------------------------------------------- */

static int grow(qdr_row_reader *reader, void *array, int64_t *capacity, int64_t needed, size_t size) {
    if (reader->failed) return 0;
    if (qdri_grow(array, capacity, needed, size)) return 1;
    reader->failed = qdri_fail_memory();
    return 0;
}

/* A transfer without pieces is given up for the one that follows it. */
static void begin(qdr_row_reader *reader, qdr_transfer **list, int64_t *count, int64_t *capacity,
                  int64_t phase, int partner) {
    reader->open = NULL;
    if (*count > 0 && (*list)[*count - 1].pieces == 0) --*count;
    if (!grow(reader, list, capacity, *count + 1, sizeof **list)) return;
    (*list)[*count] = (qdr_transfer){.phase = phase, .partner = partner, .first = reader->pieces};
    reader->open = &(*list)[(*count)++];
}

void qdri_row_send(qdr_row_reader *reader, int64_t phase, int to) {
    begin(reader, &reader->send, &reader->sends, &reader->send_capacity, phase, to);
}

void qdri_row_receive(qdr_row_reader *reader, int64_t phase, int from) {
    begin(reader, &reader->receive, &reader->receives, &reader->receive_capacity, phase, from);
}

void qdri_row_piece(qdr_row_reader *reader, int origin, int destination, int64_t offset, int64_t length) {
    qdr_transfer *open = reader->open;
    if (!open) return;
    if (length > INT64_MAX - open->items) { /* only a file can ask for that */
        if (!reader->failed)
            reader->failed =
                qdri_fail(QDR_ERR_RANGE, "phase %lld: a transfer with rank %d has more than 2^63 items",
                          (long long)open->phase, open->partner);
        return;
    }
    open->items += length;
    open->pieces++;
    if (!(reader->wants & QDRI_WANT_PIECES)) return;
    if (!grow(reader, &reader->piece, &reader->piece_capacity, reader->pieces + 1, sizeof *reader->piece))
        return;
    reader->piece[reader->pieces++] = (qdr_piece){origin, destination, offset, length};
}

void *qdri_row_scratch(qdr_row_reader *reader, int which, int64_t count, size_t size) {
    qdri_scratch *scratch = &reader->scratch[which];
    if (count < 0 || (uint64_t)count > PTRDIFF_MAX / size ||
        !grow(reader, &scratch->bytes, &scratch->capacity, count * (int64_t)size, 1)) {
        if (!reader->failed) reader->failed = qdri_fail_memory();
        return NULL;
    }
    return scratch->bytes;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static void sort_by_phase(qdr_row_reader *reader, qdr_transfer *list, int64_t count) {
    if (!grow(reader, &reader->key, &reader->key_capacity, count, sizeof *reader->key) ||
        !grow(reader, &reader->order, &reader->order_capacity, count, sizeof *reader->order) ||
        !grow(reader, &reader->sorted, &reader->sorted_capacity, count, sizeof *reader->sorted))
        return;
    for (int64_t i = 0; i < count; i++) reader->key[i] = list[i].phase;
    if (!qdri_sort_order(reader->key, count, reader->order)) {
        reader->failed = qdri_fail_memory();
        return;
    }
    for (int64_t i = 0; i < count; i++) reader->sorted[i] = list[reader->order[i]];
    for (int64_t i = 0; i < count; i++) list[i] = reader->sorted[i];
}

static void settle(qdr_row_reader *reader, qdr_transfer *list, int64_t *count) {
    if (*count > 0 && list[*count - 1].pieces == 0) --*count;
    for (int64_t i = 1; i < *count; i++)
        if (list[i].phase < list[i - 1].phase) {
            sort_by_phase(reader, list, *count);
            return;
        }
}

qdr_status qdr_row_read_sized(qdr_row_reader *reader, int rank, int stage, qdr_row *row, size_t row_bytes) {
    if (!reader || !row) return qdri_fail(QDR_ERR_INVALID, "qdr_row_read: an argument is NULL");
    const qdr_schedule *schedule = reader->schedule;
    int ranks = qdr_pattern_look(schedule->pattern).ranks;
    if (rank < 0 || rank >= ranks)
        return qdri_fail(QDR_ERR_RANGE, "rank %d does not exist; expected 0 to %d", rank, ranks - 1);
    if (stage < 0 || stage >= schedule->stages)
        return qdri_fail(QDR_ERR_RANGE, "stage %d does not exist; expected 0 to %d", stage,
                         schedule->stages - 1);
    reader->failed = QDR_OK;
    reader->open = NULL;
    reader->sends = reader->receives = reader->pieces = 0;
    QDRI_TRY(schedule->rows->read(schedule, rank, stage, reader));
    settle(reader, reader->send, &reader->sends);
    settle(reader, reader->receive, &reader->receives);
    if (reader->failed) return reader->failed;
    qdr_row read = {rank,         stage,           reader->sends, reader->receives,
                    reader->send, reader->receive, reader->piece};
    qdri_sized_fill(row, row_bytes, &read, sizeof read);
    return QDR_OK;
}
