/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves: schedules that bring data to where it belongs when memory is short.
 *
 * Mathematics. Rank p holds a[p][q] units for rank q, the pattern, and has room for room[p] units more. Data moves in
 * *phases*. What a rank takes in during a phase must fit into the room that it had before the phase, for what it
 * gives away is freed only after it has left:
 *
 *     in(p, k) <= room(p, k),     room(p, k + 1) = room(p, k) - in(p, k) + out(p, k).
 *
 * With T units to be moved and M units of room in all, no schedule has fewer than ceil(T / M) phases, and one with
 * the fewest is hard to find (Pinar and Hendrickson, section 3.1). Data may be *parked*: kept for a while by a rank
 * that has room and is not its destination. With parking, a single unit of room anywhere is enough, provided that
 * each rank has room for what it is to have at the end.
 *
 * A unit is a byte, or an item of fixed size. A message is the data from one rank to another; it is moved in parts,
 * which are ranges of its units. The schedule is one object that can be printed, drawn, checked, and carried out by
 * quadrille/migrate.h. Everything here is local and deterministic: the same on every rank and machine.
 */
#ifndef QUADRILLE_MOVES_H
#define QUADRILLE_MOVES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "quadrille/base.h"
#include "quadrille/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qdr_moves qdr_moves;

/* One part of one message goes from the rank that holds it to another: to its destination, or to be parked. */
typedef struct qdr_move {
    /* By its number in the pattern: row by row, columns rising; the diagonal does not count. */
    int64_t message;
    int64_t offset; /* of the part in the message, in units */
    int64_t units;  /* at least 1 */
    int from, to;
} qdr_move;

/* ---- making one ---------------------------------------------------------------------------------------- */

/* Local. `room` has an entry for each rank of the pattern. `method` is a name of qdr_moves_method(), with options if
 * wanted ("greedy:first=largest,park=starved"); NULL: "auto". Fails with QDR_ERR_RANGE where the data does not fit at
 * its destination (the sentence names the rank and the room that it needs), or where this method cannot bring it
 * there (the sentence names the rank that is stuck, and the least room for all, with parking and without). Allocates
 * O(moves). */
qdr_status qdr_moves_create(const qdr_pattern *pattern, const int64_t *room, const char *method,
                            qdr_moves **moves);

/* Local. As qdr_pattern_destroy(). */
void qdr_moves_destroy(qdr_moves **moves);

/* ---- looking at it ------------------------------------------------------------------------------------- */

typedef struct qdr_moves_view {
    const char *method; /* that made it; with `auto`, the one that it chose */
    int ranks;
    int64_t phases;
    const int64_t *phase_start; /* [phases + 1] */
    const qdr_move *move;       /* by phase; inside one by receiver, then sender, message, offset */
    int64_t total;              /* T: units to be moved */
    int64_t room;               /* M: units of room in all */
    int64_t bound;              /* ceil(T / M); 0 if there is nothing to move */
    int64_t parked;             /* units that first went to a rank other than their destination */
} qdr_moves_view;

/* Local, free of cost. Valid as long as the moves. */
static inline qdr_moves_view qdr_moves_look(const qdr_moves *moves);

/* Local. The least room for each rank, the same on all, with which the data can be moved: with parking, and without
 * (by `robust`). Cost: a few schedules. */
qdr_status qdr_moves_least_room(const qdr_pattern *pattern, int64_t *with_parking, int64_t *without);

/* Local. Checks that the moves bring every unit to its destination exactly once, and that no rank ever takes in more
 * than it has room for. Otherwise QDR_ERR_BROKEN, with a sentence that names the first phase, rank and message. */
qdr_status qdr_moves_check(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves);

/* Local. Writes the moves as text, phase by phase. As JSON and as a picture: quadrille-io.h. */
qdr_status qdr_moves_write_text(const qdr_moves *moves, FILE *out);

/* ---- what there is ------------------------------------------------------------------------------------- */

typedef struct qdr_moves_method_info {
    const char *name;
    const char *summary; /* one line */
    const char *promise; /* how many phases, and when it refuses; one line */
    const char *options; /* one line per key: "key=default  meaning\n" */
    int parks;
} qdr_moves_method_info;

/* Local. The index-th method; NULL past the last. `options` lives until the calling thread's next call that describes
 * one. */
const qdr_moves_method_info *qdr_moves_method(int index);

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The function above calls this in the library, with the size of the caller's struct added (docs/abi.md). */
void qdr_moves_look_sized(const qdr_moves *moves, qdr_moves_view *view, size_t view_bytes);

static inline qdr_moves_view qdr_moves_look(const qdr_moves *moves) {
    qdr_moves_view view;
    qdr_moves_look_sized(moves, &view, sizeof view);
    return view;
}

#ifdef __cplusplus
}
#endif
#endif
