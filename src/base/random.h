/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every machine: a schedule or pattern is its seed. The generator is
 * xoshiro256++ (Blackman and Vigna, public domain reference), seeded through splitmix64. */
#ifndef QDRI_RANDOM_H
#define QDRI_RANDOM_H

#include <stdint.h>

typedef struct qdri_random {
    uint64_t word[4];
} qdri_random;

/* One well-mixed word from one word (splitmix64's finaliser): hashing, and independent streams. */
static inline uint64_t qdri_mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline qdri_random qdri_random_seed(uint64_t seed) {
    qdri_random random;
    for (int i = 0; i < 4; i++) {
        random.word[i] = qdri_mix(seed);
        seed += UINT64_C(0x9e3779b97f4a7c15);
    }
    return random;
}

static inline uint64_t qdri_random_next(qdri_random *random) {
    uint64_t *s = random->word;
    uint64_t sum = s[0] + s[3];
    uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform in 0..limit-1 for 1 <= limit <= 2^32, by multiplication; the bias is below 2^-32. */
static inline uint32_t qdri_random_below(qdri_random *random, uint64_t limit) {
    return (uint32_t)(((qdri_random_next(random) >> 32) * limit) >> 32);
}

/* Uniform in [0, 1). */
static inline double qdri_random_real(qdri_random *random) {
    return (double)(qdri_random_next(random) >> 11) * 0x1p-53;
}

/* Uniform in low..high, both included. */
static inline int64_t qdri_random_between(qdri_random *random, int64_t low, int64_t high) {
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    uint64_t word = qdri_random_next(random);
    return (int64_t)((uint64_t)low + (span ? word % span : word));
}

static inline void qdri_random_shuffle(qdri_random *random, int *value, int64_t count) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)qdri_random_between(random, 0, i);
        int kept = value[i];
        value[i] = value[j];
        value[j] = kept;
    }
}

#endif
