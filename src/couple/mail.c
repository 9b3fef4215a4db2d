/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letters. The first message has the length of the letter and as much of it as fits; whoever gets one that is longer
 * makes room and asks for the rest. Messages between two ranks keep their order, so one tag is enough. When a deadline
 * passes, MPI may still use what it was given: then letters and bookkeeping stay behind, with the flight.
 */
#include "couple/mail.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "wire/node.h"

enum { FIRST = 4096, ROOM = FIRST - 8 };

/* One letter under way: its first message has a buffer of its own, its rest goes from or into the letter. */
typedef struct carrier {
    qdri_letter *letter;
    const qdri_mail *mail;
    qdri_flight_leg *first, *rest;
    char *buffer; /* [FIRST] */
} carrier;

void *qdri_letter_alloc(qdri_effort *effort, int64_t bytes) {
    if (!qdri_budget_take(&effort->memory, bytes)) return NULL;
    void *data = qdri_alloc(bytes, 1);
    if (!data) qdri_budget_give(&effort->memory, bytes);
    return data;
}

void qdri_letters_free(qdri_effort *effort, int count, qdri_letter *letter) {
    for (int i = 0; i < count; i++) {
        if (letter[i].data) qdri_budget_give(&effort->memory, letter[i].bytes);
        free(letter[i].data);
        letter[i].data = NULL;
    }
}

void qdri_letters_spoil(qdri_effort *effort, int count, qdri_letter *letter) {
    qdri_letters_free(effort, count, letter);
    for (int i = 0; i < count; i++) letter[i].bytes = 0;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void count(const qdri_mail *mail, const qdri_letter *letter) {
    qdri_effort *effort = mail->effort;
    int messages = 1 + (letter->bytes > ROOM);
    if (qdri_space_inside(mail->space, letter->rank)) {
        effort->inside_messages += messages;
        effort->inside_bytes += letter->bytes;
    } else {
        effort->across_messages += messages;
        effort->across_bytes += letter->bytes;
    }
}

/* The beginning of a letter has come. */
static void open_letter(qdri_flight_leg *leg) {
    carrier *self = leg->context;
    qdri_letter *letter = self->letter;
    const qdri_mail *mail = self->mail;
    const int64_t most = INT64_C(1) << 40; /* nobody writes such a letter */
    int64_t bytes = -1;
    if (leg->operation.bytes >= 8) memcpy(&bytes, self->buffer, 8);
    if (bytes < 0 || bytes > most || leg->operation.bytes != 8 + smaller(bytes, ROOM)) {
        qdri_flight_fail(
            leg->flight,
            qdri_fail(QDR_MISMATCH,
                      "%s: a letter of %lld bytes, beginning with %lld, from rank %d of the wire", mail->what,
                      (long long)bytes, (long long)leg->operation.bytes, letter->rank));
        return;
    }
    letter->data = qdri_letter_alloc(mail->effort, bytes);
    if (!letter->data) {
        qdri_flight_fail(leg->flight, qdri_fail_memory());
        return;
    }
    letter->bytes = bytes;
    memcpy(letter->data, self->buffer + 8, (size_t)smaller(bytes, ROOM));
    if (bytes <= ROOM) return;
    self->rest->is_receive = 1;
    qdri_flight_note(self->rest, qdri_receive(mail->wire, &self->rest->operation, letter->rank,
                                              QDRI_TAG_DELIVER, (char *)letter->data + ROOM, bytes - ROOM));
}

static void expect(carrier *self) {
    self->first->is_receive = 1;
    self->first->landing = open_letter;
    self->first->context = self;
    self->letter->data = NULL;
    qdri_flight_note(self->first, qdri_receive(self->mail->wire, &self->first->operation, self->letter->rank,
                                               QDRI_TAG_DELIVER, self->buffer, FIRST));
}

static void dispatch(carrier *self) {
    const qdri_letter *letter = self->letter;
    int64_t begun = smaller(letter->bytes, ROOM);
    memcpy(self->buffer, &letter->bytes, 8);
    if (begun > 0) memcpy(self->buffer + 8, letter->data, (size_t)begun);
    qdri_flight_note(self->first, qdri_send(self->mail->wire, &self->first->operation, letter->rank,
                                            QDRI_TAG_DELIVER, self->buffer, 8 + begun));
    if (letter->bytes > ROOM && !self->first->flight->failed)
        qdri_flight_note(self->rest,
                         qdri_send(self->mail->wire, &self->rest->operation, letter->rank, QDRI_TAG_DELIVER,
                                   (char *)letter->data + ROOM, letter->bytes - ROOM));
    count(self->mail, letter);
}

/* What is for this rank itself just changes hands, in order. */
static void hand_over(int own, int sends, qdri_letter *out, int receives, qdri_letter *in) {
    for (int i = 0, k = 0; i < sends; i++) {
        if (out[i].rank != own) continue;
        while (k < receives && in[k].rank != own) k++;
        if (k == receives) return;
        in[k++] = out[i];
        out[i].data = NULL;
    }
}

/* Where there are more ranks than processors, whoever waits for letters lets those work who write them. */
static void rest_meanwhile(const qdri_mail *mail, qdri_flight *flight) {
    const double alert = 200e-6; /* seconds */
    while (qdri_node_crowded(mail->wire) && flight->under_way > 0 && !flight->failed) {
        double until = qdri_seconds() + alert;
        if (mail->deadline > 0 && until > mail->deadline) return;
        if (qdri_wait_until(mail->wire, &flight->over, until) != QDR_STALLED) return;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static qdr_status carry(const qdri_mail *mail, qdri_flight *flight, int sends, qdri_letter *out, int receives,
                        qdri_letter *in) {
    int letters = sends + receives, own = qdri_wire_rank(mail->wire);
    if (!flight) return qdri_fail_memory();
    flight->deadline = mail->deadline;
    carrier *each = QDRI_FLIGHT_ARRAY(flight, carrier, letters);
    char *buffer = QDRI_FLIGHT_SPACE(flight, char, (int64_t)letters *FIRST);
    qdri_flight_leg *leg = qdri_flight_legs(flight, 2 * (int64_t)letters);
    if (!each || !buffer || !leg) return qdri_fail_memory();
    for (int i = 0; i < letters; i++)
        each[i] = (carrier){.letter = i < receives ? &in[i] : &out[i - receives],
                            .mail = mail,
                            .first = &leg[2 * i],
                            .rest = &leg[2 * i + 1],
                            .buffer = buffer + (int64_t)i * FIRST};
    for (int i = 0; i < letters && !flight->failed; i++) {
        if (each[i].letter->rank == own) continue;
        if (i < receives)
            expect(&each[i]);
        else
            dispatch(&each[i]);
    }
    rest_meanwhile(mail, flight);
    return qdri_flight_wait(flight);
}

qdr_status qdri_mail_swap(const qdri_mail *mail, int sends, qdri_letter *out, int receives, qdri_letter *in) {
    for (int i = 0; i < receives; i++) in[i].data = NULL, in[i].bytes = 0;
    hand_over(qdri_wire_rank(mail->wire), sends, out, receives, in);
    qdri_lock(mail->wire);
    qdri_flight *flight = qdri_flight_create(mail->wire, mail->what);
    qdri_budget_take(&mail->effort->memory, (int64_t)(sends + receives) * FIRST);
    qdr_status status = carry(mail, flight, sends, out, receives, in);
    /* After a failure MPI may be in the middle of a letter: they stay with the flight, which is abandoned. */
    if (flight) qdri_flight_end(&flight);
    qdri_budget_give(&mail->effort->memory, (int64_t)(sends + receives) * FIRST);
    qdri_unlock(mail->wire);
    if (!status) qdri_letters_free(mail->effort, sends, out);
    if (status)
        for (int i = 0; i < receives; i++) in[i].data = NULL;
    return status;
}
