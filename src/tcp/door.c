/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door: who knocks is a guest until it has proven that it knows the secret. It gets a hello, has a few
 * seconds for an answer of fixed length, and then becomes a link or leaves. Guests do not wait for each
 * other, cost a few hundred bytes each, and there is room for a fixed number: when it is full, the one that
 * has been there longest goes. Nobody may stay longer than others, whatever he says; so strangers can keep
 * an honest guest out only by coming faster than he answers. No honest one comes before this rank knows the
 * secret: the roots tell each other when all ranks do. Whoever goes without having been accepted is counted.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tcp/inside.h"

static const double patience = 5; /* seconds */

qdr_status qdri_door_open(qdri_bridge *bridge, const char *address, int loopback) {
    qdri_door *door = &bridge->door;
    qdri_endpoint *own = &bridge->own;
    QDRI_TRY(qdri_address_choose(address, loopback, &own->address));
    QDRI_TRY(qdri_address_listen(&own->address, &door->file));
    own->pid = getpid();
    qdri_host_name(own->host, sizeof own->host);
    if (!qdri_bridge_watch(bridge, door->file, &door->watch, EPOLLIN)) return qdri_fail_memory();
    return QDR_OK;
}

static void show_out(qdri_door *door, qdri_guest *guest) {
    close(guest->file);
    guest->file = -1;
    door->guests--;
}

static void refuse(qdri_door *door, qdri_guest *guest, qdri_refusal why) {
    door->refused++;
    door->last = why;
    show_out(door, guest);
}

void qdri_door_close(qdri_bridge *bridge) {
    qdri_door *door = &bridge->door;
    for (int i = 0; i < QDRI_GUESTS; i++)
        if (door->guest[i].file >= 0) show_out(door, &door->guest[i]);
    if (door->file >= 0) close(door->file);
    door->file = -1;
}

static qdri_guest *place_for_one(qdri_door *door) {
    qdri_guest *oldest = &door->guest[0];
    for (int i = 0; i < QDRI_GUESTS; i++) {
        if (door->guest[i].file < 0) return &door->guest[i];
        if (door->guest[i].leaves < oldest->leaves) oldest = &door->guest[i];
    }
    refuse(door, oldest, QDRI_STRANGER);
    return oldest;
}

static void welcome(qdri_bridge *bridge, int file) {
    qdri_door *door = &bridge->door;
    qdri_guest *guest = place_for_one(door);
    *guest = (qdri_guest){.watch = {QDRI_WATCH_GUEST}, .file = file, .leaves = qdri_seconds() + patience};
    door->guests++;
    if (qdri_hello_make(&guest->shake) ||
        send(file, guest->shake.hello, QDRI_HELLO, MSG_NOSIGNAL) != QDRI_HELLO ||
        !qdri_bridge_watch(bridge, file, &guest->watch, EPOLLIN))
        refuse(door, guest, QDRI_STRANGER);
}

void qdri_door_answer(qdri_bridge *bridge) {
    enum { AT_ONCE = 16 };
    for (int i = 0; i < AT_ONCE && bridge->door.file >= 0; i++) {
        int file = accept4(bridge->door.file, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file < 0) return;
        qdri_socket_prepare(file);
        welcome(bridge, file);
    }
}

/* The whole answer is there. */
static void judge(qdri_bridge *bridge, qdri_guest *guest) {
    qdri_door *door = &bridge->door;
    qdri_purpose purpose;
    int from, to;
    qdri_refusal refusal = QDRI_STRANGER;
    const unsigned char *secret = NULL;
    if (qdri_answer_read(&guest->shake, &purpose, &from, &to)) {
        secret = qdri_bridge_secret(bridge, purpose);
        refusal = secret ? qdri_answer_judge(&guest->shake, secret) : QDRI_UNEXPECTED;
    }
    int proven = !refusal || refusal == QDRI_ORDER;
    if (refusal == QDRI_ORDER && bridge->meeting) bridge->meeting->odd = refusal;
    if (!refusal && purpose == QDRI_LINK && to != bridge->own_rank) refusal = QDRI_UNEXPECTED;
    if (!refusal) refusal = qdri_bridge_expects(bridge, purpose, from);
    qdri_verdict_make(&guest->shake, proven ? secret : NULL, refusal);
    /* It is told before it is taken in: what follows on the connection is not the door's. */
    if (send(guest->file, guest->shake.verdict, QDRI_VERDICT, MSG_NOSIGNAL) != QDRI_VERDICT && !refusal)
        refusal = QDRI_STRANGER;
    if (refusal) {
        refuse(door, guest, refusal);
        return;
    }
    qdri_bridge_admit(bridge, guest, purpose, from);
    guest->file = -1; /* it has moved in */
    door->guests--;
}

void qdri_guest_hear(qdri_bridge *bridge, qdri_guest *guest) {
    if (guest->file < 0) return;
    ssize_t more = recv(guest->file, guest->shake.answer + guest->got, (size_t)(QDRI_ANSWER - guest->got), 0);
    if (more < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (more <= 0) {
        refuse(&bridge->door, guest, QDRI_STRANGER);
        return;
    }
    guest->got += (int)more;
    if (guest->got == QDRI_ANSWER) judge(bridge, guest);
}

void qdri_door_look(qdri_bridge *bridge, double now) {
    qdri_door *door = &bridge->door;
    for (int i = 0; i < QDRI_GUESTS && door->guests > 0; i++)
        if (door->guest[i].file >= 0 && now > door->guest[i].leaves)
            refuse(door, &door->guest[i], QDRI_STRANGER);
}
