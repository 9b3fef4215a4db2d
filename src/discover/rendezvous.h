/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rendezvous: items meet at the owner of their key, wherever they come from, and answers go back.
 *
 * Who owns a key follows from the key alone, by hash or by range, so that nothing has to be looked up or
 * stored: the ground on which a distributed directory stands (Pinar and Hendrickson, section 3). All that
 * have the same key meet on one rank in one call of `answer`.
 */
#ifndef QDRI_RENDEZVOUS_H
#define QDRI_RENDEZVOUS_H

#include <stdint.h>

#include "base/random.h"
#include "quadrille/base.h"
#include "wire/wire.h"

/* Where a key belongs. */
typedef struct qdri_placement {
    int ranks;
    int64_t
        limit; /* 0: any key, by hash. Else keys are 0..limit-1, in blocks by rising rank, equal within one */
} qdri_placement;

/* The first key of a rank's block; `rank` may be the number of ranks. */
static inline int64_t qdri_block_start(const qdri_placement *placement, int rank) {
    int64_t each = placement->limit / placement->ranks, more = placement->limit % placement->ranks;
    return rank * each + (rank < more ? rank : more);
}

static inline int qdri_owner(const qdri_placement *placement, int64_t key) {
    if (placement->limit == 0)
        return (int)(((qdri_mix((uint64_t)key) >> 32) * (uint64_t)placement->ranks) >> 32);
    uint64_t each = (uint64_t)(placement->limit / placement->ranks);
    uint64_t more = (uint64_t)(placement->limit % placement->ranks), wide = more * (each + 1);
    uint64_t from = (uint64_t)key; /* `wide` keys are in the blocks that have one more */
    return (int)(from < wide ? from / (each + 1) : more + (from - wide) / each);
}

/* The items that one rank brought to an owner, in their order. */
typedef struct qdri_visit {
    int origin;
    int64_t count;
    const int64_t *key; /* [count] */
    const char *record; /* [count * record_bytes]; begins at a multiple of 8 */
    char *reply;        /* [count * reply_bytes], to be filled; zero at first; begins at a multiple of 8 */
} qdri_visit;

/* Local, called once on each rank, with what came by rising origin. The wire's lock is held: it must not
 * communicate. A failure becomes that of the whole call, on all ranks. */
typedef qdr_status qdri_answer(void *context, int visits, const qdri_visit *visit);

typedef struct qdri_rendezvous {
    int64_t limit;        /* as in qdri_placement; the same on all ranks */
    int64_t record_bytes; /* the same on all ranks, may be 0 */
    int64_t reply_bytes;  /* the same on all ranks; 0: nothing comes back */
    int64_t count;
    const int64_t *key;  /* [count], in any order, repeated or not */
    const void *record;  /* [count * record_bytes] */
    void *reply;         /* [count * reply_bytes], in the order of the keys; written only on success */
    const char *method;  /* of discovery; NULL: by size */
    qdri_answer *answer; /* on all ranks */
    void *context;
} qdri_rendezvous;

/* Collective. Expects the wire's lock to be held. Cost: one round of discovery with the items, one message
 * back to each rank that brought some; memory O(items brought + items owned + ranks), all given back. */
qdr_status qdri_rendezvous_run(qdri_wire *wire, const qdri_rendezvous *rendezvous);

#endif
