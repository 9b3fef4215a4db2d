/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef QDRI_BUFFERS_H
#define QDRI_BUFFERS_H

#include "plan/plan.h"

/* Checks the caller's buffers and sets the exchange's pointers and bytes. */
qdr_status qdri_buffers_bind(qdri_exchange *exchange, const qdr_buffers *buffers);

/* The same where a cargo says what goes, for the part that goes by the network. */
qdr_status qdri_buffers_bind_cargo(qdri_exchange *exchange);

/* Memory for what is under way; allocates only when this exchange needs more than any before it. */
qdr_status qdri_buffers_make_room(qdri_exchange *exchange);

#endif
