/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks: what tells the messages of one exchange from those of another.
 *
 * The bytes that go to a partner in one exchange are a *stream*. A rank that expects none where its partner sends one
 * leaves it behind, and no later exchange may take it for its own. A sender may be any number of exchanges ahead of a
 * receiver that sends it nothing, so tags in turn alone cannot tell streams apart. Therefore streams have marks: the
 * plan, the exchange, the bytes of the whole stream, and how many streams went this way before it.
 *
 *     A small first chunk is copied behind its mark, and both are one message. All of them have the tag of their
 *     slot, so whatever was left behind comes first, and is known by its mark.
 *
 *     Copies of larger chunks, or a message more for each, would cost too much. Such streams have one of
 *     a candidate's bulk tags, by the number of the exchange, and the first of them in each so many exchanges
 *     has a mark before it, as a message of its own. Two streams of one tag are that far apart, so there is a mark
 *     between them; and its count shows what was left behind.
 *
 * Which streams have which mark follows from their sizes and numbers, in the order of exchanges, at both ends alike.
 * Receives of marks have room for a small chunk, so that a wrong message is read, and not cut off by MPI.
 *
 * Another plan that had the same tags may have left a message behind, too, also one on a communicator that was freed: some
 * MPIs give it to the next that they make. So the tags are looked through when a plan is made.
 *
 * In the node's memory flags are numbered, and need no marks.
 */
#ifndef QDRI_MARK_H
#define QDRI_MARK_H

#include "plan/plan.h"

/* Local, while a plan is made, before all agree on it: nobody can have sent anything with its tags. QDR_ERR_MISMATCH when
 * something was left behind; it is gone then. */
qdr_status qdri_marks_sweep(qdr_plan *plan);

/* An exchange begins, whose bytes are known: numbers its streams. */
void qdri_marks_number(qdri_exchange *exchange);

/* Where the first message of a lane is made, or comes to; and how many bytes there is room for. */
char *qdri_mark_place(const qdri_half *half, int lane);
enum { QDRI_MARK = 32, QDRI_CARRIED = 128, QDRI_MARK_ROOM = QDRI_MARK + QDRI_CARRIED };

/* The mark of this exchange, for a lane that is sent. */
void qdri_mark_write(const qdri_exchange *exchange, int lane);

/* A message with a mark has come, of so many bytes. QDR_ERR_MISMATCH when it is not of this exchange, or its sender has
 * another idea of the stream or of those before it. */
qdr_status qdri_mark_check(const qdri_exchange *exchange, int lane, int64_t came);

#endif
