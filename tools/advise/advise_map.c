/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table with open addressing, at most half full. Keys are mixed before they are used as places, so
 * that ids that differ in their high halves only do not meet.
 */
#include "advise_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/complain.h"

uint64_t digest_word(uint64_t digest, uint64_t word) {
    digest = (digest ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    digest = (digest ^ digest >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    digest = (digest ^ digest >> 27) * UINT64_C(0x94d049bb133111eb);
    return digest ^ digest >> 31;
}

uint64_t digest_bytes(uint64_t digest, const char *bytes, size_t size) {
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        digest = digest_word(digest, word);
    }
    for (; size > 0; bytes++, size--) digest = digest_word(digest, (unsigned char)*bytes);
    return digest;
}

/* Where the key is, or would be. */
static int64_t place_of(const map *map, uint64_t key) {
    int64_t at = (int64_t)(digest_word(0, key) & (uint64_t)(map->capacity - 1));
    while (map->value[at] && map->key[at] != key) at = (at + 1) & (map->capacity - 1);
    return at;
}

int64_t map_find(const map *map, uint64_t key) {
    return map->capacity ? map->value[place_of(map, key)] - 1 : -1;
}

static void grow(map *old) {
    map larger = {.capacity = old->capacity ? 2 * old->capacity : 64, .count = old->count};
    larger.key = ALLOCATE(uint64_t, larger.capacity);
    larger.value = ALLOCATE(int64_t, larger.capacity);
    for (int64_t i = 0; i < old->capacity; i++) {
        if (!old->value[i]) continue;
        int64_t at = place_of(&larger, old->key[i]);
        larger.key[at] = old->key[i];
        larger.value[at] = old->value[i];
    }
    map_clear(old);
    *old = larger;
}

void map_add(map *map, uint64_t key, int64_t value) {
    if (2 * map->count >= map->capacity) grow(map);
    int64_t at = place_of(map, key);
    map->key[at] = key;
    map->value[at] = value + 1;
    map->count++;
}

void map_clear(map *map) {
    free(map->key);
    free(map->value);
    memset(map, 0, sizeof *map);
}
