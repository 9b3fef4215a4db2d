/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes: the control messages of an exchange, such as grants. Where wires are busy in both directions every byte of a
 * note is missing to the data, and there is a note for every few packets: so a note is packed before it goes. What must
 * be exact stays so. What is only weighed, such as a load or a rate, goes in 16 bits and loses less than a
 * thousandth.
 */
#ifndef QDRI_NOTE_H
#define QDRI_NOTE_H

#include "plan/port.h"

/* What it means is the executor's. */
typedef struct qdri_note {
    int64_t plan, exchange; /* which it belongs to */
    int64_t kind;           /* of 16 bits */
    int64_t offset, bytes;  /* exact; the bytes below 2^47 */
    int64_t load, load_left;
    int64_t promise;     /* of bytes that may come unasked in the slot's next exchange */
    qdri_port_word word; /* what its sender found out about the network */
} qdri_note;

typedef struct qdri_packed_note {
    uint32_t plan, exchange; /* the lower halves of their numbers */
    uint32_t offset[2], bytes[2];
    uint16_t about[6];
} qdri_packed_note;

qdri_packed_note qdri_note_pack(const qdri_note *note);

/* Numbers of plans and exchanges are those next to the ones given, which have the lower halves that came. */
qdri_note qdri_note_unpack(const qdri_packed_note *packed, int64_t plan, int64_t exchange);

/* What the other end will take it for: the same, or a little less; not below 0. */
int64_t qdri_note_about(int64_t value);

#endif
