/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small exchanges that wait for nothing: one stage, no barrier, no pacing, no trace. All their messages begin together, as two
 * operations, one of what goes and one of what comes; so what is done here beside MPI is a few loops, and does not
 * happen event by event. The messages are those that chunks would be (chunk.c, mark.h): who is at the other end cannot tell.
 */
#ifndef QDRI_AT_ONCE_H
#define QDRI_AT_ONCE_H

#include "plan/plan.h"

/* Whether an exchange whose bytes are known can go this way; and how many messages it has then at most. */
int qdri_at_once_suits(const qdri_exchange *exchange);
int64_t qdri_at_once_messages(const qdri_exchange *exchange);

/* Its streams are numbered. Failures end up in the exchange. */
void qdri_at_once_begin(qdri_exchange *exchange);

#endif
