/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three messages. Both begin with the same head: mark, version, order of bytes, nonce. The answer adds
 * what it is for and its proof, which covers hello and answer; the proof of the verdict covers all that came
 * before it and the verdict itself, under another label, so that neither can be played back as the other.
 */
#include "wire/tcp/handshake.h"

#include <string.h>

#include "base/error.h"
#include "wire/tcp/numbers.h"
#include "wire/tcp/contact.h"

enum { MARK = 8, VERSION_AT = 8, ORDER_AT = 12, NONCE_AT = 16, HEAD = 48, PURPOSE_AT = 48, PROOF_AT = 64 };
enum { LITTLE = 1, BIG = 2 };
static const unsigned char mark[MARK] = {'q', 'd', 'r', 'b', 'r', 'i', 'd', 'g'};

const char *qdri_refusal_text(qdri_refusal refusal) {
    static const char *const text[QDRI_REFUSALS] = {
        "accepted",
        "what answers there is not a bridge",
        "the two programs have different versions of the library",
        "the proof of the token is wrong",
        "the two programs run on machines with different orders of bytes",
        "nobody waits for it there",
    };
    return (unsigned)refusal < QDRI_REFUSALS ? text[refusal] : "for an unknown reason";
}

/* ---- heads --------------------------------------------------------------------------------------------- */

static qdr_status make_head(unsigned char *head) {
    memcpy(head, mark, MARK);
    qdri_number_write(head + VERSION_AT, QDRI_CONTACT_VERSION, 4);
    qdri_number_write(head + ORDER_AT, qdri_is_big() ? BIG : LITTLE, 4);
    return qdri_secret_bytes(head + NONCE_AT, HEAD - NONCE_AT);
}

static qdri_refusal judge_head(const unsigned char *head) {
    uint64_t order = qdri_number_read(head + ORDER_AT, 4);
    if (memcmp(head, mark, MARK) != 0 || (order != LITTLE && order != BIG)) return QDRI_STRANGER;
    return qdri_number_read(head + VERSION_AT, 4) == QDRI_CONTACT_VERSION ? QDRI_ACCEPTED : QDRI_VERSION;
}

static qdri_refusal judge_order(const unsigned char *head) {
    int is_big = qdri_number_read(head + ORDER_AT, 4) == BIG;
    return is_big == qdri_is_big() ? QDRI_ACCEPTED : QDRI_ORDER;
}

/* ---- proofs -------------------------------------------------------------------------------------------- */

static void prove(const qdri_handshake *shake, const unsigned char *secret, const char *label,
                  size_t answered, unsigned char digest[QDRI_SECRET]) {
    unsigned char said[8 + QDRI_HELLO + QDRI_ANSWER + 8] = {0};
    memcpy(said, label, strlen(label));
    memcpy(said + 8, shake->hello, QDRI_HELLO);
    memcpy(said + 8 + QDRI_HELLO, shake->answer, answered);
    if (answered == QDRI_ANSWER) memcpy(said + 8 + QDRI_HELLO + QDRI_ANSWER, shake->verdict, 8);
    qdri_hmac(secret, QDRI_SECRET, said, sizeof said, digest);
}

static int is_proven(const qdri_handshake *shake, const unsigned char *secret, const char *label,
                     size_t answered, const unsigned char *proof) {
    unsigned char digest[QDRI_SECRET];
    prove(shake, secret, label, answered, digest);
    return qdri_same_secret(digest, proof);
}

/* ---- the messages -------------------------------------------------------------------------------------- */

qdr_status qdri_hello_make(qdri_handshake *shake) {
    return make_head(shake->hello);
}

qdri_refusal qdri_hello_judge(const qdri_handshake *shake) {
    return judge_head(shake->hello);
}

qdr_status qdri_answer_make(qdri_handshake *shake, const unsigned char *secret, qdri_purpose purpose,
                            int from, int to) {
    unsigned char *answer = shake->answer;
    QDRI_TRY(make_head(answer));
    memset(answer + PURPOSE_AT, 0, PROOF_AT - PURPOSE_AT);
    qdri_number_write(answer + PURPOSE_AT, purpose, 4);
    qdri_number_write(answer + PURPOSE_AT + 4, (uint32_t)from, 4);
    qdri_number_write(answer + PURPOSE_AT + 8, (uint32_t)to, 4);
    prove(shake, secret, "connect", PROOF_AT, answer + PROOF_AT);
    return QDR_OK;
}

int qdri_answer_read(const qdri_handshake *shake, qdri_purpose *purpose, int *from, int *to) {
    const unsigned char *answer = shake->answer;
    uint64_t asked = qdri_number_read(answer + PURPOSE_AT, 4);
    uint64_t rank = qdri_number_read(answer + PURPOSE_AT + 4, 4),
             other = qdri_number_read(answer + PURPOSE_AT + 8, 4);
    if (judge_head(answer) == QDRI_STRANGER || (asked != QDRI_CONTROL && asked != QDRI_LINK) ||
        rank >= QDRI_MOST_RANKS || other >= QDRI_MOST_RANKS)
        return 0;
    *purpose = (qdri_purpose)asked;
    *from = (int)rank;
    *to = (int)other;
    return 1;
}

qdri_refusal qdri_answer_judge(const qdri_handshake *shake, const unsigned char *secret) {
    qdri_refusal refusal = judge_head(shake->answer);
    if (refusal) return refusal;
    if (!is_proven(shake, secret, "connect", PROOF_AT, shake->answer + PROOF_AT)) return QDRI_UNPROVEN;
    return judge_order(shake->answer);
}

void qdri_verdict_make(qdri_handshake *shake, const unsigned char *secret, qdri_refusal refusal) {
    memset(shake->verdict, 0, QDRI_VERDICT);
    qdri_number_write(shake->verdict, refusal, 4);
    if (secret) prove(shake, secret, "accept", QDRI_ANSWER, shake->verdict + 8);
}

/* Who does not know the secret cannot prove that he does not; but what makes two programs impossible to couple
 * must be proven, since anybody may listen where one of them listened once. */
qdri_refusal qdri_verdict_judge(const qdri_handshake *shake, const unsigned char *secret) {
    uint64_t refusal = qdri_number_read(shake->verdict, 4);
    int proven = is_proven(shake, secret, "accept", QDRI_ANSWER, shake->verdict + 8);
    if (refusal == QDRI_ACCEPTED) return proven ? judge_order(shake->hello) : QDRI_UNPROVEN;
    if (refusal == QDRI_UNPROVEN || refusal == QDRI_UNEXPECTED) return (qdri_refusal)refusal;
    return proven && refusal == QDRI_ORDER ? QDRI_ORDER : QDRI_STRANGER;
}

void qdri_session_make(const qdri_handshake *shake, const unsigned char *secret,
                       unsigned char session[QDRI_SECRET]) {
    prove(shake, secret, "session", PROOF_AT, session);
}
