/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up many ids at once, on one shelf or on several. */
#ifndef QDRI_LOOK_UP_H
#define QDRI_LOOK_UP_H

#include "directory/shelf.h"

/* So many places are fetched at once; so many items are looked at together. */
enum { QDRI_AHEAD = 32, QDRI_TOGETHER = 512 };

/* Local. At most QDRI_TOGETHER ids, each with its spot: which of the shelves in the upper half, where on it in
 * the lower. Writes their words, 0 for those that are not there, and if there are payloads, where these are. */
void qdri_look_up(const qdri_shelf_view *view, const int64_t *id, const uint64_t *spot, int count,
                  int64_t payload_bytes, uint64_t *word, const char **payload);

#endif
