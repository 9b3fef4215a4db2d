/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Near partners: those on this rank's node. Messages between them go through channels, beside the phases of
 * the rest, and need no schedule: memory has no ports.
 */
#ifndef QDRI_NEAR_H
#define QDRI_NEAR_H

#include "plan/near/channel.h"
#include "plan/near/ways.h"
#include "plan/plan.h"

/* A partner on this node. */
typedef struct qdri_neighbor {
    int rank, member;
    int destination, source; /* places in the partners' order; -1: no message that way */
    qdri_sender sender;
    qdri_receiver receiver;
} qdri_neighbor;

/* A plan's. */
struct qdri_near {
    int active; /* messages between ranks of one node go by memory; the same on all ranks */
    qdri_neighbor
        *neighbor; /* by distance from this rank; the block of memory that holds the other arrays too */
    int neighbors;
    char *is_near; /* [ranks]: QDRI_NEAR_OUT and QDRI_NEAR_IN; NULL: nobody is */
    int slots;
    qdri_ways *ways;       /* NULL: nothing is read where it lies */
    int sends, receives;   /* messages of an exchange, with neighbors */
    int *far_out, *far_in; /* places of the other partners, without this rank itself */
    int far_outs, far_ins;
    int *source_order;         /* [receives of the view]: places by rising rank */
    qdri_neighbor **of_source; /* [receives of the view]: NULL: not a neighbor */
};

/* A message of an exchange. */
typedef enum qdri_near_state {
    QDRI_NEAR_ENDED,
    QDRI_NEAR_WAITS,
    QDRI_NEAR_MESSAGE,
    QDRI_NEAR_PIECES,
    QDRI_NEAR_READ
} qdri_near_state;
struct qdri_near_flow {
    qdri_operation operation; /* of a message by MPI; first: callbacks convert */
    qdri_exchange *exchange;
    qdri_neighbor *neighbor;
    qdri_near_state state;
    int64_t bytes;
    int slotted;           /* what comes lies in a slot */
    qdri_part part;        /* in pieces: the next one */
    char *whole;           /* where they are put together; NULL: each is unpacked */
    const qdri_flag *flag; /* of one that is to be read */
    int is_read;           /* it was */
};

/* Collective over the node. Finds neighbors and, if `wanted`, opens channels; *refused says that some member
 * could not. What fails on this rank alone is returned after the others know. */
qdr_status qdri_near_open(qdr_plan *plan, int wanted, double deadline, int *refused);
/* Collective over the node: a round of the board for a plan that is made. In: a word for each member; out: each one's for
 * this rank. *refused: in, this rank could not do what it should; out, some member could not. */
qdr_status qdri_near_show(qdri_wire *wire, double deadline, int64_t *word, int *refused);
/* The same in two local halves, for who has a round of the board for other things anyway: what each member has to be told; and,
 * when nobody was refused, what each has told. */
qdr_status qdri_near_offer(qdr_plan *plan, int wanted, int64_t *word_for, int *refused);
void qdri_near_connect(qdr_plan *plan, const int64_t *word_from);
/* Local, when all have opened theirs: looks for the pages of memory that the first exchange will need. */
void qdri_near_warm(qdr_plan *plan);
/* Local, also where a partner may write still. */
void qdri_near_close(qdr_plan *plan);

/* The exchange has its bytes and its cargo: begins with its neighbors. */
void qdri_near_start(qdri_exchange *exchange);
/* Goes on as far as it can. */
void qdri_near_poll(qdri_exchange *exchange);
/* Nothing moves: fails if a neighbor waits for room for a message that nobody expects. */
void qdri_near_suspect(qdri_exchange *exchange);
/* As many pieces of a message as can go or come at once; true: that was the last. */
int qdri_pieces_send(qdri_near_flow *flow);
int qdri_pieces_receive(qdri_near_flow *flow);
/* The exchange is given up: nobody looks at its messages any more, and nothing of it is to be read. */
void qdri_near_leave(qdri_exchange *exchange);

/* Says to the senders of large messages, which need no packing, which way this exchange wants them; and, at the end of one
 * that was measured, what it has learned. */
void qdri_reads_start(qdri_exchange *exchange);
void qdri_reads_end(qdri_exchange *exchange);
/* Reads the next part of a message. Refused: it comes by MPI. */
qdri_fetching qdri_reads_receive(qdri_near_flow *flow);
/* Nothing of this exchange is to be read any more. */
void qdri_reads_withdraw(qdri_exchange *exchange);

/* What came from a source in the exchange of this number is not needed any more. */
void qdri_near_unpacked(qdri_exchange *exchange, int source, int64_t number);

#endif
