/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of messages: what packing and unpacking does when a message goes in pieces. A part may begin and end inside
 * an element, but never inside a value: fields stand with the widest values first, so each begins at a multiple of
 * its value's size, and so does every part. The elements that lie in it whole go through the kernels, as the part of
 * a list; what it has of its first and last element is contiguous in the array, too.
 *
 * Elements of varying size have to be counted from the first on. So the part remembers the element that it has
 * reached, and the next goes on there: a message costs as much in parts as in one.
 */
#include <string.h>

#include "map/inside.h"

/* ---- elements of one size ------------------------------------------------------------------------------ */

/* Some bytes of one element. */
static void gather_inside(const qdri_load_field *one, const qdri_places *list, int64_t element, int64_t from,
                          int64_t to, char *packed) {
    const char *array = one->field.source;
    memcpy(packed, array + qdri_places_at(list, element) * one->source_stride + from, (size_t)(to - from));
}

/* As elements of one value each. */
static void scatter_inside(const qdri_load_field *one, const qdri_places *list, int64_t element, int64_t from,
                           int64_t to, char *packed) {
    const qdr_field *field = &one->field;
    int64_t size = qdr_type_bytes(field->type);
    char *array = (char *)field->target + qdri_places_at(list, element) * one->target_stride + from;
    qdri_places values = {.count = (to - from) / size, .stride = 1};
    qdri_combine(&values, packed, field->type, 1, size, field->operation, array);
}

static void gather_whole(const qdri_load_field *one, const qdri_places *list, int64_t from, int64_t to,
                         char *packed) {
    qdri_places part = qdri_places_part(list, from, to);
    qdri_gather(&part, one->field.source, one->bytes, one->source_stride, packed);
}

static void scatter_whole(const qdri_load_field *one, const qdri_places *list, int64_t from, int64_t to,
                          char *packed) {
    const qdr_field *field = &one->field;
    qdri_places part = qdri_places_part(list, from, to);
    if (field->operation == QDR_REPLACE)
        qdri_scatter(&part, packed, one->bytes, one->target_stride, field->target);
    else
        qdri_combine(&part, packed, field->type, field->width, one->target_stride, field->operation,
                     field->target);
}

/* Bytes from..to of the packed elements of a field. */
static void move_fixed(const qdri_load_field *one, const qdri_places *list, int is_source, int64_t from,
                       int64_t to, char *packed) {
    int64_t first = from / one->bytes, last = to / one->bytes;
    int64_t head = from % one->bytes, tail = to % one->bytes;
    void (*inside)(const qdri_load_field *, const qdri_places *, int64_t, int64_t, int64_t, char *) =
        is_source ? gather_inside : scatter_inside;
    if (head > 0) {
        int64_t end = first == last ? tail : one->bytes;
        inside(one, list, first++, head, end, packed);
        packed += end - head;
    }
    if (first < last) (is_source ? gather_whole : scatter_whole)(one, list, first, last, packed);
    if (first <= last && tail > 0) inside(one, list, last, 0, tail, packed + (last - first) * one->bytes);
}

/* ---- elements of varying size -------------------------------------------------------------------------- */

static void copy(const qdri_load_field *one, int is_source, int64_t byte, char *packed, int64_t bytes) {
    if (is_source)
        memcpy(packed, (const char *)one->field.source + byte, (size_t)bytes);
    else
        memcpy((char *)one->field.target + byte, packed, (size_t)bytes);
}

/* Goes on with the element that was reached, from byte `at` of the message to `end`, or to the end of the field;
 * returns where it got to. What is contiguous is one element. */
static int64_t move_varying(const qdri_load_field *one, const qdri_places *list, int is_source,
                            qdri_part *part, int64_t at, int64_t end, char *packed) {
    const int64_t *start = is_source ? one->field.source_start : one->field.target_start;
    int is_one = list->shape == QDRI_EVEN && list->stride == 1;
    int64_t elements = is_one && list->count > 0 ? 1 : list->count;
    while (part->element < elements && at < end) {
        int64_t element = qdri_places_at(list, part->element), after = element + (is_one ? list->count : 1);
        int64_t stop = part->begin + (start[after] - start[element]), step = (stop < end ? stop : end) - at;
        if (step > 0) copy(one, is_source, start[element] + (at - part->begin), packed, step);
        packed += step;
        at += step;
        if (at < stop) break;
        part->element++;
        part->begin = stop;
    }
    return at;
}

/* ---- all fields ---------------------------------------------------------------------------------------- */

static void move(const qdri_load *load, const qdri_places *list, int is_source, qdri_part *part,
                 char *packed) {
    int64_t begin = 0, at = part->offset, end = part->offset + part->bytes;
    for (int i = 0; i < load->fields && at < end; i++) {
        const qdri_load_field *one = &load->field[i];
        int64_t reached = at;
        if (one->bytes > 0) {
            int64_t after = begin + list->count * one->bytes, stop = after < end ? after : end;
            if (at < stop) {
                move_fixed(one, list, is_source, at - begin, stop - begin, packed);
                reached = stop;
            }
            begin = after;
        } else if (part->field <= i) {
            if (part->field < i) {
                part->field = i;
                part->element = 0;
                part->begin = at;
            }
            reached = move_varying(one, list, is_source, part, at, end, packed);
        }
        packed += reached - at;
        at = reached;
    }
}

void qdri_load_pack_part(const qdri_cargo *cargo, int destination, qdri_part *part, void *to) {
    const qdri_load *load = (const qdri_load *)cargo;
    move(load, &load->from->list[destination], 1, part, to);
}

void qdri_load_unpack_part(const qdri_cargo *cargo, int source, qdri_part *part, const void *from) {
    const qdri_load *load = (const qdri_load *)cargo;
    move(load, &load->to->list[source], 0, part, (char *)from); /* only read */
}
