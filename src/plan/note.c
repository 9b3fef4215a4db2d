/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes, packed: see note.h. */
#include "plan/note.h"

/* ---- about so many ------------------------------------------------------------------------------------- */

/* Ten bits of a value behind its first one, and above them its magnitude; values below 2^10 as they are. Nothing is
 * beyond 2^62, so that whoever is told of it can add to it. */
enum { DIGITS = 10, ONE = 1 << DIGITS, MOST_SHIFT = 62 - DIGITS - 1 };

static uint16_t pack_about(int64_t value) {
    if (value < 0) return 0;
    if (value > INT64_MAX / 2) value = INT64_MAX / 2;
    int shift = 0;
    while (value >> shift >= 2 * ONE) shift++;
    if (value < ONE) return (uint16_t)value;
    return (uint16_t)((shift + 1) << DIGITS | (int)(value >> shift & (ONE - 1)));
}

/* Whatever comes is something: beyond all magnitudes there is the largest. */
static int64_t unpack_about(uint16_t packed) {
    int digits = packed & (ONE - 1), shift = (packed >> DIGITS) - 1;
    if (shift < 0) return digits;
    if (shift > MOST_SHIFT) shift = MOST_SHIFT;
    return (int64_t)(ONE | digits) << shift;
}

int64_t qdri_note_about(int64_t value) {
    return unpack_about(pack_about(value));
}

/* ---- exactly so many ----------------------------------------------------------------------------------- */

static void split(int64_t value, uint32_t half[2]) {
    half[0] = (uint32_t)((uint64_t)value & UINT32_MAX);
    half[1] = (uint32_t)((uint64_t)value >> 32);
}

static int64_t join(const uint32_t half[2]) {
    return (int64_t)((uint64_t)half[1] << 32 | half[0]);
}

/* The number next to another one that has this lower half. */
static int64_t near_by(int64_t number, uint32_t lower) {
    return number + (int32_t)(lower - (uint32_t)((uint64_t)number & UINT32_MAX));
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

qdri_packed_note qdri_note_pack(const qdri_note *note) {
    qdri_packed_note packed = {.plan = (uint32_t)((uint64_t)note->plan & UINT32_MAX),
                               .exchange = (uint32_t)((uint64_t)note->exchange & UINT32_MAX),
                               .about = {pack_about(note->load), pack_about(note->load_left),
                                         pack_about(note->promise), pack_about(note->word.window),
                                         pack_about(note->word.ceiling), pack_about(note->word.best)}};
    split(note->offset, packed.offset);
    split((int64_t)((uint64_t)note->bytes << 16 | ((uint64_t)note->kind & UINT16_MAX)), packed.bytes);
    return packed;
}

qdri_note qdri_note_unpack(const qdri_packed_note *packed, int64_t plan, int64_t exchange) {
    int64_t bytes_and_kind = join(packed->bytes);
    return (qdri_note){.plan = near_by(plan, packed->plan),
                       .exchange = near_by(exchange, packed->exchange),
                       .kind = (int16_t)(bytes_and_kind & UINT16_MAX),
                       .offset = join(packed->offset),
                       .bytes = bytes_and_kind >> 16,
                       .load = unpack_about(packed->about[0]),
                       .load_left = unpack_about(packed->about[1]),
                       .promise = unpack_about(packed->about[2]),
                       .word = {.window = unpack_about(packed->about[3]),
                                .ceiling = unpack_about(packed->about[4]),
                                .best = unpack_about(packed->about[5])}};
}
