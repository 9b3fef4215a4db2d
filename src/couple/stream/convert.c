/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converting values between the types of two programs, in two steps through one of three wide types:
 * signed and unsigned whole numbers of 64 bits, and double. Each type has one kernel that widens it and
 * one for each wide type that narrows to it, generated from the table of types; blocks stay in the nearest
 * cache. Whole numbers outside the range of their type become its nearest end, fractions are cut off, and
 * what is no number becomes 0: never is a conversion undefined. A real number becomes a complex one; the
 * reverse would lose half of it and is refused.
 */
#include <string.h>

#include "couple/stream/run.h"
#include "places/types.h"

enum { BLOCK = 512 };

typedef union wide {
    int64_t whole[BLOCK];
    uint64_t natural[BLOCK];
    double real[BLOCK];
} wide;

typedef enum wide_kind { WHOLE, NATURAL, REAL } wide_kind;

/* X(constant, C type of a part, its wide kind, lowest, highest) */
#define PART_TABLE(X)                                                                                        \
    X(BYTE, uint8_t, NATURAL, 0, UINT8_MAX)                                                                  \
    X(INT8, int8_t, WHOLE, INT8_MIN, INT8_MAX)                                                               \
    X(INT16, int16_t, WHOLE, INT16_MIN, INT16_MAX)                                                           \
    X(INT32, int32_t, WHOLE, INT32_MIN, INT32_MAX)                                                           \
    X(INT64, int64_t, WHOLE, INT64_MIN, INT64_MAX)                                                           \
    X(UINT8, uint8_t, NATURAL, 0, UINT8_MAX)                                                                 \
    X(UINT16, uint16_t, NATURAL, 0, UINT16_MAX)                                                              \
    X(UINT32, uint32_t, NATURAL, 0, UINT32_MAX)                                                              \
    X(UINT64, uint64_t, NATURAL, 0, UINT64_MAX)                                                              \
    X(FLOAT, float, REAL, 0, 0)                                                                              \
    X(DOUBLE, double, REAL, 0, 0)                                                                            \
    X(FLOAT_COMPLEX, float, REAL, 0, 0)                                                                      \
    X(DOUBLE_COMPLEX, double, REAL, 0, 0)

/* ---- to a wide type ------------------------------------------------------------------------------------ */

#define LANE_WHOLE   whole
#define LANE_NATURAL natural
#define LANE_REAL    real
#define WIDEN(name, type, kind, lowest, highest)                                                             \
    static wide_kind widen_##name(const void *in, int64_t count, wide *out) {                                \
        for (int64_t i = 0; i < count; i++) {                                                                \
            type value;                                                                                      \
            memcpy(&value, (const char *)in + (size_t)i * sizeof value, sizeof value);                       \
            out->LANE_##kind[i] = value;                                                                     \
        }                                                                                                    \
        return kind;                                                                                         \
    }
PART_TABLE(WIDEN)

/* ---- from a wide type ---------------------------------------------------------------------------------- */

static int64_t clamp_whole(int64_t value, int64_t lowest, uint64_t highest) {
    if (value < lowest) return lowest;
    return value > 0 && (uint64_t)value > highest ? (int64_t)highest : value;
}

static uint64_t clamp_natural(uint64_t value, int64_t lowest, uint64_t highest) {
    (void)lowest;
    return value > highest ? highest : value;
}

/* As bits of the target: whole numbers of either sign go through 64 of them. 2^64 and -2^63 are exact in
 * double, the highest values below are not, hence the comparisons by `>=`. */
static uint64_t clamp_real(double value, int64_t lowest, uint64_t highest) {
    if (value != value) return 0;
    if (value <= (double)lowest) return (uint64_t)lowest;
    if (value >= (double)highest) return highest;
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

#define NARROW_INTEGER(name, type, lowest, highest)                                                          \
    static void narrow_##name(const wide *in, wide_kind kind, int64_t count, char *out) {                    \
        for (int64_t i = 0; i < count; i++) {                                                                \
            type value = (type)(kind == WHOLE     ? (uint64_t)clamp_whole(in->whole[i], lowest, highest)     \
                                : kind == NATURAL ? clamp_natural(in->natural[i], lowest, highest)           \
                                                  : clamp_real(in->real[i], lowest, highest));               \
            memcpy(out + (size_t)i * sizeof value, &value, sizeof value);                                    \
        }                                                                                                    \
    }
#define NARROW_REAL(name, type)                                                                              \
    static void narrow_##name(const wide *in, wide_kind kind, int64_t count, char *out) {                    \
        for (int64_t i = 0; i < count; i++) {                                                                \
            type value = (type)(kind == WHOLE     ? (double)in->whole[i]                                     \
                                : kind == NATURAL ? (double)in->natural[i]                                   \
                                                  : in->real[i]);                                            \
            memcpy(out + (size_t)i * sizeof value, &value, sizeof value);                                    \
        }                                                                                                    \
    }
#define NARROW_WHOLE(name, type, lowest, highest)   NARROW_INTEGER(name, type, lowest, (uint64_t)highest)
#define NARROW_NATURAL(name, type, lowest, highest) NARROW_INTEGER(name, type, lowest, highest)
#define NARROW_REAL_(name, type, lowest, highest)   NARROW_REAL(name, type)
#define NARROW_KIND_WHOLE                           NARROW_WHOLE
#define NARROW_KIND_NATURAL                         NARROW_NATURAL
#define NARROW_KIND_REAL                            NARROW_REAL_
#define NARROW(name, type, kind, lowest, highest)   NARROW_KIND_##kind(name, type, lowest, highest)
PART_TABLE(NARROW)

/* ---- both ---------------------------------------------------------------------------------------------- */

static const struct {
    wide_kind (*widen)(const void *in, int64_t count, wide *out);
    void (*narrow)(const wide *in, wide_kind kind, int64_t count, char *out);
} kernel[QDRI_TYPES] = {
#define KERNEL(name, type, kind, lowest, highest) [QDR_##name] = {widen_##name, narrow_##name},
    PART_TABLE(KERNEL)};

int qdri_convertible(qdr_type from, qdr_type to) {
    return qdri_type_parts(from) <= qdri_type_parts(to);
}

/* Real parts, each followed by nothing. */
static void spread_parts(wide *block, wide_kind kind, int64_t count) {
    for (int64_t i = count - 1; i >= 0; i--) {
        block->real[2 * i] = kind == WHOLE     ? (double)block->whole[i]
                             : kind == NATURAL ? (double)block->natural[i]
                                               : block->real[i];
        block->real[2 * i + 1] = 0;
    }
}

void qdri_convert(qdr_type from, qdr_type to, int64_t count, const void *in, void *out) {
    int64_t parts = qdri_type_parts(to), in_parts = qdri_type_parts(from);
    int64_t in_bytes = qdr_type_bytes(from), out_bytes = qdr_type_bytes(to), most = BLOCK / parts;
    wide block;
    for (int64_t i = 0; i < count; i += most) {
        int64_t values = count - i < most ? count - i : most;
        wide_kind kind = kernel[from].widen((const char *)in + i * in_bytes, values * in_parts, &block);
        if (in_parts < parts) {
            spread_parts(&block, kind, values);
            kind = REAL;
        }
        kernel[to].narrow(&block, kind, values * parts, (char *)out + i * out_bytes);
    }
}
