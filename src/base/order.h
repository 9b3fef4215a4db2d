/* SPDX-License-Identifier: BSD-3-Clause */
/* The smaller and the larger of two numbers. */
#ifndef QDRI_ORDER_H
#define QDRI_ORDER_H

#include <stdint.h>

static inline int64_t qdri_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t qdri_larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
