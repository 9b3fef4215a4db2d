/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory within a limit. A block remembers its size, so that freeing it gives back exactly what it took. */
#ifndef QDRI_BUDGET_H
#define QDRI_BUDGET_H

#include <stddef.h>
#include <stdint.h>

/* Begins as { .limit = bytes }. Every function below takes NULL for one that neither limits nor counts. */
typedef struct qdri_budget {
    int64_t limit; /* bytes; 0: none */
    int64_t used, peak;
} qdri_budget;

/* count * size bytes, not initialised, or all zero; NULL when that would go beyond the limit, when there is no
 * memory, or when count is negative. Nothing is a legal size. */
void *qdri_budget_alloc(qdri_budget *budget, int64_t count, size_t size);
void *qdri_budget_zero(qdri_budget *budget, int64_t count, size_t size);

/* As qdri_grow(): at least doubles where the limit allows it, else takes what is needed. While it copies, old
 * and new count. The array is NULL, or was made by one of these functions. */
int qdri_budget_grow(qdri_budget *budget, void *array, int64_t *capacity, int64_t needed, size_t size);

/* NULL is accepted. */
void qdri_budget_free(qdri_budget *budget, void *block);

/* Counts what somebody else allocates; 0 when it would go beyond the limit, and then nothing has changed. */
int qdri_budget_take(qdri_budget *budget, int64_t bytes);
void qdri_budget_give(qdri_budget *budget, int64_t bytes);

#define QDRI_BUDGET_ARRAY(budget, type, count) ((type *)qdri_budget_alloc((budget), (count), sizeof(type)))
#define QDRI_BUDGET_ZERO_ARRAY(budget, type, count)                                                          \
    ((type *)qdri_budget_zero((budget), (count), sizeof(type)))

#endif
