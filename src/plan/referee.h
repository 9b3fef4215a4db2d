/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The referee of contests between candidates (choose/chooser.h): the ranks put together when each of them began and ended its
 * two exchanges. What they know travels in lg n steps, each to the rank twice as far as the one before; since only the most of
 * each word counts, hearing a word twice does no harm. The second exchange of a contest ends with it: that one alone ends
 * when all ranks have ended theirs, which no other exchange does.
 */
#ifndef QDRI_REFEREE_H
#define QDRI_REFEREE_H

#include "choose/chooser.h"
#include "wire/wire.h"

typedef struct qdr_plan qdr_plan;
typedef struct qdri_exchange qdri_exchange;

/* The words of a rank; of all ranks the most of each counts. Times are nanoseconds since the plan was made. */
enum {
    QDRI_BEGAN_FIRST,
    QDRI_ENDED_FIRST,
    QDRI_BEGAN_SECOND,
    QDRI_ENDED_SECOND,
    QDRI_CAME_FIRST, /* the first rank, negative: the most is the earliest */
    QDRI_CAME_SECOND,
    QDRI_SORT_FIRST, /* class and candidate */
    QDRI_SORT_FIRST_NEGATIVE,
    QDRI_SORT_SECOND,
    QDRI_SORT_SECOND_NEGATIVE,
    QDRI_BUSIEST_FIRST, /* bytes sent or received */
    QDRI_BUSIEST_SECOND,
    QDRI_IS_UNLIKE,
    QDRI_IS_VOID,
    QDRI_REFEREE_WORDS
};

typedef struct qdri_referee {
    qdri_chooser chooser;
    qdri_operation send, receive;
    qdri_exchange *exchange;             /* that ends with it */
    int64_t mine[2][QDRI_REFEREE_WORDS]; /* of the last two contests, by turns */
    int64_t first_out[2], first_in[2];   /* bytes of their first exchanges */
    int64_t out[QDRI_REFEREE_WORDS], in[QDRI_REFEREE_WORDS];
    int distance, left; /* of this step; its operations under way */
    double zero;        /* of the clock */
    int size_class;     /* of the exchange that was started last */
} qdri_referee;

/* Collective over the ranks of a plan, in that all leave an agreement together: the clock begins. */
qdr_status qdri_referee_open(qdr_plan *plan);
/* Local. Where MPI may go on with its memory, that stays. */
void qdri_referee_close(qdr_plan *plan);

/* Chooses who runs the plan's next exchange, which has items of so many bytes; 0: this rank has none. */
void qdri_referee_choose(qdr_plan *plan, int64_t item_bytes);
/* An exchange begins; all its parts have ended, and whether one more has begun: the verdict. */
void qdri_referee_began(qdri_exchange *exchange);
int qdri_referee_ended(qdri_exchange *exchange);
/* Which candidate runs exchanges of the last class, as far as is known. */
int qdri_referee_best(const qdr_plan *plan);
/* What is known of candidates in such exchanges. */
const qdri_chooser_class *qdri_referee_shown(const qdr_plan *plan);
/* The rank whose word is waited for; -1: none. */
int qdri_referee_awaits(const qdri_exchange *exchange);

/* Pure. What the words of all ranks say, and who ran the two exchanges; void where they make no sense. */
qdri_contest_result qdri_referee_read(const int64_t *word, int runs[2]);

#endif
