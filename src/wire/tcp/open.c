/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a bridge, as the ranks of one program see it: all listen; the root meets the other program's root;
 * all hear from it what it found out; all make the wire, and the links that they have from the beginning.
 * After each step the ranks agree on whether all can go on, so all return the same. They agree over the
 * program's own wire, which outlives whatever happens to the other program: so those that wait for their root
 * wait longer than the deadline, which is the root's to keep.
 *
 * From the meeting on the two programs go in step: after the ranks of each have agreed, the roots compare, and
 * tell their ranks. So when anything fails on one side, both return the same status and sentence; and nobody
 * calls a rank that does not know the session yet.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/host.h"
#include "wire/tcp/acquaint.h"
#include "wire/agree.h"
#include "wire/node.h"

/* Seconds: of own ranks beyond the deadline, of the other root beyond it, and without a deadline. */
static const double grace = 20, far_grace = 5, patience = 60;

typedef struct opening {
    MPI_Comm comm;
    qdri_wire *own; /* the program's */
    const qdri_bridge_request *request;
    qdri_bridge *bridge;
    qdri_wire *wire; /* the bridge's; NULL: not yet, and the bridge is the opening's */
    int rank, ranks;
    int control;     /* the connection of the roots; -1: not here */
    double deadline; /* for own ranks to come; 0: none */
    double until;    /* for the links */
    /* When a deadline passes, MPI may still write into these. */
    qdri_acquaintance *known;
    unsigned char *endpoints;
    unsigned char *far_told, *far_endpoints; /* as the root heard them, and as all have them */
    int64_t *start;
} opening;

/* ---- among own ranks ----------------------------------------------------------------------------------- */

typedef struct step {
    qdri_operation operation;
    int finished;
    qdr_status status;
} step;

static void finish(qdri_operation *operation, qdr_status status) {
    step *self = (step *)operation;
    self->finished = 1;
    self->status = status;
}

static const char *const meeting = "the meeting of two programs";

static qdr_status agree(const opening *self, qdr_status status, qdri_term *term, int terms) {
    qdri_agreement agreement = {
        .call = meeting, .status = status, .term = term, .terms = terms, .deadline = self->deadline};
    qdri_lock(self->own);
    status = qdri_agree(self->own, &agreement);
    qdri_unlock(self->own);
    return status;
}

/* What the root knows comes to all. */
static qdr_status tell(const opening *self, void *data, int bytes) {
    qdri_lock(self->own);
    qdr_status status = qdri_agree(
        self->own,
        &(qdri_agreement){.call = meeting, .told = data, .told_bytes = bytes, .deadline = self->deadline});
    qdri_unlock(self->own);
    return status;
}

/* Ends what was begun on the program's own wire. When it does not end, MPI may still use what belongs to
 * it. */
static qdr_status await(const opening *self, step *one, qdr_status begun) {
    qdr_status status = begun ? begun : qdri_wait_until(self->own, &one->finished, self->deadline);
    if (!status) return one->status;
    char absent[400] = "";
    if (!begun && !one->finished) qdri_cancel(self->own, &one->operation);
    if (status == QDR_ERR_STALLED) {
        qdri_status_absent(self->own, absent, sizeof absent);
        qdri_fail(status, "rank %d: not all ranks of %s came to the meeting with %s before the deadline%s",
                  self->rank, self->request->name, self->request->peer, absent);
    }
    qdri_wire_break(self->own, status);
    return status;
}

/* `out` is in memory that nobody frees while MPI may use it, and `in` has room for `each` bytes of every rank that gives
 * any: the root alone, or all. */
static qdr_status gather(const opening *self, const void *out, int64_t each, int by_root, void *in) {
    step one = {.operation = {.done = finish}};
    for (int64_t r = 0; r <= self->ranks; r++) self->start[r] = by_root ? (r > 0) * each : r * each;
    int64_t bytes = self->start[self->rank + 1] - self->start[self->rank];
    qdri_lock(self->own);
    qdr_status status =
        await(self, &one, qdri_gather_all(self->own, &one.operation, out, bytes, in, self->start));
    qdri_unlock(self->own);
    return status;
}

static qdr_status gather_endpoints(opening *self) {
    int64_t ranks = self->ranks;
    self->start = QDRI_ARRAY(int64_t, ranks + 1);
    self->endpoints = qdri_alloc(ranks + 1, QDRI_ENDPOINT); /* one more: this rank's, to give */
    self->known = QDRI_ZERO_ARRAY(qdri_acquaintance, 1);
    int there = self->start && self->endpoints && self->known;
    QDRI_TRY(agree(self, there ? QDR_OK : qdri_fail_memory(), NULL, 0));
    unsigned char *own = self->endpoints + ranks * QDRI_ENDPOINT;
    qdri_endpoint_write(&self->bridge->own, own);
    return gather(self, own, QDRI_ENDPOINT, 0, self->endpoints);
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

static qdr_status check(const qdri_bridge_request *request) {
    QDRI_TRY(qdri_check_name("the name of this program", request->name));
    QDRI_TRY(qdri_check_name("the name of the other program", request->peer));
    if (strcmp(request->name, request->peer) == 0)
        return qdri_fail(QDR_ERR_INVALID, "both programs are called '%s'; expected two names", request->name);
    if (!request->directory)
        return qdri_fail(QDR_ERR_INVALID, "there is no directory for contact files; expected a path");
    return QDR_OK;
}

static uint64_t digest(const char *text, uint64_t word) {
    for (; *text; text++) word = qdri_mix(word ^ (unsigned char)*text);
    return qdri_mix(word + 1);
}

/* Loopback serves only where all ranks are on one host, and the directory is that host's. */
static qdr_status listen_all(opening *self) {
    const qdri_bridge_request *request = self->request;
    qdri_bridge *bridge = self->bridge;
    char host[QDRI_HOST_NAME];
    qdr_status status = check(request);
    qdri_host_name(host, sizeof host);
    int64_t place = (int64_t)(digest(host, 1) >> 2), names = 0;
    if (!status) names = (int64_t)(digest(request->peer, digest(request->name, 2)) >> 2);
    int is_remote = status || !qdri_is_local_directory(request->directory);
    qdri_term fact[] = {
        QDRI_IS_MOST("highest digest of a host", place, 0, INT64_MAX),
        QDRI_IS_LEAST("lowest digest of a host", place, 0, INT64_MAX),
        QDRI_IS_MOST("whether the directory is not this host's", is_remote, 0, 1),
        QDRI_IS_SAME("names of the two programs", names),
    };
    QDRI_TRY(agree(self, status, fact, 4));
    int has_one_host = fact[0].value == fact[1].value;
    bridge->side = strcmp(request->name, request->peer) > 0;
    bridge->own_rank = self->rank;
    bridge->ranks[bridge->side] = self->ranks;
    memcpy(bridge->name[bridge->side], request->name, strlen(request->name) + 1);
    memcpy(bridge->name[1 - bridge->side], request->peer, strlen(request->peer) + 1);
    status = qdri_door_open(bridge, request->address, has_one_host && !fact[2].value);
    return agree(self, status, NULL, 0);
}

/* The root meets, the others wait for it. */
static qdr_status meet(opening *self) {
    qdr_status status = QDR_OK;
    if (self->rank == 0)
        status = qdri_bridge_meet(self->bridge, self->request, self->ranks, self->endpoints, self->known,
                                  &self->far_told, &self->control);
    status = agree(self, status, NULL, 0);
    self->until = self->request->deadline > 0 ? self->request->deadline : qdri_seconds() + patience;
    return status;
}

/* How both programs fare: the same on all ranks of both. `missing` is a number of each rank's, of which the
 * highest in each program counts. */
static qdr_status compare(const opening *self, qdr_status status, int64_t *missing) {
    const char *name = self->request->name;
    qdri_talk talk = {self->bridge, self->control, self->until + far_grace};
    qdri_outcome outcome = {.missing = 0};
    qdri_term term = QDRI_IS_MOST("number of missing links", *missing, 0, INT64_MAX);
    qdri_outcome_note(&outcome, name, agree(self, status, &term, 1));
    if (self->rank == 0) {
        outcome.missing = term.value;
        status = qdri_talk_compare(&talk, &outcome);
        if (status && !outcome.status) qdri_outcome_note(&outcome, name, status);
    }
    /* If it is not usable they have their own sentence. */
    status = qdri_wire_usable(self->own) ? tell(self, &outcome, (int)sizeof outcome) : QDR_OK;
    if (status) return status;
    *missing = outcome.missing;
    return outcome.status ? qdri_fail(outcome.status, "%s", outcome.sentence) : QDR_OK;
}

static qdr_status read_endpoints(qdri_bridge *bridge, const unsigned char *bytes) {
    int ranks = qdri_bridge_far_ranks(bridge);
    for (int r = 0; r < ranks; r++)
        if (!qdri_endpoint_read(bytes + (int64_t)r * QDRI_ENDPOINT, &bridge->far[r]))
            return qdri_fail(QDR_ERR_INVALID, "%s does not say where its rank %d listens",
                             qdri_bridge_far_name(bridge), r);
    return QDR_OK;
}

static qdr_status learn(opening *self) {
    qdri_bridge *bridge = self->bridge;
    QDRI_TRY(tell(self, self->known, (int)sizeof *self->known));
    int64_t far_ranks = self->known->ranks;
    bridge->ranks[1 - bridge->side] = (int)far_ranks;
    self->far_endpoints = qdri_alloc(far_ranks, QDRI_ENDPOINT);
    bridge->far = QDRI_ARRAY(qdri_endpoint, far_ranks);
    bridge->link = QDRI_ZERO_ARRAY(qdri_link *, far_ranks);
    int there = self->far_endpoints && bridge->far && bridge->link;
    QDRI_TRY(agree(self, there ? QDR_OK : qdri_fail_memory(), NULL, 0));
    QDRI_TRY(gather(self, self->far_told, far_ranks * QDRI_ENDPOINT, 1, self->far_endpoints));
    QDRI_TRY(read_endpoints(bridge, self->far_endpoints));
    memcpy(bridge->session, self->known->session, QDRI_SECRET);
    bridge->knows_session = 1;
    return QDR_OK;
}

/* Whether all ranks of both programs have one address. */
static int is_one_host(const opening *self) {
    const qdri_address *there = &self->bridge->far[0].address;
    qdri_endpoint own;
    for (int r = 0; r < self->ranks; r++)
        if (!qdri_endpoint_read(self->endpoints + (int64_t)r * QDRI_ENDPOINT, &own) ||
            !qdri_address_shares_host(&own.address, there))
            return 0;
    for (int r = 1; r < qdri_bridge_far_ranks(self->bridge); r++)
        if (!qdri_address_shares_host(&self->bridge->far[r].address, there)) return 0;
    return 1;
}

static qdr_status make_wire(opening *self) {
    qdri_bridge *bridge = self->bridge;
    qdri_joined_shape shape = {.first = bridge->side == 0 ? 0 : bridge->ranks[0],
                               .own = self->ranks,
                               .ranks = bridge->ranks[0] + bridge->ranks[1],
                               .tag_spans = (int)self->known->tag_spans,
                               .one_host = is_one_host(self)};
    QDRI_TRY(qdri_wire_join(self->comm, &shape, &qdri_bridge_functions, bridge, self->deadline, &self->wire));
    bridge->wire = self->wire;
    qdri_lock(self->wire);
    qdri_poller_add(self->wire, &bridge->poller);
    qdri_unlock(self->wire);
    return QDR_OK;
}

/* That of the roots waits for their connection, which they need until all is well. */
static qdr_status begin_links(const opening *self) {
    qdri_bridge *bridge = self->bridge;
    if (self->rank == 0 && !qdri_link_make(bridge, 0)) return qdri_fail_memory();
    for (int r = 0; r < qdri_bridge_far_ranks(bridge); r++)
        if (qdri_bridge_plans(bridge, r) && !qdri_link_with(bridge, r, 0)) return qdri_fail_memory();
    return QDR_OK;
}

static int missing_link(const opening *self) {
    for (const qdri_link *link = self->bridge->links; link; link = link->next)
        if (link->stage < QDRI_LINK_OPEN && !(self->rank == 0 && link->rank == 0)) return link->rank;
    return -1;
}

/* Lets things happen for a moment. */
static qdr_status linger(const opening *self) {
    int over = 0;
    double until = qdri_seconds() + 0.02;
    qdr_status status = QDR_OK;
    qdri_lock(self->wire);
    for (; !status && !over && qdri_seconds() < until; over = missing_link(self) < 0) {
        status = qdri_wait_until(self->wire, &over, qdri_seconds() + 0.001);
        if (status == QDR_ERR_STALLED) status = QDR_OK;
    }
    qdri_unlock(self->wire);
    return status;
}

/* Whether this rank is well, and has what it needs. */
static qdr_status check_links(const opening *self, int64_t *missing) {
    qdr_status status = missing_link(self) >= 0 ? linger(self) : qdri_wire_state(self->wire);
    int with = missing_link(self);
    *missing = with >= 0;
    if (!status && *missing && qdri_seconds() > self->until)
        status = qdri_fail(QDR_ERR_STALLED, "rank %d of %s did not connect before the deadline", with,
                           self->request->peer);
    return status;
}

/* The programs compare again and again: a rank that has no link yet cannot hear from the other program what
 * became of it. Then the connection of the roots becomes their link. */
static qdr_status connect_links(opening *self) {
    int64_t missing = 0;
    qdri_lock(self->wire);
    qdr_status status = begin_links(self);
    qdri_unlock(self->wire);
    do {
        if (!status) status = check_links(self, &missing);
        QDRI_TRY(compare(self, status, &missing));
    } while (missing);
    if (self->rank == 0) {
        qdri_lock(self->wire);
        qdri_link_adopt(self->bridge->link[0], self->control);
        qdri_unlock(self->wire);
        self->control = -1;
    }
    return QDR_OK;
}

static qdr_status run(opening *self) {
    int64_t missing = 0;
    QDRI_TRY(agree(self, qdri_bridge_make(&self->bridge), NULL, 0));
    QDRI_TRY(listen_all(self));
    QDRI_TRY(gather_endpoints(self));
    QDRI_TRY(meet(self));
    qdr_status status = learn(self);
    QDRI_TRY(compare(self, status, &missing));
    status = make_wire(self);
    QDRI_TRY(compare(self, status, &missing));
    return connect_links(self);
}

/* Nobody must take the end of the connections for a goodbye. */
static void abandon(opening *self, qdr_status status) {
    if (!self->wire) {
        qdri_bridge_free(self->bridge);
        return;
    }
    qdri_lock(self->wire);
    qdri_bridge_fail(self->bridge, status);
    qdri_unlock(self->wire);
    qdri_wire_release(&self->wire);
}

qdr_status qdri_bridge_open(MPI_Comm comm, const qdri_bridge_request *request, qdri_wire **wire,
                            qdri_bridge_view *view) {
    opening self = {.comm = comm, .request = request, .control = -1};
    QDRI_TRY(qdri_wire_open(comm, &self.own));
    self.rank = qdri_wire_rank(self.own);
    self.ranks = qdri_wire_ranks(self.own);
    self.deadline = request->deadline > 0 ? request->deadline + grace : 0;
    qdr_status status = run(&self);
    if (!status) {
        qdri_bridge *bridge = self.bridge;
        *view = (qdri_bridge_view){.side = bridge->side, .latency = self.known->latency};
        memcpy(view->ranks, bridge->ranks, sizeof view->ranks);
        memcpy(view->how, self.known->how, sizeof view->how);
        *wire = self.wire;
    } else {
        abandon(&self, status);
    }
    if (self.control >= 0) close(self.control);
    if (qdri_wire_usable(self.own)) {
        free(self.known);
        free(self.endpoints);
        free(self.far_told);
        free(self.far_endpoints);
        free(self.start);
    }
    qdri_wire_release(&self.own);
    return status;
}
