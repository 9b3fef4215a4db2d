/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of every shape, for the tests of this folder. */
#ifndef QDRI_PLACES_CASES_H
#define QDRI_PLACES_CASES_H

#include <stdint.h>

#include "base/random.h"
#include "places/places.h"

typedef enum list_case {
    CASE_CONTIGUOUS,
    CASE_RISING,    /* an even stride */
    CASE_FALLING,   /* the same, downwards */
    CASE_CONSTANT,  /* one element again and again */
    CASE_LONG_RUNS, /* with repetitions, since runs overlap */
    CASE_SCATTERED, /* with some repetitions */
    CASE_CROWDED,   /* with many */
    CASE_SORTED,    /* rising, without repetitions */
    LIST_CASES
} list_case;

/* The array has at least this many elements, for lists of up to `count` entries. */
static inline int64_t case_elements(int64_t count) {
    return 3 * count + 40;
}

static inline void fill_case(list_case kind, qdri_random *random, int64_t count, int64_t *index) {
    int64_t elements = case_elements(count), first = qdri_random_between(random, 0, 8), left = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t before = k > 0 ? index[k - 1] : 0;
        switch (kind) {
        case CASE_CONTIGUOUS:
            index[k] = first + k;
            break;
        case CASE_RISING:
            index[k] = first + 3 * k;
            break;
        case CASE_FALLING:
            index[k] = first + 3 * (count - 1 - k);
            break;
        case CASE_CONSTANT:
            index[k] = first;
            break;
        case CASE_LONG_RUNS:
            index[k] = left > 0 ? before + 1 : qdri_random_between(random, 0, elements - 40);
            left = left > 0 ? left - 1 : qdri_random_between(random, 14, 38);
            break;
        case CASE_SCATTERED:
            index[k] = qdri_random_between(random, 0, elements - 1);
            break;
        case CASE_CROWDED:
            index[k] = qdri_random_between(random, 0, 4);
            break;
        default:
            index[k] = before + qdri_random_between(random, 1, 3);
        }
    }
}

#endif
