/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames, and queues of what is in message. A head is a mark with the kind, a tag, a length and an id; each
 * kind says what they may be, and what it does not use is zero, so bytes that have lost their step are noticed
 * at once.
 */
#include <string.h>

#include "wire/tcp/numbers.h"
#include "wire/tcp/inside.h"

static const uint32_t mark = 0x51640000;
#define LONGEST (INT64_C(1) << 60)

#define TAG(least, most)    QDRI_MEMBER(qdri_link_frame, tag, "the tag of a frame", least, most)
#define LENGTH(least, most) QDRI_MEMBER(qdri_link_frame, length, "the length of a frame", least, most)
#define ID(least, most)     QDRI_MEMBER(qdri_link_frame, id, "the id of a frame", least, most)
enum { WORDS = 3 };
static const qdri_expected expected[QDRI_FRAME_KINDS][WORDS] = {
    [QDRI_FRAME_MESSAGE] = {TAG(0, INT32_MAX), LENGTH(0, QDRI_WINDOW), ID(0, 0)},
    [QDRI_FRAME_ANNOUNCE] = {TAG(0, INT32_MAX), LENGTH(0, LONGEST), ID(1, LONGEST)},
    [QDRI_FRAME_GO] = {TAG(0, 0), LENGTH(0, 0), ID(1, LONGEST)},
    [QDRI_FRAME_DATA] = {TAG(0, INT32_MAX), LENGTH(0, LONGEST), ID(1, LONGEST)},
    [QDRI_FRAME_CREDIT] = {TAG(0, 0), LENGTH(1, QDRI_WINDOW), ID(0, 0)},
    [QDRI_FRAME_GOODBYE] = {TAG(0, 0), LENGTH(0, 0), ID(0, 0)},
    [QDRI_FRAME_TROUBLE] = {TAG(1, INT32_MAX), LENGTH(0, QDRI_LINK_SENTENCE - 1), ID(0, 0)},
};

void qdri_frame_write(const qdri_link_frame *frame, unsigned char head[QDRI_HEAD]) {
    qdri_number_write(head, mark | (uint32_t)frame->kind, 4);
    qdri_number_write(head + 4, (uint32_t)frame->tag, 4);
    qdri_number_write(head + 8, (uint64_t)frame->length, 8);
    qdri_number_write(head + 16, (uint64_t)frame->id, 8);
}

qdr_status qdri_frame_read(qdri_teller sender, const unsigned char head[QDRI_HEAD], qdri_link_frame *frame) {
    int64_t kind = (int64_t)qdri_number_read(head, 4) ^ mark;
    QDRI_TRY(qdri_decode_word(sender, "the kind of a frame", kind, 1, QDRI_FRAME_KINDS - 1));
    *frame =
        (qdri_link_frame){(qdri_frame_kind)kind, (int64_t)qdri_number_read(head + 4, 4),
                          (int64_t)qdri_number_read(head + 8, 8), (int64_t)qdri_number_read(head + 16, 8)};
    QDRI_TRY(qdri_decode(sender, expected[kind], WORDS, frame));
    return kind == QDRI_FRAME_TROUBLE ? qdri_decode_failure(sender, frame->tag) : QDR_OK;
}

void qdri_queue_clear(qdri_queue *queue) {
    queue->first = NULL;
    queue->last = &queue->first;
}

void qdri_queue_add(qdri_queue *queue, qdri_link_message *message) {
    message->next = NULL;
    *queue->last = message;
    queue->last = &message->next;
}

qdri_link_message *qdri_queue_take(qdri_queue *queue, qdri_link_message **place) {
    qdri_link_message *taken = *place;
    *place = taken->next;
    if (!*place) queue->last = place;
    taken->next = NULL;
    return taken;
}
