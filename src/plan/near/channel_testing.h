/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What channels stand on, in one process: an arena that the test gives or refuses, and memory of "another" process, which is
 * this one's. For a test of channels, which includes it once.
 */
#ifndef CHANNEL_TESTING_H
#define CHANNEL_TESTING_H

#include "plan/near/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

enum { BLOCKS = 256, GRAIN = 128, ARENA = 1 << 25 };
enum { MOST = 5000, PIECE = 1024, PIECES = 3 }; /* bytes of a slot and of a piece; pieces of a ring */

static char *memory;
static struct { int64_t begin, bytes; } used[BLOCKS];
static int uses, members = 2;
static _Atomic int refuse_in; /* of so many requests one fails; 0: none, 1: all */
static qdri_random fate;

static int is_free(int64_t begin, int64_t bytes) {
    for (int i = 0; i < uses; i++)
        if (begin < used[i].begin + used[i].bytes && used[i].begin < begin + bytes) return 0;
    return 1;
}

/* First fit, so that what was given back is used again at once. */
int64_t qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    (void)wire;
    if (refuse_in && qdri_random_below(&fate, (uint64_t)refuse_in) == 0) return 0;
    bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    for (int64_t begin = GRAIN; begin + bytes <= ARENA && uses < BLOCKS; begin += GRAIN) {
        int blocked = 0;
        for (int i = 0; i < uses && !blocked; i++)
            if (begin < used[i].begin + used[i].bytes && used[i].begin < begin + bytes) {
                begin = used[i].begin + used[i].bytes - GRAIN;
                blocked = 1;
            }
        if (blocked) continue;
        assert_true(is_free(begin, bytes));
        used[uses].begin = begin;
        used[uses++].bytes = bytes;
        return begin;
    }
    return 0;
}

void qdri_arena_give(qdri_wire *wire, int64_t offset) {
    (void)wire;
    if (!offset) return;
    for (int i = 0; i < uses; i++)
        if (used[i].begin == offset) {
            memset(memory + offset, 0xee, (size_t)used[i].bytes); /* nobody may read this any more */
            used[i] = used[--uses];
            return;
        }
    fail_msg("memory at %lld was given back, but never taken", (long long)offset);
}

void qdri_arena_give_later(qdri_wire *wire, int64_t offset, const _Atomic int64_t *left) {
    assert_true(!left || *left);
    qdri_arena_give(wire, offset);
}

void qdri_arena_warm(qdri_wire *wire, const void *from, int64_t bytes) {
    (void)wire;
    memset(memory + ((const char *)from - memory), 0x5a, (size_t)bytes); /* nothing is there yet */
}

void *qdri_arena_at(const qdri_wire *wire, int member, int64_t offset) {
    (void)wire, (void)member;
    return memory + offset;
}

int qdri_node_member(const qdri_wire *wire, int rank) {
    (void)wire;
    return rank;
}

int qdri_node_members(const qdri_wire *wire) {
    (void)wire;
    return members;
}

int qdri_wire_rank(const qdri_wire *wire) {
    (void)wire;
    return 0;
}

/* ---- memory of another process ------------------------------------------------------------------------- */

static int can_read = 1; /* the system permits it */
static void (*while_reading)(void);

const qdri_status_line *qdri_status_of(qdri_wire *wire, int rank) {
    static const qdri_status_line line = {.pid = 4711};
    (void)wire, (void)rank;
    return &line;
}

qdri_own_word qdri_own_word_here(void) {
    return (qdri_own_word){1, 2};
}

int qdri_foreign_is(int64_t process, qdri_own_word expected) {
    return can_read && process == 4711 && expected.place == 1 && expected.word == 2;
}

int qdri_foreign_read(int64_t process, uint64_t place, void *into, int64_t bytes) {
    assert_int_equal(process, 4711);
    if (!can_read) return 0;
    memcpy(into, (const void *)(uintptr_t)place, (size_t)bytes);
    if (while_reading) while_reading();
    return 1;
}

/* ---- before and after each test ------------------------------------------------------------------------ */

static int set_up(void **state) {
    (void)state;
    if (!memory) memory = aligned_alloc(GRAIN, ARENA);
    refuse_in = uses = 0;
    can_read = 1;
    while_reading = NULL;
    qdri_cut_at.piece = PIECE;
    qdri_cut_at.pieces = PIECES;
    fate = qdri_random_seed(5);
    return memory == NULL;
}

static int clean_up(void **state) {
    (void)state;
    free(memory);
    memory = NULL;
    return 0;
}

#endif
