/* SPDX-License-Identifier: BSD-3-Clause */
/* Partners inside the library: sharing them, and their wire. */
#ifndef QDRI_PARTNERS_H
#define QDRI_PARTNERS_H

#include "quadrille/discover.h"
#include "wire/wire.h"

/* One more owner; qdr_partners_destroy() takes it away. */
qdr_partners *qdri_partners_retain(qdr_partners *partners);

/* Valid as long as the partners. */
qdri_wire *qdri_partners_wire(const qdr_partners *partners);

/* What qdr_partners_look() tells, without a copy: for what runs again and again. Valid as long as the partners. */
const qdr_partners_view *qdri_partners_view(const qdr_partners *partners);

/* The whole matrix if it was given or gathered, else NULL. Valid as long as the partners. */
const qdr_pattern *qdri_partners_pattern(const qdr_partners *partners);

/* Local. Of a caller who knows both sides to be right, and tells the others when there is no memory. */
qdr_status qdri_partners_on(qdri_wire *wire, int sends, const int *destination, const int64_t *send_items,
                            int receives, const int *source, const int64_t *receive_items,
                            qdr_partners **partners);

/* qdr_partners_gather() for callers that hold the wire's lock. */
qdr_status qdri_partners_gather(qdr_partners *partners, qdr_pattern **pattern);

/* Gives them the matrix, which becomes theirs. */
void qdri_partners_remember(qdr_partners *partners, qdr_pattern *pattern);

#endif
