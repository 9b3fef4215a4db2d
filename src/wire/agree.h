/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement: how the ranks of a collective call come to one result.
 *
 * Each rank brings a list of named terms, the same list on all ranks, and its own status. All ranks get the same
 * answer: what the terms come to, or one failure with one sentence. It is a failure when
 *
 *     a rank brings one        the status of the lowest such rank, with its sentence
 *     ranks are in different   QDR_ERR_MISMATCH: "rank 0 is in qdr_plan_create, rank 3 in qdr_discover"
 *     calls
 *     a term is not alike      QDR_ERR_MISMATCH: "ranks 0 and 3 differ in the bytes of an item: 8 and 16"
 *     not all have come        QDR_ERR_STALLED: "rank 3 did not come to qdr_plan_create before the deadline"
 *
 * One rank decides, the first, and tells the others; on a node it is whoever comes first to a word in shared memory
 * that is written once. So nobody has the one answer while somebody else has the other, also when a deadline passes at
 * the moment when the last rank comes. Where the first rank itself does not come, the others wait for it a little
 * longer than their deadlines, and whoever comes after that finds that they have gone.
 *
 * Two kinds of failure break what the ranks agree on: ranks that are in different calls, and ranks that did not come.
 * Nobody knows then what the others do next, so every later agreement fails at once.
 *
 * Cost: on a node one line of memory written and one read for each rank; elsewhere one small message up a tree and
 * one down, for each rank.
 */
#ifndef QDRI_AGREE_H
#define QDRI_AGREE_H

#include "wire/wire.h"

enum { QDRI_TERMS = 24, QDRI_TOLD = 1024, QDRI_UNITED = 64 };

typedef enum qdri_term_kind {
    QDRI_TERM_ALIKE, /* must be the same on all ranks */
    QDRI_TERM_SAME,  /* the same for values that say nothing to a reader, such as digests */
    QDRI_TERM_MOST,
    QDRI_TERM_LEAST,
    QDRI_TERM_SUM,
    QDRI_TERM_PARITY, /* the exclusive or of all */
} qdri_term_kind;

typedef struct qdri_term {
    const char *name; /* as in "ranks 0 and 3 differ in the NAME: 8 and 16" */
    qdri_term_kind kind;
    int64_t value;       /* in: this rank's; out: what it came to */
    int64_t least, most; /* bounds of the result, which may be another program's word */
} qdri_term;

/* Of a term that must be alike: this rank has no say in it. */
#define QDRI_SILENT INT64_MIN

#define QDRI_IS_ALIKE(name, value)             ((qdri_term){(name), QDRI_TERM_ALIKE, (value), INT64_MIN, INT64_MAX})
#define QDRI_IS_SAME(name, value)              ((qdri_term){(name), QDRI_TERM_SAME, (value), INT64_MIN, INT64_MAX})
#define QDRI_IS_MOST(name, value, least, most) ((qdri_term){(name), QDRI_TERM_MOST, (value), (least), (most)})
#define QDRI_IS_LEAST(name, value, least, most)                                                              \
    ((qdri_term){(name), QDRI_TERM_LEAST, (value), (least), (most)})
#define QDRI_IS_SUM(name, value)    ((qdri_term){(name), QDRI_TERM_SUM, (value), INT64_MIN, INT64_MAX})
#define QDRI_IS_PARITY(name, value) ((qdri_term){(name), QDRI_TERM_PARITY, (value), INT64_MIN, INT64_MAX})

typedef struct qdri_agreement {
    const char *call;  /* in which all ranks have to be: "qdr_plan_create"; at most 47 letters */
    qdr_status status; /* mine; its sentence is this thread's error message */
    qdri_term *term;
    int terms;   /* at most QDRI_TERMS */
    int has_key; /* of this rank's failure: `key` says how much it counts, and the sentence names who fails; */
    int64_t key;             /* the least key counts; without one it is the rank */
    uint64_t *united;        /* NULL, or bits: in, this rank's; out, those of all; not with tags */
    int united_words;        /* at most QDRI_UNITED, the same on all ranks */
    void *told;              /* NULL, or what the first rank tells the others: in, and out */
    int told_bytes;          /* at most QDRI_TOLD, the same on all ranks */
    const int64_t *word_for; /* NULL, or where all ranks share a node: [ranks], a word for each; */
    int64_t *word_from;      /* and out: [ranks], what each had for this rank */
    int wants_tags;          /* the same on all ranks */
    int first_tag;           /* out: of a span that no rank uses (tags.h) */
    double
        deadline; /* 0: none; less than 0: qdri_deadline(0), looked up when somebody has to wait for long */

    void *waiter;   /* private */
    int64_t number; /* private: of the question */
} qdri_agreement;

#define QDRI_DEADLINE_LATER (-1.0)

/* Collective. */
qdr_status qdri_agree(qdri_wire *wire, qdri_agreement *agreement);

/* Collective: whether all ranks can go on. */
qdr_status qdri_agree_status(qdri_wire *wire, const char *call, qdr_status mine, double deadline);

#endif
