/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs of callers. A program may have been compiled with an older header, in which a struct ends earlier, or with a
 * later one, in which it ends later. What is missing is 0, which means the default everywhere; what is beyond this
 * library's knowledge is accepted as long as it is 0, for then nobody asked for it.
 */
#ifndef QDRI_SIZED_H
#define QDRI_SIZED_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Options, whose first member is their size. Copies them, missing ones as 0, with the size that this library knows. If
 * the size is none, or something unknown is asked for, all of `known` is 0 but the size, which is what was given and
 * never `bytes`: qdri_sized_refuse() says so. NULL gives the defaults. */
void qdri_sized_read(void *known, size_t bytes, const void *given);

/* The sentence about options whose size is not as it should be; QDR_OK when it is. */
qdr_status qdri_sized_refuse(const char *type, size_t size, size_t bytes);

/* The index-th element of an array whose elements have `element` bytes each; or a single struct, the call having told
 * its size. */
qdr_status qdri_element_read(const char *type, void *known, size_t bytes, const void *array, size_t element,
                             int64_t index);

/* Fills a struct of the caller's, of `given_bytes`, with as much as fits, and what is unknown here with 0. */
void qdri_sized_fill(void *given, size_t given_bytes, const void *known, size_t bytes);

#endif
