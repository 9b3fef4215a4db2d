/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the roots of two programs find each other. Each looks whether the other has published a contact file,
 * and calls it; where there is no file it publishes its own, and waits to be called. Either may be first, and
 * when both are, one of them publishes (mailbox.c). Files of programs that are gone are removed on the way:
 * known to be gone on this host, or nobody answers where they say, or somebody who is not who he should be.
 * Whatever was found last is in the sentence when the deadline passes.
 *
 * A program in another container may have published an address that means something else here; its file is
 * left alone, since nobody can know from here whether it lives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/tcp/acquaint.h"
#include "wire/tcp/mailbox.h"

static const double between_looks = 0.05, patience = 2; /* seconds; with a file where nobody listens */

typedef struct search {
    qdri_bridge *bridge;
    qdri_mailbox box;
    qdri_bridge_call call;
    qdri_contact found; /* who is called */
    qdri_process process;
    qdri_address address;
    qdri_meeting_point point;
    double next_look, silent_since; /* 0: it was not called in vain */
    int called;                     /* this program called the other, not the other way round */
    char seen[400];                 /* what was found last */
} search;

/* ---- files --------------------------------------------------------------------------------------------- */

static void replace(search *self, const char *why) {
    const qdri_contact *stale = &self->found;
    qdri_log("%s: a contact file of %s, process %lld on %s, is removed: %s", self->box.path, stale->name,
             (long long)stale->pid, stale->host, why);
    snprintf(self->seen, sizeof self->seen, "a stale file of %.63s, process %lld on %.64s, which was removed",
             stale->name, (long long)stale->pid, stale->host);
    qdri_mailbox_remove(&self->box, stale->token);
    self->silent_since = self->next_look = 0;
}

static qdr_status publish(search *self) {
    QDRI_TRY(qdri_mailbox_publish(&self->box));
    if (!self->box.published) {
        self->next_look = 0; /* another was faster: there is something to read */
    } else if (!*self->seen) {
        snprintf(self->seen, sizeof self->seen, "no file but its own");
    }
    return QDR_OK;
}

static qdr_status fail_busy(const search *self) {
    return qdri_fail(QDR_ERR_BUSY, "%s: there is another %s already, process %lld on %s, which waits for %s",
                     self->box.path, self->found.name, (long long)self->found.pid, self->found.host,
                     self->found.peer);
}

static qdr_status call(search *self) {
    QDRI_TRY(qdri_address_read(self->found.address, (int)self->found.port, &self->address));
    self->call.secret = self->found.token;
    self->call.purpose = QDRI_CONTROL;
    self->call.only_knocks = strcmp(self->found.name, self->box.own.name) == 0;
    qdri_call_begin(self->bridge, &self->call, &self->address);
    return QDR_OK;
}

/* A file that is not this program's own. */
static qdr_status consider(search *self, const qdri_contact *contact) {
    const qdri_contact *own = &self->box.own;
    int is_peer = strcmp(contact->name, own->peer) == 0 && strcmp(contact->peer, own->name) == 0;
    int is_twin = strcmp(contact->name, own->name) == 0 && strcmp(contact->peer, own->peer) == 0;
    if (!is_peer && !is_twin)
        return qdri_fail(QDR_ERR_SYNTAX, "%s: it is of %s and %s; expected %s and %s", self->box.path,
                         contact->name, contact->peer, own->peer, own->name);
    if (!qdri_same_secret(contact->token, self->found.token)) self->silent_since = 0;
    self->found = *contact;
    self->process = qdri_contact_process(contact, self->box.is_local);
    int is_self = self->process == QDRI_PROCESS_RUNS && contact->pid == own->pid;
    if (self->process == QDRI_PROCESS_ENDED || (is_twin && is_self)) {
        replace(self, is_self ? "it was left behind by this process" : "that process has ended");
        return QDR_OK;
    }
    if (is_twin && self->process == QDRI_PROCESS_RUNS) return fail_busy(self);
    return call(self);
}

static qdr_status look(search *self) {
    qdri_contact contact;
    int there = 0;
    QDRI_TRY(qdri_mailbox_look(&self->box, &there, &contact));
    if (!there) return publish(self);
    /* Also when publishing seemed to fail: where files are far away, the answer may have been lost. */
    self->box.published = qdri_same_secret(contact.token, self->box.own.token);
    return self->box.published ? QDR_OK : consider(self, &contact);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static void out_of_reach(search *self) {
    const qdri_contact *found = &self->found;
    snprintf(self->seen, sizeof self->seen,
             "a file of %.63s, process %lld on %.64s, which is not among the processes seen from here and "
             "listens on %.48s; give both programs an address, or remove the file if that one is gone",
             found->name, (long long)found->pid, found->host, found->address);
    if (self->silent_since == 0) qdri_log("%s: there is %s", self->box.path, self->seen);
    if (self->silent_since == 0) self->silent_since = qdri_seconds();
}

static qdr_status call_failed(search *self, double now) {
    const qdri_bridge_call *call = &self->call;
    const qdri_contact *found = &self->found;
    const char *why = qdri_call_reason(call);
    snprintf(self->seen, sizeof self->seen,
             "a file of %.63s, process %lld on %.64s, but no answer at %.48s port %lld: %.80s", found->name,
             (long long)found->pid, found->host, found->address, (long long)found->port, why);
    if (qdri_call_was_impossible(call))
        return qdri_fail(QDR_ERR_FILE, "no connection to %s, process %lld on %s, can be made: %s",
                         found->name, (long long)found->pid, found->host, why);
    if (call->refusal == QDRI_ORDER) /* which is proven */
        return qdri_fail(QDR_ERR_INVALID, "coupling with %s, process %lld on %s, is impossible: %s",
                         found->name, (long long)found->pid, found->host, why);
    if (self->process == QDRI_PROCESS_ELSEWHERE && qdri_address_is_loopback(&self->address)) {
        out_of_reach(self);
        return QDR_OK;
    }
    /* A door that is crowded closes connections; so somebody is there. */
    int is_closed = call->code == 0 || call->code == ECONNRESET || call->code == EPIPE;
    int is_silent = call->refusal ? self->process == QDRI_PROCESS_ELSEWHERE : !is_closed;
    if (self->silent_since == 0) self->silent_since = now;
    if (is_silent && now - self->silent_since >= patience) replace(self, "nobody answers where it says");
    return QDR_OK;
}

/* Whoever was called and answers, or whoever called. */
static qdr_status attend(search *self, int *file) {
    double now = qdri_seconds();
    qdri_call_look(&self->call, now);
    if (self->call.stage == QDRI_CALL_FAILED) {
        qdri_call_close(&self->call);
        QDRI_TRY(call_failed(self, now));
    } else if (self->call.stage == QDRI_CALL_THROUGH) {
        if (self->call.only_knocks) return fail_busy(self);
        *file = self->call.file;
        self->call.file = -1;
        self->called = 1;
        qdri_session_make(&self->call.shake, self->call.secret, self->bridge->session);
    } else if (self->point.file >= 0) {
        *file = self->point.file;
        qdri_session_make(&self->point.shake, self->point.token, self->bridge->session);
    } else if (self->point.odd) {
        return qdri_fail(QDR_ERR_INVALID, "%s came, but coupling with it is impossible: %s",
                         self->box.own.peer, qdri_refusal_text(self->point.odd));
    }
    return QDR_OK;
}

static qdr_status fail_alone(const search *self, double since) {
    const qdri_bridge *bridge = self->bridge;
    char strangers[80] = "";
    if (bridge->door.refused > 0)
        snprintf(strangers, sizeof strangers, "; %lld strangers were refused",
                 (long long)bridge->door.refused);
    return qdri_fail(QDR_ERR_STALLED,
                     "%s did not come before the deadline: in %.1f s, %s looked for %s and found %s%s",
                     self->box.own.peer, qdri_seconds() - since, self->box.own.name, self->box.path,
                     *self->seen ? self->seen : "nothing", strangers);
}

/* Until the other is there, or the deadline. */
static qdr_status seek(search *self, double deadline, int *file) {
    double since = qdri_seconds();
    qdr_status status = QDR_OK;
    while (!status && *file < 0) {
        double now = qdri_seconds();
        if (deadline > 0 && now > deadline) return fail_alone(self, since);
        if (self->call.stage == QDRI_CALL_NONE && now >= self->next_look) {
            self->next_look = now + between_looks;
            status = look(self);
            /* Files need descriptors, and newcomers make way for them. */
            while (status == QDR_ERR_FILE && qdri_door_make_way(self->bridge)) status = look(self);
        }
        if (!status) {
            qdri_bridge_poll(self->bridge, 5);
            qdri_progress(NULL);
            if (self->bridge->failed) return qdri_fail(self->bridge->failed, "%s", self->bridge->sentence);
            status = attend(self, file);
        }
    }
    return status;
}

/* ---- the meeting --------------------------------------------------------------------------------------- */

static qdr_status prepare(search *self, const qdri_bridge_request *request, int own_ranks) {
    qdri_bridge *bridge = self->bridge;
    qdri_contact own = {.ranks = own_ranks, .port = qdri_address_port(&bridge->own.address)};
    snprintf(own.name, sizeof own.name, "%s", request->name);
    snprintf(own.peer, sizeof own.peer, "%s", request->peer);
    qdri_address_text(&bridge->own.address, own.address, sizeof own.address);
    qdri_contact_introduce(&own);
    QDRI_TRY(qdri_secret_bytes(own.token, sizeof own.token));
    QDRI_TRY(qdri_mailbox_open(request->directory, &own, &self->box));
    memcpy(self->point.token, own.token, sizeof own.token);
    bridge->meeting = &self->point;
    return QDR_OK;
}

static void describe(const search *self, qdri_acquaintance *known) {
    const qdri_bridge *bridge = self->bridge;
    const qdri_contact *contact = self->called ? &self->found : &self->box.own;
    snprintf(known->how, sizeof known->how,
             "%s (%d ranks) and %s (%d ranks) over TCP: %s listened on %s port %lld, round trip %.0f us",
             bridge->name[0], bridge->ranks[0], bridge->name[1], bridge->ranks[1], contact->name,
             contact->address, (long long)contact->port, 1e6 * known->latency);
}

qdr_status qdri_bridge_meet(qdri_bridge *bridge, const qdri_bridge_request *request, int own_ranks,
                            const unsigned char *endpoints, qdri_acquaintance *known,
                            unsigned char **far_endpoints, int *file) {
    search *self = calloc(1, sizeof *self);
    int met = -1;
    if (!self) return qdri_fail_memory();
    self->bridge = bridge;
    self->point.file = self->call.file = -1;
    qdr_status status = prepare(self, request, own_ranks);
    if (!status) status = seek(self, request->deadline, &met);
    if (met >= 0) {
        qdri_bridge_unwatch(bridge, met);
        status = qdri_acquaint(bridge, met, self->called, request, endpoints, known, far_endpoints);
    }
    if (!status) {
        memcpy(known->session, bridge->session, sizeof known->session);
        describe(self, known);
        *file = met;
    } else if (met >= 0) {
        close(met);
    }
    /* Who came while this side was calling, or failing, need not wait. */
    if (self->point.file >= 0 && self->point.file != met) close(self->point.file);
    qdri_mailbox_withdraw(&self->box);
    qdri_call_close(&self->call);
    bridge->meeting = NULL;
    free(self);
    return status;
}
