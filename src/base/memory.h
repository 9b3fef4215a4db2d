/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: sizes are checked for overflow before they are multiplied; a request for nothing is legal and gives
 * a pointer that can be freed, so that NULL always means failure. */
#ifndef QDRI_MEMORY_H
#define QDRI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* count * size bytes, not initialised; NULL when there is no room, or when count is negative. */
void *qdri_alloc(int64_t count, size_t size);

/* The same, all zero. */
void *qdri_alloc_zero(int64_t count, size_t size);

/* Grows an array so that it holds at least `needed` elements, at least doubling; returns 0 on failure, and
 * then nothing has changed. `array` is the address of the pointer to it, whatever its type:
 * `qdri_grow(&list->step, ...)`. */
int qdri_grow(void *array, int64_t *capacity, int64_t needed, size_t size);

#define QDRI_ARRAY(type, count)      ((type *)qdri_alloc((count), sizeof(type)))
#define QDRI_ZERO_ARRAY(type, count) ((type *)qdri_alloc_zero((count), sizeof(type)))

/* Of an array whose size is known where it stands. */
#define QDRI_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
