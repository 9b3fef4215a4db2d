/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts are constant once made, and threads may share them. An order that only some questions need is made by the
 * first that asks, and published by one atomic exchange; who comes second throws its own away.
 */
#include "ordered.h"

#include <stdlib.h>

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
