/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * By owner (Lee and Sussman, algorithm 2): for two compact layouts.
 *
 * Everybody who computes has both descriptors, and works out what it has for each process of the other program, in closed
 * form per dimension: no element is looked at. `both`: each program for itself, and nothing goes back. One alone: it works
 * out the other's places too and sends them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/assemble.h"

static qdri_routes *routes_of(qdri_build *build, int role) {
    return role ? &build->field->in : &build->field->out;
}

static qdri_array_side side_of(const qdri_build *build, int role) {
    return (qdri_array_side){build->field->layout[role], build->field->region[role]};
}

/* The other's descriptor may not have come, and own boxes may not have been joined. */
static int is_known(const qdri_array_side *side) {
    return side->layout && side->region && qdri_layout_is_compact(side->layout);
}

/* What this rank, in this role, has for everybody of the other; theirs[] are their places, NULL: not wanted. */
static qdr_status work_out(qdri_build *build, int role, qdri_places *theirs) {
    const qdri_array_side mine = side_of(build, role), other = side_of(build, !role);
    qdr_status status = QDR_OK;
    if (!is_known(&mine) || !is_known(&other)) {
        build->spoiled = 1;
        return QDR_OK;
    }
    for (int partner = 0; partner < build->ranks[!role] && !status; partner++) {
        qdri_places places = {.count = 0};
        status =
            qdri_match(&mine, build->own[role], &other, partner, &places, theirs ? &theirs[partner] : NULL);
        build->effort.computed += places.spans;
        if (!status) {
            qdri_budget_take(&build->effort.memory, qdri_places_memory(&places));
            status = qdri_routes_add(routes_of(build, role), partner, &places);
        }
        qdri_places_close(&places);
    }
    return status;
}

/* ---- one alone ----------------------------------------------------------------------------------------- */

static qdr_status fill_outbox(qdri_build *build, const qdri_ranges *by, int role, qdri_places *theirs,
                              const int wanted[2], qdri_outbox *outbox) {
    int others = build->ranks[!role];
    int64_t *bytes[2] = {NULL, NULL};
    void **data = QDRI_ZERO_ARRAY(void *, others);
    bytes[!role] = QDRI_ZERO_ARRAY(int64_t, others);
    qdr_status status = data && bytes[!role] ? work_out(build, role, theirs) : qdri_fail_memory();
    for (int i = 0; i < others && !status; i++)
        status = qdri_places_write(&theirs[i], &data[i], &bytes[!role][i]);
    const int64_t *const sizes[2] = {bytes[0], bytes[1]};
    qdr_status opened = qdri_outbox_open(build, by, status ? NULL : sizes, wanted, outbox);
    if (!status) status = opened;
    for (int i = 0; i < others && !status; i++)
        memcpy(outbox->data[!role][i], data[i], (size_t)bytes[!role][i]);
    for (int i = 0; i < others && data; i++) free(data[i]);
    free(data);
    free(bytes[!role]);
    return status;
}

static qdr_status read_sections(qdri_build *build, const qdri_inbox *inbox, int role) {
    for (int i = 0; i < inbox->sections; i++) {
        const qdri_section *section = &inbox->section[i];
        qdri_places places = {.count = 0};
        if (section->role != role) continue;
        build->spoiled |= section->bytes == 0;
        if (section->bytes == 0) continue;
        qdr_status status = qdri_places_read(section->data, section->bytes, &places);
        if (!status) status = qdri_routes_add(routes_of(build, role), section->from, &places);
        qdri_places_close(&places);
        QDRI_TRY(status);
    }
    return QDR_OK;
}

static qdr_status build_alone(qdri_build *build, int role) {
    const int wanted[2] = {role == 1, role == 0};
    qdri_ranges by;
    qdri_outbox outbox;
    qdri_inbox inbox;
    QDRI_TRY(qdri_ranges_open(build, role == 0, role == 1, 1, &by));
    int others = build->ranks[!role];
    qdri_places *theirs = QDRI_ZERO_ARRAY(qdri_places, others);
    qdr_status status = theirs ? QDR_OK : qdri_fail_memory();
    qdri_build_works(build);
    qdr_status filled = build->has[role] && theirs ? fill_outbox(build, &by, role, theirs, wanted, &outbox)
                                                   : qdri_outbox_open(build, &by, NULL, wanted, &outbox);
    if (!status) status = filled;
    qdr_status sent = qdri_outbox_send(&outbox, &inbox);
    if (!status) status = sent;
    if (!status && build->has[!role]) status = read_sections(build, &inbox, !role);
    qdri_inbox_close(build, &inbox);
    for (int i = 0; i < others && theirs; i++) qdri_places_close(&theirs[i]);
    free(theirs);
    qdri_ranges_close(&by);
    qdri_build_waits(build);
    return status;
}

/* A hole is looked for once in each program, by its first process. */
static qdr_status look_for_holes(qdri_build *build) {
    for (int role = 0; role < 2; role++) {
        const qdri_array_side side = side_of(build, role);
        int64_t number = -1;
        if (!build->has[role] || build->own[role] != 0 || !is_known(&side)) continue;
        QDRI_TRY(qdri_side_hole(&side, &number));
        qdri_note_trouble(&build->trouble[role], -1, 0, 0, number);
    }
    return QDR_OK;
}

qdr_status qdri_build_owners(qdri_build *build) {
    int computes = build->choice.computes;
    qdri_build_works(build);
    qdr_status status = look_for_holes(build);
    if (computes != QDRI_BY_BOTH) {
        qdr_status built = build_alone(build, computes == QDRI_BY_IMPORTER);
        return status ? status : built;
    }
    for (int role = 0; role < 2 && !status; role++)
        if (build->has[role]) status = work_out(build, role, NULL);
    qdri_build_waits(build);
    return status;
}
