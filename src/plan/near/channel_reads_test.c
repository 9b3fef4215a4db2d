/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that are read where they lie, with both ends of a channel in one process. A sender gives its memory to be read
 * only for sizes that the receiver wants so; it has it back when the message was counted; what cannot be read is refused, with
 * all that follows; and what was withdrawn while it was read does not count.
 */
#include "plan/near/channel_testing.h"

enum { SLOTS = 4, BYTES = 3000 };

typedef struct channel {
    qdri_sender sender;
    qdri_receiver receiver;
} channel;

static channel both;
static char message[BYTES], copy[BYTES];

static void open_both(void) {
    qdri_cut_at.least_read = 100;
    both = (channel){.sender = {.slots = 0}};
    int64_t offset = qdri_receiver_open(&both.receiver, NULL, SLOTS);
    assert_true(offset > 0);
    qdri_sender_open(&both.sender, NULL, 0, offset, SLOTS);
    both.receiver.connected = 1;
    for (int i = 0; i < BYTES; i++) message[i] = (char)(7 * i);
    memset(copy, 0, sizeof copy);
}

static void close_both(void) {
    qdri_sender_close(&both.sender);
    qdri_receiver_close(&both.receiver, NULL);
    assert_int_equal(uses, 0);
}

static void want(int64_t bytes, int reads) {
    qdri_receiver_want(&both.receiver, NULL, 1, qdri_size_class(bytes), reads, reads);
}

/* Where the next message of so many bytes would go. */
static qdri_place place_of(int64_t bytes, int ready) {
    void *place = NULL;
    qdri_receiver_expect(&both.receiver, NULL, bytes, MOST);
    return qdri_sender_place(&both.sender, bytes, MOST, ready, &place);
}

/* The sender offers the message; the receiver sees its flag. */
static const qdri_flag *offer(void) {
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_OWN);
    qdri_sender_raise(&both.sender, QDRI_PLACE_OWN, message, BYTES, 0);
    const qdri_flag *flag = qdri_receiver_look(&both.receiver);
    assert_non_null(flag);
    assert_int_equal(flag->offset, QDRI_TO_BE_READ);
    assert_int_equal(flag->bytes, BYTES);
    return flag;
}

static void test_only_what_is_wanted(void **state) {
    (void)state;
    open_both();
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    want(BYTES, 1);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_OWN);
    assert_int_equal(place_of(2048, 1), QDRI_PLACE_OWN);   /* the same power of two */
    assert_int_equal(place_of(2047, 1), QDRI_PLACE_SLOT);  /* the one below */
    assert_int_equal(place_of(4096, 1), QDRI_PLACE_SLOT);  /* above */
    assert_int_equal(place_of(BYTES, 0), QDRI_PLACE_SLOT); /* it has to be packed */
    want(64, 1);
    assert_int_equal(place_of(99, 1), QDRI_PLACE_SLOT); /* too small */
    want(BYTES, 0);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    close_both();
}

/* Message 0 is even. */
static void test_every_other_one(void **state) {
    (void)state;
    open_both();
    qdri_receiver_want(&both.receiver, NULL, 1, qdri_size_class(BYTES), 0, 1);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    both.sender.sent++;
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_OWN);
    both.sender.sent--;
    close_both();
}

/* What was learned in an earlier plan holds before the receiver has said anything in this one. */
static void test_from_the_first_on(void **state) {
    uint64_t classes = UINT64_C(1) << qdri_size_class(BYTES);
    (void)state;
    open_both();
    qdri_receiver_want_at_first(&both.receiver, 4711, classes);
    assert_int_equal(place_of(2047, 1), QDRI_PLACE_SLOT);
    const qdri_flag *flag = offer();
    assert_true(qdri_receiver_fetch(&both.receiver, flag, 0, copy, BYTES));
    assert_true(qdri_receiver_fetched(&both.receiver, 0));
    assert_memory_equal(copy, message, BYTES);
    want(BYTES, 0);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    close_both();
    open_both(); /* nobody knows who sends */
    qdri_receiver_want_at_first(&both.receiver, 0, classes);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    close_both();
}

static void test_memory_is_back_when_counted(void **state) {
    (void)state;
    open_both();
    want(BYTES, 1);
    for (uint64_t number = 0; number < 3 * SLOTS; number++) {
        const qdri_flag *flag = offer();
        assert_int_equal(qdri_sender_fetching(&both.sender, number), QDRI_NOT_FETCHED);
        assert_true(qdri_receiver_fetch(&both.receiver, flag, 0, copy, 1000));
        assert_true(qdri_receiver_fetch(&both.receiver, flag, 1000, copy + 1000, BYTES - 1000));
        assert_int_equal(qdri_sender_fetching(&both.sender, number), QDRI_NOT_FETCHED);
        assert_true(qdri_receiver_fetched(&both.receiver, number));
        assert_int_equal(qdri_sender_fetching(&both.sender, number), QDRI_FETCHED);
        assert_memory_equal(copy, message, BYTES);
        both.receiver.received++;
        qdri_receiver_take(&both.receiver, NULL, number, 1);
    }
    close_both();
}

static void test_without_permission(void **state) {
    (void)state;
    open_both();
    can_read = 0;
    want(BYTES, 1);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    can_read = 1; /* it was asked once */
    want(BYTES, 1);
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    close_both();
}

/* Memory that the system does not read, of a device perhaps. */
static void test_refused(void **state) {
    (void)state;
    open_both();
    want(BYTES, 1);
    const qdri_flag *flag = offer();
    assert_true(qdri_receiver_fetch(&both.receiver, flag, 0, copy, BYTES));
    assert_true(qdri_receiver_fetched(&both.receiver, 0));
    both.receiver.received++;
    flag = offer();
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_OWN);
    qdri_sender_raise(&both.sender, QDRI_PLACE_OWN, message, BYTES,
                      0); /* a third, which is on its way already */
    can_read = 0;
    assert_false(qdri_receiver_fetch(&both.receiver, flag, 0, copy, BYTES));
    qdri_receiver_refuse(&both.receiver, 1);
    assert_int_equal(qdri_sender_fetching(&both.sender, 0), QDRI_FETCHED);
    assert_int_equal(qdri_sender_fetching(&both.sender, 1), QDRI_REFUSED);
    assert_int_equal(qdri_sender_fetching(&both.sender, 2), QDRI_REFUSED);
    both.receiver.received++;
    assert_false(qdri_receiver_fetch(&both.receiver, qdri_receiver_look(&both.receiver), 0, copy, BYTES));
    assert_int_equal(place_of(BYTES, 1), QDRI_PLACE_SLOT);
    close_both();
}

static void give_up(void) {
    qdri_sender_withdraw(&both.sender);
    memset(message, 0, sizeof message);
}

static void test_withdrawn(void **state) {
    (void)state;
    open_both();
    want(BYTES, 1);
    const qdri_flag *flag = offer();
    while_reading = give_up;
    assert_true(qdri_receiver_fetch(&both.receiver, flag, 0, copy, BYTES));
    assert_false(qdri_receiver_fetched(&both.receiver, 0));
    assert_int_equal(qdri_sender_fetching(&both.sender, 0), QDRI_NOT_FETCHED);
    qdri_receiver_refuse(&both.receiver, 0);
    assert_int_equal(qdri_sender_fetching(&both.sender, 0), QDRI_REFUSED);
    close_both();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_what_is_wanted, set_up),
        cmocka_unit_test_setup(test_every_other_one, set_up),
        cmocka_unit_test_setup(test_from_the_first_on, set_up),
        cmocka_unit_test_setup(test_memory_is_back_when_counted, set_up),
        cmocka_unit_test_setup(test_without_permission, set_up),
        cmocka_unit_test_setup(test_refused, set_up),
        cmocka_unit_test_setup(test_withdrawn, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
