/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a link gets its connection. The rank that has the first message for the other calls; one of the second program
 * also when it waits for one. What is to be sent meanwhile waits in the link's queue. Where two calls cross, that of the
 * second program counts: its rank refuses the other's call while its own is under way, and the other, which is
 * refused, takes the one that comes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/memory.h"
#include "wire/tcp/inside.h"

static void begin_call(qdri_link *link) {
    qdri_bridge *bridge = link->bridge;
    link->call.secret = bridge->session;
    link->call.purpose = QDRI_LINK;
    link->call.from = bridge->own_rank;
    link->call.to = link->rank;
    link->call.link = link;
    link->next_call = 0;
    link->stage = QDRI_LINK_CALLING;
    qdri_call_begin(bridge, &link->call, &bridge->far[link->rank].address);
}

qdri_link *qdri_link_make(qdri_bridge *bridge, int rank) {
    qdri_link *link = QDRI_ZERO_ARRAY(qdri_link, 1);
    unsigned char *buffer = QDRI_ARRAY(unsigned char, QDRI_LINK_BUFFER);
    if (!link || !buffer) {
        free(link);
        free(buffer);
        return NULL;
    }
    *link = (qdri_link){.watch = {QDRI_WATCH_LINK}, .bridge = bridge, .rank = rank, .file = -1};
    link->buffer = buffer;
    link->credit = QDRI_WINDOW;
    link->call.file = -1;
    for (int i = 0; i < QDRI_LINK_QUEUES; i++) qdri_queue_clear(&link->queue[i]);
    link->next = bridge->links;
    bridge->links = bridge->link[rank] = link;
    return link;
}

qdri_link *qdri_link_with(qdri_bridge *bridge, int rank, int sends) {
    qdri_link *link = bridge->link[rank] ? bridge->link[rank] : qdri_link_make(bridge, rank);
    int roots = bridge->own_rank == 0 && rank == 0; /* theirs waits for the connection over which they met */
    if (link && link->stage == QDRI_LINK_ABSENT && (bridge->side == 1 || sends) && !roots) begin_call(link);
    return link;
}

int qdri_link_crosses(const qdri_bridge *bridge, int rank) {
    const qdri_link *link = rank < qdri_bridge_far_ranks(bridge) ? bridge->link[rank] : NULL;
    return link && link->stage != QDRI_LINK_ABSENT;
}

int qdri_link_is_expected(qdri_bridge *bridge, int rank) {
    const qdri_link *link = bridge->link[rank] ? bridge->link[rank] : qdri_link_make(bridge, rank);
    if (!link) return 0;
    return link->stage == QDRI_LINK_ABSENT || (link->stage == QDRI_LINK_CALLING && bridge->side == 0);
}

/* A call of this rank's own that crosses it will be refused, and ends by itself: whoever hangs up passes for a stranger. */
void qdri_link_adopt(qdri_link *link, int file) {
    link->file = file;
    link->stage = QDRI_LINK_OPEN;
    link->bridge->linked++;
    qdri_bridge_rewatch(link->bridge, file, &link->watch, EPOLLIN);
    qdri_link_write(link);
}

/* A door that is full drops newcomers, and what is said without a proof may be anybody's, so a call is made
 * again; where nobody listens there is nobody. */
static void call_failed(qdri_link *link, double now) {
    enum { AGAIN = 60 };
    const double pause = 0.1;
    const qdri_bridge *bridge = link->bridge;
    int hopeless = link->call.code == ECONNREFUSED || link->call.refusal == QDRI_ORDER;
    char how[160];
    if (qdri_call_was_impossible(&link->call)) {
        qdri_bridge_fail(link->bridge,
                         qdri_fail(QDR_ERR_FILE, "rank %d of %s cannot connect to rank %d of %s: %s",
                                   bridge->own_rank, bridge->name[bridge->side], link->rank,
                                   qdri_bridge_far_name(bridge), qdri_call_reason(&link->call)));
    } else if (hopeless || link->attempts++ >= AGAIN) {
        snprintf(how, sizeof how, "no connection to it can be made: %s", qdri_call_reason(&link->call));
        qdri_bridge_lose(link->bridge, link->rank, how);
    } else {
        link->next_call = now + pause;
    }
}

void qdri_link_look(qdri_link *link, double now) {
    if (link->stage == QDRI_LINK_OPEN) {
        if (now < link->next_check) return;
        link->next_check = now + 1;
        if (qdri_socket_is_lost(link->file))
            qdri_bridge_lose(link->bridge, link->rank, "its host does not answer");
        return;
    }
    if (link->stage != QDRI_LINK_CALLING) return;
    if (link->next_call > 0) {
        if (now >= link->next_call) begin_call(link);
        return;
    }
    qdri_call_look(&link->call, now);
    if (link->call.stage == QDRI_CALL_FAILED) {
        call_failed(link, now);
    } else if (link->call.stage == QDRI_CALL_THROUGH) {
        int file = link->call.file;
        link->call.file = -1;
        link->call.stage = QDRI_CALL_NONE;
        qdri_link_adopt(link, file);
    }
}
