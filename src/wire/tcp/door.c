/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door: who knocks is a newcomer until it has proven that it knows the secret. It gets a hello, has a few
 * seconds for an answer of fixed length, and then becomes a link or leaves. Guests do not wait for each
 * other, cost a few hundred bytes each, and there is room for a fixed number: when it is full, the one that
 * has been there longest goes. Nobody may stay longer than others, whatever he says. No honest one comes before
 * this rank knows the secret: the roots tell each other when all ranks do. Whoever goes without having been
 * accepted is counted.
 *
 * A newcomer holds a descriptor, of which a process may have few. All newcomers of the process together hold at
 * most as many as are free, which is half of what is left to it; one newcomer is always possible. Whatever
 * else this process wants to open finds a descriptor therefore, and where it does not, newcomers make way.
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
static atomic_int all_newcomers;

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

/* ---- newcomers -------------------------------------------------------------------------------------------- */

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

static void leave_place(qdri_door *door, qdri_newcomer *newcomer) {
    newcomer->file = -1;
    door->newcomers--;
    atomic_fetch_sub(&all_newcomers, 1);
}

static void show_out(qdri_door *door, qdri_newcomer *newcomer) {
    close(newcomer->file);
    leave_place(door, newcomer);
}

static void refuse(qdri_door *door, qdri_newcomer *newcomer, qdri_refusal why) {
    door->refused++;
    door->last = why;
    show_out(door, newcomer);
}

void qdri_door_close(qdri_bridge *bridge) {
    qdri_door *door = &bridge->door;
    for (int i = 0; i < QDRI_NEWCOMERS; i++)
        if (door->newcomer[i].file >= 0) show_out(door, &door->newcomer[i]);
    if (door->file >= 0) close(door->file);
    door->file = -1;
}

/* NULL: there is nobody. */
static qdri_newcomer *oldest(qdri_door *door) {
    qdri_newcomer *found = NULL;
    for (int i = 0; i < QDRI_NEWCOMERS; i++)
        if (door->newcomer[i].file >= 0 && (!found || door->newcomer[i].leaves < found->leaves))
            found = &door->newcomer[i];
    return found;
}

int qdri_door_make_way(qdri_bridge *bridge) {
    qdri_newcomer *newcomer = oldest(&bridge->door);
    if (newcomer) refuse(&bridge->door, newcomer, QDRI_STRANGER);
    return newcomer != NULL;
}

/* Whether the newcomers have more than their share, when so many more come. */
static int is_crowded(const qdri_door *door, int more) {
    int all = atomic_load(&all_newcomers) + more;
    if (door->newcomers + more > QDRI_NEWCOMERS) return 1;
    return door->newcomers + more > 1 && free_descriptors(all + more) < all + more;
}

static void rest_until(qdri_bridge *bridge, double time) {
    bridge->door.opens = time;
    qdri_bridge_rewatch(bridge, bridge->door.file, &bridge->door.watch, 0);
}

/* Before one comes in. False: nobody can. */
static int make_place(qdri_bridge *bridge, double now) {
    qdri_door *door = &bridge->door;
    while (is_crowded(door, 1)) {
        qdri_newcomer *first = oldest(door);
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
    qdri_newcomer *newcomer = door->newcomer;
    while (newcomer->file >= 0) newcomer++;
    *newcomer = (qdri_newcomer){.watch = {QDRI_WATCH_NEWCOMER}, .file = file, .leaves = now + patience};
    door->newcomers++;
    atomic_fetch_add(&all_newcomers, 1);
    if (qdri_hello_make(&newcomer->shake) ||
        send(file, newcomer->shake.hello, QDRI_HELLO, MSG_NOSIGNAL) != QDRI_HELLO ||
        !qdri_bridge_watch(bridge, file, &newcomer->watch, EPOLLIN))
        refuse(door, newcomer, QDRI_STRANGER);
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
static void judge(qdri_bridge *bridge, qdri_newcomer *newcomer) {
    qdri_door *door = &bridge->door;
    qdri_purpose purpose;
    int from, to;
    qdri_refusal refusal = QDRI_STRANGER;
    const unsigned char *secret = NULL;
    if (qdri_answer_read(&newcomer->shake, &purpose, &from, &to)) {
        secret = qdri_bridge_secret(bridge, purpose);
        refusal = secret ? qdri_answer_judge(&newcomer->shake, secret) : QDRI_UNEXPECTED;
    }
    int proven = !refusal || refusal == QDRI_ORDER;
    if (refusal == QDRI_ORDER && bridge->meeting) bridge->meeting->odd = refusal;
    if (!refusal && purpose == QDRI_LINK && to != bridge->own_rank) refusal = QDRI_UNEXPECTED;
    if (!refusal) refusal = qdri_bridge_expects(bridge, purpose, from);
    qdri_verdict_make(&newcomer->shake, proven ? secret : NULL, refusal);
    /* It is told before it is taken in: what follows on the connection is not the door's. */
    if (send(newcomer->file, newcomer->shake.verdict, QDRI_VERDICT, MSG_NOSIGNAL) != QDRI_VERDICT && !refusal)
        refusal = QDRI_STRANGER;
    if (refusal && proven && purpose == QDRI_LINK && qdri_link_crosses(bridge, from)) {
        show_out(door, newcomer);
        return;
    }
    if (refusal) {
        refuse(door, newcomer, refusal);
        return;
    }
    qdri_bridge_admit(bridge, newcomer, purpose, from);
    leave_place(door, newcomer); /* it has moved in */
}

void qdri_newcomer_hear(qdri_bridge *bridge, qdri_newcomer *newcomer) {
    if (newcomer->file < 0) return;
    ssize_t more = recv(newcomer->file, newcomer->shake.answer + newcomer->got,
                        (size_t)(QDRI_ANSWER - newcomer->got), 0);
    if (more < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (more <= 0) {
        refuse(&bridge->door, newcomer, QDRI_STRANGER);
        return;
    }
    newcomer->got += (int)more;
    if (newcomer->got == QDRI_ANSWER) judge(bridge, newcomer);
}

void qdri_door_look(qdri_bridge *bridge, double now) {
    qdri_door *door = &bridge->door;
    for (int i = 0; i < QDRI_NEWCOMERS && door->newcomers > 0; i++)
        if (door->newcomer[i].file >= 0 && now > door->newcomer[i].leaves)
            refuse(door, &door->newcomer[i], QDRI_STRANGER);
    while (door->newcomers > 1 && is_crowded(door, 0)) (void)qdri_door_make_way(bridge);
    if (door->opens == 0 || now < door->opens || door->file < 0) return;
    door->opens = 0;
    qdri_bridge_rewatch(bridge, door->file, &door->watch, EPOLLIN);
}
