/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door: who knocks is a guest until it has proven that it knows the secret. It gets a hello, has a few
 * seconds for an answer of fixed length, and then becomes a link or leaves. Guests do not wait for each
 * other, cost a few hundred bytes each, and there is room for a fixed number: when it is full, the one that
 * has been there longest goes. Nobody may stay longer than others, whatever he says. No honest one comes before
 * this rank knows the secret: the roots tell each other when all ranks do. Whoever goes without having been
 * accepted is counted.
 *
 * A guest holds a descriptor, of which a process may have few. All guests of the process together hold at
 * most as many as are free, which is half of what is left to it; one guest is always possible. Whatever
 * else this process wants to open finds a descriptor therefore, and where it does not, guests make way.
 *
 * Nobody is sent away before he had a moment to answer. While all places are taken by such, and while there
 * is no descriptor to be had, the door rests: who knocks waits in the kernel's queue, in the order of coming.
 * So however many strangers come, and come again, the honest one has his turn.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/host.h"
#include "wire/tcp/inside.h"

static const double patience = 5, moment = 0.1, rest = 0.05; /* seconds */

/* Of all doors of the process. */
static atomic_int all_guests;

/* ---- descriptors --------------------------------------------------------------------------------------- */

/* How many descriptors this process could still open, up to so many. Those with the highest numbers are looked
 * at first: mostly they are free. */
static int free_descriptors(int most) {
    enum { AT_ONCE = 64 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX) return most;
    int found = 0;
    for (int above = (int)limit.rlim_cur; above > 0 && found < most;) {
        struct pollfd one[AT_ONCE];
        int count = above < AT_ONCE ? above : AT_ONCE;
        above -= count;
        for (int i = 0; i < count; i++) one[i] = (struct pollfd){.fd = above + i};
        if (poll(one, (nfds_t)count, 0) < 0) return most;
        for (int i = 0; i < count; i++) found += (one[i].revents & POLLNVAL) != 0;
    }
    return found < most ? found : most;
}

int qdri_lacks_descriptors(int code) {
    return code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOBUFS;
}

/* ---- guests -------------------------------------------------------------------------------------------- */

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

static void leave_place(qdri_door *door, qdri_guest *guest) {
    guest->file = -1;
    door->guests--;
    atomic_fetch_sub(&all_guests, 1);
}

static void show_out(qdri_door *door, qdri_guest *guest) {
    close(guest->file);
    leave_place(door, guest);
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

/* NULL: there is nobody. */
static qdri_guest *oldest(qdri_door *door) {
    qdri_guest *found = NULL;
    for (int i = 0; i < QDRI_GUESTS; i++)
        if (door->guest[i].file >= 0 && (!found || door->guest[i].leaves < found->leaves))
            found = &door->guest[i];
    return found;
}

int qdri_door_make_way(qdri_bridge *bridge) {
    qdri_guest *guest = oldest(&bridge->door);
    if (guest) refuse(&bridge->door, guest, QDRI_STRANGER);
    return guest != NULL;
}

/* Whether the guests have more than their share, when so many more come. */
static int is_crowded(const qdri_door *door, int more) {
    int all = atomic_load(&all_guests) + more;
    if (door->guests + more > QDRI_GUESTS) return 1;
    return door->guests + more > 1 && free_descriptors(all + more) < all + more;
}

static void rest_until(qdri_bridge *bridge, double time) {
    bridge->door.opens = time;
    qdri_bridge_rewatch(bridge, bridge->door.file, &bridge->door.watch, 0);
}

/* Before one comes in. False: nobody can. */
static int make_place(qdri_bridge *bridge, double now) {
    qdri_door *door = &bridge->door;
    while (is_crowded(door, 1)) {
        qdri_guest *first = oldest(door);
        double until = first->leaves - patience + moment;
        if (now < until) {
            rest_until(bridge, until);
            return 0;
        }
        refuse(door, first, QDRI_STRANGER);
    }
    return 1;
}

static void welcome(qdri_bridge *bridge, int file, double now) {
    qdri_door *door = &bridge->door;
    qdri_guest *guest = door->guest;
    while (guest->file >= 0) guest++;
    *guest = (qdri_guest){.watch = {QDRI_WATCH_GUEST}, .file = file, .leaves = now + patience};
    door->guests++;
    atomic_fetch_add(&all_guests, 1);
    if (qdri_hello_make(&guest->shake) ||
        send(file, guest->shake.hello, QDRI_HELLO, MSG_NOSIGNAL) != QDRI_HELLO ||
        !qdri_bridge_watch(bridge, file, &guest->watch, EPOLLIN))
        refuse(door, guest, QDRI_STRANGER);
}

void qdri_door_answer(qdri_bridge *bridge) {
    enum { AT_ONCE = 16 };
    const qdri_door *door = &bridge->door;
    double now = qdri_seconds();
    for (int i = 0; i < AT_ONCE && door->file >= 0 && make_place(bridge, now); i++) {
        int file = accept4(door->file, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file >= 0) {
            qdri_socket_prepare(file);
            welcome(bridge, file, now);
        } else if (qdri_lacks_descriptors(errno)) {
            if (qdri_door_make_way(bridge)) continue;
            rest_until(bridge, now + rest);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
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
    if (refusal && proven && purpose == QDRI_LINK && qdri_link_crosses(bridge, from)) {
        show_out(door, guest);
        return;
    }
    if (refusal) {
        refuse(door, guest, refusal);
        return;
    }
    qdri_bridge_admit(bridge, guest, purpose, from);
    leave_place(door, guest); /* it has moved in */
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
    while (door->guests > 1 && is_crowded(door, 0)) (void)qdri_door_make_way(bridge);
    if (door->opens == 0 || now < door->opens || door->file < 0) return;
    door->opens = 0;
    qdri_bridge_rewatch(bridge, door->file, &door->watch, EPOLLIN);
}
