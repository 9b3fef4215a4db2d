/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: memory of each member of a node that all the others have mapped. It is mapped once for a wire,
 * much larger than it is, and backed piece by piece as its owner needs more (posix_fallocate, by the owner, so
 * it lies near him); so growing takes no agreement and no second mapping. What is given back is kept for
 * later: a list of blocks by rising offset, first fit, neighbours merged.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "wire/inside.h"

enum { GRAIN = 128, BACKED_AT_ONCE = 1 << 16, FIRST = 4096 };

typedef struct block {
    int64_t begin, bytes;
    int is_free;
} block;

struct qdri_arena {
    int tried;
    int file;
    int64_t size;   /* of each mapping */
    int64_t backed; /* of this rank's */
    char **base;    /* [members]; NULL: there is none */
    block *block;   /* of this rank's, by rising begin */
    int64_t blocks, capacity;
};

/* A gibibyte each, less where many share an address space. */
static int64_t size_for(int members) {
    int64_t most = INT64_C(1) << 30, all = INT64_C(1) << 38;
    return all / members < most ? all / members / BACKED_AT_ONCE * BACKED_AT_ONCE : most;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static qdr_status insert(qdri_arena *arena, int64_t place, block inserted) {
    if (!qdri_grow(&arena->block, &arena->capacity, arena->blocks + 1, sizeof *arena->block))
        return qdri_fail_memory();
    for (int64_t i = arena->blocks; i > place; i--) arena->block[i] = arena->block[i - 1];
    arena->block[place] = inserted;
    arena->blocks++;
    return QDR_OK;
}

static void erase(qdri_arena *arena, int64_t place) {
    arena->blocks--;
    for (int64_t i = place; i < arena->blocks; i++) arena->block[i] = arena->block[i + 1];
}

/* Puts memory behind the first bytes of the arena. */
static int back(qdri_arena *arena, int64_t end) {
    int64_t wanted = (end + BACKED_AT_ONCE - 1) / BACKED_AT_ONCE * BACKED_AT_ONCE;
    if (wanted > arena->size) wanted = arena->size;
    if (wanted <= arena->backed) return end <= arena->backed;
    if (posix_fallocate(arena->file, (off_t)arena->backed, (off_t)(wanted - arena->backed)) != 0) return 0;
    arena->backed = wanted;
    return 1;
}

int64_t qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    qdri_arena *arena = wire->arena;
    if (!qdri_arena_there(wire) || bytes < 0 || bytes > arena->size) return 0;
    bytes = bytes > 0 ? (bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN; /* each block begins elsewhere */
    for (int64_t i = 0; i < arena->blocks; i++) {
        block *found = &arena->block[i];
        if (!found->is_free || found->bytes < bytes) continue;
        if (!back(arena, found->begin + bytes)) return 0;
        block rest = {found->begin + bytes, found->bytes - bytes, 1};
        if (rest.bytes > 0) {
            if (insert(arena, i + 1, rest)) return 0;
            found = &arena->block[i];
            found->bytes = bytes;
        }
        found->is_free = 0;
        return found->begin;
    }
    return 0;
}

void qdri_arena_give(qdri_wire *wire, int64_t offset) {
    qdri_arena *arena = wire->arena;
    int64_t i = 0;
    if (!offset || !qdri_arena_there(wire)) return;
    while (arena->block[i].begin != offset) i++;
    arena->block[i].is_free = 1;
    if (i + 1 < arena->blocks && arena->block[i + 1].is_free) {
        arena->block[i].bytes += arena->block[i + 1].bytes;
        erase(arena, i + 1);
    }
    if (i > 0 && arena->block[i - 1].is_free) {
        arena->block[i - 1].bytes += arena->block[i].bytes;
        erase(arena, i);
    }
}

void *qdri_arena_at(const qdri_wire *wire, int member, int64_t offset) {
    return wire->arena->base[member] + offset;
}

int qdri_arena_there(const qdri_wire *wire) {
    return wire->arena->base != NULL;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static void detach(qdri_wire *wire, char **base) {
    for (int i = 0; base && i < wire->members; i++)
        if (base[i]) munmap(base[i], (size_t)wire->arena->size);
    free(base);
}

/* One round: each shows a word, 0 meaning failure; whether all could. */
static qdr_status all_could(qdri_wire *wire, int64_t word, double deadline, int *all) {
    *qdri_board_write(wire) = word;
    QDRI_TRY(qdri_board_show(wire, deadline));
    *all = 1;
    for (int i = 0; i < wire->members; i++) *all &= *qdri_board_read(wire, i) != 0;
    return QDR_OK;
}

static int attach(qdri_wire *wire, char **base) {
    int own = wire->member[wire->rank];
    for (int i = 0; i < wire->members; i++) {
        uint64_t token = (uint64_t)*qdri_board_read(wire, i);
        if (i != own) base[i] = qdri_share_find(token, (size_t)wire->arena->size);
        if (!base[i]) return 0;
    }
    return 1;
}

static qdr_status open_all(qdri_wire *wire, char **base, double deadline, int *all) {
    qdri_arena *arena = wire->arena;
    uint64_t token = qdri_mix(wire->token ^ UINT64_C(0xa2e4a));
    char *own = base ? qdri_share_make(token, BACKED_AT_ONCE, (size_t)arena->size, &arena->file) : NULL;
    if (own) base[wire->member[wire->rank]] = own;
    qdr_status status = all_could(wire, own ? (int64_t)token : 0, deadline, all);
    if (!status && *all) status = all_could(wire, attach(wire, base), deadline, all);
    if (own) qdri_share_unlink(token);
    return status;
}

int qdri_arena_prepare(qdri_wire *wire) {
    wire->arena = QDRI_ZERO_ARRAY(qdri_arena, 1);
    if (wire->arena) wire->arena->file = -1;
    return wire->arena != NULL;
}

qdr_status qdri_arena_open(qdri_wire *wire, double deadline) {
    qdri_arena *arena = wire->arena;
    if (arena->tried || !wire->board) return QDR_OK;
    arena->tried = 1;
    arena->size = size_for(wire->members);
    arena->backed = BACKED_AT_ONCE;
    char **base = QDRI_ZERO_ARRAY(char *, wire->members);
    /* The first page holds the token, and makes every offset differ from 0. */
    block rest = {FIRST, arena->size - FIRST, 1};
    if (base && insert(arena, 0, rest)) {
        free(base);
        base = NULL;
    }
    int all = 0;
    qdr_status status = open_all(wire, base, deadline, &all);
    if (status || !all) {
        detach(wire, base);
        if (!status) qdri_log("node of %d ranks: no shared memory to be had; they use MPI", wire->members);
        return status;
    }
    for (int i = 0; i < wire->members; i++) madvise(base[i], (size_t)arena->size, MADV_DONTDUMP);
    arena->base = base;
    return QDR_OK;
}

void qdri_arena_close(qdri_wire *wire) {
    if (!wire->arena) return;
    detach(wire, wire->arena->base);
    if (wire->arena->file >= 0) close(wire->arena->file);
    free(wire->arena->block);
    free(wire->arena);
    wire->arena = NULL;
}
