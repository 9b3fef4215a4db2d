/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that somebody knows a secret: HMAC-SHA256 (FIPS 180-4, RFC 2104), and secrets to be known. */
#ifndef QDRI_SECRET_H
#define QDRI_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "quadrille/base.h"

enum { QDRI_SECRET = 32 };

typedef struct qdri_sha {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} qdri_sha;

void qdri_sha_begin(qdri_sha *sha);
void qdri_sha_add(qdri_sha *sha, const void *data, size_t bytes);
void qdri_sha_end(qdri_sha *sha, unsigned char digest[QDRI_SECRET]);

void qdri_hmac(const void *key, size_t key_bytes, const void *data, size_t bytes,
               unsigned char digest[QDRI_SECRET]);

/* In a time that does not depend on what is in them. */
int qdri_same_secret(const unsigned char *a, const unsigned char *b);

/* Nobody can guess them. */
qdr_status qdri_secret_bytes(void *data, size_t bytes);

#endif
