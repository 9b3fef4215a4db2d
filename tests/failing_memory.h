/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of base/memory.h, for tests in which each allocation fails once: the linker then takes none from the library. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int64_t counted, fatal; /* allocations so far; the one that fails, 0 for none */
static int lasting;            /* all later ones fail, too */

static int fails(void) {
    counted++;
    return fatal > 0 && (counted == fatal || (lasting && counted > fatal));
}

void *qdri_alloc(int64_t count, size_t size) {
    return fails() ? NULL : malloc((size_t)count * size + 1);
}

void *qdri_alloc_zero(int64_t count, size_t size) {
    return fails() ? NULL : calloc((size_t)count + 1, size);
}

/* By one at a time, so that growing fails wherever it can. */
int qdri_grow(void *array, int64_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return 1;
    if (fails()) return 0;
    void *held;
    memcpy(&held, array, sizeof held);
    void *grown = realloc(held, (size_t)needed * size);
    if (!grown) return 0;
    memcpy(array, &grown, sizeof grown);
    *capacity = needed;
    return 1;
}

#endif
