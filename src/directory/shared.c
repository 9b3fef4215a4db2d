/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds on one node. Every rank has a *counters* in shared memory with two numbers that only rise: the round for
 * which it has put out its box, and the round up to which it has done its work.
 *
 *     insert, update, remove   put the box out; when all have, each keeper takes its segments from all boxes,
 *                              slice by slice of its shelf; the round is over when all have
 *     find                     nothing is brought: when all have come, each rank reads the shelves of all; the
 *                              round is over when all have read, for before that nobody may change anything.
 *                              Where so much is asked for that every line of the shelves would be fetched
 *                              again and again, ids are brought after all, and each keeper looks them up
 *                              slice by slice; every rank decides that for itself
 *
 * A rank begins a round when it has seen all finish the one before, so nobody is ever more than one round
 * ahead, and notes for two rounds, used in turn, are enough. Where a box or a shelf finds no shared memory,
 * the round, or all from then on, go by messages; all ranks see that on the counters, and decide alike.
 *
 * A counters outlives its directory: somebody may still be reading it. It is kept with the communicator and used again,
 * its numbers rising. By then all have done their part in every round of its old directory; whoever has not seen
 * that yet sees it before he leaves the call that makes the next.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "directory/inside.h"
#include "wire/node.h"

/* What a rank says at the beginning of a round, and at its end. */
typedef struct note {
    int64_t directory,
        number; /* whose round it is, and which: counters of a directory that is gone are used again */
    int64_t verb, status;
    int64_t count, each, carries;
    int64_t box;             /* in the arena; 0: there is none */
    int64_t shelf, capacity; /* in the arena; 0: it is not there */
    qdri_conflict conflict;
    int64_t failed; /* at the end */
    char sentence[QDRI_ROUND_SENTENCE];
} note;

struct qdri_counters {
    _Alignas(128) _Atomic int64_t posted;
    _Alignas(128) _Atomic int64_t served;
    note note[2];
};

/* ---- counters --------------------------------------------------------------------------------------------- */

typedef struct spares {
    qdri_keepsake keepsake; /* comes first */
    int64_t *offset;        /* of counters that nobody uses */
    int64_t count, capacity;
} spares;

static void forget_spares(qdri_keepsake *keepsake) {
    spares *gone = (spares *)keepsake;
    free(gone->offset);
    free(gone);
}

static spares *spares_of(qdri_wire *wire) {
    return qdri_wire_kept_or_made(wire, forget_spares, "counters", sizeof(spares));
}

int64_t qdri_counters_take(qdr_directory *directory) {
    qdri_wire *wire = directory->wire;
    if (!qdri_wire_one_node(wire) || !qdri_arena_there(wire)) return 0;
    spares *all = spares_of(wire);
    /* Room for its return comes first. */
    if (!all || !qdri_grow(&all->offset, &all->capacity, all->count + 1, sizeof *all->offset)) return 0;
    int fresh = all->count == 0;
    int64_t offset =
        fresh ? qdri_arena_take(wire, (int64_t)sizeof(struct qdri_counters)) : all->offset[--all->count];
    if (!offset) return 0;
    directory->own = qdri_arena_at(wire, directory->rank, offset);
    if (fresh) memset(directory->own, 0, sizeof *directory->own);
    return offset;
}

void qdri_counters_give(qdr_directory *directory) {
    spares *all = directory->own && qdri_wire_usable(directory->wire) ? spares_of(directory->wire) : NULL;
    if (all && qdri_grow(&all->offset, &all->capacity, all->count + 1, sizeof *all->offset))
        all->offset[all->count++] = directory->counters[directory->rank];
    directory->own = NULL;
}

int64_t qdri_counters_number(const qdr_directory *directory) {
    return directory->own ? atomic_load_explicit(&directory->own->posted, memory_order_relaxed) : 0;
}

static struct qdri_counters *counters_of(const qdr_directory *directory, int rank) {
    return qdri_arena_at(directory->wire, rank, directory->counters[rank]);
}

static note *note_of(const qdr_directory *directory, int rank, int64_t number) {
    return &counters_of(directory, rank)->note[number & 1];
}

static int all_posted(const qdr_directory *directory, int64_t number) {
    for (int r = 0; r < directory->ranks; r++)
        if (atomic_load_explicit(&counters_of(directory, r)->posted, memory_order_acquire) < number) return 0;
    return 1;
}

static int all_served(const qdr_directory *directory, int64_t number) {
    for (int r = 0; r < directory->ranks; r++)
        if (atomic_load_explicit(&counters_of(directory, r)->served, memory_order_acquire) < number) return 0;
    return 1;
}

/* Those that did not come; if all did, those that have not done their part. */
void qdri_shared_absent(const qdr_directory *directory, int64_t number, char *text, size_t size) {
    int came = directory->is_shared && all_posted(directory, number);
    size_t used = 0;
    text[0] = '\0';
    for (int r = 0; directory->is_shared && r < directory->ranks && used < size; r++) {
        const struct qdri_counters *counters = counters_of(directory, r);
        if (atomic_load_explicit(came ? &counters->served : &counters->posted, memory_order_acquire) >=
            number)
            continue;
        const qdri_status_line *line = qdri_status_of(directory->wire, r);
        char life[80] = "";
        if (line) qdri_status_life(line, life, sizeof life);
        int length = snprintf(text + used, size - used, "; rank %d %s%s%s", r,
                              came ? "has not done its part" : "did not come", *life ? ": it" : "", life);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* ---- shelves ------------------------------------------------------------------------------------------- */

/* The shelves of all, as their last notes say. */
void qdri_shared_look(qdr_directory *directory) {
    for (int r = 0; r < directory->ranks; r++) {
        const note *said = note_of(directory, r, directory->number);
        qdri_shelf_view *view = &directory->view[r];
        if (said->capacity && !said->shelf) directory->is_shared = 0;
        if (!said->capacity || !said->shelf) {
            *view = (qdri_shelf_view){qdri_nothing, NULL, QDRI_LINE};
            continue;
        }
        view->entry = qdri_arena_at(directory->wire, r, said->shelf);
        view->capacity = said->capacity;
        view->payload = (const char *)(view->entry + said->capacity);
    }
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

static int64_t answer_bytes(qdr_directory_verb verb) {
    if (verb == QDR_DIRECTORY_FIND) return (int64_t)sizeof(uint64_t);
    return verb == QDR_DIRECTORY_INSERT ? 0 : 1;
}

/* Whether ids are brought to their keepers: the shelves are larger than a cache, and all ranks together, if the
 * others ask for as much, ask for more than they have lines. */
static int brings_ids(const qdri_directory_round *round) {
    enum { CACHE = 1 << 21 };
    const qdr_directory *directory = round->directory;
    int64_t places = 0;
    for (int r = 0; r < directory->ranks; r++) places += directory->view[r].capacity;
    return places > CACHE / (int64_t)sizeof(qdri_entry) && directory->options.payload_bytes == 0 &&
           round->call.count > places / QDRI_LINE / directory->ranks;
}

/* A box in the arena: its table, its items, then room for their answers. */
static void put_out(qdri_directory_round *round, note *said) {
    qdr_directory *directory = round->directory;
    const qdr_directory_call *call = &round->call;
    qdri_box *box = &round->box;
    int64_t table = qdri_box_table(directory, directory->buckets);
    qdri_box_plan(directory, call, box);
    int64_t answers = answer_bytes(call->verb);
    if (answers && !(box->place = QDRI_ARRAY(int64_t, call->count))) return;
    round->box_offset = qdri_arena_take(directory->wire, table + call->count * (box->each + answers));
    if (!round->box_offset) return;
    box->start = qdri_arena_at(directory->wire, directory->rank, round->box_offset);
    box->bytes = (char *)box->start + table;
    qdri_box_fill(directory, call, directory->buckets, box);
    said->box = round->box_offset;
    said->each = box->each;
    said->carries = box->carries;
}

void qdri_shared_begin(qdri_directory_round *round) {
    qdr_directory *directory = round->directory;
    note *said = note_of(directory, directory->rank, round->number);
    const qdri_shelf *shelf = &directory->shelf;
    *said = (note){.directory = directory->first_tag,
                   .number = round->number,
                   .verb = round->call.verb,
                   .status = round->status,
                   .count = round->status ? 0 : round->call.count,
                   .shelf = shelf->offset,
                   .capacity = shelf->capacity};
    if (round->status)
        snprintf(said->sentence, sizeof said->sentence, "%s", round->sentence);
    else if (qdri_changes(round->call.verb) || brings_ids(round))
        put_out(round, said);
    round->state = QDRI_POSTED;
    atomic_store_explicit(&directory->own->posted, round->number, memory_order_release);
    qdri_shared_advance(round);
}

/* ---- a keeper's work ----------------------------------------------------------------------------------- */

/* What rank r has in one slice of this rank's shelf. */
static qdri_batch batch_from(const qdri_directory_round *round, const note *said, int r, int bucket) {
    const qdr_directory *directory = round->directory;
    char *box = qdri_arena_at(directory->wire, r, said->box);
    char *bytes = box + qdri_box_table(directory, directory->buckets);
    const int64_t *start = (const int64_t *)box + (int64_t)directory->rank * directory->buckets + bucket;
    return (qdri_batch){.count = start[1] - start[0],
                        .each = said->each,
                        .item = bytes + start[0] * said->each,
                        .carries = (int)said->carries,
                        .known = round->call.verb == QDR_DIRECTORY_INSERT
                                     ? NULL
                                     : bytes + said->count * said->each + start[0]};
}

static int64_t items_for(const qdr_directory *directory, const note *said, int r) {
    const int64_t *start = qdri_arena_at(directory->wire, r, said->box);
    start += (int64_t)directory->rank * directory->buckets;
    return start[directory->buckets] - start[0];
}

static void keep(qdri_directory_round *round, note *own) {
    qdr_directory *directory = round->directory;
    qdri_shelf *shelf = &directory->shelf;
    int64_t more = 0;
    for (int r = 0; r < directory->ranks; r++)
        more += items_for(directory, note_of(directory, r, round->number), r);
    if (round->call.verb == QDR_DIRECTORY_INSERT && !qdri_shelf_reserve_bare(shelf, more)) {
        own->failed = qdri_fail_memory();
        snprintf(own->sentence, sizeof own->sentence, "%s", qdr_error_message());
        return;
    }
    int removes = round->call.verb == QDR_DIRECTORY_REMOVE, last = 2 * directory->ranks;
    for (int b = 0; b < directory->buckets; b++) {
        qdri_shelf_clear_to(shelf, shelf->capacity * (b + 1) / directory->buckets + 2 * QDRI_LINE);
        for (int turn = removes ? 0 : directory->ranks; turn < last; turn++) {
            int r = turn % directory->ranks;
            qdri_batch batch = batch_from(round, note_of(directory, r, round->number), r, b);
            if (turn < directory->ranks)
                qdri_serve_known(shelf, &batch);
            else
                qdri_serve(shelf, round->call.verb, &batch, &own->conflict);
        }
    }
    qdri_shelf_trim(shelf);
    own->shelf = shelf->offset;
    own->capacity = shelf->capacity;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static void find_some(qdri_directory_round *round, int64_t base, int some) {
    const qdr_directory *directory = round->directory;
    const int64_t *id = round->call.id + base;
    const char *payload[QDRI_TOGETHER];
    uint64_t spot[QDRI_TOGETHER], word[QDRI_TOGETHER];
    qdri_spots(directory, id, some, spot);
    qdri_look_up(directory->view, id, spot, some, directory->options.payload_bytes, word, payload);
    qdri_found(round, base, some, word, payload);
}

/* The ids that others have brought to one slice of this rank's shelf. */
static void answer_slice(const qdri_directory_round *round, const qdri_shelf_view *own, int r, int bucket) {
    const qdr_directory *directory = round->directory;
    const note *said = note_of(directory, r, round->number);
    char *box = qdri_arena_at(directory->wire, r, said->box);
    char *bytes = box + qdri_box_table(directory, directory->buckets);
    const int64_t *start = (const int64_t *)box + (int64_t)directory->rank * directory->buckets + bucket;
    const int64_t *id = (const int64_t *)bytes;
    uint64_t *word = (uint64_t *)bytes + said->count, spread = directory->shelf.spread;
    const qdri_entry *entry = own->entry;
    int64_t capacity = own->capacity, home[QDRI_AHEAD];
    /* The slice is in the cache, or soon will be: there is no need to look up one while waiting for another. */
    for (int64_t at = start[0]; at < start[1]; at += QDRI_AHEAD) {
        int some = start[1] - at < QDRI_AHEAD ? (int)(start[1] - at) : QDRI_AHEAD;
        for (int i = 0; i < some; i++) {
            home[i] = qdri_home(qdri_scatter(id[at + i], spread), capacity);
            QDRI_PREFETCH(&entry[home[i]]);
        }
        for (int i = 0; i < some; i++)
            word[at + i] = entry[qdri_seek(entry, capacity, id[at + i], home[i])].word;
    }
}

static void answer_all(const qdri_directory_round *round) {
    const qdr_directory *directory = round->directory;
    qdri_shelf_view own = qdri_shelf_look(&directory->shelf);
    for (int b = 0; b < directory->buckets; b++)
        for (int r = 0; r < directory->ranks; r++)
            if (note_of(directory, r, round->number)->box) answer_slice(round, &own, r, b);
}

/* The answers to what this rank has brought. */
static void read_words(qdri_directory_round *round) {
    const qdri_box *box = &round->box;
    const uint64_t *answer = (const uint64_t *)box->bytes + box->count;
    uint64_t word[QDRI_TOGETHER];
    for (int64_t base = 0; base < box->count; base += QDRI_TOGETHER) {
        int some = box->count - base < QDRI_TOGETHER ? (int)(box->count - base) : QDRI_TOGETHER;
        for (int i = 0; i < some; i++) word[i] = answer[box->place[base + i]];
        qdri_found(round, base, some, word, NULL);
    }
    round->directory->asked += box->count;
}

static void find_all(qdri_directory_round *round) {
    int64_t count = round->call.count;
    for (int64_t base = 0; base < count; base += QDRI_TOGETHER)
        find_some(round, base, count - base < QDRI_TOGETHER ? (int)(count - base) : QDRI_TOGETHER);
    round->directory->asked += count;
}

/* ---- the machine --------------------------------------------------------------------------------------- */

/* A rank that has destroyed this directory, and has another in its place: nothing that it says is for this one. */
static int meets_another(qdri_directory_round *round) {
    const qdr_directory *directory = round->directory;
    int own = directory->rank;
    for (int r = 0; r < directory->ranks; r++) {
        const note *said = note_of(directory, r, round->number);
        if (said->directory == directory->first_tag && said->number == round->number) continue;
        qdri_round_fail(round,
                        qdri_fail(QDR_ERR_MISMATCH, "ranks %d and %d are in calls of different directories",
                                  own < r ? own : r, own < r ? r : own));
        qdri_wire_break(directory->wire, QDR_ERR_MISMATCH);
        qdri_round_end(round);
        return 1;
    }
    return 0;
}

/* What all said at the beginning: whether the round takes place. */
static int is_off(qdri_directory_round *round) {
    const qdr_directory *directory = round->directory;
    const note *first = note_of(directory, 0, round->number);
    for (int r = 0; r < directory->ranks; r++) {
        const note *said = note_of(directory, r, round->number);
        if (said->status) {
            qdri_round_fail(round, qdri_fail((qdr_status)said->status, "rank %d: %s", r, said->sentence));
            return 1;
        }
        if (said->verb != first->verb) {
            qdri_round_fail(round, qdri_fail(QDR_ERR_MISMATCH,
                                             "ranks 0 and %d are in different calls of a directory", r));
            return 1;
        }
    }
    return 0;
}

static int lacks_box(const qdri_directory_round *round) {
    const qdr_directory *directory = round->directory;
    for (int r = 0; r < directory->ranks; r++)
        if (!note_of(directory, r, round->number)->box) return 1;
    return 0;
}

static void done_with(qdri_directory_round *round) {
    round->state = QDRI_SERVED;
    atomic_store_explicit(&round->directory->own->served, round->number, memory_order_release);
}

/* All have come. */
static void take_part(qdri_directory_round *round) {
    qdr_directory *directory = round->directory;
    if (meets_another(round)) return;
    if (is_off(round)) {
        done_with(round);
    } else if (!qdri_changes(round->call.verb)) {
        if (!round->box_offset) find_all(round);
        answer_all(round);
        done_with(round);
    } else if (lacks_box(round)) {
        round->by_messages = 1;
        round->state = QDRI_QUEUED;
        qdri_messages_begin(round);
    } else {
        keep(round, note_of(directory, directory->rank, round->number));
        done_with(round);
    }
}

/* The smallest id in conflict, of all keepers; or the first that had no memory. */
static void judge(qdri_directory_round *round) {
    const qdr_directory *directory = round->directory;
    const qdri_conflict *least = NULL;
    for (int r = 0; r < directory->ranks; r++) {
        const note *said = note_of(directory, r, round->number);
        if (said->failed) {
            qdri_round_fail(round, qdri_fail((qdr_status)said->failed, "rank %d: %s", r, said->sentence));
            return;
        }
        if (said->conflict.there && (!least || said->conflict.id < least->id)) least = &said->conflict;
    }
    if (least) qdri_round_fail(round, qdri_conflict_fail(directory, least));
}

static void finish(qdri_directory_round *round) {
    qdr_directory *directory = round->directory;
    if (!round->status && !round->by_messages) judge(round);
    if (!round->status && !round->by_messages && round->box_offset && round->box.place) {
        if (qdri_changes(round->call.verb))
            qdri_knew(round, round->box.place, round->box.bytes + round->box.count * round->box.each);
        else
            read_words(round);
    }
    directory->number = round->number;
    qdri_shared_look(directory);
    qdri_round_end(round);
}

void qdri_shared_rejoin(qdri_directory_round *round) {
    qdr_directory *directory = round->directory;
    note *own = note_of(directory, directory->rank, round->number);
    own->shelf = directory->shelf.offset;
    own->capacity = directory->shelf.capacity;
    done_with(round);
}

void qdri_shared_advance(qdri_directory_round *round) {
    if (round->state == QDRI_POSTED && all_posted(round->directory, round->number)) take_part(round);
    if (round->state == QDRI_SERVED && all_served(round->directory, round->number)) finish(round);
}
