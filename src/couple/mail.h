/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mail: one letter, and no more, from each of some ranks to each of some others, of lengths that only the senders know.
 *
 * Both ends know who writes to whom, as the algorithms of InterComm do, so nothing has to be discovered. A short
 * letter is one message; a long one is its beginning, with its length, and then the rest, straight from the
 * sender's memory into the receiver's.
 */
#ifndef QDRI_COUPLE_MAIL_H
#define QDRI_COUPLE_MAIL_H

#include "couple/inside.h"
#include "wire/flight.h"

/* What building takes, for the view. */
typedef struct qdri_effort {
    int64_t inside_messages, inside_bytes, across_messages, across_bytes;
    int64_t computed;
    double seconds; /* of computing */
    qdri_budget memory;
} qdri_effort;

typedef struct qdri_letter {
    int rank; /* on the wire */
    int64_t bytes;
    void *data; /* incoming: malloc'ed, the receiver's; one to oneself is the very one that was sent */
} qdri_letter;

typedef struct qdri_mail {
    const qdri_space *space;
    qdri_wire *wire;
    qdri_effort *effort;
    const char *what; /* for sentences */
    double deadline;
} qdri_mail;

/* Sends and receives. Outgoing data is taken over: it is freed when it has gone, also on failure. What comes is the
 * caller's, counted in the effort's memory: qdri_letters_free(). A failure is not agreed on. */
qdr_status qdri_mail_swap(const qdri_mail *mail, int sends, qdri_letter *out, int receives, qdri_letter *in);

void qdri_letters_free(qdri_effort *effort, int count, qdri_letter *letter);

/* Empty ones instead: this rank has failed, but the others wait for letters. It will say why when all agree. */
void qdri_letters_spoil(qdri_effort *effort, int count, qdri_letter *letter);

/* The longest first piece of what follows the beginning of a letter; the same in both programs. Tests shorten it. */
extern int64_t qdri_letter_piece;

/* Memory for a letter, counted; NULL without memory. */
void *qdri_letter_alloc(qdri_effort *effort, int64_t bytes);

#endif
