/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Putting a rank's routes together. The responsible process with the lowest numbers comes first, so the places with one
 * partner, one section behind the other, are in the order of the message.
 */
#include "couple/schedule/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void qdri_routes_close(qdri_routes *routes) {
    for (int i = 0; i < routes->count; i++) qdri_places_close(&routes->route[i].places);
    free(routes->route);
    *routes = (qdri_routes){.count = 0};
}

qdr_status qdri_routes_add(qdri_routes *routes, int partner, qdri_places *places) {
    if (places->count == 0) {
        qdri_places_close(places);
        return QDR_OK;
    }
    qdri_route *grown = realloc(routes->route, (size_t)(routes->count + 1) * sizeof *grown);
    if (!grown) return qdri_fail_memory();
    routes->route = grown;
    routes->route[routes->count++] = (qdri_route){.partner = partner, .places = *places};
    routes->elements += places->count;
    *places = (qdri_places){.count = 0};
    return QDR_OK;
}

int64_t qdri_groups_bytes(int64_t groups, int64_t places, int place_bytes) {
    return (int64_t)sizeof(qdri_groups) + groups * (int64_t)sizeof(qdri_group) + places * place_bytes;
}

/* ---- reading sections ---------------------------------------------------------------------------------- */

typedef struct reader {
    qdri_groups head;
    const char *group, *place; /* the next of each */
    int64_t at;
    qdri_group current;
    const char *places; /* of the current group */
} reader;

/* Partners rise, and the places of all are all that follows. */
static qdr_status reader_open(const qdri_section *section, int partners, reader *self) {
    qdri_cursor cursor = {QDRI_SOMEBODY, "a partial schedule", section->data, section->bytes};
    *self = (reader){.at = 0};
    QDRI_TRY(qdri_cursor_copy(&cursor, "its head", &self->head, sizeof self->head));
    if (self->head.place_bytes != 4)
        QDRI_TRY(qdri_decode_word(cursor.sender, "bytes of a place", self->head.place_bytes, 8, 8));
    QDRI_TRY(qdri_decode_word(cursor.sender, "number of partners", self->head.groups, 0, partners));
    QDRI_TRY(qdri_cursor_take(&cursor, "partners", self->head.groups, sizeof(qdri_group), &self->group));
    self->place = cursor.at;
    int64_t last = -1;
    for (int64_t i = 0; i < self->head.groups; i++) {
        const char *places;
        qdri_group group;
        memcpy(&group, self->group + i * (int64_t)sizeof group, sizeof group);
        QDRI_TRY(qdri_decode_word(cursor.sender, "the next partner", group.partner, last + 1, partners - 1));
        QDRI_TRY(qdri_cursor_take(&cursor, "places", group.places, self->head.place_bytes, &places));
        last = group.partner;
    }
    return qdri_cursor_end(&cursor);
}

static int reader_next(reader *self) {
    if (self->at == self->head.groups) return 0;
    memcpy(&self->current, self->group + self->at++ * (int64_t)sizeof self->current, sizeof self->current);
    self->places = self->place;
    self->place += self->current.places * self->head.place_bytes;
    return 1;
}

static void copy_places(const reader *self, int64_t *to) {
    for (int64_t i = 0; i < self->current.places; i++) {
        if (self->head.place_bytes == 4) {
            uint32_t narrow;
            memcpy(&narrow, self->places + 4 * i, 4);
            to[i] = narrow;
        } else {
            memcpy(&to[i], self->places + 8 * i, 8);
        }
    }
}

/* ---- putting together ---------------------------------------------------------------------------------- */

static int concerns(qdri_build *build, const qdri_section *section, int role) {
    if (section->role != role) return 0;
    if (section->bytes == 0) build->spoiled = 1;
    return section->bytes > 0;
}

/* All places with one partner: place[] has room for them. */
static qdr_status make_route(qdri_build *build, reader *part, int parts, int partner, int64_t total,
                             int64_t *place, qdri_route *route) {
    int64_t filled = 0;
    for (int i = 0; i < parts; i++)
        if (part[i].at > 0 && part[i].current.partner == partner) {
            copy_places(&part[i], place + filled);
            filled += part[i].current.places;
            if (!reader_next(&part[i])) part[i].at = -1;
        }
    *route = (qdri_route){.partner = partner};
    QDRI_TRY(qdri_places_open(place, 0, total, &route->places));
    qdri_budget_take(&build->effort.memory, qdri_places_memory(&route->places));
    return QDR_OK;
}

static qdr_status make_routes(qdri_build *build, reader *part, int parts, int partners, const int64_t *total,
                              qdri_routes *routes) {
    int64_t most = 0;
    int used = 0;
    for (int i = 0; i < partners; i++) {
        most = total[i] > most ? total[i] : most;
        used += total[i] > 0;
    }
    int64_t *place = QDRI_ARRAY(int64_t, most);
    routes->route = QDRI_ZERO_ARRAY(qdri_route, used);
    qdr_status status = place && routes->route ? QDR_OK : qdri_fail_memory();
    qdri_budget_take(&build->effort.memory, most * 8);
    for (int i = 0; i < partners && !status; i++) {
        if (total[i] == 0) continue;
        status = make_route(build, part, parts, i, total[i], place, &routes->route[routes->count++]);
        routes->elements += total[i];
    }
    qdri_budget_give(&build->effort.memory, most * 8);
    free(place);
    return status;
}

qdr_status qdri_routes_assemble(qdri_build *build, const qdri_inbox *inbox, int role, qdri_routes *routes) {
    int partners = build->ranks[!role], parts = 0;
    reader *part = QDRI_ARRAY(reader, inbox->sections);
    int64_t *total = QDRI_ZERO_ARRAY(int64_t, partners);
    qdr_status status = part && total ? QDR_OK : qdri_fail_memory();
    for (int i = 0; i < inbox->sections && !status; i++) {
        if (!concerns(build, &inbox->section[i], role)) continue;
        status = reader_open(&inbox->section[i], partners, &part[parts]);
        if (status) break;
        reader counting = part[parts];
        while (reader_next(&counting)) total[counting.current.partner] += counting.current.places;
        if (!reader_next(&part[parts])) part[parts].at = -1;
        parts++;
    }
    if (!status) status = make_routes(build, part, parts, partners, total, routes);
    free(part);
    free(total);
    return status;
}
