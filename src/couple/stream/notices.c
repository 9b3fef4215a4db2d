/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notices: the small messages beside the plan. What goes is copied into a notice of a pool and leaves by
 * itself; what comes is expected in a box, a receive that is posted ahead and again after each arrival, so
 * that nothing has to be looked for. As many notices are made as were ever under way at once. When the stream
 * is closed, notices that could not leave yet go on by themselves: the last say that nothing more will come.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/stream/run.h"

static void left(qdri_operation *operation, qdr_status status) {
    qdri_notice *notice = (qdri_notice *)operation;
    qdri_running *running = notice->running;
    if (!running) { /* the stream is closed */
        free(notice);
        return;
    }
    notice->next = running->unused_notices;
    running->unused_notices = notice;
    running->notices_under_way--;
    if (status) qdri_fault_raise(running, status);
}

static qdri_notice *take(qdri_running *running) {
    qdri_notice *notice = running->unused_notices;
    if (notice) {
        running->unused_notices = notice->next;
        return notice;
    }
    notice = QDRI_ZERO_ARRAY(qdri_notice, 1);
    if (!notice) return NULL;
    notice->operation.done = left;
    notice->operation.casual = 1;
    notice->running = running;
    notice->chain = running->notices;
    running->notices = notice;
    return notice;
}

void qdri_notice_send(qdri_running *running, int to, int tag, const void *body, int64_t bytes) {
    qdri_notice *notice = take(running);
    if (!notice) {
        qdri_fault_raise(running, qdri_fail_memory());
        return;
    }
    memcpy(&notice->body, body, (size_t)bytes);
    running->notices_under_way++;
    qdr_status status =
        qdri_send(running->wire, &notice->operation, to, running->first_tag + tag, &notice->body, bytes);
    if (status) left(&notice->operation, status);
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

qdri_teller qdri_box_sender(const qdri_notice_box *box) {
    return qdri_space_sender(&box->running->stream->coupling->space, box->from);
}

static void came(qdri_operation *operation, qdr_status status) {
    qdri_notice_box *box = (qdri_notice_box *)operation;
    if (!status)
        status = qdri_decode_length(qdri_box_sender(box), "a notice", box->operation.bytes, box->bytes);
    if (status)
        qdri_fault_raise(box->running, status);
    else if (box->came(box, &box->body))
        qdri_box_post(box);
}

void qdri_box_post(qdri_notice_box *box) {
    box->operation.done = came;
    box->operation.casual = 1;
    qdr_status status = qdri_receive(box->running->wire, &box->operation, box->from,
                                     box->running->first_tag + box->tag, &box->body, box->bytes);
    if (status) qdri_fault_raise(box->running, status);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

int qdri_memos_cancel(qdri_running *running) {
    qdri_notice_box *const box[] = {&running->ask,      &running->answer,   &running->compare,
                                    &running->waits,    &running->fault[0], &running->fault[1],
                                    &running->fault[2], &running->ring};
    int stays = 0;
    for (size_t i = 0; i < sizeof box / sizeof *box; i++)
        stays |= qdri_cancel(running->wire, &box[i]->operation);
    while (running->notices) {
        qdri_notice *notice = running->notices;
        running->notices = notice->chain;
        notice->running = NULL;
        if (notice->operation.parts == 0) free(notice);
    }
    return stays;
}
