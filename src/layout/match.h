/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of a match, while two items are held against each other. */
#ifndef QDRI_LAYOUT_MATCH_H
#define QDRI_LAYOUT_MATCH_H

#include "inside.h"

typedef struct qdri_match_side {
    const qdr_layout *layout;
    const qdr_region *region;
    int rank;
    int64_t tiles;
    const qdri_item *item;
    const qdri_progression *box; /* of the item, if it is one */
    qdri_places *places;         /* NULL: not asked for */
} qdri_match_side;

/* side[2]: numbers [from, until) of their items, run by run. */
qdr_status qdri_match_runs(const qdri_match_side *side, int64_t from, int64_t until);

#endif
