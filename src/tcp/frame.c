/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames, and queues of what is in transit. A head is a mark with the kind, a tag, a length and an id; what a
 * kind does not use must be zero, and lengths are bounded, so bytes that have lost their step are noticed at
 * once.
 */
#include <string.h>

#include "tcp/numbers.h"
#include "tcp/inside.h"

static const uint32_t mark = 0x51640000;
static const int64_t longest = INT64_C(1) << 60;

enum { TAG = 1, LENGTH = 2, ID = 4 };
static const int uses[QDRI_FRAME_KINDS] = {
    [QDRI_FRAME_MESSAGE] = TAG | LENGTH,
    [QDRI_FRAME_ANNOUNCE] = TAG | LENGTH | ID,
    [QDRI_FRAME_GO] = ID,
    [QDRI_FRAME_DATA] = TAG | LENGTH | ID,
    [QDRI_FRAME_CREDIT] = LENGTH,
    [QDRI_FRAME_GOODBYE] = 0,
    [QDRI_FRAME_TROUBLE] = TAG | LENGTH,
};

void qdri_frame_write(const qdri_link_frame *frame, unsigned char head[QDRI_HEAD]) {
    qdri_number_write(head, mark | (uint32_t)frame->kind, 4);
    qdri_number_write(head + 4, (uint32_t)frame->tag, 4);
    qdri_number_write(head + 8, (uint64_t)frame->length, 8);
    qdri_number_write(head + 16, (uint64_t)frame->id, 8);
}

int qdri_frame_read(const unsigned char head[QDRI_HEAD], qdri_link_frame *frame) {
    uint64_t kind = qdri_number_read(head, 4) ^ mark, tag = qdri_number_read(head + 4, 4);
    uint64_t length = qdri_number_read(head + 8, 8), id = qdri_number_read(head + 16, 8);
    if (kind == 0 || kind >= QDRI_FRAME_KINDS || length > (uint64_t)longest || id > (uint64_t)longest)
        return 0;
    int used = (tag ? TAG : 0) | (length ? LENGTH : 0) | (id ? ID : 0);
    if (used & ~uses[kind]) return 0;
    *frame = (qdri_link_frame){(qdri_frame_kind)kind, (int64_t)tag, (int64_t)length, (int64_t)id};
    return 1;
}

void qdri_queue_clear(qdri_queue *queue) {
    queue->first = NULL;
    queue->last = &queue->first;
}

void qdri_queue_add(qdri_queue *queue, qdri_transit *transit) {
    transit->next = NULL;
    *queue->last = transit;
    queue->last = &transit->next;
}

qdri_transit *qdri_queue_take(qdri_queue *queue, qdri_transit **place) {
    qdri_transit *taken = *place;
    *place = taken->next;
    if (!*place) queue->last = place;
    taken->next = NULL;
    return taken;
}
