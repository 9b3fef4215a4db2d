/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena and the board without MPI: a wire of one member, made by hand, for the blocks; two processes that
 * share a board for the rest. Blocks never overlap, lie where memory was put behind them, keep what is
 * written into them, and are merged when they come back; a request that fails changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "wire/inside.h"

/* ---- memory behind the arena --------------------------------------------------------------------------- */

static int refuses;
static int64_t backed; /* up to here */

/* Files have their length already, and memory comes when it is touched. */
int __wrap_posix_fallocate(int file, off_t offset, off_t length);
int __wrap_posix_fallocate(int file, off_t offset, off_t length) {
    (void)file;
    if (refuses) return ENOSPC;
    if (offset + length > backed) backed = offset + length;
    return 0;
}

/* ---- a wire made by hand ------------------------------------------------------------------------------- */

static void open_wire(qdri_wire *wire, int rank, int ranks, void *board, void *memory) {
    *wire = (qdri_wire){.rank = rank, .ranks = ranks, .members = ranks, .one_node = 1, .crowded = 1};
    wire->member = calloc((size_t)ranks, sizeof(int));
    wire->node = calloc((size_t)ranks, sizeof(int));
    for (int r = 0; r < ranks; r++) wire->member[r] = r;
    wire->board = board;
    assert_true(qdri_arena_prepare(wire));
    if (memory) qdri_arena_attach(wire, memory, qdri_arena_size(ranks), -1, 0);
}

static void close_wire(qdri_wire *wire) {
    qdri_arena_close(wire);
    free(wire->member);
    free(wire->node);
}

static void *shared_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static qdri_wire alone;
static void *board_alone, *memory_alone;

static int set_up(void **state) {
    (void)state;
    refuses = 0;
    backed = 0;
    board_alone = shared_memory(qdri_board_bytes(1));
    memory_alone = shared_memory((size_t)qdri_arena_size(1));
    open_wire(&alone, 0, 1, board_alone, memory_alone);
    return !qdri_arena_there(&alone);
}

static int clean_up(void **state) {
    (void)state;
    close_wire(&alone);
    return munmap(board_alone, qdri_board_bytes(1)) || munmap(memory_alone, (size_t)qdri_arena_size(1));
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

enum { BLOCKS = 60, GRAIN = 128, WHOLE = (1 << 30) - 128 /* what one member has, but for the first grain */ };

typedef struct live {
    int64_t offset, bytes;
    unsigned char mark;
} live;

static void write_block(const live *one) {
    memset(qdri_arena_at(&alone, 0, one->offset), one->mark, (size_t)one->bytes);
}

static void check_block(const live *one) {
    const unsigned char *byte = qdri_arena_at(&alone, 0, one->offset);
    for (int64_t i = 0; i < one->bytes; i++)
        if (byte[i] != one->mark) fail_msg("byte %lld of a block has changed", (long long)i);
}

/* The largest block that can be had; it is given back. */
static int64_t largest(void) {
    int64_t low = 0, high = INT64_C(1) << 31;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2, offset = qdri_arena_take(&alone, middle);
        qdri_arena_give(&alone, offset);
        if (offset)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void test_blocks(void **state) {
    (void)state;
    live block[BLOCKS] = {{0}};
    qdri_random random = qdri_random_seed(3);
    for (int step = 0; step < 20000; step++) {
        live *one = &block[qdri_random_below(&random, BLOCKS)];
        if (one->offset) {
            check_block(one);
            qdri_arena_give(&alone, one->offset);
            one->offset = 0;
            continue;
        }
        refuses = qdri_random_below(&random, 5) == 0;
        one->bytes = (int64_t)qdri_random_below(&random, qdri_random_below(&random, 9) ? 700 : 30000);
        one->mark = (unsigned char)qdri_random_next(&random);
        one->offset = qdri_arena_take(&alone, one->bytes);
        if (!one->offset) {
            assert_true(refuses);
            continue;
        }
        assert_int_equal(one->offset % GRAIN, 0);
        assert_true(one->offset + one->bytes <= backed);
        for (int i = 0; i < BLOCKS; i++)
            if (&block[i] != one && block[i].offset)
                assert_true(one->offset + one->bytes <= block[i].offset ||
                            block[i].offset + block[i].bytes <= one->offset);
        write_block(one);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (block[i].offset) check_block(&block[i]);
        qdri_arena_give(&alone, block[i].offset);
    }
    refuses = 0;
    assert_int_equal(largest(), WHOLE); /* all were merged */
}

/* First fit: what was given back is used before more memory is asked for. */
static void test_reuse(void **state) {
    (void)state;
    int64_t offset[40], before;
    for (int i = 0; i < 40; i++) assert_true((offset[i] = qdri_arena_take(&alone, 5000)) > 0);
    before = backed;
    for (int i = 0; i < 40; i += 2) qdri_arena_give(&alone, offset[i]);
    for (int i = 0; i < 40; i += 2) assert_true((offset[i] = qdri_arena_take(&alone, 4000)) > 0);
    assert_int_equal(backed, before);
    refuses = 1;
    for (int i = 0; i < 40; i++) qdri_arena_give(&alone, offset[i]);
    int64_t whole = qdri_arena_take(&alone, 39 * 5000); /* as one block, without any other memory */
    assert_true(whole > 0);
    qdri_arena_give(&alone, whole);
}

/* What somebody may write to still is not used again before he has left; the block that says so goes with the others. */
static void test_awaited(void **state) {
    (void)state;
    int64_t own = qdri_arena_take(&alone, 5000), other = qdri_arena_take(&alone, 5000), whole = largest();
    _Atomic int64_t *left = qdri_arena_at(&alone, 0, own);
    *left = 0;
    qdri_arena_give_later(&alone, other, left);
    qdri_arena_give_later(&alone, own, left);
    assert_int_equal(largest(), whole);
    *left = 1;
    assert_int_equal(largest(), WHOLE);
    own = qdri_arena_take(&alone, 100);
    qdri_arena_give_later(&alone, own, NULL);
    assert_int_equal(largest(), WHOLE);
}

static void test_refusals(void **state) {
    (void)state;
    assert_int_equal(qdri_arena_take(&alone, -1), 0);
    assert_int_equal(qdri_arena_take(&alone, INT64_MAX), 0);
    assert_int_equal(qdri_arena_take(&alone, INT64_MAX - 100), 0);
    refuses = 1;
    for (int i = 0; i < 100; i++) assert_int_equal(qdri_arena_take(&alone, 1 << 28), 0);
    refuses = 0;
    int64_t empty = qdri_arena_take(&alone, 0), other = qdri_arena_take(&alone, 0);
    assert_true(empty > 0 && other > 0 && empty != other);
    qdri_arena_give(&alone, empty);
    qdri_arena_give(&alone, other);
    qdri_arena_give(&alone, 0);
    assert_int_equal(largest(), WHOLE);
}

/* ---- two processes ------------------------------------------------------------------------------------- */

enum { MEMBERS = 3, ROUNDS = 3000 };

static int64_t word_of(int member, int round, int at) {
    return (int64_t)qdri_mix((uint64_t)member << 40 ^ (uint64_t)round << 8 ^ (uint64_t)at);
}

/* Each shows other words in each round, and reads those of all; then each writes into the memory of the
 * others. What is wrong is counted. */
static int live_together(int rank, void *board, void *memory) {
    qdri_wire wire;
    int wrong = 0;
    open_wire(&wire, rank, MEMBERS, board, memory);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t *row = qdri_board_write(&wire);
        for (int at = 0; at < QDRI_BOARD_WORDS; at++) row[at] = word_of(rank, round, at);
        wrong += qdri_board_show(&wire, "a call", 1, 0) != QDR_OK;
        for (int m = 0; m < MEMBERS; m++)
            for (int at = 0; at < QDRI_BOARD_WORDS; at++)
                wrong += qdri_board_read(&wire, m)[at] != word_of(m, round, at);
    }
    if (!wrong) {
        int64_t own = qdri_arena_take(&wire, MEMBERS * (int64_t)sizeof(int64_t));
        *qdri_board_write(&wire) = own;
        wrong += qdri_board_show(&wire, "a call", 1, 0) != QDR_OK;
        for (int m = 0; m < MEMBERS; m++)
            ((int64_t *)qdri_arena_at(&wire, m, *qdri_board_read(&wire, m)))[rank] = word_of(rank, 1, m);
        wrong += qdri_board_show(&wire, "a call", 1, 0) != QDR_OK;
        for (int m = 0; m < MEMBERS; m++)
            wrong += ((int64_t *)qdri_arena_at(&wire, rank, own))[m] != word_of(m, 1, rank);
        wrong += qdri_board_show(&wire, "a call", 1, 0) != QDR_OK;
    }
    close_wire(&wire);
    return wrong != 0;
}

static void test_processes(void **state) {
    (void)state;
    size_t bytes = MEMBERS * (size_t)qdri_arena_size(MEMBERS);
    void *board = shared_memory(qdri_board_bytes(MEMBERS)), *memory = shared_memory(bytes);
    pid_t child[MEMBERS];
    refuses = 0;
    for (int r = 1; r < MEMBERS; r++) {
        child[r] = fork();
        assert_true(child[r] >= 0);
        if (child[r] == 0) _exit(live_together(r, board, memory));
    }
    assert_int_equal(live_together(0, board, memory), 0);
    for (int r = 1; r < MEMBERS; r++) {
        int how = -1;
        assert_int_equal(waitpid(child[r], &how, 0), child[r]);
        assert_int_equal(how, 0);
    }
    munmap(board, qdri_board_bytes(MEMBERS));
    munmap(memory, bytes);
}

/* Whoever waits for one that does not come is told so, and the wire is broken; and so is whoever comes too
 * late, at once. */
static void test_deadline(void **state) {
    (void)state;
    void *board = shared_memory(qdri_board_bytes(2));
    qdri_wire wire, late;
    open_wire(&wire, 0, 2, board, NULL);
    open_wire(&late, 1, 2, board, NULL);
    assert_int_equal(qdri_board_show(&wire, "a call", 1, qdri_seconds() + 0.05), QDR_ERR_STALLED);
    assert_int_equal(qdri_board_show(&wire, "a call", 1, 0), QDR_ERR_LOST);
    assert_int_equal(qdri_board_show(&late, "a call", 1, 0), QDR_ERR_STALLED);
    assert_int_equal(qdri_board_show(&late, "a call", 1, 0), QDR_ERR_LOST);
    close_wire(&wire);
    close_wire(&late);
    munmap(board, qdri_board_bytes(2));
}

static void test_no_arena(void **state) {
    (void)state;
    qdri_wire wire;
    open_wire(&wire, 0, 1, NULL, NULL);
    assert_false(qdri_arena_there(&wire));
    assert_int_equal(qdri_arena_take(&wire, 1), 0);
    qdri_arena_give(&wire, 0);
    close_wire(&wire);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks, set_up, clean_up),
        cmocka_unit_test_setup_teardown(test_reuse, set_up, clean_up),
        cmocka_unit_test_setup_teardown(test_awaited, set_up, clean_up),
        cmocka_unit_test_setup_teardown(test_refusals, set_up, clean_up),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_no_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
