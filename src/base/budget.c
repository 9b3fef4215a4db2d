/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting what is allocated. Each block has a head in front of it with its size, as wide as the strictest
 * alignment; the head counts too, for it is memory. So `used` is what was asked of the C library, to the byte.
 */
#include "budget.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

typedef struct head {
    alignas(max_align_t) int64_t bytes; /* with the head */
} head;

int qdri_budget_take(qdri_budget *budget, int64_t bytes) {
    if (!budget) return 1;
    if (budget->limit > 0 && bytes > budget->limit - budget->used) return 0;
    budget->used += bytes;
    if (budget->used > budget->peak) budget->peak = budget->used;
    return 1;
}

void qdri_budget_give(qdri_budget *budget, int64_t bytes) {
    if (budget) budget->used -= bytes;
}

static void *allocate(qdri_budget *budget, int64_t count, size_t size, int zero) {
    if (count < 0 || (uint64_t)count > (PTRDIFF_MAX - sizeof(head)) / size) return NULL;
    int64_t bytes = (int64_t)((size_t)count * size + sizeof(head));
    if (!qdri_budget_take(budget, bytes)) return NULL;
    head *made = zero ? qdri_alloc_zero(bytes, 1) : qdri_alloc(bytes, 1);
    if (!made) {
        qdri_budget_give(budget, bytes);
        return NULL;
    }
    made->bytes = bytes;
    return made + 1;
}

void *qdri_budget_alloc(qdri_budget *budget, int64_t count, size_t size) {
    return allocate(budget, count, size, 0);
}

void *qdri_budget_zero(qdri_budget *budget, int64_t count, size_t size) {
    return allocate(budget, count, size, 1);
}

void qdri_budget_free(qdri_budget *budget, void *block) {
    if (!block) return;
    head *made = (head *)block - 1;
    qdri_budget_give(budget, made->bytes);
    free(made);
}

/* A pointer of any type is read and written by its bytes, as in memory.c. */
int qdri_budget_grow(qdri_budget *budget, void *array, int64_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return 1;
    int64_t wanted = *capacity > INT64_MAX / 2 ? needed : 2 * *capacity;
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    void *held, *grown = allocate(budget, wanted, size, 0);
    if (!grown) grown = allocate(budget, wanted = needed, size, 0);
    if (!grown) return 0;
    memcpy(&held, array, sizeof held);
    if (held) memcpy(grown, held, (size_t)*capacity * size);
    qdri_budget_free(budget, held);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 1;
}
