/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the neighbors of a plan and opening channels with them: one round of the board, in which each tells
 * the others where their channels to him begin. Where a member has no memory for that, all of the node see
 * it, and nobody uses any.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "plan/near.h"

/* ---- who they are -------------------------------------------------------------------------------------- */

static int find_places(const qdr_plan *plan, int *out, int *in) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    for (int r = 0; r < view.ranks; r++) out[r] = in[r] = -1;
    for (int i = 0; i < view.sends; i++) out[view.destination[i]] = i;
    for (int i = 0; i < view.receives; i++) in[view.source[i]] = i;
    return view.ranks;
}

/* Partners that are not here, and not this rank itself; sources by rising rank. */
static void sort_partners(qdri_near *near, qdr_partners_view view, const int *in) {
    int count = 0;
    for (int i = 0; i < view.sends; i++)
        if (view.destination[i] != view.rank && !(near->is_near && near->is_near[view.destination[i]]))
            near->far_out[near->far_outs++] = i;
    for (int i = 0; i < view.receives; i++)
        if (view.source[i] != view.rank && !(near->is_near && near->is_near[view.source[i]]))
            near->far_in[near->far_ins++] = i;
    for (int r = 0; r < view.ranks; r++)
        if (in[r] >= 0) near->source_order[count++] = in[r];
}

static void add_neighbors(const qdr_plan *plan, qdri_near *near, const int *out, const int *in) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    for (int distance = 1; distance < view.ranks; distance++) {
        int rank = (view.rank + distance) % view.ranks;
        int member = qdri_node_member(plan->wire, rank);
        if (member < 0 || (out[rank] < 0 && in[rank] < 0)) continue;
        near->is_near[rank] = 1;
        near->sends += out[rank] >= 0;
        near->receives += in[rank] >= 0;
        qdri_neighbor *neighbor = &near->neighbor[near->neighbors++];
        *neighbor = (qdri_neighbor){rank, member, out[rank], in[rank], {.slots = 0}, {.slots = 0}};
        if (in[rank] >= 0) near->of_source[in[rank]] = neighbor;
    }
}

static qdr_status find_neighbors(const qdr_plan *plan, int wanted, qdri_near *near) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    int *place = QDRI_ARRAY(int, 2 * (int64_t)view.ranks);
    near->far_out = QDRI_ARRAY(int, view.sends);
    near->far_in = QDRI_ARRAY(int, view.receives);
    near->source_order = QDRI_ARRAY(int, view.receives);
    near->of_source = QDRI_ZERO_ARRAY(qdri_neighbor *, view.receives);
    if (wanted) {
        near->neighbor = QDRI_ARRAY(qdri_neighbor, qdri_node_members(plan->wire));
        near->is_near = QDRI_ZERO_ARRAY(char, view.ranks);
    }
    if (!place || !near->far_out || !near->far_in || !near->source_order || !near->of_source ||
        (wanted && (!near->neighbor || !near->is_near))) {
        free(place);
        return qdri_fail_memory();
    }
    find_places(plan, place, place + view.ranks);
    if (wanted) add_neighbors(plan, near, place, place + view.ranks);
    sort_partners(near, view, place + view.ranks);
    free(place);
    return QDR_OK;
}

/* ---- channels ------------------------------------------------------------------------------------------ */

/* Enough that a pair that sends both ways never waits for room: one message is written while the partner
 * reads another, for each exchange that may be under way; and two more can be kept. */
static int slots_for(int in_flight) {
    int slots = 2 * in_flight > in_flight + 2 ? 2 * in_flight : in_flight + 2;
    return slots < QDRI_MOST_SLOTS ? slots : QDRI_MOST_SLOTS;
}

/* The row says, for each member, where its channel to this rank lies; and at this rank's own place, that it
 * could do that. */
static int open_receivers(qdr_plan *plan, qdri_near *near, int64_t *row) {
    int could = 1;
    for (int i = 0; i < near->neighbors; i++) {
        qdri_neighbor *neighbor = &near->neighbor[i];
        if (neighbor->source < 0) continue;
        row[neighbor->member] = qdri_receiver_open(&neighbor->receiver, plan->wire, near->slots);
        could &= row[neighbor->member] != 0;
    }
    return could;
}

static qdr_status open_channels(qdr_plan *plan, qdri_near *near, int could, double deadline, int *refused) {
    qdri_wire *wire = plan->wire;
    int own = qdri_node_member(wire, qdri_wire_rank(wire));
    int64_t *row = qdri_board_write(wire);
    if (could) could = open_receivers(plan, near, row);
    row[own] = could;
    QDRI_TRY(qdri_board_show(wire, deadline));
    for (int i = 0; i < qdri_node_members(wire); i++) *refused |= !qdri_board_read(wire, i)[i];
    for (int i = 0; i < near->neighbors && !*refused; i++) {
        qdri_neighbor *neighbor = &near->neighbor[i];
        if (neighbor->destination >= 0)
            qdri_sender_open(&neighbor->sender, wire, neighbor->member,
                             qdri_board_read(wire, neighbor->member)[own], near->slots);
    }
    return QDR_OK;
}

qdr_status qdri_near_open(qdr_plan *plan, int wanted, double deadline, int *refused) {
    qdri_near_close(plan, 0);
    wanted = wanted && qdri_node_members(plan->wire) > 1;
    if (wanted) QDRI_TRY(qdri_arena_open(plan->wire, deadline));
    *refused = wanted && !qdri_arena_there(plan->wire);
    wanted = wanted && !*refused;
    qdr_status status = find_neighbors(plan, wanted, plan->near);
    if (!wanted) return status;
    plan->near->slots = slots_for(plan->in_flight);
    QDRI_TRY(open_channels(plan, plan->near, !status, deadline, refused));
    return status;
}

void qdri_near_close(qdr_plan *plan, int stays) {
    qdri_near *near = plan->near;
    for (int i = 0; i < near->neighbors && !stays; i++)
        if (near->neighbor[i].receiver.shared) qdri_receiver_close(&near->neighbor[i].receiver, plan->wire);
    free(near->neighbor);
    free(near->is_near);
    free(near->far_out);
    free(near->far_in);
    free(near->source_order);
    free(near->of_source);
    *near = (qdri_near){.active = 0};
}
