/* SPDX-License-Identifier: BSD-3-Clause */
/* Who holds what, and how much room is left: the memory of all ranks while moves are carried out. */
#ifndef QDRI_MOVES_STATE_H
#define QDRI_MOVES_STATE_H

#include "base/budget.h"
#include "quadrille/moves.h"

typedef struct qdri_moved_segment {
    int64_t offset;  /* up to the offset of the next one, or to the end of the message */
    int64_t next;    /* -1: the last of its message */
    int64_t arrived; /* in this phase; -1: it was there at the beginning */
    int holder;
} qdri_moved_segment;

typedef struct qdri_state {
    qdr_pattern_view view;
    qdri_budget *budget;
    int64_t *room;               /* [ranks] */
    int64_t *came, *went;        /* [ranks], of the phase being applied; else 0 */
    qdri_moved_segment *segment; /* segment m is the first of message m */
    int64_t segments, capacity;
    int64_t gone; /* the first of those joined to their neighbours, to be used again; -1: none */
    int64_t phase;
} qdri_state;

/* Everything is at its origin. */
qdr_status qdri_state_open(qdri_state *state, const qdr_pattern_view *view, const int64_t *room,
                           qdri_budget *budget);
void qdri_state_close(qdri_state *state);

/* Carries out one phase. QDR_ERR_BROKEN with a sentence where it cannot be: then the state is of no further use. */
qdr_status qdri_state_apply(qdri_state *state, const qdr_move *move, int64_t moves);

/* QDR_ERR_BROKEN unless all data is at its destination. */
qdr_status qdri_state_finish(const qdri_state *state);

#endif
