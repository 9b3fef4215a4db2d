/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of the command: splitmix64, the same on every machine. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

typedef struct random_stream {
    uint64_t state;
} random_stream;

static inline random_stream random_seed(uint64_t seed) {
    random_stream random = {seed * UINT64_C(0xd1342543de82ef95) + 1};
    return random;
}

static inline uint64_t random_word(random_stream *random) {
    uint64_t word = random->state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* Uniform in [0, 1). */
static inline double random_real(random_stream *random) {
    return (double)(random_word(random) >> 11) * 0x1p-53;
}

#endif
