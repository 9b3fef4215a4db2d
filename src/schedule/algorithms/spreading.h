/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spreading messages over intermediaries, the arithmetic of the transportation paper, sections 7 and 8.
 *
 * A message of a items is cut into p parts: every intermediary gets a div p items, and a mod p of them, from
 * a *start* on, round and round, one more. All the skill is in the choice of the starts. A message without
 * items has one part, at its start: origin + destination, so that those of a rank go different ways.
 */
#ifndef QDRI_SPREADING_H
#define QDRI_SPREADING_H

#include <stdint.h>

typedef enum qdri_spreading {
    QDRI_SPREAD_BY_SOURCE, /* section 7: a source's extra items go on where its previous message stopped */
    QDRI_SPREAD_BY_DESTINATION, /* section 8: a destination's extra items go on from source to source */
} qdri_spreading;

/* The starts of `count` messages, which stand by rising (origin, destination). With `tight`, the walk goes on
 * from source to source by an exclusive prefix sum (figure 9), or from destination to destination by a sum of
 * all sources' vectors (end of section 8), so that intermediaries differ by at most one extra item in total.
 * Returns 0 without memory. */
int qdri_spread(int ranks, int64_t count, const int *origin, const int *destination, const int64_t *items,
                qdri_spreading scheme, int tight, int32_t *start);

/* The starts of messages with items that one walk meets, one after the other, from `begin` on: of all that one source has, or
 * that one destination gets. */
void qdri_spread_along(int ranks, int32_t begin, int64_t count, const int64_t *items, int32_t *start);

/* How many extra items these have, modulo the ranks: so far such a walk goes. */
int32_t qdri_spread_extra(int ranks, int64_t count, const int64_t *items);

/* Whether an intermediary has a part. */
int qdri_part_exists(int ranks, int64_t items, int32_t start, int intermediary);

/* Length of the part of one intermediary, and the offset of that part: parts lie in the order of
 * intermediaries. */
int64_t qdri_part_length(int ranks, int64_t items, int32_t start, int intermediary);
int64_t qdri_part_offset(int ranks, int64_t items, int32_t start, int intermediary);

#endif
