/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements of arrays: what one is made of, how they lie, and how what arrives is combined with what is there.
 *
 * An element is `width` values of one type. The type matters only to operations and to alignment; data that is just
 * moved may always be called QDR_BYTE.
 */
#ifndef QUADRILLE_PLACES_H
#define QUADRILLE_PLACES_H

#include <stdint.h>

#include "quadrille/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qdr_type {
    QDR_BYTE =
        1, /* 8 bits; arithmetic as QDR_UINT8. 0 is no type, so that one which was forgotten is refused */
    QDR_INT8,
    QDR_INT16,
    QDR_INT32,
    QDR_INT64,
    QDR_UINT8,
    QDR_UINT16,
    QDR_UINT32,
    QDR_UINT64,
    QDR_FLOAT,
    QDR_DOUBLE,
    QDR_FLOAT_COMPLEX, /* two floats; sum and product only */
    QDR_DOUBLE_COMPLEX,
} qdr_type;

/* What happens to an element when a value for it arrives. Integers wrap around. Minimum and maximum of floating-point
 * numbers ignore a NaN if the other value is a number (as fmin and fmax). Logical operations leave 0 or 1. Bitwise
 * ones are for integers. */
typedef enum qdr_operation {
    QDR_REPLACE,
    QDR_SUM,
    QDR_PRODUCT,
    QDR_MINIMUM,
    QDR_MAXIMUM,
    QDR_LOGICAL_AND,
    QDR_LOGICAL_OR,
    QDR_LOGICAL_XOR,
    QDR_BITWISE_AND,
    QDR_BITWISE_OR,
    QDR_BITWISE_XOR,
    QDR_COMBINE, /* a function of the caller's */
} qdr_operation;

/* A function of the caller's: for each of `count` elements of `bytes` bytes, combines from[i] into into[i]. The two
 * do not overlap; `from` may have any alignment. It must not call the library. It should be associative and
 * commutative where the map is `unordered`: there the order of contributions to one element is unspecified. */
typedef void qdr_combine_function(void *context, void *into, const void *from, int64_t count, int64_t bytes);

/* Where an array lies. Memory of a device is refused, with a sentence. */
typedef enum qdr_memory { QDR_MEMORY_HOST, QDR_MEMORY_DEVICE } qdr_memory;

enum { QDR_MOST_DIMENSIONS = 16 };

/* Which index varies fastest: the last (C) or the first (Fortran). */
typedef enum qdr_order { QDR_ROW_MAJOR, QDR_COLUMN_MAJOR } qdr_order;

/* Local, free of cost. The bytes of one value; 0 for a type that does not exist. */
int64_t qdr_type_bytes(qdr_type type);

/* Local. Names, such as "double" and "sum"; NULL for one that does not exist. */
const char *qdr_type_name(qdr_type type);
const char *qdr_operation_name(qdr_operation operation);

/* Local, free of cost. Whether the operation is defined for the type. */
int qdr_operation_suits(qdr_operation operation, qdr_type type);

#ifdef __cplusplus
}
#endif
#endif
