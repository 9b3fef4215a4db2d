/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks: what tells the messages of one exchange from those of another.
 *
 * A sender may be many exchanges ahead of a receiver that sends it nothing, so no number of tags in turn can tell them
 * apart. Therefore the stream of a lane begins with a mark: the plan, the exchange, and the bytes of the whole
 * stream. A rank that expected nothing leaves a message behind; whoever meets it later knows it by its mark, says
 * so, and delivers nothing. Both ends state the bytes of the stream, so what follows a right mark is right too.
 *
 * A mark goes in one message with the first chunk of the stream, which is copied behind it, as long as a copy costs
 * less than a message; a larger chunk goes from its own place, after a message that is the mark alone. Receives of
 * either have room for both, so that a wrong one is read, and not cut off by MPI.
 *
 * In the node's memory flags are numbered, and need no marks.
 */
#ifndef QDRI_MARK_H
#define QDRI_MARK_H

#include "plan/plan.h"

/* The most bytes that are copied behind a mark, given the most sources of any rank; the same on all ranks. */
int64_t qdri_mark_limit(int64_t sources);

/* Memory for the first messages of all lanes. */
qdr_status qdri_marks_open(qdri_half *half, const qdri_side *side, int64_t limit);
void qdri_marks_close(qdri_half *half);

/* Where the first message of a lane is made, or comes to; and how many bytes there is room for. */
char *qdri_mark_place(const qdri_half *half, int lane);
int64_t qdri_mark_room(const qdri_half *half);

/* Whether a first chunk of so many bytes goes behind the mark, in the same message. */
int qdri_mark_carries(const qdri_half *half, int64_t bytes);

/* The mark of this exchange, for a lane that is sent. */
void qdri_mark_write(const qdr_exchange *exchange, int lane);

/* A first message has come, of so many bytes. QDR_MISMATCH when it is not of this exchange, or its sender has another
 * idea of the stream. */
qdr_status qdri_mark_check(const qdr_exchange *exchange, int lane, int64_t came);

#endif
