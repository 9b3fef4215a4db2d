/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SHA-256 as FIPS 180-4 has it, and HMAC as RFC 2104. The constants of SHA-256 are the first bits of the
 * fractional parts of roots of primes, square roots of the first 8 and cube roots of the first 64; they are
 * computed here once, in whole numbers, by bisection: floor(2^32 cbrt(p)) is the largest x with x^3 <= 2^96
 * p. So there is no table that could be mistyped, and the test holds the result against the published
 * vectors.
 */
#include "wire/tcp/secret.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

enum { BLOCK = 64, ROUNDS = 64 };

static uint32_t first_state[8], constant[ROUNDS];
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* ---- the constants ------------------------------------------------------------------------------------- */

/* Whole numbers of 128 bits, in four words, the lowest first. */
typedef struct wide {
    uint32_t word[4];
} wide;

static wide times(wide a, uint64_t b) {
    wide product = {{0}};
    for (int half = 0; half < 2; half++) {
        uint64_t factor = half ? b >> 32 : b & UINT32_MAX, carry = 0;
        for (int i = half; i < 4; i++) {
            carry += factor * a.word[i - half] + product.word[i];
            product.word[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

static int above(wide a, wide b) {
    for (int i = 3; i >= 0; i--)
        if (a.word[i] != b.word[i]) return a.word[i] > b.word[i];
    return 0;
}

/* The first 32 bits behind the point of the square root (power 2) or cube root (3) of a small prime. */
static uint32_t root_fraction(unsigned prime, int power) {
    wide limit = {{0}};
    limit.word[power] = prime; /* 2^(32 power) prime */
    uint64_t low = 0, high = UINT64_C(1) << 37;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        wide raised = {{1}};
        for (int i = 0; i < power; i++) raised = times(raised, middle);
        if (above(raised, limit))
            high = middle;
        else
            low = middle;
    }
    return (uint32_t)low;
}

static int is_prime(unsigned number) {
    for (unsigned divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0) return 0;
    return 1;
}

static void prepare(void) {
    unsigned prime = 2;
    for (int i = 0; i < ROUNDS; prime++) {
        if (!is_prime(prime)) continue;
        if (i < 8) first_state[i] = root_fraction(prime, 2);
        constant[i++] = root_fraction(prime, 3);
    }
}

/* ---- SHA-256 ------------------------------------------------------------------------------------------- */

static uint32_t turn(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t word[ROUNDS]) {
    for (int i = 0; i < 16; i++)
        word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t early = word[i - 15], late = word[i - 2];
        word[i] = word[i - 16] + (turn(early, 7) ^ turn(early, 18) ^ early >> 3) + word[i - 7] +
                  (turn(late, 17) ^ turn(late, 19) ^ late >> 10);
    }
}

static void compress(uint32_t state[8], const unsigned char *block) {
    uint32_t word[ROUNDS], s[8];
    expand(block, word);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + constant[i] + word[i];
        uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

void qdri_sha_begin(qdri_sha *sha) {
    pthread_once(&prepared, prepare);
    memcpy(sha->state, first_state, sizeof sha->state);
    sha->bytes = 0;
}

void qdri_sha_add(qdri_sha *sha, const void *data, size_t bytes) {
    const unsigned char *byte = data;
    while (bytes > 0) {
        size_t used = sha->bytes % BLOCK, part = BLOCK - used < bytes ? BLOCK - used : bytes;
        memcpy(sha->block + used, byte, part);
        sha->bytes += part;
        if (used + part == BLOCK) compress(sha->state, sha->block);
        byte += part;
        bytes -= part;
    }
}

void qdri_sha_end(qdri_sha *sha, unsigned char digest[QDRI_SECRET]) {
    static const unsigned char padding[BLOCK] = {0x80};
    unsigned char length[8];
    uint64_t bits = 8 * sha->bytes;
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    size_t used = sha->bytes % BLOCK;
    qdri_sha_add(sha, padding, (used < BLOCK - 8 ? BLOCK - 8 : 2 * BLOCK - 8) - used);
    qdri_sha_add(sha, length, sizeof length);
    for (int i = 0; i < QDRI_SECRET; i++)
        digest[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- secrets ------------------------------------------------------------------------------------------- */

void qdri_hmac(const void *key, size_t key_bytes, const void *data, size_t bytes,
               unsigned char digest[QDRI_SECRET]) {
    unsigned char inner[BLOCK] = {0}, outer[BLOCK];
    qdri_sha sha;
    if (key_bytes > BLOCK) {
        qdri_sha_begin(&sha);
        qdri_sha_add(&sha, key, key_bytes);
        qdri_sha_end(&sha, inner);
    } else if (key_bytes > 0) {
        memcpy(inner, key, key_bytes);
    }
    for (int i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    qdri_sha_begin(&sha);
    qdri_sha_add(&sha, inner, BLOCK);
    qdri_sha_add(&sha, data, bytes);
    qdri_sha_end(&sha, digest);
    qdri_sha_begin(&sha);
    qdri_sha_add(&sha, outer, BLOCK);
    qdri_sha_add(&sha, digest, QDRI_SECRET);
    qdri_sha_end(&sha, digest);
}

int qdri_same_secret(const unsigned char *a, const unsigned char *b) {
    unsigned char differing = 0;
    for (int i = 0; i < QDRI_SECRET; i++) differing |= a[i] ^ b[i];
    return differing == 0;
}

qdr_status qdri_secret_bytes(void *data, size_t bytes) {
    for (size_t got = 0; got < bytes;) {
        ssize_t more = getrandom((char *)data + got, bytes - got, 0);
        if (more < 0 && errno != EINTR)
            return qdri_fail(QDR_ERR_FILE, "the system has no random bytes: %s", strerror(errno));
        if (more > 0) got += (size_t)more;
    }
    return QDR_OK;
}
