/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: memory of each member of a node that all the others have mapped. It is part of the node's
 * segment, much larger than what is behind it: its owner puts memory behind it piece by piece as he needs it
 * (posix_fallocate, by the owner, so it lies near him); so growing takes no agreement and no second mapping.
 * What is given back is kept for later: a list of blocks by rising offset, first fit, neighbours merged.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/inside.h"

enum { GRAIN = 128, BACKED_AT_ONCE = 1 << 16 };

typedef struct block {
    int64_t begin, bytes;
    int is_free;
} block;

/* A block that is free when somebody has left. */
typedef struct awaited {
    int64_t offset;
    const _Atomic int64_t *left;
} awaited;

struct qdri_arena {
    char *base;   /* of the first member's; NULL: there is none */
    int64_t size; /* of each member's */
    int file;
    int64_t at;     /* in the file: where this rank's begins */
    int64_t backed; /* of this rank's */
    block *block;   /* of this rank's, by rising begin */
    int64_t blocks, capacity;
    awaited *awaited; /* in the order in which they were given */
    int64_t awaiteds, awaited_capacity;
    uint64_t
        *found; /* a bit for each page of all members' that this process has found; NULL: it keeps no count */
    int64_t page;
};

/* A gibibyte each, less where many share an address space. */
int64_t qdri_arena_size(int members) {
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
    if (!qdri_share_back(arena->file, arena->at + arena->backed, wanted - arena->backed)) return 0;
    arena->backed = wanted;
    return 1;
}

/* Gives back what nobody writes to any more. Whether somebody has left is asked once for all of his, since it stands in the
 * last of them. */
static void give_awaited(qdri_wire *wire) {
    qdri_arena *arena = wire->arena;
    const _Atomic int64_t *asked = NULL;
    int64_t stay = 0, has_left = 0;
    for (int64_t i = 0; i < arena->awaiteds; i++) {
        awaited one = arena->awaited[i];
        if (one.left != asked) has_left = atomic_load_explicit(one.left, memory_order_acquire);
        asked = one.left;
        if (has_left)
            qdri_arena_give(wire, one.offset);
        else
            arena->awaited[stay++] = one;
    }
    arena->awaiteds = stay;
}

int64_t qdri_arena_take(qdri_wire *wire, int64_t bytes) {
    qdri_arena *arena = wire->arena;
    if (!qdri_arena_there(wire) || bytes < 0 || bytes > arena->size) return 0;
    if (arena->awaiteds > 0) give_awaited(wire);
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

/* Without memory to remember it, it stays until the arena goes. */
void qdri_arena_give_later(qdri_wire *wire, int64_t offset, const _Atomic int64_t *left) {
    qdri_arena *arena = wire->arena;
    if (!left) {
        qdri_arena_give(wire, offset);
        return;
    }
    if (!offset || !qdri_arena_there(wire)) return;
    if (qdri_grow(&arena->awaited, &arena->awaited_capacity, arena->awaiteds + 1, sizeof *arena->awaited))
        arena->awaited[arena->awaiteds++] = (awaited){offset, left};
}

void *qdri_arena_at(const qdri_wire *wire, int member, int64_t offset) {
    return wire->arena->base + member * wire->arena->size + offset;
}

/* ---- its pages ----------------------------------------------------------------------------------------- */

static int is_found(const qdri_arena *arena, int64_t page) {
    return (int)(arena->found[page / 64] >> page % 64 & 1);
}

/* Systems that know no such thing find the pages one by one, when they are needed. */
static void find_pages(qdri_arena *arena, int64_t from, int64_t to) {
#ifdef MADV_POPULATE_WRITE
    (void)madvise(arena->base + from * arena->page, (size_t)((to - from) * arena->page), MADV_POPULATE_WRITE);
#endif
    for (int64_t page = from; page < to; page++) arena->found[page / 64] |= UINT64_C(1) << page % 64;
}

/* What a plan before has used is there: asking the system for it again would take longer than many an exchange. */
void qdri_arena_warm(qdri_wire *wire, const void *from, int64_t bytes) {
    qdri_arena *arena = wire->arena;
    if (!arena->found || bytes <= 0) return;
    int64_t begin = (const char *)from - arena->base;
    int64_t page = begin / arena->page, end = (begin + bytes + arena->page - 1) / arena->page;
    while (page < end) {
        int64_t next = page + 1;
        while (next < end && is_found(arena, next) == is_found(arena, page)) next++;
        if (!is_found(arena, page)) find_pages(arena, page, next);
        page = next;
    }
}

int qdri_arena_there(const qdri_wire *wire) {
    return wire->arena->base != NULL;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

int qdri_arena_prepare(qdri_wire *wire) {
    enum { FIRST_BLOCKS = 16 };
    wire->arena = QDRI_ZERO_ARRAY(qdri_arena, 1);
    return wire->arena && qdri_grow(&wire->arena->block, &wire->arena->capacity, FIRST_BLOCKS, sizeof(block));
}

/* The first grain is nobody's, so that no offset is 0. */
void qdri_arena_attach(qdri_wire *wire, char *base, int64_t size, int file, int64_t at) {
    qdri_arena *arena = wire->arena;
    arena->base = base;
    arena->size = size;
    arena->file = file;
    arena->at = at + wire->member[wire->rank] * size;
    arena->block[0] = (block){GRAIN, size - GRAIN, 1};
    arena->blocks = 1;
    arena->page = sysconf(_SC_PAGESIZE);
    arena->found = QDRI_ZERO_ARRAY(uint64_t, wire->members * (size / arena->page / 64 + 1));
}

void qdri_arena_close(qdri_wire *wire) {
    if (wire->arena) {
        free(wire->arena->block);
        free(wire->arena->awaited);
        free(wire->arena->found);
    }
    free(wire->arena);
    wire->arena = NULL;
}
