/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The generated families: one row of one table each (families.c), and what their generators share.
 *
 * A generator reads its values from the spec and fills a draft: the ranks, one random stream, the law of the
 * message sizes and the growing list of messages. Everything is drawn from the seed in integer arithmetic, so
 * a spec is the same pattern on every machine; the one exception, power laws, is explained in draft.c. A
 * message of zero bytes is a message: it costs its startup, and densities and degrees are what was asked for.
 */
#ifndef QDRI_FAMILY_H
#define QDRI_FAMILY_H

#include "base/random.h"
#include "base/spec.h"
#include "pattern.h"

typedef struct qdri_family {
    const char *name, *summary, *source, *example;
    const qdri_option *options;
    int option_count;
    qdr_status (*generate)(const qdri_spec *spec, qdr_pattern **pattern);
} qdri_family;

extern const qdri_family qdri_family_complete, qdri_family_random, qdri_family_transport,
    qdri_family_permutation, qdri_family_shift, qdri_family_transpose, qdri_family_alltoone,
    qdri_family_onetoall, qdri_family_hotspot, qdri_family_zipf, qdri_family_powerlaw, qdri_family_moe,
    qdri_family_halo2d, qdri_family_halo3d, qdri_family_paper;

/* ---- the keys that many families share ----------------------------------------------------------------- */

/* The most bytes of one message, tokens, points and so on that a spec can ask for. */
#define QDRI_BYTES_LIMIT 1099511627776.0 /* 2^40 */

/* The most messages that a spec can ask for. */
#define QDRI_MESSAGES_LIMIT (INT64_C(1) << 31)

#define QDRI_OPTION_RANKS                                                                                    \
    { "n", QDRI_INTEGER, NULL, 1, QDRI_RANKS_LIMIT, NULL, "ranks", 0 }
#define QDRI_OPTION_SEED                                                                                     \
    { "seed", QDRI_INTEGER, "1", 0, 0, NULL, "where the random stream begins", 0 }
#define QDRI_OPTION_BYTES                                                                                    \
    {                                                                                                        \
        "bytes", QDRI_RANGE, "1024", 0, QDRI_BYTES_LIMIT, NULL,                                              \
            "size of a message, 0 included; LOW..HIGH draws each one", 0                                     \
    }
#define QDRI_OPTION_SIZES                                                                                    \
    {                                                                                                        \
        "sizes", QDRI_WORD, "uniform", 0, 0, "uniform log",                                                  \
            "how a range is drawn: evenly, or evenly per octave", 0                                          \
    }
#define QDRI_OPTION_UNIT                                                                                     \
    {                                                                                                        \
        "unit", QDRI_INTEGER, "1", 1, QDRI_BYTES_LIMIT, NULL,                                                \
            "every size is a multiple of it: the msg_unit of NICE, test set 1", 0                            \
    }
/* The sizes of messages that would otherwise need no random numbers, and the seed for them. */
#define QDRI_OPTIONS_DRAWN QDRI_OPTION_BYTES, QDRI_OPTION_SIZES, QDRI_OPTION_UNIT, QDRI_OPTION_SEED

/* ---- the draft of a pattern ---------------------------------------------------------------------------- */

typedef struct qdri_draft {
    const qdri_spec *spec;
    int ranks;
    qdri_random random;
    int64_t low, high; /* of a message's size, in units */
    int64_t unit;
    int logarithmic;
    qdri_pattern_builder builder;
} qdri_draft;

/* Reads the spec's n, seed, bytes, sizes and unit (those that the family has) and makes room for `expected`
 * messages; too many are refused. After QDR_OK the draft must be closed. */
qdr_status qdri_draft_open(qdri_draft *draft, const qdri_spec *spec, int64_t expected);

/* Makes room for `expected` messages when that is known only after the first drawings. */
qdr_status qdri_draft_expect(qdri_draft *draft, int64_t expected);

/* The pattern if `status` is QDR_OK; else passes the failure on. Frees the draft in any case. */
qdr_status qdri_draft_close(qdri_draft *draft, qdr_status status, qdr_pattern **pattern);

/* A message of the next size, times `factor`. */
void qdri_draft_add(qdri_draft *draft, int origin, int destination, int64_t factor);

/* The next size: uniform among the multiples of the unit in the range, or with a probability proportional to
 * 1 / size. */
int64_t qdri_draft_size(qdri_draft *draft);

/* 0, 1, ... count-1 in random order; NULL without memory. */
int *qdri_random_order(qdri_random *random, int count);

/* The number of messages of density D: D n (n - 1), rounded. */
int64_t qdri_density_count(int ranks, double density);

/* a * b for numbers that are not negative, or QDRI_ITEMS_LIMIT + 1 if it is more than the limit; so that one
 * check of the total suffices. */
int64_t qdri_product(int64_t a, int64_t b);

/* ---- distinct partners --------------------------------------------------------------------------------- */

/* Chooses `count` different ranks other than `self`, each set with the same probability. Cost: O(count), with
 * one mark per rank kept between the calls. */
typedef struct qdri_partners {
    int ranks;
    int64_t round;
    int64_t *mark;
    int *chosen; /* [count] after a choice */
} qdri_partners;

qdr_status qdri_partners_open(qdri_partners *partners, int ranks);
void qdri_partners_choose(qdri_partners *partners, qdri_random *random, int self, int count);
void qdri_partners_close(qdri_partners *partners);

/* ---- power laws ---------------------------------------------------------------------------------------- */

/* Whole weights of the numbers 1..count proportional to number^-exponent, each at least 1, about 2^bits in
 * all: start[k] is the sum of the weights of 1..k, start[0] = 0. NULL without memory. */
uint64_t *qdri_power_law(int count, double exponent, int bits);

enum { QDRI_POWER_BITS = 62 }; /* for drawing: even the rarest number has its due weight */

/* The number from 1..count at a point of the line of weights: the k with start[k-1] <= point < start[k]. */
int qdri_power_law_find(const uint64_t *start, int count, uint64_t point);

#endif
