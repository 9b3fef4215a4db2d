/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for 64-bit keys: ids as they are, or digests of longer things. */
#ifndef ADVISE_MAP_H
#define ADVISE_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct map {
    uint64_t *key;
    int64_t *value; /* + 1; 0: an empty place */
    int64_t capacity, count;
} map;

/* The number of a key; -1 when it has none. */
int64_t map_find(const map *map, uint64_t key);

/* Gives a number, at least 0, to a key that has none. */
void map_add(map *map, uint64_t key, int64_t value);

void map_clear(map *map);

/* One more word, or `size` more bytes, into a digest. */
uint64_t digest_word(uint64_t digest, uint64_t word);
uint64_t digest_bytes(uint64_t digest, const char *bytes, size_t size);

#endif
