/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call: connecting to a door of the other program and proving oneself, without waiting anywhere. Each event
 * takes it as far as it can go. It ends THROUGH, with a connection that belongs to the caller, or FAILED,
 * with the reason; its time is limited, because what answers may not be what was called.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "wire/tcp/inside.h"

/* Seconds; a rank that is called for a link may be computing, and not look at its door. */
static double patience_for(qdri_purpose purpose) {
    return purpose == QDRI_LINK ? 35 : 5;
}

static void fail(qdri_bridge_call *call, int code, qdri_refusal refusal) {
    if (call->file >= 0) close(call->file);
    call->file = -1;
    call->stage = QDRI_CALL_FAILED;
    call->code = code;
    call->refusal = refusal;
}

/* Guests make way for what this process itself wants. */
static int make_socket(qdri_bridge *bridge, int family) {
    for (;;) {
        int file = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), code = errno;
        if (file >= 0 || !qdri_lacks_descriptors(code) || !qdri_door_make_way(bridge)) {
            errno = code;
            return file;
        }
    }
}

void qdri_call_begin(qdri_bridge *bridge, qdri_bridge_call *call, const qdri_address *address) {
    call->watch.kind = QDRI_WATCH_CALL;
    call->got = call->code = 0;
    call->refusal = QDRI_ACCEPTED;
    call->ends = qdri_seconds() + patience_for(call->purpose);
    call->stage = QDRI_CALL_CONNECTING;
    call->file = make_socket(bridge, address->socket.ss_family);
    if (call->file < 0) {
        fail(call, errno, QDRI_ACCEPTED);
        return;
    }
    qdri_socket_prepare(call->file);
    if (connect(call->file, (const struct sockaddr *)&address->socket, address->length) != 0 &&
        errno != EINPROGRESS)
        fail(call, errno, QDRI_ACCEPTED);
    else if (!qdri_bridge_watch(bridge, call->file, &call->watch, EPOLLOUT))
        fail(call, errno, QDRI_ACCEPTED);
}

/* True when all of it is there. */
static int hear(qdri_bridge_call *call, unsigned char *message, int bytes) {
    ssize_t more = recv(call->file, message + call->got, (size_t)(bytes - call->got), 0);
    if (more < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (more <= 0) {
        fail(call, more < 0 ? errno : 0, QDRI_ACCEPTED);
        return 0;
    }
    call->got += (int)more;
    return call->got == bytes;
}

static void connected(qdri_bridge *bridge, qdri_bridge_call *call) {
    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt(call->file, SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
    if (code) {
        fail(call, code, QDRI_ACCEPTED);
        return;
    }
    call->stage = QDRI_CALL_HEARING;
    qdri_bridge_rewatch(bridge, call->file, &call->watch, EPOLLIN);
}

static void answer(qdri_bridge_call *call) {
    qdri_refusal refusal = qdri_hello_judge(&call->shake);
    if (refusal) {
        fail(call, 0, refusal);
        return;
    }
    if (call->only_knocks) {
        call->stage = QDRI_CALL_THROUGH;
        return;
    }
    if (qdri_answer_make(&call->shake, call->secret, call->purpose, call->from, call->to) ||
        send(call->file, call->shake.answer, QDRI_ANSWER, MSG_NOSIGNAL) != QDRI_ANSWER) {
        fail(call, errno, QDRI_ACCEPTED);
        return;
    }
    call->stage = QDRI_CALL_WAITING;
    call->got = 0;
}

void qdri_call_advance(qdri_bridge *bridge, qdri_bridge_call *call) {
    if (call->stage == QDRI_CALL_CONNECTING) {
        connected(bridge, call);
    } else if (call->stage == QDRI_CALL_HEARING) {
        if (hear(call, call->shake.hello, QDRI_HELLO)) answer(call);
    } else if (call->stage == QDRI_CALL_WAITING && hear(call, call->shake.verdict, QDRI_VERDICT)) {
        qdri_refusal refusal = qdri_verdict_judge(&call->shake, call->secret);
        if (refusal)
            fail(call, 0, refusal);
        else
            call->stage = QDRI_CALL_THROUGH;
    }
}

void qdri_call_look(qdri_bridge_call *call, double now) {
    int under_way = call->stage > QDRI_CALL_NONE && call->stage < QDRI_CALL_THROUGH;
    if (under_way && now > call->ends) fail(call, ETIMEDOUT, QDRI_ACCEPTED);
}

const char *qdri_call_reason(const qdri_bridge_call *call) {
    if (call->refusal) return qdri_refusal_text(call->refusal);
    return call->code ? strerror(call->code) : "the connection was closed";
}

int qdri_call_was_impossible(const qdri_bridge_call *call) {
    int code = call->refusal ? 0 : call->code;
    return qdri_lacks_descriptors(code) || code == ENOSPC;
}

void qdri_call_close(qdri_bridge_call *call) {
    if (call->stage != QDRI_CALL_NONE && call->file >= 0) close(call->file);
    call->file = -1;
    call->stage = QDRI_CALL_NONE;
}
