/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases for the tests of migration. How many items a rank has and where each goes follow from the case alone,
 * so every rank knows what every other must end up with. An item of 8 bytes or more says where it comes from
 * and which it is; all its bytes follow from that. Smaller ones are compared as a multiset.
 */
#ifndef MIGRATE_CASES_H
#define MIGRATE_CASES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

typedef enum case_pattern {
    PATTERN_NONE,     /* everything stays */
    PATTERN_SHIFT,    /* all to the next rank */
    PATTERN_TO_ONE,   /* all to rank 0 */
    PATTERN_FROM_ONE, /* only the last rank has any, for everybody */
    PATTERN_RANDOM,
    PATTERN_SWAP, /* pairs exchange everything; of an odd number the last keeps its own */
    PATTERN_FEW,  /* each has some for two others, and keeps most */
    PATTERNS
} case_pattern;

static const char *const pattern_names[] = {"none", "shift", "to-one", "from-one", "random", "swap", "few"};

typedef struct migration_case {
    case_pattern pattern;
    int ranks;
    int64_t items; /* per rank, about */
    uint64_t seed;
} migration_case;

static inline int64_t case_count(const migration_case *what, int rank) {
    if (what->pattern == PATTERN_FROM_ONE) return rank == what->ranks - 1 ? what->items * what->ranks : 0;
    if (what->pattern == PATTERN_SWAP || what->pattern == PATTERN_SHIFT) return what->items;
    return what->items / 2 +
           (int64_t)(qdri_mix(what->seed * 977 + (uint64_t)rank) % (uint64_t)(what->items + 1));
}

static inline int case_destination(const migration_case *what, int rank, int64_t number) {
    uint64_t word = qdri_mix(what->seed ^ qdri_mix((uint64_t)rank << 40 ^ (uint64_t)number));
    int other = rank ^ 1;
    switch (what->pattern) {
    case PATTERN_SHIFT:
        return (rank + 1) % what->ranks;
    case PATTERN_TO_ONE:
        return 0;
    case PATTERN_FROM_ONE:
    case PATTERN_RANDOM:
        return (int)(word % (uint64_t)what->ranks);
    case PATTERN_SWAP:
        return other < what->ranks ? other : rank;
    case PATTERN_FEW:
        return word % 5 ? rank : (int)(((uint64_t)rank + 1 + word / 5 % 2) % (uint64_t)what->ranks);
    default:
        return rank;
    }
}

/* What a rank has in the end. */
static inline int64_t case_final(const migration_case *what, int rank) {
    int64_t final = 0;
    for (int origin = 0; origin < what->ranks; origin++)
        for (int64_t i = 0, count = case_count(what, origin); i < count; i++)
            final += case_destination(what, origin, i) == rank;
    return final;
}

/* ---- items --------------------------------------------------------------------------------------------- */

static inline void item_write(unsigned char *item, int64_t bytes, int origin, int64_t number) {
    uint64_t name = (uint64_t)origin << 40 | (uint64_t)number;
    if (bytes < 8) {
        for (int64_t i = 0; i < bytes; i++) item[i] = (unsigned char)(qdri_mix(name) >> 8 * i);
        return;
    }
    memcpy(item, &name, 8);
    uint64_t word = qdri_mix(name);
    for (int64_t at = 8; at < bytes; at++)
        item[at] = (unsigned char)((word >> 8 * (at % 8)) + (uint64_t)(at / 8));
}

/* Whether its bytes are right; of what it says it is. */
static inline int item_read(const unsigned char *item, int64_t bytes, int *origin, int64_t *number) {
    uint64_t name, word;
    memcpy(&name, item, 8);
    *origin = (int)(name >> 40);
    *number = (int64_t)(name & ((UINT64_C(1) << 40) - 1));
    word = qdri_mix(name);
    for (int64_t at = 8; at < bytes; at++)
        if (item[at] != (unsigned char)((word >> 8 * (at % 8)) + (uint64_t)(at / 8))) return 0;
    return 1;
}

/* Whether a rank has exactly the items that it shall have: of all that go to it (`moved`), or of its own. */
static inline const char *items_wrong(const migration_case *what, int rank, const unsigned char *items,
                                      int64_t bytes, int64_t count, int moved) {
    int64_t due = moved ? case_final(what, rank) : case_count(what, rank);
    int64_t most = what->items * what->ranks * 2 + 2;
    if (count != due) return "there are too many or too few";
    if (bytes < 8) {
        int64_t histogram[256] = {0};
        for (int64_t i = 0; i < count; i++) histogram[items[i * bytes]]++;
        for (int origin = 0; origin < what->ranks; origin++)
            for (int64_t i = 0, has = case_count(what, origin); i < has; i++) {
                unsigned char item[8];
                if ((moved ? case_destination(what, origin, i) : origin) != rank) continue;
                item_write(item, bytes, origin, i);
                histogram[item[0]]--;
            }
        for (int value = 0; value < 256; value++)
            if (histogram[value]) return "some are not those that were sent";
        return NULL;
    }
    unsigned char *seen = calloc((size_t)what->ranks, (size_t)most);
    const char *wrong = NULL;
    for (int64_t i = 0; i < count && !wrong; i++) {
        int origin;
        int64_t number;
        if (!item_read(items + i * bytes, bytes, &origin, &number))
            wrong = "bytes are not those that were sent";
        else if (origin < 0 || origin >= what->ranks || number >= case_count(what, origin))
            wrong = "there is no such item";
        else if ((moved ? case_destination(what, origin, number) : origin) != rank)
            wrong = "one belongs elsewhere";
        else if (seen[origin * most + number]++)
            wrong = "one is there twice";
    }
    free(seen);
    return wrong;
}

#endif
