/* SPDX-License-Identifier: BSD-3-Clause */
/* Papers: see paper.h. */
#include "wire/paper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* ---- what is in them ----------------------------------------------------------------------------------- */

void qdri_paper_write(qdri_paper *paper, const qdri_agreement *agreement, int rank, const uint64_t *united,
                      int words) {
    paper->head = (qdri_paper_head){.terms = agreement->terms, .united = words, .span = -1};
    snprintf(paper->head.call, sizeof paper->head.call, "%s", agreement->call);
    for (int i = 0; i < agreement->terms; i++)
        paper->entry[i] = (qdri_paper_entry){agreement->term[i].value, rank};
    for (int i = 0; i < words; i++) paper->united[i] = united[i];
    if (!agreement->status) return;
    paper->head.status = agreement->status;
    paper->head.kind = QDRI_FAILS_BY_RANK;
    paper->head.key = agreement->has_key ? agreement->key : rank;
    if (agreement->has_key)
        snprintf(paper->text, sizeof paper->text, "%s", qdr_error_message());
    else
        snprintf(paper->text, sizeof paper->text, "rank %d: %s", rank, qdr_error_message());
}

void qdri_paper_fail(qdri_paper *paper, qdr_status status, qdri_paper_failure kind) {
    if (paper->head.status && paper->head.kind <= (int64_t)kind) return;
    paper->head.status = status;
    paper->head.kind = kind;
    paper->head.key = 0;
    snprintf(paper->text, sizeof paper->text, "%s", qdr_error_message());
}

int64_t qdri_term_add(qdri_term_kind kind, int64_t a, int64_t b) {
    switch (kind) {
    case QDRI_TERM_MOST:
        return a > b ? a : b;
    case QDRI_TERM_LEAST:
        return a < b ? a : b;
    case QDRI_TERM_SUM:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case QDRI_TERM_PARITY:
        return a ^ b;
    default:
        return a == QDRI_SILENT ? b : a;
    }
}

qdr_status qdri_fail_alike(const qdri_term *term, qdri_paper_entry one, qdri_paper_entry other) {
    if (term->kind == QDRI_TERM_SAME)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "ranks %" PRId64 " and %" PRId64 " differ in the %s; expected the same on all",
                         one.rank, other.rank, term->name);
    return qdri_fail(QDR_ERR_MISMATCH,
                     "ranks %" PRId64 " and %" PRId64 " differ in the %s: %" PRId64 " and %" PRId64
                     "; expected the same on all",
                     one.rank, other.rank, term->name, one.value, other.value);
}

static void add_entry(qdri_paper *paper, const qdri_term *term, qdri_paper_entry *mine,
                      const qdri_paper_entry *other) {
    if (qdri_term_differs(term, mine->value, other->value))
        qdri_paper_fail(paper, qdri_fail_alike(term, *mine, *other), QDRI_FAILS_BY_TERM);
    if (mine->value == QDRI_SILENT) mine->rank = other->rank;
    mine->value = qdri_term_add(term->kind, mine->value, other->value);
}

void qdri_paper_add(qdri_paper *paper, const qdri_paper *other, const qdri_term *term, int rank,
                    int other_rank) {
    qdri_paper_head *head = &paper->head;
    if (strcmp(head->call, other->head.call) != 0 || head->terms != other->head.terms ||
        head->united != other->head.united) {
        qdri_paper_fail(paper,
                        qdri_fail(QDR_ERR_MISMATCH,
                                  "ranks are in different collective calls: rank %d in %s, rank %d in %s",
                                  rank, head->call, other_rank, other->head.call),
                        QDRI_FAILS_FOR_GOOD);
        return;
    }
    for (int i = 0; i < head->terms; i++) add_entry(paper, &term[i], &paper->entry[i], &other->entry[i]);
    for (int i = 0; i < head->united; i++) paper->united[i] |= other->united[i];
    if (!other->head.status) return;
    if (head->status &&
        (head->kind < other->head.kind || (head->kind == other->head.kind && head->key <= other->head.key)))
        return;
    head->status = other->head.status;
    head->kind = other->head.kind;
    head->key = other->head.key;
    memcpy(paper->text, other->text, sizeof paper->text);
}

qdr_status qdri_paper_read(const qdri_paper *paper, qdri_agreement *agreement) {
    if (paper->head.status) return qdri_fail((qdr_status)paper->head.status, "%s", paper->text);
    if (paper->head.terms != agreement->terms || paper->head.told != agreement->told_bytes ||
        paper->head.united != agreement->united_words)
        return qdri_fail(QDR_ERR_MISMATCH, "an answer to another question came to %s", agreement->call);
    for (int i = 0; i < agreement->terms; i++) {
        qdri_term *term = &agreement->term[i];
        term->value = paper->entry[i].value;
        QDRI_TRY(qdri_decode_word(QDRI_SOMEBODY, term->name, term->value, term->least, term->most));
    }
    for (int i = 0; i < agreement->united_words; i++) agreement->united[i] = paper->united[i];
    if (agreement->told_bytes > 0) memcpy(agreement->told, paper->text, (size_t)agreement->told_bytes);
    return QDR_OK;
}

/* ---- as they travel ------------------------------------------------------------------------------------ */

static size_t text_bytes(const qdri_paper_head *head) {
    return head->status ? QDRI_PAPER_TEXT : (size_t)head->told;
}

static int64_t packed_bytes(const qdri_paper_head *head) {
    return (int64_t)(sizeof *head + (size_t)head->terms * sizeof(qdri_paper_entry) +
                     8 * (size_t)head->united + text_bytes(head));
}

/* The parts of a paper one after the other. */
typedef struct part {
    void *at;
    size_t bytes;
} part;

static void find_parts(qdri_paper *paper, part parts[4]) {
    const qdri_paper_head *head = &paper->head;
    parts[0] = (part){&paper->head, sizeof paper->head};
    parts[1] = (part){paper->entry, (size_t)head->terms * sizeof *paper->entry};
    parts[2] = (part){paper->united, (size_t)head->united * sizeof *paper->united};
    parts[3] = (part){paper->text, text_bytes(head)};
}

int64_t qdri_paper_pack(const qdri_paper *paper, char *bytes) {
    part parts[4];
    find_parts((qdri_paper *)(uintptr_t)paper, parts);
    for (int i = 0; i < 4; i++) {
        memcpy(bytes, parts[i].at, parts[i].bytes);
        bytes += parts[i].bytes;
    }
    return packed_bytes(&paper->head);
}

qdr_status qdri_paper_unpack(qdri_teller sender, const char *bytes, int64_t length, qdri_paper *paper) {
    static const qdri_expected expected[] = {
        QDRI_MEMBER(qdri_paper_head, number, "number of a question", -1, INT64_MAX),
        QDRI_MEMBER(qdri_paper_head, kind, "kind of a failure", 0, QDRI_FAILS_BY_TERM),
        QDRI_MEMBER(qdri_paper_head, terms, "number of terms", 0, QDRI_TERMS),
        QDRI_MEMBER(qdri_paper_head, united, "words of united bits", 0, QDRI_UNITED),
        QDRI_MEMBER(qdri_paper_head, told, "bytes that are told", 0, QDRI_TOLD),
        QDRI_MEMBER(qdri_paper_head, span, "a span of tags", -1, QDRI_TAG_SPANS - 1),
    };
    part parts[4];
    if (length < (int64_t)sizeof paper->head)
        return qdri_decode_length(sender, "a paper", length, (int64_t)sizeof paper->head);
    memcpy(&paper->head, bytes, sizeof paper->head);
    QDRI_TRY(qdri_decode(sender, expected, (int)(sizeof expected / sizeof *expected), &paper->head));
    if (paper->head.status) QDRI_TRY(qdri_decode_failure(sender, paper->head.status));
    QDRI_TRY(qdri_decode_length(sender, "a paper", length, packed_bytes(&paper->head)));
    find_parts(paper, parts);
    for (int i = 1; i < 4; i++) {
        memcpy(parts[i].at, bytes + (i == 1 ? sizeof paper->head : 0), parts[i].bytes);
        bytes += parts[i].bytes + (i == 1 ? sizeof paper->head : 0);
    }
    qdri_decode_text(paper->head.call, sizeof paper->head.call);
    if (paper->head.status) qdri_decode_text(paper->text, sizeof paper->text);
    return QDR_OK;
}
