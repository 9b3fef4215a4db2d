/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zoltan's distributed directory. A global id is as many words of Zoltan's as 64 bits need, a local id one
 * word; the owner is who said so. Its tables get two lists for each entry, which was the fastest of the
 * lengths tried, and dense ids are placed in blocks by its own function for that.
 */
#include "directory.h"

#include <stdlib.h>
#include <zoltan_dd.h>

enum { ID_WORDS = (int)(sizeof(int64_t) / sizeof(ZOLTAN_ID_TYPE)) };

typedef struct zoltan {
    scene *s;
    Zoltan_DD_Directory *directory;
    ZOLTAN_ID_TYPE *own_local, *local;
} zoltan;

static void *zoltan_open(scene *s) {
    zoltan *z = room(1, sizeof *z);
    *z = (zoltan){.s = s,
                  .own_local = room((size_t)s->owned, sizeof *z->own_local),
                  .local = room((size_t)s->needed, sizeof *z->local)};
    for (int i = 0; i < s->owned; i++) z->own_local[i] = (ZOLTAN_ID_TYPE)i;
    return z;
}

static void zoltan_build(void *state) {
    zoltan *z = state;
    scene *s = z->s;
    if (Zoltan_DD_Create(&z->directory, s->comm, ID_WORDS, 1, 8 * s->payload_words, 2 * s->owned, 0))
        give_up("Zoltan_DD_Create failed on rank %d", s->rank);
    if (s->dense && Zoltan_DD_Set_Neighbor_Hash_Fn1(z->directory, s->owned))
        give_up("Zoltan_DD_Set_Neighbor_Hash_Fn1 failed on rank %d", s->rank);
    if (Zoltan_DD_Update(z->directory, (ZOLTAN_ID_PTR)s->own_id, z->own_local, (char *)s->own_payload, NULL,
                         s->owned))
        give_up("Zoltan_DD_Update failed on rank %d", s->rank);
}

static void zoltan_find(void *state) {
    zoltan *z = state;
    scene *s = z->s;
    if (Zoltan_DD_Find(z->directory, (ZOLTAN_ID_PTR)s->need_id, z->local, (char *)s->payload, NULL, s->needed,
                       s->owner))
        give_up("Zoltan_DD_Find failed on rank %d", s->rank);
}

static void zoltan_end(void *state) {
    zoltan *z = state;
    for (int i = 0; i < z->s->needed; i++) z->s->local[i] = (int64_t)z->local[i];
    Zoltan_DD_Destroy(&z->directory);
}

static void zoltan_close(void *state) {
    zoltan *z = state;
    free(z->own_local);
    free(z->local);
    free(z);
}

const method zoltan_methods[] = {
    {"zoltan-dd", OPPONENT, zoltan_open, zoltan_build, zoltan_find, zoltan_end, zoltan_close},
    {0},
};
