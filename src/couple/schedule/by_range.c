/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Even ranges (Lee and Sussman, algorithms 3 and 4): for schedules with at least one explicit layout.
 *
 * The numbers of the elements are cut into as many even ranges as there are responsible processes, so the work is even
 * whatever the layouts. Each collects who owns what in its range, for both roles: from those who stated it where the
 * layout is explicit, from the descriptor where it is compact. Then each pair (exporter's place, importer's place) is
 * sorted by the two owners, in the order of numbers, and everybody gets his part: grouped by partner, four bytes per
 * element. Two passes over the range: one counts, one writes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/assemble.h"

/* ---- matching ------------------------------------------------------------------------------------------ */

/* How many elements each pair of ranks has in this range; [exporters * importers]. */
static int64_t *count_pairs(qdri_build *build, const qdri_owners owners[2]) {
    int64_t importers = build->ranks[1];
    int64_t *pairs = QDRI_ZERO_ARRAY(int64_t, build->ranks[0] * importers);
    for (int64_t i = 0; pairs && i < owners[0].count; i++)
        if (owners[0].owner[i] >= 0 && owners[1].owner[i] >= 0)
            pairs[owners[0].owner[i] * importers + owners[1].owner[i]]++;
    return pairs;
}

static int64_t *pair(qdri_build *build, int64_t *pairs, int role, int rank, int partner) {
    int64_t exporter = role ? partner : rank, importer = role ? rank : partner;
    return &pairs[exporter * build->ranks[1] + importer];
}

static int place_bytes(const qdri_owners *owners) {
    return owners->wide ? 8 : 4;
}

/* The sections' sizes, for each rank of a role. */
static void size_sections(qdri_build *build, const qdri_owners *owners, int64_t *pairs, int role,
                          int64_t *bytes) {
    for (int rank = 0; rank < build->ranks[role]; rank++) {
        int64_t groups = 0, places = 0;
        for (int partner = 0; partner < build->ranks[!role]; partner++) {
            int64_t count = *pair(build, pairs, role, rank, partner);
            groups += count > 0;
            places += count;
        }
        bytes[rank] = qdri_groups_bytes(groups, places, place_bytes(owners));
    }
}

/* The beginnings of all sections of a role; next[] becomes where the first place of each pair goes. */
static void begin_sections(qdri_build *build, const qdri_owners *owners, int64_t *pairs, int role,
                           char *const *data, char **next) {
    for (int rank = 0; rank < build->ranks[role]; rank++) {
        qdri_groups head = {0, place_bytes(owners)};
        char *at = data[rank] + sizeof head;
        for (int partner = 0; partner < build->ranks[!role]; partner++) {
            qdri_group group = {partner, *pair(build, pairs, role, rank, partner)};
            if (group.places == 0) continue;
            memcpy(at, &group, sizeof group);
            at += sizeof group;
            head.groups++;
        }
        memcpy(data[rank], &head, sizeof head);
        for (int partner = 0; partner < build->ranks[!role]; partner++) {
            int64_t *count = pair(build, pairs, role, rank, partner);
            next[count - pairs] = at;
            at += *count * head.place_bytes;
        }
    }
}

static void write_places(qdri_build *build, const qdri_owners owners[2], int role, char **next) {
    int64_t importers = build->ranks[1];
    const int32_t *exporter = owners[0].owner, *importer = owners[1].owner;
    const qdri_owners *own = &owners[role];
    if (own->wide) {
        const int64_t *place = own->place;
        for (int64_t i = 0; i < own->count; i++) {
            if (exporter[i] < 0 || importer[i] < 0) continue;
            char **at = &next[exporter[i] * importers + importer[i]];
            memcpy(*at, &place[i], 8);
            *at += 8;
        }
    } else {
        const uint32_t *place = own->place;
        for (int64_t i = 0; i < own->count; i++) {
            if (exporter[i] < 0 || importer[i] < 0) continue;
            char **at = &next[exporter[i] * importers + importer[i]];
            memcpy(*at, &place[i], 4);
            *at += 4;
        }
    }
}

/* Fills the outbox of a responsible process. */
static qdr_status fill_outbox(qdri_build *build, const qdri_ranges *ranges, const qdri_owners owners[2],
                              qdri_outbox *outbox) {
    static const int wanted[2] = {1, 1};
    int64_t *pairs = count_pairs(build, owners), *bytes[2];
    char **next = QDRI_ARRAY(char *, (int64_t)build->ranks[0] * build->ranks[1]);
    for (int role = 0; role < 2; role++) bytes[role] = QDRI_ARRAY(int64_t, build->ranks[role]);
    qdr_status status = pairs && next && bytes[0] && bytes[1] ? QDR_OK : qdri_fail_memory();
    for (int role = 0; role < 2 && !status; role++)
        size_sections(build, &owners[role], pairs, role, bytes[role]);
    const int64_t *const sizes[2] = {bytes[0], bytes[1]};
    qdr_status opened = qdri_outbox_open(build, ranges, status ? NULL : sizes, wanted, outbox);
    if (!status) status = opened;
    for (int role = 0; role < 2 && !status; role++) {
        begin_sections(build, &owners[role], pairs, role, outbox->data[role], next);
        write_places(build, owners, role, next);
    }
    build->effort.computed += owners[0].count;
    free(pairs);
    free(next);
    free(bytes[0]);
    free(bytes[1]);
    return status;
}

qdr_status qdri_build_from_tables(qdri_build *build, const qdri_ranges *ranges, qdri_owners owners[2]) {
    static const int wanted[2] = {1, 1};
    qdri_outbox outbox;
    qdri_inbox inbox;
    qdri_build_works(build);
    int is_whole = owners[0].owner && owners[1].owner;
    qdr_status status = ranges->own >= 0 && is_whole ? fill_outbox(build, ranges, owners, &outbox)
                                                     : qdri_outbox_open(build, ranges, NULL, wanted, &outbox);
    for (int role = 0; role < 2; role++) qdri_owners_close(&build->effort, &owners[role]);
    qdr_status sent = qdri_outbox_send(&outbox, &inbox);
    if (!status) status = sent;
    for (int role = 0; role < 2 && !status; role++)
        if (build->has[role])
            status = qdri_routes_assemble(build, &inbox, role, role ? &build->field->in : &build->field->out);
    qdri_inbox_close(build, &inbox);
    qdri_build_waits(build);
    return status;
}

/* ---- collecting ---------------------------------------------------------------------------------------- */

/* A compact layout is known to whoever is responsible. */
static qdr_status walk(qdri_build *build, int role, const qdri_array_side *side, const qdri_ranges *ranges,
                       qdri_owners *owners) {
    int64_t low = qdri_ranges_low(ranges, ranges->own), high = qdri_ranges_high(ranges, ranges->own);
    if (!side->layout || !side->region || !qdri_layout_is_compact(side->layout)) {
        build->spoiled = 1; /* its descriptor did not come */
        return QDR_OK;
    }
    qdri_build_works(build);
    qdr_status status = qdri_owners_open(&build->effort, low, high - low, owners);
    if (!status) status = qdri_owners_walk(build, side, owners);
    if (!status) qdri_owners_check(owners, &build->trouble[role]);
    qdri_build_waits(build);
    return status;
}

qdr_status qdri_build_ranges(qdri_build *build) {
    qdri_field *field = build->field;
    int computes = build->choice.computes;
    qdri_ranges ranges;
    qdri_owners owners[2] = {{.low = 0}, {.low = 0}};
    qdri_array_side side[2];
    qdri_statement told[2];
    QDRI_TRY(qdri_ranges_open(build, computes != QDRI_BY_IMPORTER, computes != QDRI_BY_EXPORTER,
                              field->elements, &ranges));
    for (int role = 0; role < 2; role++) {
        side[role] = (qdri_array_side){field->layout[role], field->region[role]};
        told[role] = (qdri_statement){!field->compact[role], build->has[role] ? &side[role] : NULL};
    }
    qdr_status status = qdri_owners_collect(build, told, &ranges, owners, build->trouble);
    for (int role = 0; role < 2 && !status; role++)
        if (field->compact[role] && ranges.own >= 0)
            status = walk(build, role, &side[role], &ranges, &owners[role]);
    qdr_status matched = qdri_build_from_tables(build, &ranges, owners);
    qdri_ranges_close(&ranges);
    return status ? status : matched;
}
