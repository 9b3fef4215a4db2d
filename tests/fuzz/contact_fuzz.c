/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile contact files.
 *
 *     contact_fuzz [inputs]        five times so many; 500000 unless told otherwise
 *
 * Each input is a good file with up to four mutations (mutate.h), in memory that ends where it does. A
 * refusal must leave one line that names the file and a line of it. What is accepted must be, byte for byte,
 * what writing it again gives: so there is exactly one text for each contact, and nothing was guessed.
 */
#include "mutate.h"
#include "wire/tcp/contact.h"

static const char *const files[] = {
    "quadrille-contact 2\nname ocean\npeer atmos\n"
    "token 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\nhost node-17.example\n"
    "boot 987654321\nspace 4026531836\npid 4711\nstart 123456\nranks 4\norder little\naddress "
    "127.0.0.1\nport 40001\n",
    "quadrille-contact 2\nname a\npeer a.b_c-d\n"
    "token ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\nhost x\n"
    "boot 0\nspace 0\npid 1\nstart 0\nranks 1048576\norder big\naddress fe80::1\nport 1\n",
};

static void check(const input *text) {
    char *exact = malloc(text->size + !text->size), again[QDRI_CONTACT_BYTES];
    qdri_contact contact;
    if (!exact) exit(2);
    memcpy(exact, text->bytes, text->size);
    qdr_status status = qdri_contact_read("some.contact", exact, text->size, &contact);
    free(exact);
    if (status) {
        check_message(text);
        if (strncmp(qdr_error_message(), "some.contact: l", 15) != 0)
            complain(text, "a refusal does not say where");
        return;
    }
    size_t length = qdri_contact_write(&contact, again);
    if (length != text->size || memcmp(again, text->bytes, length) != 0)
        complain(text, "what was read is not what was written");
}

int main(int argc, char **argv) {
    long inputs = argc > 1 ? atol(argv[1]) : 100000;
    qdri_random random = qdri_random_seed(7);
    input text;
    for (long i = 0; i < 5 * inputs; i++) {
        const char *file = pick(&random, files, COUNT(files)), *other = pick(&random, files, COUNT(files));
        set_text(&text, file, strlen(file));
        for (uint32_t m = qdri_random_below(&random, 5); m > 0; m--) mutate(&random, &text, other);
        check(&text);
    }
    return 0;
}
