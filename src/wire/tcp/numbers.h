/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in messages: the lowest byte first, whatever the machine. */
#ifndef QDRI_TCP_NUMBERS_H
#define QDRI_TCP_NUMBERS_H

#include <stdint.h>

static inline void qdri_number_write(unsigned char *place, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) place[i] = (unsigned char)(number >> 8 * i);
}

static inline uint64_t qdri_number_read(const unsigned char *place, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) number |= (uint64_t)place[i] << 8 * i;
    return number;
}

#endif
