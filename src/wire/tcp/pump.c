/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two directions of a link's socket. Writing gathers the heads and bytes of many messages into one call;
 * reading takes the bytes of the message that comes just now to where they are wanted, and whatever follows
 * into the buffer, in one call too. Both stop after a few mebibytes, so that one link does not keep the
 * others waiting; the socket is looked at again because there is still something to do. Cost: no copy of
 * anything longer than the buffer.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire/tcp/inside.h"

enum { PARTS = 32, AT_ONCE = 1 << 22 };

/* ---- writing ------------------------------------------------------------------------------------------- */

static int64_t bytes_behind(const qdri_link_message *message) {
    qdri_frame_kind kind = message->frame.kind;
    return kind == QDRI_FRAME_MESSAGE || kind == QDRI_FRAME_DATA ? message->frame.length : 0;
}

static int collect(const qdri_link *link, struct iovec *part) {
    int parts = 0;
    int64_t total = 0;
    for (qdri_link_message *one = link->queue[QDRI_OUT].first; one && parts + 2 <= PARTS && total < AT_ONCE;
         one = one->next) {
        int64_t left = bytes_behind(one) - one->at;
        if (one->head_at < QDRI_HEAD)
            part[parts++] = (struct iovec){one->head + one->head_at, (size_t)(QDRI_HEAD - one->head_at)};
        if (left > AT_ONCE - total) left = AT_ONCE - total;
        if (left > 0) part[parts++] = (struct iovec){one->data + one->at, (size_t)left};
        total += left;
    }
    return parts;
}

/* All of it is written. */
static void written(qdri_link *link, qdri_link_message *message) {
    if (message->frame.kind == QDRI_FRAME_ANNOUNCE) {
        qdri_queue_add(&link->queue[QDRI_ANNOUNCED], message);
    } else if (message->operation) {
        message->status = QDR_OK;
        qdri_queue_add(&link->bridge->finished, message);
    } else {
        qdri_link_message_free(link->bridge, message);
    }
}

static void went(qdri_link *link, int64_t bytes) {
    qdri_link_message *one;
    while ((one = link->queue[QDRI_OUT].first)) {
        int head = QDRI_HEAD - one->head_at;
        if (head > bytes) head = (int)bytes;
        one->head_at += head;
        bytes -= head;
        int64_t left = bytes_behind(one) - one->at, part = left < bytes ? left : bytes;
        if (one->head_at < QDRI_HEAD) return;
        one->at += part;
        bytes -= part;
        if (part < left) return;
        written(link, qdri_queue_take(&link->queue[QDRI_OUT], &link->queue[QDRI_OUT].first));
    }
}

/* True when the kernel took all that it was offered. */
static int offer(qdri_link *link) {
    struct iovec part[PARTS];
    struct msghdr vector = {.msg_iov = part};
    size_t total = 0;
    int parts = collect(link, part);
    vector.msg_iovlen = (size_t)parts;
    for (int i = 0; i < parts; i++) total += part[i].iov_len;
    ssize_t sent = sendmsg(link->file, &vector, MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno == EINTR) return 1;
        link->is_mute = errno != EAGAIN && errno != ENOBUFS;
        return 0;
    }
    went(link, sent);
    return (size_t)sent == total;
}

void qdri_link_write(qdri_link *link) {
    if (link->stage != QDRI_LINK_OPEN) return;
    for (int i = 0; i < 4 && link->queue[QDRI_OUT].first && !link->is_mute; i++)
        if (!offer(link)) break;
    int wants_room = link->queue[QDRI_OUT].first && !link->is_mute;
    if (wants_room == link->wants_room) return;
    link->wants_room = wants_room;
    qdri_bridge_rewatch(link->bridge, link->file, &link->watch, wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static void ended(qdri_link *link, int code) {
    if (link->heard_goodbye) {
        close(link->file);
        link->file = -1;
        link->stage = QDRI_LINK_ENDED;
        qdri_link_drop_sends(link);
    } else if (code == 0 || code == ECONNRESET) {
        qdri_bridge_lose(link->bridge, link->rank, "its connection was closed without a goodbye");
    } else {
        qdri_bridge_lose(link->bridge, link->rank, strerror(code));
    }
}

/* Where the next bytes go: into the message that comes just now, and behind it into the buffer. */
static int places(qdri_link *link, struct iovec *part) {
    int parts = 0;
    if (link->left > 0 && link->current) {
        int64_t bytes = link->left < AT_ONCE ? link->left : AT_ONCE;
        part[parts++] = (struct iovec){link->current->data + link->current->at, (size_t)bytes};
        if (bytes < link->left) return parts;
    }
    if (link->begin > 0) memmove(link->buffer, link->buffer + link->begin, (size_t)(link->end - link->begin));
    link->end -= link->begin;
    link->begin = 0;
    part[parts++] = (struct iovec){link->buffer + link->end, (size_t)(QDRI_LINK_BUFFER - link->end)};
    return parts;
}

/* True when there may be more. */
static int take_in(qdri_link *link) {
    struct iovec part[2];
    int parts = places(link, part);
    ssize_t got = readv(link->file, part, parts);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got <= 0) {
        ended(link, got < 0 ? errno : 0);
        return 0;
    }
    size_t room = part[0].iov_len + (parts > 1 ? part[1].iov_len : 0), came = (size_t)got;
    if (link->left > 0 && link->current) {
        size_t direct = came < part[0].iov_len ? came : part[0].iov_len;
        qdri_link_came(link, (int64_t)direct);
        came -= direct;
    }
    link->end += (int)came;
    qdri_link_parse(link);
    return (size_t)got == room;
}

void qdri_link_read(qdri_link *link) {
    for (int i = 0; i < 4 && link->stage == QDRI_LINK_OPEN && !link->bridge->failed; i++)
        if (!take_in(link)) return;
}
