/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letters. The first message has the length of the letter, its seal and as much of it as fits; whoever gets one that is
 * longer makes room and takes the rest, in pieces: the first is of 16 MiB at most, each further one no longer than all
 * before it. So nobody takes more memory for a length that he was told than twice what has come, and a long letter is a
 * few more messages. Messages between two ranks keep their order, so one tag is enough. When a deadline passes, MPI
 * may still use what it was given: then letters and bookkeeping stay behind, with the flight.
 *
 * The seal is a checksum of what the letter is about and, where it does not go by MPI, of all that is in it: a letter that
 * was damaged on its way, or belongs to another conversation, is not opened. What is in it is believed no more for that
 * (decode.h).
 */
#include "couple/mail.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "wire/node.h"

typedef struct head {
    int64_t bytes;
    uint64_t seal;
} head;

enum { FIRST = 4096, ROOM = FIRST - sizeof(head) };
int64_t qdri_letter_piece = 1 << 24;

/* One letter under way: its first message has a buffer of its own, its rest goes from or into the letter. */
typedef struct carrier {
    qdri_letter *letter;
    const qdri_mail *mail;
    qdri_flight_leg *first, *rest;
    char *buffer; /* [FIRST] */
    head head;
    int64_t moved; /* bytes of the letter that have gone, or come */
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

/* ---- pieces and seals ---------------------------------------------------------------------------------- */

/* The next piece of a letter of which so many bytes have moved. */
static int64_t next_piece(int64_t moved, int64_t bytes) {
    return qdri_smaller(moved < qdri_letter_piece ? qdri_letter_piece : moved, bytes - moved);
}

static uint64_t seal_of(const qdri_mail *mail, const qdri_letter *letter) {
    uint64_t about = 0;
    for (const char *at = mail->what; *at; at++) about = qdri_mix(about + (unsigned char)*at);
    if (!qdri_wire_joins_programs(mail->wire) || qdri_space_inside(mail->space, letter->rank)) return about;
    return about ^ qdri_checksum(letter->bytes > 0 ? letter->data : "", letter->bytes);
}

static void count(const qdri_mail *mail, const qdri_letter *letter) {
    qdri_effort *effort = mail->effort;
    int messages = 1;
    for (int64_t moved = qdri_smaller(letter->bytes, ROOM); moved < letter->bytes; messages++)
        moved += next_piece(moved, letter->bytes);
    if (qdri_space_inside(mail->space, letter->rank)) {
        effort->inside_messages += messages;
        effort->inside_bytes += letter->bytes;
    } else {
        effort->across_messages += messages;
        effort->across_bytes += letter->bytes;
    }
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

/* Memory for so many bytes of a letter, of which `moved` are there. */
static int make_room(carrier *self, int64_t bytes) {
    qdri_letter *letter = self->letter;
    qdri_budget *memory = &self->mail->effort->memory;
    if (!qdri_budget_take(memory, bytes - self->moved)) return 0;
    void *grown = realloc(letter->data, bytes > 0 ? (size_t)bytes : 1);
    if (grown) letter->data = grown;
    if (!grown) qdri_budget_give(memory, bytes - self->moved);
    return grown != NULL;
}

static qdr_status take_piece(carrier *self) {
    qdri_letter *letter = self->letter;
    int64_t piece = next_piece(self->moved, letter->bytes);
    if (!make_room(self, self->moved + piece)) return qdri_fail_memory();
    self->rest->is_receive = 1;
    self->rest->expected = piece;
    return qdri_receive(self->mail->wire, &self->rest->operation, letter->rank, QDRI_TAG_DELIVER,
                        (char *)letter->data + self->moved, piece);
}

static qdr_status check_seal(const carrier *self) {
    const qdri_letter *letter = self->letter;
    if (seal_of(self->mail, letter) == self->head.seal) return QDR_OK;
    qdri_teller sender = qdri_space_sender(self->mail->space, letter->rank);
    return qdri_fail(QDR_MISMATCH, "%s: a letter of %lld bytes from rank %d of %s has a broken seal",
                     self->mail->what, (long long)letter->bytes, sender.rank, sender.program);
}

/* Some of it is here: on with the rest, if there is any. */
static void go_on(carrier *self) {
    if (self->moved < self->letter->bytes) {
        qdri_flight_note(self->rest, take_piece(self));
        return;
    }
    qdr_status status = check_seal(self);
    if (status) qdri_flight_fail(self->first->flight, status);
}

static void piece_came(qdri_flight_leg *leg) {
    carrier *self = leg->context;
    self->moved += leg->expected;
    go_on(self);
}

/* The beginning of a letter, in its buffer, goes where it belongs. */
static qdr_status begin_letter(carrier *self, int64_t came) {
    qdri_letter *letter = self->letter;
    qdri_cursor cursor = {qdri_space_sender(self->mail->space, letter->rank), "a letter", self->buffer, came};
    QDRI_TRY(qdri_cursor_copy(&cursor, "its head", &self->head, sizeof self->head));
    QDRI_TRY(qdri_decode_word(cursor.sender, "bytes of a letter", self->head.bytes, 0, INT64_MAX / 2));
    int64_t begun = qdri_smaller(self->head.bytes, ROOM);
    QDRI_TRY(qdri_decode_length(cursor.sender, "the beginning of a letter", cursor.left, begun));
    if (!make_room(self, begun)) return qdri_fail_memory();
    letter->bytes = self->head.bytes;
    memcpy(letter->data, cursor.at, (size_t)begun);
    self->moved = begun;
    return QDR_OK;
}

static void open_letter(qdri_flight_leg *leg) {
    carrier *self = leg->context;
    qdr_status status = begin_letter(self, leg->operation.bytes);
    if (status)
        qdri_flight_fail(leg->flight, status);
    else
        go_on(self);
}

static void expect(carrier *self) {
    self->first->is_receive = 1;
    self->first->landing = open_letter;
    self->rest->landing = piece_came;
    self->first->context = self->rest->context = self;
    self->letter->data = NULL;
    qdri_flight_note(self->first, qdri_receive(self->mail->wire, &self->first->operation, self->letter->rank,
                                               QDRI_TAG_DELIVER, self->buffer, FIRST));
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void send_piece(carrier *self) {
    const qdri_letter *letter = self->letter;
    int64_t piece = next_piece(self->moved, letter->bytes);
    if (piece == 0 || self->rest->flight->failed) return;
    const char *begin = (const char *)letter->data + self->moved;
    self->moved += piece;
    qdri_flight_note(self->rest, qdri_send(self->mail->wire, &self->rest->operation, letter->rank,
                                           QDRI_TAG_DELIVER, begin, piece));
}

static void piece_went(qdri_flight_leg *leg) {
    send_piece(leg->context);
}

static void dispatch(carrier *self) {
    const qdri_letter *letter = self->letter;
    int64_t begun = qdri_smaller(letter->bytes, ROOM);
    self->head = (head){letter->bytes, seal_of(self->mail, letter)};
    memcpy(self->buffer, &self->head, sizeof self->head);
    if (begun > 0) memcpy(self->buffer + sizeof self->head, letter->data, (size_t)begun);
    qdri_flight_note(self->first,
                     qdri_send(self->mail->wire, &self->first->operation, letter->rank, QDRI_TAG_DELIVER,
                               self->buffer, (int64_t)sizeof self->head + begun));
    self->moved = begun;
    self->rest->landing = piece_went;
    self->rest->context = self;
    send_piece(self);
    count(self->mail, letter);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

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
