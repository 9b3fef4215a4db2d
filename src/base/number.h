/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole numbers in as few bytes as they need: seven bits at a time, the lowest first, the top bit set in all but the last byte.
 * So they have no byte order, and each number has one spelling.
 */
#ifndef QDRI_NUMBER_H
#define QDRI_NUMBER_H

#include <stdint.h>

enum { QDRI_LONGEST_NUMBER = 10 }; /* in bytes */

/* Writes it, and returns how many bytes it took. */
int qdri_number_write(uint64_t number, unsigned char *bytes);

/* Reads one, of at most `left` bytes, and returns how many it took; 0: there is none, or it has a shorter spelling. */
int qdri_number_read(const unsigned char *bytes, int64_t left, uint64_t *number);

#endif
