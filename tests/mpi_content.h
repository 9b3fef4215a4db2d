/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents for test messages: every byte is a function of a key and of its place, so that what must arrive is
 * known without having been sent. The key of a message is a mix of all that tells it from others.
 */
#ifndef MPI_CONTENT_H
#define MPI_CONTENT_H

#include <stdint.h>

#include "base/random.h"

static inline uint64_t content_key(int64_t plan, int64_t exchange, int origin, int destination) {
    return qdri_mix(qdri_mix((uint64_t)plan << 32 ^ (uint64_t)exchange) ^ (uint64_t)origin << 32 ^
                    (uint64_t)destination);
}

static inline unsigned char content_byte(uint64_t key, int64_t at) {
    return (unsigned char)((key >> 8 * (at % 8)) + (uint64_t)(at / 8));
}

static inline void content_fill(void *memory, int64_t bytes, uint64_t key) {
    unsigned char *byte = memory;
    for (int64_t i = 0; i < bytes; i++) byte[i] = content_byte(key, i);
}

/* The place of the first wrong byte; -1: there is none. */
static inline int64_t content_wrong(const void *memory, int64_t bytes, uint64_t key) {
    const unsigned char *byte = memory;
    for (int64_t i = 0; i < bytes; i++)
        if (byte[i] != content_byte(key, i)) return i;
    return -1;
}

#endif
