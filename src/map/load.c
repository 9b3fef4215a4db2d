/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange of a map carries: fields that were checked, and how a partner's message is packed and
 * unpacked. Fields stand one after the other, those with the widest values first and elements of varying size
 * last; so each begins aligned in a message that does, and no padding is needed.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "map/inside.h"

/* ---- packing ------------------------------------------------------------------------------------------- */

static void pack(const qdri_cargo *cargo, int destination, void *to) {
    const qdri_load *load = (const qdri_load *)cargo;
    const qdri_places *list = &load->from->list[destination];
    char *place = to;
    for (int i = 0; i < load->fields; i++) {
        const qdri_load_field *one = &load->field[i];
        if (one->bytes > 0) {
            qdri_gather(list, one->field.source, one->bytes, one->source_stride, place);
            place += list->count * one->bytes;
        } else {
            qdri_gather_varying(list, one->field.source, one->field.source_start, place);
            place += qdri_varying_bytes(list, one->field.source_start);
        }
    }
}

static void unpack(const qdri_cargo *cargo, int source, const void *from) {
    const qdri_load *load = (const qdri_load *)cargo;
    const qdri_places *list = &load->to->list[source];
    const char *place = from;
    for (int i = 0; i < load->fields; i++) {
        const qdr_field *field = &load->field[i].field;
        int64_t bytes = load->field[i].bytes, stride = load->field[i].target_stride;
        if (bytes == 0) {
            qdri_scatter_varying(list, place, field->target_start, field->target);
            place += qdri_varying_bytes(list, field->target_start);
            continue;
        }
        if (field->operation == QDR_REPLACE)
            qdri_scatter(list, place, bytes, stride, field->target);
        else if (field->operation == QDR_COMBINE)
            qdri_combine_by(list, place, bytes, stride, field->combine, field->context, field->target);
        else
            qdri_combine(list, place, field->type, field->width, stride, field->operation, field->target);
        place += list->count * bytes;
    }
}

static void move(const qdri_cargo *cargo, int destination, int source, void *room) {
    const qdri_load *load = (const qdri_load *)cargo;
    for (int i = 0; i < load->fields; i++) {
        const qdri_load_field *one = &load->field[i];
        qdri_move(&load->from->list[destination], one->field.source, one->source_stride,
                  &load->to->list[source], one->field.target, one->target_stride, one->bytes, room,
                  QDRI_MOVE_ROOM);
    }
}

/* Replacing elements of one size, each of which comes once. */
static int can_move(const qdri_load *load) {
    enum { MOST = QDRI_MOVE_ROOM / 4 }; /* bytes */
    for (int i = 0; i < load->fields; i++) {
        const qdri_load_field *one = &load->field[i];
        if (one->bytes == 0 || one->bytes > MOST || one->field.operation != QDR_REPLACE) return 0;
    }
    return !load->to->twice;
}

int64_t qdri_load_offset(const qdri_load *load, int source, int number) {
    const qdri_places *list = &load->to->list[source];
    int64_t offset = 0;
    for (int i = 0; i < load->fields; i++) {
        const qdri_load_field *one = &load->field[i];
        if (one->number == number) return offset;
        offset +=
            one->bytes > 0 ? list->count * one->bytes : qdri_varying_bytes(list, one->field.target_start);
    }
    return -1;
}

/* ---- checking ------------------------------------------------------------------------------------------ */

/* One field of one exchange, and where it stands among them. */
typedef struct question {
    qdr_map *map;
    const qdri_map_side *from, *to;
    const qdr_field *field;
    int number;
} question;

static qdr_status check_shape(const question *asked) {
    const qdr_field *field = asked->field;
    int64_t size = qdr_type_bytes(field->type);
    int empty = asked->from->highest < 0 && asked->to->highest < 0;
    int varies = field->source_start || field->target_start || (empty && field->width == 0);
    if (size == 0)
        return qdri_fail(QDR_ERR_INVALID, "field %d: there is no type %d%s", asked->number, (int)field->type,
                         field->type ? "" : "; set it to QDR_DOUBLE, or to whatever its values are");
    const char *operation = qdr_operation_name(field->operation);
    if (!operation)
        return qdri_fail(QDR_ERR_INVALID,
                         "field %d: there is no operation %d; fields begin as {0}, which replaces",
                         asked->number, (int)field->operation);
    if (!qdr_operation_suits(field->operation, field->type))
        return qdri_fail(QDR_ERR_INVALID, "field %d: %s of %s is not defined", asked->number, operation,
                         qdr_type_name(field->type));
    if (field->operation == QDR_COMBINE && !field->combine)
        return qdri_fail(QDR_ERR_INVALID, "field %d: QDR_COMBINE without a function", asked->number);
    if (varies && (field->width != 0 || field->operation != QDR_REPLACE || field->type != QDR_BYTE))
        return qdri_fail(QDR_ERR_INVALID,
                         "field %d: elements of varying size are QDR_BYTE, width 0, and replaced",
                         asked->number);
    if (!varies && (field->width < 1 || field->width > QDRI_WIDEST / size))
        return qdri_fail(QDR_ERR_RANGE, "field %d: width %lld of %s; expected 1 to %lld", asked->number,
                         (long long)field->width, qdr_type_name(field->type),
                         (long long)(QDRI_WIDEST / size));
    return QDR_OK;
}

/* One array of a field: where it begins, how its elements lie, and which of them are meant. */
typedef struct side {
    const char *what;
    const qdri_map_side *lists;
    const void *array;
    const int64_t *start; /* of elements of varying size */
    int64_t bytes, stride;
} side;

/* The memory that the lists reach. */
typedef struct extent {
    uintptr_t begin, end;
} extent;

static extent extent_of(const side *one) {
    uintptr_t base = (uintptr_t)one->array, stride = (uintptr_t)one->stride;
    const qdri_map_side *lists = one->lists;
    if (lists->highest < 0) return (extent){0, 0};
    if (one->bytes == 0)
        return (extent){base + (uintptr_t)one->start[lists->lowest],
                        base + (uintptr_t)one->start[lists->highest + 1]};
    return (extent){base + (uintptr_t)lists->lowest * stride,
                    base + (uintptr_t)lists->highest * stride + (uintptr_t)one->bytes};
}

static int64_t alignment_of(qdr_type type) {
    int64_t bytes = qdr_type_bytes(type);
    return type == QDR_FLOAT_COMPLEX ? 4 : bytes > 8 ? 8 : bytes; /* complex numbers are two */
}

static qdr_status check_stride(const question *asked, const side *one) {
    int64_t alignment = alignment_of(asked->field->type);
    if (one->bytes > 0 && one->stride >= one->bytes && one->stride <= QDRI_WIDEST &&
        one->stride % alignment == 0)
        return QDR_OK;
    if (one->bytes == 0 && one->stride == 0) return QDR_OK;
    return one->bytes == 0
               ? qdri_fail(QDR_ERR_INVALID, "field %d: elements of varying size have no %s_stride",
                           asked->number, one->what)
               : qdri_fail(
                     QDR_ERR_RANGE,
                     "field %d: %s_stride is %lld; expected 0, or a multiple of %lld that is at least the "
                     "%lld bytes of an element",
                     asked->number, one->what, (long long)one->stride, (long long)alignment,
                     (long long)one->bytes);
}

static qdr_status check_array(const question *asked, const side *one) {
    int64_t alignment = alignment_of(asked->field->type), bytes = one->bytes;
    const char *what = one->what;
    const void *array = one->array;
    const int64_t *start = one->start;
    if (asked->field->memory != QDR_MEMORY_HOST || asked->field->stream)
        return qdri_fail(
            QDR_ERR_INVALID,
            "field %d names memory of a device, or a stream; this library moves only memory of the host",
            asked->number);
    QDRI_TRY(check_stride(asked, one));
    if (one->lists->highest < 0) return QDR_OK;
    if (!array)
        return qdri_fail(QDR_ERR_INVALID, "field %d: %s is NULL, but there are elements for it",
                         asked->number, what);
    if (bytes == 0 && !start)
        return qdri_fail(QDR_ERR_INVALID, "field %d: the sizes of the %s are missing", asked->number, what);
    if ((uintptr_t)array % (uintptr_t)alignment != 0)
        return qdri_fail(QDR_ERR_INVALID, "field %d: %s %p is not aligned to %lld bytes, as %s has to be",
                         asked->number, what, (void *)(uintptr_t)array, (long long)alignment,
                         qdr_type_name(asked->field->type));
    if (qdri_is_device_pointer(array))
        return qdri_fail(
            QDR_ERR_INVALID,
            "field %d: %s %p is memory of a device; copy it to the host first: the library works "
            "with the processor",
            asked->number, what, (void *)(uintptr_t)array);
    return QDR_OK;
}

/* Whether they are different members of the same structures. */
static int are_members(const side *source, const side *target) {
    uintptr_t from = (uintptr_t)source->array, to = (uintptr_t)target->array;
    if (source->bytes == 0 || source->stride != target->stride) return 0;
    int64_t apart = (int64_t)((from < to ? to - from : from - to) % (uintptr_t)source->stride);
    return apart >= source->bytes && source->stride - apart >= source->bytes;
}

/* One array may be both if no element is sent and received; else the two must lie apart. */
static qdr_status check_overlap(const question *asked, const side *from, const side *to) {
    extent source = extent_of(from), target = extent_of(to);
    if (source.end <= target.begin || target.end <= source.begin || are_members(from, to)) return QDR_OK;
    if (from->array != to->array || from->stride != to->stride || from->start != to->start)
        return qdri_fail(QDR_ERR_INVALID,
                         "field %d: source and target are different arrays, but lie in the same memory",
                         asked->number);
    qdr_map *map = asked->map;
    if (map->meet < 0)
        QDRI_TRY(qdri_places_intersect(map->sends.list, map->sends.partners, map->receives.list,
                                       map->receives.partners, &map->meet, &map->meet_element));
    if (map->meet)
        return qdri_fail(QDR_ERR_INVALID,
                         "field %d: source and target are one array, and its element %lld is both sent and "
                         "received",
                         asked->number, (long long)map->meet_element);
    return QDR_OK;
}

static qdr_status check_order(const question *asked, qdr_direction direction) {
    const qdri_map_side *to = asked->to;
    if (!to->twice || asked->field->operation != QDR_REPLACE || asked->map->keeps) return QDR_OK;
    if (direction == QDR_FORWARD && !asked->map->unordered) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID,
                     "field %d: element %lld comes from ranks %d and %d: replace would leave whichever comes "
                     "last; use another operation%s",
                     asked->number, (long long)to->twice_element, to->twice_rank[0], to->twice_rank[1],
                     direction == QDR_FORWARD ? ", or a map that is not unordered" : "");
}

/* ---- taking in ----------------------------------------------------------------------------------------- */

/* Before which others a field is packed. */
static int64_t precedence(const qdri_load_field *one) {
    return one->bytes == 0 ? 0 : qdr_type_bytes(one->field.type);
}

static void add(qdri_load *load, qdri_load_field added) {
    int place = load->fields++;
    for (; place > 0 && precedence(&load->field[place - 1]) < precedence(&added); place--)
        load->field[place] = load->field[place - 1];
    load->field[place] = added;
}

static qdr_status add_checked(qdr_map *map, qdr_direction direction, const qdr_field *field, int number,
                              qdri_load *load) {
    question asked = {map, load->from, load->to, field, number};
    QDRI_TRY(check_shape(&asked));
    int64_t bytes = field->width * qdr_type_bytes(field->type);
    side source = {"source",      load->from,
                   field->source, field->source_start,
                   bytes,         field->source_stride ? field->source_stride : bytes};
    side target = {"target",      load->to,
                   field->target, field->target_start,
                   bytes,         field->target_stride ? field->target_stride : bytes};
    QDRI_TRY(check_array(&asked, &source));
    if (!map->keeps) {
        QDRI_TRY(check_array(&asked, &target));
        QDRI_TRY(check_overlap(&asked, &source, &target));
        QDRI_TRY(check_order(&asked, direction));
    }
    load->cargo.item_bytes += bytes;
    add(load, (qdri_load_field){*field, bytes, source.stride, target.stride, number});
    return QDR_OK;
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

static const int64_t most_bytes = INT64_C(1) << 62;

static qdr_status check_bytes(const qdri_load *load) {
    int64_t entries = load->from->entries > load->to->entries ? load->from->entries : load->to->entries;
    if (entries > 0 && load->cargo.item_bytes > most_bytes / entries)
        return qdri_fail(QDR_ERR_RANGE,
                         "%lld elements of %lld bytes cannot be counted; expected at most 2^63 - 1 bytes",
                         (long long)entries, (long long)load->cargo.item_bytes);
    return QDR_OK;
}

/* ---- varying sizes ------------------------------------------------------------------------------------- */

static qdr_status count_side(const qdri_load *load, const qdri_map_side *side, int is_source,
                             int64_t *bytes) {
    for (int i = 0; i < side->partners; i++) {
        bytes[i] = side->list[i].count * load->cargo.item_bytes;
        for (int k = load->fields - 1; k >= 0 && load->field[k].bytes == 0; k--) {
            const qdr_field *field = &load->field[k].field;
            const int64_t *start = is_source ? field->source_start : field->target_start;
            int64_t more = side->list[i].count == 0 ? 0
                           : start                  ? qdri_varying_bytes(&side->list[i], start)
                                                    : -1;
            if (more < 0 || more > most_bytes - bytes[i])
                return qdri_fail(QDR_ERR_RANGE,
                                 "field %d: the sizes of the %s are missing, negative or too large",
                                 load->field[k].number, is_source ? "source" : "target");
            bytes[i] += more;
        }
    }
    return QDR_OK;
}

static qdr_status count_varying(const qdr_map *map, const qdr_plan *plan, qdri_load *load) {
    int partners = map->sends.partners + map->receives.partners;
    if (!qdri_plan_any_size(plan))
        return qdri_fail(QDR_ERR_INVALID,
                         "elements of varying size go with paced, async, distributed, bruck, joined "
                         "and levels, and where no algorithm was asked for");
    if (!load->bytes) load->bytes = QDRI_ARRAY(int64_t, partners);
    if (!load->bytes) return qdri_fail_memory();
    QDRI_TRY(count_side(load, load->from, 1, load->bytes));
    QDRI_TRY(count_side(load, load->to, 0, load->bytes + load->from->partners));
    load->cargo.item_bytes = 1;
    load->cargo.outgoing_items = load->bytes;
    load->cargo.incoming_items = load->bytes + load->from->partners;
    return QDR_OK;
}

/* Member by member, for what lies between members is whatever the caller's memory had there. */
static int are_alike(const qdr_field *one, const qdr_field *other) {
    return one->source == other->source && one->target == other->target && one->type == other->type &&
           one->width == other->width && one->operation == other->operation &&
           one->combine == other->combine && one->context == other->context &&
           one->source_start == other->source_start && one->target_start == other->target_start &&
           one->source_stride == other->source_stride && one->target_stride == other->target_stride &&
           one->memory == other->memory && one->stream == other->stream;
}

/* Most programs exchange the same arrays again and again; what was right stays so. Sizes of varying elements
 * may have changed behind their pointer. */
static int is_known(const qdr_map *map, const qdri_load *load, const qdr_field *field, int fields) {
    if (load->checked != map->relisted || load->fields != fields || load->field[fields - 1].bytes == 0)
        return 0;
    for (int i = 0; i < fields; i++)
        if (!are_alike(&load->field[i].field, &field[load->field[i].number])) return 0;
    return 1;
}

static qdr_status fill(qdr_map *map, qdr_direction direction, const qdr_field *field, int fields,
                       qdri_load *load) {
    load->from = direction == QDR_FORWARD ? &map->sends : &map->receives;
    load->to = direction == QDR_FORWARD ? &map->receives : &map->sends;
    load->fields = 0;
    /* A schedule knows its own sizes: there counts cannot have changed. */
    int counts = map->relisted && qdri_plan_any_size(map->plan[direction]);
    load->cargo = (qdri_cargo){.pack = pack,
                               .unpack = unpack,
                               .pack_part = qdri_load_pack_part,
                               .unpack_part = qdri_load_unpack_part,
                               .keeps = map->keeps,
                               .outgoing_items = counts ? load->from->count : NULL,
                               .incoming_items = counts ? load->to->count : NULL};
    for (int i = 0; i < fields; i++) {
        QDRI_TRY(add_checked(map, direction, &field[i], i, load));
        if (field[i].operation == QDR_COMBINE) load->cargo.whole = 1;
    }
    /* Where no element comes twice, nobody can tell the order, but a function of the user's. */
    if (can_move(load)) load->cargo.move = move;
    load->cargo.ordered = !map->unordered && (load->to->twice || load->cargo.whole);
    QDRI_TRY(check_bytes(load));
    return load->field[fields - 1].bytes == 0 ? count_varying(map, map->plan[direction], load) : QDR_OK;
}

qdr_status qdri_load_fill(qdr_map *map, qdr_direction direction, const qdr_field *field, int fields,
                          qdri_load *load) {
    if (fields < 1 || fields > QDR_MOST_FIELDS || !field)
        return qdri_fail(QDR_ERR_RANGE, "%d fields; expected 1 to %d", fields, QDR_MOST_FIELDS);
    if (is_known(map, load, field, fields)) return QDR_OK;
    load->checked = -1;
    QDRI_TRY(fill(map, direction, field, fields, load));
    load->checked = map->relisted;
    return QDR_OK;
}
