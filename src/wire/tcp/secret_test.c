/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SHA-256 against the examples of FIPS 180-4 and HMAC against all vectors of RFC 4231; and that it does not
 * matter how the data is cut.
 */
#include "wire/tcp/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const unsigned char *digest, const char *hexadecimal) {
    char text[2 * QDRI_SECRET + 1];
    for (int i = 0; i < QDRI_SECRET; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    text[strlen(hexadecimal)] = '\0'; /* one vector is cut */
    assert_string_equal(text, hexadecimal);
}

static void digest_in_parts(const char *data, size_t bytes, size_t part, unsigned char *digest) {
    qdri_sha sha;
    qdri_sha_begin(&sha);
    for (size_t at = 0; at < bytes; at += part)
        qdri_sha_add(&sha, data + at, part < bytes - at ? part : bytes - at);
    qdri_sha_end(&sha, digest);
}

static void sha_is_that_of_the_standard(void **state) {
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t part = 1; part < 70; part++) {
            unsigned char digest[QDRI_SECRET];
            digest_in_parts(cases[i].text, strlen(cases[i].text), part, digest);
            expect(digest, cases[i].digest);
        }
}

static void a_million_letters(void **state) {
    static char letters[1000000];
    unsigned char digest[QDRI_SECRET];
    (void)state;
    memset(letters, 'a', sizeof letters);
    digest_in_parts(letters, sizeof letters, 4097, digest);
    expect(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* So many times one byte, or a text. */
typedef struct piece {
    const char *text;
    int byte, times;
} piece;

static size_t write_piece(const piece *piece, unsigned char *bytes) {
    if (piece->text) {
        memcpy(bytes, piece->text, strlen(piece->text));
        return strlen(piece->text);
    }
    memset(bytes, piece->byte, (size_t)piece->times);
    return (size_t)piece->times;
}

static void hmac_is_that_of_the_vectors(void **state) {
    static const struct {
        piece key, data;
        const char *digest;
    } cases[] = {
        {{NULL, 0x0b, 20},
         {"Hi There", 0, 0},
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {{"Jefe", 0, 0},
         {"what do ya want for nothing?", 0, 0},
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {{NULL, 0xaa, 20},
         {NULL, 0xdd, 50},
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {{"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18"
          "\x19",
          0, 0},
         {NULL, 0xcd, 50},
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {{NULL, 0x0c, 20}, {"Test With Truncation", 0, 0}, "a3b6167473100ee06e0c796c2955552b"},
        {{NULL, 0xaa, 131},
         {"Test Using Larger Than Block-Size Key - Hash Key First", 0, 0},
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {{NULL, 0xaa, 131},
         {"This is a test using a larger than block-size key and a larger than block-size data. The key "
          "needs to "
          "be hashed before being used by the HMAC algorithm.",
          0, 0},
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char key[200], data[200], digest[QDRI_SECRET];
        size_t key_bytes = write_piece(&cases[i].key, key), bytes = write_piece(&cases[i].data, data);
        qdri_hmac(key, key_bytes, data, bytes, digest);
        expect(digest, cases[i].digest);
    }
}

static void secrets_differ(void **state) {
    unsigned char a[QDRI_SECRET], b[QDRI_SECRET];
    (void)state;
    assert_int_equal(qdri_secret_bytes(a, sizeof a), QDR_OK);
    assert_int_equal(qdri_secret_bytes(b, sizeof b), QDR_OK);
    assert_false(qdri_same_secret(a, b));
    memcpy(b, a, sizeof b);
    assert_true(qdri_same_secret(a, b));
    for (int bit = 0; bit < 8 * QDRI_SECRET; bit++) {
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(qdri_same_secret(a, b));
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha_is_that_of_the_standard),
        cmocka_unit_test(a_million_letters),
        cmocka_unit_test(hmac_is_that_of_the_vectors),
        cmocka_unit_test(secrets_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
