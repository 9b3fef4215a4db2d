/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves inside the library: making them within a budget of memory, and the shape of a method. A method is one
 * file that ends with a qdri_moves_method, and one line in methods.c; the command, the documentation and the
 * tests follow from that line.
 */
#ifndef QDRI_MOVES_H
#define QDRI_MOVES_H

#include "base/budget.h"
#include "base/error.h"
#include "base/spec.h"
#include "quadrille/moves.h"

/* No more units in all than this, so that sums of room and data never overflow. */
#define QDRI_UNITS_LIMIT (INT64_C(1) << 60)

/* Schedules beyond this are refused: they would take longer than anyone waits. */
#define QDRI_PHASES_LIMIT (INT64_C(1) << 20)

/* qdr_moves_create() with every allocation counted; the budget must live as long as the moves. QDR_ERR_MEMORY
 * when it does not suffice. A pattern is shared, not copied, and does not count. */
qdr_status qdri_moves_create(const qdr_pattern *pattern, const int64_t *room, const char *method,
                             qdri_budget *budget, qdr_moves **moves);

/* ---- phases, appended one after the other -------------------------------------------------------------- */

typedef struct qdri_phases {
    qdri_budget *budget;
    qdr_move *move;
    int64_t moves, capacity;
    int64_t *start; /* [count + 1], start[count]: where the open phase begins; NULL before the first ends */
    int64_t count, start_capacity;
    int64_t most;    /* phases; one more is refused with QDR_ERR_RANGE */
    int counts_only; /* moves are forgotten when their phase ends */
} qdri_phases;

void qdri_phases_open(qdri_phases *phases, qdri_budget *budget);
qdr_status qdri_phases_add(qdri_phases *phases, qdr_move move);

/* Ends the open phase: brings its moves into order and joins neighbouring parts. An empty phase vanishes. */
qdr_status qdri_phases_end(qdri_phases *phases);

void qdri_phases_close(qdri_phases *phases);

/* Units that left their origin for another rank than their destination. */
int64_t qdri_phases_parked(const qdri_phases *phases, const qdr_pattern_view *view);

/* ---- methods ------------------------------------------------------------------------------------------- */

/* What a method is given: an instance that can end. */
typedef struct qdri_moves_request {
    qdr_pattern_view view;
    const int64_t *room;     /* [ranks], none above 2 `total` */
    const int64_t *in, *out; /* [ranks] units to be received, to be sent */
    int64_t total, free;     /* T, M */
    int64_t bound;           /* ceil(T / M) */
    const qdri_spec *options;
    qdri_budget *budget;
} qdri_moves_request;

typedef struct qdri_moves_method {
    const char *name, *summary, *promise;
    const qdri_option *options;
    int option_count;
    int parks;
    /* Appends its phases, and sets *taken where another method made them. Something is to be moved. */
    qdr_status (*build)(const qdri_moves_request *request, qdri_phases *phases, const char **taken);
} qdri_moves_method;

qdr_status qdri_moves_method_named(const char *name, const qdri_moves_method **method);

/* Fills in the sums; the arrays are the caller's to free, with qdri_request_close(). Fails where the data
 * cannot end where it belongs. Without room (NULL) the sums of the pattern alone. */
qdr_status qdri_request_open(qdri_moves_request *request, const qdr_pattern *pattern, const int64_t *room,
                             qdri_budget *budget);
void qdri_request_close(qdri_moves_request *request);

/* Builds by name and options. */
qdr_status qdri_request_build(qdri_moves_request *request, const char *method, qdri_phases *phases,
                              const char **taken);

/* Fails with QDR_ERR_RANGE and the sentence given, and after it the least room that would do. */
qdr_status qdri_refuse(const qdri_moves_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ceil(3 T / (2 M)) + 1 */
int64_t qdri_greedy_bound(const qdri_moves_request *request);

/* ---- the object ---------------------------------------------------------------------------------------- */

struct qdr_moves {
    qdri_budget *budget;
    qdr_pattern *pattern;
    const char *method;
    qdri_phases phases;
    int64_t total, room, bound, parked;
};

static inline int64_t qdri_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t qdri_most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
