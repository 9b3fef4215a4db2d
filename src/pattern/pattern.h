/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns inside the library: sharing one, and making one without a list of messages at hand. */
#ifndef QDRI_PATTERN_H
#define QDRI_PATTERN_H

#include <stdint.h>

#include "quadrille/pattern.h"

/* More ranks than any machine has; a header or spec that asks for more is refused before anything is
 * allocated (2^24 ranks without messages take 400 MB). */
#define QDRI_RANKS_LIMIT (1 << 24)

/* The most items of a pattern, so that sums of a row and a column never overflow. */
#define QDRI_ITEMS_LIMIT (INT64_C(1) << 62)

/* One more owner; qdr_pattern_destroy() releases it. Any thread may do either. */
qdr_pattern *qdri_pattern_retain(const qdr_pattern *pattern);

/* qdr_pattern_create() that also tells which pair it refused: when a pair is given twice, *duplicate (if not
 * NULL) gets its ranks; otherwise duplicate->origin is -1. */
qdr_status qdri_pattern_build(int ranks, int64_t count, const qdr_message *messages, qdr_message *duplicate,
                              qdr_pattern **pattern);

/* Where row `row` has its first message to `destination` or a higher rank: a message's number, or the end of
 * the row. Cost: O(log degree). */
int64_t qdri_pattern_position(const qdr_pattern_view *view, int row, int destination);

/* The same pattern, in which what a rank has for itself is a message like any other, and nothing is local: for schedules that move it. */
qdr_status qdri_pattern_with_diagonal(const qdr_pattern *pattern, qdr_pattern **whole);

/* A list of messages that grows. A failed allocation is remembered and shows at the end, so that generators
 * need no check per message. */
typedef struct qdri_pattern_builder {
    int ranks;
    int failed;
    int64_t count, capacity;
    qdr_message *messages;
} qdri_pattern_builder;

/* Makes room for `expected` messages; more may come. */
void qdri_pattern_begin(qdri_pattern_builder *builder, int ranks, int64_t expected);

/* In any order. */
void qdri_pattern_add(qdri_pattern_builder *builder, int origin, int destination, int64_t items);

/* Makes the pattern, if nothing failed before, and frees the list in any case. Zero items between different ranks are a message,
 * unlike those that qdr_pattern_create() is given. */
qdr_status qdri_pattern_finish(qdri_pattern_builder *builder, qdr_pattern **pattern);

/* Frees the list without making anything of it. */
void qdri_pattern_abandon(qdri_pattern_builder *builder);

#endif
