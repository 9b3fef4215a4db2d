/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking back what is under way on a link: one operation that is given up, or all of them when the bridge has
 * failed. What the other side has been promised must go on: of a message whose head is written, the bytes
 * must follow, so its memory stays in use. What it has promised still comes, and goes nowhere if nobody wants
 * it any more.
 *
 * And parting from the other program, with a goodbye or with the failure. A connection that is closed while
 * something unread is there is reset, which may overtake what was said last. So this side only stops
 * writing, goes on reading, and closes when the other has done so too; or, when nobody looks at the bridge
 * any more, when all that was said has arrived, for which it waits a second at most.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wire/tcp/inside.h"

static int is_empty(const qdri_queue *queue) {
    for (const qdri_link_message *one = queue->first; one; one = one->next)
        if (one->operation && !one->operation->casual) return 0;
    return 1;
}

/* What came early is nobody's. */
int qdri_link_is_busy(const qdri_link *link) {
    for (int i = 0; i < QDRI_LINK_QUEUES; i++)
        if (!is_empty(&link->queue[i])) return 1;
    return link->current && link->current->operation;
}

void qdri_link_drop_sends(qdri_link *link) {
    for (qdri_link_message **place = &link->queue[QDRI_OUT].first; *place;)
        if ((*place)->operation) {
            qdri_link_message *one = qdri_queue_take(&link->queue[QDRI_OUT], place);
            one->status = QDR_OK;
            qdri_queue_add(&link->bridge->finished, one);
        } else {
            place = &(*place)->next;
        }
}

static int64_t count(const qdri_queue *queue) {
    int64_t found = 0;
    for (const qdri_link_message *one = queue->first; one; one = one->next) found += one->operation != NULL;
    return found;
}

static const qdri_link_message *first_of(const qdri_queue *queue) {
    const qdri_link_message *one = queue->first;
    while (one && !one->operation) one = one->next;
    return one;
}

void qdri_link_describe(const qdri_link *link, char *text, size_t size, int64_t *sends, int64_t *receives) {
    const qdri_link_message *receive = link->current && link->current->operation ? link->current : NULL;
    *receives += count(&link->queue[QDRI_AWAITED]) + count(&link->queue[QDRI_GRANTED]) + (receive != NULL);
    *sends += count(&link->queue[QDRI_OUT]) + count(&link->queue[QDRI_ANNOUNCED]);
    *text = '\0';
    if (!receive) receive = first_of(&link->queue[QDRI_GRANTED]);
    if (!receive) receive = first_of(&link->queue[QDRI_AWAITED]);
    const qdri_link_message *sent = first_of(&link->queue[QDRI_ANNOUNCED]);
    if (!sent) sent = first_of(&link->queue[QDRI_OUT]);
    if (receive)
        snprintf(text, size, "waited for a message of tag %lld from", (long long)receive->frame.tag);
    else if (sent)
        snprintf(text, size, "was sending %lld bytes with tag %lld to", (long long)sent->frame.length,
                 (long long)sent->frame.tag);
}

/* ---- one operation ------------------------------------------------------------------------------------- */

static qdri_link_message **find(qdri_queue *queue, const qdri_operation *operation) {
    qdri_link_message **place = &queue->first;
    while (*place && (*place)->operation != operation) place = &(*place)->next;
    return place;
}

/* Takes it out of a queue; false: it is not there. */
static int drop(qdri_link *link, qdri_queue *queue, const qdri_operation *operation) {
    qdri_link_message **place = find(queue, operation);
    if (!*place) return 0;
    qdri_link_message_free(link->bridge, qdri_queue_take(queue, place));
    return 1;
}

/* True when its memory is in use until the message has gone. */
static int cancel_send(qdri_link *link, const qdri_operation *operation) {
    qdri_link_message **place = find(&link->queue[QDRI_OUT], operation), *one = *place;
    if (!one) one = *find(&link->queue[QDRI_ANNOUNCED], operation);
    if (!one) return 0;
    if (one == *place && one->head_at == 0 && one->frame.kind != QDRI_FRAME_DATA) {
        if (one->frame.kind == QDRI_FRAME_MESSAGE)
            link->credit += qdri_frame_cost(one->frame.length);
        else
            link->announced_out--;
        qdri_link_message_free(link->bridge, qdri_queue_take(&link->queue[QDRI_OUT], place));
        return 0;
    }
    one->operation = NULL;
    return 1;
}

int qdri_link_cancel(qdri_link *link, qdri_operation *operation) {
    qdri_link_message *granted = *find(&link->queue[QDRI_GRANTED], operation), *current = link->current;
    if (drop(link, &link->bridge->finished, operation) || drop(link, &link->queue[QDRI_AWAITED], operation))
        return 0;
    if (granted) {
        granted->operation = NULL;
        return 0;
    }
    if (current && current->operation == operation) {
        link->current = NULL;
        qdri_link_message_free(link->bridge, current);
        return 0;
    }
    return cancel_send(link, operation);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* In the middle of a message there is no place for it: then the other sees the connection end, and hears why
 * from whoever else it is linked with. */
void qdri_link_say_trouble(qdri_link *link, qdr_status status, const char *sentence) {
    unsigned char bytes[QDRI_HEAD + sizeof link->bridge->sentence];
    size_t length = strlen(sentence);
    qdri_link_frame frame = {QDRI_FRAME_TROUBLE, status, (int64_t)length, 0};
    const qdri_link_message *first = link->queue[QDRI_OUT].first;
    if (link->stage != QDRI_LINK_OPEN || link->is_mute || (first && first->head_at > 0)) return;
    qdri_frame_write(&frame, bytes);
    memcpy(bytes + QDRI_HEAD, sentence, length);
    if (send(link->file, bytes, QDRI_HEAD + length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) link->is_mute = 1;
}

static void give_up_queue(qdri_link *link, qdri_queue *queue, qdr_status status) {
    while (queue->first) {
        qdri_link_message *one = qdri_queue_take(queue, &queue->first);
        one->status = status;
        if (one->operation)
            qdri_queue_add(&link->bridge->finished, one);
        else
            qdri_link_message_free(link->bridge, one);
    }
}

void qdri_link_give_up(qdri_link *link, qdr_status status) {
    qdri_link_message *current = link->current;
    if (current && (current->operation || current->frame.kind == QDRI_FRAME_TROUBLE))
        qdri_queue_add(&link->queue[QDRI_AWAITED], current); /* what came early is in its queue */
    link->current = NULL;
    for (int i = 0; i < QDRI_LINK_QUEUES; i++) give_up_queue(link, &link->queue[i], status);
    qdri_call_close(&link->call);
    if (link->stage == QDRI_LINK_OPEN) {
        shutdown(link->file, SHUT_WR);
        qdri_bridge_unwatch(link->bridge, link->file);
    }
    link->stage = QDRI_LINK_ENDED;
}

static void hang_up(qdri_link *link) {
    if (link->file >= 0) close(link->file);
    link->file = -1;
}

void qdri_link_free(qdri_link *link) {
    qdri_link_give_up(link, QDR_ERR_GONE);
    hang_up(link);
    free(link->buffer);
    free(link);
}

/* ---- the whole bridge ---------------------------------------------------------------------------------- */

void qdri_bridge_give_up(qdri_bridge *bridge) {
    bridge->given_up = 1;
    for (qdri_link *link = bridge->links; link; link = link->next) {
        qdri_link_say_trouble(link, bridge->failed, bridge->sentence);
        qdri_link_give_up(link, bridge->failed);
    }
    qdri_door_close(bridge);
}

/* Reads what nobody wants, and not for ever. True when nothing more can come. */
static int drain(int file) {
    enum { AT_ONCE = 64 };
    char nothing[1 << 14];
    for (int i = 0; i < AT_ONCE; i++) {
        ssize_t got = recv(file, nothing, sizeof nothing, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return 1;
        if (got < 0) return 0;
    }
    return 0;
}

void qdri_bridge_drain(qdri_bridge *bridge) {
    for (qdri_link *link = bridge->links; link; link = link->next)
        if (link->file >= 0 && drain(link->file)) hang_up(link);
}

static int has_arrived(const qdri_bridge *bridge) {
    for (const qdri_link *link = bridge->links; link; link = link->next) {
        int waits = 0;
        if (link->file >= 0 && ioctl(link->file, SIOCOUTQ, &waits) == 0 && waits > 0) return 0;
    }
    return 1;
}

void qdri_bridge_part(qdri_bridge *bridge) {
    double until = qdri_seconds() + 1;
    for (qdri_link *link = bridge->links; link; link = link->next)
        if (link->file >= 0) shutdown(link->file, SHUT_WR);
    for (;;) {
        int arrived = has_arrived(bridge);
        qdri_bridge_drain(bridge);
        if (arrived || qdri_seconds() > until) return;
        poll(NULL, 0, 1);
    }
}

void qdri_bridge_rest(const qdri_bridge *bridge) {
    struct pollfd file = {.fd = bridge->epoll, .events = POLLIN};
    poll(&file, 1, 1);
}

static int writes_are_left(const qdri_bridge *bridge) {
    for (const qdri_link *link = bridge->links; link; link = link->next)
        if (link->stage == QDRI_LINK_OPEN && link->wants_room) return 1;
    return 0;
}

/* The goodbyes follow all that was sent, for which the kernels get a little time. */
void qdri_bridge_say_goodbye(qdri_bridge *bridge) {
    double until = qdri_seconds() + 2;
    if (bridge->left || bridge->failed) return;
    bridge->left = 1;
    for (qdri_link *link = bridge->links; link; link = link->next)
        if (link->stage == QDRI_LINK_OPEN) {
            link->said_goodbye = 1;
            qdri_link_say(link, (qdri_link_frame){QDRI_FRAME_GOODBYE, 0, 0, 0}, 0);
        }
    while (writes_are_left(bridge) && qdri_seconds() < until) {
        qdri_bridge_rest(bridge);
        for (qdri_link *link = bridge->links; link; link = link->next) qdri_link_write(link);
    }
}
