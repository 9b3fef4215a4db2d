/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random couplings: the fields of one stream, each a pair of arrays with regions of equally many elements; what the
 * exporter's memory holds, what must be in the importer's afterwards, and the schedule between them. All of it is a
 * function of a seed and the numbers of ranks, so that programs which never heard of each other derive the same.
 *
 * The value of an element is its global number in the exporter's array (and field, component and export), so that one
 * that strayed shows where it came from.
 */
#ifndef COUPLE_CASES_H
#define COUPLE_CASES_H

#include <stdio.h>

#include "arrays.h"
#include "quadrille/places.h"

enum { CASE_FIELDS = 4, CASE_NAME = 16, CASE_MARGIN = 4 };

typedef struct case_field {
    char name[CASE_NAME];
    int number;
    case_array side[2]; /* the exporter's, the importer's */
    qdr_type type[2];
    int64_t width;
    qdr_operation operation; /* of the import */
} case_field;

typedef struct couple_case {
    int ranks[2]; /* of the exporter, of the importer */
    int fields;
    case_field field[CASE_FIELDS];
    int named[2][CASE_FIELDS]; /* in which order each program names them */
    int converts, checked, exports;
} couple_case;

/* ---- drawing ------------------------------------------------------------------------------------------- */

static inline int64_t draw_size(qdri_random *random) {
    int way = (int)qdri_random_below(random, 100);
    return way < 4    ? 0
           : way < 8  ? 1
           : way < 60 ? draw(random, 2, 40)
           : way < 98 ? draw(random, 40, 300)
                      : draw(random, 300, 3000);
}

/* Two regions of equally many elements: of common shapes, one or both the whole array, or anything. */
static inline void draw_regions(case_region *one, case_region *other, qdri_random *random) {
    int way = (int)qdri_random_below(random, 100);
    int64_t count = draw_size(random);
    if (way < 40) {
        case_shapes shapes = draw_shapes(random, count < 200 ? 200 : count);
        fill_shapes(one, random, &shapes);
        fill_shapes(other, random, &shapes);
        return;
    }
    draw_extent(one, random, count);
    if (way < 60) {
        fill_whole(one, random);
        if (way < 50) {
            other->dimensions = one->dimensions;
            memcpy(other->extent, one->extent, sizeof other->extent);
            fill_whole(other, random);
            return;
        }
    } else {
        fill_region(one, random, count);
    }
    draw_extent(other, random, one->count);
    fill_region(other, random, one->count);
}

static const qdr_type case_convertible[] = {QDR_INT8,   QDR_INT16,  QDR_INT32,  QDR_INT64, QDR_UINT8,
                                            QDR_UINT16, QDR_UINT32, QDR_UINT64, QDR_FLOAT, QDR_DOUBLE};

static inline void draw_types(couple_case *made, case_field *field, qdri_random *random) {
    field->width = chance(random, 60) ? draw(random, 0, 1) : draw(random, 2, 5);
    field->type[0] = field->type[1] = (qdr_type)draw(random, QDR_BYTE, QDR_DOUBLE_COMPLEX);
    if (!made->converts) return;
    for (int s = 0; s < 2; s++) field->type[s] = case_convertible[draw(random, 0, 9)];
}

static inline void draw_field(couple_case *made, int f, qdri_random *random, const case_kind *kind) {
    case_field *field = &made->field[f];
    int first = (int)draw(random, 0, 1);
    snprintf(field->name, sizeof field->name, "%c%d", "qhzas"[qdri_random_below(random, 5)], f);
    field->number = f;
    draw_regions(&field->side[first].region, &field->side[1 - first].region, random);
    for (int s = 0; s < 2; s++) draw_array(&field->side[s], random, kind[s], made->ranks[s]);
    draw_types(made, field, random);
}

static inline couple_case *open_case(uint64_t seed, int exporters, int importers, int64_t number) {
    couple_case *made = calloc(1, sizeof *made);
    uint64_t grid = (uint64_t)exporters * 1000 + (uint64_t)importers;
    qdri_random drawn = qdri_random_seed(qdri_mix(qdri_mix(qdri_mix(seed) ^ grid) ^ (uint64_t)number));
    qdri_random *random = &drawn;
    int is_alike = chance(random, 70);
    case_kind kind[2];
    made->ranks[0] = exporters;
    made->ranks[1] = importers;
    made->fields = (int)draw(random, 1, CASE_FIELDS);
    made->converts = chance(random, 15);
    made->checked = chance(random, 25);
    made->exports = (int)draw(random, 1, 2);
    for (int f = 0; f < made->fields; f++) {
        for (int s = 0; s < 2 && (f == 0 || !is_alike); s++)
            kind[s] = chance(random, 20) ? CASE_REGULAR : (case_kind)draw(random, 0, CASE_KINDS - 1);
        draw_field(made, f, random, kind);
    }
    for (int f = 0; f < made->fields; f++) {
        static const qdr_operation some[] = {QDR_REPLACE, QDR_SUM, QDR_MINIMUM, QDR_MAXIMUM};
        qdr_operation one = some[qdri_mix((uint64_t)(number * CASE_FIELDS + f)) % 4];
        made->field[f].operation = qdr_operation_suits(one, made->field[f].type[1]) ? one : QDR_REPLACE;
    }
    for (int s = 0; s < 2; s++) {
        for (int f = 0; f < made->fields; f++) made->named[s][f] = f;
        qdri_random_shuffle(random, made->named[s], made->fields);
    }
    return made;
}

static inline void close_case(couple_case *made) {
    for (int f = 0; f < made->fields; f++)
        for (int s = 0; s < 2; s++) close_array(&made->field[f].side[s]);
    free(made);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static inline int64_t field_width(const case_field *field) {
    return field->width ? field->width : 1;
}

static inline int64_t field_bytes(const case_field *field, int side) {
    return qdr_type_bytes(field->type[side]) * field_width(field);
}

static inline void encode(qdr_type type, uint64_t value, unsigned char *out) {
    uint64_t other = value + 1; /* the imaginary part */
    float real[2] = {(float)(value & 0xffffff), (float)(other & 0xffffff)};
    double wide[2] = {(double)(value & 0xffffffffffff), (double)(other & 0xffffffffffff)};
    int64_t bytes = qdr_type_bytes(type);
    if (type == QDR_FLOAT || type == QDR_FLOAT_COMPLEX) {
        memcpy(out, real, (size_t)bytes);
    } else if (type == QDR_DOUBLE || type == QDR_DOUBLE_COMPLEX) {
        memcpy(out, wide, (size_t)bytes);
    } else {
        uint16_t short_one = (uint16_t)value;
        uint32_t middle = (uint32_t)value;
        *out = (unsigned char)value;
        if (bytes == 2) memcpy(out, &short_one, sizeof short_one);
        if (bytes == 4) memcpy(out, &middle, sizeof middle);
        if (bytes == 8) memcpy(out, &value, sizeof value);
    }
}

/* Of the element as a program of this side must see it. What is converted stays small: every type can hold it. */
static inline void encode_element(const couple_case *made, const case_field *field, int side, int64_t element,
                                  int export_number, unsigned char *out) {
    for (int64_t c = 0; c < field_width(field); c++) {
        uint64_t value = (uint64_t)(element + 1000003 * field->number + 31 * c + 7919 * export_number);
        encode(field->type[side], made->converts ? value % 100 : value, out);
        out += qdr_type_bytes(field->type[side]);
    }
}

/* What lies where no element of the region is. */
static inline unsigned char untouched(int64_t at) {
    return (unsigned char)(0xa5 ^ (at * 7 & 0x3f));
}

static inline int64_t memory_bytes(const case_field *field, int side, int rank) {
    return (field->side[side].room[rank] + CASE_MARGIN) * field_bytes(field, side);
}

/* A rank's memory: with the values of an export if it has the elements, else as it is before an import. */
static inline void fill_memory(const couple_case *made, const case_field *field, int side, int rank,
                               int exported, unsigned char *memory) {
    const case_array *array = &field->side[side];
    int64_t bytes = field_bytes(field, side), all = memory_bytes(field, side, rank);
    for (int64_t i = 0; i < all; i++) memory[i] = untouched(i);
    for (int64_t e = 0; exported >= 0 && e < array->region.elements; e++)
        if (array->owner[e] == rank)
            encode_element(made, field, side, e, exported, memory + array->place[e] * bytes);
}

/* ---- operations ---------------------------------------------------------------------------------------- */

#define COMBINE_WHOLE(part)                                                                                  \
    do {                                                                                                     \
        part a, b;                                                                                           \
        memcpy(&a, there, sizeof a);                                                                         \
        memcpy(&b, came, sizeof b);                                                                          \
        if (operation == QDR_SUM)                                                                            \
            a = (part)((uint64_t)a + (uint64_t)b);                                                           \
        else                                                                                                 \
            a = (operation == QDR_MINIMUM ? b < a : b > a) ? b : a;                                          \
        memcpy(there, &a, sizeof a);                                                                         \
    } while (0)

#define COMBINE_REAL(part, parts)                                                                            \
    do {                                                                                                     \
        part a[parts], b[parts];                                                                             \
        memcpy(a, there, sizeof a);                                                                          \
        memcpy(b, came, sizeof b);                                                                           \
        for (int i_ = 0; i_ < (parts); i_++)                                                                 \
            if (operation == QDR_SUM)                                                                        \
                a[i_] += b[i_];                                                                              \
            else                                                                                             \
                a[i_] = (operation == QDR_MINIMUM ? b[i_] < a[i_] : b[i_] > a[i_]) ? b[i_] : a[i_];          \
        memcpy(there, a, sizeof a);                                                                          \
    } while (0)

/* One value. */
static inline void combine_value(qdr_type type, qdr_operation operation, const unsigned char *came,
                                 unsigned char *there) {
    switch (type) {
    case QDR_INT8:
        COMBINE_WHOLE(int8_t);
        break;
    case QDR_INT16:
        COMBINE_WHOLE(int16_t);
        break;
    case QDR_INT32:
        COMBINE_WHOLE(int32_t);
        break;
    case QDR_INT64:
        COMBINE_WHOLE(int64_t);
        break;
    case QDR_UINT16:
        COMBINE_WHOLE(uint16_t);
        break;
    case QDR_UINT32:
        COMBINE_WHOLE(uint32_t);
        break;
    case QDR_UINT64:
        COMBINE_WHOLE(uint64_t);
        break;
    case QDR_FLOAT:
        COMBINE_REAL(float, 1);
        break;
    case QDR_DOUBLE:
        COMBINE_REAL(double, 1);
        break;
    case QDR_FLOAT_COMPLEX:
        COMBINE_REAL(float, 2);
        break;
    case QDR_DOUBLE_COMPLEX:
        COMBINE_REAL(double, 2);
        break;
    default:
        COMBINE_WHOLE(uint8_t);
    }
}

/* As it is before an import: what is combined with has values of an earlier export. */
static inline void prepare_memory(const couple_case *made, const case_field *field, int rank,
                                  unsigned char *memory) {
    enum { BEFORE = 5 };
    fill_memory(made, field, 1, rank, field->operation == QDR_REPLACE ? -1 : BEFORE, memory);
}

/* What the importer's memory must be after the import of an export. */
static inline void expect_memory(const couple_case *made, const case_field *field, int rank, int exported,
                                 unsigned char *memory) {
    const case_array *from = &field->side[0], *to = &field->side[1];
    int64_t bytes = field_bytes(field, 1);
    int64_t size = qdr_type_bytes(field->type[1]);
    unsigned char *came = malloc((size_t)bytes);
    prepare_memory(made, field, rank, memory);
    for (int64_t k = 0; k < to->region.count; k++) {
        int64_t e = to->region.member[k];
        if (to->owner[e] != rank) continue;
        unsigned char *there = memory + to->place[e] * bytes;
        encode_element(made, field, 1, from->region.member[k], exported, came);
        if (field->operation == QDR_REPLACE)
            memcpy(there, came, (size_t)bytes);
        else
            for (int64_t at = 0; at < bytes; at += size)
                combine_value(field->type[1], field->operation, came + at, there + at);
    }
    free(came);
}

/* ---- the schedule -------------------------------------------------------------------------------------- */

typedef struct case_schedule {
    int partners;
    int rank[CASE_RANKS];
    int64_t start[CASE_RANKS + 1];
    int64_t *place;
} case_schedule;

/* What a rank of this side has for each rank of the other: its places, by rising number of the elements. */
static inline case_schedule expect_schedule(const case_field *field, int side, int rank) {
    const case_array *mine = &field->side[side], *theirs = &field->side[1 - side];
    int64_t count = mine->region.count;
    case_schedule made = {.place = malloc(((size_t)count + 1) * sizeof(int64_t))};
    int64_t at = 0;
    for (int partner = 0; partner < theirs->ranks; partner++) {
        int64_t before = at;
        for (int64_t k = 0; k < count; k++) {
            int64_t e = mine->region.member[k];
            if (mine->owner[e] == rank && theirs->owner[theirs->region.member[k]] == partner)
                made.place[at++] = mine->place[e];
        }
        if (at > before) made.rank[made.partners++] = partner;
        made.start[made.partners] = at;
    }
    return made;
}

#endif
