/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank has found, kept so that it need not ask again. Whoever changes entries marks their ids in a set
 * of 4096 bits, which is united by the council of the round; at its end every rank forgets what is marked.
 * So a cache is never wrong, and forgets too much only by chance, or when a great deal has changed.
 */
#include "directory/inside.h"

enum { BITS = 64 * QDRI_UNITED };

static int is_marked(const uint64_t *set, int64_t id) {
    uint64_t bit = qdri_mix((uint64_t)id) % BITS;
    return (int)(set[bit / 64] >> bit % 64 & 1);
}

void qdri_cache_changed(const qdr_directory_call *call, uint64_t *set) {
    for (int64_t i = 0; i < call->count; i++) {
        uint64_t bit = qdri_mix((uint64_t)call->id[i]) % BITS;
        set[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

void qdri_cache_forget(qdr_directory *directory, const uint64_t *set) {
    qdri_shelf *cache = &directory->cache;
    uint64_t any = 0;
    for (int i = 0; i < QDRI_UNITED; i++) any |= set[i];
    /* Closing a gap brings another entry to the same place, never to one before it. */
    for (int64_t i = 0; any && i < cache->capacity;)
        if (cache->entry[i].word && is_marked(set, cache->entry[i].id))
            qdri_shelf_erase(cache, i);
        else
            i++;
}

void qdri_cache_add(qdr_directory *directory, int64_t id, uint64_t word, const char *payload) {
    qdri_shelf *cache = &directory->cache;
    if (!word || !qdri_shelf_reserve(cache, 1)) return;
    int64_t place = qdri_seek(cache->entry, cache->capacity, id,
                              qdri_home(qdri_scatter(id, cache->spread), cache->capacity));
    if (!cache->entry[place].word) qdri_shelf_put(cache, place, (qdri_entry){id, word}, payload);
}
