/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as bytes: see number.h. */
#include "base/number.h"

int qdri_number_write(uint64_t number, unsigned char *bytes) {
    int count = 0;
    for (; number >= 0x80; number >>= 7) bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    return count;
}

int qdri_number_read(const unsigned char *bytes, int64_t left, uint64_t *number) {
    *number = 0;
    for (int i = 0; i < QDRI_LONGEST_NUMBER && i < left; i++) {
        unsigned char byte = bytes[i];
        if (i == QDRI_LONGEST_NUMBER - 1 && byte > 1) return 0;
        *number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte & 0x80) continue;
        return i > 0 && byte == 0 ? 0 : i + 1; /* a shorter spelling exists */
    }
    return 0;
}
