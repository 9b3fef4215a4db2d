/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two roots that have proven themselves tell each other their names, ranks and tags, then where each of their
 * ranks listens, then measure how long a word takes: there and back a few times, of which the median counts.
 * Every message has a length that is known before it comes, bounded by the number of ranks, and a deadline.
 * Both sides send and receive at once, so no length makes them wait for each other.
 *
 * Wherever one of them may have failed, they compare how they fare. Whoever has failed comes there like the
 * other, so both always know what comes next, and both fail with the same status and the same sentence.
 */
#include "wire/tcp/acquaint.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/tcp/numbers.h"

enum { INTRODUCTION = 96, NAME_AT = 16, ROUNDS = 9, WORD = 8 };
static const double patience = 30; /* seconds, for all of it */

static qdr_status fail_lost(const qdri_talk *self, const char *how) {
    return qdri_fail(QDR_ERR_PEER, "%s came, but was lost before the two were connected: %s",
                     qdri_bridge_far_name(self->bridge), how);
}

/* True when something has moved. */
static int move(int file, const char *out, int64_t *out_left, int64_t out_bytes, char *in, int64_t *in_left,
                int64_t in_bytes, int *ended) {
    int64_t before = *out_left + *in_left;
    if (*out_left > 0) {
        ssize_t more = send(file, out + (out_bytes - *out_left), (size_t)*out_left, MSG_NOSIGNAL);
        if (more > 0) *out_left -= more;
        if (more < 0 && errno != EAGAIN && errno != EINTR) *ended = 1;
    }
    if (*in_left > 0) {
        ssize_t more = recv(file, in + (in_bytes - *in_left), (size_t)*in_left, 0);
        if (more > 0) *in_left -= more;
        if (more == 0 || (more < 0 && errno != EAGAIN && errno != EINTR)) *ended = 1;
    }
    return *out_left + *in_left < before;
}

/* Sends and receives so many bytes. */
static qdr_status swap(const qdri_talk *self, const void *out, int64_t out_bytes, void *in,
                       int64_t in_bytes) {
    int64_t out_left = out_bytes, in_left = in_bytes;
    int ended = 0;
    while (out_left > 0 || in_left > 0) {
        if (move(self->file, out, &out_left, out_bytes, in, &in_left, in_bytes, &ended)) continue;
        if (ended) return fail_lost(self, "it closed the connection");
        if (qdri_seconds() > self->deadline) return fail_lost(self, "it was silent for too long");
        struct pollfd file = {.fd = self->file,
                              .events = (short)((in_left > 0 ? POLLIN : 0) | (out_left > 0 ? POLLOUT : 0))};
        if (poll(&file, 1, 2) == 0) {
            if (!self->bridge->wire) qdri_bridge_poll(self->bridge, 0); /* else its wire does */
            qdri_progress(NULL);
        }
    }
    return QDR_OK;
}

/* ---- outcomes ------------------------------------------------------------------------------------------ */

void qdri_outcome_note(qdri_outcome *outcome, const char *program, qdr_status status) {
    outcome->status = status;
    if (status) snprintf(outcome->sentence, sizeof outcome->sentence, "%s: %s", program, qdr_error_message());
}

qdr_status qdri_talk_compare(const qdri_talk *talk, qdri_outcome *outcome) {
    enum { BYTES = 16 + sizeof outcome->sentence };
    unsigned char own[BYTES] = {0}, other[BYTES];
    qdri_number_write(own, (uint64_t)outcome->status, 8);
    qdri_number_write(own + 8, (uint64_t)outcome->missing, 8);
    if (outcome->status) memcpy(own + 16, outcome->sentence, sizeof outcome->sentence);
    QDRI_TRY(swap(talk, own, BYTES, other, BYTES));
    int64_t status = (int64_t)qdri_number_read(other, 8), missing = (int64_t)qdri_number_read(other + 8, 8);
    qdri_teller sender = {qdri_bridge_far_name(talk->bridge), 0};
    if (status) QDRI_TRY(qdri_decode_failure(sender, status));
    QDRI_TRY(qdri_decode_word(sender, "number of missing links", missing, 0, QDRI_MOST_RANKS));
    outcome->missing += missing;
    if (!status || (outcome->status && talk->bridge->side == 0)) return QDR_OK;
    outcome->status = (qdr_status)status;
    memcpy(outcome->sentence, other + 16, sizeof outcome->sentence);
    qdri_decode_text(outcome->sentence, sizeof outcome->sentence);
    return QDR_OK;
}

/* ---- introductions ------------------------------------------------------------------------------------- */

static qdr_status introduce(const qdri_talk *self, const qdri_bridge_request *request, int64_t own_ranks,
                            qdri_acquaintance *known) {
    unsigned char own[INTRODUCTION] = {0}, other[INTRODUCTION];
    int own_spans = qdri_tag_spans();
    qdri_number_write(own, (uint64_t)own_ranks, 8);
    qdri_number_write(own + 8, (uint64_t)own_spans, 8);
    memcpy(own + NAME_AT, request->name, strlen(request->name));
    QDRI_TRY(swap(self, own, sizeof own, other, sizeof other));
    int64_t ranks = (int64_t)qdri_number_read(other, 8), spans = (int64_t)qdri_number_read(other + 8, 8);
    qdri_teller sender = {request->peer, 0};
    char *name = (char *)other + NAME_AT;
    qdri_decode_text(name, sizeof other - NAME_AT);
    if (strcmp(name, request->peer) != 0)
        return qdri_fail(QDR_ERR_INVALID, "the program that came is '%.64s'; expected %s", name,
                         request->peer);
    QDRI_TRY(qdri_decode_word(sender, "number of ranks", ranks, 1, QDRI_MOST_RANKS));
    QDRI_TRY(qdri_decode_word(sender, "number of spans of tags", spans, 1, INT32_MAX));
    known->ranks = ranks;
    known->tag_spans = spans < own_spans ? spans : own_spans;
    return QDR_OK;
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Whoever called measures, and tells the other. */
static qdr_status measure(const qdri_talk *self, int called, double *latency) {
    unsigned char word[WORD] = {0};
    int64_t nanoseconds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double begin = qdri_seconds();
        if (called) QDRI_TRY(swap(self, word, WORD, NULL, 0));
        QDRI_TRY(swap(self, NULL, 0, word, WORD));
        if (!called) QDRI_TRY(swap(self, word, WORD, NULL, 0));
        nanoseconds[i] = (int64_t)(1e9 * (qdri_seconds() - begin));
    }
    qsort(nanoseconds, ROUNDS, sizeof *nanoseconds, by_size);
    qdri_number_write(word, (uint64_t)nanoseconds[ROUNDS / 2], WORD);
    QDRI_TRY(called ? swap(self, word, WORD, NULL, 0) : swap(self, NULL, 0, word, WORD));
    int64_t median = (int64_t)qdri_number_read(word, WORD);
    QDRI_TRY(qdri_decode_word((qdri_teller){qdri_bridge_far_name(self->bridge), 0},
                              "nanoseconds there and back", median, 0, (int64_t)(1e9 * patience)));
    *latency = 1e-9 * (double)median;
    return QDR_OK;
}

/* Before anything long is sent: whether both can go on. */
static qdr_status prepare(const qdri_talk *self, const qdri_bridge_request *request, int64_t own_ranks,
                          qdri_acquaintance *known, unsigned char **heard) {
    qdri_outcome outcome = {.missing = 0};
    *heard = NULL;
    qdr_status status = introduce(self, request, own_ranks, known);
    if (status == QDR_ERR_PEER) return status;
    if (!status) *heard = qdri_alloc(known->ranks, QDRI_ENDPOINT);
    if (!status && !*heard) status = qdri_fail_memory();
    qdri_outcome_note(&outcome, request->name, status);
    QDRI_TRY(qdri_talk_compare(self, &outcome));
    return outcome.status ? qdri_fail(outcome.status, "%s", outcome.sentence) : QDR_OK;
}

qdr_status qdri_acquaint(qdri_bridge *bridge, int file, int called, const qdri_bridge_request *request,
                         const unsigned char *endpoints, qdri_acquaintance *known,
                         unsigned char **far_endpoints) {
    qdri_talk self = {bridge, file, qdri_seconds() + patience};
    int64_t own_ranks = bridge->ranks[bridge->side];
    unsigned char *heard;
    if (request->deadline > 0 && request->deadline < self.deadline) self.deadline = request->deadline;
    qdr_status status = prepare(&self, request, own_ranks, known, &heard);
    if (!status)
        status = swap(&self, endpoints, own_ranks * QDRI_ENDPOINT, heard, known->ranks * QDRI_ENDPOINT);
    if (!status) status = measure(&self, called, &known->latency);
    if (status) {
        free(heard);
        return status;
    }
    bridge->ranks[1 - bridge->side] = (int)known->ranks;
    *far_endpoints = heard;
    return QDR_OK;
}
