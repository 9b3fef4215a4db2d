/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two processes become sure of each other, in three short messages of fixed length:
 *
 *     hello     from whoever listens: who speaks, version, order of bytes, a number never used before
 *     answer    from whoever connects: the same, then what for, from which rank to which, and a proof
 *     verdict   accepted, or why not, and a proof
 *
 * A proof is an HMAC, under the secret that both know, of all that was said. The secret does not travel, and
 * what was overheard once is worth nothing later. Everything here is about bytes, not about sockets.
 */
#ifndef QDRI_HANDSHAKE_H
#define QDRI_HANDSHAKE_H

#include "quadrille/base.h"
#include "wire/tcp/secret.h"

enum { QDRI_HELLO = 48, QDRI_ANSWER = 96, QDRI_VERDICT = 40 };

typedef enum qdri_purpose { QDRI_CONTROL = 1, QDRI_LINK = 2 } qdri_purpose;

/* Why somebody is refused; 0: he is not. */
typedef enum qdri_refusal {
    QDRI_ACCEPTED,
    QDRI_STRANGER,   /* speaks something else */
    QDRI_VERSION,    /* speaks another version */
    QDRI_UNPROVEN,   /* does not know the secret */
    QDRI_ORDER,      /* has the other order of bytes */
    QDRI_UNEXPECTED, /* proven, but nobody waits for it here */
    QDRI_REFUSALS
} qdri_refusal;
const char *qdri_refusal_text(qdri_refusal refusal);

/* What was said so far, kept by both. */
typedef struct qdri_handshake {
    unsigned char hello[QDRI_HELLO], answer[QDRI_ANSWER], verdict[QDRI_VERDICT];
} qdri_handshake;

qdr_status qdri_hello_make(qdri_handshake *shake);
qdri_refusal qdri_hello_judge(const qdri_handshake *shake);

qdr_status qdri_answer_make(qdri_handshake *shake, const unsigned char *secret, qdri_purpose purpose,
                            int from, int to);
/* What it is about, not proven yet; false: it is not an answer. */
int qdri_answer_read(const qdri_handshake *shake, qdri_purpose *purpose, int *from, int *to);
qdri_refusal qdri_answer_judge(const qdri_handshake *shake, const unsigned char *secret);

void qdri_verdict_make(qdri_handshake *shake, const unsigned char *secret, qdri_refusal refusal);
/* QDRI_ORDER is always proven, the other refusals need not be. */
qdri_refusal qdri_verdict_judge(const qdri_handshake *shake, const unsigned char *secret);

/* A secret for all that follows, from this one and the handshake. */
void qdri_session_make(const qdri_handshake *shake, const unsigned char *secret,
                       unsigned char session[QDRI_SECRET]);

#endif
