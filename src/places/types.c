/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types and operations by their tables. Both are indexed by the enumeration, so that a size or a name is one
 * load; a number that is no member of it, as a program may pass by mistake, is answered, not followed.
 */
#include "places/types.h"

#include <stddef.h>

typedef struct type_row {
    const char *name;
    int64_t bytes, parts;
    unsigned kind;
} type_row;

typedef struct operation_row {
    const char *name;
    unsigned kinds;
} operation_row;

static const type_row types[QDRI_TYPES] = {
#define TYPE_ROW(constant, name, part, parts, kind)                                                          \
    [QDR_##constant] = {name, (int64_t)sizeof(part) * (parts), parts, kind},
    QDRI_TYPE_TABLE(TYPE_ROW)
#undef TYPE_ROW
};

static const operation_row operations[QDRI_OPERATIONS] = {
#define OPERATION_ROW(constant, name, kinds) [QDR_##constant] = {name, kinds},
    QDRI_OPERATION_TABLE(OPERATION_ROW)
#undef OPERATION_ROW
};

static int is_type(qdr_type type) {
    return (unsigned)type < QDRI_TYPES;
}

static int is_operation(qdr_operation operation) {
    return (unsigned)operation < QDRI_OPERATIONS;
}

int64_t qdr_type_bytes(qdr_type type) {
    return is_type(type) ? types[type].bytes : 0;
}

const char *qdr_type_name(qdr_type type) {
    return is_type(type) ? types[type].name : NULL;
}

const char *qdr_operation_name(qdr_operation operation) {
    return is_operation(operation) ? operations[operation].name : NULL;
}

int qdr_operation_suits(qdr_operation operation, qdr_type type) {
    return is_operation(operation) && is_type(type) && (operations[operation].kinds & types[type].kind) != 0;
}

int64_t qdri_type_parts(qdr_type type) {
    return types[type].parts;
}
