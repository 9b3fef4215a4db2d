/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking back what is under way on a link: one operation that is given up, or all of them when the bridge has
 * failed. What the other side has been promised must go on: of a message whose head is written, the bytes
 * must follow, so its memory stays in use. What it has promised still comes, and goes nowhere if nobody wants
 * it any more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tcp/inside.h"

static int is_empty(const qdri_queue *queue) {
    for (const qdri_request *one = queue->first; one; one = one->next)
        if (one->operation && !one->operation->casual) return 0;
    return 1;
}

int qdri_link_is_busy(const qdri_link *link) {
    return !is_empty(&link->out) || !is_empty(&link->announced) || !is_empty(&link->posted) ||
           !is_empty(&link->granted) || (link->current && link->current->operation);
}

void qdri_link_drop_sends(qdri_link *link) {
    for (qdri_request **place = &link->out.first; *place;)
        if ((*place)->operation) {
            qdri_request *one = qdri_queue_take(&link->out, place);
            one->status = QDR_OK;
            qdri_queue_add(&link->bridge->finished, one);
        } else {
            place = &(*place)->next;
        }
}

static int64_t count(const qdri_queue *queue) {
    int64_t found = 0;
    for (const qdri_request *one = queue->first; one; one = one->next) found += one->operation != NULL;
    return found;
}

static const qdri_request *first_of(const qdri_queue *queue) {
    const qdri_request *one = queue->first;
    while (one && !one->operation) one = one->next;
    return one;
}

void qdri_link_describe(const qdri_link *link, char *text, size_t size, int64_t *sends, int64_t *receives) {
    const qdri_request *receive = link->current && link->current->operation ? link->current : NULL;
    *receives += count(&link->posted) + count(&link->granted) + (receive != NULL);
    *sends += count(&link->out) + count(&link->announced);
    *text = '\0';
    if (!receive) receive = first_of(&link->granted);
    if (!receive) receive = first_of(&link->posted);
    const qdri_request *sent = first_of(&link->announced);
    if (!sent) sent = first_of(&link->out);
    if (receive)
        snprintf(text, size, "waited for a message of tag %lld from", (long long)receive->frame.tag);
    else if (sent)
        snprintf(text, size, "was sending %lld bytes with tag %lld to", (long long)sent->frame.length,
                 (long long)sent->frame.tag);
}

/* ---- one operation ------------------------------------------------------------------------------------- */

static qdri_request **find(qdri_queue *queue, const qdri_operation *operation) {
    qdri_request **place = &queue->first;
    while (*place && (*place)->operation != operation) place = &(*place)->next;
    return place;
}

/* Takes it out of a queue; false: it is not there. */
static int drop(qdri_link *link, qdri_queue *queue, const qdri_operation *operation) {
    qdri_request **place = find(queue, operation);
    if (!*place) return 0;
    qdri_request_free(link->bridge, qdri_queue_take(queue, place));
    return 1;
}

/* True when its memory is in use until the message has gone. */
static int cancel_send(qdri_link *link, const qdri_operation *operation) {
    qdri_request **place = find(&link->out, operation), *one = *place;
    if (!one) one = *find(&link->announced, operation);
    if (!one) return 0;
    if (one == *place && one->head_at == 0 && one->frame.kind != QDRI_FRAME_DATA) {
        if (one->frame.kind == QDRI_FRAME_MESSAGE) link->credit += qdri_frame_cost(one->frame.length);
        qdri_request_free(link->bridge, qdri_queue_take(&link->out, place));
        return 0;
    }
    one->operation = NULL;
    return 1;
}

int qdri_link_cancel(qdri_link *link, qdri_operation *operation) {
    qdri_request *granted = *find(&link->granted, operation), *current = link->current;
    if (drop(link, &link->bridge->finished, operation) || drop(link, &link->posted, operation)) return 0;
    if (granted) {
        granted->operation = NULL;
        return 0;
    }
    if (current && current->operation == operation) {
        link->current = NULL;
        qdri_request_free(link->bridge, current);
        return 0;
    }
    return cancel_send(link, operation);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

void qdri_link_say_trouble(qdri_link *link, qdr_status status, const char *sentence) {
    unsigned char bytes[QDRI_HEAD + sizeof link->bridge->sentence];
    size_t length = strlen(sentence);
    qdri_frame frame = {QDRI_FRAME_TROUBLE, status, (int64_t)length, 0};
    const qdri_request *first = link->out.first;
    if (link->stage != QDRI_LINK_OPEN || link->is_mute || (first && first->head_at > 0)) return;
    qdri_frame_write(&frame, bytes);
    memcpy(bytes + QDRI_HEAD, sentence, length);
    if (send(link->file, bytes, QDRI_HEAD + length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) link->is_mute = 1;
}

static void give_up_queue(qdri_link *link, qdri_queue *queue, qdr_status status) {
    while (queue->first) {
        qdri_request *one = qdri_queue_take(queue, &queue->first);
        one->status = status;
        if (one->operation)
            qdri_queue_add(&link->bridge->finished, one);
        else
            qdri_request_free(link->bridge, one);
    }
}

void qdri_link_give_up(qdri_link *link, qdr_status status) {
    qdri_request *current = link->current;
    if (current && (current->operation || current->frame.kind == QDRI_FRAME_TROUBLE))
        qdri_queue_add(&link->posted, current); /* what came early is in its queue */
    link->current = NULL;
    qdri_queue *const queues[] = {&link->out, &link->announced, &link->posted, &link->granted, &link->early};
    for (int i = 0; i < 5; i++) give_up_queue(link, queues[i], status);
    qdri_call_close(&link->call);
    if (link->file >= 0) close(link->file);
    link->file = -1;
    link->stage = QDRI_LINK_ENDED;
}

void qdri_link_free(qdri_link *link) {
    qdri_link_give_up(link, QDR_GONE);
    free(link->buffer);
    free(link);
}
