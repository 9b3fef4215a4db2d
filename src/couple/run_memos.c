/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memos: the small messages beside the plan. What goes is copied into a memo of a pool and leaves by
 * itself; what comes is expected in a box, a receive that is posted ahead and again after each arrival, so
 * that nothing has to be looked for. As many memos are made as were ever under way at once. When the stream
 * is closed, memos that could not leave yet go on by themselves: the last say that nothing more will come.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/run.h"

static void left(qdri_operation *operation, qdr_status status) {
    qdri_memo *memo = (qdri_memo *)operation;
    qdri_running *running = memo->running;
    if (!running) { /* the stream is closed */
        free(memo);
        return;
    }
    memo->next = running->unused_memos;
    running->unused_memos = memo;
    running->memos_under_way--;
    if (status) qdri_fault_raise(running, status);
}

static qdri_memo *take(qdri_running *running) {
    qdri_memo *memo = running->unused_memos;
    if (memo) {
        running->unused_memos = memo->next;
        return memo;
    }
    memo = QDRI_ZERO_ARRAY(qdri_memo, 1);
    if (!memo) return NULL;
    memo->operation.done = left;
    memo->operation.casual = 1;
    memo->running = running;
    memo->chain = running->memos;
    running->memos = memo;
    return memo;
}

void qdri_memo_send(qdri_running *running, int to, int tag, const void *body, int64_t bytes) {
    qdri_memo *memo = take(running);
    if (!memo) {
        qdri_fault_raise(running, qdri_fail_memory());
        return;
    }
    memcpy(&memo->body, body, (size_t)bytes);
    running->memos_under_way++;
    qdr_status status =
        qdri_send(running->wire, &memo->operation, to, running->first_tag + tag, &memo->body, bytes);
    if (status) left(&memo->operation, status);
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

qdri_teller qdri_box_sender(const qdri_memo_box *box) {
    return qdri_space_sender(&box->running->stream->coupling->space, box->from);
}

static void came(qdri_operation *operation, qdr_status status) {
    qdri_memo_box *box = (qdri_memo_box *)operation;
    if (!status)
        status = qdri_decode_length(qdri_box_sender(box), "a memo", box->operation.bytes, box->bytes);
    if (status)
        qdri_fault_raise(box->running, status);
    else if (box->came(box, &box->body))
        qdri_box_post(box);
}

void qdri_box_post(qdri_memo_box *box) {
    box->operation.done = came;
    box->operation.casual = 1;
    qdr_status status = qdri_receive(box->running->wire, &box->operation, box->from,
                                     box->running->first_tag + box->tag, &box->body, box->bytes);
    if (status) qdri_fault_raise(box->running, status);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

int qdri_memos_cancel(qdri_running *running) {
    qdri_memo_box *const box[] = {&running->ask,      &running->answer,   &running->compare,
                                  &running->waits,    &running->fault[0], &running->fault[1],
                                  &running->fault[2], &running->beside};
    int stays = 0;
    for (size_t i = 0; i < sizeof box / sizeof *box; i++)
        stays |= qdri_cancel(running->wire, &box[i]->operation);
    while (running->memos) {
        qdri_memo *memo = running->memos;
        running->memos = memo->chain;
        memo->running = NULL;
        if (memo->operation.parts == 0) free(memo);
    }
    return stays;
}
