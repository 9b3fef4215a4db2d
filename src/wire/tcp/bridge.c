/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a bridge in one process. All its sockets are in one epoll, so looking at it when nothing
 * happens is one system call. Operations end here, from inside the wire's progress, after everything that
 * came was taken in; so their callbacks may start others freely.
 *
 * The bridge fails as a whole. A link that ends without a goodbye is the end of a process, and that is the
 * end of what two programs can do together; whoever notices tells all that it is linked with, and closes. The
 * links that every rank has from the beginning make one ring through both programs, so everybody hears of it,
 * also when only one process is gone. Then all that waited for the other program ends with that failure.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/council.h"
#include "wire/mpi/inside.h"
#include "wire/tcp/inside.h"

/* ---- in message ---------------------------------------------------------------------------------------- */

qdri_link_message *qdri_link_message_make(qdri_bridge *bridge) {
    qdri_link_message *message;
    if (bridge->spare.first) {
        message = qdri_queue_take(&bridge->spare, &bridge->spare.first);
    } else {
        message = QDRI_ARRAY(qdri_link_message, 1);
        if (!message) return NULL;
        bridge->messages++;
    }
    *message = (qdri_link_message){.next = NULL};
    return message;
}

void qdri_link_message_free(qdri_bridge *bridge, qdri_link_message *message) {
    if (message->owns_data) free(message->data);
    message->owns_data = 0;
    qdri_queue_add(&bridge->spare, message);
}

/* ---- having one ---------------------------------------------------------------------------------------- */

static void poll_from_wire(qdri_poller *poller) {
    qdri_bridge_poll((qdri_bridge *)poller, 0);
}

qdr_status qdri_bridge_make(qdri_bridge **bridge) {
    qdri_bridge *made = QDRI_ZERO_ARRAY(qdri_bridge, 1);
    if (!made) return qdri_fail_memory();
    made->poller.poll = poll_from_wire;
    qdri_queue_clear(&made->finished);
    qdri_queue_clear(&made->spare);
    made->door.file = -1;
    for (int i = 0; i < QDRI_NEWCOMERS; i++) made->door.newcomer[i].file = -1;
    made->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (made->epoll < 0) {
        qdr_status status = qdri_fail(QDR_ERR_FILE, "the system has no more epolls: %s", strerror(errno));
        free(made);
        return status;
    }
    *bridge = made;
    return QDR_OK;
}

static void free_queue(qdri_queue *queue) {
    while (queue->first) {
        qdri_link_message *one = qdri_queue_take(queue, &queue->first);
        if (one->owns_data) free(one->data);
        free(one);
    }
}

void qdri_bridge_free(qdri_bridge *bridge) {
    if (!bridge) return;
    qdri_door_close(bridge);
    while (bridge->links) {
        qdri_link *link = bridge->links;
        bridge->links = link->next;
        qdri_link_free(link);
    }
    free_queue(&bridge->finished);
    free_queue(&bridge->spare);
    close(bridge->epoll);
    free(bridge->link);
    free(bridge->far);
    free(bridge);
}

static int control(qdri_bridge *bridge, int what, int file, qdri_watch *watch, unsigned events) {
    struct epoll_event event = {.events = events, .data = {.ptr = watch}};
    return epoll_ctl(bridge->epoll, what, file, &event) == 0;
}

int qdri_bridge_watch(qdri_bridge *bridge, int file, qdri_watch *watch, unsigned events) {
    return control(bridge, EPOLL_CTL_ADD, file, watch, events);
}

void qdri_bridge_unwatch(qdri_bridge *bridge, int file) {
    control(bridge, EPOLL_CTL_DEL, file, NULL, 0);
}

void qdri_bridge_rewatch(qdri_bridge *bridge, int file, qdri_watch *watch, unsigned events) {
    if (control(bridge, EPOLL_CTL_MOD, file, watch, events) ||
        control(bridge, EPOLL_CTL_ADD, file, watch, events))
        return;
    qdri_bridge_fail(bridge, qdri_fail(QDR_ERR_FILE, "rank %d of %s cannot watch one of its connections: %s",
                                       bridge->own_rank, bridge->name[bridge->side], strerror(errno)));
}

/* Each rank of the larger program with two neighbours of the smaller: together a ring, and nobody is left
 * out. */
int qdri_bridge_plans(const qdri_bridge *bridge, int rank) {
    int first = bridge->side == 0 ? bridge->own_rank : rank;
    int second = bridge->side == 0 ? rank : bridge->own_rank;
    int large = bridge->ranks[0] > bridge->ranks[1] ? first : second;
    int small = bridge->ranks[0] > bridge->ranks[1] ? second : first;
    int few = bridge->ranks[0] < bridge->ranks[1] ? bridge->ranks[0] : bridge->ranks[1];
    return large % few == small || (large + 1) % few == small;
}

/* ---- who comes ----------------------------------------------------------------------------------------- */

const unsigned char *qdri_bridge_secret(const qdri_bridge *bridge, qdri_purpose purpose) {
    if (purpose == QDRI_CONTROL)
        return bridge->meeting && bridge->meeting->file < 0 ? bridge->meeting->token : NULL;
    return bridge->knows_session ? bridge->session : NULL;
}

qdri_refusal qdri_bridge_expects(qdri_bridge *bridge, qdri_purpose purpose, int from) {
    if (purpose == QDRI_CONTROL) return QDRI_ACCEPTED;
    if (from >= qdri_bridge_far_ranks(bridge) || !qdri_link_is_expected(bridge, from)) return QDRI_UNEXPECTED;
    return QDRI_ACCEPTED;
}

void qdri_bridge_admit(qdri_bridge *bridge, qdri_newcomer *newcomer, qdri_purpose purpose, int from) {
    if (purpose == QDRI_LINK) {
        qdri_link_adopt(bridge->link[from], newcomer->file);
        return;
    }
    bridge->meeting->file = newcomer->file;
    bridge->meeting->shake = newcomer->shake;
}

/* ---- failing ------------------------------------------------------------------------------------------- */

void qdri_bridge_fail(qdri_bridge *bridge, qdr_status status) {
    if (bridge->failed) return;
    bridge->failed = status;
    snprintf(bridge->sentence, sizeof bridge->sentence, "%s", qdr_error_message());
}

/* What this rank waits for at the other program. */
static void describe(const qdri_bridge *bridge, char *text, size_t size) {
    char first[120] = "", one[120];
    int64_t sends = 0, receives = 0;
    int with = -1;
    for (const qdri_link *link = bridge->links; link; link = link->next) {
        qdri_link_describe(link, one, sizeof one, &sends, &receives);
        if (!*one || (with >= 0 && link->rank > with)) continue;
        with = link->rank;
        memcpy(first, one, sizeof first);
    }
    if (with < 0)
        snprintf(text, size, "this rank waited for nothing there");
    else
        snprintf(text, size, "this rank %s rank %d (%lld receives and %lld sends were under way)", first,
                 with, (long long)receives, (long long)sends);
}

void qdri_bridge_lose(qdri_bridge *bridge, int rank, const char *how) {
    const qdri_endpoint *other = &bridge->far[rank];
    char waits[240];
    if (bridge->failed) return;
    describe(bridge, waits, sizeof waits);
    qdri_bridge_fail(bridge,
                     qdri_fail(QDR_ERR_PEER, "rank %d of %s lost rank %d of %s (process %lld on %s): %s; %s",
                               bridge->own_rank, bridge->name[bridge->side], rank,
                               qdri_bridge_far_name(bridge), (long long)other->pid, other->host, how, waits));
}

/* Who never was linked with this rank cannot say goodbye to it; but when all that were have gone, so has
 * he. */
static void look_for_abandoned(qdri_bridge *bridge) {
    if (bridge->linked == 0 || bridge->goodbyes < bridge->linked) return;
    for (qdri_link *link = bridge->links; link && !bridge->failed; link = link->next)
        if (link->stage < QDRI_LINK_OPEN && qdri_link_is_busy(link))
            qdri_bridge_lose(bridge, link->rank, "its program has ended, and said goodbye");
}

/* ---- progress ------------------------------------------------------------------------------------------ */

/* Those that end meanwhile wait for the next time. */
static void end_finished(qdri_bridge *bridge) {
    qdri_link_message **last = bridge->finished.last;
    if (!bridge->finished.first) return;
    for (int is_last = 0; !is_last && bridge->finished.first;) {
        qdri_link_message *one = qdri_queue_take(&bridge->finished, &bridge->finished.first);
        qdri_operation *operation = one->operation;
        qdr_status status = one->status;
        is_last = last == &one->next;
        if (operation->receives) operation->bytes = one->frame.length;
        qdri_link_message_free(bridge, one);
        if (status) qdri_fail(status, "%s", bridge->sentence);
        qdri_operation_end(bridge->wire, operation, status);
    }
}

/* Who has said goodbye sends nothing that this rank waits for. */
static void look_for_parted(qdri_bridge *bridge) {
    for (qdri_link *link = bridge->links; link && !bridge->failed; link = link->next)
        if (link->heard_goodbye && qdri_link_is_busy(link))
            qdri_bridge_lose(bridge, link->rank, "it has ended, and said goodbye");
}

/* A rank that has failed told the others before it said goodbye, and before others lost it: what it said counts for more,
 * and is here. */
static void hear_news(qdri_bridge *bridge) {
    enum { LOOKS = 1000 };
    for (int i = 0; i < LOOKS && qdri_news_look(bridge->wire); i++) {
        end_finished(bridge);
        (void)qdri_mpi_advance(bridge->wire, 0);
    }
}

static void give_up(qdri_bridge *bridge) {
    qdri_wire *wire = bridge->wire;
    if (wire && wire->council) {
        hear_news(bridge);
        qdri_council_lose(wire->council, qdri_fail(bridge->failed, "%s", bridge->sentence));
        bridge->failed = qdri_council_failure(wire->council);
        snprintf(bridge->sentence, sizeof bridge->sentence, "%s", qdr_error_message());
    }
    if (wire) qdri_wire_fail(wire, qdri_fail(bridge->failed, "%s", bridge->sentence));
    qdri_bridge_give_up(bridge);
}

static void handle(qdri_bridge *bridge, qdri_watch *watch, unsigned events) {
    if (bridge->failed) return;
    if (watch->kind == QDRI_WATCH_DOOR) {
        qdri_door_answer(bridge);
    } else if (watch->kind == QDRI_WATCH_NEWCOMER) {
        qdri_newcomer_hear(bridge, (qdri_newcomer *)(void *)watch);
    } else if (watch->kind == QDRI_WATCH_CALL) {
        qdri_bridge_call *call = (qdri_bridge_call *)(void *)watch;
        qdri_call_advance(bridge, call);
        if (call->link) qdri_link_look(call->link, qdri_seconds());
    } else {
        qdri_link *link = (qdri_link *)(void *)watch;
        if (events & EPOLLOUT) qdri_link_write(link);
        if (events & ~(unsigned)EPOLLOUT) qdri_link_read(link);
    }
}

/* What only time brings, every so often. */
static void look(qdri_bridge *bridge) {
    const double often = 0.05;
    double now = qdri_seconds();
    if (now < bridge->next_look) return;
    bridge->next_look = now + often;
    qdri_door_look(bridge, now);
    for (qdri_link *link = bridge->links; link && !bridge->failed; link = link->next)
        qdri_link_look(link, now);
    look_for_abandoned(bridge);
}

void qdri_bridge_poll(qdri_bridge *bridge, int milliseconds) {
    enum { EVENTS = 32 };
    struct epoll_event event[EVENTS];
    if (bridge->given_up) {
        qdri_bridge_drain(bridge);
    } else {
        int events = epoll_wait(bridge->epoll, event, EVENTS, milliseconds);
        for (int i = 0; i < events; i++) handle(bridge, event[i].data.ptr, event[i].events);
        if (bridge->goodbyes > 0 && bridge->wire) look_for_parted(bridge);
        look(bridge);
    }
    if (bridge->failed && !bridge->given_up) give_up(bridge);
    if (!bridge->wire) return;
    end_finished(bridge);
    if (bridge->failed) qdri_joined_fail(bridge->wire);
}

/* ---- as the wire sees it ------------------------------------------------------------------------------- */

static qdri_bridge *bridge_of(const qdri_wire *wire) {
    return wire->joined->state;
}

static qdri_link *link_to(qdri_bridge *bridge, int rank, int sends) {
    return qdri_link_with(bridge, bridge->side == 0 ? rank - bridge->ranks[0] : rank, sends);
}

static qdr_status send_far(qdri_wire *wire, qdri_operation *operation, int to, int tag, const void *data,
                           int64_t bytes) {
    qdri_link *link = link_to(bridge_of(wire), to, 1);
    return link ? qdri_link_send(link, operation, tag, data, bytes) : qdri_fail_memory();
}

static qdr_status receive_far(qdri_wire *wire, qdri_operation *operation, int from, int tag, void *data,
                              int64_t bytes) {
    qdri_link *link = link_to(bridge_of(wire), from, 0);
    return link ? qdri_link_receive(link, operation, tag, data, bytes) : qdri_fail_memory();
}

static void find(qdri_wire *wire, int tag, qdri_message *found) {
    const qdri_bridge *bridge = bridge_of(wire);
    *found = (qdri_message){.is_there = 0};
    for (const qdri_link *link = bridge->links; link && !found->is_there; link = link->next) {
        int64_t bytes = qdri_link_find(link, tag);
        if (bytes < 0) continue;
        *found =
            (qdri_message){1, bridge->side == 0 ? bridge->ranks[0] + link->rank : link->rank, tag, bytes, 0};
    }
}

static qdr_status reserve(qdri_wire *wire, int64_t operations) {
    qdri_bridge *bridge = bridge_of(wire);
    while (bridge->messages < operations) {
        qdri_link_message *message = QDRI_ZERO_ARRAY(qdri_link_message, 1);
        if (!message) return qdri_fail_memory();
        bridge->messages++;
        qdri_queue_add(&bridge->spare, message);
    }
    return QDR_OK;
}

static int cancel(qdri_wire *wire, qdri_operation *operation) {
    qdri_bridge *bridge = bridge_of(wire);
    int rank = bridge->side == 0 ? operation->partner - bridge->ranks[0] : operation->partner;
    if (rank < 0 || rank >= qdri_bridge_far_ranks(bridge) || !bridge->link[rank]) return 0;
    return qdri_link_cancel(bridge->link[rank], operation);
}

static void rest(qdri_wire *wire) {
    qdri_bridge_rest(bridge_of(wire));
}

static void leave(qdri_wire *wire) {
    qdri_bridge_say_goodbye(bridge_of(wire));
}

static void close_far(qdri_wire *wire) {
    qdri_bridge *bridge = bridge_of(wire);
    if (bridge->failed && !bridge->given_up) give_up(bridge);
    qdri_bridge_part(bridge);
    qdri_bridge_free(bridge);
}

static int is_alone(const qdri_wire *wire) {
    const qdri_bridge *bridge = bridge_of(wire);
    return bridge->linked > 0 && bridge->goodbyes >= bridge->linked;
}

const qdri_far qdri_bridge_functions = {.send = send_far,
                                        .receive = receive_far,
                                        .find = find,
                                        .reserve = reserve,
                                        .cancel = cancel,
                                        .rest = rest,
                                        .is_alone = is_alone,
                                        .leave = leave,
                                        .close = close_far};

int64_t qdri_bridge_refused(const qdri_wire *wire) {
    return wire->joined && wire->joined->far == &qdri_bridge_functions ? bridge_of(wire)->door.refused : 0;
}

void qdri_bridge_leave(qdri_wire *wire) {
    if (wire->joined && wire->joined->far == &qdri_bridge_functions) leave(wire);
}
