/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The matrices that the papers print, entry by entry; `bytes` is what one unit of an entry counts.
 *
 *     P         CM-5 scheduling, table 6: 8 ranks; LS, PS, BS and GS need 8, 6, 7 and 6 steps
 *     figure1   Transportation, figure 1: all-to-many with equal traffic, 10 out of and into each of 8 ranks
 *     figure2   Transportation, figure 2: many-to-many with bounded traffic, r = 7 and c = 10
 *     figure9   Transportation, figure 9: 4 ranks, with entries on the diagonal
 */
#include "family.h"

#include "base/error.h"

typedef struct printed {
    int ranks;
    const signed char *entry;
} printed;

/* clang-format off */
static const signed char table6[] = {
    0, 1, 0, 1, 0, 1, 1, 0,
    1, 0, 1, 0, 1, 1, 1, 1,
    0, 1, 0, 1, 0, 0, 0, 0,
    1, 0, 1, 0, 1, 1, 1, 0,
    0, 1, 1, 1, 0, 1, 0, 1,
    0, 1, 0, 0, 1, 0, 1, 0,
    1, 0, 1, 1, 0, 1, 0, 1,
    1, 1, 0, 0, 1, 0, 1, 0,
};
static const signed char figure1[] = {
    0, 3, 1, 0, 2, 1, 2, 1,
    1, 0, 2, 2, 1, 1, 3, 0,
    4, 1, 0, 2, 0, 2, 0, 1,
    0, 2, 0, 0, 0, 3, 1, 4,
    3, 0, 4, 0, 0, 2, 1, 0,
    1, 2, 1, 2, 0, 0, 0, 4,
    0, 2, 1, 0, 7, 0, 0, 0,
    1, 0, 1, 4, 0, 1, 3, 0,
};
static const signed char figure2[] = {
    0, 3, 1, 0, 0, 1, 0, 1,
    1, 0, 2, 2, 0, 1, 1, 0,
    1, 1, 0, 2, 0, 2, 0, 1,
    0, 1, 0, 0, 0, 3, 1, 0,
    3, 0, 0, 0, 0, 2, 1, 0,
    1, 1, 1, 2, 0, 0, 0, 2,
    0, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 1, 4, 0, 1, 0, 0,
};
static const signed char figure9[] = {
    11,  1, 4,  1,
     2,  0, 3, 12,
     3, 10, 3,  1,
     1,  6, 7,  3,
};
/* clang-format on */

/* In the order of the option's words. */
static const printed matrices[] = {{8, table6}, {8, figure1}, {8, figure2}, {4, figure9}};

static qdr_status generate(const qdri_spec *spec, qdr_pattern **pattern) {
    printed matrix = matrices[qdri_spec_integer(spec, "matrix")];
    qdri_pattern_builder builder;
    qdri_pattern_begin(&builder, matrix.ranks, (int64_t)matrix.ranks * matrix.ranks);
    for (int origin = 0; origin < matrix.ranks; origin++)
        for (int destination = 0; destination < matrix.ranks; destination++) {
            int64_t entry = matrix.entry[origin * matrix.ranks + destination];
            if (entry)
                qdri_pattern_add(&builder, origin, destination, entry * qdri_spec_integer(spec, "bytes"));
        }
    return qdri_pattern_finish(&builder, pattern);
}

static const qdri_option options[] = {
    {"matrix", QDRI_WORD, NULL, 0, 0, "P figure1 figure2 figure9", "which one", 1},
    {"bytes", QDRI_INTEGER, "1024", 0, QDRI_BYTES_LIMIT, NULL, "bytes of one unit of an entry", 0},
};

const qdri_family qdri_family_paper = {
    .name = "paper",
    .summary = "a matrix printed in one of the papers",
    .source = "CM-5 scheduling, table 6; Transportation, figures 1, 2 and 9",
    .example = "paper:P,bytes=256",
    QDRI_OPTIONS(options),
    .generate = generate,
};
