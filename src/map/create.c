/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a map. First all agree on what was given: both sides, or one of them, with the places at the other
 * end or without. Then the missing side is learned: where the places at the other end are given, they travel
 * to it as parcels, and are its lists. Then each rank opens its lists, all make the plan of one direction or
 * of both, and agree that everything worked. The plan in reverse is that of the transposed pattern.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "map/inside.h"
#include "wire/wire.h"
#include "wire/agree.h"

/* ---- what was given ------------------------------------------------------------------------------------ */

/* What the lists of one call are, on every rank. */
typedef struct given {
    const char *call;
    MPI_Comm comm;
    int ranks;
    const qdr_indices *sends, *receives; /* of boxes: ranks and counts alone */
    qdri_map_boxes *boxes[2];            /* NULL: there are lists */
    int boxes_intersect;                 /* see qdr_map.meet */
    int64_t meet_element;
    const qdr_map_options *options;
    int has_partner_places; /* agreed */
} given;

static int64_t entries(const qdr_indices *indices) {
    int64_t total = 0;
    for (int i = 0; i < indices->partners; i++) total += indices->count[i];
    return total;
}

static qdr_status check_options(const qdr_map_options *options) {
    QDRI_TRY(qdri_sized_refuse("qdr_map_options", options->size, sizeof *options));
    if (options->reverse < QDR_REVERSE_NONE || options->reverse > QDR_REVERSE_REPLACE)
        return qdri_fail(QDR_ERR_RANGE, "qdr_map_create: options.reverse is %d", (int)options->reverse);
    if (options->keeps_incoming && options->plan && options->plan->in_flight > 2)
        return qdri_fail(QDR_ERR_RANGE,
                         "qdr_map_create: with keeps_incoming at most 2 exchanges can be in flight, not %d",
                         options->plan->in_flight);
    return QDR_OK;
}

static qdr_status check(const given *all, qdr_map **map) {
    if (!map)
        return qdri_fail(QDR_ERR_INVALID, "there is nowhere to put the map; expected a handle, not NULL");
    if (!all->sends && !all->receives)
        return qdri_fail(QDR_ERR_INVALID, "qdr_map_create: neither sends nor receives; expected one or both");
    QDRI_TRY(check_options(all->options));
    if (all->sends) QDRI_TRY(qdri_map_check_indices(all->sends, "sends", all->ranks));
    if (all->receives) QDRI_TRY(qdri_map_check_indices(all->receives, "receives", all->ranks));
    if (!all->sends && !all->receives->partner_place && entries(all->receives) > 0)
        return qdri_fail(
            QDR_ERR_INVALID,
            "qdr_map_create: receives alone need partner_place: which elements of the owner they are");
    return QDR_OK;
}

/* All ranks give the same things; a rank without elements goes along with either. */
static qdr_status agree_on_form(qdri_wire *wire, given *all, qdr_status mine) {
    const qdr_indices *alone = !all->receives ? all->sends : !all->sends ? all->receives : NULL;
    const qdr_map_options *options = all->options;
    int knows = !mine && alone && entries(alone) > 0, has = knows && alone->partner_place;
    int64_t form = (all->sends ? 1 : 0) + (all->receives ? 2 : 0);
    int64_t asked = options->size == sizeof *options ? options->reverse * 8 + !!options->unordered * 4 +
                                                           !!options->keeps_incoming * 2 + !!options->trusted
                                                     : 0;
    qdri_term field[] = {
        QDRI_IS_MOST("whether partner_place is given", has, 0, 1),
        QDRI_IS_SAME("sides that are given", form),
        QDRI_IS_SAME("options reverse, unordered, keeps_incoming or trusted", asked),
        QDRI_IS_ALIKE("presence of partner_place", knows ? has : QDRI_SILENT),
    };
    QDRI_TRY(qdri_agree(wire, &(qdri_agreement){.call = all->call,
                                                .status = mine,
                                                .term = field,
                                                .terms = QDRI_COUNT_OF(field),
                                                .deadline = qdri_deadline(0)}));
    all->has_partner_places = (int)field[0].value;
    return QDR_OK;
}

/* ---- learning the other side --------------------------------------------------------------------------- */

/* The side that came: its ranks, counts and places. */
typedef struct learned {
    qdr_parcel *parcel;
    int partners;
    int *rank;
    int64_t *count, *place;
} learned;

static void forget(learned *other) {
    free(other->parcel);
    free(other->rank);
    free(other->count);
    free(other->place);
}

/* Parcels as lists. */
static qdr_status read_parcels(learned *other) {
    int64_t total = 0, place = 0;
    for (int i = 0; i < other->partners; i++) total += other->parcel[i].bytes / (int64_t)sizeof(int64_t);
    other->rank = QDRI_ARRAY(int, other->partners);
    other->count = QDRI_ARRAY(int64_t, other->partners);
    other->place = QDRI_ARRAY(int64_t, total);
    if (!other->rank || !other->count || !other->place) return qdri_fail_memory();
    for (int i = 0; i < other->partners; i++) {
        other->rank[i] = other->parcel[i].rank;
        other->count[i] = other->parcel[i].bytes / (int64_t)sizeof(int64_t);
        if (other->count[i] > 0)
            memcpy(other->place + place, other->parcel[i].data, (size_t)other->parcel[i].bytes);
        place += other->count[i];
    }
    return QDR_OK;
}

/* Sends each partner the places that are his. */
static qdr_status tell_partner_places(const given *all, const qdr_indices *alone, learned *other) {
    qdr_parcel *out = QDRI_ARRAY(qdr_parcel, alone->partners);
    int64_t place = 0;
    for (int i = 0; out && i < alone->partners; i++) {
        out[i] = (qdr_parcel){alone->rank[i], alone->count[i] * (int64_t)sizeof(int64_t),
                              alone->count[i] ? (void *)(uintptr_t)(alone->partner_place + place) : NULL};
        place += alone->count[i];
    }
    /* Without memory for the list it makes an empty call that fails for all. */
    qdr_status status = qdr_discover(all->comm, all->options->discovery, out ? alone->partners : -1, out,
                                     &other->partners, &other->parcel);
    free(out);
    return status;
}

/* ---- both sides ---------------------------------------------------------------------------------------- */

/* Both lists are this rank's own. What fails here alone is said in `mine`. */
static qdr_status from_both(const given *all, qdr_map *map, qdr_status *mine) {
    const qdr_indices *out = all->sends, *in = all->receives;
    QDRI_TRY(qdr_partners_from_both(all->comm, out->partners, out->rank, out->count, in->partners, in->rank,
                                    in->count, all->options->trusted, &map->partners));
    if (all->boxes[0]) {
        *mine = qdri_map_side_of_boxes(&map->sends, all->boxes[0]);
        if (!*mine) *mine = qdri_map_side_of_boxes(&map->receives, all->boxes[1]);
        map->meet = all->boxes_intersect;
        map->meet_element = all->meet_element;
        return QDR_OK;
    }
    *mine = qdri_map_side_open(&map->sends, out->partners, out->rank, out->count, out->place);
    if (!*mine) *mine = qdri_map_side_open(&map->receives, in->partners, in->rank, in->count, in->place);
    return QDR_OK;
}

/* One list is this rank's own, the other comes from its partners. */
static qdr_status from_lists(const given *all, const qdr_indices *alone, qdr_map *map, qdr_status *mine) {
    learned other = {.partners = 0};
    QDRI_TRY(tell_partner_places(all, alone, &other));
    qdr_status read = read_parcels(&other);
    /* Where there is no memory, the side is empty, and making the plan fails for all. */
    int partners = read ? 0 : other.partners;
    const qdr_indices theirs_read = {.partners = partners, .rank = other.rank, .count = other.count};
    const qdr_indices *out = all->sends ? alone : &theirs_read, *in = all->sends ? &theirs_read : alone;
    qdr_status status = qdr_partners_from_both(all->comm, out->partners, out->rank, out->count, in->partners,
                                               in->rank, in->count, 1, &map->partners);
    qdri_map_side *own = all->sends ? &map->sends : &map->receives;
    qdri_map_side *theirs = all->sends ? &map->receives : &map->sends;
    *mine = read;
    if (!status && !*mine)
        *mine = qdri_map_side_open(own, alone->partners, alone->rank, alone->count, alone->place);
    if (!status && !*mine) *mine = qdri_map_side_open(theirs, partners, other.rank, other.count, other.place);
    forget(&other);
    return status;
}

/* The order of its links, where nobody can see it, is the library's; it follows from the lists alone, so that
 * sums come out the same in every run. */
static qdr_status from_one(const given *all, qdr_map *map, qdr_status *mine) {
    qdr_indices alone = all->sends ? *all->sends : *all->receives;
    qdri_map_links sorted = {NULL, NULL};
    qdr_status sorting = QDR_OK;
    map->may_sort = !map->keeps;
    if (map->may_sort && alone.partner_place) sorting = qdri_map_sort(&alone, all->sends == NULL, &sorted);
    if (sorted.place) {
        alone.place = sorted.place;
        alone.partner_place = sorted.partner_place;
    }
    qdr_status status = from_lists(all, &alone, map, mine);
    if (!*mine && sorting) *mine = qdri_fail_memory();
    qdri_map_links_free(&sorted);
    return status;
}

/* Only the sends are known, and what comes stands in the order of its sources. */
static qdr_status from_sends(const given *all, qdr_map *map, qdr_status *mine) {
    const qdr_indices *out = all->sends;
    QDRI_TRY(qdr_partners_from_sends(all->comm, out->partners, out->rank, out->count, all->options->discovery,
                                     &map->partners));
    qdr_partners_view view = qdr_partners_look(map->partners);
    *mine = qdri_map_side_open(&map->sends, out->partners, out->rank, out->count, out->place);
    if (!*mine)
        *mine = qdri_map_side_open(&map->receives, view.receives, view.source, view.receive_items, NULL);
    return QDR_OK;
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static qdr_status check_reverse(const qdr_map *map) {
    if (map->reverse != QDR_REVERSE_REPLACE || !map->sends.twice) return QDR_OK;
    return qdri_fail(
        QDR_ERR_INVALID,
        "element %lld is sent to ranks %d and %d: in reverse, replace would leave whichever comes "
        "last; ask for QDR_REVERSE_COMBINE",
        (long long)map->sends.twice_element, map->sends.twice_rank[0], map->sends.twice_rank[1]);
}

static qdr_status make_plans(const given *all, qdr_map *map) {
    const qdr_plan_options *options = all->options->plan;
    qdr_partners_view view = qdr_partners_look(map->partners);
    qdr_partners *transposed = NULL;
    QDRI_TRY(qdr_plan_create(map->partners, options, &map->plan[QDR_FORWARD]));
    if (map->reverse == QDR_REVERSE_NONE) return QDR_OK;
    QDRI_TRY(qdr_partners_from_both(all->comm, view.receives, view.source, view.receive_items, view.sends,
                                    view.destination, view.send_items, 1, &transposed));
    qdr_status status = qdr_plan_create(transposed, options, &map->plan[QDR_REVERSE]);
    qdr_partners_destroy(&transposed);
    return status;
}

static qdr_status make_loads(qdr_map *map) {
    qdr_plan_info info;
    for (int i = 0; i < 2; i++) {
        if (!map->plan[i]) continue;
        QDRI_TRY(qdr_plan_look(map->plan[i], &info));
        map->loads = info.in_flight + 2;
        QDRI_TRY(qdri_cargo_prepare(map->plan[i]));
        map->load[i] = QDRI_ZERO_ARRAY(qdri_load, map->loads);
        if (!map->load[i]) return qdri_fail_memory();
    }
    return QDR_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static qdr_status fill(qdri_wire *wire, given *all, qdr_status mine, qdr_map *map) {
    qdri_lock(wire);
    qdr_status status = agree_on_form(wire, all, mine);
    qdri_unlock(wire);
    if (status) return status;
    map->reverse = all->options->reverse;
    map->unordered = all->options->unordered;
    map->keeps = all->options->keeps_incoming;
    map->meet = -1;
    if (all->sends && all->receives)
        status = from_both(all, map, &mine);
    else
        status =
            all->has_partner_places || !all->sends ? from_one(all, map, &mine) : from_sends(all, map, &mine);
    if (!status && !mine) mine = check_reverse(map);
    if (!status) status = make_plans(all, map);
    if (status) return status;
    if (!mine) mine = make_loads(map);
    qdri_lock(wire);
    status = qdri_agree_status(wire, all->call, mine, qdri_deadline(0));
    qdri_unlock(wire);
    return status;
}

static void explain(const qdri_wire *wire, const given *all, const qdr_map *map) {
    static const char *const reverses[] = {"none", "combine", "replace"};
    qdri_explain(
        wire,
        "map of %d ranks: links by %s, in %s order; reverse %s; %s; rank %d sends %lld elements to %d ranks "
        "and receives %lld from %d",
        all->ranks,
        all->boxes[0] ? "boxes"
        : all->sends  ? all->receives ? "both sides" : "sends"
                      : "receives",
        map->may_sort ? "the library's" : "the lists'", reverses[map->reverse],
        map->keeps       ? "what arrives is kept"
        : map->unordered ? "contributions as they arrive"
                         : "contributions by source rank",
        qdri_wire_rank(wire), (long long)map->sends.entries, map->sends.partners,
        (long long)map->receives.entries, map->receives.partners);
}

/* Flat lists are grouped before anything else looks at them. */
static qdr_status group_sides(given *all, qdri_map_group *sends, qdri_map_group *receives) {
    if (all->sends) {
        QDRI_TRY(qdri_map_group_open(all->sends, "sends", all->ranks, 0, NULL, sends));
        all->sends = &sends->indices;
    }
    if (all->receives) {
        QDRI_TRY(qdri_map_group_open(all->receives, "receives", all->ranks, 0, NULL, receives));
        all->receives = &receives->indices;
    }
    return QDR_OK;
}

/* `mine` is what this rank has found out about what it was given. */
static qdr_status create(qdri_wire *wire, given *all, qdr_map *made, qdr_status mine, qdr_map **map) {
    qdr_map none = {.meet = -1};
    if (!mine) mine = check(all, map);
    qdr_status status = fill(wire, all, mine, made ? made : &none);
    if (!status) {
        explain(wire, all, made);
        *map = made;
    } else {
        qdr_map_destroy(&made);
    }
    return status;
}

qdr_status qdri_map_read_indices(const qdr_indices **given, size_t bytes, qdr_indices *known) {
    if (!*given) return QDR_OK;
    QDRI_TRY(qdri_element_read("qdr_indices", known, sizeof *known, *given, bytes, 0));
    *given = known;
    return QDR_OK;
}

qdr_status qdr_map_create_sized(MPI_Comm comm, const qdr_indices *sends, const qdr_indices *receives,
                                size_t indices_bytes, const qdr_map_options *options, qdr_map **map) {
    qdri_wire *wire = NULL;
    qdr_map_options how;
    qdr_indices leaving, coming;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    qdri_sized_read(&how, sizeof how, options);
    qdr_status mine = qdri_map_read_indices(&sends, indices_bytes, &leaving);
    if (!mine) mine = qdri_map_read_indices(&receives, indices_bytes, &coming);
    given all = {.call = "qdr_map_create",
                 .comm = comm,
                 .ranks = qdri_wire_ranks(wire),
                 .sends = sends,
                 .receives = receives,
                 .options = &how};
    qdri_map_group out = {.partners = 0}, in = {.partners = 0};
    qdr_map *made = QDRI_ZERO_ARRAY(qdr_map, 1);
    if (!mine) mine = made ? group_sides(&all, &out, &in) : qdri_fail_memory();
    qdr_status status = create(wire, &all, made, mine, map);
    qdri_map_group_close(&out);
    qdri_map_group_close(&in);
    qdri_wire_release(&wire);
    return status;
}

static qdr_indices indices_of(const qdri_map_boxes *boxes) {
    return (qdr_indices){.partners = boxes->partners, .rank = boxes->rank, .count = boxes->count};
}

static qdr_status read_boxes(const qdr_boxes **given, size_t bytes, qdr_boxes *known) {
    if (!*given) return QDR_OK;
    QDRI_TRY(qdri_element_read("qdr_boxes", known, sizeof *known, *given, bytes, 0));
    *given = known;
    return QDR_OK;
}

qdr_status qdr_map_from_boxes_sized(MPI_Comm comm, const qdr_boxes *sends, const qdr_boxes *receives,
                                    size_t boxes_bytes, const qdr_map_options *options, qdr_map **map) {
    qdri_wire *wire = NULL;
    qdr_map_options how;
    qdr_boxes here, there;
    QDRI_TRY(qdri_wire_open(comm, &wire));
    qdri_sized_read(&how, sizeof how, options);
    qdri_map_boxes out = {.partners = 0}, in = {.partners = 0};
    given all = {.call = "qdr_map_from_boxes",
                 .comm = comm,
                 .ranks = qdri_wire_ranks(wire),
                 .boxes = {&out, &in},
                 .options = &how};
    qdr_map *made = QDRI_ZERO_ARRAY(qdr_map, 1);
    qdr_status mine = made ? read_boxes(&sends, boxes_bytes, &here) : qdri_fail_memory();
    if (!mine) mine = read_boxes(&receives, boxes_bytes, &there);
    if (!mine) mine = qdri_map_boxes_open(sends, "sends", all.ranks, &out);
    if (!mine) mine = qdri_map_boxes_open(receives, "receives", all.ranks, &in);
    if (!mine) all.boxes_intersect = qdri_map_boxes_intersect(sends, receives, &all.meet_element);
    qdr_indices leaving = indices_of(&out), coming = indices_of(&in);
    all.sends = &leaving;
    all.receives = &coming;
    qdr_status status = create(wire, &all, made, mine, map);
    qdri_map_boxes_close(&out);
    qdri_map_boxes_close(&in);
    qdri_wire_release(&wire);
    return status;
}
