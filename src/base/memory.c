/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static int fits(int64_t count, size_t size) {
    return count >= 0 && (size == 0 || (uint64_t)count <= PTRDIFF_MAX / size);
}

void *qdri_alloc(int64_t count, size_t size) {
    if (!fits(count, size)) return NULL;
    return malloc(count > 0 && size > 0 ? (size_t)count * size : 1);
}

void *qdri_alloc_zero(int64_t count, size_t size) {
    if (!fits(count, size)) return NULL;
    return calloc(count > 0 ? (size_t)count : 1, size > 0 ? size : 1);
}

/* A pointer of any type is read and written by its bytes: it is not a `void *`, though it looks like one. */
int qdri_grow(void *array, int64_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return 1;
    int64_t wanted = *capacity > INT64_MAX / 2 ? needed : 2 * *capacity;
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    if (!fits(wanted, size)) return 0;
    void *held;
    memcpy(&held, array, sizeof held);
    void *grown = realloc(held, (size_t)wanted * size);
    if (!grown) return 0;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 1;
}
