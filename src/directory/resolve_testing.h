/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns what and who needs what, drawn from seeds so that every rank knows it all: what must come of
 * resolving it is then plain. After "directory/directory_testing.h".
 */
#ifndef QDRI_RESOLVE_CASES_H
#define QDRI_RESOLVE_CASES_H

enum owned { OWNED_ANYHOW, OWNED_IN_BLOCKS, OWNED_BY_ONE, OWNED_BY_FEW, OWNED_KINDS };
enum needed { NEEDED_SOME, NEEDED_AGAIN, NEEDED_BY_FEW, NEEDED_BY_ALL, NEEDED_NOTHING, NEEDED_KINDS };
enum limits { LIMIT_NONE, LIMIT_DENSE, LIMIT_WIDE, LIMIT_KINDS };

/* Items 0 .. items-1; those from `owned` on nobody owns. */
typedef struct scene {
    uint64_t seed;
    int64_t items, owned;
    enum owned owned_kind;
    enum needed needed_kind;
    enum limits limit_kind;
    int strange; /* ids that nobody owns are needed too */
    int *owner;  /* [items]; QDR_NOBODY: nobody */
    int64_t *place;
    int64_t own_count, *own_item, *own_id;
    int64_t need_count, *need_item, *need_id;
} scene;

static inline int64_t scene_id(const scene *all, int64_t item) {
    switch (all->limit_kind) {
    case LIMIT_DENSE:
        return (item * 7919 + 13) % all->items; /* 7919 is a prime that does not divide it */
    case LIMIT_WIDE:
        return item << 40 | 5;
    default:
        return (int64_t)qdri_mix((uint64_t)item);
    }
}

static inline int64_t scene_limit(const scene *all) {
    return all->limit_kind == LIMIT_DENSE ? all->items : all->limit_kind == LIMIT_WIDE ? INT64_MAX : 0;
}

static inline int scene_owner(const scene *all, int64_t item) {
    uint64_t word = drawn(all->seed, 1, (uint64_t)item);
    if (item >= all->owned) return QDR_NOBODY;
    switch (all->owned_kind) {
    case OWNED_IN_BLOCKS:
        return (int)(item * ranks / all->owned);
    case OWNED_BY_ONE:
        return (int)(all->seed % (uint64_t)ranks);
    case OWNED_BY_FEW:
        return (int)(word % (uint64_t)ranks) & ~1;
    default:
        return (int)(word % (uint64_t)ranks);
    }
}

static inline int64_t scene_needs(const scene *all, int who) {
    uint64_t word = drawn(all->seed, 2, (uint64_t)who);
    switch (all->needed_kind) {
    case NEEDED_AGAIN:
        return (int64_t)(word % 900);
    case NEEDED_BY_FEW:
        return who % 3 == 1 ? 200 : 0;
    case NEEDED_BY_ALL:
        return all->owned;
    case NEEDED_NOTHING:
        return 0;
    default:
        return (int64_t)(word % 120);
    }
}

static inline int64_t scene_need(const scene *all, int who, int64_t i) {
    uint64_t word = drawn(all->seed, 3 + (uint64_t)who, (uint64_t)i);
    if (all->strange && word % 8 == 0 && all->items > all->owned)
        return all->owned + (int64_t)(word / 8 % (uint64_t)(all->items - all->owned));
    if (all->needed_kind == NEEDED_BY_ALL || all->owned == 0) return i;
    return (int64_t)(word / 8 %
                     (uint64_t)(all->needed_kind == NEEDED_AGAIN ? all->owned / 9 + 1 : all->owned));
}

/* Owners have first the even items, then the odd ones. */
static inline void list_items(scene *all) {
    for (int64_t item = 0; item < all->items; item++) all->owner[item] = scene_owner(all, item);
    int64_t *count = calloc((size_t)ranks, sizeof *count);
    for (int half = 0; half < 2; half++)
        for (int64_t item = half; item < all->items; item += 2) {
            if (all->owner[item] < 0) continue;
            all->place[item] = count[all->owner[item]]++;
            if (all->owner[item] != rank) continue;
            all->own_item[all->own_count] = item;
            all->own_id[all->own_count++] = scene_id(all, item);
        }
    free(count);
}

static inline void open_scene(scene *all) {
    size_t room = (size_t)all->items + 1;
    all->need_count = scene_needs(all, rank);
    all->owner = malloc(room * sizeof *all->owner);
    all->place = malloc(room * sizeof *all->place);
    all->own_item = malloc(room * sizeof *all->own_item);
    all->own_id = malloc(room * sizeof *all->own_id);
    all->need_item = malloc((size_t)(all->need_count + 1) * sizeof *all->need_item);
    all->need_id = malloc((size_t)(all->need_count + 1) * sizeof *all->need_id);
    all->own_count = 0;
    list_items(all);
    for (int64_t i = 0; i < all->need_count; i++) {
        all->need_item[i] = scene_need(all, rank, i);
        all->need_id[i] = scene_id(all, all->need_item[i]);
    }
}

static inline void close_scene(scene *all) {
    free(all->owner);
    free(all->place);
    free(all->own_item);
    free(all->own_id);
    free(all->need_item);
    free(all->need_id);
}

/* The positions of own items that other ranks need, and of some more; in [own_count]. */
static inline int64_t list_boundary(const scene *all, int64_t *boundary) {
    char *wanted = calloc((size_t)all->items + 1, 1);
    int64_t count = 0;
    for (int who = 0; who < ranks; who++)
        for (int64_t i = 0; who != rank && i < scene_needs(all, who); i++)
            wanted[scene_need(all, who, i)] = 1;
    for (int64_t k = all->own_count; k-- > 0;)
        if (wanted[all->own_item[k]] || drawn(all->seed, 9, (uint64_t)k) % 5 == 0) boundary[count++] = k;
    free(wanted);
    return count;
}

/* Whether an id that nobody owns is needed: the first by rising rank, then by position. */
static inline int first_unknown(const scene *all, int64_t *id, int *who) {
    for (*who = 0; *who < ranks; ++*who)
        for (int64_t i = 0; i < scene_needs(all, *who); i++) {
            int64_t item = scene_need(all, *who, i);
            *id = scene_id(all, item);
            if (all->owner[item] == QDR_NOBODY) return 1;
        }
    return 0;
}

#endif
