/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filling a box: a counting sort of the items by keeper and bucket. Buckets are slices of a keeper's shelf; a
 * keeper that takes the items of all ranks slice by slice has the slice in its cache meanwhile. Equal ids
 * stay in their order.
 *
 * Cost: two passes over the ids, and two bytes for each of them meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "directory/inside.h"

int64_t qdri_box_table(const qdr_directory *directory, int buckets) {
    return ((int64_t)directory->ranks * buckets + 1) * (int64_t)sizeof(int64_t);
}

void qdri_box_plan(const qdr_directory *directory, const qdr_directory_call *call, qdri_box *box) {
    int changes = qdri_changes(call->verb);
    box->count = call->count;
    box->carries = changes && call->payload && directory->options.payload_bytes > 0;
    box->each = changes ? (int64_t)sizeof(qdri_entry) : (int64_t)sizeof(int64_t);
    if (box->carries) box->each += qdri_padded(directory->options.payload_bytes);
}

/* The slots of a few items: keeper and bucket. Kept from the first pass to the second where there is memory for it. */
static void find_slots(const qdr_directory *directory, const int64_t *id, int some, int shift, uint16_t *slot,
                       uint64_t *spot) {
    qdri_spots(directory, id, some, spot);
    for (int j = 0; j < some; j++) spot[j] >>= shift;
    for (int j = 0; slot && j < some; j++) slot[j] = (uint16_t)spot[j];
}

/* start[slot + 1] is the number of items of a slot, then where it begins, and at last where it ends: the
 * beginning of the next. */
static int64_t *count_items(const qdr_directory *directory, const qdr_directory_call *call, int64_t slots,
                            int shift, uint16_t *slot, int64_t *start) {
    int64_t sum = 0, *cursor = start + 1;
    uint64_t spot[QDRI_AHEAD];
    memset(start, 0, (size_t)(slots + 1) * sizeof *start);
    for (int64_t i = 0; i < call->count; i += QDRI_AHEAD) {
        int some = call->count - i < QDRI_AHEAD ? (int)(call->count - i) : QDRI_AHEAD;
        find_slots(directory, call->id + i, some, shift, slot ? slot + i : NULL, spot);
        for (int j = 0; j < some; j++) cursor[spot[j]]++;
    }
    for (int64_t s = 0; s < slots; s++) {
        int64_t count = cursor[s];
        cursor[s] = sum;
        sum += count;
    }
    return cursor;
}

/* The words of a few items. Removing needs none, but 0 would be no entry. */
static void make_words(const qdr_directory *directory, const qdr_directory_call *call, int64_t i, int some,
                       uint64_t *word) {
    int bits = directory->owner_bits;
    for (int j = 0; j < some; j++) word[j] = (uint64_t)(call->place ? call->place[i + j] : i + j) << bits;
    for (int j = 0; j < some; j++)
        word[j] += (uint64_t)(call->owner ? call->owner[i + j] : directory->rank) + 1;
}

static void put_items(const qdr_directory *directory, const qdr_directory_call *call, int64_t i, int some,
                      const int64_t *at, const qdri_box *box) {
    char *bytes = box->bytes;
    int64_t each = box->each, payload = directory->options.payload_bytes;
    uint64_t word[QDRI_AHEAD];
    if (!qdri_changes(call->verb)) {
        for (int j = 0; j < some; j++) ((int64_t *)bytes)[at[j]] = call->id[i + j];
        return;
    }
    make_words(directory, call, i, some, word);
    for (int j = 0; j < some; j++)
        *(qdri_entry *)(bytes + at[j] * each) = (qdri_entry){call->id[i + j], word[j]};
    for (int j = 0; box->carries && j < some; j++)
        memcpy(bytes + at[j] * each + sizeof(qdri_entry), (const char *)call->payload + (i + j) * payload,
               (size_t)payload);
}

void qdri_box_fill(const qdr_directory *directory, const qdr_directory_call *call, int buckets,
                   qdri_box *box) {
    int shift = 32;
    int64_t slots = (int64_t)directory->ranks * buckets, at[QDRI_AHEAD];
    uint64_t spot[QDRI_AHEAD];
    uint16_t *slot = slots <= UINT16_MAX ? QDRI_ARRAY(uint16_t, call->count) : NULL;
    for (int b = buckets; b > 1; b /= 2) shift--;
    int64_t *cursor = count_items(directory, call, slots, shift, slot, box->start);
    for (int64_t i = 0; i < call->count; i += QDRI_AHEAD) {
        int some = call->count - i < QDRI_AHEAD ? (int)(call->count - i) : QDRI_AHEAD;
        if (!slot) find_slots(directory, call->id + i, some, shift, NULL, spot);
        for (int j = 0; j < some; j++) at[j] = cursor[slot ? slot[i + j] : spot[j]]++;
        put_items(directory, call, i, some, at, box);
        if (box->place) memcpy(box->place + i, at, (size_t)some * sizeof *at);
    }
    free(slot);
}
