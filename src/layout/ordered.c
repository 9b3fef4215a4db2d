/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts are constant once made, and threads may share them. An order that only some questions need is
 * made by the first that asks, and published by one atomic exchange; who comes second throws its own away.
 */
#include "ordered.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

int64_t *qdri_lazy_publish(qdri_lazy *lazy, int64_t *made) {
    int64_t *present = NULL;
    if (!made || atomic_compare_exchange_strong(lazy, &present, made)) return made;
    free(made);
    return present;
}

int64_t qdri_order_last(const int64_t *key, const int64_t *order, int64_t count, int64_t limit) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (key[order[middle]] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

int qdri_sort_records(void *record, int64_t count, size_t size) {
    if (count < 2) return 1;
    int64_t *key = QDRI_ARRAY(int64_t, count), *order = QDRI_ARRAY(int64_t, count);
    char *from = qdri_alloc(count, size), *to = record;
    int done = key && order && from;
    for (int64_t i = 0; done && i < count; i++) memcpy(key + i, to + (size_t)i * size, sizeof *key);
    done = done && qdri_sort_order(key, count, order);
    if (done) memcpy(from, to, (size_t)count * size);
    for (int64_t i = 0; done && i < count; i++)
        memcpy(to + (size_t)i * size, from + (size_t)order[i] * size, size);
    free(key);
    free(order);
    free(from);
    return done;
}
