/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Items into the order of their destinations, in their own place: an American flag sort. How many go to each
 * rank is known, and so is where each group begins. Whatever stands in a group where it does not belong is
 * exchanged with the first item of its own group that is not known to be right; each exchange puts at least
 * one item right for good.
 *
 * Cost: O(items + ranks); one exchange at most for every item. Memory: one word per rank.
 */
#include <string.h>

#include "migrate/inside.h"

static void exchange(char *a, char *b, int64_t bytes) {
    char kept[256];
    for (int64_t at = 0; at < bytes; at += (int64_t)sizeof kept) {
        size_t part = (size_t)(bytes - at < (int64_t)sizeof kept ? bytes - at : (int64_t)sizeof kept);
        memcpy(kept, a + at, part);
        memcpy(a + at, b + at, part);
        memcpy(b + at, kept, part);
    }
}

/* A destination's group: the groups begin with `own`. */
static int group_of(int destination, int own, int ranks) {
    return destination >= own ? destination - own : destination - own + ranks;
}

void qdri_sort_items(char *items, int64_t item_bytes, int *destination, int own, int ranks,
                     const int64_t *start, int64_t *next) {
    memcpy(next, start, (size_t)ranks * sizeof *next);
    for (int group = 0; group < ranks; group++)
        while (next[group] < start[group + 1]) {
            int64_t here = next[group];
            int right = group_of(destination[here], own, ranks);
            int64_t there = next[right]++;
            if (right == group) continue;
            exchange(items + here * item_bytes, items + there * item_bytes, item_bytes);
            int kept = destination[here];
            destination[here] = destination[there];
            destination[there] = kept;
        }
}
