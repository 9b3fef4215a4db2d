/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames, and queues of requests. A head is a mark with the kind, a tag, a length and an id; what a kind does
 * not use is zero, and lengths are bounded, so a stream that has lost its step is noticed at once.
 */
#include <string.h>

#include "tcp/bytes.h"
#include "tcp/inside.h"

static const uint32_t mark = 0x51640000;
static const int64_t longest = INT64_C(1) << 60;

void qdri_frame_write(const qdri_frame *frame, unsigned char head[QDRI_HEAD]) {
    qdri_put(head, mark | (uint32_t)frame->kind, 4);
    qdri_put(head + 4, (uint32_t)frame->tag, 4);
    qdri_put(head + 8, (uint64_t)frame->length, 8);
    qdri_put(head + 16, (uint64_t)frame->id, 8);
}

int qdri_frame_read(const unsigned char head[QDRI_HEAD], qdri_frame *frame) {
    uint64_t kind = qdri_get(head, 4) ^ mark, length = qdri_get(head + 8, 8), id = qdri_get(head + 16, 8);
    if (kind == 0 || kind >= QDRI_FRAME_KINDS || length > (uint64_t)longest || id > (uint64_t)longest)
        return 0;
    *frame =
        (qdri_frame){(qdri_frame_kind)kind, (int64_t)qdri_get(head + 4, 4), (int64_t)length, (int64_t)id};
    return 1;
}

void qdri_queue_clear(qdri_queue *queue) {
    queue->first = NULL;
    queue->last = &queue->first;
}

void qdri_queue_add(qdri_queue *queue, qdri_request *request) {
    request->next = NULL;
    *queue->last = request;
    queue->last = &request->next;
}

qdri_request *qdri_queue_take(qdri_queue *queue, qdri_request **place) {
    qdri_request *taken = *place;
    *place = taken->next;
    if (!*place) queue->last = place;
    taken->next = NULL;
    return taken;
}
