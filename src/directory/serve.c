/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a keeper does with the items of one rank. The homes of the next few are computed and fetched ahead, so
 * that waiting for one place overlaps with waiting for the others.
 */
#include <inttypes.h>
#include <string.h>

#include "directory/inside.h"

static void note_conflict(qdri_conflict *conflict, const qdri_entry *first, const qdri_entry *other) {
    if (conflict->there && conflict->id <= other->id) return;
    *conflict = (qdri_conflict){1, other->id, first->word, other->word};
}

qdr_status qdri_conflict_fail(const qdr_directory *directory, const qdri_conflict *conflict) {
    return qdri_fail(QDR_ERR_MISMATCH,
                     "id %" PRId64 " is owned twice: by rank %d (place %" PRId64
                     ") and by rank %d (place %" PRId64 "); the first entry stays",
                     conflict->id, qdri_word_owner(directory, conflict->first),
                     qdri_word_place(directory, conflict->first), qdri_word_owner(directory, conflict->other),
                     qdri_word_place(directory, conflict->other));
}

/* Where each of a few items is, or would be, is on its way to the cache. */
static void fetch(const qdri_shelf *shelf, const char *item, int64_t each, int some, int64_t *home) {
    const qdri_entry *entry = shelf->entry;
    uint64_t spread = shelf->spread;
    int64_t capacity = shelf->capacity;
    for (int i = 0; i < some; i++) {
        int64_t id = ((const qdri_entry *)(item + i * each))->id;
        home[i] = qdri_home(qdri_scatter(id, spread), capacity);
        QDRI_PREFETCH(&entry[home[i]]);
    }
}

static inline int64_t seek(qdri_shelf *shelf, qdri_entry *entry, int64_t id, int64_t home) {
    int64_t place = qdri_seek_line(entry, home, id);
    return place >= 0 ? place : qdri_shelf_seek(shelf, id, home);
}

static void insert(qdri_shelf *shelf, const qdri_batch *batch, const char *item, int some,
                   const int64_t *home, qdri_conflict *conflict) {
    qdri_entry *entry = shelf->entry;
    int64_t each = batch->each, fresh = 0, place[QDRI_AHEAD];
    for (int i = 0; i < some; i++) {
        qdri_entry one = *(const qdri_entry *)(item + i * each);
        place[i] = seek(shelf, entry, one.id, home[i]);
        uint64_t word = entry[place[i]].word;
        if (word) {
            if (word != one.word) note_conflict(conflict, &entry[place[i]], &one);
            place[i] = -1;
            continue;
        }
        entry[place[i]] = one;
        fresh++;
    }
    shelf->count += fresh;
    for (int i = 0; shelf->payload_bytes && i < some; i++)
        if (place[i] >= 0)
            qdri_shelf_load(shelf, place[i], batch->carries ? item + i * each + sizeof(qdri_entry) : NULL);
}

static void update(qdri_shelf *shelf, const qdri_batch *batch, const char *item, int some,
                   const int64_t *home, char *known) {
    for (int i = 0; i < some; i++, item += batch->each) {
        const qdri_entry *one = (const qdri_entry *)item;
        int64_t place = seek(shelf, shelf->entry, one->id, home[i]);
        known[i] = shelf->entry[place].word != 0;
        if (!known[i]) continue;
        shelf->entry[place].word = one->word;
        if (batch->carries) qdri_shelf_load(shelf, place, item + sizeof *one);
    }
}

static void take_away(qdri_shelf *shelf, const qdri_batch *batch, const char *item, int some,
                      const int64_t *home) {
    for (int i = 0; i < some; i++, item += batch->each) {
        int64_t place = seek(shelf, shelf->entry, ((const qdri_entry *)item)->id, home[i]);
        if (shelf->entry[place].word) qdri_shelf_erase(shelf, place);
    }
}

void qdri_serve_known(const qdri_shelf *shelf, const qdri_batch *batch) {
    for (int64_t i = 0; i < batch->count; i++) {
        int64_t id = ((const qdri_entry *)(batch->item + i * batch->each))->id;
        batch->known[i] = qdri_shelf_find(shelf, id) >= 0;
    }
}

void qdri_serve(qdri_shelf *shelf, qdr_directory_verb verb, const qdri_batch *batch,
                qdri_conflict *conflict) {
    int64_t home[QDRI_AHEAD];
    if (!shelf->capacity) {
        if (verb == QDR_DIRECTORY_UPDATE && batch->count) memset(batch->known, 0, (size_t)batch->count);
        return;
    }
    for (int64_t base = 0; base < batch->count; base += QDRI_AHEAD) {
        int some = batch->count - base < QDRI_AHEAD ? (int)(batch->count - base) : QDRI_AHEAD;
        const char *item = batch->item + base * batch->each;
        fetch(shelf, item, batch->each, some, home);
        if (verb == QDR_DIRECTORY_INSERT)
            insert(shelf, batch, item, some, home, conflict);
        else if (verb == QDR_DIRECTORY_UPDATE)
            update(shelf, batch, item, some, home, batch->known + base);
        else
            take_away(shelf, batch, item, some, home);
    }
}

void qdri_knew(qdri_directory_round *round, const int64_t *place, const char *known) {
    for (int64_t i = 0; i < round->call.count; i++) {
        char was_there = known[place[i]];
        round->unknown += !was_there;
        if (round->call.known) round->call.known[i] = was_there;
    }
}

void qdri_found(qdri_directory_round *round, int64_t i, int count, const uint64_t *word,
                const char *const *payload) {
    const qdr_directory_call *call = &round->call;
    const qdr_directory *directory = round->directory;
    size_t bytes = (size_t)directory->options.payload_bytes;
    uint64_t bits = (uint64_t)directory->owner_bits, mask = (UINT64_C(1) << bits) - 1;
    int64_t unknown = 0;
    for (int j = 0; j < count; j++) unknown += !word[j];
    round->unknown += unknown;
    int *owner = call->found_owner ? call->found_owner + i : NULL;
    for (int j = 0; owner && j < count; j++) owner[j] = word[j] ? (int)((word[j] - 1) & mask) : QDR_NOBODY;
    int64_t *place = call->found_place ? call->found_place + i : NULL;
    for (int j = 0; place && j < count; j++) place[j] = word[j] ? (int64_t)((word[j] - 1) >> bits) : -1;
    for (int j = 0; call->known && j < count; j++) call->known[i + j] = word[j] != 0;
    char *into = bytes && call->found_payload ? (char *)call->found_payload + (size_t)i * bytes : NULL;
    for (int j = 0; into && j < count; j++, into += bytes) {
        if (word[j])
            memcpy(into, payload[j], bytes);
        else
            memset(into, 0, bytes);
    }
}
