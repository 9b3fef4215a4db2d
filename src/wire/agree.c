/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement: the one step that every collective call takes, so that all ranks return the same. Maxima travel
 * in one reduction; its first word is the lowest rank that failed, counted from the other end. Tags travel in
 * a second one beside it: the union of the spans in use anywhere, of which all ranks then take the same first
 * free one, beginning after the last, so that a span rests as long as possible. Only when a rank has failed,
 * its status and sentence are spread to all. On one node all of it goes by the board, in one round.
 */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "wire/inside.h"

/* ---- meetings ------------------------------------------------------------------------------------------ */

static void finish(qdri_operation *operation, qdr_status status) {
    qdri_meeting *meeting = (qdri_meeting *)operation;
    meeting->finished = 1;
    meeting->status = status;
}

void qdri_meeting_prepare(qdri_meeting *meeting) {
    *meeting = (qdri_meeting){.operation = {.done = finish}};
}

qdr_status qdri_status_stalled(qdri_wire *wire) {
    char absent[400];
    qdri_status_absent(wire, absent, sizeof absent);
    wire->broken = 1;
    return qdri_fail(QDR_STALLED, "rank %d: not all ranks came to a collective call before the deadline%s",
                     wire->rank, absent);
}

qdr_status qdri_meeting_wait(qdri_wire *wire, qdri_meeting *meeting, double deadline) {
    qdr_status status = qdri_wait_until(wire, &meeting->finished, deadline);
    if (status == QDR_STALLED) return qdri_status_stalled(wire);
    return status ? status : meeting->status;
}

/* ---- tags ---------------------------------------------------------------------------------------------- */

static qdr_status take_span(qdri_wire *wire, int *first_tag) {
    for (int i = 0; i < wire->tag_spans; i++) {
        int span = (wire->next_span + i) % wire->tag_spans;
        if ((uint64_t)wire->table.span[span / 64] >> span % 64 & 1) continue;
        wire->tag_span[span / 64] |= UINT64_C(1) << span % 64;
        wire->next_span = (span + 1) % wire->tag_spans;
        *first_tag = QDRI_FREE_TAGS + span * QDRI_TAGS;
        return QDR_OK;
    }
    return qdri_fail(QDR_RANGE, "%d plans live on this communicator, and MPI has no more tags; destroy some",
                     wire->tag_spans);
}

void qdri_wire_return_tags(qdri_wire *wire, int first_tag) {
    int span = (first_tag - QDRI_FREE_TAGS) / QDRI_TAGS;
    wire->tag_span[span / 64] &= ~(UINT64_C(1) << span % 64);
}

/* ---- the step ------------------------------------------------------------------------------------------ */

/* What rank `root` has in `data`, which is part of the table, comes to all. */
static qdr_status spread(qdri_wire *wire, int root, void *data, int bytes, double deadline) {
    qdri_meeting *meeting = &wire->table.spreading;
    if (wire->one_node) {
        if (root == wire->rank) memcpy(qdri_board_write(wire), data, (size_t)bytes);
        QDRI_TRY(qdri_board_show(wire, QDRI_ROUND_SPREAD | (uint64_t)bytes << 8, deadline));
        memcpy(data, qdri_board_read(wire, root), (size_t)bytes);
        return QDR_OK;
    }
    qdri_meeting_prepare(meeting);
    QDRI_TRY(qdri_spread_from(wire, &meeting->operation, root, data, bytes));
    return qdri_meeting_wait(wire, meeting, deadline);
}

/* Rank `failed` tells all what happened to it. */
static qdr_status spread_failure(qdri_wire *wire, int failed, qdr_status mine, double deadline) {
    qdri_table *table = &wire->table;
    table->verdict.status = mine;
    QDRI_TRY(spread(wire, failed, &table->verdict, (int)sizeof table->verdict, deadline));
    QDRI_TRY(qdri_decode_failure((qdri_teller){NULL, failed}, table->verdict.status));
    qdri_decode_text(table->verdict.sentence, sizeof table->verdict.sentence);
    return qdri_fail((qdr_status)table->verdict.status, "rank %d: %s", failed, table->verdict.sentence);
}

/* What the ranks have come to; *failed is the one that did not, -1: none. */
static qdr_status read_table(const qdri_wire *wire, const qdri_agreement *agreement, int *failed) {
    const int64_t *word = wire->table.word;
    QDRI_TRY(qdri_decode_word(QDRI_SOMEBODY, "the distance of the first rank that failed from the last",
                              word[0], 0, wire->ranks));
    *failed = word[0] ? wire->ranks - (int)word[0] : -1;
    if (*failed >= 0 || wire->one_node || !agreement->expected) return QDR_OK;
    return qdri_decode(QDRI_SOMEBODY, agreement->expected, agreement->count, word + 1);
}

static int64_t digest(const int64_t *word, int count) {
    uint64_t all = 1;
    for (int i = 0; i < count; i++)
        all = ((all ^ (uint64_t)word[i]) + (all >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)qdri_mix(all);
}

/* A row is a digest, a word for each rank, then what is agreed on: maxima, parity, spans. Mostly all ranks say
 * the same there; then the digest is all that is read of it. On one node a rank and its place are the same. */
static qdr_status meet_on_board(qdri_wire *wire, const qdri_agreement *agreement) {
    qdri_table *table = &wire->table;
    int maxima = 1 + agreement->count, spans = agreement->wants_tags ? (wire->tag_spans + 63) / 64 : 0;
    int64_t *row = qdri_board_write(wire), *said = row + 1 + wire->ranks;
    if (agreement->word_for) memcpy(row + 1, agreement->word_for, (size_t)wire->ranks * sizeof *row);
    memcpy(said, table->word, (size_t)maxima * sizeof *row);
    said[maxima] = agreement->parity ? *agreement->parity : 0;
    memcpy(said + maxima + 1, wire->tag_span, (size_t)spans * sizeof *row);
    int64_t own = *row = digest(said, maxima + 1 + spans);
    memset(table->span, 0, (size_t)spans * sizeof *table->span);
    table->parity = 0;
    uint64_t kind = QDRI_ROUND_AGREE | (uint64_t)maxima << 8 | (uint64_t)spans << 24;
    QDRI_TRY(qdri_board_show(wire, kind, agreement->deadline));
    for (int r = 0; r < wire->ranks; r++) {
        const int64_t *shown = qdri_board_read(wire, r), *its = shown + 1 + wire->ranks;
        if (agreement->word_for) agreement->word_from[r] = shown[1 + wire->rank];
        if (*shown == own) its = said;
        for (int i = 0; its != said && i < maxima; i++)
            if (its[i] > table->word[i]) table->word[i] = its[i];
        table->parity ^= its[maxima];
        for (int i = 0; i < spans; i++) table->span[i] |= its[maxima + 1 + i];
    }
    return QDR_OK;
}

/* Starts what is wanted, then waits for it: one round trip for all. */
static qdr_status meet_by_messages(qdri_wire *wire, const qdri_agreement *agreement) {
    qdri_table *table = &wire->table;
    qdri_meeting_prepare(&table->maxima);
    QDRI_TRY(qdri_reduce(wire, &table->maxima.operation, QDRI_MAXIMUM, table->word, 1 + agreement->count));
    if (agreement->wants_tags) {
        memcpy(table->span, wire->tag_span, sizeof table->span);
        qdri_meeting_prepare(&table->spans);
        QDRI_TRY(
            qdri_reduce(wire, &table->spans.operation, QDRI_UNION, table->span, (wire->tag_spans + 63) / 64));
    }
    if (agreement->parity) {
        table->parity = *agreement->parity;
        qdri_meeting_prepare(&table->balance);
        QDRI_TRY(qdri_reduce(wire, &table->balance.operation, QDRI_PARITY, &table->parity, 1));
        QDRI_TRY(qdri_meeting_wait(wire, &table->balance, agreement->deadline));
    }
    if (agreement->wants_tags) QDRI_TRY(qdri_meeting_wait(wire, &table->spans, agreement->deadline));
    return qdri_meeting_wait(wire, &table->maxima, agreement->deadline);
}

qdr_status qdri_agree(qdri_wire *wire, qdri_agreement *agreement) {
    qdri_table *table = &wire->table;
    QDRI_TRY(qdri_wire_state(wire));
    /* Before it waits: whatever advances meanwhile may have sentences of its own. */
    if (agreement->status)
        snprintf(table->verdict.sentence, sizeof table->verdict.sentence, "%s", qdr_error_message());
    table->word[0] = agreement->status ? wire->ranks - wire->rank : 0;
    for (int i = 0; i < agreement->count; i++) table->word[1 + i] = agreement->maximum[i];
    int failed = -1;
    qdr_status status = wire->one_node ? meet_on_board(wire, agreement) : meet_by_messages(wire, agreement);
    if (!status) status = read_table(wire, agreement, &failed);
    if (failed >= 0) return spread_failure(wire, failed, agreement->status, agreement->deadline);
    if (status) {
        wire->broken = 1; /* the others may have come through, and part of the table may still be under way */
        return status;
    }
    for (int i = 0; i < agreement->count; i++) agreement->maximum[i] = table->word[1 + i];
    if (agreement->parity && table->parity != 0)
        return qdri_fail(QDR_MISMATCH,
                         "the two ends of some transfers have different ideas of them: the ranks have "
                         "different schedules");
    return agreement->wants_tags ? take_span(wire, &agreement->first_tag) : QDR_OK;
}

qdr_status qdri_tell(qdri_wire *wire, void *data, int bytes, double deadline) {
    qdri_table *table = &wire->table;
    QDRI_TRY(qdri_wire_state(wire));
    memcpy(table->told, data, (size_t)bytes);
    qdr_status status = spread(wire, 0, table->told, bytes, deadline);
    if (status)
        wire->broken = 1;
    else
        memcpy(data, table->told, (size_t)bytes);
    return status;
}
