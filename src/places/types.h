/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of types and that of operations, in the order of the enumerations of quadrille/places.h; names,
 * sizes, suitability and kernels follow from them. */
#ifndef QDRI_TYPES_H
#define QDRI_TYPES_H

#include "quadrille/places.h"

/* Kinds of types: an operation says for which of them it is defined. */
enum { QDRI_WHOLE = 1, QDRI_REAL_NUMBER = 2, QDRI_COMPLEX_NUMBER = 4 };
enum { QDRI_ORDERED = QDRI_WHOLE | QDRI_REAL_NUMBER, QDRI_ANY_NUMBER = QDRI_ORDERED | QDRI_COMPLEX_NUMBER };

/* X(constant, name, C type of a part, parts, kind): a complex number has two parts. */
#define QDRI_TYPE_TABLE(X)                                                                                   \
    X(BYTE, "byte", uint8_t, 1, QDRI_WHOLE)                                                                  \
    X(INT8, "int8", int8_t, 1, QDRI_WHOLE)                                                                   \
    X(INT16, "int16", int16_t, 1, QDRI_WHOLE)                                                                \
    X(INT32, "int32", int32_t, 1, QDRI_WHOLE)                                                                \
    X(INT64, "int64", int64_t, 1, QDRI_WHOLE)                                                                \
    X(UINT8, "uint8", uint8_t, 1, QDRI_WHOLE)                                                                \
    X(UINT16, "uint16", uint16_t, 1, QDRI_WHOLE)                                                             \
    X(UINT32, "uint32", uint32_t, 1, QDRI_WHOLE)                                                             \
    X(UINT64, "uint64", uint64_t, 1, QDRI_WHOLE)                                                             \
    X(FLOAT, "float", float, 1, QDRI_REAL_NUMBER)                                                            \
    X(DOUBLE, "double", double, 1, QDRI_REAL_NUMBER)                                                         \
    X(FLOAT_COMPLEX, "float-complex", float, 2, QDRI_COMPLEX_NUMBER)                                         \
    X(DOUBLE_COMPLEX, "double-complex", double, 2, QDRI_COMPLEX_NUMBER)

/* X(constant, name, kinds of types) */
#define QDRI_OPERATION_TABLE(X)                                                                              \
    X(REPLACE, "replace", QDRI_ANY_NUMBER)                                                                   \
    X(SUM, "sum", QDRI_ANY_NUMBER)                                                                           \
    X(PRODUCT, "product", QDRI_ANY_NUMBER)                                                                   \
    X(MINIMUM, "minimum", QDRI_ORDERED)                                                                      \
    X(MAXIMUM, "maximum", QDRI_ORDERED)                                                                      \
    X(LOGICAL_AND, "logical-and", QDRI_ORDERED)                                                              \
    X(LOGICAL_OR, "logical-or", QDRI_ORDERED)                                                                \
    X(LOGICAL_XOR, "logical-xor", QDRI_ORDERED)                                                              \
    X(BITWISE_AND, "bitwise-and", QDRI_WHOLE)                                                                \
    X(BITWISE_OR, "bitwise-or", QDRI_WHOLE)                                                                  \
    X(BITWISE_XOR, "bitwise-xor", QDRI_WHOLE)                                                                \
    X(COMBINE, "combine", QDRI_ANY_NUMBER)

/* How many there are; the last constants of the enumerations are these. */
enum { QDRI_TYPES = QDR_DOUBLE_COMPLEX + 1, QDRI_OPERATIONS = QDR_COMBINE + 1 };

/* The parts of a value: 2 for complex numbers, else 1. The type exists. */
int64_t qdri_type_parts(qdr_type type);

#endif
