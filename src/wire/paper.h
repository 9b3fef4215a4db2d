/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Papers: what the members of a council (council.h) tell each other. A head, an entry for each term, bits to be united,
 * as of the spans of tags in use, and a sentence if something has failed, else what the first member tells; no more
 * travels than there is. What comes may be another program's, and is held against what it may be.
 */
#ifndef QDRI_PAPER_H
#define QDRI_PAPER_H

#include "base/decode.h"
#include "wire/agree.h"

enum { QDRI_TAG_SPANS = 64 * QDRI_UNITED, QDRI_PAPER_CALL = 48, QDRI_PAPER_TEXT = 1024 };

typedef struct qdri_paper_head {
    int64_t number;              /* of the question */
    int64_t status;              /* 0, or a failure */
    int64_t kind, key;           /* of the failure: a qdri_paper_failure, and whose it is */
    int64_t terms, united, told; /* entries, words, bytes */
    int64_t span;                /* of an answer: the span of tags that is taken; -1: none is left */
    char call[QDRI_PAPER_CALL];
} qdri_paper_head;

/* Which failure counts, the first before the second: some have not come, or they are in different calls, after which they
 * agree on nothing more; a rank has failed; a term differs. Of one kind the least key counts. */
typedef enum qdri_paper_failure {
    QDRI_FAILS_FOR_GOOD = 1,
    QDRI_FAILS_BY_RANK,
    QDRI_FAILS_BY_TERM
} qdri_paper_failure;

/* A value; of an alike term also a rank that has it. */
typedef struct qdri_paper_entry {
    int64_t value, rank;
} qdri_paper_entry;

typedef struct qdri_paper {
    qdri_paper_head head;
    qdri_paper_entry entry[QDRI_TERMS];
    uint64_t united[QDRI_UNITED];
    char text[QDRI_PAPER_TEXT];
} qdri_paper;

/* What this rank brings; `united` are bits of so many words. */
void qdri_paper_write(qdri_paper *paper, const qdri_agreement *agreement, int rank, const uint64_t *united,
                      int words);
/* A failure, with this thread's error message, unless there is one that counts more. */
void qdri_paper_fail(qdri_paper *paper, qdr_status status, qdri_paper_failure kind);
/* Adds what another rank brings, or several; `term` names those of this rank. */
void qdri_paper_add(qdri_paper *paper, const qdri_paper *other, const qdri_term *term, int rank,
                    int other_rank);
/* What the terms came to, and what was told. Returns the failure, with its sentence, or that of a term. */
qdr_status qdri_paper_read(const qdri_paper *paper, qdri_agreement *agreement);

/* What two values of a term come to; of an alike one the first. */
int64_t qdri_term_add(qdri_term_kind kind, int64_t a, int64_t b);
/* The failure of a term whose values differ. */
qdr_status qdri_fail_alike(const qdri_term *term, qdri_paper_entry one, qdri_paper_entry other);
static inline int qdri_term_differs(const qdri_term *term, int64_t a, int64_t b) {
    int is_alike = term->kind == QDRI_TERM_ALIKE || term->kind == QDRI_TERM_SAME;
    return is_alike && a != b && a != QDRI_SILENT && b != QDRI_SILENT;
}

/* As it travels; at most sizeof(qdri_paper) bytes. Returns how many. */
int64_t qdri_paper_pack(const qdri_paper *paper, char *bytes);
qdr_status qdri_paper_unpack(qdri_teller sender, const char *bytes, int64_t length, qdri_paper *paper);

#endif
