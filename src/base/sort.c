/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stable order by key: insertion for a handful (the rows of a sparse pattern), else counting sort by bytes
 * from the lowest, which needs as many passes as the largest key has bytes.
 */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { FEW = 24, DIGITS = 256 };

static void insert_all(const int64_t *key, int64_t count, int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        int64_t place = i;
        for (; place > 0 && key[order[place - 1]] > key[i]; place--) order[place] = order[place - 1];
        order[place] = i;
    }
}

static void count_pass(const int64_t *key, int64_t count, int shift, const int64_t *from, int64_t *to) {
    int64_t start[DIGITS + 1] = {0};
    for (int64_t i = 0; i < count; i++) start[((key[i] >> shift) & (DIGITS - 1)) + 1]++;
    for (int digit = 0; digit < DIGITS; digit++) start[digit + 1] += start[digit];
    for (int64_t i = 0; i < count; i++) to[start[(key[from[i]] >> shift) & (DIGITS - 1)]++] = from[i];
}

int qdri_sort_order(const int64_t *key, int64_t count, int64_t *order) {
    if (count <= FEW) {
        insert_all(key, count, order);
        return 1;
    }
    int64_t largest = 0;
    int sorted = 1;
    for (int64_t i = 0; i < count; i++) {
        order[i] = i;
        if (key[i] > largest) largest = key[i];
        sorted &= i == 0 || key[i - 1] <= key[i];
    }
    if (sorted) return 1;
    int64_t *other = QDRI_ARRAY(int64_t, count), *from = order, *to = other;
    if (!other) return 0;
    for (int shift = 0; shift < 63 && largest >> shift; shift += 8) {
        count_pass(key, count, shift, from, to);
        int64_t *kept = from;
        from = to;
        to = kept;
    }
    if (from != order) memcpy(order, from, (size_t)count * sizeof *order);
    free(other);
    return 1;
}
