/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filling a box: a counting sort of the items by keeper and bucket. Buckets are slices of a keeper's shelf; a
 * keeper that takes the items of all ranks slice by slice has the slice in its cache meanwhile. Equal ids
 * stay in their order.
 *
 * Cost: two passes over the ids; the hash is computed twice rather than kept.
 */
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

/* start[slot + 1] is the number of items of a slot, then where it begins, and at last where it ends: the
 * beginning of the next. */
static int64_t *count_items(const qdr_directory *directory, const qdr_directory_call *call, int64_t slots,
                            int shift, int64_t *start) {
    int64_t sum = 0, *cursor = start + 1;
    uint64_t spot[QDRI_AHEAD];
    memset(start, 0, (size_t)(slots + 1) * sizeof *start);
    for (int64_t i = 0; i < call->count; i += QDRI_AHEAD) {
        int some = call->count - i < QDRI_AHEAD ? (int)(call->count - i) : QDRI_AHEAD;
        qdri_spots(directory, call->id + i, some, spot);
        for (int j = 0; j < some; j++) cursor[spot[j] >> shift]++;
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
    for (int j = 0; j < some; j++) word[j] = (uint64_t)(call->local ? call->local[i + j] : i + j) << bits;
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
    uint64_t spot[QDRI_AHEAD];
    int64_t at[QDRI_AHEAD];
    for (int b = buckets; b > 1; b /= 2) shift--;
    int64_t *cursor = count_items(directory, call, (int64_t)directory->ranks * buckets, shift, box->start);
    for (int64_t i = 0; i < call->count; i += QDRI_AHEAD) {
        int some = call->count - i < QDRI_AHEAD ? (int)(call->count - i) : QDRI_AHEAD;
        qdri_spots(directory, call->id + i, some, spot);
        for (int j = 0; j < some; j++) at[j] = cursor[spot[j] >> shift]++;
        put_items(directory, call, i, some, at, box);
        if (box->place) memcpy(box->place + i, at, (size_t)some * sizeof *at);
    }
}
