/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contact files in their directory: of two that publish one succeeds, nobody takes away another's, and what
 * became of a writer is known as far as it can be.
 */
#include "wire/tcp/mailbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

/* Names that a contact file had beside its own, as far as calls say them. */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
static char names[8][256];
static int name_count;

static void note(const char *name) {
    if (name_count < 8) snprintf(names[name_count++], sizeof names[0], "%s", name);
}

int __wrap_rename(const char *from, const char *to) {
    note(to);
    return __real_rename(from, to);
}

int __wrap_link(const char *from, const char *to) {
    note(from);
    return __real_link(from, to);
}

static int set_up(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/mailbox_test.XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

/* Nothing may be left in it. */
static int tear_down(void **state) {
    (void)state;
    return rmdir(directory);
}

static void open_box(qdri_mailbox *box, const char *name, const char *peer, unsigned char token) {
    qdri_contact own = {.ranks = 1, .address = "127.0.0.1", .port = 1};
    snprintf(own.name, sizeof own.name, "%s", name);
    snprintf(own.peer, sizeof own.peer, "%s", peer);
    memset(own.token, token, sizeof own.token);
    qdri_contact_introduce(&own);
    assert_int_equal(qdri_mailbox_open(directory, &own, box), QDR_OK);
}

static unsigned char look(const qdri_mailbox *box) {
    qdri_contact contact;
    int found;
    assert_int_equal(qdri_mailbox_look(box, &found, &contact), QDR_OK);
    return found ? contact.token[0] : 0;
}

static void of_two_one_publishes(void **state) {
    qdri_mailbox first, second;
    (void)state;
    open_box(&first, "ocean", "atmos", 1);
    open_box(&second, "atmos", "ocean", 2);
    assert_string_equal(first.path, second.path);
    assert_int_equal(look(&first), 0);
    assert_int_equal(qdri_mailbox_publish(&second), QDR_OK);
    assert_int_equal(qdri_mailbox_publish(&first), QDR_OK);
    assert_true(second.published && !first.published && look(&first) == 2);
    qdri_mailbox_withdraw(&first);
    qdri_mailbox_remove(&first, first.own.token);
    assert_int_equal(look(&second), 2);
    qdri_mailbox_withdraw(&second);
    assert_int_equal(look(&first), 0);
}

/* The token is what a stranger must not know; everybody can see names. */
static void names_do_not_tell(void **state) {
    qdri_mailbox box;
    (void)state;
    name_count = 0;
    for (int i = 0; i < 3; i++) {
        open_box(&box, "ocean", "atmos", 0xab);
        assert_int_equal(qdri_mailbox_publish(&box), QDR_OK);
        qdri_mailbox_withdraw(&box);
    }
    assert_true(name_count >= 3);
    for (int i = 0; i < name_count; i++) {
        assert_null(strstr(names[i], "abab"));
        for (int k = 0; k < i; k++) assert_string_not_equal(names[i], names[k]);
    }
}

static void what_became_of_the_writer(void **state) {
    qdri_contact contact = {.ranks = 1};
    (void)state;
    qdri_contact_introduce(&contact);
    assert_true(contact.boot > 0 && contact.space > 0);
    for (int is_local = 0; is_local < 2; is_local++) {
        qdri_contact other = contact;
        assert_int_equal(qdri_contact_process(&other, is_local), QDRI_PROCESS_RUNS);
        snprintf(other.host, sizeof other.host, "renamed"); /* a container may be called anything */
        assert_int_equal(qdri_contact_process(&other, is_local), QDRI_PROCESS_RUNS);
        other.start++;
        assert_int_equal(qdri_contact_process(&other, is_local), QDRI_PROCESS_ENDED);
        other.space++; /* another container */
        assert_int_equal(qdri_contact_process(&other, is_local), QDRI_PROCESS_ELSEWHERE);
        /* Another host, which may have the same name and the same numbers; or this one before its last start. */
        other = contact;
        other.boot++;
        assert_int_equal(qdri_contact_process(&other, is_local),
                         is_local ? QDRI_PROCESS_ENDED : QDRI_PROCESS_ELSEWHERE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(of_two_one_publishes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_do_not_tell, set_up, tear_down),
        cmocka_unit_test(what_became_of_the_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
