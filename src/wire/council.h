/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Councils: some ranks of a wire that agree on one thing after the other (agree.h), by messages, without waiting. What
 * a rank asks as its third question is answered together with everybody's third. A wire has one of all its ranks, for
 * its collective calls; whatever has an order of its own, such as the calls of a stream, opens one with tags of its own.
 *
 * Members stand in a tree, each below the one that speaks for it. A question goes up it: every member adds its own to
 * what it hears from those below, and passes one paper on. The first member decides, and its answer goes down. Where two
 * programs meet, each has a tree, and the first member of the second program stands below that of the first, so one
 * message goes each way between them.
 *
 * A failure that one member learns of, beside all questions, is news for the others: it goes through the tree at once,
 * and every later question is answered by it.
 */
#ifndef QDRI_COUNCIL_H
#define QDRI_COUNCIL_H

#include "wire/agree.h"

typedef struct qdri_council qdri_council;

/* Called once, when an agreement has its answer. */
typedef void qdri_answered(qdri_agreement *agreement, qdr_status status);

/* Who is in it. `rank` is borrowed; NULL: all ranks of the wire. */
typedef struct qdri_council_shape {
    int members, place; /* how many, and which one is this rank */
    const int *rank;    /* [members], on the wire */
    int second;         /* the first member of a second program; 0: there is none */
    int first_tag;      /* of QDRI_COUNCIL_TAGS */
} qdri_council_shape;

/* Local. NULL: no memory. */
qdri_council *qdri_council_open(qdri_wire *wire, const qdri_council_shape *shape);
/* Nobody is told any more. False: memory of it must stay. */
int qdri_council_close(qdri_council **council);

/* Local. The agreement is borrowed until `answered` is called, from inside qdri_progress(), or at once. A failure is
 * returned, and then nobody is called. */
qdr_status qdri_council_ask(qdri_council *council, qdri_agreement *agreement, qdri_answered *answered);
/* Its caller waits no longer: `answered` is not called. */
void qdri_council_drop(qdri_council *council, const qdri_agreement *agreement);

/* The same, and waits for it, until the deadline. */
qdr_status qdri_council_agree(qdri_council *council, qdri_agreement *agreement);

/* This rank has learnt of a failure, whose sentence is the error message, after which it cannot agree on anything: the
 * others hear of it. */
void qdri_council_fail(qdri_council *council, qdr_status status);

/* The same, and this rank leaves it to the first member, which may have ended the council for another reason already: only
 * the answer to its next question says how it has ended. `is_in_next`: the failure is the answer to that question. */
void qdri_council_appeal(qdri_council *council, qdr_status status, int is_in_next);

/* The other program is lost: that is the answer to whatever is asked. */
void qdri_council_lose(qdri_council *council, qdr_status status);

/* The rank whose paper this one waits for; -1: nobody's. */
int qdri_council_awaits(const qdri_council *council);
/* Whether that is one below it, of whose absence nobody else knows better. */
int qdri_council_knows(const qdri_council *council);

/* Whether it has ended: every question is answered by one failure. */
int qdri_council_is_over(const qdri_council *council);
/* How. */
qdr_status qdri_council_failure(const qdri_council *council);
/* Whether it was the loss of the other program. */
int qdri_council_is_lost(const qdri_council *council);
/* Whether it did so in this question, so that it is its answer too. */
int qdri_council_ended_in(const qdri_council *council, const qdri_agreement *agreement);

#endif
