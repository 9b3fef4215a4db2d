/* SPDX-License-Identifier: BSD-3-Clause */
/* What a round by messages has under way: shared by messages.c, the protocol, and questions.c, what is asked and
 * answered. */
#ifndef QDRI_TRAFFIC_H
#define QDRI_TRAFFIC_H

#include "directory/inside.h"

/* A part of this rank's box, for one keeper. */
typedef struct qdri_box_part {
    int64_t first, count;
    int keeper;
} qdri_box_part;

/* A part of another rank's box. Its tag says whether it carries payloads. */
typedef struct qdri_arrival {
    qdri_flight_leg *leg; /* NULL: it is this rank's own */
    struct qdri_arrival *next;
    int origin, carries;
    int64_t number, count;
    char *items, *answer; /* the answer is this rank's, to it */
} qdri_arrival;

typedef struct qdri_traffic {
    qdri_directory_round *round;
    qdri_flight *flight;
    qdri_agreement enter, leave; /* when all have brought what they have, and when all have been answered */
    qdri_term verb;
    uint64_t changed[QDRI_UNITED]; /* what all ranks have changed (cache.c) */
    qdr_status mine;               /* what this rank says when it enters, and its sentence */
    char sentence[QDRI_ROUND_SENTENCE];
    qdr_directory_call asked; /* what is in the box: of `find`, each id once, and none that is cached */
    int64_t *question;        /* [count]: of `find`: which of these an id is; -1: it is cached */
    qdri_box box;
    qdri_box_part *segment;
    int64_t segments;
    qdri_flight_leg *legs; /* [2 * segments]: sends, then answers */
    char *answers;         /* [box.count * answer_bytes] */
    int64_t open;          /* segments that are not taken */
    int64_t arriving;      /* segments that are on the way in */
    qdri_arrival *arrivals;
    int64_t arrived;
    int has_entered, has_left;
} qdri_traffic;

/* Bytes of the answer to an item: whether it was there, or what was found; insert: none. */
int64_t qdri_answer_bytes(const qdri_directory_round *round);

/* What goes into the box. */
qdr_status qdri_questions_ask(qdri_traffic *traffic);

/* A keeper's answers to questions. */
void qdri_questions_answer(const qdr_directory *directory, const qdri_arrival *one, int64_t each);

/* What the answers say. */
void qdri_questions_read(qdri_traffic *traffic);

#endif
