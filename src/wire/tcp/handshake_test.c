/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three messages: who knows the secret is accepted, whoever changes one bit anywhere is not, nor who
 * plays back what he has heard. Frames and endpoints: what is written is read, and garbage is refused.
 */
#include "wire/tcp/handshake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "wire/tcp/inside.h"

static const unsigned char secret[QDRI_SECRET] = "a secret that both of them know", wrong[QDRI_SECRET] = "x";

static void answer(qdri_handshake *shake, const unsigned char *with) {
    assert_int_equal(qdri_hello_make(shake), QDR_OK);
    assert_int_equal(qdri_hello_judge(shake), QDRI_ACCEPTED);
    assert_int_equal(qdri_answer_make(shake, with, QDRI_LINK, 7, 9), QDR_OK);
}

static void who_knows_is_accepted(void **state) {
    qdri_handshake shake;
    qdri_purpose purpose;
    unsigned char one[QDRI_SECRET], two[QDRI_SECRET];
    int from, to;
    (void)state;
    answer(&shake, secret);
    assert_true(qdri_answer_read(&shake, &purpose, &from, &to));
    assert_true(purpose == QDRI_LINK && from == 7 && to == 9);
    assert_int_equal(qdri_answer_judge(&shake, secret), QDRI_ACCEPTED);
    qdri_verdict_make(&shake, secret, QDRI_ACCEPTED);
    assert_int_equal(qdri_verdict_judge(&shake, secret), QDRI_ACCEPTED);
    qdri_session_make(&shake, secret, one);
    answer(&shake, secret);
    qdri_session_make(&shake, secret, two);
    assert_false(qdri_same_secret(one, two));
}

static void who_does_not_is_refused(void **state) {
    qdri_handshake shake;
    (void)state;
    answer(&shake, wrong);
    assert_int_equal(qdri_answer_judge(&shake, secret), QDRI_UNPROVEN);
    answer(&shake, secret);
    qdri_verdict_make(&shake, wrong, QDRI_ACCEPTED);
    assert_int_equal(qdri_verdict_judge(&shake, secret), QDRI_UNPROVEN);
    for (int r = QDRI_STRANGER; r < QDRI_REFUSALS; r++) {
        int believed = r == QDRI_UNPROVEN || r == QDRI_UNEXPECTED;
        qdri_verdict_make(&shake, NULL, (qdri_refusal)r);
        assert_int_equal(qdri_verdict_judge(&shake, secret), believed ? r : QDRI_STRANGER);
        qdri_verdict_make(&shake, secret, (qdri_refusal)r);
        assert_int_equal(qdri_verdict_judge(&shake, secret), believed || r == QDRI_ORDER ? r : QDRI_STRANGER);
    }
}

/* An answer belongs to one hello, and a verdict to both. */
static void nothing_can_be_played_back(void **state) {
    qdri_handshake first, second;
    (void)state;
    answer(&first, secret);
    qdri_verdict_make(&first, secret, QDRI_ACCEPTED);
    answer(&second, secret);
    qdri_handshake mixed = second;
    memcpy(mixed.answer, first.answer, QDRI_ANSWER);
    assert_int_equal(qdri_answer_judge(&mixed, secret), QDRI_UNPROVEN);
    memcpy(second.verdict, first.verdict, QDRI_VERDICT);
    assert_int_equal(qdri_verdict_judge(&second, secret), QDRI_UNPROVEN);
    /* A proof of one kind is none of the other. */
    memcpy(first.verdict + 8, first.answer + QDRI_ANSWER - QDRI_SECRET, QDRI_SECRET);
    assert_int_equal(qdri_verdict_judge(&first, secret), QDRI_UNPROVEN);
}

static void each_bit_counts(void **state) {
    (void)state;
    qdri_handshake shake, changed;
    answer(&shake, secret);
    qdri_verdict_make(&shake, secret, QDRI_ACCEPTED);
    for (int bit = 0; bit < 8 * QDRI_ANSWER; bit++) {
        changed = shake;
        changed.answer[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(qdri_answer_judge(&changed, secret), QDRI_ACCEPTED);
        assert_int_not_equal(qdri_verdict_judge(&changed, secret), QDRI_ACCEPTED);
    }
    for (int bit = 0; bit < 8 * QDRI_HELLO; bit++) {
        changed = shake;
        changed.hello[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(qdri_answer_judge(&changed, secret), QDRI_ACCEPTED);
    }
    for (int bit = 0; bit < 8 * QDRI_VERDICT; bit++) {
        changed = shake;
        changed.verdict[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(qdri_verdict_judge(&changed, secret), QDRI_ACCEPTED);
    }
}

/* Proven, but with the other order of bytes: the sentence must be about that. */
static void the_other_order_is_told(void **state) {
    (void)state;
    qdri_handshake shake;
    assert_int_equal(qdri_hello_make(&shake), QDR_OK);
    shake.hello[12] ^= 3;
    assert_int_equal(qdri_hello_judge(&shake), QDRI_ACCEPTED);
    assert_int_equal(qdri_answer_make(&shake, secret, QDRI_CONTROL, 0, 0), QDR_OK);
    qdri_verdict_make(&shake, secret, QDRI_ACCEPTED);
    assert_int_equal(qdri_verdict_judge(&shake, secret), QDRI_ORDER);
    shake.hello[8]++;
    assert_int_equal(qdri_hello_judge(&shake), QDRI_VERSION);
}

static void random_bytes_are_strangers(void **state) {
    qdri_random random = qdri_random_seed(3);
    qdri_handshake shake;
    qdri_link_frame frame;
    qdri_endpoint endpoint;
    (void)state;
    assert_int_equal(qdri_hello_make(&shake), QDR_OK);
    for (int i = 0; i < 20000; i++) {
        qdri_purpose purpose;
        int from, to;
        for (int b = 0; b < QDRI_ANSWER; b++) shake.answer[b] = (unsigned char)qdri_random_next(&random);
        assert_false(qdri_answer_read(&shake, &purpose, &from, &to));
        assert_int_equal(qdri_answer_judge(&shake, secret), QDRI_STRANGER);
        assert_int_equal(qdri_frame_read(QDRI_SOMEBODY, shake.answer, &frame), QDR_ERR_MISMATCH);
        (void)qdri_endpoint_read(shake.answer, &endpoint);
    }
}

static qdr_status read_frame(qdri_frame_kind kind, const int64_t word[3]) {
    unsigned char head[QDRI_HEAD];
    qdri_link_frame read;
    qdri_frame_write(&(qdri_link_frame){kind, word[0], word[1], word[2]}, head);
    return qdri_frame_read(QDRI_SOMEBODY, head, &read);
}

/* The least and the most of tag, length and id of each kind; what is next to them is refused. */
static void frames_have_bounds(void **state) {
    const int64_t large = INT64_C(1) << 60;
    const int64_t least[QDRI_FRAME_KINDS][3] = {{0},       {0, 0, 0}, {0, 0, 1}, {0, 0, 1},
                                                {0, 0, 1}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}};
    const int64_t most[QDRI_FRAME_KINDS][3] = {{0},
                                               {INT32_MAX, QDRI_WINDOW, 0},
                                               {INT32_MAX, large, large},
                                               {0, 0, large},
                                               {INT32_MAX, large, large},
                                               {0, QDRI_WINDOW, 0},
                                               {0, 0, 0},
                                               {QDR_ERR_FULL, QDRI_LINK_SENTENCE - 1, 0}};
    (void)state;
    for (int kind = 1; kind < QDRI_FRAME_KINDS; kind++) {
        assert_int_equal(read_frame((qdri_frame_kind)kind, least[kind]), QDR_OK);
        assert_int_equal(read_frame((qdri_frame_kind)kind, most[kind]), QDR_OK);
        for (int field = 0; field < 3; field++) {
            int64_t word[3];
            memcpy(word, most[kind], sizeof word);
            word[field]++;
            assert_int_equal(read_frame((qdri_frame_kind)kind, word), QDR_ERR_MISMATCH);
            memcpy(word, least[kind], sizeof word);
            word[field]--;
            assert_int_equal(read_frame((qdri_frame_kind)kind, word), QDR_ERR_MISMATCH);
        }
    }
    assert_int_equal(read_frame((qdri_frame_kind)0, least[1]), QDR_ERR_MISMATCH);
    assert_int_equal(read_frame(QDRI_FRAME_KINDS, least[1]), QDR_ERR_MISMATCH);
}

static void frames_and_endpoints_come_back(void **state) {
    unsigned char head[QDRI_HEAD], bytes[QDRI_ENDPOINT];
    qdri_link_frame frame = {QDRI_FRAME_DATA, 70000, INT64_C(3) << 30, 123456789012}, read;
    qdri_endpoint endpoint = {.pid = 4711, .host = "node17"}, other;
    static const char *const addresses[] = {"127.0.0.1", "10.1.2.3", "::1", "fe80::1"};
    char text[QDRI_ADDRESS_TEXT];
    (void)state;
    qdri_frame_write(&frame, head);
    assert_int_equal(qdri_frame_read(QDRI_SOMEBODY, head, &read), QDR_OK);
    assert_true(read.kind == frame.kind && read.tag == frame.tag && read.length == frame.length &&
                read.id == frame.id);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(qdri_address_read(addresses[i], 40001, &endpoint.address), QDR_OK);
        qdri_endpoint_write(&endpoint, bytes);
        assert_true(qdri_endpoint_read(bytes, &other));
        qdri_address_text(&other.address, text, sizeof text);
        assert_string_equal(text, addresses[i]);
        assert_true(qdri_address_port(&other.address) == 40001 && other.pid == 4711);
        assert_string_equal(other.host, "node17");
    }
    assert_int_equal(qdri_address_read("localhost", 1, &endpoint.address), QDR_ERR_SYNTAX);
    /* Without its interface nobody can connect to it. */
    assert_int_equal(qdri_address_choose("fe80::1", 0, &endpoint.address), QDR_ERR_INVALID);
    assert_non_null(strstr(qdr_error_message(), "expected"));
    assert_int_equal(qdri_address_choose("127.0.0.1", 0, &endpoint.address), QDR_OK);
    assert_true(qdri_address_is_loopback(&endpoint.address));
}

/* Whatever the ports; and loopback is one host, whichever of its addresses. */
static void one_address_is_one_host(void **state) {
    static const struct {
        const char *one, *two;
        int is_one;
    } pair[] = {
        {"10.0.0.1", "10.0.0.1", 1}, {"10.0.0.1", "10.0.0.2", 0}, {"127.0.0.1", "127.3.0.1", 1},
        {"fd00::1", "fd00::1", 1},   {"fd00::1", "fd00::2", 0},   {"127.0.0.1", "10.0.0.1", 0},
        {"10.0.0.1", "fd00::1", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        qdri_address one, two;
        assert_int_equal(qdri_address_read(pair[i].one, 4001, &one), QDR_OK);
        assert_int_equal(qdri_address_read(pair[i].two, 4002, &two), QDR_OK);
        assert_int_equal(qdri_address_shares_host(&one, &two), pair[i].is_one);
        assert_int_equal(qdri_address_shares_host(&two, &one), pair[i].is_one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_knows_is_accepted),      cmocka_unit_test(who_does_not_is_refused),
        cmocka_unit_test(nothing_can_be_played_back), cmocka_unit_test(each_bit_counts),
        cmocka_unit_test(the_other_order_is_told),    cmocka_unit_test(random_bytes_are_strangers),
        cmocka_unit_test(frames_have_bounds),         cmocka_unit_test(frames_and_endpoints_come_back),
        cmocka_unit_test(one_address_is_one_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
