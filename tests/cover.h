/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairwise covers: a small number of cases in which every level of a factor meets every level of every other,
 * as far as they go together. Greedy: for each pair that was not met yet, the best of some random cases that
 * have it. What does not go together is changed by `settle`; a pair that does not survive that is left out.
 */
#ifndef COVER_H
#define COVER_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { COVER_FACTORS = 32 };

typedef struct cover {
    int factors;
    const int *levels; /* [factors] */
    void (*settle)(int *level);
    qdri_random random;
    unsigned char *met;                          /* of each pair */
    int64_t start[COVER_FACTORS][COVER_FACTORS]; /* of the pairs of two factors */
    int f, g, a, b;                              /* the pair that is next */
} cover;

static inline cover cover_open(int factors, const int *levels, void (*settle)(int *level), uint64_t seed) {
    cover made = {
        .factors = factors, .levels = levels, .settle = settle, .random = qdri_random_seed(seed), .g = 1};
    int64_t pairs = 0;
    for (int f = 0; f < factors; f++)
        for (int g = f + 1; g < factors; g++) {
            made.start[f][g] = pairs;
            pairs += (int64_t)levels[f] * levels[g];
        }
    made.met = calloc(1, (size_t)pairs + 1);
    return made;
}

static inline void cover_close(cover *all) {
    free(all->met);
}

static inline unsigned char *cover_pair(cover *all, int f, int a, int g, int b) {
    return &all->met[all->start[f][g] + (int64_t)a * all->levels[g] + b];
}

/* How many pairs of a case are fresh; with `marks`, they are so no more. */
static inline int cover_count(cover *all, const int *level, int marks) {
    int fresh = 0;
    for (int f = 0; f < all->factors; f++)
        for (int g = f + 1; g < all->factors; g++) {
            unsigned char *met = cover_pair(all, f, level[f], g, level[g]);
            fresh += !*met;
            if (marks) *met = 1;
        }
    return fresh;
}

/* The best of some cases that have the pair that is next; false: it cannot be had. */
static inline int cover_draw(cover *all, int *level) {
    enum { TRIES = 30 };
    int best = 0, drawn[COVER_FACTORS];
    for (int t = 0; t < TRIES; t++) {
        for (int i = 0; i < all->factors; i++)
            drawn[i] = (int)qdri_random_below(&all->random, (uint64_t)all->levels[i]);
        drawn[all->f] = all->a;
        drawn[all->g] = all->b;
        all->settle(drawn);
        int has_it = drawn[all->f] == all->a && drawn[all->g] == all->b;
        int fresh = has_it ? cover_count(all, drawn, 0) : 0;
        if (fresh <= best) continue;
        best = fresh;
        memcpy(level, drawn, (size_t)all->factors * sizeof *level);
    }
    return best > 0;
}

/* Goes to the next pair; false: there is none. */
static inline int cover_step(cover *all) {
    if (++all->b < all->levels[all->g]) return 1;
    all->b = 0;
    if (++all->a < all->levels[all->f]) return 1;
    all->a = 0;
    if (++all->g < all->factors) return 1;
    all->g = ++all->f + 1;
    return all->g < all->factors;
}

/* The next case; false: that was the last. */
static inline int cover_next(cover *all, int *level) {
    if (all->g >= all->factors) return 0;
    do {
        if (*cover_pair(all, all->f, all->a, all->g, all->b) || !cover_draw(all, level)) continue;
        cover_count(all, level, 1);
        return 1;
    } while (cover_step(all));
    return 0;
}

#endif
