/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages whose length the receiver does not know. What is sent first has the length of the message, its seal and as
 * much of it as fits; whoever gets one that is longer makes room and takes the rest, in pieces: the first is of 16 MiB at
 * most, each further one no longer than all before it. So nobody takes more memory for a length that he was told than
 * twice what has come. Between two ranks everything keeps its order, so one tag is enough. When a deadline passes, MPI
 * may still use what it was given: then messages and bookkeeping stay behind, with the flight.
 *
 * The seal is a checksum of what the message is about and, where it does not go by MPI, of all that is in it: a message that
 * was damaged on its way, or belongs to another conversation, is not opened. What is in it is believed no more for that
 * (decode.h).
 */
#include "couple/schedule/messages.h"

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
int64_t qdri_message_piece = 1 << 24;

/* One message under way: its first message has a buffer of its own, its rest goes from or into the message. */
typedef struct carrier {
    qdri_content *message;
    const qdri_conversation *conversation;
    qdri_flight_leg *first, *rest;
    char *buffer; /* [FIRST] */
    head head;
    int64_t moved; /* bytes of the message that have gone, or come */
} carrier;

void *qdri_message_alloc(qdri_effort *effort, int64_t bytes) {
    if (!qdri_budget_take(&effort->memory, bytes)) return NULL;
    void *data = qdri_alloc(bytes, 1);
    if (!data) qdri_budget_give(&effort->memory, bytes);
    return data;
}

void qdri_messages_free(qdri_effort *effort, int count, qdri_content *message) {
    for (int i = 0; i < count; i++) {
        if (message[i].data) qdri_budget_give(&effort->memory, message[i].bytes);
        free(message[i].data);
        message[i].data = NULL;
    }
}

void qdri_messages_spoil(qdri_effort *effort, int count, qdri_content *message) {
    qdri_messages_free(effort, count, message);
    for (int i = 0; i < count; i++) message[i].bytes = 0;
}

/* ---- pieces and seals ---------------------------------------------------------------------------------- */

/* The next piece of a message of which so many bytes have moved. */
static int64_t next_piece(int64_t moved, int64_t bytes) {
    return qdri_smaller(moved < qdri_message_piece ? qdri_message_piece : moved, bytes - moved);
}

static uint64_t seal_of(const qdri_conversation *conversation, const qdri_content *message) {
    uint64_t about = 0;
    for (const char *at = conversation->what; *at; at++) about = qdri_mix(about + (unsigned char)*at);
    if (!qdri_wire_joins_programs(conversation->wire) ||
        qdri_space_inside(conversation->space, message->rank))
        return about;
    return about ^ qdri_checksum(message->bytes > 0 ? message->data : "", message->bytes);
}

static void count(const qdri_conversation *conversation, const qdri_content *message) {
    qdri_effort *effort = conversation->effort;
    int messages = 1;
    for (int64_t moved = qdri_smaller(message->bytes, ROOM); moved < message->bytes; messages++)
        moved += next_piece(moved, message->bytes);
    if (qdri_space_inside(conversation->space, message->rank)) {
        effort->inside_messages += messages;
        effort->inside_bytes += message->bytes;
    } else {
        effort->across_messages += messages;
        effort->across_bytes += message->bytes;
    }
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

/* Memory for so many bytes of a message, of which `moved` are there. */
static int make_room(carrier *self, int64_t bytes) {
    qdri_content *message = self->message;
    qdri_budget *memory = &self->conversation->effort->memory;
    if (!qdri_budget_take(memory, bytes - self->moved)) return 0;
    void *grown = realloc(message->data, bytes > 0 ? (size_t)bytes : 1);
    if (grown) message->data = grown;
    if (!grown) qdri_budget_give(memory, bytes - self->moved);
    return grown != NULL;
}

static qdr_status take_piece(carrier *self) {
    qdri_content *message = self->message;
    int64_t piece = next_piece(self->moved, message->bytes);
    if (!make_room(self, self->moved + piece)) return qdri_fail_memory();
    self->rest->is_receive = 1;
    self->rest->expected = piece;
    return qdri_receive(self->conversation->wire, &self->rest->operation, message->rank, QDRI_TAG_DELIVER,
                        (char *)message->data + self->moved, piece);
}

static qdr_status check_seal(const carrier *self) {
    const qdri_content *message = self->message;
    if (seal_of(self->conversation, message) == self->head.seal) return QDR_OK;
    qdri_teller sender = qdri_space_sender(self->conversation->space, message->rank);
    return qdri_fail(QDR_ERR_MISMATCH, "%s: a message of %lld bytes from rank %d of %s has a broken seal",
                     self->conversation->what, (long long)message->bytes, sender.rank, sender.program);
}

/* Some of it is here: on with the rest, if there is any. */
static void go_on(carrier *self) {
    if (self->moved < self->message->bytes) {
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

/* The beginning of a message, in its buffer, goes where it belongs. */
static qdr_status begin_message(carrier *self, int64_t came) {
    qdri_content *message = self->message;
    qdri_cursor cursor = {qdri_space_sender(self->conversation->space, message->rank), "a message",
                          self->buffer, came};
    QDRI_TRY(qdri_cursor_copy(&cursor, "its head", &self->head, sizeof self->head));
    QDRI_TRY(qdri_decode_word(cursor.sender, "bytes of a message", self->head.bytes, 0, INT64_MAX / 2));
    int64_t begun = qdri_smaller(self->head.bytes, ROOM);
    QDRI_TRY(qdri_decode_length(cursor.sender, "the beginning of a message", cursor.left, begun));
    if (!make_room(self, begun)) return qdri_fail_memory();
    message->bytes = self->head.bytes;
    memcpy(message->data, cursor.at, (size_t)begun);
    self->moved = begun;
    return QDR_OK;
}

static void open_message(qdri_flight_leg *leg) {
    carrier *self = leg->context;
    qdr_status status = begin_message(self, leg->operation.bytes);
    if (status)
        qdri_flight_fail(leg->flight, status);
    else
        go_on(self);
}

static void expect(carrier *self) {
    self->first->is_receive = 1;
    self->first->landing = open_message;
    self->rest->landing = piece_came;
    self->first->context = self->rest->context = self;
    self->message->data = NULL;
    qdri_flight_note(self->first, qdri_receive(self->conversation->wire, &self->first->operation,
                                               self->message->rank, QDRI_TAG_DELIVER, self->buffer, FIRST));
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void send_piece(carrier *self) {
    const qdri_content *message = self->message;
    int64_t piece = next_piece(self->moved, message->bytes);
    if (piece == 0 || self->rest->flight->failed) return;
    const char *begin = (const char *)message->data + self->moved;
    self->moved += piece;
    qdri_flight_note(self->rest, qdri_send(self->conversation->wire, &self->rest->operation, message->rank,
                                           QDRI_TAG_DELIVER, begin, piece));
}

static void piece_went(qdri_flight_leg *leg) {
    send_piece(leg->context);
}

static void dispatch(carrier *self) {
    const qdri_content *message = self->message;
    int64_t begun = qdri_smaller(message->bytes, ROOM);
    self->head = (head){message->bytes, seal_of(self->conversation, message)};
    memcpy(self->buffer, &self->head, sizeof self->head);
    if (begun > 0) memcpy(self->buffer + sizeof self->head, message->data, (size_t)begun);
    qdri_flight_note(self->first,
                     qdri_send(self->conversation->wire, &self->first->operation, message->rank,
                               QDRI_TAG_DELIVER, self->buffer, (int64_t)sizeof self->head + begun));
    self->moved = begun;
    self->rest->landing = piece_went;
    self->rest->context = self;
    send_piece(self);
    count(self->conversation, message);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* What is for this rank itself just changes hands, in order. */
static void hand_over(int own, int sends, qdri_content *out, int receives, qdri_content *in) {
    for (int i = 0, k = 0; i < sends; i++) {
        if (out[i].rank != own) continue;
        while (k < receives && in[k].rank != own) k++;
        if (k == receives) return;
        in[k++] = out[i];
        out[i].data = NULL;
    }
}

/* Where there are more ranks than processors, whoever waits for messages lets those work who write them. */
static void rest_meanwhile(const qdri_conversation *conversation, qdri_flight *flight) {
    const double alert = 200e-6; /* seconds */
    while (qdri_node_crowded(conversation->wire) && flight->under_way > 0 && !flight->failed) {
        double until = qdri_seconds() + alert;
        if (conversation->deadline > 0 && until > conversation->deadline) return;
        if (qdri_wait_until(conversation->wire, &flight->over, until) != QDR_ERR_STALLED) return;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static qdr_status carry(const qdri_conversation *conversation, qdri_flight *flight, int sends,
                        qdri_content *out, int receives, qdri_content *in) {
    int messages = sends + receives, own = qdri_wire_rank(conversation->wire);
    if (!flight) return qdri_fail_memory();
    flight->deadline = conversation->deadline;
    carrier *each = QDRI_FLIGHT_ARRAY(flight, carrier, messages);
    char *buffer = QDRI_FLIGHT_SPACE(flight, char, (int64_t)messages *FIRST);
    qdri_flight_leg *leg = qdri_flight_legs(flight, 2 * (int64_t)messages);
    if (!each || !buffer || !leg) return qdri_fail_memory();
    for (int i = 0; i < messages; i++)
        each[i] = (carrier){.message = i < receives ? &in[i] : &out[i - receives],
                            .conversation = conversation,
                            .first = &leg[2 * i],
                            .rest = &leg[2 * i + 1],
                            .buffer = buffer + (int64_t)i * FIRST};
    for (int i = 0; i < messages && !flight->failed; i++) {
        if (each[i].message->rank == own) continue;
        if (i < receives)
            expect(&each[i]);
        else
            dispatch(&each[i]);
    }
    rest_meanwhile(conversation, flight);
    return qdri_flight_wait(flight);
}

qdr_status qdri_messages_swap(const qdri_conversation *conversation, int sends, qdri_content *out,
                              int receives, qdri_content *in) {
    for (int i = 0; i < receives; i++) in[i].data = NULL, in[i].bytes = 0;
    hand_over(qdri_wire_rank(conversation->wire), sends, out, receives, in);
    qdri_lock(conversation->wire);
    qdri_flight *flight = qdri_flight_create(conversation->wire, conversation->what);
    qdri_budget_take(&conversation->effort->memory, (int64_t)(sends + receives) * FIRST);
    qdr_status status = carry(conversation, flight, sends, out, receives, in);
    /* After a failure MPI may be in the middle of a message: they stay with the flight, which is abandoned. */
    if (flight) qdri_flight_end(&flight);
    qdri_budget_give(&conversation->effort->memory, (int64_t)(sends + receives) * FIRST);
    qdri_unlock(conversation->wire);
    if (!status) qdri_messages_free(conversation->effort, sends, out);
    if (status)
        for (int i = 0; i < receives; i++) in[i].data = NULL;
    return status;
}
