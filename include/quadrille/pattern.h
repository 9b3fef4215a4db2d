/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns: who sends how much to whom.
 *
 * A pattern of n ranks is a sparse n x n matrix. Entry (i, j) is the number of *items* that rank i sends to rank j:
 * one *message*. Each exchange says later what an item is; in files and in specs it is a byte. An entry of zero items
 * is no message, except in patterns from a spec that asks for messages of 0 bytes: they are scheduled, and cost their
 * startups. Diagonal entries are copies inside a rank. They are kept apart, outside phases, degrees and bounds.
 *
 * A pattern never changes once it is made. Objects built on it keep it alive, so it may be destroyed at any time.
 */
#ifndef QUADRILLE_PATTERN_H
#define QUADRILLE_PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "quadrille/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_pattern qdr_pattern;

typedef struct qdr_message {
    int origin, destination;
    int64_t items;
} qdr_message;

/* ---- making one ---------------------------------------------------------------------------------------- */

/* Local. Copies `count` messages, in any order, into a pattern; those of zero items are left out. Refuses ranks outside
 * 0..ranks-1, negative sizes, a pair given twice, and a total beyond 2^62 items. Cost: O(count + ranks). */
static inline qdr_status qdr_pattern_create(int ranks, int64_t count, const qdr_message *messages,
                                            qdr_pattern **pattern);

/* Local. Generates a pattern from one line, such as "random:n=64,density=0.25,bytes=512,seed=1". qdr_pattern_family()
 * lists the names and keys. */
qdr_status qdr_pattern_from_spec(const char *spec, qdr_pattern **pattern);

/* Local. Reads a Matrix Market file: coordinate, integer or real (whole numbers only), general or symmetric. Row =
 * origin, column = destination, counted from 1. A `pattern` file has no values: each of its entries counts
 * `pattern_items` items, and 0 refuses such a file with QDR_ERR_VALUELESS. `name` stands for the file in messages. */
qdr_status qdr_pattern_read(FILE *stream, const char *name, int64_t pattern_items, qdr_pattern **pattern);

/* Local. Writes a Matrix Market file (coordinate integer general) that qdr_pattern_read() reads back, but for messages of
 * zero items: they are written as entries of 0, which are no messages when they are read. */
qdr_status qdr_pattern_write(const qdr_pattern *pattern, FILE *stream);

/* Local. Frees the pattern unless something built on it still needs it. Sets the handle to NULL; NULL is accepted. */
void qdr_pattern_destroy(qdr_pattern **pattern);

/* ---- looking at it ------------------------------------------------------------------------------------- */

/* The matrix itself, to read. Messages are numbered 0..messages-1 by rising (origin, destination); those of row i are
 * row_start[i] .. row_start[i+1]-1. The messages to j, by rising origin, are column_message[column_start[j]] ..
 * column_message[column_start[j+1]-1]. The diagonal is in local[] only. */
typedef struct qdr_pattern_view {
    int ranks;
    int64_t messages;
    const int *origin, *destination; /* [messages] */
    const int64_t *items;            /* [messages], 0 only where a spec asked for it */
    const int64_t *row_start;        /* [ranks + 1] */
    const int64_t *column_start;     /* [ranks + 1] */
    const int64_t *column_message;   /* [messages] */
    const int64_t *local;            /* [ranks], items that stay where they are */
} qdr_pattern_view;

/* Local, free of cost. Valid as long as the pattern. */
static inline qdr_pattern_view qdr_pattern_look(const qdr_pattern *pattern);

/* The words of the transportation paper, section 2. Only off-diagonal messages count. */
typedef enum qdr_pattern_class {
    QDR_CLASS_EMPTY,        /* nobody sends */
    QDR_CLASS_ONE_TO_ONE,   /* one message */
    QDR_CLASS_ONE_TO_MANY,  /* one sender */
    QDR_CLASS_ONE_TO_ALL,   /* one sender, to every other rank */
    QDR_CLASS_MANY_TO_ONE,  /* one receiver */
    QDR_CLASS_ALL_TO_ONE,   /* one receiver, from every other rank */
    QDR_CLASS_PERMUTATION,  /* nobody sends or receives more than one message */
    QDR_CLASS_ALL_TO_ALL,   /* everybody sends to every other rank */
    QDR_CLASS_ALL_TO_MANY,  /* everybody sends */
    QDR_CLASS_MANY_TO_ALL,  /* each sender sends to every other rank, every rank receives */
    QDR_CLASS_MANY_TO_MANY, /* anything else */
} qdr_pattern_class;

typedef struct qdr_pattern_statistics {
    int ranks;
    int64_t messages, items;   /* off the diagonal */
    int64_t local_items;       /* on it */
    double density;            /* messages / (n (n - 1)); 0 for one rank */
    int64_t fan_out, fan_in;   /* f, g: most messages out of, into one rank */
    int64_t degree;            /* h = max(f, g): no direct schedule has fewer phases */
    int64_t out_traffic;       /* r: most items out of one rank */
    int64_t in_traffic;        /* c: most items into one rank */
    int64_t traffic;           /* t = max(r, c): full-duplex bound in items */
    int64_t both_traffic;      /* most items out of and into the same rank: half-duplex bound */
    int64_t smallest, largest; /* message sizes; 0 when there are none */
    double mean, deviation;    /* of the message sizes */
    int uniform;               /* all messages have the same size */
    int equal_traffic;         /* every rank sends and receives exactly t */
    int symmetric_structure;   /* i sends to j exactly when j sends to i */
    qdr_pattern_class kind;
} qdr_pattern_statistics;

/* Local. Cost: O(messages + ranks). */
static inline void qdr_pattern_measure(const qdr_pattern *pattern, qdr_pattern_statistics *statistics);

/* Local. "all-to-many" and so on; never NULL. */
const char *qdr_pattern_class_text(qdr_pattern_class kind);

/* ---- the generated families ---------------------------------------------------------------------------- */

typedef struct qdr_pattern_family_info {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* paper and section, or "" */
    const char *example; /* a spec that works */
    const char *options; /* one line per key: "key=default  meaning\n" */
} qdr_pattern_family_info;

/* Local. The index-th family, in the order of the documentation; NULL past the last. `options` lives until the
 * calling thread's next call that describes something. */
const qdr_pattern_family_info *qdr_pattern_family(int index);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The functions above call these in the library, with the size of the caller's structs added (docs/abi.md). */
qdr_status qdr_pattern_create_sized(int ranks, int64_t count, const qdr_message *messages,
                                    size_t message_bytes, qdr_pattern **pattern);
void qdr_pattern_look_sized(const qdr_pattern *pattern, qdr_pattern_view *view, size_t view_bytes);
void qdr_pattern_measure_sized(const qdr_pattern *pattern, qdr_pattern_statistics *statistics,
                               size_t statistics_bytes);

static inline qdr_status qdr_pattern_create(int ranks, int64_t count, const qdr_message *messages,
                                            qdr_pattern **pattern) {
    return qdr_pattern_create_sized(ranks, count, messages, sizeof *messages, pattern);
}
static inline qdr_pattern_view qdr_pattern_look(const qdr_pattern *pattern) {
    qdr_pattern_view view;
    qdr_pattern_look_sized(pattern, &view, sizeof view);
    return view;
}
static inline void qdr_pattern_measure(const qdr_pattern *pattern, qdr_pattern_statistics *statistics) {
    qdr_pattern_measure_sized(pattern, statistics, sizeof *statistics);
}

#ifdef __cplusplus
}
#endif
#endif
