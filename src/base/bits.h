/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef QDRI_BITS_H
#define QDRI_BITS_H

#include <stdint.h>

/* The position of the lowest bit set; the word is not 0. */
static inline int qdri_lowest_bit(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int place = 0;
    for (; !(word & 1); word >>= 1) place++;
    return place;
#endif
}

#endif
