/* SPDX-License-Identifier: BSD-3-Clause */
/* The rank space of two programs: who is who on one wire. Ranks of a program are in the order of the wire. */
#include <stdlib.h>

#include "base/memory.h"
#include "couple/program/program.h"

qdr_status qdri_space_open(qdri_space *space, qdri_wire *wire, const int *side_of) {
    int ranks = qdri_wire_ranks(wire), own = qdri_wire_rank(wire);
    *space = (qdri_space){.wire = wire, .side = side_of[own]};
    space->place = QDRI_ZERO_ARRAY(int, ranks);
    for (int side = 0; side < 2; side++) space->rank[side] = QDRI_ARRAY(int, ranks);
    if (!space->place || !space->rank[0] || !space->rank[1]) {
        qdri_space_close(space);
        return qdri_fail_memory();
    }
    for (int rank = 0; rank < ranks; rank++) {
        int side = side_of[rank];
        if (side != 0 && side != 1) continue;
        int place = space->count[side]++;
        space->rank[side][place] = rank;
        space->place[rank] = side ? -1 - place : place;
        if (rank == own) space->own = place;
    }
    return QDR_OK;
}

void qdri_space_close(qdri_space *space) {
    free(space->place);
    if (!space->is_self) free(space->rank[1]);
    free(space->rank[0]);
    *space = (qdri_space){.wire = NULL};
}

int qdri_space_inside(const qdri_space *space, int rank) {
    return space->is_self || (space->place[rank] < 0) == space->side;
}

qdri_teller qdri_space_sender(const qdri_space *space, int rank) {
    int place = space->place[rank], side = !space->is_self && place < 0;
    return (qdri_teller){space->name[side], place < 0 ? -1 - place : place};
}
