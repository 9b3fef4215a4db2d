/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the neighbors of a plan and opening channels with them: one round of the board, in which each tells
 * the others where their channels to him begin. Where a member has no memory for that, all of the node see
 * it, and nobody uses any.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pile.h"
#include "plan/near/near.h"

/* ---- who they are -------------------------------------------------------------------------------------- */

static void find_places(qdr_partners_view view, int *out, int *in) {
    for (int r = 0; r < view.ranks; r++) out[r] = in[r] = -1;
    for (int i = 0; i < view.sends; i++) out[view.destination[i]] = i;
    for (int i = 0; i < view.receives; i++) in[view.source[i]] = i;
}

static int is_far(const qdri_near *near, int rank, int own, int way) {
    return rank != own && !(near->is_near && near->is_near[rank] & way);
}

/* Partners that are not here, and not this rank itself. */
static void list_far(qdri_near *near, qdr_partners_view view) {
    for (int i = 0; i < view.sends; i++)
        if (is_far(near, view.destination[i], view.rank, QDRI_NEAR_OUT)) near->far_out[near->far_outs++] = i;
    for (int i = 0; i < view.receives; i++)
        if (is_far(near, view.source[i], view.rank, QDRI_NEAR_IN)) near->far_in[near->far_ins++] = i;
}

static void order_sources(qdri_near *near, int ranks, const int *in) {
    int count = 0;
    for (int r = 0; r < ranks; r++)
        if (in[r] >= 0) near->source_order[count++] = in[r];
}

static void add_neighbors(const qdr_plan *plan, qdri_near *near, const int *out, const int *in) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    for (int distance = 1; distance < view.ranks; distance++) {
        int rank = (view.rank + distance) % view.ranks;
        int member = qdri_node_member(plan->wire, rank);
        if (member < 0 || (out[rank] < 0 && in[rank] < 0)) continue;
        near->neighbor[near->neighbors++] =
            (qdri_neighbor){rank, member, out[rank], in[rank], {.slots = 0}, {.slots = 0}};
    }
}

static void lay_out(qdri_near *near, qdr_partners_view view, int members, qdri_pile *pile) {
    int most = view.sends + view.receives < members ? view.sends + view.receives : members;
    near->neighbor = QDRI_PILE_ARRAY(pile, qdri_neighbor, most);
    near->far_out = QDRI_PILE_ARRAY(pile, int, view.sends);
    near->far_in = QDRI_PILE_ARRAY(pile, int, view.receives);
    near->source_order = QDRI_PILE_ARRAY(pile, int, view.receives);
    near->of_source = QDRI_PILE_ARRAY(pile, qdri_neighbor *, view.receives);
    near->is_near = members > 0 ? QDRI_PILE_ARRAY(pile, char, view.ranks) : NULL;
}

static qdr_status find_neighbors(const qdr_plan *plan, int wanted, qdri_near *near) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    int members = wanted ? qdri_node_members(plan->wire) : 0;
    qdri_pile pile = {NULL, 0};
    lay_out(near, view, members, &pile);
    pile.memory = qdri_alloc_zero(pile.used, 1);
    pile.used = 0;
    int *place = QDRI_ARRAY(int, 2 * (int64_t)view.ranks);
    if (!place || !pile.memory) {
        free(place);
        free(pile.memory);
        *near = (qdri_near){.active = 0};
        return qdri_fail_memory();
    }
    lay_out(near, view, members, &pile);
    find_places(view, place, place + view.ranks);
    if (wanted) add_neighbors(plan, near, place, place + view.ranks);
    order_sources(near, view.ranks, place + view.ranks);
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

/* The word for each member: where its channel to this rank lies, and in the lowest bit that this rank has messages for
 * it. One end may know of an empty message that the other does not: such a one has no channel. */
static int open_receivers(qdr_plan *plan, qdri_near *near, int64_t *word_for) {
    for (int i = 0; i < near->neighbors; i++) {
        qdri_neighbor *neighbor = &near->neighbor[i];
        int64_t offset = 0;
        if (neighbor->source >= 0) {
            offset = qdri_receiver_open(&neighbor->receiver, plan->wire, near->slots);
            if (!offset) return 0;
            if (near->ways)
                qdri_receiver_want_at_first(&neighbor->receiver, near->ways->process[neighbor->member],
                                            near->ways->first);
        }
        word_for[neighbor->member] = offset | (neighbor->destination >= 0);
    }
    return 1;
}

/* What the neighbor has told this rank. */
static void connect(qdr_plan *plan, qdri_near *near, qdri_neighbor *neighbor, int64_t word) {
    int64_t offset = word & ~INT64_C(1);
    if (neighbor->destination >= 0 && offset) {
        near->sends++;
        near->is_near[neighbor->rank] |= QDRI_NEAR_OUT;
        qdri_sender_open(&neighbor->sender, plan->wire, neighbor->member, offset, near->slots);
    } else {
        neighbor->destination = -1;
    }
    if (neighbor->source >= 0 && word & 1) {
        near->receives++;
        near->is_near[neighbor->rank] |= QDRI_NEAR_IN;
        near->of_source[neighbor->source] = neighbor;
        neighbor->receiver.connected = 1;
    } else {
        neighbor->source = -1;
    }
}

/* Of how many bytes an item is, the exchanges will say. Most are numbers of eight, or bytes. */
static int64_t likely_bytes(const int64_t *items, int place) {
    enum { BYTES = 8 };
    return items[place] < INT64_MAX / BYTES ? BYTES * items[place] : INT64_MAX;
}

/* Both ways may be needed, where items of eight bytes would go in pieces, and bytes as a whole. */
static void expect(qdr_plan *plan, qdri_neighbor *neighbor) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    int64_t whole = qdri_cut_at.whole;
    if (neighbor->destination >= 0) {
        int64_t least = view.send_items[neighbor->destination],
                most = likely_bytes(view.send_items, neighbor->destination);
        qdri_sender_expect(&neighbor->sender, most, whole);
        if (least <= whole && most > whole) qdri_sender_expect(&neighbor->sender, whole, whole);
    }
    if (neighbor->source >= 0) {
        int64_t least = view.receive_items[neighbor->source],
                most = likely_bytes(view.receive_items, neighbor->source);
        qdri_receiver_expect(&neighbor->receiver, plan->wire, most, whole);
        if (least <= whole && most > whole)
            qdri_receiver_expect(&neighbor->receiver, plan->wire, whole, whole);
        qdri_receiver_warm(&neighbor->receiver, plan->wire, least, most);
    }
}

void qdri_near_warm(qdr_plan *plan) {
    qdr_partners_view view = qdr_partners_look(plan->partners);
    for (int i = 0; i < plan->near->neighbors; i++) {
        qdri_neighbor *neighbor = &plan->near->neighbor[i];
        if (neighbor->destination >= 0)
            qdri_sender_warm(&neighbor->sender, plan->wire, view.send_items[neighbor->destination],
                             likely_bytes(view.send_items, neighbor->destination));
    }
}

/* Whether messages may be read where they lie is each receiver's own affair. */
static qdr_status open_reading(const qdr_plan *plan, qdri_near *near) {
    if (qdri_node_reading(plan->wire) == QDRI_READS_NEVER) return QDR_OK;
    near->ways = qdri_ways_of(plan->wire);
    return near->ways ? QDR_OK : qdri_fail_memory();
}

qdr_status qdri_near_offer(qdr_plan *plan, int wanted, int64_t *word_for, int *refused) {
    qdri_near *near = plan->near;
    qdri_near_close(plan);
    *refused = wanted && !qdri_arena_there(plan->wire);
    qdr_status status = find_neighbors(plan, wanted && !*refused, near);
    if (!status && wanted) status = open_reading(plan, near);
    near->slots = slots_for(plan->in_flight);
    if (!wanted) return status;
    memset(word_for, 0, (size_t)qdri_node_members(plan->wire) * sizeof *word_for);
    *refused |= status || !open_receivers(plan, near, word_for);
    return status;
}

void qdri_near_connect(qdr_plan *plan, const int64_t *word_from) {
    qdri_near *near = plan->near;
    for (int i = 0; i < near->neighbors; i++) {
        connect(plan, near, &near->neighbor[i], word_from[near->neighbor[i].member]);
        expect(plan, &near->neighbor[i]);
    }
    list_far(near, qdr_partners_look(plan->partners));
}

/* Each row has at its member's own place that it could do all. */
qdr_status qdri_near_show(qdri_wire *wire, double deadline, int64_t *word, int *refused) {
    int members = qdri_node_members(wire), own = qdri_node_member(wire, qdri_wire_rank(wire));
    int64_t *row = qdri_board_write(wire);
    memcpy(row, word, (size_t)members * sizeof *row);
    row[own] = !*refused;
    QDRI_TRY(qdri_board_show(wire, "qdr_plan_create", 0, deadline));
    for (int i = 0; i < members; i++) {
        *refused |= !qdri_board_read(wire, i)[i];
        word[i] = qdri_board_read(wire, i)[own];
    }
    return QDR_OK;
}

qdr_status qdri_near_open(qdr_plan *plan, int wanted, double deadline, int *refused) {
    int64_t *word = qdri_board_words(plan->wire);
    wanted = wanted && qdri_node_members(plan->wire) > 1;
    qdr_status status = qdri_near_offer(plan, wanted, word, refused);
    if (wanted && qdri_arena_there(plan->wire)) QDRI_TRY(qdri_near_show(plan->wire, deadline, word, refused));
    if (!status && !*refused) qdri_near_connect(plan, word);
    return status;
}

void qdri_near_close(qdr_plan *plan) {
    qdri_near *near = plan->near;
    for (int i = 0; i < near->neighbors; i++) {
        qdri_neighbor *neighbor = &near->neighbor[i];
        qdri_sender_close(&neighbor->sender);
        if (!neighbor->receiver.shared) continue;
        if (near->ways && neighbor->receiver.process > 0)
            near->ways->process[neighbor->member] = neighbor->receiver.process;
        qdri_receiver_close(&neighbor->receiver, plan->wire);
    }
    free(near->neighbor);
    *near = (qdri_near){.active = 0};
}
