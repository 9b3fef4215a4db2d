/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The books of a method that works phase by phase: what is still at its origin, what is parked, who has room.
 * Each message leaves its origin from its first unit to its last.
 */
#ifndef QDRI_MOVES_LEDGER_H
#define QDRI_MOVES_LEDGER_H

#include "base/heap.h"
#include "migrate/moves/moves.h"
#include "migrate/moves/robust.h"

/* A range of a message that waits at a rank to which it does not belong. */
typedef struct qdri_waiting_part {
    int64_t message, offset, units;
    int64_t next; /* in the list of the same destination; -1: the last */
    int holder;
} qdri_waiting_part;

typedef struct qdri_ledger {
    const qdri_moves_request *request;
    qdri_phases *phases;
    int64_t *room;       /* [ranks] before this phase, less what comes in it */
    int64_t *next;       /* [ranks] room before the next phase, as far as it is known */
    int64_t *left;       /* [messages] units still at the origin */
    int64_t *outgoing;   /* [ranks] units of its own still to leave */
    int64_t *direct;     /* [ranks] units still to come from their origin */
    int64_t *parked;     /* [ranks] units still to come from where they are parked */
    int64_t *column;     /* messages to each rank, as in the view; those that have left drop out */
    int64_t *columns;    /* [ranks] how many there are */
    int64_t *first_part; /* [ranks] the parts parked for this rank; -1: none */
    qdri_waiting_part *part;
    int64_t parts, part_capacity;
    int64_t free_part; /* the first part to be used again; -1: none */
    int64_t remaining; /* units that are not yet at their destination */
    int64_t total_parked;
    int64_t *priority; /* [ranks] what each told at the beginning of the phase */
    /* For choosing among the senders of one rank; of the length of the longest column. */
    int64_t *offer, *told, *buffer, *take;
    qdri_heap_entry *scratch;
} qdri_ledger;

qdr_status qdri_ledger_open(qdri_ledger *ledger, const qdri_moves_request *request, qdri_phases *phases);
void qdri_ledger_close(qdri_ledger *ledger);

/* The next units of a message go from its origin to its destination or, to be parked, elsewhere. */
qdr_status qdri_ledger_send(qdri_ledger *ledger, int64_t message, int64_t units, int to);

/* So many of the units that are parked for a rank go to it; not such as were parked in this phase. */
qdr_status qdri_ledger_forward(qdri_ledger *ledger, int rank, int64_t units);

/* Every rank tells its priority: the units that it lacks room for. */
void qdri_ledger_tell(qdri_ledger *ledger);

/* A rank takes in as much from origins as it has room for, and no more than `buffer` (0: no limit) from each. */
qdr_status qdri_ledger_receive(qdri_ledger *ledger, int rank, qdri_first first, int64_t buffer);

/* Ends the phase. */
qdr_status qdri_ledger_turn(qdri_ledger *ledger);

/* The messages to a rank of which something is left, for reading: their number, and the list in *list. */
int64_t qdri_ledger_senders(qdri_ledger *ledger, int rank, const int64_t **list);

#endif
