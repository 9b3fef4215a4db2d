/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sequential table of items, and what ranks bring to it: ids of every kind, and rounds of operations that
 * follow from a seed, so that each rank knows what all of them bring. After
 * "mpi_content.h" and "directory/directory_testing.h".
 */
#ifndef QDRI_DIRECTORY_TABLE_H
#define QDRI_DIRECTORY_TABLE_H

enum ids { IDS_SPARSE, IDS_CLUSTERED, IDS_STRIDED, IDS_ADVERSE, ID_KINDS };
enum { MOST_IDS = 1500, HOT = 12 };

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* The number whose qdri_mix() this is: ids of any hash can be had. */
static inline uint64_t unmixed(uint64_t x) {
    x ^= x >> 31 ^ x >> 62;
    x *= UINT64_C(0x319642b2d24d8ec3);
    x ^= x >> 27 ^ x >> 54;
    x *= UINT64_C(0x96de1b173f119089);
    x ^= x >> 30 ^ x >> 60;
    return x - UINT64_C(0x9e3779b97f4a7c15);
}

static inline int64_t free_id(int kind, int64_t u) {
    static const int64_t special[] = {0, -1, INT64_MIN, INT64_MAX, 1};
    const int64_t cluster[] = {-30, INT64_MIN, INT64_MAX - MOST_IDS, INT64_C(1) << 40, -(INT64_C(1) << 33)};
    switch (kind) {
    case IDS_SPARSE:
        return u < 5 ? special[u] : (int64_t)qdri_mix((uint64_t)u);
    case IDS_CLUSTERED:
        return cluster[u % 5] + u / 5;
    case IDS_STRIDED:
        return (int64_t)((uint64_t)(u - MOST_IDS / 2) << 40);
    default: /* hashes at both ends of all there are */
        return (int64_t)unmixed(u % 2 ? UINT64_MAX - (uint64_t)u : (uint64_t)u);
    }
}

static inline int64_t block_limit(int kind) {
    return kind == IDS_SPARSE      ? INT64_MAX
           : kind == IDS_CLUSTERED ? MOST_IDS
           : kind == IDS_STRIDED   ? (int64_t)MOST_IDS << 20
                                   : 3;
}

static inline int64_t block_id(int kind, int64_t u) {
    if (kind == IDS_STRIDED) return u << 20;
    if (kind != IDS_SPARSE) return u;
    return u < 2 ? u * (INT64_MAX - 1) : (int64_t)(qdri_mix((uint64_t)u) >> 1);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

typedef struct item {
    int there, owner;
    int64_t local;
    uint64_t payload; /* the key of its contents; 0: zeros */
} item;

typedef struct table {
    int kind, blocks;
    int64_t ids;
    item item[MOST_IDS];
} table;

static inline int64_t id_of(const table *all, int64_t u) {
    return all->blocks ? block_id(all->kind, u) : free_id(all->kind, u);
}

static inline void write_payload(char *place, int64_t bytes, uint64_t key) {
    if (key)
        content_fill(place, bytes, key);
    else
        memset(place, 0, (size_t)bytes);
}

static inline int payload_is(const char *place, int64_t bytes, uint64_t key) {
    char expected[100];
    write_payload(expected, bytes, key);
    return !memcmp(place, expected, (size_t)bytes);
}

/* ---- what is brought ----------------------------------------------------------------------------------- */

typedef struct round {
    qdr_directory_verb verb;
    uint64_t seed;
    int64_t most;
    int disagrees; /* insertions differ from what there is, or from each other, now and then */
} round;

enum form { OWN = 1, IN_ORDER = 2, NO_PAYLOAD = 4 }; /* arrays that are NULL */

typedef struct operation {
    int64_t u;
    item content;
} operation;

static inline int form_of(const round *it, int who) {
    uint64_t word = drawn(it->seed, 1, (uint64_t)who);
    int form = word % 3 == 0 ? (int)(word / 3 % 8) : 0;
    return it->verb == QDR_DIRECTORY_INSERT && !it->disagrees ? form & NO_PAYLOAD : form;
}

static inline int64_t count_of(const round *it, int who) {
    uint64_t word = drawn(it->seed, 2, (uint64_t)who);
    return word % 5 == 0 ? 0 : (int64_t)(word / 5 % (uint64_t)(it->most + 1));
}

static inline int64_t draw_local(uint64_t word) {
    return word % 16 == 0 ? most_local() - (int64_t)(word / 16 % 3) : (int64_t)(word / 16 % 1000);
}

/* The i-th that rank `who` brings. Who inserts what is there already mostly knows how it is. */
static inline operation draw_operation(const table *all, const round *it, int who, int64_t i, int form) {
    uint64_t word = drawn(it->seed, 3 + (uint64_t)who, (uint64_t)i);
    operation made = {.u = (int64_t)(word >> 8) % (word % 4 ? all->ids : all->ids < HOT ? all->ids : HOT)};
    uint64_t how =
        it->verb == QDR_DIRECTORY_INSERT ? drawn(it->seed, 1000, (uint64_t)made.u) : qdri_mix(word);
    if (it->disagrees && word >> 3 & 1) how = qdri_mix(word);
    made.content = all->item[made.u];
    if (it->verb != QDR_DIRECTORY_INSERT || !made.content.there || (it->disagrees && word >> 4 & 1)) {
        made.content.owner = (int)(how % (uint64_t)ranks);
        made.content.local = draw_local(qdri_mix(how));
    }
    made.content.payload = form & NO_PAYLOAD ? 0 : qdri_mix(word) | 1;
    if (form & OWN) made.content.owner = who;
    if (form & IN_ORDER) made.content.local = i;
    return made;
}

#endif
