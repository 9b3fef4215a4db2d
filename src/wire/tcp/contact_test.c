/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contact files: what is written is read, and each thing that can be wrong is refused with its line and what
 * was expected. (tests/fuzz has the random ones.)
 */
#include "wire/tcp/contact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char good[] =
    "quadrille-contact 2\nname ocean\npeer atmos\n"
    "token 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\nhost node17\n"
    "boot 987654321\nspace 4026531836\npid 4711\nstart 123456\nranks 4\norder little\naddress "
    "127.0.0.1\nport 40001\n";

static void what_is_written_is_read(void **state) {
    qdri_contact contact;
    char text[QDRI_CONTACT_BYTES];
    (void)state;
    assert_int_equal(qdri_contact_read("f", good, strlen(good), &contact), QDR_OK);
    assert_string_equal(contact.name, "ocean");
    assert_string_equal(contact.peer, "atmos");
    assert_string_equal(contact.host, "node17");
    assert_string_equal(contact.address, "127.0.0.1");
    assert_true(contact.boot == 987654321 && contact.space == 4026531836 && contact.pid == 4711 &&
                contact.start == 123456);
    assert_true(contact.ranks == 4 && contact.port == 40001 && !contact.is_big && contact.token[1] == 0x11);
    assert_int_equal(qdri_contact_write(&contact, text), strlen(good));
    assert_memory_equal(text, good, strlen(good));
}

/* The longest values there are fit into the longest file there is. */
static void the_longest_is_not_too_long(void **state) {
    qdri_contact contact = {.boot = INT64_MAX,
                            .space = INT64_MAX,
                            .pid = INT32_MAX,
                            .start = INT64_MAX,
                            .is_big = 1},
                 read;
    char text[QDRI_CONTACT_BYTES];
    (void)state;
    memset(contact.name, 'n', sizeof contact.name - 1);
    memset(contact.peer, 'p', sizeof contact.peer - 1);
    memset(contact.host, 'h', sizeof contact.host - 1);
    memset(contact.address, 'a', sizeof contact.address - 1);
    contact.ranks = QDRI_MOST_RANKS;
    contact.port = 65535;
    size_t length = qdri_contact_write(&contact, text);
    assert_true(length < QDRI_CONTACT_BYTES);
    assert_int_equal(qdri_contact_read("f", text, length, &read), QDR_OK);
    assert_memory_equal(&contact.host, &read.host, sizeof read.host);
}

/* Every beginning of a good file is refused, whatever stands behind it in memory. */
static void no_part_is_enough(void **state) {
    qdri_contact contact;
    (void)state;
    for (size_t length = 0; length < strlen(good); length++) {
        assert_int_equal(qdri_contact_read("f", good, length, &contact), QDR_ERR_SYNTAX);
        assert_non_null(strstr(qdr_error_message(), "expected"));
    }
}

static void refuse(const char *old, const char *other, const char *sentence) {
    char text[8192];
    qdri_contact contact;
    const char *place = strstr(good, old);
    assert_non_null(place);
    int length =
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - good), good, other, place + strlen(old));
    if (qdri_contact_read("f", text, (size_t)length, &contact) != QDR_ERR_SYNTAX)
        fail_msg("'%s' for '%s' is accepted", other, old);
    if (strcmp(qdr_error_message(), sentence) != 0)
        fail_msg("'%s' for '%s': %s", other, old, qdr_error_message());
}

static void each_mistake_has_its_sentence(void **state) {
    (void)state;
    refuse("quadrille-contact 2", "quadrille-contact one", "f: line 1: expected 'quadrille-contact 2'");
    refuse("quadrille-contact 2", "quadrille-contact 1",
           "f: line 1: version 1; this program speaks version 2");
    refuse("name ocean", "name", "f: line 2: expected 'name', a blank, and the name of a program");
    refuse("name ocean", "name ", "f: line 2: name is ''; expected the name of a program");
    refuse("name ocean", "name ../x", "f: line 2: name is '../x'; expected the name of a program");
    refuse("name ocean", "name .x", "f: line 2: name is '.x'; expected the name of a program");
    refuse("peer", "pear", "f: line 3: expected 'peer', a blank, and the name of a program");
    refuse(
        "eeff\n", "eefg\n",
        "f: line 4: token is '00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg'; expected 64 "
        "hexadecimal digits");
    refuse("token 0", "token ",
           "f: line 4: token is "
           "'0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'; expected 64 "
           "hexadecimal digits");
    refuse("host node17", "host node 17",
           "f: line 5: host is 'node 17'; expected a word of letters and digits");
    refuse("pid 4711", "pid 0", "f: line 8: pid is '0'; expected a number from 1 to 2147483647");
    refuse("pid 4711", "pid 04711", "f: line 8: pid is '04711'; expected a number from 1 to 2147483647");
    refuse("pid 4711", "pid -1", "f: line 8: pid is '-1'; expected a number from 1 to 2147483647");
    refuse("start 123456", "start 9223372036854775808",
           "f: line 9: start is '9223372036854775808'; expected a number from 0 to 9223372036854775807");
    refuse("ranks 4", "ranks 0", "f: line 10: ranks is '0'; expected a number from 1 to 1048576");
    refuse("ranks 4", "ranks 1048577", "f: line 10: ranks is '1048577'; expected a number from 1 to 1048576");
    refuse("little", "middle", "f: line 11: order is 'middle'; expected 'little' or 'big'");
    refuse("port 40001", "port 65536", "f: line 13: port is '65536'; expected a number from 1 to 65535");
    refuse("40001\n", "40001\n\n", "f: line 14: expected the end of the file");
    refuse("ranks 4\norder", "order",
           "f: line 10: expected 'ranks', a blank, and a number from 1 to 1048576");
    refuse("name ocean\n", "name oce\xff\x01n\n",
           "f: line 2: name is 'oce\xff?n'; expected the name of a program");
}

static void a_huge_file_is_not_read(void **state) {
    static char text[QDRI_CONTACT_BYTES + 1];
    qdri_contact contact;
    (void)state;
    memcpy(text, good, strlen(good));
    assert_int_equal(qdri_contact_read("f", text, sizeof text, &contact), QDR_ERR_SYNTAX);
    assert_string_equal(qdr_error_message(), "f: longer than 2048 bytes; expected a contact file");
}

static void names_are_checked(void **state) {
    static const char *const bad[] = {"", ".hidden", "a/b", "a+b", "a b", "\xc3\xa4", NULL};
    char longest[QDRI_NAME + 1];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(qdri_check_name("it", bad[i]), QDR_ERR_INVALID);
    memset(longest, 'x', sizeof longest);
    longest[QDRI_NAME] = '\0';
    assert_int_equal(qdri_check_name("it", longest), QDR_ERR_INVALID);
    longest[QDRI_NAME - 1] = '\0';
    assert_int_equal(qdri_check_name("it", longest), QDR_OK);
    assert_int_equal(qdri_check_name("it", "Ocean-2_b.x"), QDR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(the_longest_is_not_too_long),
        cmocka_unit_test(no_part_is_enough),       cmocka_unit_test(each_mistake_has_its_sentence),
        cmocka_unit_test(a_huge_file_is_not_read), cmocka_unit_test(names_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
