/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement: see agree.h. Where all ranks of the wire share a node it goes by the board, in one round: each shows its
 * terms, its failure if it has one, and the spans of tags that it uses; all read all rows, and come to the same. Mostly
 * all ranks say the same, and then a digest is all that is read of a row. Elsewhere the wire's council does it.
 */
#include "wire/agree.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "wire/council.h"
#include "wire/inside.h"
#include "wire/paper.h"

/* ---- waiting in vain ----------------------------------------------------------------------------------- */

qdr_status qdri_fail_stalled(qdri_wire *wire, const char *call, const char *who) {
    char absent[400];
    qdri_status_absent(wire, absent, sizeof absent);
    return qdri_fail(QDR_ERR_STALLED, "not all ranks came to %s before the deadline%s", call,
                     *absent ? absent : who);
}

/* ---- tags ---------------------------------------------------------------------------------------------- */

int qdri_span_find(const qdri_wire *wire, const uint64_t *taken) {
    for (int i = 0; i < wire->tag_spans; i++) {
        int span = (wire->next_span + i) % wire->tag_spans;
        if (!(taken[span / 64] >> span % 64 & 1)) return span;
    }
    return -1;
}

static void flip_span(qdri_wire *wire, int64_t span) {
    wire->tag_span[span / 64] ^= UINT64_C(1) << span % 64;
    wire->tag_digest ^= qdri_mix((uint64_t)span + 1);
}

qdr_status qdri_span_take(qdri_wire *wire, int64_t span, int *first_tag) {
    if (span < 0 || span >= wire->tag_spans)
        return qdri_fail(QDR_ERR_RANGE,
                         "%d plans live on this communicator, and MPI has no more tags; destroy some",
                         wire->tag_spans);
    flip_span(wire, span);
    wire->next_span = (int)((span + 1) % wire->tag_spans);
    *first_tag = QDRI_FREE_TAGS + (int)span * QDRI_TAGS;
    return QDR_OK;
}

void qdri_wire_return_tags(qdri_wire *wire, int first_tag) {
    int span = (first_tag - QDRI_FREE_TAGS) / QDRI_TAGS;
    if (wire->tag_span[span / 64] >> span % 64 & 1) flip_span(wire, span);
}

void qdri_wire_spare_tags(qdri_wire *wire, int first_tag) {
    qdri_wire_return_tags(wire, first_tag);
    wire->next_span = (first_tag - QDRI_FREE_TAGS) / QDRI_TAGS;
}

/* ---- on a node ----------------------------------------------------------------------------------------- */

/* Words of a row: a digest of the status and the values, a word for each member, the status, the values and a text. Few
 * members need no second line. */
enum { VALUES_AND_TEXT = QDRI_TERMS + QDRI_UNITED + QDRI_PAPER_TEXT / 8 };
_Static_assert(2 + (int)VALUES_AND_TEXT <= (int)QDRI_BOARD_WORDS, "a row has room for an agreement");

typedef struct row {
    int64_t *digest, *word, *status, *value;
    char *text;
} row;

static row row_in(const qdri_wire *wire, const int64_t *at) {
    int64_t *word = (int64_t *)at + 1, *status = word + wire->ranks;
    return (row){word - 1, word, status, status + 1, (char *)(status + 1 + QDRI_TERMS + QDRI_UNITED)};
}

static row row_of(const qdri_wire *wire, int rank) {
    return row_in(wire, qdri_board_read(wire, rank));
}

static int64_t digest(const int64_t *word, int count, uint64_t all) {
    for (int i = 0; i < count; i++)
        all = ((all ^ (uint64_t)word[i]) + (all >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)qdri_mix(all);
}

/* The bits that all ranks unite. */
static const uint64_t *bits_of(const qdri_wire *wire, const qdri_agreement *agreement, int *words) {
    *words = agreement->wants_tags ? (wire->tag_spans + 63) / 64 : agreement->united_words;
    return agreement->wants_tags ? wire->tag_span : agreement->united;
}

static void write_row(qdri_wire *wire, const qdri_agreement *agreement, row own) {
    int words;
    const uint64_t *bits = bits_of(wire, agreement, &words);
    if (agreement->status)
        snprintf(own.text, QDRI_PAPER_TEXT, "rank %d: %s", wire->rank, qdr_error_message());
    else if (agreement->told_bytes > 0 && wire->rank == 0)
        memcpy(own.text, agreement->told, (size_t)agreement->told_bytes);
    if (agreement->word_for) memcpy(own.word, agreement->word_for, (size_t)wire->ranks * sizeof *own.word);
    *own.status = agreement->status;
    for (int i = 0; i < agreement->terms; i++) own.value[i] = agreement->term[i].value;
    for (int i = 0; i < words; i++) own.value[agreement->terms + i] = (int64_t)bits[i];
    /* Of tags there are many words, whose digest is at hand. */
    *own.digest = agreement->wants_tags ? digest(own.status, 1 + agreement->terms, wire->tag_digest)
                                        : digest(own.status, 1 + agreement->terms + words, 1);
}

/* Whether equal values of all ranks come to that value. */
static int is_idempotent(const qdri_agreement *agreement) {
    for (int i = 0; i < agreement->terms; i++)
        if (agreement->term[i].kind >= QDRI_TERM_SUM) return 0;
    return 1;
}

/* All ranks look at the same rows in the same order, and so say the same. */
static qdr_status check_alike(const qdri_wire *wire, const qdri_term *term, int place) {
    qdri_paper_entry first = {QDRI_SILENT, 0};
    for (int r = 0; r < wire->ranks; r++) {
        qdri_paper_entry its = {row_of(wire, r).value[place], r};
        if (qdri_term_differs(term, first.value, its.value)) return qdri_fail_alike(term, first, its);
        if (first.value == QDRI_SILENT) first = its;
    }
    return QDR_OK;
}

static qdr_status check_all_alike(const qdri_wire *wire, const qdri_agreement *agreement) {
    for (int i = 0; i < agreement->terms; i++) QDRI_TRY(check_alike(wire, &agreement->term[i], i));
    return QDR_OK;
}

/* What all rows come to; *failed is the lowest rank with a failure, -1: none. */
static int add_rows(qdri_wire *wire, const qdri_agreement *agreement, int bit_words, row own, int64_t *sum,
                    int *failed) {
    int alike = is_idempotent(agreement), all_equal = 1, words = agreement->terms + bit_words;
    *failed = -1;
    memcpy(sum, own.value, (size_t)words * sizeof *sum);
    for (int r = 0; r < wire->ranks; r++) {
        row its = row_of(wire, r);
        if (agreement->word_for) agreement->word_from[r] = its.word[wire->rank];
        if (*own.status || *its.digest != *own.digest)
            if (*its.status && *failed < 0) *failed = r;
        if (r == wire->rank) continue;
        int equal = *its.digest == *own.digest;
        all_equal &= equal;
        if (equal && alike) continue;
        for (int i = 0; i < agreement->terms; i++)
            sum[i] = qdri_term_add(agreement->term[i].kind, sum[i], its.value[i]);
        for (int i = agreement->terms; i < words; i++) sum[i] |= its.value[i];
    }
    return all_equal;
}

static qdr_status agree_on_board(qdri_wire *wire, qdri_agreement *agreement) {
    int bit_words, failed;
    (void)bits_of(wire, agreement, &bit_words);
    int64_t sum[QDRI_TERMS + QDRI_UNITED];
    uint64_t shape = (uint64_t)agreement->terms << 48 | (uint64_t)bit_words << 32 |
                     (uint64_t)agreement->told_bytes << 1 | 1;
    row own = row_in(wire, qdri_board_write(wire));
    write_row(wire, agreement, own);
    QDRI_TRY(qdri_board_show(wire, agreement->call, shape, agreement->deadline));
    int all_equal = add_rows(wire, agreement, bit_words, own, sum, &failed);
    if (failed >= 0) {
        row its = row_of(wire, failed);
        return qdri_fail((qdr_status)*its.status, "%s", its.text);
    }
    if (!all_equal) QDRI_TRY(check_all_alike(wire, agreement));
    for (int i = 0; i < agreement->terms; i++) agreement->term[i].value = sum[i];
    for (int i = 0; i < agreement->united_words; i++)
        agreement->united[i] = (uint64_t)sum[agreement->terms + i];
    if (agreement->told_bytes > 0)
        memcpy(agreement->told, row_of(wire, 0).text, (size_t)agreement->told_bytes);
    if (!agreement->wants_tags) return QDR_OK;
    return qdri_span_take(wire, qdri_span_find(wire, (const uint64_t *)(sum + agreement->terms)),
                          &agreement->first_tag);
}

/* ---- anywhere ------------------------------------------------------------------------------------------ */

/* A rank whose wire is broken comes as well: what it knows, and what others may have found out about it meanwhile, has to
 * become one answer for all. */
qdr_status qdri_agree(qdri_wire *wire, qdri_agreement *agreement) {
    qdr_status state = qdri_wire_state(wire);
    int is_whole = wire->one_node || wire->council; /* it did not break while it was made */
    int is_over = wire->council && qdri_council_is_over(wire->council);
    if (state && (!is_whole || wire->gone || (wire->failed && !is_over))) return state;
    if (wire->one_node) return state ? qdri_board_last_word(wire) : agree_on_board(wire, agreement);
    agreement->number = -2;
    if (state) agreement->status = state;
    qdr_status status = qdri_council_agree(wire->council, agreement);
    if (!qdri_council_is_over(wire->council) || qdri_council_is_lost(wire->council)) return status;
    wire->broken = 1;
    snprintf(wire->failure, sizeof wire->failure, "%s", qdr_error_message());
    return qdri_council_ended_in(wire->council, agreement) ? status : qdri_wire_state(wire);
}

qdr_status qdri_agree_status(qdri_wire *wire, const char *call, qdr_status mine, double deadline) {
    return qdri_agree(wire, &(qdri_agreement){.call = call, .status = mine, .deadline = deadline});
}
