/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of lengths that only the senders know: one, and no more, from each of some ranks to each of some others.
 *
 * Both ends know who writes to whom, as the algorithms of InterComm do, so nothing has to be discovered. A short
 * message goes at once; of a long one its beginning, with its length, and then the rest, straight from the sender's
 * memory into the receiver's.
 */
#ifndef QDRI_COUPLE_MESSAGES_H
#define QDRI_COUPLE_MESSAGES_H

#include "couple/program/program.h"
#include "wire/flight.h"

/* What building takes, for the view. */
typedef struct qdri_effort {
    int64_t inside_messages, inside_bytes, across_messages, across_bytes;
    int64_t computed;
    double seconds; /* of computing */
    qdri_budget memory;
} qdri_effort;

typedef struct qdri_content {
    int rank; /* on the wire */
    int64_t bytes;
    void *data; /* incoming: malloc'ed, the receiver's; one to oneself is the very one that was sent */
} qdri_content;

typedef struct qdri_conversation {
    const qdri_space *space;
    qdri_wire *wire;
    qdri_effort *effort;
    const char *what; /* for sentences */
    double deadline;
} qdri_conversation;

/* Sends and receives. Outgoing data is taken over: it is freed when it has gone, also on failure. What comes is the
 * caller's, counted in the effort's memory: qdri_messages_free(). A failure is not agreed on. */
qdr_status qdri_messages_swap(const qdri_conversation *conversation, int sends, qdri_content *out,
                              int receives, qdri_content *in);

void qdri_messages_free(qdri_effort *effort, int count, qdri_content *message);

/* Empty ones instead: this rank has failed, but the others wait for messages. It will say why when all agree. */
void qdri_messages_spoil(qdri_effort *effort, int count, qdri_content *message);

/* The longest first piece of what follows the beginning of a message; the same in both programs. Tests shorten it. */
extern int64_t qdri_message_piece;

/* Finds damage; never 0. */
uint64_t qdri_checksum(const void *data, int64_t bytes);

/* Memory for a message, counted; NULL without memory. */
void *qdri_message_alloc(qdri_effort *effort, int64_t bytes);

#endif
