/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels: between the elements of an array that places name and packed memory, in which they stand one after the other
 * in the order of the places. Element e lies `stride` times e bytes behind the array's first: as many as it has, or more
 * where other things lie between. `packed` may have any alignment; it does not overlap the array. No kernel allocates,
 * fails or keeps anything.
 */
#ifndef QDRI_KERNELS_H
#define QDRI_KERNELS_H

#include "places/places.h"
#include "quadrille/places.h"

/* Elements of one size, which is not negative. */
void qdri_gather(const qdri_places *places, const void *array, int64_t element_bytes, int64_t stride,
                 void *packed);
void qdri_scatter(const qdri_places *places, const void *packed, int64_t element_bytes, int64_t stride,
                  void *array);

/* From places of one array to as many of another, or of the same if none is both; none is twice in `to`. `from` is no part
 * of other places. `room`, for one element at least, is used on the way. */
void qdri_move(const qdri_places *from, const void *source, int64_t source_stride, const qdri_places *to,
               void *target, int64_t target_stride, int64_t element_bytes, void *room, int64_t room_bytes);

/* Rows of so many bytes, `step` bytes apart in the array. */
void qdri_take_rows(const char *array, int64_t step, int64_t count, int64_t bytes, char *packed);
void qdri_put_rows(const char *packed, int64_t step, int64_t count, int64_t bytes, char *array);

/* Combines what is packed into the elements, in the order of the places, also where an element stands in them
 * twice. The operation suits the type and is not QDR_COMBINE. */
void qdri_combine(const qdri_places *places, const void *packed, qdr_type type, int64_t width, int64_t stride,
                  qdr_operation operation, void *array);

/* The same by a function of the user's: one call for what lies together, else one per element. */
void qdri_combine_by(const qdri_places *places, const void *packed, int64_t element_bytes, int64_t stride,
                     qdr_combine_function *combine, void *context, void *array);

/* Elements of varying size: element e lies at bytes [start[e], start[e + 1]) of the array. */

/* The bytes of all elements named; -1 if one begins or ends before byte 0 or ends before it begins, or if
 * they are more than 2^62. What this refuses must not be given to the other two. */
int64_t qdri_varying_bytes(const qdri_places *places, const int64_t *start);
void qdri_gather_varying(const qdri_places *places, const void *array, const int64_t *start, void *packed);
void qdri_scatter_varying(const qdri_places *places, const void *packed, const int64_t *start, void *array);

#endif
