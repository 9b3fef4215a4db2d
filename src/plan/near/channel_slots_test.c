/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both ends of a channel in one process, over memory that the test gives or refuses. Whatever the order in
 * which the receiver expects and takes and the sender writes: every message is read as it was written, no
 * slot is written to while somebody needs it, the sender is never ahead by more than there are slots, or pieces in
 * the ring, and all memory comes back. Once step by step at random, and once with the ends in two threads.
 */
#include <pthread.h>
#include <sched.h>

#include "plan/near/channel_testing.h"
#include "light.h"

/* ---- both ends ----------------------------------------------------------------------------------------- */

typedef struct channel {
    qdri_sender sender;
    qdri_receiver receiver;
    uint64_t expected, looked; /* by the receiver */
    uint64_t seed;
    int hears; /* the sender is told what was taken by a message, not by the line beside the flags */
    int in_flight;
    int64_t slotted, messages, cut;
    int64_t to_write, to_read;      /* of the message that goes, or comes, in pieces */
    int64_t where[QDRI_MOST_SLOTS]; /* of message n at n mod slots; 0: by MPI */
} channel;

/* Sizes that stay for a while, and leap. */
static int64_t size_of(const channel *both, uint64_t number) {
    uint64_t epoch = qdri_mix(both->seed ^ number / 16), word = qdri_mix(both->seed + number);
    static const int64_t most[] = {1, 100, 256, 300, 1000, MOST, MOST + 1, 3 * MOST};
    return word % 7 == 0 ? 0 : (int64_t)(word / 7 % (uint64_t)(most[epoch % 8] + 1));
}

static unsigned char byte_of(const channel *both, uint64_t number) {
    return (unsigned char)(qdri_mix(both->seed * 3 + number) | 1);
}

static void open_channel(channel *both, int slots, int in_flight, uint64_t seed, int hears) {
    *both = (channel){.seed = seed, .hears = hears, .in_flight = in_flight};
    int64_t offset = qdri_receiver_open(&both->receiver, NULL, slots);
    assert_true(offset > 0);
    qdri_sender_open(&both->sender, NULL, 0, offset, slots);
    both->receiver.connected = 1;
}

static int64_t piece_of(int64_t left) {
    return left < PIECE ? left : PIECE;
}

static int write_piece(channel *both) {
    void *place = qdri_sender_piece(&both->sender);
    int64_t bytes = piece_of(both->to_write);
    if (!place) return 0;
    memset(place, byte_of(both, both->sender.sent - 1), (size_t)bytes);
    both->to_write -= bytes;
    qdri_sender_wrote(&both->sender, both->to_write == 0);
    return 1;
}

/* The sender's next step; false: it cannot. */
static int send_one(channel *both) {
    uint64_t number = both->sender.sent;
    void *place = NULL;
    int64_t bytes = size_of(both, number);
    if (both->to_write > 0) {
        assert_int_equal(qdri_sender_place(&both->sender, bytes, MOST, 0, &place), QDRI_PLACE_LATER);
        return write_piece(both);
    }
    qdri_place found = qdri_sender_place(&both->sender, bytes, MOST, 0, &place);
    if (found == QDRI_PLACE_LATER) return 0;
    if (found == QDRI_PLACE_SLOT) memset(place, byte_of(both, number), (size_t)bytes);
    if (found == QDRI_PLACE_PIECES) both->to_write = bytes;
    qdri_sender_raise(&both->sender, found, place, bytes, 7);
    return 1;
}

static int expect_one(channel *both) {
    if (both->expected - both->receiver.taken >= (uint64_t)both->in_flight) return 0;
    qdri_receiver_expect(&both->receiver, NULL, size_of(both, both->expected++), MOST);
    return 1;
}

static int read_piece(channel *both) {
    qdri_receiver *receiver = &both->receiver;
    const unsigned char *piece = qdri_receiver_piece(receiver);
    int64_t bytes = piece_of(both->to_read);
    if (!piece) return 0;
    for (int64_t i = 0; i < bytes; i++)
        if (piece[i] != byte_of(both, receiver->received))
            fail_msg("byte %lld of a piece is wrong", (long long)i);
    qdri_receiver_read(receiver);
    both->to_read -= bytes;
    if (both->to_read == 0) receiver->received++;
    return 1;
}

static int look_at_one(channel *both) {
    qdri_receiver *receiver = &both->receiver;
    if (both->to_read > 0) return read_piece(both);
    if (receiver->received == both->expected) return 0;
    const qdri_flag *flag = qdri_receiver_look(receiver);
    if (!flag) return 0;
    assert_int_equal(flag->bytes, size_of(both, receiver->received));
    assert_int_equal(flag->taken, 7);
    assert_true(flag->offset != 0 || flag->bytes > 0);
    both->where[receiver->received % (uint64_t)receiver->slots] = flag->offset > 0 ? flag->offset : 0;
    *(flag->offset > 0 ? &both->slotted : flag->offset ? &both->cut : &both->messages) += 1;
    if (flag->offset == QDRI_IN_PIECES)
        both->to_read = flag->bytes;
    else
        receiver->received++;
    return 1;
}

/* What lies in a slot is what was written, up to the moment when it is let go. */
static void check_one(const channel *both, uint64_t number) {
    int64_t where = both->where[number % (uint64_t)both->receiver.slots];
    for (int64_t i = 0; where && i < size_of(both, number); i++)
        if ((unsigned char)memory[where + i] != byte_of(both, number))
            fail_msg("byte %lld of message %llu has changed", (long long)i, (unsigned long long)number);
}

static void take_one(channel *both, uint64_t number) {
    check_one(both, number);
    qdri_receiver_take(&both->receiver, NULL, number, !both->hears);
    if (both->hears) qdri_sender_hear(&both->sender, both->receiver.taken);
}

/* Any of those that have come, and were not let go yet. */
static int take_any(channel *both, qdri_random *random) {
    qdri_receiver *receiver = &both->receiver;
    uint64_t come = receiver->received - receiver->taken;
    if (come == 0) return 0;
    uint64_t ahead = qdri_random_below(random, come);
    if (receiver->done >> ahead & 1) return 0;
    take_one(both, receiver->taken + ahead);
    return 1;
}

static void close_channel(channel *both) {
    qdri_sender_close(&both->sender);
    qdri_receiver_close(&both->receiver, NULL);
    assert_int_equal(uses, 0);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void run_at_random(int slots, int in_flight, int refusals, uint64_t seed, int hears) {
    enum { STEPS = 20000 };
    channel both;
    qdri_random random = qdri_random_seed(seed);
    refuse_in = 0;
    open_channel(&both, slots, in_flight, seed, hears);
    refuse_in = refusals;
    int idle = 0;
    for (int step = 0; step < STEPS; step++) {
        /* Either end may rest for a while. */
        int lazy = (int)(qdri_mix(seed + (uint64_t)step / 64) % 3), moved = 0;
        switch (qdri_random_below(&random, 4)) {
        case 0:
            moved = lazy != 1 && send_one(&both);
            break;
        case 1:
            moved = expect_one(&both);
            break;
        case 2:
            moved = lazy != 2 && look_at_one(&both);
            break;
        default:
            moved = lazy != 2 && take_any(&both, &random);
            break;
        }
        idle = moved ? 0 : idle + 1;
        assert_true(idle < 1000);
        assert_true(both.sender.sent - both.receiver.taken <= (uint64_t)slots);
        assert_true(both.sender.written - both.receiver.read <= PIECES);
    }
    assert_true(both.receiver.received > 10 * (uint64_t)slots);    /* flags were used again and again */
    assert_true(both.slotted > 0 && both.cut + both.messages > 0); /* some are larger than any slot */
    assert_true(refusals > 0 || both.messages == 0);
    close_channel(&both);
}

static void test_at_random(void **state) {
    (void)state;
    static const int shapes[][2] = {{3, 1}, {4, 2}, {6, 3}, {9, 7}, {32, 16}, {1, 1}};
    static const int refusals[] = {0, 2, 5, 1};
    for (uint64_t seed = 1; seed <= (uint64_t)light_or(1, 4); seed++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++)
                run_at_random(shapes[s][0], shapes[s][1], refusals[r], seed * 100 + s * 10 + r,
                              (int)seed % 2);
}

/* One after the other, with slots that grow: all that fit come in slots, and old slots are given back. */
static void test_growing(void **state) {
    (void)state;
    channel both;
    open_channel(&both, 4, 2, 0, 0);
    for (int64_t bytes = 1; bytes <= MOST; bytes += bytes / 3 + 1) {
        void *place = NULL;
        qdri_receiver_expect(&both.receiver, NULL, bytes, MOST);
        assert_int_equal(qdri_sender_place(&both.sender, bytes, MOST, 0, &place), QDRI_PLACE_SLOT);
        memset(place, 1, (size_t)bytes);
        qdri_sender_raise(&both.sender, QDRI_PLACE_SLOT, place, bytes, 0);
        assert_non_null(qdri_receiver_look(&both.receiver));
        qdri_receiver_take(&both.receiver, NULL, both.receiver.received++, 1);
        assert_true(uses <= 3); /* the flags, the slots, and those of which the last message was taken */
    }
    assert_true(both.receiver.capacity >= MOST * 3 / 4 && both.receiver.generation > 3);
    close_channel(&both);
}

/* Where slots cannot grow, large messages go by MPI and small ones in slots; once there is memory, larger
 * ones than were asked for go in slots again. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        int64_t bytes;
        int refused;
        qdri_place place;
    } turn[] = {{200, 1, QDRI_PLACE_SLOT},         {1000, 1, QDRI_PLACE_MESSAGE},
                {1000, 0, QDRI_PLACE_MESSAGE},     {200, 0, QDRI_PLACE_SLOT},
                {2000, 0, QDRI_PLACE_SLOT},        {1000, 0, QDRI_PLACE_SLOT},
                {4000, 1, QDRI_PLACE_MESSAGE},     {2000, 1, QDRI_PLACE_SLOT},
                {MOST + 1, 1, QDRI_PLACE_MESSAGE}, {MOST + 1, 0, QDRI_PLACE_MESSAGE}};
    channel both;
    open_channel(&both, 3, 1, 0, 0);
    for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
        void *place = NULL;
        refuse_in = turn[i].refused;
        qdri_receiver_expect(&both.receiver, NULL, turn[i].bytes, MOST);
        qdri_place found = qdri_sender_place(&both.sender, turn[i].bytes, MOST, 0, &place);
        assert_int_equal(found, turn[i].place);
        qdri_sender_raise(&both.sender, found, place, turn[i].bytes, 0);
        assert_int_equal(qdri_receiver_look(&both.receiver)->offset != 0, found == QDRI_PLACE_SLOT);
        qdri_receiver_take(&both.receiver, NULL, both.receiver.received++, 1);
    }
    close_channel(&both);
    refuse_in = 1;
    assert_int_equal(qdri_receiver_open(&both.receiver, NULL, 3), 0);
    assert_int_equal(uses, 0);
}

/* The ring is made for the first message that is larger than any slot, and serves all of them; until it is there,
 * the receiver can see for what the sender waits. */
static void test_ring(void **state) {
    (void)state;
    void *place = NULL;
    channel both;
    open_channel(&both, 3, 1, 0, 0);
    qdri_receiver_expect(&both.receiver, NULL, 10, MOST);
    assert_int_equal(uses, 2);
    assert_int_equal(qdri_sender_place(&both.sender, MOST + 1, MOST, 0, &place), QDRI_PLACE_LATER);
    assert_int_equal(qdri_receiver_wanted(&both.receiver), MOST + 1);
    for (int64_t bytes = MOST + 1; bytes < 100 * MOST; bytes *= 3) {
        qdri_receiver_expect(&both.receiver, NULL, bytes, MOST);
        assert_int_equal(uses, 3);
        assert_int_equal(qdri_sender_place(&both.sender, bytes, MOST, 0, &place), QDRI_PLACE_PIECES);
        qdri_sender_raise(&both.sender, QDRI_PLACE_PIECES, NULL, bytes, 0);
        assert_int_equal(qdri_receiver_look(&both.receiver)->offset, QDRI_IN_PIECES);
        both.to_write = both.to_read = bytes;
        both.seed = both.receiver.received;
        while (both.to_read > 0) {
            int written = both.to_write == 0 ? 0 : write_piece(&both);
            assert_true(read_piece(&both) || written);
        }
        qdri_receiver_take(&both.receiver, NULL, both.receiver.taken, 1);
    }
    close_channel(&both);
}

/* The rings of a rank do not grow with the number of its neighbors; the sender learns how large their pieces are. */
static void test_many_rings(void **state) {
    (void)state;
    static const struct {
        int members;
        int64_t piece;
    } nodes[] = {{2, 65536}, {16, 65536}, {17, 61568}, {64, 16384}, {128, 8192}, {1000, 8192}};
    qdri_cut_at.piece = 65536;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        void *place = NULL;
        channel both;
        members = nodes[i].members;
        open_channel(&both, 3, 1, 0, 0);
        qdri_receiver_expect(&both.receiver, NULL, MOST + 1, MOST);
        assert_int_equal(qdri_sender_place(&both.sender, MOST + 1, MOST, 0, &place), QDRI_PLACE_PIECES);
        assert_int_equal(both.receiver.piece, nodes[i].piece);
        assert_int_equal(both.sender.piece, nodes[i].piece);
        close_channel(&both);
    }
    members = 2;
}

/* What both ends expect before the first message, for sizes up to a ring's and beyond: then nothing is asked for, and no
 * memory taken, when it comes; larger ones ask as ever. */
static void test_expected(void **state) {
    (void)state;
    for (int64_t bytes = 1; bytes < 20 * MOST; bytes = 2 * bytes + 1) {
        void *place = NULL;
        channel both;
        open_channel(&both, 3, 1, 0, 0);
        qdri_sender_expect(&both.sender, bytes, MOST);
        qdri_receiver_expect(&both.receiver, NULL, bytes, MOST);
        qdri_receiver_warm(&both.receiver, NULL, bytes, bytes);
        qdri_sender_warm(&both.sender, NULL, bytes, bytes);
        int before = uses;
        qdri_receiver_expect(&both.receiver, NULL, bytes, MOST);
        assert_int_equal(uses, before);
        assert_int_equal(qdri_sender_place(&both.sender, bytes, MOST, 0, &place),
                         bytes > MOST ? QDRI_PLACE_PIECES : QDRI_PLACE_SLOT);
        if (4 * bytes + 1000 < MOST) {
            assert_int_equal(qdri_sender_place(&both.sender, 4 * bytes + 1000, MOST, 0, &place),
                             QDRI_PLACE_LATER);
            qdri_receiver_expect(&both.receiver, NULL, 4 * bytes + 1000, MOST);
            assert_int_equal(qdri_sender_place(&both.sender, 4 * bytes + 1000, MOST, 0, &place),
                             QDRI_PLACE_SLOT);
        }
        close_channel(&both);
    }
}

/* A sender that runs ahead waits for the word about larger slots, and then for a message to be taken. */
static void test_credits(void **state) {
    (void)state;
    enum { SLOTS = 4 };
    void *place = NULL;
    channel both;
    open_channel(&both, SLOTS, 2, 0, 0);
    assert_int_equal(qdri_sender_place(&both.sender, 300, MOST, 0, &place), QDRI_PLACE_LATER);
    assert_int_equal(qdri_sender_place(&both.sender, 300, MOST, 0, &place), QDRI_PLACE_LATER);
    qdri_receiver_expect(&both.receiver, NULL, 300, MOST);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(qdri_sender_place(&both.sender, 300, MOST, 0, &place), QDRI_PLACE_SLOT);
        qdri_sender_raise(&both.sender, QDRI_PLACE_SLOT, place, 300, 0);
    }
    assert_int_equal(qdri_sender_place(&both.sender, 1, MOST, 0, &place), QDRI_PLACE_LATER);
    for (int i = 0; i < 2; i++) {
        assert_non_null(qdri_receiver_look(&both.receiver));
        both.receiver.received++;
    }
    qdri_receiver_take(&both.receiver, NULL, 1, 1); /* the second: that does not make room */
    assert_int_equal(both.receiver.taken, 0);
    assert_int_equal(qdri_sender_place(&both.sender, 1, MOST, 0, &place), QDRI_PLACE_LATER);
    qdri_receiver_take(&both.receiver, NULL, 0, 1);
    assert_int_equal(both.receiver.taken, 2);
    assert_int_equal(qdri_sender_place(&both.sender, 1, MOST, 0, &place), QDRI_PLACE_SLOT);
    close_channel(&both);
}

/* A word about slots that is read while it is written is not believed. */
static void test_torn_word(void **state) {
    (void)state;
    void *place = NULL;
    channel both;
    open_channel(&both, 3, 2, 0, 0);
    qdri_receiver_expect(&both.receiver, NULL, 1000, MOST);
    int64_t offset = both.receiver.shared->offset, capacity = both.receiver.shared->capacity;
    qdri_receiver_expect(&both.receiver, NULL, 3000, MOST);
    int64_t later = both.receiver.shared->offset;
    /* As it was in the middle of the second: part of it is there, and not its generation. */
    both.receiver.shared->generation = 1;
    both.receiver.shared->capacity = capacity;
    assert_true(offset != later);
    assert_int_equal(qdri_sender_place(&both.sender, 1000, MOST, 0, &place), QDRI_PLACE_LATER);
    both.receiver.shared->capacity = both.receiver.capacity;
    both.receiver.shared->generation = 2;
    assert_int_equal(qdri_sender_place(&both.sender, 1000, MOST, 0, &place), QDRI_PLACE_SLOT);
    assert_ptr_equal(place, memory + later);
    qdri_sender_raise(&both.sender, QDRI_PLACE_SLOT, place, 1000, 0);
    assert_int_equal(qdri_sender_place(&both.sender, 3000, MOST, 0, &place), QDRI_PLACE_SLOT);
    qdri_sender_raise(&both.sender, QDRI_PLACE_SLOT, place, 3000, 0);
    close_channel(&both);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

#define MESSAGES (uint64_t) light_or(3000, 30000)

static void *send_all(void *context) {
    channel *both = context;
    while (both->sender.sent < MESSAGES)
        if (!send_one(both)) sched_yield();
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        channel both;
        pthread_t thread;
        refuse_in = 0;
        open_channel(&both, 6, 3, seed, 0);
        refuse_in = seed % 2 ? 0 : 3;
        assert_int_equal(pthread_create(&thread, NULL, send_all, &both), 0);
        while (both.receiver.taken < MESSAGES) {
            while (both.expected < MESSAGES && expect_one(&both)) continue;
            if (!look_at_one(&both)) sched_yield();
            if (both.receiver.taken < both.receiver.received) take_one(&both, both.receiver.taken);
        }
        assert_int_equal(pthread_join(thread, NULL), 0);
        close_channel(&both);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_at_random, set_up),  cmocka_unit_test_setup(test_growing, set_up),
        cmocka_unit_test_setup(test_ring, set_up),       cmocka_unit_test_setup(test_expected, set_up),
        cmocka_unit_test_setup(test_many_rings, set_up), cmocka_unit_test_setup(test_refused, set_up),
        cmocka_unit_test_setup(test_credits, set_up),    cmocka_unit_test_setup(test_torn_word, set_up),
        cmocka_unit_test_setup(test_threads, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
