/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a schedule. It is a pattern, what its phases promise, and a way to read one rank's row of one stage.
 * There are several ways to have rows, and the rest of the library cannot tell them apart:
 *
 *     a function   phase of (from, to), nothing is stored     async, linear, pairwise, balanced
 *     an array     phase of each message                      greedy, random, random-link, coloring, split
 *     pieces       (stage, phase, from, to, piece), sorted    random-split, split with cuts, read from a file
 *     two-stage and recursive compute their rows: n^3 and n^2 log n pieces, never written out (recursive
 *     keeps, of sparse patterns, which messages are handed over where)
 *     a script     what one rank has seen in a rehearsal (rehearsal.h): its own row, and no other
 */
#ifndef QDRI_SCHEDULE_H
#define QDRI_SCHEDULE_H

#include <stdint.h>

#include "base/owned.h"
#include "base/spec.h"
#include "quadrille/schedule.h"

typedef struct qdri_algorithm qdri_algorithm;

/* How rows are read. */
typedef struct qdri_rows {
    /* Adds the row's transfers through qdri_row_send, _receive and _piece, in any order of phases. */
    qdr_status (*read)(const qdr_schedule *schedule, int rank, int stage, qdr_row_reader *reader);
    void (*release)(void *state);
} qdri_rows;

struct qdr_schedule {
    qdri_owned owned;
    const char *algorithm; /* a name of the table, or "loaded" */
    char *spec;
    qdr_pattern *pattern;
    qdr_machine *machine; /* may be NULL */
    unsigned promises;
    int direct;
    int stages;
    int64_t phases, transfers; /* -1: not counted by the builder */
    int64_t *limit;            /* [limits], of phase p of stage 0, when a limit is promised */
    int64_t limits;
    const qdri_rows *rows;
    void *state;
};

/* An empty schedule of one stage. Takes references of pattern and machine, which must have room for it. */
qdr_status qdri_schedule_open(const qdr_pattern *pattern, const qdr_machine *machine, const char *algorithm,
                              const char *spec, qdr_schedule **schedule);

/* One more owner; qdr_schedule_destroy() releases it. */
qdr_schedule *qdri_schedule_retain(const qdr_schedule *schedule);

/* What ranks have for themselves is moved, too: its pattern is the one with the diagonal (pattern/pattern.h). */
qdr_status qdri_schedule_move_diagonal(qdr_schedule *schedule);

/* Counts phases and transfers if the builder has not. */
qdr_status qdri_schedule_close(qdr_schedule *schedule);

/* Refuses a message or transfer whose bytes cannot be counted. Neither number is negative. */
qdr_status qdri_check_bytes(int64_t items, int64_t item_bytes);

/* Where the phase that begins at steps[first] ends. */
int64_t qdri_phase_end(const qdr_step *steps, int64_t count, int64_t first);

/* ---- for builders: how the rows are had ---------------------------------------------------------------- */

/* Direct: phase(ranks, from, to), not negative. */
typedef int64_t qdri_phase_function(int ranks, int from, int to);
qdr_status qdri_rows_from_function(qdr_schedule *schedule, qdri_phase_function *phase);

/* Direct: message m goes in phase_of[m], 0 <= phase < phases, none empty. Takes phase_of. */
qdr_status qdri_rows_from_array(qdr_schedule *schedule, int32_t *phase_of, int64_t phases);

typedef struct qdri_piece_entry {
    int32_t stage, phase;
    int from, to;
    qdr_piece piece;
} qdri_piece_entry;

/* Any schedule: one entry per piece; entries of one transfer keep their order. Takes `entries`. Where there are pieces of
 * what a rank has for itself, the diagonal is moved. */
qdr_status qdri_rows_from_entries(qdr_schedule *schedule, qdri_piece_entry *entries, int64_t count);

/* ---- for row functions --------------------------------------------------------------------------------- */

/* What the reader wants; a row function may leave out the rest. */
enum { QDRI_WANT_SENDS = 1, QDRI_WANT_RECEIVES = 2, QDRI_WANT_PIECES = 4 };

/* Memory that a row function may use again from row to row: zeroed at first, grown by the reader. */
enum { QDRI_SCRATCHES = 3 };
typedef struct qdri_scratch {
    void *bytes;
    int64_t capacity;
} qdri_scratch;

struct qdr_row_reader {
    qdr_schedule *schedule; /* kept alive */
    int wants;
    qdr_status failed;
    qdr_transfer *send, *receive, *open; /* open: the one that pieces are added to */
    int64_t sends, receives, send_capacity, receive_capacity;
    qdr_piece *piece;
    int64_t pieces, piece_capacity;
    int64_t *key, *order; /* for sorting */
    int64_t key_capacity, order_capacity;
    qdr_transfer *sorted;
    int64_t sorted_capacity;
    qdri_scratch scratch[QDRI_SCRATCHES];
};

qdr_status qdri_row_reader_open(const qdr_schedule *schedule, int wants, qdr_row_reader **reader);

/* Begin a transfer; failures of memory are remembered and returned by qdr_row_read(). A transfer that gets no
 * piece disappears. A piece has at least one item, or is all of a message that has none. */
void qdri_row_send(qdr_row_reader *reader, int64_t phase, int to);
void qdri_row_receive(qdr_row_reader *reader, int64_t phase, int from);
void qdri_row_piece(qdr_row_reader *reader, int origin, int destination, int64_t offset, int64_t length);

/* At least count * size bytes of scratch `which`; NULL (and the reader fails) without memory. */
void *qdri_row_scratch(qdr_row_reader *reader, int which, int64_t count, size_t size);

#endif
