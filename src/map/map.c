/* SPDX-License-Identifier: BSD-3-Clause */
/* Running maps, and looking at them; create.c makes them. */
#include <stdlib.h>

#include "map/inside.h"
#include "base/sized.h"

/* ---- the end ------------------------------------------------------------------------------------------- */

qdr_status qdr_map_destroy(qdr_map **map) {
    if (!map || !*map) return QDR_OK;
    qdr_map *gone = *map;
    for (int i = 0; i < 2; i++)
        if (gone->plan[i]) QDRI_TRY(qdri_plan_check_idle(gone->plan[i]));
    for (int i = 0; i < 2; i++) QDRI_TRY(qdr_plan_destroy(&gone->plan[i]));
    for (int i = 0; i < 2; i++) {
        for (int k = 0; gone->load[i] && k < gone->loads; k++) free(gone->load[i][k].bytes);
        free(gone->load[i]);
    }
    qdri_map_side_close(&gone->sends);
    qdri_map_side_close(&gone->receives);
    qdr_partners_destroy(&gone->partners);
    free(gone);
    *map = NULL;
    return QDR_OK;
}

/* ---- looking ------------------------------------------------------------------------------------------- */

void qdr_map_look_sized(const qdr_map *map, qdr_partners_view *view, size_t view_bytes) {
    qdr_partners_view known = qdr_partners_look(map->partners);
    known.send_items = map->sends.count;
    known.receive_items = map->receives.count;
    qdri_sized_fill(view, view_bytes, &known, sizeof known);
}

void qdr_map_reach(const qdr_map *map, int64_t *sends, int64_t *receives) {
    *sends = map->sends.highest + 1;
    *receives = map->receives.highest + 1;
}

const qdr_plan *qdr_map_plan(const qdr_map *map, qdr_direction direction) {
    return map && (direction == QDR_FORWARD || direction == QDR_REVERSE) ? map->plan[direction] : NULL;
}

/* ---- other lists --------------------------------------------------------------------------------------- */

/* One side of a relist: what there is, and what is to be. */
typedef struct relisting {
    const char *what;
    const qdr_indices *given; /* NULL: nothing changes */
    int partners;
    const int *rank;
    const int64_t *planned;
    qdri_map_side *side, made;
} relisting;

static qdr_status check_relisting(const qdr_map *map, const relisting *one, const qdr_indices *indices,
                                  int ranks) {
    int same = 1;
    QDRI_TRY(qdri_map_check_indices(indices, one->what, ranks));
    if (indices->partners != one->partners)
        return qdri_fail(QDR_ERR_INVALID, "qdr_map_relist: %d partners of %s, but the map has %d",
                         indices->partners, one->what, one->partners);
    for (int i = 0; i < one->partners; i++) {
        if (indices->rank[i] != one->rank[i])
            return qdri_fail(QDR_ERR_INVALID,
                             "qdr_map_relist: partner %d of %s is rank %d, but the map has %d", i, one->what,
                             indices->rank[i], one->rank[i]);
        same &= indices->count[i] == one->planned[i];
    }
    for (int i = 0; i < 2 && !same; i++)
        if (map->plan[i] && !qdri_plan_any_size(map->plan[i]))
            return qdri_fail(
                QDR_ERR_INVALID,
                "qdr_map_relist: counts may change with paced, async, distributed, bruck, joined and "
                "levels, and where no algorithm was asked for; this map was scheduled for its own");
    return QDR_OK;
}

static qdr_status make_side(const qdr_map *map, relisting *one, int ranks) {
    qdri_map_group group;
    one->made = (qdri_map_side){.highest = -1};
    if (!one->given) return QDR_OK;
    QDRI_TRY(qdri_map_group_open(one->given, one->what, ranks, one->partners, one->rank, &group));
    const qdr_indices *indices = &group.indices;
    qdr_status status = check_relisting(map, one, indices, ranks);
    if (!status)
        status =
            qdri_map_side_open(&one->made, indices->partners, indices->rank, indices->count, indices->place);
    qdri_map_group_close(&group);
    if (!status && one->made.twice && one->side == &map->sends && map->reverse == QDR_REVERSE_REPLACE)
        status = qdri_fail(QDR_ERR_INVALID,
                           "qdr_map_relist: element %lld is sent twice: in reverse, replace would leave "
                           "whichever comes last",
                           (long long)one->made.twice_element);
    return status;
}

qdr_status qdr_map_relist_sized(qdr_map *map, const qdr_indices *sends, const qdr_indices *receives,
                                size_t indices_bytes) {
    qdr_indices leaving, coming;
    if (!map) return qdri_fail(QDR_ERR_INVALID, "the map is NULL");
    QDRI_TRY(qdri_map_read_indices(&sends, indices_bytes, &leaving));
    QDRI_TRY(qdri_map_read_indices(&receives, indices_bytes, &coming));
    for (int i = 0; i < 2; i++)
        if (map->plan[i] && qdri_plan_busy(map->plan[i]))
            return qdri_fail(QDR_ERR_BUSY, "qdr_map_relist: an exchange is under way; wait for it first");
    if (map->may_sort && (!sends || !receives))
        return qdri_fail(
            QDR_ERR_INVALID,
            "qdr_map_relist: this map was made from one side, and the library chose the order of "
            "its links; give both sides");
    qdr_partners_view view = qdr_partners_look(map->partners);
    relisting all[] = {
        {"sends", sends, view.sends, view.destination, view.send_items, &map->sends, {.highest = -1}},
        {"receives",
         receives,
         view.receives,
         view.source,
         view.receive_items,
         &map->receives,
         {.highest = -1}},
    };
    qdr_status status = make_side(map, &all[0], view.ranks);
    if (!status) status = make_side(map, &all[1], view.ranks);
    for (int i = 0; i < 2; i++) {
        qdri_map_side_close(status || !all[i].given ? &all[i].made : all[i].side);
        if (!status && all[i].given) *all[i].side = all[i].made;
    }
    if (status) return status;
    map->relisted++;
    map->may_sort = 0;
    map->meet = -1;
    return QDR_OK;
}

/* ---- running ------------------------------------------------------------------------------------------- */

static qdr_status check_direction(const qdr_map *map, qdr_direction direction) {
    if (!map) return qdri_fail(QDR_ERR_INVALID, "the map is NULL");
    if (direction != QDR_FORWARD && direction != QDR_REVERSE)
        return qdri_fail(QDR_ERR_RANGE, "there is no direction %d", (int)direction);
    if (!map->plan[direction])
        return qdri_fail(QDR_ERR_INVALID,
                         "this map has no reverse; ask for it in qdr_map_options.reverse when it is made");
    return QDR_OK;
}

static qdr_status start(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                        qdr_pending **pending) {
    qdr_plan *plan = map->plan[direction];
    qdri_load *load = &map->load[direction][qdri_plan_started(plan) % map->loads];
    QDRI_TRY(qdri_load_fill(map, direction, field, fields, load));
    return qdri_cargo_start(plan, &load->cargo, pending);
}

/* With fields that another release describes. Apart, since memory for so many is not for every exchange. */
static qdr_status start_described(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                                  size_t field_bytes, qdr_pending **pending) {
    qdr_field known[QDR_MOST_FIELDS];
    int is_some = field && fields >= 1 && fields <= QDR_MOST_FIELDS;
    for (int i = 0; is_some && i < fields; i++)
        QDRI_TRY(qdri_element_read("qdr_field", &known[i], sizeof *known, field, field_bytes, i));
    return start(map, direction, fields, is_some ? known : NULL, pending);
}

qdr_status qdr_map_start_sized(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                               size_t field_bytes, qdr_pending **pending) {
    if (!pending) return qdri_fail(QDR_ERR_INVALID, "qdr_map_start: there is nowhere to put the handle");
    QDRI_TRY(check_direction(map, direction));
    return field_bytes == sizeof *field
               ? start(map, direction, fields, field, pending)
               : start_described(map, direction, fields, field, field_bytes, pending);
}

qdr_status qdr_map_exchange_sized(qdr_map *map, qdr_direction direction, int fields, const qdr_field *field,
                                  size_t field_bytes) {
    qdr_pending *pending;
    QDRI_TRY(qdr_map_start_sized(map, direction, fields, field, field_bytes, &pending));
    return qdr_wait(&pending);
}

const void *qdr_map_incoming(const qdr_map *map, qdr_direction direction, int source, int field) {
    if (!map || !map->keeps || (direction != QDR_FORWARD && direction != QDR_REVERSE) ||
        !map->plan[direction])
        return NULL;
    const char *message = qdri_cargo_kept(map->plan[direction], source);
    if (!message) return NULL;
    const qdri_load *load = &map->load[direction][qdri_plan_ended(map->plan[direction]) % map->loads];
    int64_t offset = qdri_load_offset(load, source, field);
    return offset < 0 ? NULL : message + offset;
}
