/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links and values for the tests of maps, and what must come of them. Everything is a function of a seed, so
 * each rank knows the lists and the values of all, and computes what an exchange has to leave in its own
 * arrays by itself, one contribution after the other: by rising source, then in the order of the list. The
 * arithmetic is written down here once more, value by value, and shares nothing with the library's.
 *
 * Values are small whole numbers, so that floating-point results do not depend on the order; `real` values
 * do, and are for maps that are not unordered.
 */
#ifndef QDRI_MAP_CASES_H
#define QDRI_MAP_CASES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "quadrille/map.h"

/* ---- links --------------------------------------------------------------------------------------------- */

/* How the elements of one rank's side stand in its lists, taken together. */
typedef enum list_kind {
    LIST_CONTIGUOUS,
    LIST_STRIDED,
    LIST_FALLING,
    LIST_RUNS,
    LIST_RANDOM,
    LIST_CROWDED, /* elements stand in it several times */
    LIST_KINDS
} list_kind;

/* All links of all ranks. List (p, q) is out[p][out_start[p * (n + 1) + q] ...] at its source and
 * in[q][in_start[q * (n + 1) + p] ...] at its target. */
typedef struct links {
    int ranks;
    int64_t *count; /* [ranks * ranks], origin first; -1: not partners */
    int64_t *out_start, *in_start;
    int64_t **out, **in;
    int64_t *out_elements, *in_elements; /* [ranks]: arrays of this length hold all of them */
} links;

static inline uint64_t mixed(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return qdri_mix(qdri_mix(qdri_mix(qdri_mix(a) ^ b) ^ c) ^ d);
}

/* Some ranks send nothing, some pairs are no partners, some partners have nothing for each other. */
static inline int64_t draw_count(uint64_t partner_seed, uint64_t count_seed, int p, int q, int64_t most) {
    uint64_t word = mixed(count_seed, 1, (uint64_t)p, (uint64_t)q);
    if (mixed(partner_seed, 2, (uint64_t)p, 0) % 7 == 0) return -1;
    if (mixed(partner_seed, 3, (uint64_t)p, (uint64_t)q) % 4 == 0) return -1;
    return word % 8 == 0 ? 0 : 1 + (int64_t)(word / 8 % (uint64_t)most);
}

static inline void arrange(list_kind kind, uint64_t seed, int64_t total, int64_t *index) {
    qdri_random random = qdri_random_seed(seed);
    for (int64_t x = 0; x < total; x++) {
        static const int run = 5;
        index[x] = kind == LIST_STRIDED   ? 3 * x + 1
                   : kind == LIST_FALLING ? 2 * (total - x)
                   : kind == LIST_RUNS    ? x / run * (run + 2) + x % run
                   : kind == LIST_CROWDED ? (int64_t)qdri_random_below(&random, (uint64_t)total / 3 + 1)
                                          : x;
    }
    for (int64_t x = total - 1; kind == LIST_RANDOM && x > 0; x--) {
        int64_t other = qdri_random_between(&random, 0, x), kept = index[x];
        index[x] = index[other];
        index[other] = kept;
    }
}

static inline int64_t place_lists(const links *all, int rank, int receives, int64_t *start) {
    int n = all->ranks;
    start[0] = 0;
    for (int r = 0; r < n; r++) {
        int64_t count = receives ? all->count[r * n + rank] : all->count[rank * n + r];
        start[r + 1] = start[r] + (count > 0 ? count : 0);
    }
    return start[n];
}

static inline int64_t *open_side(links *all, int rank, int receives, list_kind kind, uint64_t seed) {
    int64_t *start = (receives ? all->in_start : all->out_start) + (int64_t)rank * (all->ranks + 1);
    int64_t total = place_lists(all, rank, receives, start), highest = -1;
    int64_t *index = malloc((size_t)(total + 1) * sizeof *index);
    arrange(kind, mixed(seed, 3, (uint64_t)receives, (uint64_t)rank), total, index);
    for (int64_t x = 0; x < total; x++)
        if (index[x] > highest) highest = index[x];
    (receives ? all->in_elements : all->out_elements)[rank] = highest + 3;
    return index;
}

/* Who are partners, how much they have for each other, and which elements: a seed for each. */
typedef struct link_seeds {
    uint64_t partners, counts, lists;
} link_seeds;

/* Pairs that have nothing in `before`, or are no partners there, are the same here; NULL: no matter. */
static inline links *open_links(int ranks, link_seeds seed, int64_t most, list_kind source, list_kind target,
                                const links *before) {
    links *all = calloc(1, sizeof *all);
    size_t n = (size_t)ranks;
    *all = (links){ranks,
                   malloc(n * n * sizeof(int64_t)),
                   malloc(n * (n + 1) * sizeof(int64_t)),
                   malloc(n * (n + 1) * sizeof(int64_t)),
                   malloc(n * sizeof(int64_t *)),
                   malloc(n * sizeof(int64_t *)),
                   malloc(n * sizeof(int64_t)),
                   malloc(n * sizeof(int64_t))};
    for (int p = 0; p < ranks; p++)
        for (int q = 0; q < ranks; q++) {
            int64_t drawn = draw_count(seed.partners, seed.counts, p, q, most);
            int64_t *count = &all->count[p * ranks + q];
            int64_t most_now = before ? before->count[p * ranks + q] : drawn;
            *count = drawn > 0 && most_now <= 0 ? most_now : drawn;
        }
    for (int r = 0; r < ranks; r++) {
        all->out[r] = open_side(all, r, 0, source, seed.lists);
        all->in[r] = open_side(all, r, 1, target, seed.lists);
    }
    return all;
}

static inline void close_links(links *all) {
    if (!all) return;
    for (int r = 0; r < all->ranks; r++) {
        free(all->out[r]);
        free(all->in[r]);
    }
    free(all->count);
    free(all->out_start);
    free(all->in_start);
    free(all->out);
    free(all->in);
    free(all->out_elements);
    free(all->in_elements);
    free(all);
}

/* The list of one partner: `out` says which end's elements. */
static inline const int64_t *list_of(const links *all, int p, int q, int out) {
    int n = all->ranks;
    return out ? all->out[p] + all->out_start[(int64_t)p * (n + 1) + q]
               : all->in[q] + all->in_start[(int64_t)q * (n + 1) + p];
}

static inline int64_t count_of(const links *all, int p, int q) {
    int64_t count = all->count[p * all->ranks + q];
    return count > 0 ? count : 0;
}

/* One side of a rank's as the library wants it, its partners in the order of `rank`. */
typedef struct side {
    qdr_indices indices;
    int *rank;
    int64_t *count, *local, *remote;
    int *link_rank;
} side;

static inline side make_side(const links *all, int own, int receives, int partners, const int *rank) {
    side made = {.rank = malloc((size_t)(partners + 1) * sizeof(int)),
                 .count = malloc((size_t)(partners + 1) * sizeof(int64_t))};
    int64_t total = 0, at = 0;
    for (int i = 0; i < partners; i++) {
        made.rank[i] = rank[i];
        made.count[i] = receives ? count_of(all, rank[i], own) : count_of(all, own, rank[i]);
        total += made.count[i];
    }
    made.local = malloc((size_t)(total + 1) * sizeof(int64_t));
    made.remote = malloc((size_t)(total + 1) * sizeof(int64_t));
    for (int i = 0; i < partners; i++) {
        int p = receives ? rank[i] : own, q = receives ? own : rank[i];
        size_t bytes = (size_t)made.count[i] * sizeof(int64_t);
        memcpy(made.local + at, list_of(all, p, q, !receives), bytes);
        memcpy(made.remote + at, list_of(all, p, q, receives), bytes);
        at += made.count[i];
    }
    made.indices = (qdr_indices){.partners = partners,
                                 .rank = made.rank,
                                 .count = made.count,
                                 .place = made.local,
                                 .partner_place = made.remote};
    return made;
}

/* The same as one list, in which partners take turns at random. */
static inline void flatten(side *made, qdri_random *random) {
    int partners = made->indices.partners;
    int64_t links = 0, *next = calloc((size_t)partners + 1, sizeof *next);
    int64_t *start = calloc((size_t)partners + 1, sizeof *start);
    for (int i = 0; i < partners; i++) {
        start[i] = links;
        links += made->count[i];
    }
    int64_t *local = calloc((size_t)links + 1, sizeof *local);
    int64_t *remote = calloc((size_t)links + 1, sizeof *remote);
    made->link_rank = calloc((size_t)links + 1, sizeof *made->link_rank);
    for (int64_t k = 0; k < links;) {
        int i = (int)qdri_random_below(random, (uint64_t)partners);
        if (next[i] == made->count[i]) continue;
        local[k] = made->local[start[i] + next[i]];
        remote[k] = made->remote[start[i] + next[i]++];
        made->link_rank[k++] = made->rank[i];
    }
    free(next);
    free(start);
    free(made->local);
    free(made->remote);
    made->local = local;
    made->remote = remote;
    made->indices =
        (qdr_indices){.links = links, .link_rank = made->link_rank, .place = local, .partner_place = remote};
}

/* The same for all partners, in an order drawn from `random`; NULL: by rising rank. */
static inline side make_whole_side(const links *all, int own, int receives, qdri_random *random) {
    int *rank = calloc((size_t)all->ranks, sizeof(int)), partners = 0;
    for (int r = 0; r < all->ranks; r++)
        if (all->count[receives ? r * all->ranks + own : own * all->ranks + r] >= 0) rank[partners++] = r;
    if (random) qdri_random_shuffle(random, rank, partners);
    side made = make_side(all, own, receives, partners, rank);
    free(rank);
    return made;
}

static inline void free_side(side *made) {
    free(made->rank);
    free(made->count);
    free(made->local);
    free(made->remote);
    free(made->link_rank);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static inline int type_parts(qdr_type type) {
    return type == QDR_FLOAT_COMPLEX || type == QDR_DOUBLE_COMPLEX ? 2 : 1;
}

/* Stores a whole number as one part of a value. */
static inline void put_part(qdr_type type, void *where, int64_t whole, double real) {
    switch (type) {
#define PUT(constant, c_type, value)                                                                         \
    case constant: {                                                                                         \
        c_type stored = (c_type)(value);                                                                     \
        memcpy(where, &stored, sizeof stored);                                                               \
        break;                                                                                               \
    }
        PUT(QDR_BYTE, uint8_t, whole)
        PUT(QDR_INT8, int8_t, whole)
        PUT(QDR_INT16, int16_t, whole)
        PUT(QDR_INT32, int32_t, whole)
        PUT(QDR_INT64, int64_t, whole)
        PUT(QDR_UINT8, uint8_t, whole)
        PUT(QDR_UINT16, uint16_t, whole)
        PUT(QDR_UINT32, uint32_t, whole)
        PUT(QDR_UINT64, uint64_t, whole)
        PUT(QDR_FLOAT, float, real)
        PUT(QDR_DOUBLE, double, real)
        PUT(QDR_FLOAT_COMPLEX, float, real)
        PUT(QDR_DOUBLE_COMPLEX, double, real)
#undef PUT
    }
}

/* The values of an array: the key tells arrays from one another. Products of floating point have factors that
 * lose no digit. */
typedef struct values {
    qdr_type type;
    int64_t width;
    uint64_t key;
    int is_product, is_real;
} values;

static inline void fill_element(const values *kind, int owner, int64_t element, void *where) {
    int type_part = type_parts(kind->type);
    int64_t bytes = qdr_type_bytes(kind->type) / type_part, parts = kind->width * type_part;
    uint64_t base = mixed(kind->key, (uint64_t)owner, (uint64_t)element, 0);
    for (int64_t c = 0; c < parts; c++) {
        uint64_t word = qdri_mix(base + (uint64_t)c), draw = qdri_mix(base + (uint64_t)(c / type_part));
        int64_t whole = (int64_t)(word % 9) - 4;
        if (kind->type >= QDR_FLOAT && kind->is_product) {
            int unit = draw / 2 % 2 ? 1 : -1; /* 1, -1 and 2, or 1, -1, i and -i */
            whole = type_part == 1 ? (draw % 8 == 0 ? 2 : unit) : (int64_t)(draw % 2) == c % 2 ? unit : 0;
        }
        double real = kind->is_real ? (double)(word >> 11) * 0x1p-50 - 3.3 : (double)whole;
        put_part(kind->type, (char *)where + c * bytes, kind->is_real ? (int64_t)word : whole, real);
    }
}

static inline void fill_array(const values *kind, int owner, int64_t elements, void *array) {
    int64_t bytes = qdr_type_bytes(kind->type) * kind->width;
    for (int64_t e = 0; e < elements; e++) fill_element(kind, owner, e, (char *)array + e * bytes);
}

/* ---- operations ---------------------------------------------------------------------------------------- */

#define APPLY_ORDERED(c_type)                                                                                \
    case QDR_MINIMUM:                                                                                        \
        result = b < a ? b : a;                                                                              \
        break;                                                                                               \
    case QDR_MAXIMUM:                                                                                        \
        result = b > a ? b : a;                                                                              \
        break;                                                                                               \
    case QDR_LOGICAL_AND:                                                                                    \
        result = (c_type)(a != 0 && b != 0);                                                                 \
        break;                                                                                               \
    case QDR_LOGICAL_OR:                                                                                     \
        result = (c_type)(a != 0 || b != 0);                                                                 \
        break;                                                                                               \
    case QDR_LOGICAL_XOR:                                                                                    \
        result = (c_type)((a != 0) != (b != 0));                                                             \
        break;

#define APPLY_WHOLE(constant, c_type)                                                                        \
    case constant: {                                                                                         \
        c_type a, b, result;                                                                                 \
        memcpy(&a, into, sizeof a);                                                                          \
        memcpy(&b, from, sizeof b);                                                                          \
        result = b;                                                                                          \
        switch (operation) {                                                                                 \
        case QDR_SUM:                                                                                        \
            result = (c_type)((uint64_t)a + (uint64_t)b);                                                    \
            break;                                                                                           \
        case QDR_PRODUCT:                                                                                    \
            result = (c_type)((uint64_t)a * (uint64_t)b);                                                    \
            break;                                                                                           \
        case QDR_BITWISE_AND:                                                                                \
            result = (c_type)((uint64_t)a & (uint64_t)b);                                                    \
            break;                                                                                           \
        case QDR_BITWISE_OR:                                                                                 \
            result = (c_type)((uint64_t)a | (uint64_t)b);                                                    \
            break;                                                                                           \
        case QDR_BITWISE_XOR:                                                                                \
            result = (c_type)((uint64_t)a ^ (uint64_t)b);                                                    \
            break;                                                                                           \
            APPLY_ORDERED(c_type)                                                                            \
        default:                                                                                             \
            break;                                                                                           \
        }                                                                                                    \
        memcpy(into, &result, sizeof result);                                                                \
        break;                                                                                               \
    }

#define APPLY_REAL(constant, c_type)                                                                         \
    case constant: {                                                                                         \
        c_type a, b, result;                                                                                 \
        memcpy(&a, into, sizeof a);                                                                          \
        memcpy(&b, from, sizeof b);                                                                          \
        result = b;                                                                                          \
        switch (operation) {                                                                                 \
        case QDR_SUM:                                                                                        \
            result = a + b;                                                                                  \
            break;                                                                                           \
        case QDR_PRODUCT:                                                                                    \
            result = a * b;                                                                                  \
            break;                                                                                           \
            APPLY_ORDERED(c_type)                                                                            \
        default:                                                                                             \
            break;                                                                                           \
        }                                                                                                    \
        memcpy(into, &result, sizeof result);                                                                \
        break;                                                                                               \
    }

#define APPLY_COMPLEX(constant, c_type)                                                                      \
    case constant: {                                                                                         \
        c_type a[2], b[2];                                                                                   \
        memcpy(a, into, sizeof a);                                                                           \
        memcpy(b, from, sizeof b);                                                                           \
        c_type sum[2] = {a[0] + b[0], a[1] + b[1]};                                                          \
        c_type product[2] = {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};                          \
        memcpy(into, operation == QDR_SUM ? sum : operation == QDR_PRODUCT ? product : b, sizeof a);         \
        break;                                                                                               \
    }

/* Combines one value into another. */
static inline void apply_value(qdr_operation operation, qdr_type type, void *into, const void *from) {
    switch (type) {
        APPLY_WHOLE(QDR_BYTE, uint8_t)
        APPLY_WHOLE(QDR_INT8, int8_t)
        APPLY_WHOLE(QDR_INT16, int16_t)
        APPLY_WHOLE(QDR_INT32, int32_t)
        APPLY_WHOLE(QDR_INT64, int64_t)
        APPLY_WHOLE(QDR_UINT8, uint8_t)
        APPLY_WHOLE(QDR_UINT16, uint16_t)
        APPLY_WHOLE(QDR_UINT32, uint32_t)
        APPLY_WHOLE(QDR_UINT64, uint64_t)
        APPLY_REAL(QDR_FLOAT, float)
        APPLY_REAL(QDR_DOUBLE, double)
        APPLY_COMPLEX(QDR_FLOAT_COMPLEX, float)
        APPLY_COMPLEX(QDR_DOUBLE_COMPLEX, double)
    }
}

/* Functions of the user's: the first may see contributions in any order, the second tells orders apart. The
 * context is a counter of elements. */
static inline void combine_any_order(void *context, void *into, const void *from, int64_t count,
                                     int64_t bytes) {
    *(int64_t *)context += count;
    for (int64_t i = 0; i < count * bytes; i++)
        ((unsigned char *)into)[i] =
            (unsigned char)(((unsigned char *)into)[i] + ((const unsigned char *)from)[i]);
}

static inline void combine_in_order(void *context, void *into, const void *from, int64_t count,
                                    int64_t bytes) {
    *(int64_t *)context += count;
    for (int64_t i = 0; i < count * bytes; i++)
        ((unsigned char *)into)[i] =
            (unsigned char)(((unsigned char *)into)[i] * 31 + ((const unsigned char *)from)[i]);
}

static inline void apply_element(const qdr_field *field, char *into, const char *from) {
    int64_t bytes = qdr_type_bytes(field->type);
    if (field->operation == QDR_REPLACE)
        memcpy(into, from, (size_t)(bytes * field->width));
    else if (field->operation == QDR_COMBINE)
        field->combine(field->context, into, from, 1, bytes * field->width);
    else
        for (int64_t c = 0; c < field->width; c++)
            apply_value(field->operation, field->type, into + c * bytes, from + c * bytes);
}

/* Whether two arrays hold the same: bit for bit, or, `by_value`, with zeros of either sign. The first value
 * that differs; -1: none. */
static inline int64_t first_difference(qdr_type type, const void *a, const void *b, int64_t bytes,
                                       int by_value) {
    int64_t size = qdr_type_bytes(type) / type_parts(type);
    for (int64_t at = 0; at < bytes; at += size) {
        const char *x = (const char *)a + at, *y = (const char *)b + at;
        if (!memcmp(x, y, (size_t)size)) continue;
        double u = 0, v = 1;
        float f = 0, g = 1;
        if (by_value && size == 8 && type >= QDR_FLOAT) memcpy(&u, x, 8), memcpy(&v, y, 8);
        if (by_value && size == 4 && type >= QDR_FLOAT) memcpy(&f, x, 4), memcpy(&g, y, 4);
        if (u != v && f != g) return at / size;
    }
    return -1;
}

#endif
