/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checksum of checked streams: four lanes, each of which takes every fourth word of eight bytes and
 * multiplies it in, so that four multiplications are under way at a time; at the end they are mixed
 * together with the length. It finds damage, not malice. A message without one has 0 there, so the sum
 * itself is never 0.
 */
#include <string.h>

#include "base/random.h"
#include "couple/schedule/messages.h"

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t stir(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * UINT64_C(0x9fb21c651e98df25);
    return lane ^ lane >> 29;
}

uint64_t qdri_checksum(const void *data, int64_t bytes) {
    enum { LANES = 4, WORD = 8 };
    const unsigned char *at = data, *end = at + bytes;
    uint64_t lane[LANES] = {1, 2, 3, 4};
    for (; end - at >= LANES * WORD; at += LANES * WORD)
        for (int i = 0; i < LANES; i++) lane[i] = stir(lane[i], word_at(at + i * WORD));
    for (int i = 0; at < end; i = (i + 1) % LANES) {
        unsigned char rest[WORD] = {0};
        size_t length = end - at < WORD ? (size_t)(end - at) : WORD;
        memcpy(rest, at, length);
        lane[i] = stir(lane[i], word_at(rest));
        at += length;
    }
    uint64_t sum = (uint64_t)bytes;
    for (int i = 0; i < LANES; i++) sum = qdri_mix(sum ^ lane[i]);
    return sum ? sum : 1;
}
