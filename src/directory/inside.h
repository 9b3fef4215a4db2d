/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a directory.
 *
 * A call becomes a *round*. Rounds are carried out one after the other, in the order in which they were
 * started, the same on all ranks; one that is not its turn waits in a queue, and whoever lets anything of the
 * library advance lets rounds advance. A round goes one of two ways, each a small machine that never waits:
 *
 *     shared.c     all ranks share a node: boxes and shelves lie in memory that all of them see
 *     messages.c   boxes go to the ranks that keep the entries, answers come back
 *
 * A *box* is what a rank brings to a round, in the order of those who keep the entries (its *keepers*).
 */
#ifndef QDRI_DIRECTORY_INSIDE_H
#define QDRI_DIRECTORY_INSIDE_H

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "directory/look_up.h"
#include "directory/shelf.h"
#include "base/spec.h"
#include "wire/flight.h"
#include "discover/rendezvous.h"
#include "quadrille/directory.h"
#include "wire/node.h"
#include "wire/wire.h"
#include "wire/council.h"
#include "wire/pending.h"

typedef struct qdri_directory_round qdri_directory_round;

/* ---- the directory ------------------------------------------------------------------------------------- */

struct qdr_directory {
    qdri_wire *wire;
    qdr_directory_options options;
    int rank, ranks;
    int owner_bits; /* of a word */
    qdri_placement blocks;
    qdri_shelf shelf;
    qdri_shelf cache; /* of what was found elsewhere */
    int64_t asked, spared;
    int64_t sent_messages, sent_bytes;
    int first_tag;
    qdri_council *council; /* of rounds by messages; NULL: there was none yet */

    int is_shared;             /* the same on all ranks */
    int buckets;               /* per keeper, in boxes of shared memory */
    struct qdri_counters *own; /* in the arena; NULL: there is none */
    int64_t *counters;         /* [ranks]: where the others have theirs */
    qdri_shelf_view *view;     /* [ranks]: of their shelves */

    int64_t number;  /* of the round that was carried out last */
    int outstanding; /* rounds that somebody will wait for */
    qdri_directory_round *first, **last;
    qdri_poller poller;
    int polls;
};

/* ---- rounds -------------------------------------------------------------------------------------------- */

enum { QDRI_ROUND_SENTENCE = 320 };

/* What a rank brings: items in the order of keepers, and inside of buckets. An item is an entry (of `find`: an
 * id), and a payload if they carry one, padded. */
typedef struct qdri_box {
    int64_t count;
    int64_t each;   /* bytes of an item */
    int carries;    /* payloads */
    int64_t *start; /* [ranks * buckets + 1] */
    char *bytes;    /* [count * each] */
    int64_t *place; /* [count]: where in this order an item stands; NULL: nobody wants to know */
} qdri_box;

typedef enum qdri_round_state { QDRI_QUEUED, QDRI_POSTED, QDRI_SERVED, QDRI_ENDED } qdri_round_state;

extern const qdri_pending_kind qdri_pending_round;

struct qdri_directory_round {
    qdr_pending pending; /* first: handles convert */
    qdr_directory *directory;
    qdr_directory_call call;
    qdri_directory_round *next;
    qdri_round_state state;
    int by_messages;
    int64_t number;
    qdr_status status; /* of the arguments; at the end, of the round */
    char sentence[QDRI_ROUND_SENTENCE];
    int64_t unknown;
    int ended;
    double deadline;              /* of those who test; 0: none yet */
    struct qdri_traffic *traffic; /* of messages.c */
    int64_t box_offset;           /* of shared.c */
    qdri_box box;
};

/* Local, after the round: takes the status and sentence from the error message of this thread. */
void qdri_round_fail(qdri_directory_round *round, qdr_status status);

/* Lets the round end with a status that all ranks have. */
void qdri_round_end(qdri_directory_round *round);

/* There is nothing to look after any more. */
void qdri_round_rest(qdr_directory *directory);

/* The two ways: to begin, and to look whether it got on. A round of shared memory that found too little of it
 * goes by messages, and then comes back. */
void qdri_shared_begin(qdri_directory_round *round);
void qdri_shared_advance(qdri_directory_round *round);
void qdri_shared_rejoin(qdri_directory_round *round);
void qdri_messages_begin(qdri_directory_round *round);
void qdri_messages_advance(qdri_directory_round *round);
/* Whatever a round left behind that did not end. */
void qdri_messages_abandon(qdri_directory_round *round);
/* Who has not come to a round, or not done his part: the end of a sentence, "" if nobody is known. */
void qdri_messages_absent(const qdri_directory_round *round, char *text, size_t size);
/* How many seconds, of so many, to give others who may know better who is missing. */
double qdri_messages_moment(const qdri_directory_round *round, double most);
/* This rank gives up, with this status and this thread's error message, and says so to those who wait for it. */
void qdri_messages_last_word(const qdri_directory_round *round, qdr_status status);

/* Counters in shared memory. */
int64_t qdri_counters_take(qdr_directory *directory);
void qdri_counters_give(qdr_directory *directory);
int64_t qdri_counters_number(const qdr_directory *directory);
void qdri_shared_look(qdr_directory *directory);
/* Who has not come to a round, for the sentence about it. */
void qdri_shared_absent(const qdr_directory *directory, int64_t number, char *text, size_t size);

/* ---- what was found before ------------------------------------------------------------------------------ */

/* Marks the ids of a call in a set of bits, one bit for many ids. */
void qdri_cache_changed(const qdr_directory_call *call, uint64_t *set);

/* Forgets what is marked, and with it some that only look like it. */
void qdri_cache_forget(qdr_directory *directory, const uint64_t *set);

/* Remembers; does not, when there is no memory. */
void qdri_cache_add(qdr_directory *directory, int64_t id, uint64_t word, const char *payload);

/* ---- words and places ---------------------------------------------------------------------------------- */

static inline uint64_t qdri_word(const qdr_directory *directory, int owner, int64_t place) {
    return ((uint64_t)place << directory->owner_bits | (uint64_t)owner) + 1;
}

static inline int qdri_word_owner(const qdr_directory *directory, uint64_t word) {
    return (int)((word - 1) & ((UINT64_C(1) << directory->owner_bits) - 1));
}

static inline int64_t qdri_word_place(const qdr_directory *directory, uint64_t word) {
    return (int64_t)((word - 1) >> directory->owner_bits);
}

/* The keeper of an id in the upper half, where on its shelf in the lower. */
static inline uint64_t qdri_spot(const qdr_directory *directory, qdr_placement placement, uint64_t spread,
                                 int64_t id) {
    uint64_t scattered = qdri_scatter(id, spread);
    if (placement == QDR_PLACE_BLOCK) return (uint64_t)qdri_owner(&directory->blocks, id) << 32 | scattered;
    if (placement == QDR_PLACE_FUNCTION)
        return (uint64_t)directory->options.place(directory->options.context, id) << 32 | scattered;
    return scattered;
}

/* Those of a few ids. What does not change is kept in registers. */
static inline void qdri_spots(const qdr_directory *directory, const int64_t *id, int count, uint64_t *spot) {
    uint64_t spread = directory->shelf.spread;
    qdr_placement placement = directory->options.placement;
    if (placement == QDR_PLACE_HASH)
        for (int i = 0; i < count; i++) spot[i] = qdri_scatter(id[i], spread);
    else
        for (int i = 0; i < count; i++) spot[i] = qdri_spot(directory, placement, spread, id[i]);
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

static inline int qdri_changes(qdr_directory_verb verb) {
    return verb != QDR_DIRECTORY_FIND;
}

static inline int64_t qdri_padded(int64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Bytes of start[]. */
int64_t qdri_box_table(const qdr_directory *directory, int buckets);

/* How many items there will be, and what they hold. */
void qdri_box_plan(const qdr_directory *directory, const qdr_directory_call *call, qdri_box *box);

/* Fills a box that was planned and has its memory: start[], bytes and, if there is one, place[]. */
void qdri_box_fill(const qdr_directory *directory, const qdr_directory_call *call, int buckets,
                   qdri_box *box);

/* ---- at the keeper ------------------------------------------------------------------------------------- */

/* Items of one rank, in its order. */
typedef struct qdri_batch {
    int64_t count, each;
    const char *item; /* [count * each]: entries, and payloads if they carry them */
    int carries;
    char *known; /* of update and remove: [count], to be written: 1 if it was there */
} qdri_batch;

/* An id that two have claimed. */
typedef struct qdri_conflict {
    int there;
    int64_t id;
    uint64_t first, other;
} qdri_conflict;

/* Of a remove, before anything is removed: whether the items are there. */
void qdri_serve_known(const qdri_shelf *shelf, const qdri_batch *batch);

/* Carries out insert, update or remove on this rank's shelf, which has room. */
void qdri_serve(qdri_shelf *shelf, qdr_directory_verb verb, const qdri_batch *batch, qdri_conflict *conflict);

/* The sentence about it. */
qdr_status qdri_conflict_fail(const qdr_directory *directory, const qdri_conflict *conflict);

/* Writes what an update or remove has learned: known[place[i]] says whether id i was there. */
void qdri_knew(qdri_directory_round *round, const int64_t *place, const char *known);

/* Writes what a find has learned of its i-th id and the next ones: words and payloads (NULL: unknown). */
void qdri_found(qdri_directory_round *round, int64_t i, int count, const uint64_t *word,
                const char *const *payload);

#endif
