/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes from what responsible processes sent: assemble.c. */
#ifndef QDRI_COUPLE_ASSEMBLE_H
#define QDRI_COUPLE_ASSEMBLE_H

#include "couple/schedule/build.h"

/* Adds a route behind the others; takes the places over. An empty one is not added. */
qdr_status qdri_routes_add(qdri_routes *routes, int partner, qdri_places *places);

/* A section of places, grouped by partner: how many bytes it has, with so many groups and places of so many bytes. */
int64_t qdri_groups_bytes(int64_t groups, int64_t places, int place_bytes);
/* Its beginning: {groups, bytes of a place}, then {partner, places} for each; the places follow, group by group. */
typedef struct qdri_groups {
    int64_t groups, place_bytes;
} qdri_groups;
typedef struct qdri_group {
    int64_t partner, places;
} qdri_group;

/* The routes of a role from all sections for it, in the order of the responsible ones. */
qdr_status qdri_routes_assemble(qdri_build *build, const qdri_inbox *inbox, int role, qdri_routes *routes);

#endif
