/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of questions that go from rank to rank, and the answers to them.
 *
 * A question is an id, and whose it is: rank and position in that rank's needs. Whoever owns the id takes the
 * question out of the list and notes the answer; at the end all answers go home, each rank's in one parcel.
 */
#ifndef QDRI_RESOLVE_LISTS_H
#define QDRI_RESOLVE_LISTS_H

#include <stdint.h>

#include "directory/resolve.h"
#include "directory/shelf.h"

typedef struct qdri_question {
    int64_t id;
    uint64_t whose; /* rank in the upper 24 bits, position in the lower 40 */
} qdri_question;

typedef struct qdri_answer_note {
    uint64_t whose;
    int64_t place;
} qdri_answer_note;

typedef struct qdri_answer_list {
    qdri_query *query;
    qdri_shelf own; /* this rank's ids: word = position + 1 */
    qdri_answer_note *note;
    int64_t count, capacity;
    qdr_status status; /* a failure that is kept until the end */
} qdri_answer_list;

/* Local. Fails without memory. */
qdr_status qdri_answers_open(qdri_query *query, qdri_answer_list *answers);
void qdri_answers_close(qdri_answer_list *answers);

/* How many of this rank's needs are not known; and they themselves. */
int64_t qdri_questions_count(const qdri_query *query);
void qdri_questions_list(const qdri_query *query, qdri_question *list);

/* Takes out those that this rank owns; how many are left, at the front, in their order. */
int64_t qdri_answers_take(qdri_answer_list *answers, qdri_question *list, int64_t count);

/* Collective. Brings all answers home. Lets go of the lock meanwhile. */
qdr_status qdri_answers_deliver(qdri_answer_list *answers);

#endif
