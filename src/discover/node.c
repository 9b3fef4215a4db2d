/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: every rank writes a word for every other into a row of the node's shared memory, and reads its column. The rows
 * are shown together with what the first agreement of a round shows anyway, so that the search costs nothing of its own,
 * and a round of words no message at all.
 *
 * Parcels that are not large lie in the arena of their sender, and the word says where. They are read there by whoever
 * they are for, before he shows his next row; so a sender has its block back when it has come through the first agreement
 * of the next round. Of large parcels, and where the arena has no room, the word says the size, and the parcel follows.
 *
 * Cost: a word per pair of ranks, read once, and two copies of each parcel; all ranks must share a node.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "discover/round.h"
#include "wire/node.h"

enum { ALIGNMENT = 16 };

/* A parcel in the arena. */
typedef struct lying {
    int64_t bytes, padding;
    char data[];
} lying;

/* The blocks of this rank that others may still read, each with the offset of the one before; 0: none. */
typedef struct lent {
    qdri_keepsake keepsake; /* first: release() converts */
    int64_t last;
} lent;

static void release(qdri_keepsake *keepsake) {
    free(keepsake);
}

static lent *lent_of(qdri_wire *wire) {
    return qdri_wire_kept_or_made(wire, release, "node", sizeof(lent));
}

static int own_member(qdri_wire *wire) {
    return qdri_node_member(wire, qdri_wire_rank(wire));
}

/* All but the last one have been read. */
static void give_back(qdri_wire *wire, lent *blocks) {
    int64_t *before = blocks->last ? qdri_arena_at(wire, own_member(wire), blocks->last) : NULL;
    int64_t offset = before ? *before : 0;
    if (before) *before = 0;
    while (offset) {
        int64_t next = *(int64_t *)qdri_arena_at(wire, own_member(wire), offset);
        qdri_arena_give(wire, offset);
        offset = next;
    }
}

static int64_t space_of(int64_t bytes) {
    return (int64_t)sizeof(lying) + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Room for the parcels that go along, behind a word for the block before; 0: there is none, and none go. */
static int64_t take_block(qdri_round *round, lent *blocks) {
    int64_t bytes = ALIGNMENT;
    for (int i = 0; i < round->count; i++)
        if (round->out[i].bytes <= round->most_carried) bytes += space_of(round->out[i].bytes);
    int64_t offset = blocks && bytes > ALIGNMENT ? qdri_arena_take(round->wire, bytes) : 0;
    if (!offset) return 0;
    *(int64_t *)qdri_arena_at(round->wire, own_member(round->wire), offset) = blocks->last;
    blocks->last = offset;
    return offset;
}

/* A word is one more than it says: twice the size, or twice the place and 1. */
static void start(qdri_round *round) {
    if (round->words) {
        qdri_words_fill(round);
        return;
    }
    int64_t block = qdri_arena_there(round->wire) ? take_block(round, lent_of(round->wire)) : 0;
    char *base = block ? qdri_arena_at(round->wire, own_member(round->wire), block) : NULL;
    int64_t at = ALIGNMENT, *word_for = round->scratch;
    if (!block) round->carries = -1;
    for (int i = 0; i < round->count; i++) {
        const qdr_parcel *one = &round->out[i];
        word_for[one->rank] = 2 * one->bytes + 1;
        if (one->bytes > round->carries) continue;
        lying *parcel = (lying *)(base + at);
        parcel->bytes = one->bytes;
        if (one->bytes > 0) memcpy(parcel->data, one->data, (size_t)one->bytes);
        word_for[one->rank] = 2 * (block + at) + 2;
        at += space_of(one->bytes);
    }
}

static qdr_status read_word(const qdri_round *round, int rank, int64_t word, qdr_parcel *came) {
    *came = (qdr_parcel){rank, word / 2, NULL};
    if (word % 2 == 0) return QDR_OK;
    lying *parcel = qdri_arena_at(round->wire, qdri_node_member(round->wire, rank), word / 2);
    if (parcel->bytes < 0 || parcel->bytes > round->most_carried)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "rank %d has a parcel of %lld bytes in shared memory; expected 0 to %lld", rank,
                         (long long)parcel->bytes, (long long)round->most_carried);
    came->bytes = parcel->bytes;
    came->data = parcel->data;
    return QDR_OK;
}

static qdr_status learn(qdri_round *round) {
    if (round->words) return qdri_words_learn(round);
    int ranks = qdri_wire_ranks(round->wire);
    const int64_t *word_from = round->scratch + ranks;
    lent *blocks = lent_of(round->wire);
    if (blocks) give_back(round->wire, blocks);
    round->arrived = 0;
    for (int rank = 0; rank < ranks; rank++)
        if (word_from[rank] > 0)
            QDRI_TRY(read_word(round, rank, word_from[rank] - 1, &round->came[round->arrived++]));
    return QDR_OK;
}

const qdri_discovery qdri_discovery_node = {
    .name = "node",
    .summary = "a table in shared memory: the fastest by far, where all ranks share a node",
    .scratch = 2,
    .carries = 4096,
    .carries_more = 1,
    .bounded = 1,
    .at_once = 1,
    .start = start,
    .poll = NULL,
    .learn = learn,
};
